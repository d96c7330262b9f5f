-- case: times that Spark cannot compute
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.expire_snapshots(table => 'db.t', older_than => current_timestamp() - INTERVAL 7 DAYS);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => (now() - INTERVAL '36' HOUR));  -- error: SIS609
CALL local.system.expire_snapshots('db.t', current_timestamp - INTERVAL 2 MONTHS);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => timestampadd(DAY, -7, current_timestamp()));  -- error: SIS609
CALL local.system.remove_orphan_files(table => 'db.t', older_than => dateadd(DAY, -7, now()), dry_run => true);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => current_date() - 7);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => current_date - INTERVAL 7 DAYS);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => date_sub(current_timestamp(), 7));  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => date_trunc('DAY', now()));  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => CURRENT_DATE);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => date_trunc('MONTH', now()) - INTERVAL 1 DAY);  -- error: SIS609

-- case: constants
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.expire_snapshots(table => 'db.t', older_than => TIMESTAMP '2024-01-08 12:30:00' - INTERVAL 7 DAYS);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => DATE '2024-01-08' - 7);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => CAST('2024-01-01 00:00:00' AS TIMESTAMP));  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => to_timestamp('2024-01-01'));  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => make_timestamp(2024, 1, 1, 0, 0, 0));  -- error: SIS609

-- case: times that Spark 4 computes
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.expire_snapshots(table => 'db.t', older_than => TIMESTAMP '2024-01-01 00:00:00');
CALL local.system.expire_snapshots(table => 'db.t', older_than => '2024-01-01 00:00:00');
CALL local.system.expire_snapshots(table => 'db.t', older_than => DATE '2024-01-01');
CALL local.system.expire_snapshots(table => 'db.t', older_than => now());
CALL local.system.expire_snapshots(table => 'db.t', older_than => current_timestamp());
CALL local.system.expire_snapshots(table => 'db.t', older_than => date_sub(current_date(), 7));
CALL local.system.expire_snapshots(table => 'db.t', older_than => add_months(current_date(), -1));
CALL local.system.expire_snapshots(table => 'db.t', older_than => timestamp_seconds(unix_timestamp() - 604800));
CALL local.system.expire_snapshots(table => 'db.t', older_than => date_sub(current_date(), 0), retain_last => 2 + 3);

-- case: a variable
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
DECLARE OR REPLACE VARIABLE cutoff TIMESTAMP DEFAULT current_timestamp() - INTERVAL 7 DAYS;
CALL local.system.expire_snapshots(table => 'db.t', older_than => cutoff);
CALL local.system.expire_snapshots(table => 'db.t', older_than => cutoff - INTERVAL 1 DAY);  -- error: SIS609

-- case: strategies
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO db.t VALUES (1, TIMESTAMP '2024-01-01 00:00:00');
CALL local.system.rewrite_data_files(table => 'db.t', strategy => 'zorder', sort_order => 'id, ts');  -- error: SIS609
CALL local.system.rewrite_data_files('db.t', 'z-order', 'zorder(id, ts)');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', strategy => 'zorder');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', strategy => 'bin-pack');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', strategy => 'binpack', sort_order => 'id');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', strategy => 'BINPACK');
CALL local.system.rewrite_data_files(table => 'db.t', strategy => 'Sort', sort_order => 'zorder(id, ts)');

-- case: options
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO db.t VALUES (1, TIMESTAMP '2024-01-01 00:00:00');
CALL local.system.rewrite_data_files(table => 'db.t', options => map('min-input-fles', '2'));  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true', 'target-file-size-bytes', '128MB'));  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('rewrite-job-order', 'small-first'));  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('min-input-files', '0'));  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('target-file-size-bytes', '1000', 'max-file-size-bytes', '500', 'min-file-size-bytes', '1'));  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true', 'rewrite-job-order', 'BYTES-ASC', 'max-file-group-size-bytes', '1000000000'));
CALL local.system.rewrite_position_delete_files(table => 'db.t', options => map('rewrite-al', 'true'));  -- error: SIS609
CALL local.system.rewrite_position_delete_files(table => 'db.t', options => map('rewrite-all', 'true'));

-- case: conditions
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts), bucket(4, id));
INSERT INTO db.t VALUES (1, TIMESTAMP '2024-01-01 00:00:00');
CALL local.system.rewrite_data_files(table => 'db.t', where => 'ts_day = DATE "2024-01-01"');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', where => 'id > 0 AND id_bucket IN (1, 2)');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', where => 'idd = 1');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'local.db.t', where => 'ID = 1 AND ts IS NOT NULL AND NOT id BETWEEN 3 AND 4');
CALL local.system.rewrite_data_files(table => 'db.t', where => 'ts >= TIMESTAMP "2024-01-01 00:00:00" AND id NOT IN (3, 5)');

-- case: an argument that is missing, twice or after one with a name
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.rollback_to_snapshot('db.t');  -- error: SIS609
CALL local.system.fast_forward('db.t', 'main');  -- error: SIS609
CALL local.system.expire_snapshots(retain_last => 5);  -- error: SIS609
CALL local.system.add_files(table => 'db.t');  -- error: SIS609
CALL local.system.rewrite_table_path(table => 'db.t', source_prefix => 'a');  -- error: SIS609
CALL local.system.expire_snapshots('db.t', table => 'db.t');  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', table => 'db.t');  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', TIMESTAMP '2024-01-01 00:00:00');  -- error: SIS609
CALL local.system.expire_snapshots('db.t', TIMESTAMP '2024-01-01 00:00:00', 5, 4, true, array(1), true, 1);  -- error: SIS609
CALL local.system.expire_snapshots(table => db.t);  -- error: SIS609

