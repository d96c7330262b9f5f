-- case: a bucket without a column in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16));  -- error: SIS102

-- case: a bucket without a column in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(16);  -- error: SIS102

-- case: a bucket without a number in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(id));  -- error: SIS102

-- case: a bucket without a number in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(id);  -- error: SIS102

-- case: a width without a column in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (truncate(4));  -- error: SIS102

-- case: a width without a column in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(4);  -- error: SIS102

-- case: a truncate without a width in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (truncate(name));  -- error: SIS102

-- case: a truncate without a width in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(name);  -- error: SIS102

-- case: a second number in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, 32, id));  -- error: SIS102

-- case: a second number in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(16, 32, id);  -- error: SIS102

-- case: a number behind in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (truncate(4, name, 9));  -- error: SIS102

-- case: a number behind in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(4, name, 9);  -- error: SIS102

-- case: a time zone for days in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts, 'UTC'));  -- error: SIS102

-- case: a time zone for days in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(ts, 'UTC');  -- error: SIS102

-- case: a number for days in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts, 5));  -- error: SIS102

-- case: a number for days in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(ts, 5);  -- error: SIS102

-- case: a number before the column of hours in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (hours(1, ts));  -- error: SIS102

-- case: a number before the column of hours in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD hours(1, ts);  -- error: SIS102

-- case: an argument too many for identity in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (identity(id, 5));  -- error: SIS102

-- case: an argument too many for identity in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD identity(id, 5);  -- error: SIS102

-- case: a constant alone in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days('2024-01-01'));  -- error: SIS102

-- case: a constant alone in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days('2024-01-01');  -- error: SIS102

-- case: a typed constant alone in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(DATE '2024-01-01'));  -- error: SIS102

-- case: a typed constant alone in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(DATE '2024-01-01');  -- error: SIS102

-- case: upper case ignores it in silence as well
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (BUCKET(16, 32, id));  -- error: SIS102

-- case: in DROP
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE t DROP PARTITION FIELD bucket(16, 32, id);  -- error: SIS102

-- case: in REPLACE, the old one
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE t REPLACE PARTITION FIELD bucket(16, 32, id) WITH bucket(64, id);  -- error: SIS102

-- case: in REPLACE, the new one
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, id));
ALTER TABLE t REPLACE PARTITION FIELD bucket(16, id) WITH bucket(64, 8, id);  -- error: SIS102

-- case: all of it in its place
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, id), truncate(4, name), days(ts), identity(flag));

-- case: IF NOT EXISTS hides bucket(16)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (bucket(16));  -- warning: SIS412

-- case: IF NOT EXISTS hides truncate(4)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (truncate(4));  -- warning: SIS412

-- case: IF NOT EXISTS hides BUCKET(16, 32, id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (BUCKET(16, 32, id));  -- warning: SIS412

-- case: IF NOT EXISTS hides truncate(name)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (truncate(name));  -- warning: SIS412

-- case: IF NOT EXISTS hides day(ts, 5)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (day(ts, 5));  -- warning: SIS412

-- case: IF NOT EXISTS does not hide bucket(id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (bucket(id));  -- warning: SIS412 -- error: SIS102

-- case: IF NOT EXISTS does not hide bucket(16, 32, id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (bucket(16, 32, id));  -- warning: SIS412 -- error: SIS102

-- case: IF NOT EXISTS does not hide days(ts, 'UTC')
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (days(ts, 'UTC'));  -- warning: SIS412 -- error: SIS102

-- case: IF NOT EXISTS does not hide days('x')
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (days('x'));  -- warning: SIS412 -- error: SIS102

-- case: bucket(id) among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  bucket(id),  -- error: SIS102
  months(d),
  truncate(1000, price)
);

-- case: truncate(4) among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  truncate(4),  -- error: SIS102
  months(d),
  truncate(1000, price)
);

-- case: a first number out of range and one too many
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(0, 5, id);  -- error: SIS102

-- case: the largest number and one too many
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(2147483647, 5, id);  -- error: SIS102

-- case: a text before the number
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket('x', 16, id);  -- error: SIS102

-- case: only columns outside of arrays are offered
CREATE TABLE t (l ARRAY<INT>, m MAP<STRING, INT>) USING iceberg PARTITIONED BY (bucket(1));  -- error: SIS102

-- case: two literals too many
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, id, 5, 6));  -- error: SIS102

-- case: two literals, none of them a number
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket('a', 'b', id));  -- error: SIS102

-- case: void and a number, which is another fault
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (void(4, id));  -- error: SIS106
