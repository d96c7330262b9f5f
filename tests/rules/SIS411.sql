-- case: provider in CREATE
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('provider' = 'x');  -- error: SIS411

-- case: provider in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('provider' = 'x');  -- error: SIS411

-- case: location in CREATE
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('location' = 'x');  -- error: SIS411

-- case: location in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('location' = 'x');  -- error: SIS411

-- case: owner in CREATE
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('owner' = 'x');  -- error: SIS411

-- case: owner in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('owner' = 'x');  -- error: SIS411

-- case: external in CREATE
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('external' = 'x');  -- error: SIS411

-- case: external in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('external' = 'x');  -- error: SIS411

-- case: is_managed_location in CREATE
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('is_managed_location' = 'x');  -- error: SIS411

-- case: is_managed_location in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('is_managed_location' = 'x');  -- error: SIS411

-- case: in OPTIONS
CREATE TABLE t (id INT) USING iceberg OPTIONS (provider 'x');  -- error: SIS411

-- case: a table of another format
CREATE TABLE spark_catalog.default.p (id INT) USING parquet TBLPROPERTIES ('owner' = 'x');  -- error: SIS411

-- case: UNSET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t UNSET TBLPROPERTIES ('owner');  -- error: SIS411

-- case: UNSET of what is not there
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t UNSET TBLPROPERTIES ('nope');

-- case: letter case counts
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('PROVIDER' = 'x', 'comment' = 'y', 'sort-order' = 'z', 'identifier-fields' = 'id');

-- case: sort-order
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('sort-order' = 'x');  -- error: SIS411

-- case: identifier-fields
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('identifier-fields' = 'x');  -- error: SIS411

-- case: IF NOT EXISTS does not hide it
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id INT) USING iceberg TBLPROPERTIES ('owner' = 'x');  -- error: SIS411

-- case: no such format
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('write.format.default' = 'csv');  -- error: SIS411

-- case: no such format in SET
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.format.default' = 'delta');  -- error: SIS411

-- case: formats in any letter case
CREATE TABLE t (id INT) USING iceberg TBLPROPERTIES ('write.format.default' = 'ORC');
ALTER TABLE t SET TBLPROPERTIES ('write.format.default' = 'Avro');

-- case: Athena's type
CREATE TABLE t (id INT) PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('table_type' = 'ICEBERG');  -- error: SIS411

-- case: commit.retry.num-retries=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = 'x'); -- error: SIS411

-- case: commit.retry.num-retries=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.retry.num-retries' = 'x'); -- error: SIS411

-- case: commit.retry.num-retries=-1 at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = '-1'); -- error: SIS411

-- case: commit.retry.num-retries=-1 at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.retry.num-retries' = '-1');

-- case: commit.retry.num-retries=1.5 at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = '1.5'); -- error: SIS411

-- case: commit.retry.num-retries=1.5 at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.retry.num-retries' = '1.5'); -- error: SIS411

-- case: commit.retry.num-retries= at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = ''); -- error: SIS411

-- case: commit.retry.num-retries= at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.retry.num-retries' = ''); -- error: SIS411

-- case: commit.retry.num-retries= 4 at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = ' 4'); -- error: SIS411

-- case: commit.retry.num-retries= 4 at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.retry.num-retries' = ' 4'); -- error: SIS411

-- case: commit.retry.num-retries=+4 at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = '+4');

-- case: commit.retry.num-retries=+4 at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.retry.num-retries' = '+4');

-- case: commit.retry.num-retries=99999999999 at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.retry.num-retries' = '99999999999'); -- error: SIS411

-- case: commit.retry.num-retries=99999999999 at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.retry.num-retries' = '99999999999'); -- error: SIS411

-- case: commit.retry.min-wait-ms=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.retry.min-wait-ms' = 'x'); -- error: SIS411

-- case: commit.retry.min-wait-ms=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.retry.min-wait-ms' = 'x'); -- error: SIS411

-- case: commit.retry.max-wait-ms=1s at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.retry.max-wait-ms' = '1s'); -- error: SIS411

-- case: commit.retry.max-wait-ms=1s at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.retry.max-wait-ms' = '1s'); -- error: SIS411

