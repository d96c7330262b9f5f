-- case: a name twice
CREATE TABLE t (id INT, id STRING) USING iceberg;  -- error: SIS207

-- case: letter case apart
CREATE TABLE t (id INT, ID STRING) USING iceberg;  -- error: SIS207

-- case: within a struct
CREATE TABLE t (s STRUCT<a: INT, a: INT>) USING iceberg;  -- error: SIS207

-- case: within a struct, letter case apart
CREATE TABLE t (s STRUCT<a: INT, A: INT>) USING iceberg;  -- error: SIS207

-- case: a dotted column beside a struct
CREATE TABLE t (`a.b` INT, a STRUCT<b: INT>) USING iceberg;  -- error: SIS207

-- case: a typed partition column that is in the list
CREATE TABLE t (id INT, dt DATE) USING iceberg PARTITIONED BY (dt DATE);  -- error: SIS207

-- case: the same name at two depths
CREATE TABLE t (a INT, s STRUCT<a: INT>, u STRUCT<a: INT, s: STRUCT<a: INT>>) USING iceberg PARTITIONED BY (bucket(4, a), bucket(4, s.a), bucket(4, u.s.a));

-- case: a typed partition column
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (dt DATE, hour INT);

-- case: a column added that is there
CREATE TABLE t (id INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t ADD COLUMN ID STRING;  -- error: SIS207

-- case: a field added that is there
CREATE TABLE t (id INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t ADD COLUMN s.a INT;  -- error: SIS207

-- case: a dotted column added beside a struct
CREATE TABLE t (id INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t ADD COLUMN `s.a` INT;  -- error: SIS207

-- case: two of a name added
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMNS (x INT, X STRING);  -- error: SIS207

-- case: renamed onto another
CREATE TABLE t (id INT, s STRUCT<a: INT, b: INT>) USING iceberg;
ALTER TABLE t RENAME COLUMN id TO S;  -- error: SIS207
ALTER TABLE t RENAME COLUMN s.a TO b;  -- error: SIS207

-- case: renamed to its own letters
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t RENAME COLUMN id TO ID;  -- error: SIS207

-- case: renamed, and the old name free again
CREATE TABLE t (id INT, s STRUCT<a: INT, b: INT>) USING iceberg;
ALTER TABLE t RENAME COLUMN s.a TO c;
ALTER TABLE t ADD COLUMN s.a STRING;

-- case: IF NOT EXISTS does not hide a name twice
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (x INT, X INT) USING iceberg;  -- error: SIS207

-- case: IF NOT EXISTS hides a dotted name twice
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (`a.b` INT, a STRUCT<b: INT>) USING iceberg;

-- case: REPLACE COLUMNS with a name twice
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t REPLACE COLUMNS (id INT, ID INT);  -- error: SIS207

-- case: a struct with a field twice in ADD COLUMN
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMN x STRUCT<a: INT, a: INT>;  -- error: SIS207

-- case: a struct with a field in two letter cases in ADD COLUMN
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMN x STRUCT<a: INT, A: INT>;  -- error: SIS207

-- case: a struct with a field twice in REPLACE COLUMNS
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t REPLACE COLUMNS (x STRUCT<a: INT, a: INT>);  -- error: SIS207

-- case: the same name in two structs
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMNS (x STRUCT<a: INT>, y STRUCT<a: INT, id: INT>);

-- case: a dotted name twice
CREATE TABLE t (`a.b` INT, `a.b` STRING) USING iceberg;  -- error: SIS207

-- case: a struct twice
CREATE TABLE t (s STRUCT<a: INT>, s STRUCT<a: INT>) USING iceberg;  -- error: SIS207

-- case: two of a name added to a struct
CREATE TABLE t (id INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t ADD COLUMNS (s.x INT, s.X STRING);  -- error: SIS207
