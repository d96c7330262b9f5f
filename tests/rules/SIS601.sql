-- case: the column first
CREATE TABLE t (id BIGINT, name STRING) USING iceberg;
SELECT iceberg_bucket(id, 16) FROM t;  -- error: SIS601

-- case: the column first, of catalog.system
CREATE TABLE t (id BIGINT, name STRING) USING iceberg;
SELECT local.system.bucket(id, 16) FROM t;  -- error: SIS601

-- case: truncate with the column first
CREATE TABLE t (id BIGINT, name STRING) USING iceberg;
SELECT count(*) FROM t GROUP BY iceberg_truncate(name, 4);  -- error: SIS601

-- case: in a filter of DELETE
CREATE TABLE t (id BIGINT, name STRING) USING iceberg;
DELETE FROM t WHERE iceberg_bucket(id, 16) = 3;  -- error: SIS601

-- case: in a subquery, where no column is looked up
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT * FROM t WHERE id IN (SELECT iceberg_bucket(id, 16) FROM t);  -- error: SIS601

-- case: no bucket
CREATE TABLE t (id BIGINT) USING iceberg;
SELECT iceberg_bucket(0, id) FROM t;  -- error: SIS601

-- case: a negative number
CREATE TABLE t (id BIGINT) USING iceberg;
SELECT iceberg_bucket(-4, id) FROM t;  -- error: SIS601

-- case: more than 32 bits
CREATE TABLE t (id BIGINT) USING iceberg;
SELECT iceberg_bucket(4294967312, id) FROM t;  -- error: SIS601

-- case: a string for the number
CREATE TABLE t (id BIGINT) USING iceberg;
SELECT iceberg_bucket('16', id) FROM t;  -- error: SIS601

-- case: a decimal for the number
CREATE TABLE t (id BIGINT) USING iceberg;
SELECT iceberg_bucket(16.0, id) FROM t;  -- error: SIS601

-- case: no column
CREATE TABLE t (id BIGINT) USING iceberg;
SELECT iceberg_bucket(16) FROM t;  -- error: SIS601

-- case: nothing at all
SELECT iceberg_days();  -- error: SIS601

-- case: one argument too many
CREATE TABLE t (ts TIMESTAMP) USING iceberg;
SELECT iceberg_days(ts, 'UTC') FROM t;  -- error: SIS601

-- case: a type that the transform does not take
CREATE TABLE t (id BIGINT, f DOUBLE, d DATE) USING iceberg;
SELECT iceberg_days(id) FROM t;  -- error: SIS601
SELECT iceberg_bucket(16, f) FROM t;  -- error: SIS601
SELECT iceberg_hours(d) FROM t;  -- error: SIS601
SELECT local.system.hours(d) FROM t;  -- error: SIS601

-- case: a type behind an alias
CREATE TABLE t (id BIGINT) USING iceberg;
CREATE TABLE u (id BIGINT, name STRING) USING iceberg;
SELECT iceberg_days(u.name) FROM t JOIN u ON t.id = u.id;  -- error: SIS601

-- case: a type in DELETE
CREATE TABLE t (id BIGINT) USING iceberg;
DELETE FROM t WHERE iceberg_months(id) = 3;  -- error: SIS601

-- case: arguments by name
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT iceberg_bucket(n => 16, col => id), iceberg_bucket(col => id, n => 16), iceberg_days(col => ts) FROM t;
SELECT iceberg_bucket(16, col => id) FROM t;
SELECT iceberg_bucket(n => 0, col => id) FROM t;  -- error: SIS601
SELECT iceberg_days(col => id) FROM t;  -- error: SIS601
SELECT iceberg_bucket(16, value => id) FROM t;  -- error: SIS601
SELECT iceberg_days(ts => ts) FROM t;  -- error: SIS601

-- case: arguments by name in catalog.system
CREATE TABLE t (id BIGINT) USING iceberg;
INSERT INTO t VALUES (1);
SELECT local.system.bucket(numBuckets => 16, value => id) FROM t;  -- error: SIS601
SELECT local.system.bucket(16, value => id) FROM t;  -- error: SIS601

-- case: weeks
CREATE TABLE t (ts TIMESTAMP) USING iceberg;
SELECT iceberg_weeks(ts) FROM t;  -- error: SIS601

