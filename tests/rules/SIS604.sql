-- case: TOP
CREATE TABLE t (id BIGINT, ts TIMESTAMP, top INT) USING iceberg PARTITIONED BY (days(ts));
SELECT TOP 10 * FROM t;  -- error: SIS604
SELECT id FROM (SELECT TOP 5 id FROM t ORDER BY id);  -- error: SIS604
SELECT top, id FROM t;

-- case: a file in quotes
CREATE TABLE t (id BIGINT, ts TIMESTAMP, s STRING) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM 'data/orders.parquet';  -- error: SIS604
SELECT trim(BOTH FROM 'a') FROM 'data/a.parquet';  -- error: SIS604
SELECT count(*) FROM t JOIN 'more.csv' m ON t.id = m.id;  -- error: SIS604
SELECT id FROM 'db.t';  -- error: SIS604
WITH a AS (SELECT * FROM 'a.json') SELECT * FROM a;  -- error: SIS604
SELECT trim(BOTH FROM ' a ') AS a, extract(DAY FROM '2024-01-01') AS d FROM t;
SELECT id FROM t WHERE s IS DISTINCT FROM 'a';
SELECT 'from ''a''' AS x FROM t;

-- case: a function that reads files
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM read_parquet('data/orders.parquet');  -- error: SIS604
SELECT count(*) FROM t JOIN read_csv_auto('more.csv') m ON t.id = m.id;  -- error: SIS604
SELECT read_parquet, id FROM (SELECT 1 AS read_parquet, id FROM t);

-- case: a time or a version
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM t AT (TIMESTAMP => '2024-01-01 00:00:00');  -- error: SIS604
SELECT count(*) FROM t AT (VERSION => 5) WHERE id > 5;  -- error: SIS604
SELECT * FROM t at (id, ts);
