-- case: in CREATE
CREATE TABLE t (user_id BIGINT, day DATE) USING iceberg PARTITIONED BY (user_id, days(day));  -- warning: ACME101

-- case: in ALTER
CREATE TABLE t (user_id BIGINT, day DATE) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD user_id;  -- warning: ACME101

-- case: a transform
CREATE TABLE t (user_id BIGINT, day DATE) USING iceberg PARTITIONED BY (bucket(16, user_id));
