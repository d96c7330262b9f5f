-- case: a variant in a default table
CREATE TABLE t (id INT, x VARIANT) USING iceberg;  -- error: SIS205

-- case: a variant in version 1
CREATE TABLE t (id INT, x VARIANT) USING iceberg TBLPROPERTIES ('format-version' = '1');  -- error: SIS205

-- case: a variant in version 2
CREATE TABLE t (id INT, x VARIANT) USING iceberg TBLPROPERTIES ('format-version' = '2');  -- error: SIS205

-- case: a void column
CREATE TABLE t (id INT, x VOID) USING iceberg;  -- error: SIS205

-- case: inside a struct
CREATE TABLE t (id INT, x STRUCT<a: VARIANT>) USING iceberg;  -- error: SIS205

-- case: inside an array
CREATE TABLE t (id INT, x ARRAY<VARIANT>) USING iceberg;  -- error: SIS205

-- case: ADD COLUMN
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMN x VARIANT;  -- error: SIS205

-- case: CREATE OR REPLACE
CREATE TABLE t (id INT) USING iceberg;
CREATE OR REPLACE TABLE t (id INT, x VARIANT) USING iceberg;  -- error: SIS205

-- case: version 3 from the start
CREATE TABLE t (id INT, x VARIANT, y VOID) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('format-version' = '3');

-- case: version 3 by upgrade
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMN x VARIANT;

-- case: version 3 kept by REPLACE
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id INT, x VARIANT) USING iceberg;

-- case: timestamp_ntz is in every version
CREATE TABLE t (id INT, x TIMESTAMP_NTZ) USING iceberg TBLPROPERTIES ('format-version' = '1');

-- case: IF NOT EXISTS hides a variant
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (x VARIANT) USING iceberg;

-- case: among good columns
CREATE TABLE t (
  id BIGINT,
  v VARIANT,  -- error: SIS205
  s STRUCT<a: INT, b: ARRAY<STRING>>,
  w ARRAY<VARIANT>,  -- error: SIS205
  ts TIMESTAMP_NTZ
) USING iceberg;

-- case: REPLACE COLUMNS
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t REPLACE COLUMNS (id INT, v VARIANT);  -- error: SIS205

-- case: a table of another format
CREATE TABLE spark_catalog.default.p (id INT, v VARIANT) USING parquet;

-- case: MAP<STRING, VARIANT> in ADD COLUMN, version 2
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMN x MAP<STRING, VARIANT>;  -- error: SIS205

-- case: MAP<STRING, VARIANT> in version 3
CREATE TABLE t (id INT, x MAP<STRING, VARIANT>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- warning: SIS215

-- case: MAP<VARIANT, INT> in ADD COLUMN, version 2
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMN x MAP<VARIANT, INT>;  -- error: SIS205

-- case: MAP<VARIANT, INT> in version 3
CREATE TABLE t (id INT, x MAP<VARIANT, INT>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- warning: SIS215

-- case: ARRAY<STRUCT<a: VARIANT>> in ADD COLUMN, version 2
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMN x ARRAY<STRUCT<a: VARIANT>>;  -- error: SIS205

-- case: ARRAY<STRUCT<a: VARIANT>> in version 3
CREATE TABLE t (id INT, x ARRAY<STRUCT<a: VARIANT>>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- warning: SIS215

-- case: STRUCT<a: ARRAY<VARIANT>> in ADD COLUMN, version 2
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMN x STRUCT<a: ARRAY<VARIANT>>;  -- error: SIS205

-- case: STRUCT<a: ARRAY<VARIANT>> in version 3
CREATE TABLE t (id INT, x STRUCT<a: ARRAY<VARIANT>>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- warning: SIS215

-- case: STRUCT<a: VOID, b: INT> in ADD COLUMN, version 2
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMN x STRUCT<a: VOID, b: INT>;  -- error: SIS205

-- case: STRUCT<a: VOID, b: INT> in version 3
CREATE TABLE t (id INT, x STRUCT<a: VOID, b: INT>) USING iceberg TBLPROPERTIES ('format-version' = '3');

-- case: a variant added inside a struct, an array and a map
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN st.x VARIANT;  -- error: SIS205

-- case: a variant and a void added inside, version 3
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMNS (st.x VARIANT, ar.element.x VARIANT, m.value.x ARRAY<VARIANT>, st.y VOID, ar.element.y VOID);  -- warning: SIS215

-- case: a format version that is none, which is another fault
CREATE TABLE t (v VARIANT) USING iceberg TBLPROPERTIES ('format-version' = '9');  -- error: SIS410
