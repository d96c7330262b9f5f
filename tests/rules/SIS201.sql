-- case: no column for nope in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (nope);  -- error: SIS201

-- case: no column for nope in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD nope;  -- error: SIS201

-- case: no column for bucket(16, nope) in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (bucket(16, nope));  -- error: SIS201

-- case: no column for bucket(16, nope) in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(16, nope);  -- error: SIS201

-- case: no column for truncate(4, nope) in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (truncate(4, nope));  -- error: SIS201

-- case: no column for truncate(4, nope) in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(4, nope);  -- error: SIS201

-- case: no column for days(nope) in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (days(nope));  -- error: SIS201

-- case: no column for days(nope) in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(nope);  -- error: SIS201

-- case: no column for identity(nope) in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (identity(nope));  -- error: SIS201

-- case: no column for identity(nope) in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD identity(nope);  -- error: SIS201

-- case: no column for p.nope in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (p.nope);  -- error: SIS201

-- case: no column for p.nope in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD p.nope;  -- error: SIS201

-- case: no column for bucket(4, p.nope) in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (bucket(4, p.nope));  -- error: SIS201

-- case: no column for bucket(4, p.nope) in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, p.nope);  -- error: SIS201

-- case: no column for id.x in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (id.x);  -- error: SIS201

-- case: no column for id.x in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD id.x;  -- error: SIS201

-- case: no column for t.id in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (t.id);  -- error: SIS201

-- case: no column for t.id in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD t.id;  -- error: SIS201

-- case: no column for local.db.t.id in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (local.db.t.id);  -- error: SIS201

-- case: no column for local.db.t.id in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD local.db.t.id;  -- error: SIS201

-- case: no column for days(local.db.t.ts) in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (days(local.db.t.ts));  -- error: SIS201

-- case: no column for days(local.db.t.ts) in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(local.db.t.ts);  -- error: SIS201

-- case: no column for _partition in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (_partition);  -- error: SIS201

-- case: no column for _partition in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD _partition;  -- error: SIS201

-- case: no column for _file in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (_file);  -- error: SIS201

-- case: no column for _file in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD _file;  -- error: SIS201

-- case: no column for CURRENT_DATE in CREATE
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (CURRENT_DATE);  -- error: SIS201

-- case: no column for CURRENT_DATE in ALTER
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD CURRENT_DATE;  -- error: SIS201

-- case: letter case in ALTER: ID
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD ID;  -- error: SIS201

-- case: letter case in ALTER: Id
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD Id;  -- error: SIS201

-- case: letter case in ALTER: bucket(16, ID)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(16, ID);  -- error: SIS201

-- case: letter case in ALTER: days(TS)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD days(TS);  -- error: SIS201

-- case: letter case in ALTER: truncate(4, Name)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD truncate(4, Name);  -- error: SIS201

-- case: letter case in ALTER: identity(ID)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD identity(ID);  -- error: SIS201

-- case: letter case in ALTER: P.X
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD P.X;  -- error: SIS201

-- case: letter case in CREATE: BUCKET(16, ID)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (BUCKET(16, ID));  -- error: SIS201

-- case: letter case in CREATE: truncate(4, NAME)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (truncate(4, NAME));  -- error: SIS201

-- case: letter case in CREATE: day(TS)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (day(TS));  -- error: SIS201

-- case: letter case in CREATE: DAYS(TS)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (DAYS(TS));  -- error: SIS201

-- case: letter case in CREATE: year(TS)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (year(TS));  -- error: SIS201

-- case: letter case in CREATE: identity(ID)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (identity(ID));  -- error: SIS201

-- case: letter case in CREATE: truncate(4, P.X)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (truncate(4, P.X));  -- error: SIS201

-- case: letter case in CREATE: date_hour(TS)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (date_hour(TS));  -- error: SIS201

-- case: CREATE does not care here: ID
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (ID);

-- case: CREATE does not care here: Id
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (Id);

-- case: CREATE does not care here: bucket(16, ID)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (bucket(16, ID));

-- case: CREATE does not care here: days(TS)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (days(TS));

-- case: CREATE does not care here: years(Ts)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (years(Ts));

-- case: CREATE does not care here: P.X
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (P.X);

-- case: CREATE does not care here: bucket(4, P.x)
CREATE TABLE t (id BIGINT, ts TIMESTAMP, name STRING, p STRUCT<x: INT>) USING iceberg PARTITIONED BY (bucket(4, P.x));

-- case: a partition field's name is no column
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ADD PARTITION FIELD bucket(4, ts_day);  -- error: SIS201

-- case: a dotted name in one pair of backticks is no path in CREATE
CREATE TABLE t (p STRUCT<x: INT>) USING iceberg PARTITIONED BY (`p.x`);  -- error: SIS201

