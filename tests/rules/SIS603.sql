-- case: a condition that compares texts
CREATE TABLE t (id BIGINT, date DATE, kind STRING) USING iceberg PARTITIONED BY (date);
SELECT * FROM t WHERE "date" = '2024-01-01';  -- warning: SIS603
SELECT * FROM t WHERE id > 5 AND "date" >= DATE '2024-01-01';  -- warning: SIS603
SELECT * FROM t x WHERE id > 5 OR (NOT ("date" BETWEEN '2024-01-01' AND '2024-02-01'));  -- warning: SIS603
SELECT id FROM t WHERE "kind" IN ('a', 'b') ORDER BY id;  -- warning: SIS603
SELECT id FROM t WHERE "Kind" NOT LIKE 'a%';  -- warning: SIS603
SELECT id FROM t WHERE "kind" IS NOT NULL LIMIT 5;  -- warning: SIS603
SELECT id FROM t WHERE "kind" = "open";  -- warning: SIS603

-- case: DELETE and UPDATE
CREATE TABLE t (id BIGINT, date DATE, kind STRING) USING iceberg PARTITIONED BY (date);
DELETE FROM t WHERE "date" < '2024-01-01';  -- warning: SIS603
UPDATE t SET kind = "id" WHERE "kind" = 'a';  -- warning: SIS603

-- case: in the SELECT list, in GROUP BY and ORDER BY
CREATE TABLE t (id BIGINT, date DATE, kind STRING) USING iceberg PARTITIONED BY (date);
SELECT "date", count(*) FROM t GROUP BY kind;  -- warning: SIS603
SELECT id, "date" AS d FROM t;  -- warning: SIS603
SELECT count(*) FROM t GROUP BY id, "kind" HAVING count(*) > 1;  -- warning: SIS603
SELECT id FROM t ORDER BY "date" DESC;  -- warning: SIS603
SELECT id, row_number() OVER (PARTITION BY "kind" ORDER BY id) FROM t;  -- warning: SIS603

-- case: as the argument of a function
CREATE TABLE t (id BIGINT, date DATE, kind STRING) USING iceberg PARTITIONED BY (date);
SELECT max("id") FROM t;  -- warning: SIS603
SELECT count("kind") FROM t WHERE id > 5;  -- warning: SIS603

-- case: names that need backticks
CREATE TABLE t (id BIGINT, `Ship Mode` STRING, `Sub-Category` STRING, day DATE) USING iceberg PARTITIONED BY (day);
SELECT "Ship Mode", count(*) FROM t GROUP BY `Ship Mode`;  -- warning: SIS603
SELECT id FROM t WHERE "Sub-Category" = 'a' AND id > 5;  -- warning: SIS603
SELECT id FROM t WHERE `Ship Mode` = "First Class" AND id > 5;

-- case: a text may be meant
CREATE TABLE t (id BIGINT, date DATE, kind STRING) USING iceberg PARTITIONED BY (date);
SELECT * FROM t WHERE kind = "date";
SELECT * FROM t WHERE kind IN ("date", "id");
SELECT concat("id", kind), coalesce(kind, "kind") FROM t;
SELECT "id" AS label, id AS value FROM t;
SELECT 'date' FROM t;
SELECT "other" FROM t WHERE "other" = 'x';
SELECT id FROM t WHERE "date" 'x' = 'datex';
SELECT id FROM t WHERE lower(kind) = "kind" AND id > 5;
UPDATE t SET kind = "id" WHERE id = 5;

-- case: names, by a setting
SET spark.sql.ansi.doubleQuotedIdentifiers = true;
CREATE TABLE t (id BIGINT, date DATE) USING iceberg PARTITIONED BY (date);
SELECT * FROM t WHERE "date" = '2024-01-01';

-- case: more than one table
CREATE TABLE t (id BIGINT, date DATE) USING iceberg PARTITIONED BY (date);
CREATE TEMPORARY VIEW u AS SELECT 1L AS id;
SELECT * FROM t JOIN u USING (id) WHERE "date" = '2024-01-01';
SELECT * FROM t, u WHERE "date" = '2024-01-01';
SELECT * FROM u WHERE "date" = '2024-01-01';
