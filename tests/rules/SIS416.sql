-- case: days(ts), then ts DATE, days(ts), v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg PARTITIONED BY (days(ts)); -- error: SIS416

-- case: days(d), then d TIMESTAMP, days(d), v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(d)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, d TIMESTAMP) USING iceberg PARTITIONED BY (days(d)); -- error: SIS416

-- case: months(d), then d TIMESTAMP_NTZ, months(d), v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (months(d)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, d TIMESTAMP_NTZ) USING iceberg PARTITIONED BY (months(d)); -- error: SIS416

-- case: days(ts), then ts TIMESTAMP_NTZ, days(ts), v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, ts TIMESTAMP_NTZ) USING iceberg PARTITIONED BY (days(ts));

-- case: days(ts), then ts DATE, unpartitioned, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg;

-- case: days(ts), then ts DATE, months(ts), v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg PARTITIONED BY (months(ts));

-- case: days(ts), then ts DATE, n INT, days(ts), n, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE, n INT) USING iceberg PARTITIONED BY (days(ts), n);

-- case: hours(ts), then ts DATE, unpartitioned, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (hours(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg; -- error: SIS416

-- case: days(ts), then ts STRING, unpartitioned, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, ts STRING) USING iceberg; -- error: SIS416

-- case: days(ts), then ts STRING, ts, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, ts STRING) USING iceberg PARTITIONED BY (ts); -- error: SIS416

-- case: bucket(4, s), then s INT, bucket(4, s), v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, s INT) USING iceberg PARTITIONED BY (bucket(4, s));

-- case: bucket(4, s), then s INT, unpartitioned, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, s INT) USING iceberg;

-- case: bucket(4, n), then n DATE, bucket(4, n), v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, n)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n DATE) USING iceberg PARTITIONED BY (bucket(4, n));

-- case: truncate(4, s), then s INT, truncate(4, s), v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (truncate(4, s)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, s INT) USING iceberg PARTITIONED BY (truncate(4, s)); -- warning: SIS416

-- case: truncate(4, s), then s DATE, unpartitioned, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (truncate(4, s)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, s DATE) USING iceberg; -- error: SIS416

-- case: s, then s DATE, s, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, s DATE) USING iceberg PARTITIONED BY (s); -- warning: SIS416

-- case: s, then s STRUCT<a: INT>, unpartitioned, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, s STRUCT<a: INT>) USING iceberg; -- error: SIS416

-- case: bucket(4, n), then n DOUBLE, unpartitioned, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, n)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n DOUBLE) USING iceberg; -- error: SIS416

-- case: bucket(4, n), then n ARRAY<INT>, unpartitioned, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, n)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n ARRAY<INT>) USING iceberg; -- error: SIS416

-- case: bucket(4, p.a), then p STRUCT<a: BOOLEAN>, unpartitioned, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, p.a)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, p STRUCT<a: BOOLEAN>) USING iceberg; -- error: SIS416

-- case: days(ts), then ts DATE, days(ts), v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg PARTITIONED BY (days(ts)); -- error: SIS416

-- case: days(d), then d TIMESTAMP, days(d), v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(d)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, d TIMESTAMP) USING iceberg PARTITIONED BY (days(d)); -- error: SIS416

-- case: months(d), then d TIMESTAMP_NTZ, months(d), v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (months(d)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, d TIMESTAMP_NTZ) USING iceberg PARTITIONED BY (months(d)); -- error: SIS416

-- case: days(ts), then ts TIMESTAMP_NTZ, days(ts), v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, ts TIMESTAMP_NTZ) USING iceberg PARTITIONED BY (days(ts));

-- case: days(ts), then ts DATE, unpartitioned, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg;

-- case: days(ts), then ts DATE, months(ts), v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg PARTITIONED BY (months(ts));

-- case: days(ts), then ts DATE, n INT, days(ts), n, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE, n INT) USING iceberg PARTITIONED BY (days(ts), n);

-- case: hours(ts), then ts DATE, unpartitioned, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (hours(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg; -- error: SIS416

-- case: days(ts), then ts STRING, unpartitioned, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, ts STRING) USING iceberg; -- error: SIS416

-- case: days(ts), then ts STRING, ts, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, ts STRING) USING iceberg PARTITIONED BY (ts); -- error: SIS416

-- case: bucket(4, s), then s INT, bucket(4, s), v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, s INT) USING iceberg PARTITIONED BY (bucket(4, s));

-- case: bucket(4, s), then s INT, unpartitioned, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, s INT) USING iceberg;

-- case: bucket(4, n), then n DATE, bucket(4, n), v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, n)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n DATE) USING iceberg PARTITIONED BY (bucket(4, n));

-- case: truncate(4, s), then s INT, truncate(4, s), v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (truncate(4, s)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, s INT) USING iceberg PARTITIONED BY (truncate(4, s)); -- warning: SIS416

-- case: truncate(4, s), then s DATE, unpartitioned, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (truncate(4, s)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, s DATE) USING iceberg; -- error: SIS416

-- case: s, then s DATE, s, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, s DATE) USING iceberg PARTITIONED BY (s); -- warning: SIS416

-- case: s, then s STRUCT<a: INT>, unpartitioned, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, s STRUCT<a: INT>) USING iceberg; -- error: SIS416

-- case: bucket(4, n), then n DOUBLE, unpartitioned, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, n)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n DOUBLE) USING iceberg; -- error: SIS416

