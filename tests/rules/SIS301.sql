-- case: id, id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id, id); -- error: SIS301


-- case: days(ts), days(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), days(ts)); -- error: SIS301


-- case: days(ts), day(ts), date(ts)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (days(ts), day(ts), date(ts)); -- error: SIS301


-- case: bucket(4, id), BUCKET(4, id)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), BUCKET(4, id)); -- error: SIS301


-- case: id, identity(id)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id, identity(id)); -- error: SIS301


-- case: p.a, s, p.a
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (p.a, s, p.a); -- error: SIS301


-- case: truncate(2, s), bucket(4, id), truncate(2, s)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (truncate(2, s), bucket(4, id), truncate(2, s)); -- error: SIS301


-- case: bucket(4, id), bucket(4, n)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), bucket(4, n));


-- case: id, bucket(4, id), truncate(4, id)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (id, bucket(4, id), truncate(4, id));


-- case: ID, id
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (ID, id); -- error: SIS301


-- case: bucket(4, id), bucket(4L, id)
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (bucket(4, id), bucket(4L, id)); -- error: SIS301


-- case: after a faulty one
CREATE TABLE t (id BIGINT, n INT, s STRING, d DATE, ts TIMESTAMP, p STRUCT<a: INT, b: STRING>) USING iceberg PARTITIONED BY (weeks(ts), id, id); -- error: SIS101, SIS301
