-- case: PARTITIONED BY (days(ts) AS day)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts) AS day);  -- error: SIS107

-- case: PARTITIONED BY (bucket(16, id) AS shard)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (bucket(16, id) AS shard);  -- error: SIS107

-- case: PARTITIONED BY (days(ts) AS `event day`)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts) AS `event day`);  -- error: SIS107

-- case: PARTITIONED BY (days(ts) AS 'day')
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts) AS 'day');  -- error: SIS107

-- case: PARTITIONED BY (id, truncate(4, name) AS prefix)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (id, truncate(4, name) AS prefix);  -- error: SIS107

-- case: PARTITIONED BY (id AS key)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (id AS key);  -- error: SIS107

-- case: in CREATE OR REPLACE
CREATE OR REPLACE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts) AS day);  -- error: SIS107

-- case: on lines of its own
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg
PARTITIONED BY (
  days(ts)
    AS day,  -- error: SIS107
  bucket(16, id)
);

-- case: AS SELECT is another AS
CREATE TABLE src (id BIGINT) USING iceberg;
CREATE TABLE t USING iceberg AS SELECT id AS key FROM src;

-- case: AS in ALTER is in its place
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(ts) AS event_day;
ALTER TABLE t REPLACE PARTITION FIELD event_day WITH hours(ts) AS event_hour;

-- case: no name after AS
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (id AS);  -- error: SIS107

-- case: a parenthesis in a name
CREATE TABLE t (`a)b` INT) USING iceberg PARTITIONED BY (bucket(16, `a)b`) AS shard);  -- error: SIS107
