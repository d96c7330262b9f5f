-- case: hundreds of a price in CREATE
CREATE TABLE t (id INT, price DECIMAL(10, 2)) USING iceberg PARTITIONED BY (truncate(100, price));  -- warning: SIS506

-- case: in ALTER
CREATE TABLE t (id INT, price DECIMAL(10, 2)) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(10, price);  -- warning: SIS506

-- case: in the place of another field
CREATE TABLE t (id INT, price DECIMAL(18, 6)) USING iceberg PARTITIONED BY (id);
ALTER TABLE t REPLACE PARTITION FIELD id WITH truncate(1000, price);  -- warning: SIS506

-- case: whole units that no width can say
CREATE TABLE t (id INT, price DECIMAL(38, 18)) USING iceberg PARTITIONED BY (truncate(1000, price));  -- warning: SIS506

-- case: steps of a hundred
CREATE TABLE t (id INT, price DECIMAL(10, 2)) USING iceberg PARTITIONED BY (truncate(10000, price));

-- case: steps of ten, which are perhaps meant
CREATE TABLE t (id INT, price DECIMAL(10, 2)) USING iceberg PARTITIONED BY (truncate(1000, price));

-- case: a rate has few steps
CREATE TABLE t (id INT, rate DECIMAL(3, 2)) USING iceberg PARTITIONED BY (truncate(10, rate));

-- case: no digits after the point
CREATE TABLE t (id INT, n DECIMAL(10, 0)) USING iceberg PARTITIONED BY (truncate(100, n));

-- case: other types
CREATE TABLE t (id INT, n BIGINT, s STRING) USING iceberg PARTITIONED BY (truncate(100, n), truncate(10, s));