-- case: values of another type
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.expire_snapshots(table => 'db.t', retain_last => 'five');  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', retain_last => 5000000000);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', retain_last => true);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', stream_results => 1);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', stream_results => 'maybe');  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', snapshot_ids => 5);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', snapshot_ids => array('a'));  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => '7d');  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => '2024-13-01');  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => 1704067200000);  -- error: SIS609
CALL local.system.expire_snapshots(table => 'db.t', older_than => INTERVAL 7 DAYS);  -- error: SIS609
CALL local.system.rollback_to_snapshot('db.t', 'main');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => 'min-input-files=2');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('min-input-files', 2, 'rewrite-all', 'true'));  -- error: SIS609
CALL local.system.compute_table_stats(table => 'db.t', columns => 'id');  -- error: SIS609
CALL local.system.remove_orphan_files(table => 'db.t', equal_schemes => 's3a,s3');  -- error: SIS609

-- case: values of the right type
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO db.t VALUES (1, TIMESTAMP '2024-01-01 00:00:00');
CALL local.system.expire_snapshots(table => 'db.t', retain_last => NULL, stream_results => TRUE);
CALL local.system.expire_snapshots(table => 'db.t', older_than => '2024-01-01', max_concurrent_deletes => 4);
CALL local.system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'TRUE', 'delete-ratio-threshold', '0.3'));
CALL local.system.compute_table_stats(table => 'db.t', columns => array('id'));
CALL local.system.rewrite_data_files('db.t', 'sort', 'id DESC NULLS LAST, ts');
CALL local.system.rewrite_data_files(table => 'db.t', sort_order => 'days(ts), id');
CALL local.system.rewrite_data_files(table => 'db.t', strategy => 'sort', sort_order => 'zorder(id)', options => map('max-output-size', '8', 'compression-factor', '1.5', 'rewrite-all', 'true'));

-- case: values that are refused
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO db.t VALUES (1, TIMESTAMP '2024-01-01 00:00:00');
CALL local.system.expire_snapshots(table => 'db.t', retain_last => 0);  -- error: SIS609
CALL local.system.remove_orphan_files(table => 'db.t', max_concurrent_deletes => 0);  -- error: SIS609
CALL local.system.remove_orphan_files(table => 'db.t', prefix_mismatch_mode => 'foo');  -- error: SIS609
CALL local.system.set_current_snapshot('db.t');  -- error: SIS609
CALL local.system.set_current_snapshot(table => 'db.t', snapshot_id => 1, ref => 'main');  -- error: SIS609
CALL local.system.snapshot('db.t', 'db.t');  -- error: SIS609
CALL local.system.create_changelog_view(table => 'db.t', compute_updates => true);  -- error: SIS609
CALL local.system.create_changelog_view(table => 'db.t', compute_updates => true, identifier_columns => array('id'), net_changes => true);  -- error: SIS609
CALL local.system.create_changelog_view(table => 'db.t', identifier_columns => array('idd'));  -- error: SIS609
CALL local.system.compute_table_stats(table => 'db.t', columns => array('idd'));  -- error: SIS609
CALL local.system.compute_table_stats(table => 'db.t', columns => array('ID'));  -- error: SIS609
CALL local.system.compute_table_stats(table => 'db.t', columns => array());  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('compression-factor', '1.5'));  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', sort_order => 'id', options => map('max-output-size', '8'));  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('delete-ratio-threshold', '30%'));  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('delete-ratio-threshold', '2'));  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('max-concurrent-file-group-rewrites', '0'));  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('partial-progress.enabled', 'true', 'partial-progress.max-commits', '0'));  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'yes'));  -- warning: SIS609

-- case: sort orders
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO db.t VALUES (1, TIMESTAMP '2024-01-01 00:00:00');
CALL local.system.rewrite_data_files(table => 'db.t', strategy => 'sort');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', sort_order => 'idd');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', sort_order => 'ts_day DESC');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', sort_order => 'zorder(id, nope)');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', sort_order => 'zorder(id), ts');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', sort_order => 'z_order(id, ts)');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', sort_order => 'ZORDER(id, ts)');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', sort_order => '');  -- error: SIS609

-- case: conditions that are none
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO db.t VALUES (1, TIMESTAMP '2024-01-01 00:00:00');
CALL local.system.rewrite_data_files(table => 'db.t', where => '');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', where => 'id = 1;');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', where => 'WHERE id = 1');  -- error: SIS609
CALL local.system.rewrite_data_files(table => 'db.t', where => id = 1);  -- error: SIS609

-- case: manifests are sorted by partition fields
CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO db.t VALUES (1, TIMESTAMP '2024-01-01 00:00:00');
CALL local.system.rewrite_manifests(table => 'db.t', sort_by => array('ts'));  -- error: SIS609
CALL local.system.rewrite_manifests(table => 'db.t', sort_by => 'ts_day');  -- error: SIS609
CALL local.system.remove_orphan_files(table => 'db.t', older_than => now());  -- error: SIS609
CALL local.system.remove_orphan_files(table => 'db.t', older_than => timestamp_seconds(unix_timestamp() - 3600));  -- error: SIS609
CALL local.system.remove_orphan_files(table => 'db.t', older_than => timestamp_seconds(unix_timestamp() - 604800));
