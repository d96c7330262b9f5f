-- case: week is no unit of Iceberg's
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (week(ts));  -- error: SIS101

-- case: weeks is no unit of Iceberg's
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (weeks(ts));  -- error: SIS101

-- case: quarter is no unit of Iceberg's
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (quarter(ts));  -- error: SIS101

-- case: minute is no unit of Iceberg's
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (minute(ts));  -- error: SIS101

-- case: second is no unit of Iceberg's
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (second(ts));  -- error: SIS101

-- case: decade is no unit of Iceberg's
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (decade(ts));  -- error: SIS101

-- case: hash of another engine or habit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD hash(16, id);  -- error: SIS101

-- case: zorder of another engine or habit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD zorder(16, id);  -- error: SIS101

-- case: range of another engine or habit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD range(16, id);  -- error: SIS101

-- case: list of another engine or habit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD list(16, id);  -- error: SIS101

-- case: mod of another engine or habit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD mod(16, id);  -- error: SIS101

-- case: xxhash64 of another engine or habit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD xxhash64(16, id);  -- error: SIS101

-- case: cluster of another engine or habit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD cluster(16, id);  -- error: SIS101

-- case: sorted_bucket of another engine or habit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD sorted_bucket(16, id);  -- error: SIS101

-- case: nosuch of another engine or habit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD nosuch(16, id);  -- error: SIS101

-- case: upper of another engine or habit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD upper(16, id);  -- error: SIS101

-- case: concat of another engine or habit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD concat(16, id);  -- error: SIS101

-- case: iceberg_bucket is the SQL function's name in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (iceberg_bucket(16, id));  -- error: SIS101

-- case: iceberg_bucket is the SQL function's name in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD iceberg_bucket(16, id);  -- error: SIS101

-- case: iceberg_truncate is the SQL function's name in CREATE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (iceberg_truncate(16, id));  -- error: SIS101

-- case: iceberg_truncate is the SQL function's name in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD iceberg_truncate(16, id);  -- error: SIS101

-- case: iceberg_days is the SQL function's name
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (iceberg_days(ts));  -- error: SIS101

-- case: BigQuery's date_trunc with a bare unit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (date_trunc(ts, MONTH));  -- error: SIS101

-- case: BigQuery's timestamp_trunc
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (timestamp_trunc(ts, DAY));  -- error: SIS101

-- case: Spark's date_trunc with a quoted unit
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (date_trunc('hour', ts));  -- error: SIS101

-- case: ClickHouse's toYYYYMM
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (toYYYYMM(ts));  -- error: SIS101

-- case: Hive's habit of substr
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (substr(name, 4));  -- error: SIS101

-- case: a typo: dayz
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (dayz(ts));  -- error: SIS101

-- case: a typo: buckets
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (buckets(16, id));  -- error: SIS101

-- case: a typo: trunctate
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (trunctate(4, name));  -- error: SIS101

-- case: a transform's default field name as a function
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (ts_day(ts));  -- error: SIS101

-- case: upper case, still unknown
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (WEEK(ts));  -- error: SIS101

-- case: in backticks, still unknown
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (`week`(ts));  -- error: SIS101

-- case: two unknown ones in one clause
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (
  weeks(ts),  -- error: SIS101
  hash(16, id)  -- error: SIS101
);

-- case: in REPLACE, the new one
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t REPLACE PARTITION FIELD days(ts) WITH weeks(ts);  -- error: SIS101

-- case: in REPLACE, the old one
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t REPLACE PARTITION FIELD weeks(ts) WITH hours(ts);  -- error: SIS101

-- case: in DROP
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t DROP PARTITION FIELD weeks(ts);  -- error: SIS101