-- case: but it is one in ALTER
CREATE TABLE t (p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD `p.x`;

-- case: a column with a dot needs its backticks in CREATE
CREATE TABLE t (`a.b` INT) USING iceberg PARTITIONED BY (a.b);  -- error: SIS201

-- case: and has them here
CREATE TABLE t (`a.b` INT) USING iceberg PARTITIONED BY (bucket(4, `a.b`), truncate(10, `a.b`));

-- case: a column with a dot in ALTER, either way
CREATE TABLE t (`a.b` INT) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, a.b);
ALTER TABLE t ADD PARTITION FIELD truncate(10, `a.b`);

-- case: no columns at all
CREATE TABLE t USING iceberg PARTITIONED BY (x);  -- error: SIS201

-- case: both sides of a clause
CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (
  days(ts),  -- error: SIS201
  bucket(4, uid)  -- error: SIS201
);

-- case: in REPLACE
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), raw BINARY, flag BOOLEAN) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t REPLACE PARTITION FIELD days(ts) WITH hours(tss);  -- error: SIS201

-- case: a column added before
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t ADD COLUMN ts TIMESTAMP;
ALTER TABLE t ADD PARTITION FIELD days(ts);

-- case: a column dropped before
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE t DROP COLUMN ts;
ALTER TABLE t ADD PARTITION FIELD days(ts);  -- error: SIS201

-- case: a column renamed before
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE t RENAME COLUMN ts TO event_ts;
ALTER TABLE t ADD PARTITION FIELD days(ts);  -- error: SIS201
ALTER TABLE t ADD PARTITION FIELD days(event_ts);

-- case: a struct's field added before
CREATE TABLE t (id BIGINT, p STRUCT<x: INT>) USING iceberg;
ALTER TABLE t ADD COLUMN p.y STRING;
ALTER TABLE t ADD PARTITION FIELD truncate(2, p.y);