-- case: a slip of the pen
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT iceberg_buckets(16, id) FROM t;  -- error: SIS601
SELECT iceberg_dyas(ts) FROM t;  -- error: SIS601

-- case: the singular in catalog.system
CREATE TABLE t (ts TIMESTAMP) USING iceberg;
SELECT local.system.day(ts) FROM t;  -- error: SIS601

-- case: in the query of CREATE TABLE
CREATE TABLE t (id BIGINT) USING iceberg;
CREATE TABLE u USING iceberg AS SELECT iceberg_bucket(id, 16) AS b FROM t;  -- error: SIS601

-- case: several in a line
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT iceberg_bucket(id, 16), iceberg_days(id) FROM t;  -- error: SIS601

-- case: what is right
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, d DATE) USING iceberg;
SELECT iceberg_bucket(16, id), ICEBERG_TRUNCATE(4, name), iceberg_day(ts), iceberg_years(d), iceberg_void(id) FROM t;
SELECT iceberg_bucket(n => 16, col => id), iceberg_bucket(4 * 4, id), iceberg_identity(name) FROM t;
SELECT local.system.bucket(16, id), local.system.days(ts), local.system.truncate(4, name) FROM t;
SELECT iceberg_days(to_timestamp(name)), iceberg_bucket(16, upper(name)), iceberg_days(CAST(name AS DATE)) FROM t;
SELECT x.ts FROM (SELECT iceberg_days(ts) AS ts FROM t) x;
SELECT 'iceberg_bucket(id, 16)' AS text, `name` FROM t;
-- SELECT iceberg_bucket(id, 16) FROM t

-- case: names of another relation, or of none, are left to Spark
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT iceberg_days(x) FROM (SELECT ts AS x FROM t);
WITH u AS (SELECT ts AS id FROM t) SELECT iceberg_days(id) FROM u;
SELECT iceberg_days(id) FROM (SELECT ts AS id FROM t);
SELECT * FROM t JOIN LATERAL (SELECT iceberg_days(ts) AS d);

-- case: functions of somebody else
CREATE TABLE t (id BIGINT) USING iceberg;
SELECT id AS iceberg_bucket FROM t;

-- case: an int column may be the number of Iceberg's own functions
CREATE TABLE t (i INT, id BIGINT) USING iceberg;
SELECT local.system.bucket(i, 16) FROM t;
SELECT local.system.bucket(id, 16) FROM t;  -- error: SIS601

-- case: a lambda's parameter is not a column
CREATE TABLE t (k STRING, f DOUBLE, ts TIMESTAMP) USING iceberg;
SELECT transform(array(ts), k -> local.system.days(k)) FROM t;
SELECT filter(array(1), f -> local.system.bucket(4, f) > 0) FROM t;

-- case: iceberg_functions, the column first
CREATE TABLE t (id BIGINT, name STRING) USING iceberg;
SELECT iceberg_functions.bucket(id, 16) FROM t;  -- error: SIS601

-- case: iceberg_functions, no bucket
CREATE TABLE t (id BIGINT) USING iceberg;
SELECT id FROM t WHERE ICEBERG_FUNCTIONS.Bucket(0, id) = 3;  -- error: SIS601

-- case: iceberg_functions, a type that the transform does not take
CREATE TABLE t (id BIGINT) USING iceberg;
SELECT iceberg_functions.day(id) FROM t;  -- error: SIS601

-- case: iceberg_functions, a name of the DDL
CREATE TABLE t (ts TIMESTAMP) USING iceberg;
SELECT iceberg_functions.years(ts) FROM t;  -- error: SIS601

-- case: iceberg_functions, the transform that the spec leaves out
CREATE TABLE t (ts TIMESTAMP) USING iceberg;
SELECT iceberg_functions.void(ts) FROM t;  -- error: SIS601

-- case: iceberg_functions, all of its functions
CREATE TABLE t (id BIGINT, name STRING, ts TIMESTAMP) USING iceberg;
SELECT iceberg_functions.bucket(16, id), iceberg_functions.truncate(4, name), iceberg_functions.identity(id) FROM t;
SELECT iceberg_functions.year(ts), iceberg_functions.month(ts), iceberg_functions.day(ts), iceberg_functions.hour(ts) FROM t;
SELECT iceberg_functions.if_else(id > 1, id, 0), `iceberg_functions`.bucket(n => 16, col => id) FROM t;
