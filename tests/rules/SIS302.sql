-- case: bucket(4, id), bucket(8, id)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), bucket(8, id)); -- error: SIS302


-- case: truncate(2, s), truncate(3, s)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(2, s), truncate(3, s)); -- error: SIS302


-- case: bucket(4, id), BUCKET(8, id)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), BUCKET(8, id)); -- error: SIS302


-- case: bucket(4, id), bucket(8, n)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), bucket(8, n));


-- case: bucket(4, p.a), bucket(8, p.a)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, p.a), bucket(8, p.a)); -- error: SIS302


-- case: truncate(2, s), bucket(2, s)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(2, s), bucket(2, s));


-- case: bucket(4, id), bucket(8, id), bucket(16, id)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), bucket(8, id), bucket(16, id)); -- error: SIS302


-- case: by ALTER it is accepted
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id));
ALTER TABLE t ADD PARTITION FIELD bucket(8, id); -- warning: SIS504

-- case: in CREATE OR REPLACE
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id));
CREATE OR REPLACE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (bucket(4, id), bucket(8, id)); -- error: SIS302

-- case: bucket(4, id), bucket(8, id) behind IF NOT EXISTS
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), bucket(8, id)); -- error: SIS302 -- warning: SIS412


-- case: after others
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (s, weeks(ts), bucket(4, id), bucket(8, id)); -- error: SIS101, SIS302

-- case: the finer one first
CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (bucket(8, id), bucket(4, id));  -- error: SIS302
