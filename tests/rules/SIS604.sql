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

-- case: statements about Iceberg tables
CREATE TABLE t (id BIGINT, v BIGINT) USING iceberg PARTITIONED BY (bucket(4, id));
CREATE TABLE s (id BIGINT, v BIGINT) USING iceberg;
SELECT count(*) FROM t$files;  -- error: SIS604
SELECT count(*) FROM db.t$partitions p WHERE p.record_count > 1;  -- error: SIS604
DELETE FROM t USING s WHERE t.id = s.id;  -- error: SIS604
MERGE INTO t USING (VALUES (1, 2)) q(id, v) ON t.id = q.id WHEN MATCHED THEN UPDATE SET v = q.v;  -- error: SIS604
MERGE INTO t USING (SELECT * FROM VALUES (1, 2) AS r(id, v)) q ON t.id = q.id WHEN MATCHED THEN UPDATE SET v = q.v;
DELETE FROM t WHERE id IN (SELECT id FROM s);
SELECT count(*) FROM db.t.files;
SELECT '$files' AS a, 1 AS `b$files` FROM t;

-- case: options of Flink in a hint
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT /*+ OPTIONS('split-size' = '1') */ * FROM t;  -- error: SIS604

-- case: a hint that Spark ignores
CREATE TABLE t (id BIGINT) USING iceberg;
INSERT INTO t VALUES (1);
SELECT /*+ OPTIONS('split-size', '1') */ * FROM t;  -- warning: SIS604
SELECT /*+ OPTIONS('snapshot-id', '1') */ * FROM t;  -- warning: SIS604
SELECT /*+ BROADCAST(t), OPTIONS('as-of-timestamp', '1704067200000') */ * FROM t;  -- warning: SIS604
SELECT /*+ OPTIONS */ /*+ COALESCE(1) */ 'OPTIONS(1)' FROM t;
SELECT /*+ COALESCE(1) */ * FROM t;
SELECT /*+ COALESCE(1) */ * FROM t;
