-- case: a procedure
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.rewrite_datafiles('db.t');  -- error: SIS605
CALL system.rewrite_manifest(table => 'db.t');  -- error: SIS605
CALL local.system.`expire_snapshot`(table => 'db.t');  -- error: SIS605
CALL local.system.rewrite_data_files('db.t');
CALL local.SYSTEM.Rewrite_Manifests(table => 'db.t');

-- case: a parameter
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.rewrite_data_files(table_name => 'db.t');  -- error: SIS605
CALL local.system.expire_snapshots(table => 'db.t', retain => 5);  -- error: SIS605
CALL local.system.expire_snapshots(tabel => 'db.t', older => TIMESTAMP '2020-01-01 00:00:00');  -- error: SIS605
CALL local.system.expire_snapshots(`table` => 'db.t', retain_last => 5);
CALL local.system.rewrite_data_files(table => 'db.t', options => map('min-input-files', '2'), where => 'id = 3');

-- case: calls alone
CALL local.system.rewrite_datafiles('db.t');  -- error: SIS605
CALL local.system.expire_snapshots(table_name => 'db.t', retain_last => 5);  -- error: SIS605
CALL local.system.publish_change('db.t', 'a');  -- error: SIS605

-- case: a parameter of another procedure
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.expire_snapshots(table => 'db.t', dry_run => true);  -- error: SIS605
CALL local.system.rewrite_data_files(table => 'db.t', dry_run => true);  -- error: SIS605
CALL local.system.rewrite_manifests(table => 'db.t', where => 'id = 1');  -- error: SIS605
CALL local.system.remove_orphan_files(table => 'db.t', dry_run => true);
