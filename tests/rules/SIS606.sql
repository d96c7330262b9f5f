-- case: a column of a known table
CREATE TABLE t (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT kind, count(*) FROM t;  -- error: SIS606
SELECT count(*) AS n, kind FROM t WHERE id > 5 ORDER BY n;  -- error: SIS606
SELECT month(ts), avg(id) FROM t;  -- error: SIS606
SELECT date_trunc('day', ts) AS day, max(id) FROM t LIMIT 5;  -- error: SIS606
SELECT DISTINCT kind k, max(id) FROM t;  -- error: SIS606
SELECT kind, count(*) FROM t HAVING count(*) > 1;  -- error: SIS606
WITH a AS (SELECT 1 AS b) SELECT kind, sum(id) FROM local.db.t;  -- error: SIS606
SELECT 'a', 5 UNION ALL SELECT kind, count(*) FROM t;  -- error: SIS606

-- case: a qualified column
CREATE TABLE t (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT t.kind, count(*) FROM t;  -- error: SIS606
SELECT x.kind, count(*) FROM (SELECT 1 AS id) AS y JOIN t x ON x.id = y.id WHERE false GROUP BY ALL;
SELECT x.kind, count(*) FROM t AS x WHERE x.id = 5;  -- error: SIS606

-- case: one row for the table
CREATE TABLE t (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT count(*), max(kind), 5 AS five FROM t;
SELECT kind, count(*) OVER (PARTITION BY id) FROM t;
SELECT kind, (SELECT count(*) FROM t) FROM t;
SELECT max(id) AS m, m FROM t;
SELECT max(id), current_date, current_user FROM t;
SELECT kind, id FROM t;
SELECT kind, count(*) FROM t GROUP BY kind;
SELECT any_value(kind), upper(max(kind)), count(*) FROM t;
SELECT max(id) m, m FROM t;

-- case: a variable
CREATE TABLE t (id BIGINT) USING iceberg;
DECLARE OR REPLACE VARIABLE run INT DEFAULT 5;
SELECT run, count(*) FROM t;
