-- case: SET TIME ZONE
SET TIME ZONE 'America/New_York';
CREATE TABLE t (id INT, ts TIMESTAMP, x TIMESTAMP_NTZ, d DATE) USING iceberg PARTITIONED BY (days(ts));  -- warning: SIS505

-- case: SET by its key
SET spark.sql.session.timeZone = Asia/Tokyo;
CREATE TABLE t (id INT, ts TIMESTAMP, x TIMESTAMP_NTZ, d DATE) USING iceberg PARTITIONED BY (months(ts));  -- warning: SIS505

-- case: an offset
SET TIME ZONE '+02:00';
CREATE TABLE t (id INT, ts TIMESTAMP, x TIMESTAMP_NTZ, d DATE) USING iceberg PARTITIONED BY (years(ts));  -- warning: SIS505

-- case: in ALTER
SET TIME ZONE 'Europe/Berlin';
CREATE TABLE t (ts TIMESTAMP) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(ts);  -- warning: SIS505

-- case: UTC under its names
SET TIME ZONE 'UTC';
CREATE TABLE t (id INT, ts TIMESTAMP, x TIMESTAMP_NTZ, d DATE) USING iceberg PARTITIONED BY (days(ts));
SET TIME ZONE '+00:00';
ALTER TABLE t REPLACE PARTITION FIELD days(ts) WITH months(ts);
SET TIME ZONE 'GMT';
ALTER TABLE t REPLACE PARTITION FIELD months(ts) WITH years(ts);

-- case: nothing else depends on the zone
SET TIME ZONE 'Europe/Berlin';
CREATE TABLE t (id INT, ts TIMESTAMP, x TIMESTAMP_NTZ, d DATE) USING iceberg PARTITIONED BY (hours(ts), days(x), months(d), bucket(4, id));

-- case: back to UTC
SET TIME ZONE 'Europe/Berlin';
SET TIME ZONE 'UTC';
CREATE TABLE t (id INT, ts TIMESTAMP, x TIMESTAMP_NTZ, d DATE) USING iceberg PARTITIONED BY (days(ts));

-- case: a struct is another matter
SET TIME ZONE 'Europe/Berlin';
CREATE TABLE t (p STRUCT<t: TIMESTAMP>, n INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (
  n,
  bucket(4, p),  -- error: SIS203
  days(p.t)  -- warning: SIS505
);

-- case: days in the place of another field
SET TIME ZONE 'Asia/Tokyo';
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (id);
ALTER TABLE t REPLACE PARTITION FIELD id WITH days(ts);  -- warning: SIS505

-- case: days without a zone
SET TIME ZONE 'Asia/Tokyo';
CREATE TABLE t (id INT, ts TIMESTAMP_NTZ) USING iceberg PARTITIONED BY (days(ts));

-- case: days of what has none
SET TIME ZONE 'Asia/Tokyo';
CREATE TABLE t (id INT, ts STRUCT<a: INT>) USING iceberg PARTITIONED BY (
days(ts),  -- error: SIS203
days(nope));  -- error: SIS201
