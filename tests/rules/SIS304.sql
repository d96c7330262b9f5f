-- case: bucket(4, id) on id BIGINT, id_bucket INT
CREATE TABLE t (id BIGINT, id_bucket INT) USING iceberg PARTITIONED BY (bucket(4, id)); -- error: SIS304

-- case: bucket(4, id) on id BIGINT, ID_BUCKET INT
CREATE TABLE t (id BIGINT, ID_BUCKET INT) USING iceberg PARTITIONED BY (bucket(4, id));

-- case: truncate(4, s) on s STRING, s_trunc STRING
CREATE TABLE t (s STRING, s_trunc STRING) USING iceberg PARTITIONED BY (truncate(4, s)); -- error: SIS304

-- case: days(ts) on ts TIMESTAMP, ts_day DATE
CREATE TABLE t (ts TIMESTAMP, ts_day DATE) USING iceberg PARTITIONED BY (days(ts)); -- error: SIS304

-- case: day(ts), ts_day on ts TIMESTAMP, ts_day DATE
CREATE TABLE t (ts TIMESTAMP, ts_day DATE) USING iceberg PARTITIONED BY (day(ts), ts_day); -- error: SIS304

-- case: days(ts) on ts TIMESTAMP, ts_hour INT
CREATE TABLE t (ts TIMESTAMP, ts_hour INT) USING iceberg PARTITIONED BY (days(ts));

-- case: bucket(4, p.a) on p STRUCT<a: INT, a_bucket: INT>
CREATE TABLE t (p STRUCT<a: INT, a_bucket: INT>) USING iceberg PARTITIONED BY (bucket(4, p.a)); -- error: SIS304

-- case: bucket(4, a) on a INT, a_bucket STRUCT<x: INT>
CREATE TABLE t (a INT, a_bucket STRUCT<x: INT>) USING iceberg PARTITIONED BY (bucket(4, a)); -- error: SIS304

-- case: years(d) on d DATE, d_year INT, d_month INT
CREATE TABLE t (d DATE, d_year INT, d_month INT) USING iceberg PARTITIONED BY (years(d)); -- error: SIS304

-- case: years(d) on d DATE, p STRUCT<d_year: INT>
CREATE TABLE t (d DATE, p STRUCT<d_year: INT>) USING iceberg PARTITIONED BY (years(d));

-- case: ADD bucket(4, id) AS s
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS s; -- error: SIS304

-- case: ADD bucket(4, id) AS id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS id; -- error: SIS304

-- case: ADD days(ts) AS ts
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(ts) AS ts; -- error: SIS304

-- case: ADD id AS id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD id AS id;

-- case: ADD id AS s
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD id AS s; -- error: SIS304

-- case: ADD bucket(4, id) AS ID
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS ID;

-- case: ADD bucket(4, id) AS S
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS S;

-- case: ADD truncate(2, s) AS p
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(2, s) AS p; -- error: SIS304

-- case: ADD bucket(4, p.a) AS `p.a`
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, p.a) AS `p.a`; -- error: SIS304 -- warning: SIS109

-- case: ADD bucket(4, p.a) AS `p.b`
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, p.a) AS `p.b`; -- error: SIS304 -- warning: SIS109

-- case: ADD bucket(4, p.a) AS a
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, p.a) AS a;

-- case: ADD identity(id) AS other
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD identity(id) AS other;

-- case: REPLACE AS a column
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH hours(ts) AS ts; -- error: SIS304

-- case: rename to a column
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id));
ALTER TABLE t REPLACE PARTITION FIELD id_bucket WITH bucket(4, id) AS s; -- error: SIS304

-- case: default name in ALTER
CREATE TABLE t (id BIGINT, id_bucket_4 INT) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id); -- error: SIS304
ALTER TABLE t ADD PARTITION FIELD bucket(8, id);

-- case: id, days(ts) on ts_day DATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, ts_day DATE) USING iceberg PARTITIONED BY (id, days(ts));  -- error: SIS304
