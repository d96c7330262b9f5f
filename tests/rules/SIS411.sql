-- case: provider in CREATE
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('provider' = 'x');  -- error: SIS411

-- case: provider in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('provider' = 'x');  -- error: SIS411

-- case: location in CREATE
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('location' = 'x');  -- error: SIS411

-- case: location in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('location' = 'x');  -- error: SIS411

-- case: owner in CREATE
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('owner' = 'x');  -- error: SIS411

-- case: owner in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('owner' = 'x');  -- error: SIS411

-- case: external in CREATE
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('external' = 'x');  -- error: SIS411

-- case: external in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('external' = 'x');  -- error: SIS411

-- case: is_managed_location in CREATE
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('is_managed_location' = 'x');  -- error: SIS411

-- case: is_managed_location in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('is_managed_location' = 'x');  -- error: SIS411

-- case: in OPTIONS
CREATE TABLE t (id INT) USING iceberg OPTIONS (provider 'x');  -- error: SIS411

-- case: a table of another format
CREATE TABLE spark_catalog.default.p (id INT) USING parquet TBLPROPERTIES ('owner' = 'x');  -- error: SIS411

-- case: UNSET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t UNSET TBLPROPERTIES ('owner');  -- error: SIS411

-- case: UNSET of what is not there
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t UNSET TBLPROPERTIES ('nope');

-- case: letter case counts
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('PROVIDER' = 'x', 'comment' = 'y', 'sort-order' = 'z', 'identifier-fields' = 'id');

-- case: sort-order
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('sort-order' = 'x');  -- error: SIS411

-- case: identifier-fields
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('identifier-fields' = 'x');  -- error: SIS411

-- case: IF NOT EXISTS does not hide it
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id INT) USING iceberg TBLPROPERTIES ('owner' = 'x');  -- error: SIS411

-- case: no such format
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('write.format.default' = 'csv');  -- error: SIS411

-- case: no such format in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.format.default' = 'delta');  -- error: SIS411

-- case: formats in any letter case
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('write.format.default' = 'ORC');
ALTER TABLE t SET TBLPROPERTIES ('write.format.default' = 'Avro');

-- case: Athena's type
CREATE TABLE t (id INT) PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('table_type' = 'ICEBERG');  -- error: SIS411