-- case: bucket(4, n), then n ARRAY<INT>, unpartitioned, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, n)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n ARRAY<INT>) USING iceberg; -- error: SIS416

-- case: bucket(4, p.a), then p STRUCT<a: BOOLEAN>, unpartitioned, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, p.a)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, p STRUCT<a: BOOLEAN>) USING iceberg; -- error: SIS416

-- case: days(ts), then ts DATE, days(ts), v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg PARTITIONED BY (days(ts)); -- error: SIS416

-- case: days(d), then d TIMESTAMP, days(d), v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(d)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, d TIMESTAMP) USING iceberg PARTITIONED BY (days(d)); -- error: SIS416

-- case: months(d), then d TIMESTAMP_NTZ, months(d), v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (months(d)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, d TIMESTAMP_NTZ) USING iceberg PARTITIONED BY (months(d)); -- error: SIS416

-- case: days(ts), then ts TIMESTAMP_NTZ, days(ts), v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, ts TIMESTAMP_NTZ) USING iceberg PARTITIONED BY (days(ts));

-- case: days(ts), then ts DATE, unpartitioned, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg;

-- case: days(ts), then ts DATE, months(ts), v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg PARTITIONED BY (months(ts));

-- case: days(ts), then ts DATE, n INT, days(ts), n, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE, n INT) USING iceberg PARTITIONED BY (days(ts), n);

-- case: hours(ts), then ts DATE, unpartitioned, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (hours(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg; -- error: SIS416

-- case: days(ts), then ts STRING, unpartitioned, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, ts STRING) USING iceberg; -- error: SIS416

-- case: days(ts), then ts STRING, ts, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, ts STRING) USING iceberg PARTITIONED BY (ts); -- error: SIS416

-- case: bucket(4, s), then s INT, bucket(4, s), v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, s INT) USING iceberg PARTITIONED BY (bucket(4, s));

-- case: bucket(4, s), then s INT, unpartitioned, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, s INT) USING iceberg;

-- case: bucket(4, n), then n DATE, bucket(4, n), v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, n)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n DATE) USING iceberg PARTITIONED BY (bucket(4, n));

-- case: truncate(4, s), then s INT, truncate(4, s), v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (truncate(4, s)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, s INT) USING iceberg PARTITIONED BY (truncate(4, s)); -- warning: SIS416

-- case: truncate(4, s), then s DATE, unpartitioned, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (truncate(4, s)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, s DATE) USING iceberg; -- error: SIS416

-- case: s, then s DATE, s, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, s DATE) USING iceberg PARTITIONED BY (s); -- warning: SIS416

-- case: s, then s STRUCT<a: INT>, unpartitioned, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, s STRUCT<a: INT>) USING iceberg; -- error: SIS416

-- case: bucket(4, n), then n DOUBLE, unpartitioned, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, n)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n DOUBLE) USING iceberg; -- error: SIS416

-- case: bucket(4, n), then n ARRAY<INT>, unpartitioned, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, n)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n ARRAY<INT>) USING iceberg; -- error: SIS416

-- case: bucket(4, p.a), then p STRUCT<a: BOOLEAN>, unpartitioned, v3
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, p.a)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, p STRUCT<a: BOOLEAN>) USING iceberg; -- error: SIS416

-- case: of a past spec
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD ts_day;
CREATE OR REPLACE TABLE t (id BIGINT, ts STRING) USING iceberg; -- error: SIS416

-- case: a dropped and added column is another
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD ts_day;
ALTER TABLE t DROP COLUMN ts; -- warning: SIS407
ALTER TABLE t ADD COLUMN ts STRING;
CREATE OR REPLACE TABLE t (id BIGINT, ts STRING) USING iceberg;

-- case: the way round
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(ts);

-- case: REPLACE TABLE, several columns
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (hours(ts), bucket(4, n)) TBLPROPERTIES ('format-version' = '2');
REPLACE TABLE t (id BIGINT,
  n DOUBLE, -- error: SIS416
  ts DATE -- error: SIS416
) USING iceberg;

-- case: a past spec taken up again, v1
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (id);
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg PARTITIONED BY (days(ts));

-- case: a past spec taken up again, v2
CREATE TABLE t (id BIGINT, s STRING, n INT, d DATE, ts TIMESTAMP, p STRUCT<a: INT>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (id);
CREATE OR REPLACE TABLE t (id BIGINT, ts DATE) USING iceberg PARTITIONED BY (days(ts)); -- error: SIS416

-- case: n, then n BIGINT: a wider type
CREATE TABLE t (id BIGINT, n INT) USING iceberg PARTITIONED BY (n);
CREATE OR REPLACE TABLE t (id BIGINT, n BIGINT) USING iceberg PARTITIONED BY (n);

-- case: n, then n DATE: kept in the same form
CREATE TABLE t (id BIGINT, n INT) USING iceberg PARTITIONED BY (n);
CREATE OR REPLACE TABLE t (id BIGINT, n DATE) USING iceberg;

-- case: s and truncate(2, s) of a past spec, then s DECIMAL: said once
CREATE TABLE t (id BIGINT, s STRING) USING iceberg PARTITIONED BY (s, truncate(2, s));
ALTER TABLE t DROP PARTITION FIELD s;
CREATE OR REPLACE TABLE t (id BIGINT, s DECIMAL(9, 2)) USING iceberg; -- warning: SIS416
