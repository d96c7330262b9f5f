-- case: ADD PARTITION FIELD bucket(4, id) on (bucket(4, id)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id); -- error: SIS402

-- case: ADD PARTITION FIELD bucket(4, id) AS x on (bucket(4, id)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS x; -- error: SIS402

-- case: ADD PARTITION FIELD bucket(4, id) AS id_bucket on (bucket(4, id)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS id_bucket; -- error: SIS402

-- case: ADD PARTITION FIELD bucket(5, id) on (bucket(4, id)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(5, id); -- warning: SIS504

-- case: ADD PARTITION FIELD date(ts) on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD date(ts); -- error: SIS402

-- case: ADD PARTITION FIELD identity(id) on (id), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD identity(id); -- error: SIS402

-- case: REPLACE PARTITION FIELD id WITH days(ts) on (id, days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id, days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD id WITH days(ts); -- error: SIS402

-- case: REPLACE PARTITION FIELD id WITH days(ts) AS x on (id, days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id, days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD id WITH days(ts) AS x; -- error: SIS402

-- case: REPLACE PARTITION FIELD nope WITH bucket(4, id) on (bucket(4, id)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD nope WITH bucket(4, id); -- error: SIS401, SIS402

-- case: dropped before, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD id_bucket;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
ALTER TABLE t ADD PARTITION FIELD bucket(4, id); -- error: SIS402

-- case: ADD PARTITION FIELD bucket(4, id) on (bucket(4, id)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id); -- error: SIS402

-- case: ADD PARTITION FIELD bucket(4, id) AS x on (bucket(4, id)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS x; -- error: SIS402

-- case: ADD PARTITION FIELD bucket(4, id) AS id_bucket on (bucket(4, id)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS id_bucket; -- error: SIS402

-- case: ADD PARTITION FIELD bucket(5, id) on (bucket(4, id)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(5, id); -- warning: SIS504

-- case: ADD PARTITION FIELD date(ts) on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD date(ts); -- error: SIS402

-- case: ADD PARTITION FIELD identity(id) on (id), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD identity(id); -- error: SIS402

-- case: REPLACE PARTITION FIELD id WITH days(ts) on (id, days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id, days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD id WITH days(ts); -- error: SIS402

-- case: REPLACE PARTITION FIELD id WITH days(ts) AS x on (id, days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id, days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD id WITH days(ts) AS x; -- error: SIS402

-- case: REPLACE PARTITION FIELD nope WITH bucket(4, id) on (bucket(4, id)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD nope WITH bucket(4, id); -- error: SIS401, SIS402

-- case: dropped before, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD id_bucket;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
ALTER TABLE t ADD PARTITION FIELD bucket(4, id); -- error: SIS402
