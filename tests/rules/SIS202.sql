-- case: days of STRING in CREATE
CREATE TABLE t (id BIGINT, x STRING) USING iceberg PARTITIONED BY (days(x));  -- error: SIS202

-- case: days of STRING in ALTER
CREATE TABLE t (id BIGINT, x STRING) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(x);  -- error: SIS202

-- case: days of INT in CREATE
CREATE TABLE t (id BIGINT, x INT) USING iceberg PARTITIONED BY (days(x));  -- error: SIS202

-- case: days of INT in ALTER
CREATE TABLE t (id BIGINT, x INT) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(x);  -- error: SIS202

-- case: days of BIGINT in CREATE
CREATE TABLE t (id BIGINT, x BIGINT) USING iceberg PARTITIONED BY (days(x));  -- error: SIS202

-- case: days of BIGINT in ALTER
CREATE TABLE t (id BIGINT, x BIGINT) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(x);  -- error: SIS202

-- case: days of BOOLEAN in CREATE
CREATE TABLE t (id BIGINT, x BOOLEAN) USING iceberg PARTITIONED BY (days(x));  -- error: SIS202

-- case: days of BOOLEAN in ALTER
CREATE TABLE t (id BIGINT, x BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(x);  -- error: SIS202

-- case: days of DOUBLE in CREATE
CREATE TABLE t (id BIGINT, x DOUBLE) USING iceberg PARTITIONED BY (days(x));  -- error: SIS202

-- case: days of DOUBLE in ALTER
CREATE TABLE t (id BIGINT, x DOUBLE) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(x);  -- error: SIS202

-- case: days of BINARY in CREATE
CREATE TABLE t (id BIGINT, x BINARY) USING iceberg PARTITIONED BY (days(x));  -- error: SIS202

-- case: days of BINARY in ALTER
CREATE TABLE t (id BIGINT, x BINARY) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(x);  -- error: SIS202

-- case: days of DECIMAL(9, 2) in CREATE
CREATE TABLE t (id BIGINT, x DECIMAL(9, 2)) USING iceberg PARTITIONED BY (days(x));  -- error: SIS202

-- case: days of DECIMAL(9, 2) in ALTER
CREATE TABLE t (id BIGINT, x DECIMAL(9, 2)) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(x);  -- error: SIS202

-- case: a bucket of BOOLEAN in CREATE
CREATE TABLE t (id BIGINT, x BOOLEAN) USING iceberg PARTITIONED BY (bucket(4, x));  -- error: SIS202

-- case: a bucket of BOOLEAN in ALTER
CREATE TABLE t (id BIGINT, x BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, x);  -- error: SIS202

-- case: a bucket of FLOAT in CREATE
CREATE TABLE t (id BIGINT, x FLOAT) USING iceberg PARTITIONED BY (bucket(4, x));  -- error: SIS202

-- case: a bucket of FLOAT in ALTER
CREATE TABLE t (id BIGINT, x FLOAT) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, x);  -- error: SIS202

-- case: a bucket of DOUBLE in CREATE
CREATE TABLE t (id BIGINT, x DOUBLE) USING iceberg PARTITIONED BY (bucket(4, x));  -- error: SIS202

-- case: a bucket of DOUBLE in ALTER
CREATE TABLE t (id BIGINT, x DOUBLE) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, x);  -- error: SIS202

-- case: truncate of DATE in CREATE
CREATE TABLE t (id BIGINT, x DATE) USING iceberg PARTITIONED BY (truncate(4, x));  -- error: SIS202

-- case: truncate of DATE in ALTER
CREATE TABLE t (id BIGINT, x DATE) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(4, x);  -- error: SIS202

-- case: truncate of TIMESTAMP in CREATE
CREATE TABLE t (id BIGINT, x TIMESTAMP) USING iceberg PARTITIONED BY (truncate(4, x));  -- error: SIS202

-- case: truncate of TIMESTAMP in ALTER
CREATE TABLE t (id BIGINT, x TIMESTAMP) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(4, x);  -- error: SIS202

-- case: truncate of TIMESTAMP_NTZ in CREATE
CREATE TABLE t (id BIGINT, x TIMESTAMP_NTZ) USING iceberg PARTITIONED BY (truncate(4, x));  -- error: SIS202

-- case: truncate of TIMESTAMP_NTZ in ALTER
CREATE TABLE t (id BIGINT, x TIMESTAMP_NTZ) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(4, x);  -- error: SIS202

-- case: truncate of BOOLEAN in CREATE
CREATE TABLE t (id BIGINT, x BOOLEAN) USING iceberg PARTITIONED BY (truncate(4, x));  -- error: SIS202

