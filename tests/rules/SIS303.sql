-- case: years(ts), days(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (years(ts), days(ts)); -- error: SIS303


-- case: days(ts), hours(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), hours(ts)); -- error: SIS303


-- case: years(d), months(d)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (years(d), months(d)); -- error: SIS303


-- case: hours(ts), ts
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (hours(ts), ts); -- warning: SIS501


-- case: days(ts), years(d)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), years(d));


-- case: years(ts), months(ts), days(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (years(ts), months(ts), days(ts)); -- error: SIS303


-- case: date(ts), date_hour(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (date(ts), date_hour(ts)); -- error: SIS303


-- case: bucket(4, ts), days(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, ts), days(ts));


-- case: ADD PARTITION FIELD hours(ts) after days(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ADD PARTITION FIELD hours(ts); -- warning: SIS303

-- case: ADD PARTITION FIELD years(ts) after hours(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (hours(ts));
ALTER TABLE t ADD PARTITION FIELD years(ts); -- warning: SIS303

-- case: REPLACE PARTITION FIELD ts_day WITH hours(ts) after days(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH hours(ts);

-- case: REPLACE PARTITION FIELD s WITH months(ts) after days(ts), s
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), s);
ALTER TABLE t REPLACE PARTITION FIELD s WITH months(ts); -- warning: SIS303

-- case: ADD PARTITION FIELD years(d) after days(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ADD PARTITION FIELD years(d);

-- case: ADD PARTITION FIELD ts after days(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ADD PARTITION FIELD ts; -- warning: SIS501

-- case: REPLACE PARTITION FIELD nope WITH hours(ts) after days(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t REPLACE PARTITION FIELD nope WITH hours(ts); -- error: SIS401

-- case: ADD PARTITION FIELD day(ts) AS again after days(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ADD PARTITION FIELD day(ts) AS again; -- error: SIS402

-- case: a dropped one does not count, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD ts_day;
ALTER TABLE t ADD PARTITION FIELD hours(ts);

-- case: a dropped one does not count, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD ts_day;
ALTER TABLE t ADD PARTITION FIELD hours(ts);

-- case: ADD PARTITION FIELD hours(ts) after a bucket and days(ts)
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(4, id), days(ts));
ALTER TABLE t ADD PARTITION FIELD hours(ts);  -- warning: SIS303

-- case: a third one
CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ADD PARTITION FIELD hours(ts);  -- warning: SIS303
ALTER TABLE t ADD PARTITION FIELD months(ts);  -- warning: SIS303

-- case: ADD PARTITION FIELD years(ts) after months(ts)
CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (months(ts));
ALTER TABLE t ADD PARTITION FIELD years(ts);  -- warning: SIS303

-- case: id, years(ts), days(ts)
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (id, years(ts), days(ts));  -- error: SIS303

-- case: columns that come from a query
CREATE TABLE src (id BIGINT, ts TIMESTAMP) USING iceberg;
CREATE TABLE t USING iceberg PARTITIONED BY (days(ts), hours(ts)) AS SELECT * FROM src;  -- error: SIS303
