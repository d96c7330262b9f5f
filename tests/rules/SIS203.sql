-- case: a struct as it is in CREATE
CREATE TABLE t (id BIGINT, x STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (x);  -- error: SIS203

-- case: a struct as it is in ALTER
CREATE TABLE t (id BIGINT, x STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD x;  -- error: SIS203

-- case: a bucket of a struct in CREATE
CREATE TABLE t (id BIGINT, x STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, x));  -- error: SIS203

-- case: a bucket of a struct in ALTER
CREATE TABLE t (id BIGINT, x STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, x);  -- error: SIS203

-- case: days of a struct
CREATE TABLE t (x STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(x));  -- error: SIS203

-- case: an array as it is in CREATE
CREATE TABLE t (id BIGINT, x ARRAY<INT>) USING iceberg PARTITIONED BY (x);  -- error: SIS203

-- case: an array as it is in ALTER
CREATE TABLE t (id BIGINT, x ARRAY<INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD x;  -- error: SIS203

-- case: a bucket of an array in CREATE
CREATE TABLE t (id BIGINT, x ARRAY<INT>) USING iceberg PARTITIONED BY (bucket(4, x));  -- error: SIS203

-- case: a bucket of an array in ALTER
CREATE TABLE t (id BIGINT, x ARRAY<INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, x);  -- error: SIS203

-- case: days of an array
CREATE TABLE t (x ARRAY<INT>) USING iceberg PARTITIONED BY (days(x));  -- error: SIS203

-- case: a map as it is in CREATE
CREATE TABLE t (id BIGINT, x MAP<STRING, INT>) USING iceberg PARTITIONED BY (x);  -- error: SIS203

-- case: a map as it is in ALTER
CREATE TABLE t (id BIGINT, x MAP<STRING, INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD x;  -- error: SIS203

-- case: a bucket of a map in CREATE
CREATE TABLE t (id BIGINT, x MAP<STRING, INT>) USING iceberg PARTITIONED BY (bucket(4, x));  -- error: SIS203

-- case: a bucket of a map in ALTER
CREATE TABLE t (id BIGINT, x MAP<STRING, INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, x);  -- error: SIS203

-- case: days of a map
CREATE TABLE t (x MAP<STRING, INT>) USING iceberg PARTITIONED BY (days(x));  -- error: SIS203

-- case: a variant
CREATE TABLE t (id INT, x VARIANT) USING iceberg PARTITIONED BY (x) TBLPROPERTIES ('format-version' = '3');  -- error: SIS203

-- case: a bucket of a variant in ALTER
CREATE TABLE t (id INT, x VARIANT) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, x);  -- error: SIS203

-- case: a struct in a struct
CREATE TABLE t (p STRUCT<q: STRUCT<x: INT>>) USING iceberg PARTITIONED BY (p.q);  -- error: SIS203

-- case: its field
CREATE TABLE t (p STRUCT<q: STRUCT<x: INT>>) USING iceberg PARTITIONED BY (p.q.x);

-- case: fields of structs under transforms
CREATE TABLE t (p STRUCT<id: BIGINT, ts: TIMESTAMP, q: STRUCT<name: STRING>>) USING iceberg PARTITIONED BY (bucket(4, p.id), days(p.ts), truncate(3, p.q.name));

-- case: IF NOT EXISTS hides st
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (st);  -- warning: SIS412

-- case: IF NOT EXISTS hides l
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (l);  -- warning: SIS412

-- case: IF NOT EXISTS hides bucket(4, st)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (bucket(4, st));  -- warning: SIS412

-- case: p among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  p,  -- error: SIS203
  months(d),
  truncate(1000, price)
);

-- case: in REPLACE
CREATE TABLE t (id BIGINT, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (id);
ALTER TABLE t REPLACE PARTITION FIELD id WITH p;  -- error: SIS203

-- case: after an unknown column
CREATE TABLE t (id BIGINT, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (
  zzzz,  -- error: SIS201
  p  -- error: SIS203
);

-- case: under void, which is another fault
CREATE TABLE t (id BIGINT, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (void(p));  -- error: SIS106, SIS203

-- case: nothing else to take
CREATE TABLE t (l ARRAY<INT>) USING iceberg PARTITIONED BY (bucket(8, l));  -- error: SIS203

-- case: a struct with its type
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (p STRUCT<a: INT>);  -- error: SIS203
