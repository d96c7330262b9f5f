-- case: a double in CREATE
CREATE TABLE t (id INT, x DOUBLE) USING iceberg PARTITIONED BY (x);  -- warning: SIS503

-- case: a double in ALTER
CREATE TABLE t (id INT, x DOUBLE) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD x;  -- warning: SIS503

-- case: a float in CREATE
CREATE TABLE t (id INT, x FLOAT) USING iceberg PARTITIONED BY (x);  -- warning: SIS503

-- case: a float in ALTER
CREATE TABLE t (id INT, x FLOAT) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD x;  -- warning: SIS503

-- case: inside a struct
CREATE TABLE t (p STRUCT<x: DOUBLE>) USING iceberg PARTITIONED BY (p.x);  -- warning: SIS503

-- case: a decimal is exact
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (price);

-- case: x among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  x,  -- warning: SIS503
  months(d),
  truncate(1000, price)
);

-- case: a float in the place of another field
CREATE TABLE t (id INT, f FLOAT) USING iceberg PARTITIONED BY (id);
ALTER TABLE t REPLACE PARTITION FIELD id WITH f;  -- warning: SIS503
