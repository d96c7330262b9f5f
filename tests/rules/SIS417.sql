-- case: identity on partition, v1
CREATE TABLE t (id BIGINT, `partition` INT) USING iceberg PARTITIONED BY (`partition`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on partition, v1, merge-on-read
CREATE TABLE t (id BIGINT, `partition` INT) USING iceberg PARTITIONED BY (`partition`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on row, v1
CREATE TABLE t (id BIGINT, `row` INT) USING iceberg PARTITIONED BY (`row`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on row, v1, merge-on-read
CREATE TABLE t (id BIGINT, `row` INT) USING iceberg PARTITIONED BY (`row`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on pos, v1
CREATE TABLE t (id BIGINT, `pos` INT) USING iceberg PARTITIONED BY (`pos`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on pos, v1, merge-on-read
CREATE TABLE t (id BIGINT, `pos` INT) USING iceberg PARTITIONED BY (`pos`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on spec_id, v1
CREATE TABLE t (id BIGINT, `spec_id` INT) USING iceberg PARTITIONED BY (`spec_id`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on spec_id, v1, merge-on-read
CREATE TABLE t (id BIGINT, `spec_id` INT) USING iceberg PARTITIONED BY (`spec_id`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on file_path, v1
CREATE TABLE t (id BIGINT, `file_path` INT) USING iceberg PARTITIONED BY (`file_path`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on file_path, v1, merge-on-read
CREATE TABLE t (id BIGINT, `file_path` INT) USING iceberg PARTITIONED BY (`file_path`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on delete_file_path, v1
CREATE TABLE t (id BIGINT, `delete_file_path` INT) USING iceberg PARTITIONED BY (`delete_file_path`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on delete_file_path, v1, merge-on-read
CREATE TABLE t (id BIGINT, `delete_file_path` INT) USING iceberg PARTITIONED BY (`delete_file_path`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on content_offset, v1
CREATE TABLE t (id BIGINT, `content_offset` INT) USING iceberg PARTITIONED BY (`content_offset`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on content_offset, v1, merge-on-read
CREATE TABLE t (id BIGINT, `content_offset` INT) USING iceberg PARTITIONED BY (`content_offset`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on content_size_in_bytes, v1
CREATE TABLE t (id BIGINT, `content_size_in_bytes` INT) USING iceberg PARTITIONED BY (`content_size_in_bytes`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on content_size_in_bytes, v1, merge-on-read
CREATE TABLE t (id BIGINT, `content_size_in_bytes` INT) USING iceberg PARTITIONED BY (`content_size_in_bytes`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on a`b, v1
CREATE TABLE t (id BIGINT, `a``b` INT) USING iceberg PARTITIONED BY (`a``b`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on a`b, v1, merge-on-read
CREATE TABLE t (id BIGINT, `a``b` INT) USING iceberg PARTITIONED BY (`a``b`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on a.b, v1
CREATE TABLE t (id BIGINT, `a.b` INT) USING iceberg PARTITIONED BY (`a.b`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on a.b, v1, merge-on-read
CREATE TABLE t (id BIGINT, `a.b` INT) USING iceberg PARTITIONED BY (`a.b`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on a b, v1
CREATE TABLE t (id BIGINT, `a b` INT) USING iceberg PARTITIONED BY (`a b`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on a b, v1, merge-on-read
CREATE TABLE t (id BIGINT, `a b` INT) USING iceberg PARTITIONED BY (`a b`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on content, v1
CREATE TABLE t (id BIGINT, `content` INT) USING iceberg PARTITIONED BY (`content`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on content, v1, merge-on-read
CREATE TABLE t (id BIGINT, `content` INT) USING iceberg PARTITIONED BY (`content`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on Partition, v1
CREATE TABLE t (id BIGINT, `Partition` INT) USING iceberg PARTITIONED BY (`Partition`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on Partition, v1, merge-on-read
CREATE TABLE t (id BIGINT, `Partition` INT) USING iceberg PARTITIONED BY (`Partition`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on _x, v1
CREATE TABLE t (id BIGINT, `_x` INT) USING iceberg PARTITIONED BY (`_x`) TBLPROPERTIES ('format-version' = '1');

-- case: identity on _x, v1, merge-on-read
CREATE TABLE t (id BIGINT, `_x` INT) USING iceberg PARTITIONED BY (`_x`) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');

-- case: identity on partition, v2
CREATE TABLE t (id BIGINT, `partition` INT) USING iceberg PARTITIONED BY (`partition`) TBLPROPERTIES ('format-version' = '2'); -- warning: SIS417

-- case: identity on partition, v2, merge-on-read
CREATE TABLE t (id BIGINT, `partition` INT) USING iceberg PARTITIONED BY (`partition`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on row, v2
CREATE TABLE t (id BIGINT, `row` INT) USING iceberg PARTITIONED BY (`row`) TBLPROPERTIES ('format-version' = '2'); -- warning: SIS417

-- case: identity on row, v2, merge-on-read
CREATE TABLE t (id BIGINT, `row` INT) USING iceberg PARTITIONED BY (`row`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on pos, v2
CREATE TABLE t (id BIGINT, `pos` INT) USING iceberg PARTITIONED BY (`pos`) TBLPROPERTIES ('format-version' = '2'); -- warning: SIS417

-- case: identity on pos, v2, merge-on-read
CREATE TABLE t (id BIGINT, `pos` INT) USING iceberg PARTITIONED BY (`pos`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on spec_id, v2
CREATE TABLE t (id BIGINT, `spec_id` INT) USING iceberg PARTITIONED BY (`spec_id`) TBLPROPERTIES ('format-version' = '2'); -- warning: SIS417

-- case: identity on spec_id, v2, merge-on-read
CREATE TABLE t (id BIGINT, `spec_id` INT) USING iceberg PARTITIONED BY (`spec_id`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on file_path, v2
CREATE TABLE t (id BIGINT, `file_path` INT) USING iceberg PARTITIONED BY (`file_path`) TBLPROPERTIES ('format-version' = '2'); -- warning: SIS417

-- case: identity on file_path, v2, merge-on-read
CREATE TABLE t (id BIGINT, `file_path` INT) USING iceberg PARTITIONED BY (`file_path`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on delete_file_path, v2
CREATE TABLE t (id BIGINT, `delete_file_path` INT) USING iceberg PARTITIONED BY (`delete_file_path`) TBLPROPERTIES ('format-version' = '2'); -- warning: SIS417

-- case: identity on delete_file_path, v2, merge-on-read
CREATE TABLE t (id BIGINT, `delete_file_path` INT) USING iceberg PARTITIONED BY (`delete_file_path`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on content_offset, v2
CREATE TABLE t (id BIGINT, `content_offset` INT) USING iceberg PARTITIONED BY (`content_offset`) TBLPROPERTIES ('format-version' = '2');

-- case: identity on content_offset, v2, merge-on-read
CREATE TABLE t (id BIGINT, `content_offset` INT) USING iceberg PARTITIONED BY (`content_offset`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');

-- case: identity on content_size_in_bytes, v2
CREATE TABLE t (id BIGINT, `content_size_in_bytes` INT) USING iceberg PARTITIONED BY (`content_size_in_bytes`) TBLPROPERTIES ('format-version' = '2');

-- case: identity on content_size_in_bytes, v2, merge-on-read
CREATE TABLE t (id BIGINT, `content_size_in_bytes` INT) USING iceberg PARTITIONED BY (`content_size_in_bytes`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');

-- case: identity on a`b, v2
CREATE TABLE t (id BIGINT, `a``b` INT) USING iceberg PARTITIONED BY (`a``b`) TBLPROPERTIES ('format-version' = '2'); -- warning: SIS417

-- case: identity on a`b, v2, merge-on-read
CREATE TABLE t (id BIGINT, `a``b` INT) USING iceberg PARTITIONED BY (`a``b`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on a.b, v2
CREATE TABLE t (id BIGINT, `a.b` INT) USING iceberg PARTITIONED BY (`a.b`) TBLPROPERTIES ('format-version' = '2');

-- case: identity on a.b, v2, merge-on-read
CREATE TABLE t (id BIGINT, `a.b` INT) USING iceberg PARTITIONED BY (`a.b`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');

-- case: identity on a b, v2
CREATE TABLE t (id BIGINT, `a b` INT) USING iceberg PARTITIONED BY (`a b`) TBLPROPERTIES ('format-version' = '2');

-- case: identity on a b, v2, merge-on-read
CREATE TABLE t (id BIGINT, `a b` INT) USING iceberg PARTITIONED BY (`a b`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');

-- case: identity on content, v2
CREATE TABLE t (id BIGINT, `content` INT) USING iceberg PARTITIONED BY (`content`) TBLPROPERTIES ('format-version' = '2');

-- case: identity on content, v2, merge-on-read
CREATE TABLE t (id BIGINT, `content` INT) USING iceberg PARTITIONED BY (`content`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');

-- case: identity on Partition, v2
CREATE TABLE t (id BIGINT, `Partition` INT) USING iceberg PARTITIONED BY (`Partition`) TBLPROPERTIES ('format-version' = '2');

-- case: identity on Partition, v2, merge-on-read
CREATE TABLE t (id BIGINT, `Partition` INT) USING iceberg PARTITIONED BY (`Partition`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');

-- case: identity on _x, v2
CREATE TABLE t (id BIGINT, `_x` INT) USING iceberg PARTITIONED BY (`_x`) TBLPROPERTIES ('format-version' = '2');

-- case: identity on _x, v2, merge-on-read
CREATE TABLE t (id BIGINT, `_x` INT) USING iceberg PARTITIONED BY (`_x`) TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');

-- case: identity on partition, v3
CREATE TABLE t (id BIGINT, `partition` INT) USING iceberg PARTITIONED BY (`partition`) TBLPROPERTIES ('format-version' = '3'); -- warning: SIS417

-- case: identity on partition, v3, merge-on-read
CREATE TABLE t (id BIGINT, `partition` INT) USING iceberg PARTITIONED BY (`partition`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on row, v3
CREATE TABLE t (id BIGINT, `row` INT) USING iceberg PARTITIONED BY (`row`) TBLPROPERTIES ('format-version' = '3'); -- warning: SIS417

-- case: identity on row, v3, merge-on-read
CREATE TABLE t (id BIGINT, `row` INT) USING iceberg PARTITIONED BY (`row`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on pos, v3
CREATE TABLE t (id BIGINT, `pos` INT) USING iceberg PARTITIONED BY (`pos`) TBLPROPERTIES ('format-version' = '3'); -- warning: SIS417

-- case: identity on pos, v3, merge-on-read
CREATE TABLE t (id BIGINT, `pos` INT) USING iceberg PARTITIONED BY (`pos`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on spec_id, v3
CREATE TABLE t (id BIGINT, `spec_id` INT) USING iceberg PARTITIONED BY (`spec_id`) TBLPROPERTIES ('format-version' = '3'); -- warning: SIS417

-- case: identity on spec_id, v3, merge-on-read
CREATE TABLE t (id BIGINT, `spec_id` INT) USING iceberg PARTITIONED BY (`spec_id`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on file_path, v3
CREATE TABLE t (id BIGINT, `file_path` INT) USING iceberg PARTITIONED BY (`file_path`) TBLPROPERTIES ('format-version' = '3'); -- warning: SIS417

-- case: identity on file_path, v3, merge-on-read
CREATE TABLE t (id BIGINT, `file_path` INT) USING iceberg PARTITIONED BY (`file_path`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on delete_file_path, v3
CREATE TABLE t (id BIGINT, `delete_file_path` INT) USING iceberg PARTITIONED BY (`delete_file_path`) TBLPROPERTIES ('format-version' = '3'); -- warning: SIS417

-- case: identity on delete_file_path, v3, merge-on-read
CREATE TABLE t (id BIGINT, `delete_file_path` INT) USING iceberg PARTITIONED BY (`delete_file_path`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on content_offset, v3
CREATE TABLE t (id BIGINT, `content_offset` INT) USING iceberg PARTITIONED BY (`content_offset`) TBLPROPERTIES ('format-version' = '3'); -- warning: SIS417

-- case: identity on content_offset, v3, merge-on-read
CREATE TABLE t (id BIGINT, `content_offset` INT) USING iceberg PARTITIONED BY (`content_offset`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on content_size_in_bytes, v3
CREATE TABLE t (id BIGINT, `content_size_in_bytes` INT) USING iceberg PARTITIONED BY (`content_size_in_bytes`) TBLPROPERTIES ('format-version' = '3'); -- warning: SIS417

-- case: identity on content_size_in_bytes, v3, merge-on-read
CREATE TABLE t (id BIGINT, `content_size_in_bytes` INT) USING iceberg PARTITIONED BY (`content_size_in_bytes`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: identity on a`b, v3
CREATE TABLE t (id BIGINT, `a``b` INT) USING iceberg PARTITIONED BY (`a``b`) TBLPROPERTIES ('format-version' = '3');

-- case: identity on a`b, v3, merge-on-read
CREATE TABLE t (id BIGINT, `a``b` INT) USING iceberg PARTITIONED BY (`a``b`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read');

-- case: identity on a.b, v3
CREATE TABLE t (id BIGINT, `a.b` INT) USING iceberg PARTITIONED BY (`a.b`) TBLPROPERTIES ('format-version' = '3');

-- case: identity on a.b, v3, merge-on-read
CREATE TABLE t (id BIGINT, `a.b` INT) USING iceberg PARTITIONED BY (`a.b`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read');

-- case: identity on a b, v3
CREATE TABLE t (id BIGINT, `a b` INT) USING iceberg PARTITIONED BY (`a b`) TBLPROPERTIES ('format-version' = '3');

-- case: identity on a b, v3, merge-on-read
CREATE TABLE t (id BIGINT, `a b` INT) USING iceberg PARTITIONED BY (`a b`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read');

-- case: identity on content, v3
CREATE TABLE t (id BIGINT, `content` INT) USING iceberg PARTITIONED BY (`content`) TBLPROPERTIES ('format-version' = '3');

-- case: identity on content, v3, merge-on-read
CREATE TABLE t (id BIGINT, `content` INT) USING iceberg PARTITIONED BY (`content`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read');

-- case: identity on Partition, v3
CREATE TABLE t (id BIGINT, `Partition` INT) USING iceberg PARTITIONED BY (`Partition`) TBLPROPERTIES ('format-version' = '3');

-- case: identity on Partition, v3, merge-on-read
CREATE TABLE t (id BIGINT, `Partition` INT) USING iceberg PARTITIONED BY (`Partition`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read');

-- case: identity on _x, v3
CREATE TABLE t (id BIGINT, `_x` INT) USING iceberg PARTITIONED BY (`_x`) TBLPROPERTIES ('format-version' = '3');

-- case: identity on _x, v3, merge-on-read
CREATE TABLE t (id BIGINT, `_x` INT) USING iceberg PARTITIONED BY (`_x`) TBLPROPERTIES ('format-version' = '3', 'write.update.mode' = 'merge-on-read');

-- case: a field AS partition
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS partition; -- warning: SIS417

-- case: a field AS partition, merge-on-read
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS partition; -- error: SIS417

-- case: a field AS row
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS row; -- warning: SIS417

-- case: a field AS row, merge-on-read
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS row; -- error: SIS417

-- case: a field AS row.id
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS `row.id`; -- warning: SIS109, SIS417

-- case: a field AS row.id, merge-on-read
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS `row.id`; -- error: SIS417 -- warning: SIS109

-- case: a field AS partition.x
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS `partition.x`; -- warning: SIS109

-- case: a field AS partition.x, merge-on-read
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS `partition.x`; -- warning: SIS109

-- case: a field AS pos
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS pos; -- warning: SIS417

-- case: a field AS pos, merge-on-read
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS pos; -- error: SIS417

-- case: a field AS `a``b`
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS `a``b`; -- warning: SIS109, SIS417

-- case: a field AS `a``b`, merge-on-read
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('format-version' = '2', 'write.update.mode' = 'merge-on-read');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS `a``b`; -- error: SIS417 -- warning: SIS109

-- case: the name of a field inside `partition`
CREATE TABLE t (id BIGINT) USING iceberg TBLPROPERTIES ('write.merge.mode' = 'merge-on-read');
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS x;
ALTER TABLE t ADD PARTITION FIELD truncate(4, id) AS `partition.x`; -- error: SIS417 -- warning: SIS109

-- case: merge-on-read turned on
CREATE TABLE t (id BIGINT, partition INT) USING iceberg PARTITIONED BY (partition); -- warning: SIS417
ALTER TABLE t SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read'); -- error: SIS417

-- case: of a past spec, merge-on-read turned on
CREATE TABLE t (id BIGINT, partition INT) USING iceberg PARTITIONED BY (partition); -- warning: SIS417
ALTER TABLE t DROP PARTITION FIELD partition;
ALTER TABLE t SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read'); -- error: SIS417

-- case: version 2 of a version 1 table
CREATE TABLE t (id BIGINT, partition INT) USING iceberg PARTITIONED BY (partition) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2'); -- warning: SIS417

-- case: version 2 of a version 1 table with merge-on-read, and the field void
CREATE TABLE t (id BIGINT, partition INT) USING iceberg PARTITIONED BY (partition) TBLPROPERTIES ('format-version' = '1', 'write.update.mode' = 'merge-on-read');
ALTER TABLE t DROP PARTITION FIELD partition;
ALTER TABLE t SET TBLPROPERTIES ('format-version' = '2'); -- error: SIS417

-- case: under another name
CREATE TABLE t (id BIGINT, partition INT) USING iceberg TBLPROPERTIES ('write.update.mode' = 'merge-on-read');
ALTER TABLE t ADD PARTITION FIELD partition AS part;

-- case: the column renamed, the field not
CREATE TABLE t (id BIGINT, partition INT) USING iceberg PARTITIONED BY (partition) TBLPROPERTIES ('write.update.mode' = 'copy-on-write'); -- warning: SIS417
ALTER TABLE t RENAME COLUMN partition TO part;
ALTER TABLE t SET TBLPROPERTIES ('write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: replaced by a table with such a field
CREATE TABLE t (id BIGINT, partition INT) USING iceberg TBLPROPERTIES ('write.update.mode' = 'merge-on-read');
CREATE OR REPLACE TABLE t (id BIGINT, partition INT) USING iceberg PARTITIONED BY (id, partition); -- error: SIS417

-- case: replaced by a table with merge-on-read
CREATE TABLE t (id BIGINT, partition INT) USING iceberg PARTITIONED BY (partition); -- warning: SIS417
CREATE OR REPLACE TABLE t (id BIGINT, partition INT) USING iceberg TBLPROPERTIES ('write.update.mode' = 'merge-on-read'); -- error: SIS417

-- case: bucket of such a column
CREATE TABLE t (id BIGINT, partition INT) USING iceberg PARTITIONED BY (bucket(4, partition)) TBLPROPERTIES ('write.update.mode' = 'merge-on-read');
