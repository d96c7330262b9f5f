-- case: DROP COLUMN
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s, bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD s;
ALTER TABLE t DROP COLUMN s; -- error: SIS405

-- case: DROP COLUMN of the struct
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a, bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD p.a;
ALTER TABLE t DROP COLUMN p; -- error: SIS405

-- case: CREATE OR REPLACE without the column
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s, bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(4, id)); -- error: SIS405

-- case: CREATE OR REPLACE with the column
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s, bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, s STRING) USING iceberg PARTITIONED BY (bucket(4, id));

-- case: after the upgrade it is the same
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s, bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD s;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP COLUMN s; -- error: SIS405

-- case: the void field dropped in v2 first
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s, bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD s;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD s; -- error: SIS401
ALTER TABLE t DROP COLUMN n;

-- case: all fields void, then a live one
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD s;
ALTER TABLE t DROP COLUMN s; -- warning: SIS407
ALTER TABLE t ADD PARTITION FIELD bucket(4, id); -- error: SIS405

-- case: another column
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s, bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD s;
ALTER TABLE t DROP COLUMN n;

-- case: renamed, not dropped
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s, bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD s;
ALTER TABLE t RENAME COLUMN s TO note;
