-- case: UUID
CREATE TABLE t (id INT, x UUID) USING iceberg;  -- error: SIS209

-- case: TEXT
CREATE TABLE t (id INT, x TEXT) USING iceberg;  -- error: SIS209

-- case: DATETIME
CREATE TABLE t (id INT, x DATETIME) USING iceberg;  -- error: SIS209

-- case: TIMESTAMPTZ
CREATE TABLE t (id INT, x TIMESTAMPTZ) USING iceberg;  -- error: SIS209

-- case: TIMESTAMP_NS
CREATE TABLE t (id INT, x TIMESTAMP_NS) USING iceberg;  -- error: SIS209

-- case: JSON
CREATE TABLE t (id INT, x JSON) USING iceberg;  -- error: SIS209

-- case: BOOL
CREATE TABLE t (id INT, x BOOL) USING iceberg;  -- error: SIS209

-- case: NUMBER
CREATE TABLE t (id INT, x NUMBER) USING iceberg;  -- error: SIS209

-- case: INT8
CREATE TABLE t (id INT, x INT8) USING iceberg;  -- error: SIS209

-- case: FLOAT8
CREATE TABLE t (id INT, x FLOAT8) USING iceberg;  -- error: SIS209

-- case: BLOB
CREATE TABLE t (id INT, x BLOB) USING iceberg;  -- error: SIS209

-- case: FIXED(16)
CREATE TABLE t (id INT, x FIXED(16)) USING iceberg;  -- error: SIS209

-- case: VARBINARY
CREATE TABLE t (id INT, x VARBINARY) USING iceberg;  -- error: SIS209

-- case: CHAR
CREATE TABLE t (id INT, x CHAR) USING iceberg;  -- error: SIS209

-- case: VARCHAR
CREATE TABLE t (id INT, x VARCHAR) USING iceberg;  -- error: SIS209

-- case: INT(11)
CREATE TABLE t (id INT, x INT(11)) USING iceberg;  -- error: SIS209

-- case: TIMESTAMP(3)
CREATE TABLE t (id INT, x TIMESTAMP(3)) USING iceberg;  -- error: SIS209

-- case: NVARCHAR(5)
CREATE TABLE t (id INT, x NVARCHAR(5)) USING iceberg;  -- error: SIS209

-- case: INTERVAL DAY
CREATE TABLE t (id INT, x INTERVAL DAY) USING iceberg;  -- error: SIS209

-- case: INTERVAL YEAR TO MONTH
CREATE TABLE t (id INT, x INTERVAL YEAR TO MONTH) USING iceberg;  -- error: SIS209

-- case: INTERVAL
CREATE TABLE t (id INT, x INTERVAL) USING iceberg;  -- error: SIS209

-- case: GEOMETRY(4326)
CREATE TABLE t (id INT, x GEOMETRY(4326)) USING iceberg;  -- error: SIS205

-- case: GEOGRAPHY(4326)
CREATE TABLE t (id INT, x GEOGRAPHY(4326)) USING iceberg;  -- error: SIS205

-- case: TIME
CREATE TABLE t (id INT, x TIME) USING iceberg;  -- error: SIS209

-- case: TIME(6)
CREATE TABLE t (id INT, x TIME(6)) USING iceberg;  -- error: SIS209

-- case: ARRAY<UUID>
CREATE TABLE t (id INT, x ARRAY<UUID>) USING iceberg;  -- error: SIS209

-- case: STRUCT<a: TEXT>
CREATE TABLE t (id INT, x STRUCT<a: TEXT>) USING iceberg;  -- error: SIS209

-- case: MAP<STRING, DATETIME>
CREATE TABLE t (id INT, x MAP<STRING, DATETIME>) USING iceberg;  -- error: SIS209

-- case: ADD COLUMN
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD COLUMN x INTERVAL DAY;  -- error: SIS209

-- case: partitioned by it: one fault
CREATE TABLE t (id INT, x UUID) USING iceberg PARTITIONED BY (bucket(4, x));  -- error: SIS209

-- case: every type that there is
CREATE TABLE t (a BOOLEAN, b TINYINT, c BYTE, d SMALLINT, e SHORT, f INT, g INTEGER, h BIGINT, i LONG, j FLOAT, k REAL, l DOUBLE, m DATE, n TIMESTAMP, o TIMESTAMP_LTZ, p TIMESTAMP_NTZ, q STRING, r CHAR(5), s CHARACTER(5), u VARCHAR(5), v BINARY, w DECIMAL, x DEC(5), y NUMERIC(9, 2), z STRING COLLATE UNICODE, aa ARRAY<INT>, bb MAP<STRING, INT>, cc STRUCT<a: INT, b: ARRAY<STRING>>) USING iceberg;  -- warning: SIS216

-- case: IF NOT EXISTS hides a type of Spark's alone
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (x INTERVAL DAY) USING iceberg;

-- case: IF NOT EXISTS does not hide an unknown type
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (x UUID) USING iceberg;  -- error: SIS209

-- case: IF NOT EXISTS does not hide an interval without a unit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (x INTERVAL) USING iceberg;  -- error: SIS209

-- case: IF NOT EXISTS does not hide a type that is switched off
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (x TIME) USING iceberg;  -- error: SIS209

-- case: among good columns
CREATE TABLE t (
  id BIGINT,
  a UUID,  -- error: SIS209
  b STRING,
  c DATETIME,  -- error: SIS209
  e DATE
) USING iceberg;

-- case: Hive's partition column of an unknown type
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (x UUID);  -- error: SIS209

-- case: a word behind a column of the list is a type, of a column there is
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (ts s);  -- error: SIS207

-- case: IF NOT EXISTS does not hide an unknown type inside a struct
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (x STRUCT<a: TEXT>) USING iceberg;  -- error: SIS209

-- case: what other engines call their types
CREATE TABLE t (
  c1 TEXT, c2 UUID, c3 CLOB, c4 TINYTEXT, c5 LONGTEXT, c6 JSON, c7 ENUM, c8 NVARCHAR, c9 VARCHAR2, c10 NCHAR,  -- error: SIS209
  c11 INT8, c12 BIGSERIAL, c13 INT64, c14 SERIAL, c15 UINT32, c16 INT4, c17 INT32, c18 MEDIUMINT, c19 INT2,  -- error: SIS209
  c20 FLOAT8, c21 FLOAT64, c22 FLOAT4, c23 FLOAT32, c24 BOOL, c25 BIT, c26 NUMBER, c27 MONEY, c28 BIGNUMERIC,  -- error: SIS209
  c29 BLOB, c30 BYTEA, c31 VARBINARY, c32 BYTES, c33 FIXED, c34 RAW,  -- error: SIS209
  c35 DATETIME, c36 TIMESTAMPTZ, c37 DATETIME2, c38 TIMESTAMP_TZ, c39 TIMESTAMP_NS, c40 TIMESTAMPTZ_NS, c41 OBJECT, c42 SUPER, c43 INTEGER(11), c44 FLOAT(24)  -- error: SIS209
) USING iceberg;

-- case: in REPLACE COLUMNS
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t REPLACE COLUMNS (id TEXT);  -- error: SIS209

-- case: on a partition column, and no column list
CREATE TABLE t USING iceberg PARTITIONED BY (dt TEXT);  -- error: SIS209

-- case: geometry without a reference system
CREATE TABLE t (id INT, g GEOMETRY) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS209

-- case: geography of any reference system
CREATE TABLE t (id INT, g GEOGRAPHY(ANY)) USING iceberg TBLPROPERTIES ('format-version' = '3');  -- error: SIS209
