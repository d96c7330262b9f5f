-- case: a string uuid
CREATE TABLE t (uuid STRING, d DATE) USING iceberg PARTITIONED BY (uuid);  -- warning: SIS502

-- case: a string event_uuid
CREATE TABLE t (event_uuid STRING, d DATE) USING iceberg PARTITIONED BY (event_uuid);  -- warning: SIS502

-- case: a string guid
CREATE TABLE t (guid STRING, d DATE) USING iceberg PARTITIONED BY (guid);  -- warning: SIS502

-- case: a string order_guid
CREATE TABLE t (order_guid STRING, d DATE) USING iceberg PARTITIONED BY (order_guid);  -- warning: SIS502

-- case: a string UUID
CREATE TABLE t (UUID STRING, d DATE) USING iceberg PARTITIONED BY (UUID);  -- warning: SIS502

-- case: a binary uuid in ALTER
CREATE TABLE t (uuid BINARY, d DATE) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD uuid;  -- warning: SIS502

-- case: bucketed, as it should be
CREATE TABLE t (uuid STRING) USING iceberg PARTITIONED BY (bucket(16, uuid));

-- case: names that only contain it
CREATE TABLE t (uuid_version STRING, druid STRING, fluid STRING) USING iceberg PARTITIONED BY (uuid_version, druid, fluid);

-- case: categories
CREATE TABLE t (region STRING, country_code CHAR(2), tenant_id INT, status STRING) USING iceberg PARTITIONED BY (region, country_code, tenant_id, status);

-- case: uuid among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  uuid,  -- warning: SIS502
  months(d),
  truncate(1000, price)
);

-- case: a uuid that is a number
CREATE TABLE t (uuid INT, d DATE) USING iceberg PARTITIONED BY (uuid);

-- case: a uuid that is a struct
CREATE TABLE t (uuid STRUCT<high: BIGINT, low: BIGINT>) USING iceberg PARTITIONED BY (uuid);  -- error: SIS203

-- case: in REPLACE
CREATE TABLE t (id INT, event_uuid STRING) USING iceberg PARTITIONED BY (id);
ALTER TABLE t REPLACE PARTITION FIELD id WITH event_uuid;  -- warning: SIS502

-- case: after a struct
CREATE TABLE t (p STRUCT<a: INT>, event_uuid STRING) USING iceberg PARTITIONED BY (
  p,  -- error: SIS203
  event_uuid  -- warning: SIS502
);

-- case: keys by their names
CREATE TABLE t (message_id STRING, user_id BIGINT, orderId INT, email STRING, client_ip_address STRING, session_id BINARY) USING iceberg
PARTITIONED BY (
  message_id,  -- warning: SIS502
  user_id,  -- warning: SIS502
  orderId,  -- warning: SIS502
  email,  -- warning: SIS502
  client_ip_address,  -- warning: SIS502
  session_id  -- warning: SIS502
);

-- case: a key of a struct
CREATE TABLE t (buyer STRUCT<user_id: BIGINT>, d DATE) USING iceberg PARTITIONED BY (
  buyer.user_id  -- warning: SIS502
);

-- case: keys of which there may be few
CREATE TABLE t (id BIGINT, customer_id BIGINT, event_id STRING, account_id BIGINT, client_id INT, store_id INT, location_id INT, event_type STRING, user_type STRING, is_email BOOLEAN, email_domain STRING) USING iceberg
PARTITIONED BY (id, customer_id, event_id, account_id, client_id, store_id, location_id, event_type, user_type, is_email, email_domain);

-- case: a date with the name of a key
CREATE TABLE t (order_id DATE) USING iceberg PARTITIONED BY (order_id);

-- case: a table's own key
CREATE TABLE raw_events (event_id STRING, d DATE) USING iceberg PARTITIONED BY (event_id);  -- warning: SIS502
CREATE TABLE Categories (categoryId INT, d DATE) USING iceberg;
ALTER TABLE Categories ADD PARTITION FIELD categoryId;  -- warning: SIS502

-- case: the key of another table
CREATE TABLE points (event_id INT, player_id INT) USING iceberg PARTITIONED BY (event_id, player_id);
CREATE TABLE event_02 (event_id STRING, d DATE) USING iceberg PARTITIONED BY (event_id);
CREATE TABLE stores (d DATE, store_id INT) USING iceberg PARTITIONED BY (store_id);
