-- case: ADD, no table
ALTER TABLE nope ADD PARTITION FIELD id; -- error: SIS412

-- case: DROP, no table
ALTER TABLE nope DROP PARTITION FIELD id; -- error: SIS412

-- case: REPLACE, no table
ALTER TABLE nope REPLACE PARTITION FIELD id WITH s; -- error: SIS412

-- case: metadata table
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE local.db.t.files ADD PARTITION FIELD id; -- error: SIS412

-- case: metadata table, other letters
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE local.db.t.FILES ADD PARTITION FIELD id; -- error: SIS412

-- case: branch
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t CREATE BRANCH b;
ALTER TABLE local.db.t.branch_b ADD PARTITION FIELD id; -- warning: SIS412

-- case: branch, by its parts
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t CREATE BRANCH b;
ALTER TABLE db.t.branch_b ADD PARTITION FIELD id; -- warning: SIS412

-- case: tag
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
INSERT INTO t (id) VALUES (1);
ALTER TABLE t CREATE TAG b;
ALTER TABLE local.db.t.tag_b ADD PARTITION FIELD id; -- warning: SIS412

-- case: branch, in capital letters
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t CREATE BRANCH b;
ALTER TABLE local.db.t.BRANCH_b ADD PARTITION FIELD id; -- error: SIS412

-- case: a branch's path changes the table
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t CREATE BRANCH b;
ALTER TABLE local.db.t.branch_b ADD PARTITION FIELD id; -- warning: SIS412
ALTER TABLE t ADD PARTITION FIELD id; -- error: SIS402

-- case: damage by a branch's path
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t CREATE BRANCH b;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE local.db.t.branch_b REPLACE PARTITION FIELD shard WITH bucket(16, id) AS shard; -- error: SIS404 -- warning: SIS412

-- case: a column that is not there, by a branch's path
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t CREATE BRANCH b;
ALTER TABLE local.db.t.branch_b ADD PARTITION FIELD nope; -- error: SIS201 -- warning: SIS412

-- case: temporary view
CREATE TEMPORARY VIEW v AS SELECT 1 AS id;
ALTER TABLE v ADD PARTITION FIELD id; -- error: SIS412

-- case: a temporary view of the table's name
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE TEMPORARY VIEW t AS SELECT 1 AS id;
ALTER TABLE t ADD PARTITION FIELD days(ts); -- warning: SIS412
ALTER TABLE local.db.t ADD PARTITION FIELD hours(ts); -- warning: SIS303

-- case: damage behind a temporary view of the table's name
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE TEMPORARY VIEW t AS SELECT 1 AS id;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard; -- warning: SIS412
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(16, id) AS shard; -- error: SIS404 -- warning: SIS412

-- case: a temporary view of the table's name, dropped again
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE TEMPORARY VIEW t AS SELECT 1 AS id;
DROP VIEW t;
ALTER TABLE t ADD PARTITION FIELD days(ts);

-- case: a column of a table that a temporary view hides
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE TEMPORARY VIEW t AS SELECT 1 AS id;
ALTER TABLE t ADD COLUMN x INT; -- error: SIS412

-- case: another format
CREATE TABLE spark_catalog.default.h (id BIGINT) USING parquet;
ALTER TABLE spark_catalog.default.h ADD PARTITION FIELD id; -- error: SIS412

-- case: Hive ADD
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s);
ALTER TABLE t ADD PARTITION (s = 'x'); -- error: SIS412

-- case: Hive ADD IF NOT EXISTS
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s);
ALTER TABLE t ADD IF NOT EXISTS PARTITION (s = 'x'); -- error: SIS412

-- case: Hive DROP
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s);
ALTER TABLE t DROP PARTITION (s = 'x'); -- error: SIS412

-- case: Hive DROP IF EXISTS
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s);
ALTER TABLE t DROP IF EXISTS PARTITION (s = 'x'); -- error: SIS412

-- case: Hive SET LOCATION
CREATE TABLE t (id BIGINT, s STRING) USING iceberg PARTITIONED BY (s);
ALTER TABLE t PARTITION (s = 'x') SET LOCATION 'y'; -- error: SIS412

-- case: Hive RENAME
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s);
ALTER TABLE t PARTITION (s = 'x') RENAME TO PARTITION (s = 'y'); -- error: SIS412

-- case: Hive RECOVER
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s);
ALTER TABLE t RECOVER PARTITIONS; -- error: SIS412

-- case: Hive on Hive's
CREATE TABLE spark_catalog.default.h (id BIGINT, s STRING) USING parquet PARTITIONED BY (s);
ALTER TABLE spark_catalog.default.h ADD PARTITION (s = 'x');

-- case: CREATE of one that is there
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg; -- error: SIS412

-- case: REPLACE of one that is not
REPLACE TABLE nope (id BIGINT) USING iceberg; -- error: SIS412

-- case: CREATE OR REPLACE of one that is not
CREATE OR REPLACE TABLE nope (id BIGINT) USING iceberg;

