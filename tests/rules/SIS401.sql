-- case: DROP PARTITION FIELD bucket(8, id) on (bucket(16, id)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(16, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD bucket(8, id); -- error: SIS401

-- case: DROP PARTITION FIELD id on (bucket(16, id)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(16, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD id; -- error: SIS401

-- case: DROP PARTITION FIELD id_bucket on (bucket(16, id)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(16, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD id_bucket;

-- case: DROP PARTITION FIELD ID_BUCKET on (bucket(16, id)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(16, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD ID_BUCKET; -- error: SIS401

-- case: DROP PARTITION FIELD id_bucket_16 on (bucket(16, id)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(16, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD id_bucket_16; -- error: SIS401

-- case: DROP PARTITION FIELD ts on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD ts; -- error: SIS401

-- case: DROP PARTITION FIELD date(ts) on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD date(ts);

-- case: DROP PARTITION FIELD hours(ts) on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD hours(ts); -- error: SIS401

-- case: DROP PARTITION FIELD nope on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD nope; -- error: SIS401

-- case: DROP PARTITION FIELD p.a on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD p.a; -- error: SIS401

-- case: DROP PARTITION FIELD p.a on (p.a), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD p.a;

-- case: DROP PARTITION FIELD `p.a` on (p.a), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD `p.a`;

-- case: DROP PARTITION FIELD `p.a_bucket` on (bucket(4, p.a)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, p.a)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD `p.a_bucket`;

-- case: DROP PARTITION FIELD p.a_bucket on (bucket(4, p.a)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, p.a)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD p.a_bucket; -- error: SIS401

-- case: DROP PARTITION FIELD id on (), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD id; -- error: SIS401

-- case: DROP PARTITION FIELD identity(id) on (id), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD identity(id);

-- case: DROP PARTITION FIELD ID on (id), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD ID; -- error: SIS401

-- case: REPLACE PARTITION FIELD nope WITH hours(ts) on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD nope WITH hours(ts); -- error: SIS401

-- case: REPLACE PARTITION FIELD ts_day WITH hours(ts) on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH hours(ts);

-- case: REPLACE PARTITION FIELD s WITH bucket(4, s) on (days(ts), s), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), s) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD s WITH bucket(4, s);

-- case: DROP PARTITION FIELD truncate(5, s) on (truncate(4, s)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(4, s)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD truncate(5, s); -- error: SIS401

-- case: DROP PARTITION FIELD TRUNCATE(4, s) on (truncate(4, s)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(4, s)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD TRUNCATE(4, s);

-- case: DROP PARTITION FIELD days(s) on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD days(s); -- error: SIS401

-- case: DROP PARTITION FIELD days(nope) on (days(ts)), v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD days(nope); -- error: SIS401

-- case: twice, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD bucket(4, id);
ALTER TABLE t DROP PARTITION FIELD bucket(4, id); -- error: SIS401

-- case: twice by name, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD id_bucket;
ALTER TABLE t DROP PARTITION FIELD id_bucket; -- warning: SIS401

-- case: replaced one, v1
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t REPLACE PARTITION FIELD id_bucket WITH bucket(8, id);
ALTER TABLE t DROP PARTITION FIELD id_bucket; -- warning: SIS401
ALTER TABLE t DROP PARTITION FIELD id_bucket_8;

-- case: DROP PARTITION FIELD bucket(8, id) on (bucket(16, id)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(16, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD bucket(8, id); -- error: SIS401

-- case: DROP PARTITION FIELD id on (bucket(16, id)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(16, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD id; -- error: SIS401

-- case: DROP PARTITION FIELD id_bucket on (bucket(16, id)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(16, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD id_bucket;

-- case: DROP PARTITION FIELD ID_BUCKET on (bucket(16, id)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(16, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD ID_BUCKET; -- error: SIS401

-- case: DROP PARTITION FIELD id_bucket_16 on (bucket(16, id)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(16, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD id_bucket_16; -- error: SIS401

-- case: DROP PARTITION FIELD ts on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD ts; -- error: SIS401

-- case: DROP PARTITION FIELD date(ts) on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD date(ts);

-- case: DROP PARTITION FIELD hours(ts) on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD hours(ts); -- error: SIS401

-- case: DROP PARTITION FIELD nope on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD nope; -- error: SIS401

-- case: DROP PARTITION FIELD p.a on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD p.a; -- error: SIS401

-- case: DROP PARTITION FIELD p.a on (p.a), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD p.a;

-- case: DROP PARTITION FIELD `p.a` on (p.a), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD `p.a`;

-- case: DROP PARTITION FIELD `p.a_bucket` on (bucket(4, p.a)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, p.a)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD `p.a_bucket`;

-- case: DROP PARTITION FIELD p.a_bucket on (bucket(4, p.a)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, p.a)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD p.a_bucket; -- error: SIS401

-- case: DROP PARTITION FIELD id on (), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD id; -- error: SIS401

-- case: DROP PARTITION FIELD identity(id) on (id), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD identity(id);

-- case: DROP PARTITION FIELD ID on (id), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD ID; -- error: SIS401

-- case: REPLACE PARTITION FIELD nope WITH hours(ts) on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD nope WITH hours(ts); -- error: SIS401

-- case: REPLACE PARTITION FIELD ts_day WITH hours(ts) on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD ts_day WITH hours(ts);

-- case: REPLACE PARTITION FIELD s WITH bucket(4, s) on (days(ts), s), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), s) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD s WITH bucket(4, s);

-- case: DROP PARTITION FIELD truncate(5, s) on (truncate(4, s)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(4, s)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD truncate(5, s); -- error: SIS401

-- case: DROP PARTITION FIELD TRUNCATE(4, s) on (truncate(4, s)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(4, s)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD TRUNCATE(4, s);

-- case: DROP PARTITION FIELD days(s) on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD days(s); -- error: SIS401

-- case: DROP PARTITION FIELD days(nope) on (days(ts)), v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD days(nope); -- error: SIS401

-- case: twice, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD bucket(4, id);
ALTER TABLE t DROP PARTITION FIELD bucket(4, id); -- error: SIS401

-- case: twice by name, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t DROP PARTITION FIELD id_bucket;
ALTER TABLE t DROP PARTITION FIELD id_bucket; -- error: SIS401

-- case: replaced one, v2
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '2');
ALTER TABLE t REPLACE PARTITION FIELD id_bucket WITH bucket(8, id);
ALTER TABLE t DROP PARTITION FIELD id_bucket; -- error: SIS401
ALTER TABLE t DROP PARTITION FIELD id_bucket_8;

-- case: its name is a column's
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD id;
ALTER TABLE t DROP PARTITION FIELD id;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS i;
ALTER TABLE t DROP PARTITION FIELD i;

-- case: two fields on the column
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), truncate(4, id));
ALTER TABLE t DROP PARTITION FIELD id; -- error: SIS401

-- case: several fields, one near
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts), s);
ALTER TABLE t DROP PARTITION FIELD ts_days; -- error: SIS401

-- case: several fields, none near
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), days(ts), s);
ALTER TABLE t DROP PARTITION FIELD zzz; -- error: SIS401

-- case: a void one is not meant
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id)) TBLPROPERTIES ('format-version' = '1');
ALTER TABLE t DROP PARTITION FIELD id_bucket;
ALTER TABLE t ADD PARTITION FIELD truncate(4, id);
ALTER TABLE t DROP PARTITION FIELD id; -- error: SIS401

-- case: 6 fields
CREATE TABLE t (c0 INT, c1 INT, c2 INT, c3 INT, c4 INT, c5 INT) USING iceberg PARTITIONED BY (c0, c1, c2, c3, c4, c5);
ALTER TABLE t DROP PARTITION FIELD zzz; -- error: SIS401

-- case: 7 fields
CREATE TABLE t (c0 INT, c1 INT, c2 INT, c3 INT, c4 INT, c5 INT, c6 INT) USING iceberg PARTITIONED BY (c0, c1, c2, c3, c4, c5, c6);
ALTER TABLE t DROP PARTITION FIELD zzz; -- error: SIS401

-- case: 8 fields
CREATE TABLE t (c0 INT, c1 INT, c2 INT, c3 INT, c4 INT, c5 INT, c6 INT, c7 INT) USING iceberg PARTITIONED BY (c0, c1, c2, c3, c4, c5, c6, c7);
ALTER TABLE t DROP PARTITION FIELD zzz; -- error: SIS401

-- case: a transform over a field's name
CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t DROP PARTITION FIELD days(ts_day);  -- error: SIS401

-- case: a path behind a field's name
CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t DROP PARTITION FIELD ts_day.x;  -- error: SIS401

-- case: near to two names
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, id) AS shard_one;
ALTER TABLE t ADD PARTITION FIELD bucket(4, n) AS shard_two;
ALTER TABLE t DROP PARTITION FIELD shard_tw;  -- error: SIS401

-- case: a path to a name of the past
CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t DROP PARTITION FIELD ts_day;
ALTER TABLE t DROP PARTITION FIELD x.ts_day;  -- error: SIS401

-- case: and an unknown transform, which is another fault
CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t REPLACE PARTITION FIELD nope WITH weeks(ts);  -- error: SIS101, SIS401
