-- case: d TYPE TIMESTAMP on (days(d)) from d DATE
CREATE TABLE t (d DATE) USING iceberg PARTITIONED BY (days(d));
ALTER TABLE t ALTER COLUMN d TYPE TIMESTAMP; -- error: SIS409

-- case: d TYPE TIMESTAMP_NTZ on (days(d)) from d DATE
CREATE TABLE t (d DATE) USING iceberg PARTITIONED BY (days(d));
ALTER TABLE t ALTER COLUMN d TYPE TIMESTAMP_NTZ; -- error: SIS409

-- case: d TYPE STRING on (d) from d DATE
CREATE TABLE t (d DATE) USING iceberg PARTITIONED BY (d);
ALTER TABLE t ALTER COLUMN d TYPE STRING; -- error: SIS409

-- case: n TYPE BIGINT on (bucket(4, n)) from n INT
CREATE TABLE t (n INT) USING iceberg PARTITIONED BY (bucket(4, n));
ALTER TABLE t ALTER COLUMN n TYPE BIGINT; -- warning: SIS409

-- case: n TYPE BIGINT on (n) from n INT
CREATE TABLE t (n INT) USING iceberg PARTITIONED BY (n);
ALTER TABLE t ALTER COLUMN n TYPE BIGINT; -- warning: SIS409

-- case: n TYPE STRING on (truncate(4, n)) from n INT
CREATE TABLE t (n INT) USING iceberg PARTITIONED BY (truncate(4, n));
ALTER TABLE t ALTER COLUMN n TYPE STRING; -- error: SIS409

-- case: n TYPE INT on (bucket(4, n)) from n BIGINT
CREATE TABLE t (n BIGINT) USING iceberg PARTITIONED BY (bucket(4, n));
ALTER TABLE t ALTER COLUMN n TYPE INT; -- error: SIS409

-- case: x TYPE DECIMAL(12, 2) on (bucket(4, x)) from x DECIMAL(9, 2)
CREATE TABLE t (x DECIMAL(9, 2)) USING iceberg PARTITIONED BY (bucket(4, x));
ALTER TABLE t ALTER COLUMN x TYPE DECIMAL(12, 2); -- warning: SIS409

-- case: x TYPE DECIMAL(9, 4) on (x) from x DECIMAL(9, 2)
CREATE TABLE t (x DECIMAL(9, 2)) USING iceberg PARTITIONED BY (x);
ALTER TABLE t ALTER COLUMN x TYPE DECIMAL(9, 4); -- error: SIS409

-- case: x TYPE DECIMAL(5, 2) on (x) from x DECIMAL(9, 2)
CREATE TABLE t (x DECIMAL(9, 2)) USING iceberg PARTITIONED BY (x);
ALTER TABLE t ALTER COLUMN x TYPE DECIMAL(5, 2); -- error: SIS409

-- case: n TYPE BIGINT on (bucket(4, m)) from n INT, m INT
CREATE TABLE t (n INT, m INT) USING iceberg PARTITIONED BY (bucket(4, m));
ALTER TABLE t ALTER COLUMN n TYPE BIGINT;

-- case: n TYPE INT on (bucket(4, n)) from n SMALLINT
CREATE TABLE t (n SMALLINT) USING iceberg PARTITIONED BY (bucket(4, n));
ALTER TABLE t ALTER COLUMN n TYPE INT;

-- case: ts TYPE TIMESTAMP_NTZ on (days(ts)) from ts TIMESTAMP
CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ALTER COLUMN ts TYPE TIMESTAMP_NTZ; -- error: SIS409

-- case: s COMMENT 'x' on (s) from s STRING
CREATE TABLE t (s STRING) USING iceberg PARTITIONED BY (s);
ALTER TABLE t ALTER COLUMN s COMMENT 'x';

-- case: n TYPE INT on (bucket(4, n)) from n INT
CREATE TABLE t (n INT) USING iceberg PARTITIONED BY (bucket(4, n));
ALTER TABLE t ALTER COLUMN n TYPE INT;

-- case: p.a TYPE BIGINT on (bucket(4, p.a)) from p STRUCT<a: INT>
CREATE TABLE t (p STRUCT<a: INT>) USING iceberg PARTITIONED BY (bucket(4, p.a));
ALTER TABLE t ALTER COLUMN p.a TYPE BIGINT; -- warning: SIS409

-- case: s TYPE BINARY on (truncate(4, s)) from s STRING
CREATE TABLE t (s STRING) USING iceberg PARTITIONED BY (truncate(4, s));
ALTER TABLE t ALTER COLUMN s TYPE BINARY; -- error: SIS409

-- case: a past spec's
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, n));
ALTER TABLE t DROP PARTITION FIELD n_bucket;
ALTER TABLE t ALTER COLUMN n TYPE BIGINT; -- warning: SIS409

-- case: the second column of two
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, n));
ALTER TABLE t ALTER COLUMN s COMMENT 'x', n TYPE STRING; -- error: SIS409

-- case: both columns
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, n), d);
ALTER TABLE t ALTER COLUMN n TYPE BIGINT, d TYPE STRING; -- error: SIS409 -- warning: SIS409

-- case: no source first, then one
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (d);
ALTER TABLE t ALTER COLUMN n TYPE BIGINT, d TYPE TIMESTAMP; -- error: SIS409

-- case: a comment on a column of a table that nobody knows
ALTER TABLE spark_catalog.other.q ALTER COLUMN id COMMENT 'x';  -- error: SIS412

-- case: a column that is not there before one that is a source
CREATE TABLE t (id INT, n INT) USING iceberg PARTITIONED BY (id, bucket(4, n));
ALTER TABLE t ALTER COLUMN nope TYPE BIGINT,  -- error: SIS201
n TYPE BIGINT;  -- warning: SIS409
