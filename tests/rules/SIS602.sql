-- case: a month of any year
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT count(*) FROM t WHERE month(ts) = 2;  -- warning: SIS602

-- case: other parts that come again
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (hours(ts));
SELECT * FROM t WHERE hour(ts) IN (8, 9);  -- warning: SIS602
SELECT * FROM t WHERE dayofweek(ts) = 1;  -- warning: SIS602
SELECT * FROM t WHERE quarter(`ts`) >= 3 AND id > 5;  -- warning: SIS602
SELECT * FROM t WHERE id > 5 AND day(ts) = 1 ORDER BY id;  -- warning: SIS602

-- case: with an alias, or the table's name
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM t x WHERE month(x.ts) = 2;  -- warning: SIS602
SELECT * FROM t AS x WHERE month(ts) = 2 AND x.id > 5;  -- warning: SIS602
SELECT * FROM t WHERE month(t.ts) = 2;  -- warning: SIS602

-- case: the same in other words
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM t WHERE date_part('month', ts) = 2;  -- warning: SIS602
SELECT * FROM t WHERE datepart('DOW', ts) IN (1, 7);  -- warning: SIS602
SELECT * FROM t WHERE extract(HOUR FROM ts) < 8;  -- warning: SIS602
SELECT * FROM t WHERE month(ts) BETWEEN 2 AND 3;  -- warning: SIS602
SELECT * FROM t WHERE extract(week FROM t.ts) BETWEEN 2 AND 3 AND id BETWEEN 1 AND 2;  -- warning: SIS602
SELECT * FROM t WHERE 1 = 1 AND month(ts) = 2;  -- warning: SIS602

-- case: in DELETE
CREATE TABLE t (id BIGINT, d DATE) USING iceberg PARTITIONED BY (months(d));
DELETE FROM t WHERE month(d) = 2;  -- warning: SIS602

-- case: a string in other letters
CREATE TABLE t (id BIGINT, country STRING) USING iceberg PARTITIONED BY (truncate(2, country));
SELECT * FROM t WHERE lower(country) = 'de';  -- warning: SIS602
SELECT * FROM t WHERE trim(country) = 'DE';  -- warning: SIS602

-- case: the values themselves
CREATE TABLE t (id BIGINT, country STRING) USING iceberg PARTITIONED BY (country);
SELECT * FROM t WHERE lower(country) = 'de';
DELETE FROM t WHERE lower(country) = 'de';  -- warning: SIS602

-- case: a string that is hashed or cut
CREATE TABLE t (id BIGINT, name STRING) USING iceberg PARTITIONED BY (bucket(16, name));
SELECT * FROM t WHERE upper(name) = 'A';  -- warning: SIS602

-- case: a text that does not sort by time
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT * FROM t WHERE date_format(ts, 'dd.MM.yyyy') = '17.05.2024';  -- warning: SIS602

-- case: what prunes, or may
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING) USING iceberg PARTITIONED BY (days(ts), bucket(4, id));
SELECT * FROM t WHERE year(ts) = 2024;
SELECT * FROM t WHERE year(ts) = 2024 AND month(ts) = 2;
SELECT * FROM t WHERE month(ts) = 2 AND id = 5;
SELECT * FROM t WHERE month(ts) = 2 AND ts > '2024-01-01';
SELECT * FROM t WHERE month(ts) = 2 OR id = 5;
SELECT * FROM t WHERE date_trunc('month', ts) = '2024-02-01';
SELECT * FROM t WHERE date_format(ts, 'yyyy-MM-dd') = '2024-02-01';
SELECT * FROM t WHERE to_date(ts) = '2024-02-01';
SELECT * FROM t WHERE iceberg_days(ts) = DATE '2024-02-01';
SELECT * FROM t WHERE lower(name) = 'a';
SELECT * FROM t WHERE month(ts) = (SELECT max(id) FROM t);
SELECT * FROM t WHERE NOT month(ts) = 2;
SELECT month(ts) FROM t;
SELECT * FROM t WHERE month(ts) = 2 AND 1 = 0;
SELECT * FROM t WHERE month(ts) = 2 AND false;
SELECT * FROM t WHERE month(ts) = 2 AND id = NULL;  -- warning: SIS608
SELECT * FROM t WHERE month(ts) = 2 LIMIT 0;
SELECT * FROM t WHERE month(ts) BETWEEN 2 AND 3 AND id BETWEEN 1 AND 2;
SELECT * FROM t WHERE date_part('year', ts) = 2024;
SELECT * FROM t WHERE extract(YEAR FROM ts) = 2024;
SELECT * FROM t WHERE date_part('month', ts) = 2 AND ts > '2024-01-01';

-- case: a table that has had another spec
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ADD PARTITION FIELD bucket(4, id);
SELECT * FROM t WHERE month(ts) = 2;

-- case: a table without partitions
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg;
SELECT * FROM t WHERE month(ts) = 2;

-- case: a condition on a grouping column is one more filter
CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
SELECT ts, count(*) FROM t WHERE month(ts) = 2 GROUP BY ts HAVING ts > '2024-02-01';