-- case: commit.retry.total-timeout-ms=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.retry.total-timeout-ms' = 'x'); -- error: SIS411

-- case: commit.retry.total-timeout-ms=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.retry.total-timeout-ms' = 'x'); -- error: SIS411

-- case: write.metadata.previous-versions-max=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.metadata.previous-versions-max' = 'x'); -- error: SIS411

-- case: write.metadata.previous-versions-max=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.previous-versions-max' = 'x'); -- error: SIS411

-- case: write.metadata.previous-versions-max=-1 at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.metadata.previous-versions-max' = '-1');

-- case: write.metadata.previous-versions-max=-1 at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.previous-versions-max' = '-1');

-- case: write.metadata.metrics.max-inferred-column-defaults=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.metadata.metrics.max-inferred-column-defaults' = 'x'); -- error: SIS411

-- case: write.metadata.metrics.max-inferred-column-defaults=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.metrics.max-inferred-column-defaults' = 'x'); -- error: SIS411

-- case: write.metadata.compression-codec=zstd at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.metadata.compression-codec' = 'zstd'); -- error: SIS411

-- case: write.metadata.compression-codec=zstd at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.compression-codec' = 'zstd'); -- error: SIS411

-- case: write.metadata.compression-codec=GZIP at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.metadata.compression-codec' = 'GZIP');

-- case: write.metadata.compression-codec=GZIP at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.compression-codec' = 'GZIP');

-- case: write.metadata.compression-codec=none at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.metadata.compression-codec' = 'none');

-- case: write.metadata.compression-codec=none at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.compression-codec' = 'none');

-- case: write.metadata.metrics.column.nope=full at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.metadata.metrics.column.nope' = 'full'); -- error: SIS411

-- case: write.metadata.metrics.column.nope=full at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.metrics.column.nope' = 'full'); -- error: SIS411

-- case: write.metadata.metrics.column.ID=full at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.metadata.metrics.column.ID' = 'full'); -- error: SIS411

-- case: write.metadata.metrics.column.ID=full at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.metrics.column.ID' = 'full'); -- error: SIS411

-- case: write.metadata.metrics.column.id=full at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.metadata.metrics.column.id' = 'full');

-- case: write.metadata.metrics.column.id=full at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.metrics.column.id' = 'full');

-- case: write.metadata.metrics.default=nope at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.metadata.metrics.default' = 'nope');

-- case: write.metadata.metrics.default=nope at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.metrics.default' = 'nope');

-- case: commit.manifest.target-size-bytes=8MB at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.manifest.target-size-bytes' = '8MB'); -- error: SIS411

-- case: commit.manifest.target-size-bytes=8MB at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.manifest.target-size-bytes' = '8MB'); -- error: SIS411

-- case: commit.manifest.min-count-to-merge=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('commit.manifest.min-count-to-merge' = 'x'); -- error: SIS411

-- case: commit.manifest.min-count-to-merge=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('commit.manifest.min-count-to-merge' = 'x'); -- error: SIS411

-- case: write.summary.partition-limit=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.summary.partition-limit' = 'x'); -- error: SIS411

-- case: write.summary.partition-limit=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.summary.partition-limit' = 'x'); -- error: SIS411

-- case: write.target-file-size-bytes=512MB at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.target-file-size-bytes' = '512MB'); -- error: SIS411

-- case: write.target-file-size-bytes=512MB at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.target-file-size-bytes' = '512MB'); -- error: SIS411

-- case: write.target-file-size-bytes=-1 at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.target-file-size-bytes' = '-1');

-- case: write.target-file-size-bytes=-1 at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.target-file-size-bytes' = '-1');

-- case: write.spark.advisory-partition-size-bytes=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.spark.advisory-partition-size-bytes' = 'x'); -- error: SIS411

-- case: write.spark.advisory-partition-size-bytes=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.spark.advisory-partition-size-bytes' = 'x'); -- error: SIS411

-- case: write.parquet.row-group-size-bytes=128MB at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.row-group-size-bytes' = '128MB'); -- error: SIS411

-- case: write.parquet.row-group-size-bytes=128MB at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.parquet.row-group-size-bytes' = '128MB'); -- error: SIS411

