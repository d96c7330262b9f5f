-- case: REPLACE AS the old name, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(16, id) AS shard;

-- case: REPLACE AS the old name in other letters, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(16, id) AS SHARD; -- error: SIS305

-- case: DROP, then ADD AS the same name, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD days(ts) AS shard;

-- case: DROP, then ADD of the same transform under its name, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;

-- case: DROP, then ADD of the same transform without a name, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);

-- case: DROP, then ADD of the same transform under another name, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS other;

-- case: a default name that an AS name was before, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS id_bucket_8;
ALTER TABLE t DROP PARTITION FIELD id_bucket_8;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id);

-- case: ts_day for hours, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH hours(ts) AS ts_day;

-- case: renamed before, so the name is free, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(4, id) AS other;
ALTER TABLE t ADD PARTITION FIELD days(ts) AS shard;

-- case: renamed to what another one was, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS a;
ALTER TABLE t DROP PARTITION FIELD a;
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH days(ts) AS a;

-- case: REPLACE under a new name, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(16, id) AS shard_16;

-- case: bucket(4) to bucket(8) by CREATE OR REPLACE, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id));

-- case: truncate(2) to truncate(5) by CREATE OR REPLACE, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(2, s)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(5, s));

-- case: days to hours by CREATE OR REPLACE, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (hours(ts));

-- case: the same again by CREATE OR REPLACE, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts));

-- case: the same in another order by CREATE OR REPLACE, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(4, id));

-- case: none by CREATE OR REPLACE, then the other, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id));

-- case: REPLACE TABLE, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id));

-- case: another column of the old name, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (x INT, id STRING) USING iceberg PARTITIONED BY (bucket(8, id));

-- case: column gone and a new one of its name, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD PARTITION FIELD bucket(4, s);
ALTER TABLE t DROP PARTITION FIELD s_bucket_4;
ALTER TABLE t DROP COLUMN s; -- warning: SIS407
ALTER TABLE t ADD COLUMN s STRING;
ALTER TABLE t ADD PARTITION FIELD bucket(4, s); -- error: SIS405

-- case: dropped and made anew, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
DROP TABLE t;
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id)) TBLPROPERTIES ('format-version' = '1');


-- case: the second of two, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(8, id));

-- case: REPLACE AS the old name, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(16, id) AS shard; -- error: SIS404

-- case: REPLACE AS the old name in other letters, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(16, id) AS SHARD; -- error: SIS404

-- case: DROP, then ADD AS the same name, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD days(ts) AS shard; -- error: SIS404

-- case: DROP, then ADD of the same transform under its name, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;

-- case: DROP, then ADD of the same transform without a name, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);

-- case: DROP, then ADD of the same transform under another name, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS other;

-- case: a default name that an AS name was before, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS id_bucket_8;
ALTER TABLE t DROP PARTITION FIELD id_bucket_8;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id); -- error: SIS404

-- case: ts_day for hours, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH hours(ts) AS ts_day; -- error: SIS404

-- case: renamed before, so the name is free, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(4, id) AS other;
ALTER TABLE t ADD PARTITION FIELD days(ts) AS shard;

-- case: renamed to what another one was, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS a;
ALTER TABLE t DROP PARTITION FIELD a;
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH days(ts) AS a; -- error: SIS404

-- case: REPLACE under a new name, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(16, id) AS shard_16;

-- case: bucket(4) to bucket(8) by CREATE OR REPLACE, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id)); -- error: SIS404

-- case: truncate(2) to truncate(5) by CREATE OR REPLACE, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(2, s)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(5, s)); -- error: SIS404

-- case: days to hours by CREATE OR REPLACE, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (hours(ts));

-- case: the same again by CREATE OR REPLACE, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts));

-- case: the same in another order by CREATE OR REPLACE, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(4, id));

-- case: none by CREATE OR REPLACE, then the other, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id)); -- error: SIS404

-- case: REPLACE TABLE, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id)); -- error: SIS404

-- case: another column of the old name, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (x INT, id STRING) USING iceberg PARTITIONED BY (bucket(8, id)); -- error: SIS404

-- case: column gone and a new one of its name, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, s);
ALTER TABLE t DROP PARTITION FIELD s_bucket_4;
ALTER TABLE t DROP COLUMN s; -- warning: SIS407
ALTER TABLE t ADD COLUMN s STRING;
ALTER TABLE t ADD PARTITION FIELD bucket(4, s);

