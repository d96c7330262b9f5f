-- case: unknown columns of a query
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg;
SELECT
  idd,  -- error: SIS611
  count(*)
FROM t
WHERE
  tsx > TIMESTAMP '2024-01-01 00:00:00'  -- error: SIS611
GROUP BY 1;

-- case: unknown columns of UPDATE and DELETE
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg;
UPDATE t SET idd = 1;  -- error: SIS611
DELETE FROM t WHERE idd = 1;  -- error: SIS611

-- case: in the list of an INSERT
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg;
INSERT INTO t (id, tz) VALUES (1, NULL);  -- error: SIS611
INSERT INTO t (idd, ts) SELECT id, ts FROM t;  -- error: SIS611

-- case: in MERGE
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg;
MERGE INTO t AS a USING t AS b ON a.id = b.id
WHEN MATCHED THEN UPDATE SET a.id = b.id,
  a.tz = b.ts  -- error: SIS611
WHEN NOT MATCHED THEN INSERT (id,
  tz) VALUES (b.id, b.ts);  -- error: SIS611

-- case: what Spark takes
CREATE TABLE t (id INT, ts TIMESTAMP, s STRUCT<x: INT>) USING iceberg;
SELECT id AS n, s.x, t.s.x, current_date, NULL, date_add(DAY, 1, ts), id y, y + 1 FROM t WHERE t.id IS NOT NULL;
SELECT count(DISTINCT id), count(*) FROM t HAVING count(*) > 1;
SELECT id, _file, _pos, CASE WHEN id IN (1, id) THEN TRUE ELSE FALSE END FROM t GROUP BY ALL ORDER BY ALL;
INSERT INTO t (id, ts) SELECT id, ts FROM t;
INSERT INTO t (SELECT * FROM t);
MERGE INTO t USING (SELECT 1 AS k) u ON t.id = u.k WHEN MATCHED AND u.k > 0 THEN UPDATE SET id = CASE WHEN u.k > 1 THEN 1 ELSE k END WHEN NOT MATCHED THEN INSERT (id) VALUES (u.k);
MERGE INTO t USING (SELECT id, ts, named_struct('x', 1) AS s FROM t) u ON t.id = u.id WHEN NOT MATCHED THEN INSERT *;
UPDATE t SET id = NULL WHERE id BETWEEN 1 AND 2;

-- case: a source without the table's columns
CREATE TABLE t (id INT, name STRING, d DATE) USING iceberg;
CREATE TABLE s (id INT, Name STRING) USING iceberg;
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *;  -- error: SIS611
MERGE INTO t AS a USING s b ON a.id = b.id WHEN MATCHED THEN UPDATE SET *;  -- error: SIS611
MERGE INTO t USING (SELECT id, upper(name) AS name FROM s) b ON t.id = b.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;  -- error: SIS611
MERGE INTO t USING (SELECT *, current_date() AS d FROM s) b ON t.id = b.id WHEN NOT MATCHED THEN INSERT *;
MERGE INTO t USING (SELECT id, name, current_date() AS d FROM s) b ON t.id = b.id WHEN NOT MATCHED THEN INSERT *;
MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name);
