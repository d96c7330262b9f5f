-- case: a timestamp in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (ts);  -- warning: SIS501

-- case: a timestamp in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD ts;  -- warning: SIS501

-- case: identity() of it in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (identity(ts));  -- warning: SIS501

-- case: identity() of it in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD identity(ts);  -- warning: SIS501

-- case: a timestamp without a zone
CREATE TABLE t (x TIMESTAMP_NTZ) USING iceberg PARTITIONED BY (x);  -- warning: SIS501

-- case: inside a struct
CREATE TABLE t (p STRUCT<ts: TIMESTAMP>) USING iceberg PARTITIONED BY (p.ts);  -- warning: SIS501

-- case: in REPLACE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t REPLACE PARTITION FIELD days(ts) WITH ts;  -- warning: SIS501

-- case: a date is a day
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (d);

-- case: a timestamp under transforms
CREATE TABLE a (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CREATE TABLE b (ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(4, ts));

-- case: DROP of such a field is good news
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (ts);  -- warning: SIS501
ALTER TABLE t REPLACE PARTITION FIELD ts WITH days(ts);

-- case: ts among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  ts,  -- warning: SIS501
  months(d),
  truncate(1000, price)
);

-- case: with its days
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (ts, days(ts));  -- warning: SIS501
