-- case: a smallint in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(16S, id);  -- error: SIS108

-- case: a tinyint in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(4Y, name);  -- error: SIS108

-- case: a tinyint in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16Y, id));  -- error: SIS108

-- case: a smallint width in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (truncate(4S, name));  -- error: SIS108

-- case: a smallint in upper-case BUCKET
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (BUCKET(16S, id));  -- error: SIS108

-- case: a smallint behind the column
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(id, 16S));  -- error: SIS108

-- case: a smallint beyond smallint
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(32769S, id));  -- error: SIS108

-- case: in REPLACE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE t REPLACE PARTITION FIELD bucket(16, id) WITH bucket(32S, id);  -- error: SIS108

-- case: in DROP
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE t DROP PARTITION FIELD bucket(16S, id);  -- error: SIS108

-- case: Spark itself reads bucket(16S, id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16S, id));

-- case: and in lower case too
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16s, id));

-- case: IF NOT EXISTS hides BUCKET(16Y, id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (BUCKET(16Y, id));  -- warning: SIS412

-- case: IF NOT EXISTS hides truncate(4S, name)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (truncate(4S, name));  -- warning: SIS412

-- case: IF NOT EXISTS does not hide bucket(16Y, id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (bucket(16Y, id));  -- warning: SIS412 -- error: SIS108

-- case: IF NOT EXISTS does not hide bucket(32769S, id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (bucket(32769S, id));  -- warning: SIS412 -- error: SIS108

-- case: bucket(16Y, id) among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  bucket(16Y, id),  -- error: SIS108
  months(d),
  truncate(1000, price)
);

-- case: one beyond smallint
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(32768S, id));  -- error: SIS108

-- case: the largest smallint
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(32767S, id));
ALTER TABLE t ADD PARTITION FIELD bucket(32767S, n);  -- error: SIS108