-- case: write.parquet.page-size-bytes=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.page-size-bytes' = 'x'); -- error: SIS411

-- case: write.parquet.page-size-bytes=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.parquet.page-size-bytes' = 'x'); -- error: SIS411

-- case: write.parquet.page-row-limit=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.page-row-limit' = 'x'); -- error: SIS411

-- case: write.parquet.page-row-limit=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.parquet.page-row-limit' = 'x'); -- error: SIS411

-- case: write.parquet.dict-size-bytes=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.dict-size-bytes' = 'x'); -- error: SIS411

-- case: write.parquet.dict-size-bytes=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.parquet.dict-size-bytes' = 'x'); -- error: SIS411

-- case: write.parquet.row-group-check-min-record-count=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.row-group-check-min-record-count' = 'x'); -- error: SIS411

-- case: write.parquet.row-group-check-min-record-count=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.parquet.row-group-check-min-record-count' = 'x'); -- error: SIS411

-- case: write.parquet.compression-codec=nope at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.compression-codec' = 'nope'); -- error: SIS411

-- case: write.parquet.compression-codec=nope at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.parquet.compression-codec' = 'nope'); -- error: SIS411

-- case: write.parquet.compression-codec=ZSTD at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.compression-codec' = 'ZSTD');

-- case: write.parquet.compression-codec=ZSTD at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.parquet.compression-codec' = 'ZSTD');

-- case: write.parquet.compression-codec=none at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.compression-codec' = 'none'); -- error: SIS411

-- case: write.parquet.compression-codec=none at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.parquet.compression-codec' = 'none'); -- error: SIS411

-- case: write.parquet.compression-codec=uncompressed at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.compression-codec' = 'uncompressed');

-- case: write.parquet.compression-codec=uncompressed at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.parquet.compression-codec' = 'uncompressed');

-- case: write.parquet.compression-level=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.compression-level' = 'x'); -- error: SIS411

-- case: write.parquet.compression-level=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.parquet.compression-level' = 'x'); -- error: SIS411

-- case: write.avro.compression-codec=nope at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.avro.compression-codec' = 'nope');

-- case: write.avro.compression-codec=nope at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.avro.compression-codec' = 'nope');

-- case: write.orc.stripe-size-bytes=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.orc.stripe-size-bytes' = 'x');

-- case: write.orc.stripe-size-bytes=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.orc.stripe-size-bytes' = 'x');

-- case: write.distribution-mode=nope at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.distribution-mode' = 'nope'); -- error: SIS411

-- case: write.distribution-mode=nope at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.distribution-mode' = 'nope'); -- error: SIS411

-- case: write.distribution-mode=HASH at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.distribution-mode' = 'HASH');

-- case: write.distribution-mode=HASH at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.distribution-mode' = 'HASH');

-- case: write.format.default=csv at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.format.default' = 'csv'); -- error: SIS411

-- case: write.format.default=csv at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.format.default' = 'csv'); -- error: SIS411

-- case: write.delete.format.default=nope at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.delete.format.default' = 'nope'); -- error: SIS411

-- case: write.delete.format.default=nope at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.delete.format.default' = 'nope'); -- error: SIS411

-- case: write.delete.mode=nope at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.delete.mode' = 'nope'); -- warning: SIS411

-- case: write.delete.mode=nope at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.delete.mode' = 'nope'); -- warning: SIS411

-- case: write.delete.mode=Merge-On-Read at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.delete.mode' = 'Merge-On-Read');

-- case: write.delete.mode=Merge-On-Read at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.delete.mode' = 'Merge-On-Read');

-- case: write.update.mode=nope at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.update.mode' = 'nope'); -- warning: SIS411

-- case: write.update.mode=nope at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.update.mode' = 'nope'); -- warning: SIS411

-- case: write.merge.mode=nope at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.merge.mode' = 'nope'); -- warning: SIS411

-- case: write.merge.mode=nope at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.merge.mode' = 'nope'); -- warning: SIS411

-- case: write.delete.isolation-level=nope at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.delete.isolation-level' = 'nope'); -- warning: SIS411

-- case: write.delete.isolation-level=nope at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.delete.isolation-level' = 'nope'); -- warning: SIS411

