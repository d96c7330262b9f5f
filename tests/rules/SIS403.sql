-- case: REPLACE PARTITION FIELD id_bucket WITH bucket(4, id), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD id_bucket WITH bucket(4, id); -- warning: SIS403

-- case: REPLACE PARTITION FIELD bucket(4, id) WITH BUCKET(4, id) AS id_bucket, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD bucket(4, id) WITH BUCKET(4, id) AS id_bucket; -- warning: SIS403

-- case: REPLACE PARTITION FIELD bucket(4, id) WITH bucket(4, id) AS shard, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD bucket(4, id) WITH bucket(4, id) AS shard;

-- case: REPLACE PARTITION FIELD id WITH id, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD id WITH id; -- warning: SIS403

-- case: REPLACE PARTITION FIELD ts_day WITH day(ts), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH day(ts); -- warning: SIS403

-- case: REPLACE PARTITION FIELD id_bucket WITH bucket(4, id), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD id_bucket WITH bucket(4, id); -- warning: SIS403

-- case: REPLACE PARTITION FIELD bucket(4, id) WITH BUCKET(4, id) AS id_bucket, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD bucket(4, id) WITH BUCKET(4, id) AS id_bucket; -- warning: SIS403

-- case: REPLACE PARTITION FIELD bucket(4, id) WITH bucket(4, id) AS shard, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD bucket(4, id) WITH bucket(4, id) AS shard;

-- case: REPLACE PARTITION FIELD id WITH id, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD id WITH id; -- warning: SIS403

-- case: REPLACE PARTITION FIELD ts_day WITH day(ts), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH day(ts); -- warning: SIS403
