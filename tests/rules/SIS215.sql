-- case: an array of variants
CREATE TABLE t (id INT, x ARRAY<VARIANT>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- warning: SIS215

-- case: a map of variants, partitioned
CREATE TABLE t (id INT, x MAP<STRING, VARIANT>) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('format-version' = '3');  -- warning: SIS215

-- case: variants in structs of an array
CREATE TABLE t (id INT, x ARRAY<STRUCT<a: VARIANT, b: VARIANT>>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- warning: SIS215

-- case: an array of variants in a struct
CREATE TABLE t (id INT, x STRUCT<a: ARRAY<VARIANT>>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- warning: SIS215

-- case: a variant in a struct
CREATE TABLE t (id INT, x STRUCT<a: VARIANT>) USING iceberg TBLPROPERTIES ('format-version' = '3');

-- case: ADD COLUMN
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMN x ARRAY<VARIANT>;  -- warning: SIS215

-- case: ADD COLUMN to the structs of an array
CREATE TABLE t (id INT, x ARRAY<STRUCT<a: INT>>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMN x.element.b VARIANT;  -- warning: SIS215

-- case: ADD COLUMN to a struct
CREATE TABLE t (id INT, x STRUCT<a: INT>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMN x.b VARIANT;

-- case: REPLACE COLUMNS
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t REPLACE COLUMNS (id INT, x ARRAY<VARIANT>);  -- warning: SIS215

-- case: in an earlier version, which is another fault
CREATE TABLE t (id INT, x ARRAY<VARIANT>) USING iceberg;  -- error: SIS205

-- case: in a table of another format
CREATE TABLE spark_catalog.default.p (id INT, x ARRAY<VARIANT>) USING parquet;
