-- case: CREATE with '0'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '0'); -- error: SIS410

-- case: ALTER to '0'
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '0'); -- error: SIS410

-- case: CREATE with '1'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '1');

-- case: CREATE with '2'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2');

-- case: CREATE with '3'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '3');

-- case: CREATE with '-1'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '-1'); -- error: SIS410

-- case: ALTER to '-1'
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '-1'); -- error: SIS410

-- case: CREATE with '5'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '5'); -- error: SIS410

-- case: ALTER to '5'
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '5'); -- error: SIS410

-- case: CREATE with 'x'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = 'x'); -- error: SIS410

-- case: ALTER to 'x'
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = 'x'); -- error: SIS410

-- case: CREATE with '2.0'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2.0'); -- error: SIS410

-- case: ALTER to '2.0'
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2.0'); -- error: SIS410

-- case: CREATE with ' 2'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = ' 2'); -- error: SIS410

-- case: ALTER to ' 2'
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = ' 2'); -- error: SIS410

-- case: CREATE with '+2'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '+2');

-- case: ALTER to '+2'
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '+2');

-- case: CREATE with '02'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '02');

-- case: ALTER to '02'
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '02');

-- case: CREATE with ''
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = ''); -- error: SIS410

-- case: ALTER to ''
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = ''); -- error: SIS410

-- case: CREATE with '99999999999'
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '99999999999'); -- error: SIS410

-- case: ALTER to '99999999999'
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '99999999999'); -- error: SIS410

-- case: v1 to v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '1');

-- case: v1 to v1 by CREATE OR REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');

-- case: v1 to v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2');

-- case: v1 to v2 by CREATE OR REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');

-- case: v1 to v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '3');

-- case: v1 to v3 by CREATE OR REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');

-- case: v2 to v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '1'); -- error: SIS410

-- case: v2 to v1 by CREATE OR REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1'); -- error: SIS410

-- case: v2 to v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2');

-- case: v2 to v2 by CREATE OR REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');

-- case: v2 to v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '3');

-- case: v2 to v3 by CREATE OR REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');

-- case: v3 to v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '1'); -- error: SIS410

-- case: v3 to v1 by CREATE OR REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1'); -- error: SIS410

-- case: v3 to v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2'); -- error: SIS410

-- case: v3 to v2 by CREATE OR REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2'); -- error: SIS410

-- case: v3 to v3
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '3');

-- case: v3 to v3 by CREATE OR REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');
CREATE OR REPLACE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '3');

-- case: a number, not a string
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = 2);

-- case: in OPTIONS
CREATE TABLE t (id BIGINT) USING iceberg OPTIONS ('format-version' = '0'); -- error: SIS410

-- case: another key
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('Format-Version' = '1'); -- warning: SIS410

-- case: UNSET
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t UNSET TBLPROPERTIES ('format-version');

-- case: another key, underscore
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format_version' = '1'); -- warning: SIS410

-- case: CREATE of one that is there is no downgrade
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1'); -- error: SIS412

-- case: OPTIONS prevail over TBLPROPERTIES
CREATE TABLE t (id INT) USING iceberg OPTIONS ('format-version' '3') TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD COLUMN x VARIANT;

-- case: OPTIONS prevail, the other way round
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('format-version' = '3') OPTIONS ('format-version' '2');
ALTER TABLE t ADD COLUMN x VARIANT;  -- error: SIS205
