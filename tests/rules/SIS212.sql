-- case: a column
CREATE TABLE t (id INT, `` INT) USING iceberg;  -- error: SIS212

-- case: the only column
CREATE TABLE t (`` INT) USING iceberg;  -- error: SIS212

-- case: in a struct
CREATE TABLE t (id INT, x STRUCT<a: INT, ``: INT>) USING iceberg;  -- error: SIS212

-- case: a blank is a name
CREATE TABLE t (id INT, ` ` INT) USING iceberg PARTITIONED BY (` `);

-- case: a Hive column
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (`` INT);  -- error: SIS212

-- case: a table
CREATE TABLE `` (id INT) USING iceberg;  -- error: SIS212

-- case: a table in a namespace
CREATE TABLE IF NOT EXISTS local.db.`` (id INT) USING iceberg;  -- error: SIS212

-- case: CTAS
CREATE TABLE `` USING iceberg AS SELECT 1 AS id;  -- error: SIS212

-- case: DROP TABLE
DROP TABLE IF EXISTS ``;  -- error: SIS212

-- case: USE
USE ``;  -- error: SIS212

-- case: an empty place
CREATE TABLE t (id INT) USING iceberg LOCATION '';  -- error: SIS212

-- case: ADD COLUMN `` INT
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN `` INT;  -- error: SIS212

-- case: ADD COLUMN st.`` INT
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN st.`` INT;  -- error: SIS212

-- case: RENAME COLUMN s TO ``
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t RENAME COLUMN s TO ``;  -- error: SIS212

-- case: RENAME COLUMN st.a TO ``
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t RENAME COLUMN st.a TO ``;  -- error: SIS212

-- case: REPLACE COLUMNS (id INT, `` INT)
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t REPLACE COLUMNS (id INT, `` INT);  -- error: SIS212

-- case: RENAME TO ``
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t RENAME TO ``;  -- error: SIS212
