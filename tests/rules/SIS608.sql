-- case: a condition
CREATE TABLE t (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM t WHERE kind = NULL;  -- warning: SIS608
SELECT * FROM t WHERE id > 5 AND (kind != null OR kind <> 'a');  -- warning: SIS608
SELECT CASE WHEN kind = NULL THEN 'none' ELSE kind END FROM t;  -- warning: SIS608
SELECT a.id FROM t a JOIN t b ON a.kind = NULL AND a.id = b.id;  -- warning: SIS608
SELECT count(*) FROM t WHERE id < NULL GROUP BY kind;  -- warning: SIS608
DELETE FROM t WHERE kind = NULL;  -- warning: SIS608
UPDATE t SET kind = 'a' WHERE kind == NULL;  -- warning: SIS608
SELECT id FROM t WHERE id IN (SELECT id FROM t WHERE kind = NULL);  -- warning: SIS608

-- case: a unit
CREATE TABLE t (id BIGINT, kind STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT date_trunc('months', ts) FROM t;  -- warning: SIS608
SELECT * FROM t WHERE date_trunc('d', ts) = '2024-01-01';  -- warning: SIS608
SELECT date_trunc('fortnight', ts) FROM t;  -- warning: SIS608
SELECT trunc(ts, 'day') FROM t;  -- warning: SIS608

-- case: not a comparison
CREATE TABLE t (id BIGINT, kind STRING, ts TIMESTAMP, `null` INT) USING iceberg PARTITIONED BY (days(ts));
UPDATE t SET kind = NULL, id = NULL WHERE id = 5;
MERGE INTO t USING t AS s ON t.id = s.id WHEN MATCHED AND s.kind IS NULL THEN UPDATE SET kind = NULL;
SELECT * FROM t WHERE kind <=> NULL;
SELECT kind = NULL FROM t;
SELECT * FROM t WHERE kind IS NULL;
SELECT date_trunc('MON', ts), date_trunc(kind, ts), trunc(ts, 'mm') FROM t;
SELECT * FROM t WHERE `null` = 5;
