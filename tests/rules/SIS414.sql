-- case: INSERT OVERWRITE (ts_day = DATE '2024-05-17')
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT OVERWRITE t PARTITION (ts_day = DATE '2024-05-17') SELECT 1, 'a', current_date(), current_timestamp(); -- error: SIS414

-- case: INSERT OVERWRITE (ts_day)
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT OVERWRITE t PARTITION (ts_day) SELECT 1, 'a', current_date(), current_timestamp(); -- error: SIS414

-- case: INSERT OVERWRITE (ts = TIMESTAMP '2024-05-17 00:00:00')
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT OVERWRITE t PARTITION (ts = TIMESTAMP '2024-05-17 00:00:00') SELECT 1, 'a', current_date(), current_timestamp(); -- error: SIS414

-- case: INSERT OVERWRITE (n = 1)
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT OVERWRITE t PARTITION (n = 1) SELECT 1, 'a', current_date(), current_timestamp(); -- error: SIS414

-- case: INSERT OVERWRITE (s)
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT OVERWRITE t PARTITION (s = 'a') SELECT 1, current_date(), current_timestamp();

-- case: INSERT OVERWRITE (S)
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT OVERWRITE t PARTITION (S = 'a') SELECT 1, current_date(), current_timestamp();

-- case: INSERT OVERWRITE without
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT OVERWRITE t SELECT 1, 'a', current_date(), current_timestamp();

-- case: INSERT INTO (ts_day = DATE '2024-05-17')
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT INTO t PARTITION (ts_day = DATE '2024-05-17') SELECT 1, 'a', current_date(), current_timestamp(); -- error: SIS414

-- case: INSERT INTO (ts_day)
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT INTO t PARTITION (ts_day) SELECT 1, 'a', current_date(), current_timestamp(); -- error: SIS414

-- case: INSERT INTO (ts = TIMESTAMP '2024-05-17 00:00:00')
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT INTO t PARTITION (ts = TIMESTAMP '2024-05-17 00:00:00') SELECT 1, 'a', current_date(), current_timestamp(); -- error: SIS414

-- case: INSERT INTO (n = 1)
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT INTO t PARTITION (n = 1) SELECT 1, 'a', current_date(), current_timestamp(); -- error: SIS414

-- case: INSERT INTO (s)
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT INTO t PARTITION (s = 'a') SELECT 1, current_date(), current_timestamp();

-- case: INSERT INTO (S)
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT INTO t PARTITION (S = 'a') SELECT 1, current_date(), current_timestamp();

-- case: INSERT INTO without
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT INTO t SELECT 1, 'a', current_date(), current_timestamp();

-- case: an unpartitioned table
CREATE TABLE t (n INT) USING iceberg;
INSERT OVERWRITE t PARTITION (n = 1) SELECT 1; -- error: SIS414

-- case: an identity field of another name
CREATE TABLE t (n INT, s STRING) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD s AS kind;
INSERT OVERWRITE t PARTITION (kind = 'a') SELECT 1; -- error: SIS414

-- case: an identity field's column
CREATE TABLE t (n INT, s STRING) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD s AS kind;
INSERT OVERWRITE t PARTITION (s = 'a') SELECT 1;

-- case: a plain one and a hidden one
CREATE TABLE t (n INT, s STRING, d DATE, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), s);
INSERT OVERWRITE t PARTITION (s = 'a', ts_day = DATE '2024-05-17') SELECT 1, current_date(), current_timestamp(); -- error: SIS414