-- case: truncate of BOOLEAN in ALTER
CREATE TABLE t (id BIGINT, x BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(4, x);  -- error: SIS202

-- case: truncate of DOUBLE in CREATE
CREATE TABLE t (id BIGINT, x DOUBLE) USING iceberg PARTITIONED BY (truncate(4, x));  -- error: SIS202

-- case: truncate of DOUBLE in ALTER
CREATE TABLE t (id BIGINT, x DOUBLE) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(4, x);  -- error: SIS202

-- case: hours of a date in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (hours(d));  -- error: SIS202

-- case: hours of a date in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD hours(d);  -- error: SIS202

-- case: hours of a date, Spark's other name in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (date_hour(d));  -- error: SIS202

-- case: hours of a date, Spark's other name in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD date_hour(d);  -- error: SIS202

-- case: years of a nested string
CREATE TABLE t (p STRUCT<x: STRING>) USING iceberg PARTITIONED BY (years(p.x));  -- error: SIS202

-- case: varchar is a string
CREATE TABLE t (x VARCHAR(10)) USING iceberg PARTITIONED BY (months(x));  -- error: SIS202

-- case: tinyint is an int
CREATE TABLE t (x TINYINT) USING iceberg PARTITIONED BY (days(x));  -- error: SIS202

-- case: a void column has no bucket
CREATE TABLE t (id INT, x VOID) USING iceberg PARTITIONED BY (bucket(4, x)) TBLPROPERTIES ('format-version' = '3');  -- error: SIS202

-- case: in REPLACE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t REPLACE PARTITION FIELD days(ts) WITH days(name);  -- error: SIS202

-- case: a column of another type than it had
CREATE TABLE t (id BIGINT, x INT) USING iceberg;
ALTER TABLE t ALTER COLUMN x TYPE BIGINT;
ALTER TABLE t ADD PARTITION FIELD days(x);  -- error: SIS202

-- case: several at once
CREATE TABLE t (name STRING, flag BOOLEAN) USING iceberg PARTITIONED BY (
  days(name),  -- error: SIS202
  bucket(4, flag)  -- error: SIS202
);

-- case: everything that bucket takes
CREATE TABLE t (a TINYINT, b SMALLINT, c INT, d BIGINT, e DECIMAL(38, 0), f DATE, g TIMESTAMP, h TIMESTAMP_NTZ, i STRING, j VARCHAR(3), k CHAR(3), l BINARY) USING iceberg
PARTITIONED BY (bucket(4, a), bucket(4, b), bucket(4, c), bucket(4, d), bucket(4, e), bucket(4, f), bucket(4, g), bucket(4, h), bucket(4, i), bucket(4, j), bucket(4, k), bucket(4, l));

-- case: everything that truncate takes
CREATE TABLE t (a TINYINT, b SMALLINT, c INT, d BIGINT, e DECIMAL(3, 2), i STRING, j VARCHAR(30), l BINARY) USING iceberg
PARTITIONED BY (truncate(4, a), truncate(4, b), truncate(4, c), truncate(4, d), truncate(4, e), truncate(4, i), truncate(4, j), truncate(4, l));

-- case: everything that the time transforms take
CREATE TABLE t (a DATE, b DATE, c DATE, d TIMESTAMP, e TIMESTAMP_NTZ, f TIMESTAMP_LTZ) USING iceberg
PARTITIONED BY (years(a), months(b), days(c), hours(d), hours(e), years(f));

-- case: identity takes every plain type
CREATE TABLE t (a BOOLEAN, b INT, c DECIMAL(9, 2), d DATE, e STRING, f BINARY, g CHAR(2)) USING iceberg
PARTITIONED BY (a, b, c, d, e, f, g);

-- case: a collated string
CREATE TABLE t (x STRING COLLATE UTF8_LCASE) USING iceberg PARTITIONED BY (x, bucket(4, x), truncate(2, x));  -- warning: SIS216

-- case: identity on a void column
CREATE TABLE t (id INT, x VOID) USING iceberg PARTITIONED BY (x) TBLPROPERTIES ('format-version' = '3');

-- case: IF NOT EXISTS hides days(name)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (days(name));  -- warning: SIS412

-- case: days(name) among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  days(name),  -- error: SIS202
  months(d),
  truncate(1000, price)
);

-- case: hours of a string
CREATE TABLE t (id BIGINT, name STRING) USING iceberg PARTITIONED BY (hours(name));  -- error: SIS202

-- case: after other faults
CREATE TABLE t (id BIGINT, name STRING, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (
  weeks(ts),  -- error: SIS101
  p,  -- error: SIS203
  days(name)  -- error: SIS202
);

-- case: twice the same
CREATE TABLE t (name STRING) USING iceberg PARTITIONED BY (days(name), days(name));  -- error: SIS202

-- case: SELECT * FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(id)) AS SELECT * FROM s; -- error: SIS202

-- case: SELECT * FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(ts)) AS SELECT * FROM s;

-- case: SELECT id, ts FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(ts)) AS SELECT id, ts FROM s;

-- case: SELECT id FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(ts)) AS SELECT id FROM s; -- error: SIS201

-- case: SELECT id, CAST(n AS DATE) x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT id, CAST(n AS DATE) x FROM s;

-- case: SELECT id, CAST(n AS DATE) FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(n)) AS SELECT id, CAST(n AS DATE) FROM s;

-- case: SELECT CAST(id AS STRING) AS x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT CAST(id AS STRING) AS x FROM s; -- error: SIS202

-- case: SELECT 1 AS a
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(a)) AS SELECT 1 AS a; -- error: SIS202

