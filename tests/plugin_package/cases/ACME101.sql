-- case: in CREATE
CREATE TABLE t (shop_id BIGINT, day DATE) USING iceberg PARTITIONED BY (shop_id, days(day));  -- warning: ACME101

-- case: in ALTER
CREATE TABLE t (shop_id BIGINT, day DATE) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD shop_id;  -- warning: ACME101

-- case: a transform
CREATE TABLE t (shop_id BIGINT, day DATE) USING iceberg PARTITIONED BY (bucket(16, shop_id));