-- case: read.split.target-size=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('read.split.target-size' = 'x'); -- error: SIS411

-- case: read.split.target-size=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('read.split.target-size' = 'x'); -- error: SIS411

-- case: read.split.planning-lookback=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('read.split.planning-lookback' = 'x'); -- error: SIS411

-- case: read.split.planning-lookback=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('read.split.planning-lookback' = 'x'); -- error: SIS411

-- case: read.split.open-file-cost=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('read.split.open-file-cost' = 'x'); -- error: SIS411

-- case: read.split.open-file-cost=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('read.split.open-file-cost' = 'x'); -- error: SIS411

-- case: read.parquet.vectorization.batch-size=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('read.parquet.vectorization.batch-size' = 'x'); -- error: SIS411

-- case: read.parquet.vectorization.batch-size=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('read.parquet.vectorization.batch-size' = 'x'); -- error: SIS411

-- case: read.parquet.vectorization.enabled=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('read.parquet.vectorization.enabled' = 'x'); -- warning: SIS411

-- case: read.parquet.vectorization.enabled=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('read.parquet.vectorization.enabled' = 'x'); -- warning: SIS411

-- case: encryption.key-id=k at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('encryption.key-id' = 'k'); -- error: SIS411

-- case: encryption.key-id=k at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('encryption.key-id' = 'k');

-- case: encryption.data-key-length=16 at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('encryption.data-key-length' = '16'); -- error: SIS411

-- case: encryption.data-key-length=16 at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('encryption.data-key-length' = '16');

-- case: gc.enabled=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('gc.enabled' = 'x'); -- warning: SIS411

-- case: gc.enabled=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('gc.enabled' = 'x'); -- warning: SIS411

-- case: schema.name-mapping.default=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('schema.name-mapping.default' = 'x'); -- error: SIS411

-- case: schema.name-mapping.default=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('schema.name-mapping.default' = 'x'); -- error: SIS411

-- case: history.expire.min-snapshots-to-keep=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('history.expire.min-snapshots-to-keep' = 'x'); -- error: SIS411

-- case: history.expire.min-snapshots-to-keep=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('history.expire.min-snapshots-to-keep' = 'x'); -- error: SIS411

-- case: write.metadata.delete-after-commit.enabled=x at CREATE
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.metadata.delete-after-commit.enabled' = 'x'); -- warning: SIS411

-- case: write.metadata.delete-after-commit.enabled=x at ALTER
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.delete-after-commit.enabled' = 'x'); -- warning: SIS411

-- case: properties of Parquet in a table of ORC files
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.format.default' = 'orc', 'write.parquet.page-size-bytes' = 'x');

-- case: a level of a codec that has none
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.compression-codec' = 'snappy', 'write.parquet.compression-level' = 'x');

