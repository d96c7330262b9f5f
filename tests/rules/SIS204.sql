-- case: l.element in CREATE
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg PARTITIONED BY (l.element);  -- error: SIS204

-- case: l.element in ALTER
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD l.element;  -- error: SIS204

-- case: l.element.e in CREATE
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg PARTITIONED BY (l.element.e);  -- error: SIS204

-- case: l.element.e in ALTER
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD l.element.e;  -- error: SIS204

-- case: l.e in CREATE
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg PARTITIONED BY (l.e);  -- error: SIS204

-- case: l.e in ALTER
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD l.e;  -- error: SIS204

-- case: m.key in CREATE
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg PARTITIONED BY (m.key);  -- error: SIS204

-- case: m.key in ALTER
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD m.key;  -- error: SIS204

-- case: m.value in CREATE
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg PARTITIONED BY (m.value);  -- error: SIS204

-- case: m.value in ALTER
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD m.value;  -- error: SIS204

-- case: p.a.element in CREATE
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg PARTITIONED BY (p.a.element);  -- error: SIS204

-- case: p.a.element in ALTER
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD p.a.element;  -- error: SIS204

-- case: bucket(4, m.value) in CREATE
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg PARTITIONED BY (bucket(4, m.value));  -- error: SIS204

-- case: bucket(4, m.value) in ALTER
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, m.value);  -- error: SIS204

-- case: truncate(4, m.key) in CREATE
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg PARTITIONED BY (truncate(4, m.key));  -- error: SIS204

-- case: truncate(4, m.key) in ALTER
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(4, m.key);  -- error: SIS204

-- case: days(l.element.e) in CREATE
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg PARTITIONED BY (days(l.element.e));  -- error: SIS204

-- case: days(l.element.e) in ALTER
CREATE TABLE t (id BIGINT, l ARRAY<STRUCT<e: INT>>, m MAP<STRING, INT>, p STRUCT<a: ARRAY<INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(l.element.e);  -- error: SIS204

-- case: IF NOT EXISTS does not hide l.element
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (l.element);  -- warning: SIS412 -- error: SIS204

-- case: l.element among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  l.element,  -- error: SIS204
  months(d),
  truncate(1000, price)
);

-- case: in REPLACE
CREATE TABLE t (id BIGINT, l ARRAY<INT>) USING iceberg PARTITIONED BY (id);
ALTER TABLE t REPLACE PARTITION FIELD id WITH l.element;  -- error: SIS204

-- case: after a call without a column
CREATE TABLE t (id BIGINT, l ARRAY<INT>) USING iceberg PARTITIONED BY (
  bucket(4),  -- error: SIS102
  l.element  -- error: SIS204
);

-- case: an array in a map
CREATE TABLE t (id BIGINT, m MAP<STRING, ARRAY<INT>>) USING iceberg PARTITIONED BY (m.value.element);  -- error: SIS204

-- case: a column that is called like a map's value
CREATE TABLE t (id BIGINT, value ARRAY<INT>) USING iceberg PARTITIONED BY (value.element);  -- error: SIS204

-- case: under void, which is another fault
CREATE TABLE t (id BIGINT, l ARRAY<INT>) USING iceberg PARTITIONED BY (void(l.element));  -- error: SIS106, SIS204

-- case: twice the same
CREATE TABLE t (l ARRAY<INT>) USING iceberg PARTITIONED BY (bucket(4, l.element), bucket(4, l.element));  -- error: SIS204
