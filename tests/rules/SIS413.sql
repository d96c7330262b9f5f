-- case: bucket(4, id) in Spark's catalog
CREATE TABLE spark_catalog.default.h (id BIGINT, s STRING, d DATE, ts TIMESTAMP) USING parquet PARTITIONED BY (bucket(4, id)); -- error: SIS413

-- case: days(ts) in Spark's catalog
CREATE TABLE spark_catalog.default.h (id BIGINT, s STRING, d DATE, ts TIMESTAMP) USING parquet PARTITIONED BY (days(ts)); -- error: SIS413

-- case: truncate(4, s) in Spark's catalog
CREATE TABLE spark_catalog.default.h (id BIGINT, s STRING, d DATE, ts TIMESTAMP) USING parquet PARTITIONED BY (truncate(4, s)); -- error: SIS413

-- case: s, bucket(4, id) in Spark's catalog
CREATE TABLE spark_catalog.default.h (id BIGINT, s STRING, d DATE, ts TIMESTAMP) USING parquet PARTITIONED BY (s, bucket(4, id)); -- error: SIS413

-- case: years(d) in Spark's catalog
CREATE TABLE spark_catalog.default.h (id BIGINT, s STRING, d DATE, ts TIMESTAMP) USING parquet PARTITIONED BY (years(d)); -- error: SIS413

-- case: s in Spark's catalog
CREATE TABLE spark_catalog.default.h (id BIGINT, s STRING, d DATE, ts TIMESTAMP) USING parquet PARTITIONED BY (s);

-- case: identity(s) in Spark's catalog
CREATE TABLE spark_catalog.default.h (id BIGINT, s STRING, d DATE, ts TIMESTAMP) USING parquet PARTITIONED BY (identity(s));

-- case: BUCKET(4, id) in Spark's catalog
CREATE TABLE spark_catalog.default.h (id BIGINT, s STRING, d DATE, ts TIMESTAMP) USING parquet PARTITIONED BY (BUCKET(4, id)); -- error: SIS413

-- case: without USING in Spark's catalog
CREATE TABLE spark_catalog.default.h (id BIGINT) PARTITIONED BY (bucket(4, id)); -- error: SIS413

-- case: parquet in Iceberg's catalog
CREATE TABLE t (id BIGINT) USING parquet PARTITIONED BY (bucket(4, id));
ALTER TABLE t DROP PARTITION FIELD id_bucket;

-- case: CLUSTERED BY (id) INTO 4 BUCKETS
CREATE TABLE t (id BIGINT, s STRING) USING iceberg CLUSTERED BY (id) INTO 4 BUCKETS; -- warning: SIS413

-- case: CLUSTERED BY (id) SORTED BY (id) INTO 4 BUCKETS
CREATE TABLE t (id BIGINT, s STRING) USING iceberg CLUSTERED BY (id) SORTED BY (id) INTO 4 BUCKETS; -- error: SIS413

-- case: CLUSTERED BY (id, s) INTO 4 BUCKETS
CREATE TABLE t (id BIGINT, s STRING) USING iceberg CLUSTERED BY (id, s) INTO 4 BUCKETS; -- error: SIS413

-- case: CLUSTER BY (id)
CREATE TABLE t (id BIGINT, s STRING) USING iceberg CLUSTER BY (id); -- error: SIS413

-- case: CLUSTER BY (id, s)
CREATE TABLE t (id BIGINT, s STRING) USING iceberg CLUSTER BY (id, s); -- error: SIS413

-- case: PARTITIONED BY (s) CLUSTERED BY (id) INTO 4 BUCKETS
CREATE TABLE t (id BIGINT, s STRING) USING iceberg PARTITIONED BY (s) CLUSTERED BY (id) INTO 4 BUCKETS; -- note: SIS002 -- warning: SIS413

-- case: CLUSTERED BY in Spark's catalog
CREATE TABLE spark_catalog.default.h (id BIGINT) USING parquet CLUSTERED BY (id) INTO 4 BUCKETS;

-- case: identity and bucket in Spark's catalog
CREATE TABLE spark_catalog.default.h (id BIGINT, s STRING) USING parquet PARTITIONED BY (identity(s), bucket(4, id)); -- error: SIS413

-- case: a temporary table with columns
CREATE TEMPORARY TABLE v (id INT) USING iceberg;  -- error: SIS413

-- case: a temporary table with partitions
CREATE TEMP TABLE v (id INT) USING iceberg PARTITIONED BY (bucket(4, id));  -- error: SIS413

-- case: a temporary table from nowhere
CREATE TEMPORARY TABLE v USING iceberg;  -- error: SIS413

-- case: a temporary table over files
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
CREATE TEMPORARY TABLE v USING iceberg OPTIONS (path 'db.t');

-- case: a temporary table over files, and partitions
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
CREATE TEMPORARY TABLE v USING iceberg OPTIONS (path 'db.t') PARTITIONED BY (bucket(4, id));  -- warning: SIS413

-- case: a temporary table of another format
CREATE TEMPORARY TABLE v (id INT) USING parquet;

-- case: an external table
CREATE EXTERNAL TABLE t (id INT) USING iceberg PARTITIONED BY (id);

-- case: clustered by in small letters
CREATE TABLE t (id INT, s STRING) USING iceberg clustered by (id) into 4 buckets;  -- warning: SIS413

-- case: sorted by in small letters
CREATE TABLE t (id INT, s STRING) USING iceberg clustered by (id) sorted by (s) into 4 buckets;  -- error: SIS413

-- case: icberg
CREATE TABLE h (a INT) USING icberg; -- error: SIS413

-- case: crocodile
CREATE TABLE h (a INT) USING crocodile; -- error: SIS413

-- case: csv
CREATE TABLE h (a INT) USING csv; -- error: SIS413

-- case: json
CREATE TABLE h (a INT) USING json; -- error: SIS413

-- case: hive
CREATE TABLE h (a INT) USING hive; -- error: SIS413

-- case: ICEBERG
CREATE TABLE h (a INT) USING ICEBERG;

-- case: `iceberg`
CREATE TABLE h (a INT) USING `iceberg`;

-- case: parquet
CREATE TABLE h (a INT) USING parquet;

-- case: org.apache.iceberg.spark.source.IcebergSource
CREATE TABLE h (a INT) USING org.apache.iceberg.spark.source.IcebergSource; -- error: SIS413

-- case: crocodile as query
CREATE TABLE h USING crocodile AS SELECT 1 AS a; -- error: SIS413

-- case: crocodile if not exists
CREATE TABLE h (a INT) USING iceberg;
CREATE TABLE IF NOT EXISTS h (a INT) USING crocodile; -- error: SIS413

-- case: or replace
CREATE OR REPLACE TABLE h (a INT) USING crocodile; -- error: SIS413

-- case: icberg and buckets
CREATE TABLE h (a INT) USING icberg PARTITIONED BY (bucket(4, a)); -- error: SIS413

-- case: stored as
CREATE TABLE h (a INT) STORED AS PARQUET;

-- case: crocodile and weeks
CREATE TABLE h (a INT) USING crocodile PARTITIONED BY (weeks(a)); -- error: SIS413

-- case: immediate
EXECUTE IMMEDIATE 'CREATE TABLE e (id INT) USING iceberg PARTITIONED BY (id)';
EXECUTE IMMEDIATE 'ALTER TABLE e ADD PARTITION FIELD weeks(id)'; -- error: SIS101
ALTER TABLE e DROP PARTITION FIELD id;
EXECUTE IMMEDIATE "ALTER TABLE e DROP PARTITION FIELD id"; -- error: SIS401