-- case: every spelling that there is
CREATE TABLE a (x DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (year(x), bucket(4, ts));
CREATE TABLE b (x DATE) USING iceberg PARTITIONED BY (years(x));
CREATE TABLE c (x DATE) USING iceberg PARTITIONED BY (month(x));
CREATE TABLE d (x DATE) USING iceberg PARTITIONED BY (months(x));
CREATE TABLE e (x DATE) USING iceberg PARTITIONED BY (day(x));
CREATE TABLE f (x DATE) USING iceberg PARTITIONED BY (days(x));
CREATE TABLE g (x DATE) USING iceberg PARTITIONED BY (date(x));
CREATE TABLE h (x TIMESTAMP) USING iceberg PARTITIONED BY (hour(x));
CREATE TABLE i (x TIMESTAMP) USING iceberg PARTITIONED BY (hours(x));
CREATE TABLE j (x TIMESTAMP) USING iceberg PARTITIONED BY (date_hour(x));
CREATE TABLE k (x INT) USING iceberg PARTITIONED BY (identity(x));
CREATE TABLE l (x INT) USING iceberg PARTITIONED BY (x);

-- case: any letter case will do
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (BUCKET(16, id), Truncate(4, name), DAYS(ts), Identity(flag));

-- case: backticks around a transform's name
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (`bucket`(16, id), `days`(ts));

-- case: the spellings in ALTER
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD date(ts);
ALTER TABLE t DROP PARTITION FIELD day(ts);
ALTER TABLE t ADD PARTITION FIELD Date_Hour(ts);
ALTER TABLE t DROP PARTITION FIELD hours(ts);

-- case: IF NOT EXISTS hides weeks(ts)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (weeks(ts));  -- warning: SIS412

-- case: weeks(ts) among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  weeks(ts),  -- error: SIS101
  months(d),
  truncate(1000, price)
);

-- case: hash(0, id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (hash(0, id));  -- error: SIS101

-- case: hash(2147483648, id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (hash(2147483648, id));  -- error: SIS101

-- case: hash(2147483647, id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (hash(2147483647, id));  -- error: SIS101

-- case: voids(id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (voids(id));  -- error: SIS101

-- case: date_trunc('bucket', ts)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (date_trunc('bucket', ts));  -- error: SIS101

-- case: weeks(ts, d)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (weeks(ts, d));  -- error: SIS101

-- case: no column at all
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (weeks('ts'));  -- error: SIS101

-- case: and an unknown column, which is another fault
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (weeks(nope));  -- error: SIS101, SIS201

-- case: and a struct, which is another fault
CREATE TABLE t (p STRUCT<x: INT>) USING iceberg PARTITIONED BY (weeks(p));  -- error: SIS101, SIS203

-- case: and an array's element, which is another fault
CREATE TABLE t (l ARRAY<INT>) USING iceberg PARTITIONED BY (weeks(l.element));  -- error: SIS101, SIS204

-- case: what other engines call their transforms
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg
PARTITIONED BY (weekofyear(ts), isoweek(ts), dayofweek(ts), dayofyear(ts), quarters(ts), decades(ts), century(ts),  -- error: SIS101
minutes(ts), seconds(ts), murmur3(id), pmod(id, 16), hash_bucket(16, id), clustered(id), z_order(id), hilbert(id),  -- error: SIS101
sort(id), `order`(id), substring(4, name), left(4, name), prefix(4, name), trunc(4, name), truncated(4, name),  -- error: SIS101
range_bucket(4, id), floor(n), round(n), div(10, n), value(id), lower(name), trim(name), col(id), `column`(id),  -- error: SIS101
datetime_trunc(d, MONTH), to_date(ts), todate(ts), date_day(ts), daily(ts), monthly(ts), date_month(ts),  -- error: SIS101
yearly(ts), date_year(ts), tostartofhour(ts), hourly(ts), day_hour(ts), datehour(ts));  -- error: SIS101

-- case: a unit before the column
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (date_trunc(MONTH, ts));  -- error: SIS101

-- case: a column that is called like a unit
CREATE TABLE t (month DATE) USING iceberg PARTITIONED BY (weeks(month));  -- error: SIS101

-- case: hash('a', id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (hash('a', id));  -- error: SIS101

-- case: hash(1, id)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (hash(1, id));  -- error: SIS101

-- case: a transform without a name
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (``(id));  -- error: SIS101

-- case: a transform without a name in ALTER
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD ``(id);  -- error: SIS101

-- case: IDENTIFIER as a transform's name
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD IDENTIFIER(id);  -- error: SIS101

-- case: IF NOT EXISTS of a table that is not there
CREATE TABLE IF NOT EXISTS t (ts TIMESTAMP) USING iceberg PARTITIONED BY (weeks(ts));  -- error: SIS101
