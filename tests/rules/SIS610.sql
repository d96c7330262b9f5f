-- case: in WHERE
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM t WHERE ts_day = DATE '2024-05-17';  -- error: SIS610

-- case: in SELECT and GROUP BY
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(4, id));
SELECT
  id_bucket,  -- error: SIS610
  count(*)
FROM t
GROUP BY id_bucket;  -- error: SIS610

-- case: qualified by an alias
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (months(ts));
SELECT x.id FROM t AS x WHERE x.ts_month > 600 AND id = 1;  -- error: SIS610

-- case: in DELETE
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
DELETE FROM t WHERE ts_day < DATE '2024-01-01';  -- error: SIS610

-- case: in UPDATE
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
UPDATE t SET id = 0 WHERE ts_day < DATE '2024-01-01';  -- error: SIS610

-- case: a name of its own
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
SELECT count(*) FROM t WHERE shard = 1;  -- error: SIS610

-- case: in the metadata tables
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), id);
SELECT ts_day, record_count FROM local.db.t.partitions;  -- error: SIS610
SELECT file_path FROM t.files WHERE id = 1;  -- error: SIS610

-- case: where it is
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT partition.ts_day, record_count FROM t.partitions;
SELECT p.partition.ts_day FROM local.db.t.files p;
SELECT _partition.ts_day FROM t;

-- case: an alias of the query
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT to_date(ts) AS ts_day, count(*) FROM t GROUP BY ts_day;
SELECT to_date(ts) ts_day, count(*) FROM t GROUP BY ts_day ORDER BY ts_day;

-- case: a column of the same name
CREATE TABLE t (id INT, ts TIMESTAMP, s STRUCT<ts_day: INT>) USING iceberg PARTITIONED BY (days(ts));
SELECT s.ts_day FROM t;

-- case: a session variable
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
DECLARE VARIABLE ts_day DATE;
SELECT * FROM t WHERE ts = ts_day;