-- case: a size of Parquet's filters
CREATE TABLE t (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('write.parquet.bloom-filter-max-bytes' = '1MB'); -- error: SIS411

-- case: retentions that expire_snapshots cannot read
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('history.expire.max-snapshot-age-ms' = '7d'); -- error: SIS411
CREATE TABLE u (id BIGINT) USING iceberg TBLPROPERTIES ('history.expire.max-snapshot-age-ms' = '604800000');

-- case: a number of snapshots that is none
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t SET TBLPROPERTIES ('history.expire.min-snapshots-to-keep' = 'ten'); -- error: SIS411

-- case: names that are misspelt
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('write.target-file-size-byte' = '1000'); -- warning: SIS411
ALTER TABLE t SET TBLPROPERTIES ('write.distribution_mode' = 'hash'); -- warning: SIS411
ALTER TABLE t SET TBLPROPERTIES ('history.expire.max-snapshots-age-ms' = '1000'); -- warning: SIS411

-- case: keys of users and of other engines
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('team' = 'a', 'Comment' = 'b', 'UUID' = 'c', 'write.parallelism' = '4', 'write.parquet.row-group-limit' = '1', 'write.distribution.hash-mode' = 'auto', 'self-optimizing.enabled' = 'yes', 'write.py-location-provider.impl' = 'x');
ALTER TABLE t SET TBLPROPERTIES ('write.parquet.bloom-filter-enabled.column.id' = 'true', 'write.metadata.metrics.column.id' = 'counts', 'read.stream.rate' = '3', 'snapshot.base.keep.minutes' = '9');

-- case: switches
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('write.object-storage.enabled' = 'yes'); -- warning: SIS411
ALTER TABLE t SET TBLPROPERTIES ('write.metadata.delete-after-commit.enabled' = 'TRUE', 'gc.enabled' = 'false');

-- case: a target below a row group
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('write.target-file-size-bytes' = '1048576', 'write.parquet.row-group-size-bytes' = '2097152'); -- warning: SIS411
CREATE TABLE u (id BIGINT) USING iceberg TBLPROPERTIES ('write.parquet.row-group-size-bytes' = '2097152');
ALTER TABLE u SET TBLPROPERTIES ('write.target-file-size-bytes' = '1048576'); -- warning: SIS411
ALTER TABLE u SET TBLPROPERTIES ('write.target-file-size-bytes' = '4194304');

-- case: values of ORC and Avro, where the table writes them
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('write.format.default' = 'orc', 'write.orc.compression-codec' = 'gzip'); -- error: SIS411
CREATE TABLE u (id BIGINT) USING iceberg TBLPROPERTIES ('write.format.default' = 'avro', 'write.avro.compression-codec' = 'lzo'); -- error: SIS411
CREATE TABLE v (id BIGINT) USING iceberg TBLPROPERTIES ('write.format.default' = 'orc', 'write.orc.stripe-size-bytes' = '64MB'); -- error: SIS411
CREATE TABLE w (id BIGINT) USING iceberg TBLPROPERTIES ('write.format.default' = 'orc', 'write.orc.bloom.filter.fpp' = '1%'); -- error: SIS411
CREATE TABLE x (id BIGINT) USING iceberg TBLPROPERTIES ('write.format.default' = 'orc', 'write.orc.compression-codec' = 'ZSTD', 'write.orc.bloom.filter.fpp' = '0.05');
CREATE TABLE y (id BIGINT) USING iceberg TBLPROPERTIES ('write.orc.compression-codec' = 'gzip');

-- case: values that only some statements read
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('write.delete.granularity' = 'table'); -- warning: SIS411
CREATE TABLE u (id BIGINT) USING iceberg TBLPROPERTIES ('write.delete.target-file-size-bytes' = '64MB'); -- warning: SIS411
CREATE TABLE v (id BIGINT) USING iceberg TBLPROPERTIES ('commit.status-check.num-retries' = 'three'); -- warning: SIS411
CREATE TABLE w (id BIGINT) USING iceberg TBLPROPERTIES ('write.delete.granularity' = 'FILE', 'write.delete.target-file-size-bytes' = '67108864');

-- case: values of reads
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('read.data-planning-mode' = 'remote'); -- error: SIS411
CREATE TABLE u (id BIGINT) USING iceberg TBLPROPERTIES ('read.delete-planning-mode' = 'far'); -- error: SIS411
CREATE TABLE v (id BIGINT) USING iceberg TBLPROPERTIES ('read.data-planning-mode' = 'LOCAL');

-- case: options of INSERT
CREATE TABLE t (id BIGINT) USING iceberg;
INSERT INTO t WITH ('write-format' = 'csv') VALUES (1); -- error: SIS411
INSERT INTO t WITH ('target-file-size-bytes' = '128MB') VALUES (1); -- error: SIS411

-- case: options of a query
CREATE TABLE t (id BIGINT, d DATE) USING iceberg;
SELECT * FROM t WITH ('split-size' = '128MB');  -- error: SIS411
SELECT count(*) FROM t WITH ('vectorization-enabled' = 'maybe');  -- warning: SIS411
SELECT * FROM t AS a JOIN t WITH ('lookback' = 'many', 'splitsize' = '1') USING (id);  -- error: SIS411 -- warning: SIS411
SELECT * FROM t WITH ('split-size' = '1048576', 'file-open-cost' = '0');
WITH c AS (SELECT 1 AS id) SELECT * FROM c JOIN t WITH ('batch-size' = '10') USING (id);