-- case: DROP COLUMN nope
CREATE TABLE t (id INT, n INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t DROP COLUMN nope;  -- error: SIS201

-- case: RENAME COLUMN nope TO x
CREATE TABLE t (id INT, n INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t RENAME COLUMN nope TO x;  -- error: SIS201

-- case: ALTER COLUMN nope TYPE BIGINT
CREATE TABLE t (id INT, n INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t ALTER COLUMN nope TYPE BIGINT;  -- error: SIS201

-- case: ALTER COLUMN s.nope COMMENT 'x'
CREATE TABLE t (id INT, n INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t ALTER COLUMN s.nope COMMENT 'x';  -- error: SIS201

-- case: ADD COLUMN nope.x INT
CREATE TABLE t (id INT, n INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t ADD COLUMN nope.x INT;  -- error: SIS201

-- case: DROP COLUMNS (id, nope)
CREATE TABLE t (id INT, n INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t DROP COLUMNS (id, nope);  -- error: SIS201

-- case: column statements do not care about letter case
CREATE TABLE t (id INT, n INT, s STRUCT<a: INT>) USING iceberg;
ALTER TABLE t RENAME COLUMN ID TO key;
ALTER TABLE t ALTER COLUMN S.A TYPE BIGINT;
ALTER TABLE t DROP COLUMN N;
ALTER TABLE t DROP COLUMN IF EXISTS nope;
ALTER TABLE t ADD COLUMN s.b STRING;

-- case: letter case beyond ASCII, as Spark sees it
CREATE TABLE t (`Ä` STRING, `Σ` STRING, `K` INT) USING iceberg PARTITIONED BY (`ä`, `ς`, bucket(4, `k`));

-- case: a dotted capital I is another letter for Spark
CREATE TABLE t (`İ` STRING) USING iceberg PARTITIONED BY (`i̇`);  -- error: SIS201

-- case: odd names, quoted
CREATE TABLE t (`a b` INT, `c/d` INT, `é` STRING, `select` INT) USING iceberg PARTITIONED BY (`a b`, bucket(4, `c/d`), truncate(2, `é`), `select`);

-- case: reserved words need no quotes
CREATE TABLE t (`select` INT, `table` INT) USING iceberg PARTITIONED BY (select, bucket(4, table));

-- case: a field added to what is no struct
CREATE TABLE t (id INT, l ARRAY<INT>, s ARRAY<STRUCT<a: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN l.element.y INT;  -- error: SIS201
ALTER TABLE t ADD COLUMN id.y INT;  -- error: SIS201
ALTER TABLE t ADD COLUMN s.y INT;  -- error: SIS201
ALTER TABLE t ADD COLUMN s.element.y INT;

-- case: IF NOT EXISTS does not hide nope
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (nope);  -- warning: SIS412 -- error: SIS201

-- case: IF NOT EXISTS does not hide bucket(4, nope)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (bucket(4, nope));  -- warning: SIS412 -- error: SIS201

-- case: IF NOT EXISTS does not hide truncate(4, nope)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (truncate(4, nope));  -- warning: SIS412 -- error: SIS201

-- case: IF NOT EXISTS does not hide BUCKET(16, ID)
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg;
CREATE TABLE IF NOT EXISTS t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, st STRUCT<a: INT>, l ARRAY<INT>) USING iceberg PARTITIONED BY (BUCKET(16, ID));  -- warning: SIS412 -- error: SIS201

-- case: days(tss) among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  days(tss),  -- error: SIS201
  months(d),
  truncate(1000, price)
);

-- case: truncate(4, NAME) among good ones
CREATE TABLE t (id BIGINT, n INT, name STRING, ts TIMESTAMP, d DATE, price DECIMAL(9, 2), uid STRING, x DOUBLE, p STRUCT<a: INT, t: TIMESTAMP>, l ARRAY<INT>, uuid STRING) USING iceberg PARTITIONED BY (
  n,
  bucket(8, uid),
  truncate(4, NAME),  -- error: SIS201
  months(d),
  truncate(1000, price)
);

-- case: case-sensitive: neither of two
SET spark.sql.caseSensitive = true;
CREATE TABLE t (id INT, ID INT) USING iceberg PARTITIONED BY (Id);  -- error: SIS201
SET spark.sql.caseSensitive = false;

-- case: case-sensitive: neither of two in ALTER
SET spark.sql.caseSensitive = true;
CREATE TABLE t (id INT, ID INT) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, Id);  -- error: SIS201
SET spark.sql.caseSensitive = false;

-- case: case-sensitive: bare columns too
SET spark.sql.caseSensitive = true;
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (
  ID,  -- error: SIS201
  days(TS)  -- error: SIS201
);
SET spark.sql.caseSensitive = false;

-- case: case-sensitive: each of two
SET spark.sql.caseSensitive = true;
CREATE TABLE t (id INT, ID INT) USING iceberg PARTITIONED BY (id, bucket(4, ID));

-- case: case-sensitive: a column to drop
SET spark.sql.caseSensitive = true;
CREATE TABLE t (id INT, n INT) USING iceberg;
ALTER TABLE t DROP COLUMN N;  -- error: SIS201
SET spark.sql.caseSensitive = false;

-- case: ADD COLUMN x INT AFTER nope
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN x INT AFTER nope;  -- error: SIS201

-- case: ADD COLUMN x INT AFTER x
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN x INT AFTER x;  -- error: SIS201

-- case: ADD COLUMN st.x INT AFTER nope
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN st.x INT AFTER nope;  -- error: SIS201

-- case: ADD COLUMN st.x INT AFTER id
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN st.x INT AFTER id;  -- error: SIS201

-- case: ADD COLUMNS (x INT AFTER y, y INT)
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMNS (x INT AFTER y, y INT);  -- error: SIS201

-- case: ADD COLUMN ar.element.x INT AFTER nope
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN ar.element.x INT AFTER nope;  -- error: SIS201

-- case: ALTER COLUMN s AFTER nope
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ALTER COLUMN s AFTER nope;  -- error: SIS201

-- case: ALTER COLUMN st.a AFTER nope
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ALTER COLUMN st.a AFTER nope;  -- error: SIS201

-- case: ALTER COLUMN st.a AFTER id
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ALTER COLUMN st.a AFTER id;  -- error: SIS201

-- case: ALTER COLUMN s AFTER nope, ts FIRST
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ALTER COLUMN s AFTER nope, ts FIRST;  -- error: SIS201

-- case: CHANGE COLUMN s s STRING AFTER nope
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t CHANGE COLUMN s s STRING AFTER nope;  -- error: SIS201

-- case: ALTER COLUMN s AFTER ``
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ALTER COLUMN s AFTER ``;  -- error: SIS201

-- case: ADD COLUMNS (st.x INT, y INT AFTER x)
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMNS (st.x INT, y INT AFTER x);  -- error: SIS201

-- case: ADD COLUMN x INT AFTER ID
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN x INT AFTER ID;

-- case: ADD COLUMN x INT FIRST
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN x INT FIRST;

-- case: ADD COLUMN st.x INT AFTER A
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN st.x INT AFTER A;

-- case: ADD COLUMN st.x INT FIRST
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN st.x INT FIRST;

-- case: ADD COLUMNS (x INT, y INT AFTER X)
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMNS (x INT, y INT AFTER X);

-- case: ADD COLUMN ar.element.x INT AFTER k
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN ar.element.x INT AFTER k;

-- case: ADD COLUMN m.value.x INT FIRST
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ADD COLUMN m.value.x INT FIRST;

-- case: ALTER COLUMN s AFTER ID
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ALTER COLUMN s AFTER ID;

-- case: ALTER COLUMN st.b FIRST
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ALTER COLUMN st.b FIRST;

-- case: ALTER COLUMN st.a AFTER b
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ALTER COLUMN st.a AFTER b;

-- case: ALTER COLUMN ar.element.k FIRST
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ALTER COLUMN ar.element.k FIRST;

-- case: ALTER COLUMN s AFTER id, ts FIRST
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t ALTER COLUMN s AFTER id, ts FIRST;

-- case: CHANGE COLUMN s s STRING COMMENT 'x' AFTER id
CREATE TABLE t (id INT, ts TIMESTAMP, s STRING, st STRUCT<a: INT, b: STRING>, ar ARRAY<STRUCT<k: INT>>, m MAP<STRING, STRUCT<v: INT>>) USING iceberg;
ALTER TABLE t CHANGE COLUMN s s STRING COMMENT 'x' AFTER id;

-- case: a partition field is no column to stand behind
CREATE TABLE t (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ADD COLUMN x INT AFTER ts_day;  -- error: SIS201

-- case: a column that is gone
CREATE TABLE t (id INT, s STRING) USING iceberg;
ALTER TABLE t DROP COLUMN s;
ALTER TABLE t ADD COLUMN x INT AFTER s;  -- error: SIS201

-- case: letter case counts where the session says so
SET spark.sql.caseSensitive = true;
CREATE TABLE t (id INT, s STRING) USING iceberg;
ALTER TABLE t ALTER COLUMN s AFTER ID;  -- error: SIS201

-- case: a column with a dot in its name
CREATE TABLE t (`a.b` INT, id INT, a STRUCT<c: INT>) USING iceberg;
ALTER TABLE t ALTER COLUMN id AFTER `a.b`;
ALTER TABLE t ADD COLUMN x INT AFTER `a.b`;
ALTER TABLE t ADD COLUMN y INT AFTER `a.c`;  -- error: SIS201

-- case: the second of two columns that are altered
CREATE TABLE t (id BIGINT, n INT) USING iceberg;
ALTER TABLE t ALTER COLUMN n TYPE BIGINT, nope TYPE BIGINT;  -- error: SIS201

-- case: a field of a struct to drop
CREATE TABLE t (id BIGINT, st STRUCT<a: INT, b: INT>) USING iceberg;
ALTER TABLE t DROP COLUMN st.aa;  -- error: SIS201

-- case: letter case in CREATE, of two columns that are one name, which is another fault
CREATE TABLE t (id INT, ID INT) USING iceberg PARTITIONED BY (Id);  -- error: SIS207

-- case: letter case in ALTER, of two columns that are one name
SET spark.sql.caseSensitive = true;
CREATE TABLE t (id INT, ID INT) USING iceberg;
SET spark.sql.caseSensitive = false;
ALTER TABLE t ADD PARTITION FIELD bucket(4, Id);  -- error: SIS201

-- case: inside a type that Iceberg does not have, which is another fault
CREATE TABLE t (i INTERVAL DAY) USING iceberg PARTITIONED BY (i.x);  -- error: SIS209

-- case: a partition field's name, behind the table's
CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
ALTER TABLE t ADD PARTITION FIELD bucket(4, t.ts_day);  -- error: SIS201

-- case: near to two columns
CREATE TABLE t (customer_ids INT, customer_key INT) USING iceberg PARTITIONED BY (bucket(4, customer_id));  -- error: SIS201

-- case: near to an array's element
CREATE TABLE t (id BIGINT, tags ARRAY<STRING>) USING iceberg PARTITIONED BY (tag.element);  -- error: SIS201

-- case: a struct that is not there, beside an array
CREATE TABLE t (l ARRAY<INT>, id BIGINT) USING iceberg PARTITIONED BY (bucket(4, q.zzzz));  -- error: SIS201

-- case: under void, which is another fault
CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (void(nope));  -- error: SIS106, SIS201

-- case: letter case under months, which Spark reads
CREATE TABLE t (ts TIMESTAMP) USING iceberg PARTITIONED BY (months(TS));

-- case: a hidden column, behind the table's name
CREATE TABLE t (id BIGINT) USING iceberg;
ALTER TABLE t ADD PARTITION FIELD bucket(4, t._file);  -- error: SIS201

-- case: nested columns of a replaced table that nothing else defines
CREATE OR REPLACE TABLE t (id INT, d STRUCT<a: STRING, b: STRING>) USING iceberg;
ALTER TABLE t ADD COLUMNS (d.e STRING);
ALTER TABLE t ADD COLUMNS (d.f INT);
ALTER TABLE t ALTER COLUMN d.f TYPE BIGINT;
ALTER TABLE t DROP COLUMN d.b;
