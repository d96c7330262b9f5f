-- case: STRUCT<>
CREATE TABLE t (id INT, x STRUCT<>) USING iceberg;  -- error: SIS211

-- case: ARRAY<STRUCT<>>
CREATE TABLE t (id INT, x ARRAY<STRUCT<>>) USING iceberg;  -- error: SIS211

-- case: MAP<STRING, STRUCT<>>
CREATE TABLE t (id INT, x MAP<STRING, STRUCT<>>) USING iceberg;  -- error: SIS211

-- case: STRUCT<a: INT, b: STRUCT<>>
CREATE TABLE t (id INT, x STRUCT<a: INT, b: STRUCT<>>) USING iceberg;  -- error: SIS211

-- case: STRUCT<a: VOID>
CREATE TABLE t (id INT, x STRUCT<a: VOID>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS211

-- case: STRUCT<a: VOID> in ADD COLUMN
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMN x STRUCT<a: VOID>;  -- error: SIS211

-- case: STRUCT<a: VOID, b: VOID>
CREATE TABLE t (id INT, x STRUCT<a: VOID, b: VOID>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS211

-- case: STRUCT<a: VOID, b: VOID> in ADD COLUMN
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMN x STRUCT<a: VOID, b: VOID>;  -- error: SIS211

-- case: STRUCT<a: STRUCT<b: VOID>>
CREATE TABLE t (id INT, x STRUCT<a: STRUCT<b: VOID>>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS211

-- case: STRUCT<a: STRUCT<b: VOID>> in ADD COLUMN
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMN x STRUCT<a: STRUCT<b: VOID>>;  -- error: SIS211

-- case: ARRAY<VOID>
CREATE TABLE t (id INT, x ARRAY<VOID>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS211

-- case: ARRAY<VOID> in ADD COLUMN
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMN x ARRAY<VOID>;  -- error: SIS211

-- case: MAP<STRING, VOID>
CREATE TABLE t (id INT, x MAP<STRING, VOID>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS211

-- case: MAP<STRING, VOID> in ADD COLUMN
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMN x MAP<STRING, VOID>;  -- error: SIS211

-- case: MAP<VOID, INT>
CREATE TABLE t (id INT, x MAP<VOID, INT>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS211

-- case: MAP<VOID, INT> in ADD COLUMN
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMN x MAP<VOID, INT>;  -- error: SIS211

-- case: VOID NOT NULL
CREATE TABLE t (id INT, x VOID NOT NULL) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS211

-- case: STRUCT<a: VOID NOT NULL, b: INT>
CREATE TABLE t (id INT, x STRUCT<a: VOID NOT NULL, b: INT>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS211

-- case: STRUCT<a: INT, b: ARRAY<VOID>>
CREATE TABLE t (id INT, x STRUCT<a: INT, b: ARRAY<VOID>>) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS211

-- case: STRUCT<a: INT, b: ARRAY<VOID>> in ADD COLUMN
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD COLUMN x STRUCT<a: INT, b: ARRAY<VOID>>;  -- error: SIS211

-- case: nothing but void
CREATE TABLE t (x VOID, y VOID) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS211

-- case: void beside others
CREATE TABLE t (id INT, x VOID, y STRUCT<a: VOID, b: INT>, z ARRAY<STRUCT<a: VOID, b: INT>>) USING iceberg TBLPROPERTIES ('format-version' = '3');

-- case: avro files hold all of it
CREATE TABLE t (id INT, a ARRAY<VOID>, b STRUCT<>, c STRUCT<a: VOID>, d MAP<STRING, VOID>) USING iceberg TBLPROPERTIES ('format-version' = '3', 'write.format.default' = 'avro');

-- case: AVRO files hold all of it
CREATE TABLE t (id INT, a ARRAY<VOID>, b STRUCT<>, c STRUCT<a: VOID>, d MAP<STRING, VOID>) USING iceberg TBLPROPERTIES ('format-version' = '3', 'write.format.default' = 'AVRO');

-- case: ORC files hold structs of void
CREATE TABLE t (id INT, x VOID, c STRUCT<a: VOID>) USING iceberg TBLPROPERTIES ('format-version' = '3', 'write.format.default' = 'orc');

-- case: ORC files hold no arrays of void
CREATE TABLE t (id INT, x ARRAY<VOID>) USING iceberg TBLPROPERTIES ('format-version' = '3', 'write.format.default' = 'orc');  -- error: SIS211

-- case: ORC files hold no empty structs
CREATE TABLE t (id INT, x STRUCT<>) USING iceberg TBLPROPERTIES ('format-version' = '3', 'write.format.default' = 'orc');  -- error: SIS211

-- case: the last field of a struct dropped
CREATE TABLE t (id INT, p STRUCT<a: INT>) USING iceberg;
ALTER TABLE t DROP COLUMN p.a;  -- error: SIS211

-- case: one field of two dropped
CREATE TABLE t (id INT, p STRUCT<a: INT, b: INT>) USING iceberg;
ALTER TABLE t DROP COLUMN p.a;

-- case: the struct dropped with its field
CREATE TABLE t (id INT, p STRUCT<a: INT>) USING iceberg;
ALTER TABLE t DROP COLUMN p;

-- case: the last column that is not void
CREATE TABLE t (id INT, x VOID) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t DROP COLUMN id;  -- error: SIS211

-- case: another format
CREATE TABLE spark_catalog.default.p (id INT, x ARRAY<INT>) USING parquet;

-- case: nothing but void in Avro files
CREATE TABLE t (x VOID, y INT) USING iceberg TBLPROPERTIES ('format-version' = '3', 'write.format.default' = 'avro');
ALTER TABLE t DROP COLUMN y;
