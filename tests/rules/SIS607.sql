-- case: too few values
CREATE TABLE t (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO t VALUES (1, 'a');  -- error: SIS607
INSERT INTO TABLE t VALUES (1, 'a'), (2, 'b');  -- error: SIS607
INSERT OVERWRITE t VALUES (1, concat('a', 'b'));  -- error: SIS607
INSERT INTO t VALUES (1);  -- error: SIS607
INSERT INTO t (id, kind) VALUES (1);  -- error: SIS607
INSERT INTO local.db.t VALUES (1, array(1, 2));  -- error: SIS607

-- case: too many values
CREATE TABLE t (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO t VALUES (1, 'a', NULL, 5);  -- error: SIS607
INSERT INTO t VALUES (1, 'a', NULL, 5, 6), (2, 'b', NULL, 5, 6);  -- error: SIS607
INSERT INTO t (id, kind) VALUES (1, 'a', NULL);  -- error: SIS607

-- case: a column that cannot be NULL
CREATE TABLE t (id BIGINT, kind STRING NOT NULL, `a b` INT) USING iceberg;
INSERT INTO t VALUES (1);  -- error: SIS607
INSERT INTO t VALUES (1, 'a');  -- error: SIS607

-- case: as many values as columns
CREATE TABLE t (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO t VALUES (1, 'a', NULL), (2, concat('a', 'b'), current_timestamp());
INSERT INTO t (id, kind) VALUES (1, 'a');
INSERT INTO t (id) VALUES (1);
INSERT INTO t VALUES (struct(1, 'a', NULL));
INSERT INTO t VALUES ((1, 'a', NULL));
INSERT INTO t SELECT 1, 'a', NULL;
ALTER TABLE t ADD COLUMN more INT;
INSERT INTO t VALUES (1, 'a', NULL, 5);

-- case: a static partition
CREATE TABLE t (id BIGINT, kind STRING) USING iceberg PARTITIONED BY (kind);
INSERT INTO t PARTITION (kind = 'a') VALUES (1);