-- case: IF NOT EXISTS hides the clause
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)); -- warning: SIS412

-- case: IF NOT EXISTS hides a bad clause
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (weeks(ts)); -- warning: SIS412

-- case: IF NOT EXISTS hides no unknown column
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (nope); -- error: SIS201 -- warning: SIS412

-- case: IF NOT EXISTS without a clause
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;

-- case: IF NOT EXISTS of a new one
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t DROP PARTITION FIELD ts_day;

-- case: dropped before
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
DROP TABLE t;
ALTER TABLE t ADD PARTITION FIELD id; -- error: SIS412

-- case: another namespace
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE other.t ADD PARTITION FIELD id; -- error: SIS412

-- case: Spark's own default format
CREATE TABLE spark_catalog.default.h (id BIGINT);
ALTER TABLE spark_catalog.default.h ADD PARTITION FIELD id; -- error: SIS412

-- case: no table to ADD COLUMN x INT
ALTER TABLE nope ADD COLUMN x INT; -- error: SIS412

-- case: no table to DROP COLUMN id
ALTER TABLE nope DROP COLUMN id; -- error: SIS412

-- case: no table to RENAME COLUMN id TO x
ALTER TABLE nope RENAME COLUMN id TO x; -- error: SIS412

-- case: no table to ALTER COLUMN id TYPE BIGINT
ALTER TABLE nope ALTER COLUMN id TYPE BIGINT; -- error: SIS412

-- case: no table to REPLACE COLUMNS (x INT)
ALTER TABLE nope REPLACE COLUMNS (x INT); -- error: SIS412

-- case: no table to SET TBLPROPERTIES ('a' = 'b')
ALTER TABLE nope SET TBLPROPERTIES ('a' = 'b'); -- error: SIS412

-- case: no table to RENAME TO x
ALTER TABLE nope RENAME TO x; -- error: SIS412

-- case: column of a metadata table
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE local.db.t.files ADD COLUMN x INT; -- error: SIS412

-- case: column of a branch
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t CREATE BRANCH b;
ALTER TABLE local.db.t.branch_b ADD COLUMN x INT; -- error: SIS412

-- case: DROP TABLE of nothing
DROP TABLE t;  -- error: SIS412

-- case: DROP TABLE IF EXISTS of nothing
DROP TABLE IF EXISTS t;

-- case: DROP TABLE twice
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
DROP TABLE t;
DROP TABLE t;  -- error: SIS412

-- case: MSCK REPAIR TABLE t
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (ds STRING);
MSCK REPAIR TABLE t;  -- error: SIS412

-- case: REPAIR TABLE t
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (ds STRING);
REPAIR TABLE t;  -- error: SIS412

-- case: SHOW PARTITIONS t
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (ds STRING);
SHOW PARTITIONS t;  -- error: SIS412

-- case: TRUNCATE TABLE t PARTITION (ds = '1')
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (ds STRING);
TRUNCATE TABLE t PARTITION (ds = '1');  -- error: SIS412

-- case: TRUNCATE TABLE
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (ds STRING);
TRUNCATE TABLE t;

-- case: columns of a view
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (ds STRING);
CREATE TEMPORARY VIEW v AS SELECT * FROM t;
ALTER TABLE v ADD COLUMN x INT;  -- error: SIS412

-- case: SHOW TABLES
SHOW TABLES;

-- case: properties of a view
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (ds STRING);
CREATE TEMPORARY VIEW v AS SELECT * FROM t;
ALTER TABLE v SET TBLPROPERTIES ('a' = 'b');  -- error: SIS412

-- case: ALTER VIEW
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (ds STRING);
CREATE TEMPORARY VIEW v AS SELECT * FROM t;
ALTER VIEW v RENAME TO w;

-- case: LIKE looks in Spark's own catalog
CREATE TABLE s (id INT) USING iceberg;
CREATE TABLE t LIKE s USING iceberg;  -- error: SIS412

-- case: LIKE of a table in Spark's own catalog, and its table lies there
CREATE TABLE spark_catalog.default.q (id INT) USING parquet;
CREATE TABLE t LIKE q;
ALTER TABLE spark_catalog.default.t ADD COLUMN x INT;
ALTER TABLE t ADD COLUMN x INT;  -- error: SIS412

-- case: LIKE beside a table of that name in the current catalog
CREATE TABLE spark_catalog.default.q (id INT) USING parquet;
CREATE TABLE t (id INT) USING iceberg;
CREATE TABLE t LIKE default.q;
ALTER TABLE t ADD PARTITION FIELD id;

-- case: LIKE twice
CREATE TABLE spark_catalog.default.q (id INT) USING parquet;
CREATE TABLE t LIKE q;
CREATE TABLE t LIKE q;  -- error: SIS412

-- case: LIKE of a temporary view
CREATE TABLE spark_catalog.default.q (id INT) USING parquet;
CREATE TEMPORARY VIEW v AS SELECT 1 AS id;
CREATE TABLE t LIKE v USING parquet;
