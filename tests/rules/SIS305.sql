-- case: bucket(4, id) AS shard, then truncate(2, s) AS shard, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t ADD PARTITION FIELD truncate(2, s) AS shard; -- error: SIS305

-- case: bucket(4, id) AS shard, then truncate(2, s) AS shard, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t ADD PARTITION FIELD truncate(2, s) AS shard; -- error: SIS305

-- case: bucket(4, id) AS shard, then truncate(2, s) AS shard, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t ADD PARTITION FIELD truncate(2, s) AS shard; -- error: SIS305

-- case: bucket(4, id) AS shard, then truncate(2, s) AS SHARD, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t ADD PARTITION FIELD truncate(2, s) AS SHARD; -- error: SIS305

-- case: bucket(4, id) AS shard, then truncate(2, s) AS SHARD, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t ADD PARTITION FIELD truncate(2, s) AS SHARD; -- error: SIS305

-- case: bucket(4, id) AS shard, then truncate(2, s) AS SHARD, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t ADD PARTITION FIELD truncate(2, s) AS SHARD; -- error: SIS305

-- case: bucket(4, id) AS id_bucket_8, then bucket(8, id), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS id_bucket_8;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id); -- error: SIS305 -- warning: SIS504

-- case: bucket(4, id) AS id_bucket_8, then bucket(8, id), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS id_bucket_8;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id); -- error: SIS305 -- warning: SIS504

-- case: bucket(4, id) AS id_bucket_8, then bucket(8, id), v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS id_bucket_8;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id); -- error: SIS305 -- warning: SIS504

-- case: bucket(4, id) AS ID_BUCKET_8, then bucket(8, id), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS ID_BUCKET_8;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id); -- error: SIS305 -- warning: SIS504

-- case: bucket(4, id) AS ID_BUCKET_8, then bucket(8, id), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS ID_BUCKET_8;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id); -- error: SIS305 -- warning: SIS504

-- case: bucket(4, id) AS ID_BUCKET_8, then bucket(8, id), v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS ID_BUCKET_8;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id); -- error: SIS305 -- warning: SIS504

-- case: days(ts), then bucket(4, id) AS ts_day, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS ts_day; -- error: SIS305

-- case: days(ts), then bucket(4, id) AS ts_day, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS ts_day; -- error: SIS305

-- case: days(ts), then bucket(4, id) AS ts_day, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS ts_day; -- error: SIS305

-- case: days(ts), then bucket(4, id) AS TS_DAY, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS TS_DAY; -- error: SIS305

-- case: days(ts), then bucket(4, id) AS TS_DAY, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS TS_DAY; -- error: SIS305

-- case: days(ts), then bucket(4, id) AS TS_DAY, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS TS_DAY; -- error: SIS305

-- case: s, then bucket(4, id) AS x, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD s;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS x;

-- case: s, then bucket(4, id) AS x, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD s;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS x;

-- case: s, then bucket(4, id) AS x, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD s;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS x;

-- case: bucket(4, id) AS a, then bucket(8, id) AS b, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS a;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id) AS b; -- warning: SIS504

-- case: bucket(4, id) AS a, then bucket(8, id) AS b, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS a;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id) AS b; -- warning: SIS504

-- case: bucket(4, id) AS a, then bucket(8, id) AS b, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS a;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id) AS b; -- warning: SIS504

-- case: rename to another's name
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts));
ALTER TABLE t REPLACE PARTITION FIELD id_bucket WITH bucket(4, id) AS ts_day; -- error: SIS305

-- case: REPLACE takes the old name in v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD id_bucket WITH bucket(8, id) AS id_bucket;

-- case: REPLACE takes the old name in other letters in v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD id_bucket WITH bucket(8, id) AS ID_bucket; -- error: SIS305

-- case: two identity columns beside a bucket
CREATE TABLE t (ID_BUCKET INT, id BIGINT) USING iceberg PARTITIONED BY (ID_BUCKET, bucket(8, id)); -- error: SIS305

-- case: void makes room
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD id_bucket;
ALTER TABLE t ADD PARTITION FIELD days(ts) AS id_bucket;
ALTER TABLE t DROP PARTITION FIELD id_bucket_1000; -- warning: SIS401
ALTER TABLE t DROP PARTITION FIELD id_bucket;
