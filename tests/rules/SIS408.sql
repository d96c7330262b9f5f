-- case: ADD COLUMN ts_day DATE on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD COLUMN ts_day DATE; -- error: SIS408

-- case: ADD COLUMN TS_DAY DATE on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD COLUMN TS_DAY DATE;

-- case: ADD COLUMNS (a INT, ts_day DATE) on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD COLUMNS (a INT, ts_day DATE); -- error: SIS408

-- case: RENAME COLUMN d TO ts_day on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t RENAME COLUMN d TO ts_day; -- error: SIS408

-- case: RENAME COLUMN ts TO ts_day on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t RENAME COLUMN ts TO ts_day; -- warning: SIS408

-- case: ADD COLUMN p.ts_day DATE on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD COLUMN p.ts_day DATE;

-- case: ADD COLUMN p.a_bucket INT on (bucket(4, p.a)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, p.a)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD COLUMN p.a_bucket INT; -- error: SIS408

-- case: ADD COLUMN id_bucket_4 INT on (bucket(4, id)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD COLUMN id_bucket_4 INT;

-- case: RENAME COLUMN s TO t on (s), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t RENAME COLUMN s TO t;

-- case: ADD COLUMN q STRING on (s), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t ADD COLUMN q STRING;

-- case: CHANGE COLUMN d ts_day DATE on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t CHANGE COLUMN d ts_day DATE; -- error: SIS210, SIS408

-- case: a past spec's, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD ts_day;
ALTER TABLE t ADD COLUMN ts_day DATE; -- error: SIS408

-- case: a void one's own column dropped, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD s;
ALTER TABLE t RENAME COLUMN n TO m;
ALTER TABLE t RENAME COLUMN s TO n;
ALTER TABLE t ADD COLUMN s STRING; -- error: SIS408

-- case: CREATE OR REPLACE with such a column, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (s STRING, s_bucket INT) USING iceberg; -- error: SIS408

-- case: CREATE OR REPLACE with such a column and without the source, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '1');
CREATE OR REPLACE TABLE t (id BIGINT, s_bucket INT) USING iceberg; -- warning: SIS407

-- case: ADD COLUMN ts_day DATE on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD COLUMN ts_day DATE; -- error: SIS408

-- case: ADD COLUMN TS_DAY DATE on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD COLUMN TS_DAY DATE;

-- case: ADD COLUMNS (a INT, ts_day DATE) on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD COLUMNS (a INT, ts_day DATE); -- error: SIS408

-- case: RENAME COLUMN d TO ts_day on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t RENAME COLUMN d TO ts_day; -- error: SIS408

-- case: RENAME COLUMN ts TO ts_day on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t RENAME COLUMN ts TO ts_day; -- warning: SIS408

-- case: ADD COLUMN p.ts_day DATE on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD COLUMN p.ts_day DATE;

-- case: ADD COLUMN p.a_bucket INT on (bucket(4, p.a)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, p.a)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD COLUMN p.a_bucket INT; -- error: SIS408

-- case: ADD COLUMN id_bucket_4 INT on (bucket(4, id)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD COLUMN id_bucket_4 INT;

-- case: RENAME COLUMN s TO t on (s), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t RENAME COLUMN s TO t;

-- case: ADD COLUMN q STRING on (s), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD COLUMN q STRING;

-- case: CHANGE COLUMN d ts_day DATE on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t CHANGE COLUMN d ts_day DATE; -- error: SIS210, SIS408

-- case: a past spec's, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD ts_day;
ALTER TABLE t ADD COLUMN ts_day DATE; -- error: SIS408

-- case: a void one's own column dropped, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD s;
ALTER TABLE t RENAME COLUMN n TO m;
ALTER TABLE t RENAME COLUMN s TO n;
ALTER TABLE t ADD COLUMN s STRING; -- error: SIS408

-- case: CREATE OR REPLACE with such a column, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (s STRING, s_bucket INT) USING iceberg; -- error: SIS408

-- case: CREATE OR REPLACE with such a column and without the source, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT, s_bucket INT) USING iceberg; -- warning: SIS407

-- case: renamed out of the way
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH days(ts) AS by_day;
ALTER TABLE t ADD COLUMN ts_day DATE; -- error: SIS408

-- case: an identity field named otherwise
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD s AS kind;
ALTER TABLE t RENAME COLUMN s TO kind;

-- case: a past field of the column
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t DROP PARTITION FIELD ts_day;
ALTER TABLE t RENAME COLUMN ts TO ts_day;

-- case: a type changed beside
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ALTER COLUMN n TYPE BIGINT;

-- case: REPLACE COLUMNS with such a name
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, s));
ALTER TABLE t DROP PARTITION FIELD s_bucket;
ALTER TABLE t REPLACE COLUMNS (s_bucket INT); -- warning: SIS407

-- case: two at once
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), bucket(4, id));
ALTER TABLE t ADD COLUMNS (ts_day DATE, id_bucket INT); -- error: SIS408

-- case: the second of two new columns
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ADD COLUMNS (x INT,
ts_day INT);  -- error: SIS408

-- case: two new columns at fault, each in its own way
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ADD COLUMNS (ts INT,  -- error: SIS207
ts_day INT);  -- error: SIS408