-- case: dropped and made anew, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
DROP TABLE t;
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id)) TBLPROPERTIES ('format-version' = '2');


-- case: the second of two, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(8, id)); -- error: SIS404

-- case: REPLACE AS the old name, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(16, id) AS shard; -- error: SIS404

-- case: REPLACE AS the old name in other letters, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(16, id) AS SHARD; -- error: SIS404

-- case: DROP, then ADD AS the same name, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD days(ts) AS shard; -- error: SIS404

-- case: DROP, then ADD of the same transform under its name, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;

-- case: DROP, then ADD of the same transform without a name, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);

-- case: DROP, then ADD of the same transform under another name, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t DROP PARTITION FIELD shard;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS other;

-- case: a default name that an AS name was before, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS id_bucket_8;
ALTER TABLE t DROP PARTITION FIELD id_bucket_8;
ALTER TABLE t ADD PARTITION FIELD bucket(8, id); -- error: SIS404

-- case: ts_day for hours, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH hours(ts) AS ts_day; -- error: SIS404

-- case: renamed before, so the name is free, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(4, id) AS other;
ALTER TABLE t ADD PARTITION FIELD days(ts) AS shard;

-- case: renamed to what another one was, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS a;
ALTER TABLE t DROP PARTITION FIELD a;
ALTER TABLE t ADD PARTITION FIELD days(ts);
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH days(ts) AS a; -- error: SIS404

-- case: REPLACE under a new name, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH bucket(16, id) AS shard_16;

-- case: bucket(4) to bucket(8) by CREATE OR REPLACE, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id)); -- error: SIS404

-- case: truncate(2) to truncate(5) by CREATE OR REPLACE, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(2, s)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(5, s)); -- error: SIS404

-- case: days to hours by CREATE OR REPLACE, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (hours(ts));

-- case: the same again by CREATE OR REPLACE, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts));

-- case: the same in another order by CREATE OR REPLACE, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(4, id));

-- case: none by CREATE OR REPLACE, then the other, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id)); -- error: SIS404

-- case: REPLACE TABLE, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '3');
REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id)); -- error: SIS404

-- case: another column of the old name, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (x INT, id STRING) USING iceberg PARTITIONED BY (bucket(8, id)); -- error: SIS404

-- case: column gone and a new one of its name, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, s);
ALTER TABLE t DROP PARTITION FIELD s_bucket_4;
ALTER TABLE t DROP COLUMN s; -- warning: SIS407
ALTER TABLE t ADD COLUMN s STRING;
ALTER TABLE t ADD PARTITION FIELD bucket(4, s);

-- case: dropped and made anew, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '3');
DROP TABLE t;
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id)) TBLPROPERTIES ('format-version' = '3');


-- case: the second of two, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(4, id)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(8, id)); -- error: SIS404

-- case: ALTER after CREATE takes another name
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id));
ALTER TABLE t REPLACE PARTITION FIELD bucket(4, id) WITH bucket(8, id);
ALTER TABLE t REPLACE PARTITION FIELD bucket(8, id) WITH bucket(16, id);
ALTER TABLE t REPLACE PARTITION FIELD id_bucket_16 WITH bucket(4, id);

-- case: the older one comes back under its old name, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS a;
ALTER TABLE t REPLACE PARTITION FIELD a WITH bucket(4, id) AS b;
ALTER TABLE t ADD PARTITION FIELD days(ts) AS a;
ALTER TABLE t DROP PARTITION FIELD a;
ALTER TABLE t DROP PARTITION FIELD b;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS a;

-- case: the older one comes back by CREATE OR REPLACE, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD id_bucket WITH bucket(4, id) AS b;
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id));
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(4, id)); -- error: SIS404

-- case: the older one comes back under its old name, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS a;
ALTER TABLE t REPLACE PARTITION FIELD a WITH bucket(4, id) AS b;
ALTER TABLE t ADD PARTITION FIELD days(ts) AS a;
ALTER TABLE t DROP PARTITION FIELD a;
ALTER TABLE t DROP PARTITION FIELD b;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS a;

-- case: the older one comes back by CREATE OR REPLACE, v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts)) TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t REPLACE PARTITION FIELD id_bucket WITH bucket(4, id) AS b;
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(8, id));
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(4, id)); -- error: SIS404
