-- case: one bucket in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(1, id));  -- warning: SIS110

-- case: one bucket in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(1, id);  -- warning: SIS110

-- case: more buckets than files in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(200000, id));  -- warning: SIS110

-- case: more buckets than files in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(200000, id);  -- warning: SIS110

-- case: width 1 of an integer in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (truncate(1, n));  -- warning: SIS110

-- case: width 1 of an integer in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(1, n);  -- warning: SIS110

-- case: width 1 of a bigint in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (truncate(1, id));  -- warning: SIS110

-- case: width 1 of a bigint in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(1, id);  -- warning: SIS110

-- case: width 1 of a decimal in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (truncate(1, price));  -- warning: SIS110

-- case: width 1 of a decimal in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(1, price);  -- warning: SIS110

-- case: a width no shorter than a varchar
CREATE TABLE t (code VARCHAR(10)) USING iceberg PARTITIONED BY (truncate(10, code));  -- warning: SIS110

-- case: a width beyond a char
CREATE TABLE t (code CHAR(3)) USING iceberg PARTITIONED BY (truncate(10, code));  -- warning: SIS110

-- case: width 1 of a string is its initial
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (truncate(1, name));

-- case: width 1 of a binary
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (truncate(1, raw));

-- case: two buckets
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(2, id));

-- case: a thousand buckets
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(1024, id));

-- case: a width that merges
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (truncate(10, n), truncate(1000, id), truncate(1000, price));

-- case: a width shorter than a varchar
CREATE TABLE t (code VARCHAR(10)) USING iceberg PARTITIONED BY (truncate(2, code));

-- case: bucket(1, id) among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  bucket(1, id),  -- warning: SIS110
  months(d),
  truncate(1000, price)
);

-- case: truncate(1, id) among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  truncate(1, id),  -- warning: SIS110
  months(d),
  truncate(1000, price)
);

-- case: 20000 buckets are many, but who knows
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(20000, id));

-- case: 20001 are too many
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(20001, id));  -- warning: SIS110

-- case: a struct is another matter
CREATE TABLE t (p STRUCT<x: INT>) USING iceberg PARTITIONED BY (truncate(1, p));  -- error: SIS203

-- case: one bucket in REPLACE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE t REPLACE PARTITION FIELD bucket(16, id) WITH bucket(1, id);  -- warning: SIS110

-- case: a tinyint literal, which is another fault
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(1Y, id));  -- error: SIS108

-- case: after a smallint literal
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16S, id), bucket(1, n));  -- warning: SIS110

-- case: the largest number
CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (bucket(2147483647, id));  -- warning: SIS110
