-- CREATE and ALTER TABLE that Spark or Iceberg refuses. Above each statement: the shape of the mistake (`-` for a
-- plain one) and the words that it is found at (`$` for the end of the statement).

-- several-fields | ,
ALTER TABLE t ADD PARTITION FIELD bucket(16, id), days(ts);
-- several-fields | ,
ALTER TABLE t DROP PARTITION FIELD a, b;
-- missing-with | TO
ALTER TABLE t REPLACE PARTITION FIELD ts_day TO hours(ts);
-- missing-with | $
ALTER TABLE t REPLACE PARTITION FIELD ts_day;
-- missing-field | bucket
ALTER TABLE t ADD PARTITION bucket(16, id);
-- missing-field | id_bucket
ALTER TABLE t DROP PARTITION id_bucket;
-- missing-partition | ADD
ALTER TABLE t ADD FIELD bucket(16, id);
-- partition-fields | FIELDS
ALTER TABLE t ADD PARTITION FIELDS bucket(16, id);
-- partition-fields | COLUMN
ALTER TABLE t ADD PARTITION COLUMN id;
-- partition-fields | BY
ALTER TABLE t ADD PARTITION BY (id);
-- partition-fields | DROP
ALTER TABLE t DROP PARTITIONING;
-- if-exists | IF
ALTER TABLE t ADD PARTITION FIELD IF NOT EXISTS id;
-- if-exists | IF
ALTER TABLE t DROP PARTITION FIELD IF EXISTS id;
-- if-exists | IF
ALTER TABLE IF EXISTS t ADD PARTITION FIELD id;
-- parenthesised | (
ALTER TABLE t ADD PARTITION FIELD (bucket(16, id));
-- drop-rows | ALL
ALTER TABLE t DROP PARTITION ALL;
-- drop-rows | '2024-01-01'
ALTER TABLE t DROP PARTITION '2024-01-01';
-- as-in-drop | AS
ALTER TABLE t DROP PARTITION FIELD bucket(16, id) AS shard;
-- rename-field | RENAME
ALTER TABLE t RENAME PARTITION FIELD a TO b;
-- alter-field | ALTER
ALTER TABLE t ALTER PARTITION FIELD a SET b;
-- set-partition-spec | SET
ALTER TABLE t SET PARTITION SPEC (bucket(16, id));
-- partition-by | PARTITION
ALTER TABLE t PARTITION BY bucket(16, id);
-- partition-by | PARTITIONED
ALTER TABLE t PARTITIONED BY (bucket(16, id));
-- partitioning-property | SET
ALTER TABLE t SET PROPERTIES partitioning = ARRAY['bucket(id, 16)'];
-- identifier-clause | IDENTIFIER
ALTER TABLE IDENTIFIER('t') ADD PARTITION FIELD id;
-- parameter | ?
ALTER TABLE t ADD PARTITION FIELD bucket(?, id);
-- parameter | :
ALTER TABLE t ADD PARTITION FIELD bucket(:n, id);
-- quoted-name | 'shard'
ALTER TABLE t ADD PARTITION FIELD bucket(16, id) AS 'shard';
-- quoted-name | "shard"
ALTER TABLE t REPLACE PARTITION FIELD a WITH bucket(16, id) AS "shard";
-- quoted-column | 'id'
ALTER TABLE t ADD PARTITION FIELD 'id';
-- quoted-name | 't'
ALTER TABLE 't' ADD PARTITION FIELD id;
-- needs-backticks | größe
ALTER TABLE t ADD PARTITION FIELD größe;
-- needs-backticks | -
ALTER TABLE t ADD PARTITION FIELD event-id;
-- needs-backticks | array
ALTER TABLE t ADD PARTITION FIELD bucket(16, array);
-- needs-backticks | retention
ALTER TABLE retention ADD PARTITION FIELD id;
-- nested-transform | (
ALTER TABLE t ADD PARTITION FIELD bucket(16, days(ts));
-- nested-transform | (
ALTER TABLE t ADD PARTITION FIELD a.bucket(16, id);
-- expression | +
ALTER TABLE t ADD PARTITION FIELD bucket(8 + 8, id);
-- expression | %
ALTER TABLE t ADD PARTITION FIELD id % 16;
-- expression | (
ALTER TABLE t ADD PARTITION FIELD bucket(16, (id));
-- no-arguments | )
ALTER TABLE t ADD PARTITION FIELD days();
-- - | .
ALTER TABLE t ADD PARTITION FIELD id AS a.b;
-- - | $
ALTER TABLE t ADD PARTITION FIELD;
-- - | $
ALTER TABLE t ADD PARTITION FIELD bucket(16, id;
-- - | 16
ALTER TABLE t ADD PARTITION FIELD 16;
-- - | second
ALTER TABLE t ADD PARTITION FIELD id second;

-- two-partitioned-by | PARTITIONED
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (id) PARTITIONED BY (days(ts));
-- duplicate-clause | COMMENT
CREATE TABLE t (id INT) USING iceberg COMMENT 'a' PARTITIONED BY (id) COMMENT 'b';
-- duplicate-key | 'a'
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('a' = '1', 'a' = '2');
-- partition-by | PARTITION
CREATE TABLE t (id INT) USING iceberg PARTITION BY (id);
-- partition-by | PARTITION
CREATE TABLE t (id INT) USING iceberg PARTITION ON (id);
-- missing-by | (
CREATE TABLE t (id INT) USING iceberg PARTITIONED (id);
-- partitioned-by-spec | SPEC
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY SPEC (bucket(16, id));
-- no-parentheses | id
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY id;
-- empty-list | )
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY ();
-- trailing-comma | )
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id,);
-- mixed-columns | dt
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id, dt STRING);
-- mixed-columns | id
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (dt STRING, id);
-- as-name | AS
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (bucket(16, id) AS shard);
-- as-name | AS
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id AS shard);
-- sort-order | DESC
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (bucket(16, id) DESC);
-- using-after-clauses | USING
CREATE TABLE t (id INT) PARTITIONED BY (id) USING iceberg;
-- after-query | PARTITIONED
CREATE TABLE t USING iceberg AS SELECT * FROM s PARTITIONED BY (id);
-- partitioning-property | WITH
CREATE TABLE t (id INT) WITH (partitioning = ARRAY['bucket(id, 16)']);
-- with-properties | WITH
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id) WITH ('format-version' = '2');
-- replace-external | EXTERNAL
CREATE OR REPLACE EXTERNAL TABLE t (id INT) USING iceberg PARTITIONED BY (id);
-- replace-if-not-exists | IF
CREATE OR REPLACE TABLE IF NOT EXISTS t (id INT) USING iceberg PARTITIONED BY (id);
-- closing-parenthesis | )
CREATE TABLE t (id INT)) USING iceberg PARTITIONED BY (id);
-- like-partitioned | PARTITIONED
CREATE TABLE t LIKE s PARTITIONED BY (id);
-- like-catalog | local.db.t
CREATE TABLE local.db.t LIKE s;
-- columns-in-ctas | (
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id) AS SELECT 1 AS id;
-- types-in-ctas | STRING
CREATE TABLE t USING iceberg PARTITIONED BY (dt STRING) AS SELECT 'x' AS dt;
-- hive-clause | STORED
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id) STORED AS parquet;
-- hive-clause | ROW
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id) ROW FORMAT DELIMITED;
-- hive-clause | SKEWED
CREATE TABLE t (id INT) PARTITIONED BY (id) SKEWED BY (id) ON (1);
-- quoted-column | 'id'
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY ('id');
-- quoted-column | "bucket(16, id)"
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY ("bucket(16, id)");
-- needs-backticks | -
CREATE TABLE t (`event-id` INT) USING iceberg PARTITIONED BY (event-id);
-- needs-backticks | gs://bucket/t
CREATE TABLE gs://bucket/t (id INT) USING iceberg PARTITIONED BY (id);
-- needs-backticks | größe
CREATE TABLE t (`größe` INT) USING iceberg PARTITIONED BY (bucket(16, größe));
-- nested-transform | (
CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(16, days(ts)));
-- expression | %
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id % 16);
-- expression | *
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (bucket(2 * 8, id));
-- no-arguments | )
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (days());
-- - | 4
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (identifier(4, id));
-- - | 1
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (1);
-- - | ,
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id,, id);
-- - | 'x'
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id 'x');
-- trailing-comma | )
CREATE TABLE t (id INT,) USING iceberg PARTITIONED BY (id);
-- - | string
CREATE TABLE t (a STRUCT<b: INT>) USING iceberg PARTITIONED BY (a.b string);
-- like-catalog | local.db.s
CREATE TABLE t LIKE local.db.s;
-- other-table | TRANSIENT
CREATE TRANSIENT TABLE t (id INT) PARTITIONED BY (id);
-- other-table | ICEBERG
CREATE OR REPLACE ICEBERG TABLE t (id INT) CLUSTER BY (id);
-- other-table | ICEBERG
ALTER ICEBERG TABLE t ADD PARTITION FIELD days(ts);
-- temporary-table | t
CREATE TEMPORARY TABLE t (id INT) PARTITIONED BY (id);
-- temporary-table | AS
CREATE TEMPORARY TABLE t USING iceberg AS SELECT 1 AS id;
-- two-locations | path
CREATE TABLE t (id INT) USING iceberg OPTIONS (path 's3://b/t') LOCATION 's3://b/t';
-- duplicate-clause | COMMENT
CREATE TABLE t (id INT COMMENT 'a' COMMENT 'b') USING iceberg;
-- hint | /*+ x */
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (/*+ x */ id);
-- hint | /*+ x */
ALTER TABLE t ADD /*+ x */ PARTITION FIELD days(ts);
-- missing-column | x
ALTER TABLE t ADD x INT;
-- missing-column | (
ALTER TABLE t ADD (x INT);
-- missing-column | x
ALTER TABLE t DROP x;
-- missing-column | x
ALTER TABLE t RENAME x TO y;
-- column-if-exists | IF
ALTER TABLE t ADD COLUMN IF NOT EXISTS x INT;
-- duplicate-clause | AFTER
ALTER TABLE t ADD COLUMN x INT FIRST AFTER y;
-- - | NULL
ALTER TABLE t ADD COLUMN x INT NULL;
-- - | $
ALTER TABLE t ADD COLUMN x;
-- - | )
ALTER TABLE t ADD COLUMNS (x INT,);
-- - | .
ALTER TABLE t ADD COLUMN x INT AFTER p.y;
-- nested-new-name | .
ALTER TABLE t RENAME COLUMN p.x TO p.y;
-- nothing-to-alter | $
ALTER TABLE t ALTER COLUMN x;
-- nothing-to-alter | x
ALTER TABLE t ALTER COLUMN x x BIGINT;
-- set-type | SET
ALTER TABLE t ALTER COLUMN x SET TYPE BIGINT;
-- set-type | SET
ALTER TABLE t ALTER COLUMN x SET DATA TYPE BIGINT;
-- several-actions | COMMENT
ALTER TABLE t ALTER COLUMN x TYPE BIGINT COMMENT 'y';
-- several-actions | FIRST
ALTER TABLE t ALTER COLUMN y COMMENT 'y', x DROP NOT NULL FIRST;
-- missing-to | db
ALTER TABLE t RENAME db.u;
-- plain-columns | FIRST
ALTER TABLE t REPLACE COLUMNS (x INT FIRST);
-- plain-columns | NOT
ALTER TABLE t REPLACE COLUMNS (x INT NOT NULL);
-- plain-columns | p.x
ALTER TABLE t REPLACE COLUMNS (p.x INT);
-- columns-of-partition | REPLACE
ALTER TABLE t PARTITION (x = 1) REPLACE COLUMNS (x INT);
-- modify-elsewhere | MODIFY
ALTER TABLE t MODIFY COLUMN x BIGINT;
-- execute-elsewhere | EXECUTE
ALTER TABLE t EXECUTE optimize;
-- set-properties | PROPERTIES
ALTER TABLE t SET PROPERTIES ('a' = 'b');
-- - | )
ALTER TABLE t SET TBLPROPERTIES ('a');
-- - | =
ALTER TABLE t UNSET TBLPROPERTIES ('a' = 'b');
-- several-orders | ,
ALTER TABLE db.t WRITE ORDERED BY (id), (ts);
-- of-extension | SET
ALTER TABLE t SET POLICY (RETENTION = 30d);
-- unknown-change | FREEZE
ALTER TABLE db.t FREEZE PARTITION FIELD id;
-- retention-unit | WEEKS
ALTER TABLE db.t CREATE BRANCH b RETAIN 2 WEEKS;
-- as-of-version | TIMESTAMP
ALTER TABLE db.t CREATE BRANCH b AS OF TIMESTAMP '2024-01-01';
-- misspelt | REPALCE
ALTER TABLE db.t REPALCE PARTITION FIELD id WITH ts;
-- bracketed-fields | (
ALTER TABLE db.t SET IDENTIFIER FIELDS (id);
-- alter-if-exists | IF
ALTER TABLE IF EXISTS db.t RENAME COLUMN a TO b;
-- distributed-by | id
ALTER TABLE db.t WRITE DISTRIBUTED BY id;
-- missing-semicolon | CREATE
DROP TABLE IF EXISTS db.t
CREATE TABLE db.t (id INT) USING iceberg;
-- missing-semicolon | ALTER
CREATE TABLE db.t USING iceberg AS SELECT 1 AS id
ALTER TABLE db.t ADD PARTITION FIELD id;
-- missing-semicolon | CREATE
CREATE TABLE db.t USING iceberg AS SELECT 1 AS id
CREATE TABLE db.u (id INT) USING iceberg PARTITIONED BY (id);
-- swallowed | ALTER
SET a = 1
ALTER TABLE db.t ADD PARTITION FIELD id;
-- not-alter-table | ALTER db.t
ALTER db.t ADD PARTITION FIELD id;
-- not-alter-table | ADD
ADD PARTITION FIELD id;
-- not-create-table | db
CREATE OR REPLACE db.t USING iceberg AS SELECT 1 AS id;
-- if-not-exists-first | IF
CREATE IF NOT EXISTS TABLE db.t (id INT) USING iceberg;
-- statement-in-parentheses | (
(ALTER TABLE db.t ADD PARTITION FIELD id);
-- view-field | ADD
ALTER VIEW v ADD PARTITION FIELD id;
-- misspelt | ALTERTABLE
ALTERTABLE db.t ADD PARTITION FIELD id;
-- missing-table | ADD
ALTER TABLE ADD PARTITION FIELD x;
-- missing-table | DROP
ALTER TABLE DROP COLUMN x;
-- time-zone | WITH
CREATE TABLE t (id INT, ts TIMESTAMP(6) WITH TIME ZONE) USING iceberg PARTITIONED BY (id);
-- - | PRECISION
CREATE TABLE t (id INT, x DOUBLE PRECISION, note CHARACTER VARYING(10) NOT NULL) USING iceberg PARTITIONED BY (id);
-- - | [
CREATE TABLE t (id INT, tags TEXT[], n NUMERIC(8, 2)[], ts TIMESTAMP(3) WITH TIME ZONE) USING iceberg;
-- - | UNSIGNED
CREATE TABLE t (id BIGINT UNSIGNED AUTO_INCREMENT, n INT(11) ZEROFILL, kind ENUM('a', 'b')) USING iceberg;
-- - | Int64
CREATE TABLE t (id Nullable(Int64), tags Array(LowCardinality(String))) USING iceberg;
-- - | <
CREATE TABLE t (id INT, v VECTOR<FLOAT, 512>, w VECTOR(3)) USING iceberg;
-- - | (
CREATE TABLE t (id INT, a MAP(VARCHAR, ARRAY(ROW(x INTEGER, y VARCHAR(3)))), b ROW(DOUBLE, "c d" DATE)) USING iceberg;
-- - | a
ALTER TABLE t ADD COLUMNS (p ROW(a DOUBLE PRECISION), q ARRAY<ROW(b INT)>);
-- - | PRECISION
ALTER TABLE t ALTER COLUMN x TYPE DOUBLE PRECISION;
-- - | ENCODE
CREATE TABLE t (id INT ENCODE zstd, name STRING CHARACTER SET utf8mb4, n INT IDENTITY(1, 1)) USING iceberg;
-- nothing-to-alter | BIGINT
ALTER TABLE t ALTER COLUMN id BIGINT;
-- unterminated | `
CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (`id);