-- case: SELECT 'x' AS a, 1L AS b
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (truncate(4, a)) AS SELECT 'x' AS a, 1L AS b;

-- case: SELECT DATE '2024-01-01' AS d, true AS b
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(d)) AS SELECT DATE '2024-01-01' AS d, true AS b;

-- case: SELECT d FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (hours(d)) AS SELECT d FROM s; -- error: SIS202

-- case: SELECT TIMESTAMP '2024-01-01 00:00:00' t
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (hours(t)) AS SELECT TIMESTAMP '2024-01-01 00:00:00' t;

-- case: SELECT to_date(ts) AS x, count(*) AS n FROM s GROUP BY 1
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT to_date(ts) AS x, count(*) AS n FROM s GROUP BY 1;

-- case: SELECT to_date(ts) AS x, count(*) AS n FROM s GROUP BY 1
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(n)) AS SELECT to_date(ts) AS x, count(*) AS n FROM s GROUP BY 1; -- error: SIS202

-- case: SELECT p.a FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (bucket(4, a)) AS SELECT p.a FROM s;

-- case: SELECT p.a FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(a)) AS SELECT p.a FROM s; -- error: SIS202

-- case: SELECT p FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (p.a) AS SELECT p FROM s;

-- case: SELECT upper(n) u FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(u)) AS SELECT upper(n) u FROM s; -- error: SIS202

-- case: SELECT upper(n) u FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (truncate(2, u)) AS SELECT upper(n) u FROM s;

-- case: SELECT t.id AS k, u.n FROM s t JOIN s u ON t.id = u.id
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(k)) AS SELECT t.id AS k, u.n FROM s t JOIN s u ON t.id = u.id; -- error: SIS202

-- case: SELECT t.* FROM s t LEFT JOIN s u ON t.id = u.id WHERE t.id > 1
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(ts)) AS SELECT t.* FROM s t LEFT JOIN s u ON t.id = u.id WHERE t.id > 1;

-- case: WITH q AS (SELECT id FROM s) SELECT * FROM q
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(id)) AS WITH q AS (SELECT id FROM s) SELECT * FROM q; -- error: SIS202

-- case: SELECT id FROM s UNION ALL SELECT id FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(id)) AS SELECT id FROM s UNION ALL SELECT id FROM s; -- error: SIS202

-- case: SELECT z FROM (SELECT id AS z FROM s) q
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(z)) AS SELECT z FROM (SELECT id AS z FROM s) q; -- error: SIS202

-- case: SELECT max(ts) AS x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT max(ts) AS x FROM s;

-- case: SELECT coalesce(n, 'a') AS x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT coalesce(n, 'a') AS x FROM s; -- error: SIS202

-- case: SELECT ts::date AS x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT ts::date AS x FROM s;

-- case: SELECT 1.5 AS x
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (truncate(1, x)) AS SELECT 1.5 AS x; -- warning: SIS110

-- case: SELECT 1.5 AS x
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT 1.5 AS x; -- error: SIS202

-- case: SELECT date_trunc('month', ts) AS x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT date_trunc('month', ts) AS x FROM s;

-- case: SELECT year(ts) AS x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT year(ts) AS x FROM s; -- error: SIS202

-- case: SELECT row_number() OVER (ORDER BY id) AS x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (bucket(4, x)) AS SELECT row_number() OVER (ORDER BY id) AS x FROM s;

-- case: SELECT row_number() OVER (ORDER BY id) AS x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT row_number() OVER (ORDER BY id) AS x FROM s; -- error: SIS202

-- case: SELECT ID FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(ID)) AS SELECT ID FROM s; -- error: SIS202

-- case: SELECT substring(n, 1, 2) x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT substring(n, 1, 2) x FROM s; -- error: SIS202

-- case: SELECT length(n) x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT length(n) x FROM s; -- error: SIS202

-- case: SELECT current_timestamp() x
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT current_timestamp() x;

-- case: SELECT current_date x
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT current_date x;

-- case: SELECT 3000000000 x
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT 3000000000 x; -- error: SIS202

-- case: SELECT -1 x
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT -1 x; -- error: SIS202

-- case: SELECT (id) x FROM s
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg PARTITIONED BY (days(x)) AS SELECT (id) x FROM s; -- error: SIS202

-- case: of a parquet table
CREATE TABLE spark_catalog.default.s (a INT, ts TIMESTAMP) USING parquet;
CREATE TABLE c USING iceberg PARTITIONED BY (days(a)) AS SELECT a, ts FROM spark_catalog.default.s; -- error: SIS202

-- case: replaced
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE OR REPLACE TABLE s USING iceberg PARTITIONED BY (days(nope)) AS SELECT id, ts FROM s; -- error: SIS201

-- case: then altered
CREATE TABLE s (id BIGINT, ts TIMESTAMP, n STRING, d DATE, p STRUCT<a: INT>) USING iceberg;
CREATE TABLE c USING iceberg AS SELECT id, n FROM s;
ALTER TABLE c ADD PARTITION FIELD days(n); -- error: SIS202
ALTER TABLE c SET IDENTIFIER FIELDS id; -- error: SIS214
