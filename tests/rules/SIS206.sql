-- case: a column _partition
CREATE TABLE t (id INT, _partition STRING) USING iceberg;  -- error: SIS206

-- case: a column _file
CREATE TABLE t (id INT, _file STRING) USING iceberg;  -- error: SIS206

-- case: a column _pos
CREATE TABLE t (id INT, _pos STRING) USING iceberg;  -- error: SIS206

-- case: a column _spec_id
CREATE TABLE t (id INT, _spec_id STRING) USING iceberg;  -- error: SIS206

-- case: a column _deleted
CREATE TABLE t (id INT, _deleted STRING) USING iceberg;  -- error: SIS206

-- case: a column _row_id
CREATE TABLE t (id INT, _row_id STRING) USING iceberg;  -- error: SIS206

-- case: a column _last_updated_sequence_number
CREATE TABLE t (id INT, _last_updated_sequence_number STRING) USING iceberg;  -- error: SIS206

-- case: a column _PARTITION
CREATE TABLE t (id INT, _PARTITION STRING) USING iceberg;  -- error: SIS206

-- case: a column _File
CREATE TABLE t (id INT, _File STRING) USING iceberg;  -- error: SIS206

-- case: partitioned by it
CREATE TABLE t (id INT, _file STRING) USING iceberg PARTITIONED BY (_file);  -- error: SIS206

-- case: ADD COLUMN
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMN _pos BIGINT;  -- error: SIS206

-- case: RENAME COLUMN
CREATE TABLE t (id INT, file STRING) USING iceberg;
ALTER TABLE t RENAME COLUMN file TO _file;  -- error: SIS206

-- case: Hive's typed partition column
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (_partition STRING);  -- error: SIS206

-- case: inside a struct it does no harm
CREATE TABLE t (id INT, s STRUCT<_file: STRING, _pos: INT>) USING iceberg;

-- case: names that only look like it
CREATE TABLE t (file STRING, pos INT, partition STRING, _change_type STRING, file_path STRING, _metadata STRING, _partition_id INT) USING iceberg;

-- case: IF NOT EXISTS hides a reserved name
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (_file INT) USING iceberg;

-- case: among good columns
CREATE TABLE t (
  id BIGINT,
  _pos INT,  -- error: SIS206
  pos INT,
  _File STRING,  -- error: SIS206
  _deleted_at TIMESTAMP
) USING iceberg;

-- case: in other letter case, where no update asks for it
CREATE TABLE t (id INT, _Deleted BOOLEAN) USING iceberg;  -- warning: SIS206
CREATE TABLE u (id INT, _ROW_ID BIGINT) USING iceberg;  -- warning: SIS206

-- case: in other letter case, from version 3 on
CREATE TABLE t (id INT, _ROW_ID STRING) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS206

-- case: in other letter case and of its type
CREATE TABLE t (id INT, _ROW_ID BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- warning: SIS206

-- case: in other letter case and of its type: updates take it for the hidden one
CREATE TABLE a (id INT, _SPEC_ID INT) USING iceberg;  -- warning: SIS206
CREATE TABLE b (id INT, _Pos BIGINT NOT NULL) USING iceberg;  -- warning: SIS206
CREATE TABLE c (id INT, _File STRING NOT NULL) USING iceberg;  -- warning: SIS206

-- case: a table of another format
CREATE TABLE spark_catalog.default.p (id INT, _file STRING) USING parquet;

-- case: REPLACE COLUMNS
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t REPLACE COLUMNS (id INT, _file STRING);  -- error: SIS206

-- case: added and renamed inside a struct
CREATE TABLE t (id INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t ADD COLUMN s._file STRING;
ALTER TABLE t RENAME COLUMN s.a TO _pos;

-- case: renamed to other letters of it
CREATE TABLE t (id INT, n INT) USING iceberg;
ALTER TABLE t RENAME COLUMN n TO _FILE;  -- error: SIS206
