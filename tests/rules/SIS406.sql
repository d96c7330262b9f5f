-- case: again after the upgrade
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
ALTER TABLE t DROP PARTITION FIELD bucket(4, id);
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id); -- error: SIS406

-- case: by REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
ALTER TABLE t REPLACE PARTITION FIELD bucket(4, id) WITH days(ts);
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD days(ts) WITH bucket(4, id); -- error: SIS406

-- case: under a new name
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
ALTER TABLE t DROP PARTITION FIELD bucket(4, id);
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS other;

-- case: the void field dropped first
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
ALTER TABLE t DROP PARTITION FIELD bucket(4, id);
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD id_bucket_4;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);

-- case: still in v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
ALTER TABLE t DROP PARTITION FIELD bucket(4, id);
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);

-- case: in v1 again, then upgraded
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
ALTER TABLE t DROP PARTITION FIELD bucket(4, id);
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2');

-- case: straight to v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t DROP PARTITION FIELD days(ts);
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD days(ts); -- error: SIS406

-- case: another transform
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
ALTER TABLE t DROP PARTITION FIELD bucket(4, id);
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(8, id);

-- case: by CREATE OR REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD id_bucket;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id));

-- case: by CREATE OR REPLACE that upgrades
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD id_bucket;
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
