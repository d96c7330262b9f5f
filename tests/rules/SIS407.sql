-- case: DROP COLUMN s on (bucket(4, s)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP COLUMN s; -- error: SIS407

-- case: DROP COLUMN S on (s), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP COLUMN S; -- error: SIS407

-- case: DROP COLUMN p.a on (p.a), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP COLUMN p.a; -- error: SIS407

-- case: DROP COLUMN p on (p.a), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP COLUMN p; -- error: SIS407

-- case: DROP COLUMN p.b on (p.a), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP COLUMN p.b;

-- case: DROP COLUMNS (n, ts, s) on (days(ts), s), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), s) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP COLUMNS (n, ts, s); -- error: SIS407

-- case: DROP COLUMN n on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP COLUMN n;

-- case: RENAME COLUMN ts TO at on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t RENAME COLUMN ts TO at;

-- case: REPLACE COLUMNS (id BIGINT) on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE COLUMNS (id BIGINT); -- error: SIS407

-- case: REPLACE COLUMNS (id BIGINT) on (), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE COLUMNS (id BIGINT);

-- case: RENAME COLUMN p TO q on (p.a), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t RENAME COLUMN p TO q;

-- case: DROP COLUMN s on (bucket(4, s)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP COLUMN s; -- error: SIS407

-- case: DROP COLUMN S on (s), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP COLUMN S; -- error: SIS407

-- case: DROP COLUMN p.a on (p.a), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP COLUMN p.a; -- error: SIS407

-- case: DROP COLUMN p on (p.a), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP COLUMN p; -- error: SIS407

-- case: DROP COLUMN p.b on (p.a), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP COLUMN p.b;

-- case: DROP COLUMNS (n, ts, s) on (days(ts), s), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), s) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP COLUMNS (n, ts, s); -- error: SIS407

-- case: DROP COLUMN n on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP COLUMN n;

-- case: RENAME COLUMN ts TO at on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t RENAME COLUMN ts TO at;

-- case: REPLACE COLUMNS (id BIGINT) on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE COLUMNS (id BIGINT); -- error: SIS407

-- case: REPLACE COLUMNS (id BIGINT) on (), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE COLUMNS (id BIGINT);

-- case: RENAME COLUMN p TO q on (p.a), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t RENAME COLUMN p TO q;

-- case: a past spec's
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, s);
ALTER TABLE t DROP PARTITION FIELD s_bucket_4;
ALTER TABLE t DROP COLUMN s; -- warning: SIS407

-- case: a past spec's, merge-on-read
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read');
ALTER TABLE t ADD PARTITION FIELD bucket(4, s);
ALTER TABLE t DROP PARTITION FIELD s_bucket_4;
ALTER TABLE t DROP COLUMN s; -- error: SIS407

-- case: a past spec's, merge-on-read later
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t SET TBLPROPERTIES ('write.update.mode' = 'merge-on-read');
ALTER TABLE t ADD PARTITION FIELD bucket(4, s);
ALTER TABLE t DROP PARTITION FIELD s_bucket_4;
ALTER TABLE t DROP COLUMN s; -- error: SIS407

-- case: CREATE OR REPLACE without the column
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, s)) TBLPROPERTIES ('format-version' = '2');
CREATE OR REPLACE TABLE t (id BIGINT) USING iceberg; -- warning: SIS407

-- case: v1, the only field, void
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD s;
ALTER TABLE t DROP COLUMN s; -- warning: SIS407

-- case: a past spec's, merge-on-read turned on after
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, s);
ALTER TABLE t DROP PARTITION FIELD s_bucket_4;
ALTER TABLE t DROP COLUMN s; -- warning: SIS407
ALTER TABLE t SET TBLPROPERTIES ('write.update.mode' = 'merge-on-read'); -- error: SIS407

-- case: a past spec's, a column of the same name added, and a field on it
CREATE TABLE t (id BIGINT, n INT, s STRING) USING iceberg PARTITIONED BY (n) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');
ALTER TABLE t DROP PARTITION FIELD n;
ALTER TABLE t DROP COLUMN n; -- error: SIS407

-- case: a past spec's, another column renamed to it, and merge-on-read turned on
CREATE TABLE t (id BIGINT, n INT, m INT, s STRING) USING iceberg PARTITIONED BY (n) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD n;
ALTER TABLE t DROP COLUMN n; -- warning: SIS407
ALTER TABLE t RENAME COLUMN m TO n;
ALTER TABLE t ADD PARTITION FIELD n;
ALTER TABLE t SET TBLPROPERTIES ('write.merge.mode' = 'merge-on-read'); -- error: SIS407

-- case: another property of a table with merge-on-read
CREATE TABLE t (id BIGINT, n INT, s STRING) USING iceberg PARTITIONED BY (n) TBLPROPERTIES ('write.update.mode' = 'merge-on-read');
ALTER TABLE t SET TBLPROPERTIES ('write.merge.mode' = 'merge-on-read');
