-- case: bucket in CREATE is refused
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(id, 16));  -- error: SIS104

-- case: bucket in CREATE, bigint literal
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(id, 16L));  -- error: SIS104

-- case: upper-case BUCKET in CREATE is accepted
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (BUCKET(id, 16));  -- warning: SIS104

-- case: mixed-case Bucket in CREATE is accepted
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (Bucket(id, 16));  -- warning: SIS104

-- case: bucket in ALTER is accepted
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(id, 16);  -- warning: SIS104

-- case: in DROP
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE t DROP PARTITION FIELD bucket(id, 16);  -- warning: SIS104

-- case: in REPLACE, both sides
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE t REPLACE PARTITION FIELD bucket(id, 16)  -- warning: SIS104
WITH bucket(id, 32);  -- warning: SIS104

-- case: truncate in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (truncate(name, 4));  -- warning: SIS104

-- case: truncate in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(name, 4);  -- warning: SIS104

-- case: TRUNCATE in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (TRUNCATE(name, 4));  -- warning: SIS104

-- case: a nested column
CREATE TABLE t (id BIGINT, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (bucket(p.x, 16));  -- error: SIS104

-- case: a column in backticks
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(`id`, 16));  -- error: SIS104

-- case: a column that is called like a number
CREATE TABLE t (`8` INT) USING iceberg PARTITIONED BY (bucket(16, `8`));

-- case: IF NOT EXISTS does not hide bucket(id, 16)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (bucket(id, 16));  -- warning: SIS412 -- error: SIS104

-- case: bucket(id, 16) among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  bucket(id, 16),  -- error: SIS104
  months(d),
  truncate(1000, price)
);

-- case: truncate(name, 4) among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  truncate(name, 4),  -- warning: SIS104
  months(d),
  truncate(1000, price)
);

-- case: a tinyint behind the column is refused for its suffix
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(id, 16Y);  -- error: SIS108
