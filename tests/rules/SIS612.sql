-- case: THEN is missing
CREATE TABLE t (id INT) USING iceberg;
MERGE INTO t USING t u ON t.id = u.id WHEN MATCHED UPDATE SET *;  -- error: SIS612

-- case: DELETE without FROM
CREATE TABLE t (id INT) USING iceberg;
DELETE t WHERE id = 1;  -- error: SIS612

-- case: misspelt words
CREATE TABLE t (id INT) USING iceberg;
SELCT * FROM t;  -- error: SIS612
SELECT * FRM t;  -- error: SIS612
WITH q AS (SELECT 1) SELEC * FROM q;  -- error: SIS612
SELECT id, count(*) FROM t WHERE id > 1 GRUOP BY id HAVING id > 1;  -- error: SIS606
INSERT INTO t VALUE (1);  -- error: SIS612

-- case: brackets and commas
CREATE TABLE t (id INT) USING iceberg;
SELECT id FROM (SELECT id FROM t;  -- error: SIS612
SELECT id FROM t WHERE id IN (1, 2;  -- error: SIS612
INSERT INTO t VALUES 1, 2);  -- error: SIS612
SELECT id, FROM local.t WHERE id > 1;  -- error: SIS612
SELECT (1 + ) FROM t;  -- error: SIS612

-- case: what is not complete
CREATE TABLE t (id INT) USING iceberg;
SELECT id FROM t GROUP BY;  -- error: SIS612
SELECT id FROM t WHERE id > 1 AND;  -- error: SIS612
SELECT id FROM t ORDER BY id LIMIT 10 OFFSET;  -- error: SIS612

-- case: other grammars
CREATE TABLE t (id INT) USING iceberg;
SELECT id FROM t QUALIFY row_number() OVER (ORDER BY id) = 1;  -- error: SIS612
VACUUM t RETAIN 168 HOURS;  -- note: SIS612
RESTORE TABLE t TO VERSION AS OF 1;  -- note: SIS612
USE CATALOG lake;  -- note: SIS612

-- case: what Spark takes
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg;
FROM t |> WHERE id > 1 |> SELECT id;
SELECT id FROM t WHERE id == 1 AND id !> 2 OR NOT ! true;
SELECT id:a.b, id::STRING, CAST(id AS DECIMAL(10, 2)), x -> x + 1, "a", 1.5BD, 2L, .5, 1e3 FROM t;
SELECT /*+ BROADCAST(t) */ * EXCEPT (id) FROM t TABLESAMPLE (10 PERCENT) LATERAL VIEW explode(array(1)) AS e;
SELECT id FROM t VERSION AS OF 1 UNION ALL (SELECT 1) MINUS SELECT 2 ORDER BY 1 LIMIT ALL;
BEGIN DECLARE x INT = 1; IF x > 1 THEN SELECT x; END IF; END;
SET spark.sql.shuffle.partitions = 10;

-- case: what an installed session runs as another statement
CREATE TABLE t (id INT) USING iceberg;
SELECT count(*) FROM t SETTINGS iceberg_snapshot_id = 1;
SELECT count(*) FROM iceberg('/lake/db/t') VERSION AS OF 'audit';
