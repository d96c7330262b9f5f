-- case: ALTER /* c */ TABLE t ADD PARTITION FIELD id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER /* c */ TABLE t ADD PARTITION FIELD id; -- error: SIS004

-- case: ALTER TABLE t ADD /* c */ PARTITION FIELD id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD /* c */ PARTITION FIELD id; -- error: SIS004

-- case: ALTER TABLE t ADD PARTITION /* c */ FIELD id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION /* c */ FIELD id; -- error: SIS004

-- case: ALTER TABLE t ADD -- c PARTITION FIELD id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD -- c
 PARTITION FIELD id;

-- case: ALTER TABLE t ADD PARTITION FIELD /* c */ id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD /* c */ id;

-- case: ALTER TABLE t /* c */ ADD PARTITION FIELD id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t /* c */ ADD PARTITION FIELD id;

-- case: /* c */ ALTER TABLE t ADD PARTITION FIELD id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
/* c */ ALTER TABLE t ADD PARTITION FIELD id;

-- case: -- c ALTER TABLE t ADD PARTITION FIELD id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
-- c
ALTER TABLE t ADD PARTITION FIELD id;

-- case: ALTER TABLE t ADD PARTITION FIELD id -- c
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD id -- c;

-- case: a hint in the query of a view
CREATE TABLE t (id BIGINT) USING iceberg;
CREATE OR REPLACE TEMPORARY VIEW v (id COMMENT 'as') AS SELECT /*+ COALESCE(1) */ id FROM t;
CREATE VIEW w AS SELECT /*+ COALESCE(1) */ id FROM t;

-- case: a hint before the query of a view
CREATE TABLE t (id BIGINT) USING iceberg;
CREATE /*+ COALESCE(1) */ VIEW w AS SELECT id FROM t; -- error: SIS004

-- case: EXPLAIN ALTER TABLE t ADD PARTITION FIELD id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
EXPLAIN ALTER TABLE t ADD PARTITION FIELD id; -- error: SIS004

-- case: EXPLAIN CREATE TABLE u (id INT) USING iceberg PARTITIONED BY (id)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
EXPLAIN CREATE TABLE u (id INT) USING iceberg PARTITIONED BY (id);

-- case: BEGIN ALTER TABLE t ADD PARTITION FIELD id; END
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
BEGIN
 ALTER TABLE t ADD PARTITION FIELD id; -- error: SIS004
END;

-- case: ALTER TABLE IDENTIFIER('t') ADD PARTITION FIELD id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE IDENTIFIER('t') ADD PARTITION FIELD id; -- error: SIS004

-- case: ALTER TABLE t SET TBLPROPERTIES ('comment' = 'add partition field id')
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('comment' = 'add partition field id'); -- error: SIS004

-- case: ALTER TABLE t SET TBLPROPERTIES ('note' = 'please CREATE TAG now')
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('note' = 'please CREATE TAG now'); -- error: SIS004

-- case: ALTER TABLE t ADD COLUMN c INT COMMENT 'drop partition field'
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD COLUMN c INT COMMENT 'drop  partition field'; -- error: SIS004

-- case: ALTER TABLE t ALTER COLUMN id COMMENT 'write unordered'
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ALTER COLUMN id COMMENT 'write unordered'; -- error: SIS004

-- case: ALTER TABLE t RENAME COLUMN s TO `drop tag`
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t RENAME COLUMN s TO `drop tag`; -- error: SIS004

-- case: ALTER TABLE t SET TBLPROPERTIES ('note' = 'add partition')
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('note' = 'add partition');

-- case: ALTER TABLE t ADD COLUMN c INT COMMENT 'create a tag'
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD COLUMN c INT COMMENT 'create a tag';

-- case: ALTER TABLE t SET TBLPROPERTIES ('note' = 'x') /* drop tag */
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('note' = 'x') /* drop tag */;

-- case: CREATE TABLE u (id INT COMMENT 'add partition field') USING iceberg PARTITIONED BY (id) COMMENT 'alter table drop tag'
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
CREATE TABLE u (id INT COMMENT 'add partition field') USING iceberg PARTITIONED BY (id) COMMENT 'alter table drop tag';

-- case: ALTER TABLE t ADD PARTITION FIELD id AS `x -- y`
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD id AS `x -- y`; -- warning: SIS109

-- case: a comment in DROP PARTITION FIELD
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id);
ALTER TABLE t DROP /* c */ PARTITION FIELD id; -- error: SIS004

-- case: a comment in REPLACE PARTITION FIELD
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id);
ALTER TABLE t REPLACE PARTITION /* c */ FIELD id WITH n; -- error: SIS004

-- case: a comment in a block, which is another fault
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
BEGIN
 ALTER TABLE t ADD PARTITION FIELD id; -- error: SIS004
 /* c */ END;

-- case: other statements that are led astray
CREATE TABLE t (id BIGINT, s STRING, `drop tag` INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ("note" = "create tag"); -- error: SIS004
ALTER TABLE t DROP COLUMN `drop tag`; -- error: SIS004
ALTER TABLE t REPLACE COLUMNS (id BIGINT COMMENT 'drop tag'); -- error: SIS004
ALTER TABLE t RENAME TO `drop tag`; -- error: SIS004
ALTER TABLE t DROP PARTITION (s = 'drop tag'); -- error: SIS004, SIS412

-- case: ALTER TABLE t ADD /*+ x */ PARTITION FIELD days(ts)
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD /*+ x */ PARTITION FIELD days(ts);  -- error: SIS004

-- case: ALTER /*+ x */ TABLE t ADD PARTITION FIELD days(ts)
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER /*+ x */ TABLE t ADD PARTITION FIELD days(ts);  -- error: SIS004

-- case: ALTER TABLE t ADD PARTITION FIELD days(/*+ x */ ts)
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(/*+ x */ ts);  -- error: SIS004

-- case: ALTER TABLE t ADD PARTITION FIELD days(ts) /*+ x */
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(ts) /*+ x */;  -- error: SIS004

-- case: /*+ x */ ALTER TABLE t ADD PARTITION FIELD days(ts)
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
/*+ x */ ALTER TABLE t ADD PARTITION FIELD days(ts);  -- error: SIS004

-- case: CREATE /*+ x */ TABLE u (id INT) USING iceberg PARTITIONED BY (id)
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
CREATE /*+ x */ TABLE u (id INT) USING iceberg PARTITIONED BY (id);  -- error: SIS004

-- case: CREATE TABLE u (id INT) USING iceberg PARTITIONED BY (/*+ x */ id)
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
CREATE TABLE u (id INT) USING iceberg PARTITIONED BY (/*+ x */ id);  -- error: SIS004

-- case: ALTER TABLE t SET /*+ x */ TBLPROPERTIES ('a' = 'b')
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET /*+ x */ TBLPROPERTIES ('a' = 'b');  -- error: SIS004

-- case: DROP /*+ x */ TABLE IF EXISTS t
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
DROP /*+ x */ TABLE IF EXISTS t;  -- error: SIS004

-- case: a hint in a query
CREATE TABLE u USING iceberg PARTITIONED BY (id) AS SELECT /*+ COALESCE(1) */ 1 AS id;  -- note: SIS002

-- case: a word whose capital letters alone are a keyword's
CREATE TABLE t (id INT) USING iceberg;
ALTER TABLE t ADD PARTıTıON FıELD id;  -- error: SIS004
