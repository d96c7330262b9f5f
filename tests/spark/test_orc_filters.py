"""Filters that ORC's reader decides wrongly within a file: nulls of structs that are null, and IS DISTINCT FROM."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from samples import swept
from scans import metrics

# Of bounds that ORC's writer makes wrong.
pytestmark = pytest.mark.filterwarnings("ignore::spark_iceberg_sql.errors.IcebergSqlWarning")
TABLE = "local.orc_filters.t"
TIMES = (
    "1960-05-05 05:05:05.123456",
    "1969-12-31 23:59:58.000001",
    "1969-12-31 23:59:59.5",
    "1969-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "2024-01-01 00:00:00.123456",
)
STRUCTS = (
    "null",
    "named_struct('x', 1)",
    "named_struct('x', CAST(null AS INT))",
    "null",
    "named_struct('x', 2)",
    "null",
)
ROWS = ", ".join(
    f"({i}, TIMESTAMP '{time}', {struct})" for i, (time, struct) in enumerate(zip(TIMES, STRUCTS, strict=True))
)
CONDITIONS = (
    "s.x IS NULL",
    "s.x IS NULL AND id < 4",
    "s.x = 1 OR s.x IS NULL",
    "s.x <=> null",
    "NOT (s.x <=> 1)",
    "s.x IS NOT NULL",
    "s IS NULL",
)


@pytest.fixture(scope="module", autouse=True)
def _table(spark: SparkSession) -> Iterator[None]:
    """A file for each row."""
    spark.sql(
        f"CREATE TABLE {TABLE} (id INT, ts TIMESTAMP, s STRUCT<x: INT>) USING iceberg PARTITIONED BY (id) "
        "TBLPROPERTIES ('write.format.default' = 'orc')"
    )
    spark.sql(f"INSERT INTO {TABLE} SELECT * FROM VALUES {ROWS}")
    yield
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def test_rows(spark: SparkSession) -> None:
    columns = ", ".join(f"{text} AS c{i}" for i, text in enumerate(CONDITIONS))
    truth = spark.sql(f"SELECT id, {columns} FROM VALUES {ROWS} AS t (id, ts, s)")
    expected = {i: sorted(row.id for row in truth.collect() if row[f"c{i}"]) for i in range(len(CONDITIONS))}
    for i, text in enumerate(CONDITIONS):
        assert sorted(row.id for row in spark.sql(f"SELECT id FROM {TABLE} WHERE {text}").collect()) == expected[i], (
            text
        )


@pytest.mark.parametrize("metrics", ["full", "none"])
@pytest.mark.parametrize(
    "partitioning", ["", *swept([f"{name}ts)" for name in ("days(", "hours(", "years(", "bucket(3, ")], 3), "ts"]
)
def test_the_second_before_1970(spark: SparkSession, tmp_path: Path, partitioning: str, metrics: str) -> None:
    """ORC stores its times as a second later: Iceberg's rows are those that Spark reads from its ORC files.

    A column that is a partition field itself has the times as they were.
    """
    table, folder = "local.orc_filters.seconds", str(tmp_path / "orc")
    micros = (-1_000_001, -1_000_000, -999_001, -999_000, -500_000, -1, 0, 1000, 500_000, 999_999, 1_000_000)
    rows = ", ".join(f"({m}, timestamp_micros({m}))" for m in micros)
    spark.sql(
        f"CREATE TABLE {table} (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY ({partitioning or 'bucket(1, id)'}) "
        f"TBLPROPERTIES ('write.format.default' = 'orc', 'write.metadata.metrics.default' = '{metrics}')"
    )
    spark.sql(f"INSERT INTO {table} SELECT * FROM VALUES {rows}")
    frame = spark.sql(f"SELECT * FROM VALUES {rows} AS t (id, ts)")
    frame.write.parquet(folder) if partitioning == "ts" else frame.write.orc(folder)

    def read(source: str, where: str = "true") -> list[tuple[int, int]]:
        query = f"SELECT id, unix_micros(ts) FROM {source} WHERE {where}"
        return sorted((row[0], row[1]) for row in spark.sql(query).collect())

    form = "parquet" if partitioning == "ts" else "orc"
    outside = f"(SELECT * FROM {form}.`{folder}` ORDER BY 1 LIMIT 99)"  # the limit keeps filters from ORC
    later = [(m, m + 1_000_000 if -1_000_000 < m - m % 1000 < 0 else m) for m in micros]
    assert read(table) == read(outside) == ([(m, m) for m in micros] if form == "parquet" else later)
    conditions = [
        f"ts {op} timestamp_micros({m})"
        for op, m in product(("<", "<=", "=", ">=", ">"), (-999_000, -1, 0, 1000, 999_999))
    ]
    for where in (*conditions, "year(ts) = 1970", "iceberg_days(ts) = DATE '1970-01-01'", "iceberg_hours(ts) < 0"):
        assert read(table, where) == read(outside, where), where
    groups = "SELECT iceberg_days(ts), count(*), min(ts), max(ts) FROM {} GROUP BY 1 ORDER BY 1"
    assert spark.sql(groups.format(table)).collect() == spark.sql(groups.format(outside)).collect()
    spark.sql(f"DELETE FROM {table} WHERE ts < timestamp_micros(0)")
    assert read(table) == read(outside, "ts >= timestamp_micros(0)")
    spark.sql(f"DROP TABLE {table} PURGE")


TEXTS = ("\uffff", "\U0001f600", "a", "\ue000x", "\U0010ffff", "a\uffff", "a\U0001f600")
MANY = ", ".join(f"'{n}'" for n in range(12))
OF_TEXTS = (
    *(f"{column} {op} '{text}'" for op in ("=", "<", ">", "<=>") for text in TEXTS[::2] for column in ("s", "p.s")),
    f"s IN ('{TEXTS[0]}', '{TEXTS[1]}')",
    f"NOT (s < '{TEXTS[1]}' OR s = '{TEXTS[4]}')",
    f"s NOT IN ('{TEXTS[0]}', 'x')",
    f"s LIKE '{TEXTS[1]}%' OR p.s LIKE 'a{TEXTS[0]}%'",
    f"s IN ('{TEXTS[0]}', {MANY})",
    f"iceberg_truncate(1, s) = '{TEXTS[0]}'",
    f"substring(s, 1, 1) = '{TEXTS[0]}'",
)


@pytest.mark.parametrize("partitioning", ["", *swept(["PARTITIONED BY (truncate(1, s))", "PARTITIONED BY (s)"], 3)])
def test_texts_beyond_u_ffff(spark: SparkSession, partitioning: str) -> None:
    """ORC's reader has them in the order of UTF-16, in which an emoji is before U+FFFF."""
    table, values = "local.orc_filters.texts", ", ".join(f"({i}, '{text}')" for i, text in enumerate((*TEXTS, "")))
    s = "IF(s = '', null, s)"
    rows = f"SELECT i, {s} AS s, named_struct('s', {s}) AS p FROM VALUES {values} AS t (i, s)"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} (i INT, s STRING, p STRUCT<s: STRING>) USING iceberg {partitioning} "
        "TBLPROPERTIES ('write.format.default' = 'orc')"
    )
    for part in ("i % 2 = 0", "i % 2 = 1", "i IN (0, 1, 3)"):
        spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM ({rows}) WHERE {part}")
    all_rows = f"(SELECT * FROM ({rows}) UNION ALL SELECT * FROM ({rows}) WHERE i IN (0, 1, 3))"

    def read(source: str, where: str) -> list[int]:
        return sorted(row.i for row in spark.sql(f"SELECT i FROM {source} t WHERE {where}").collect())

    for where in OF_TEXTS:
        assert read(table, where) == read(all_rows, where), where
    joined = f"(VALUES ('{TEXTS[0]}'), ('{TEXTS[1]}')) b (s)"
    for query in (
        "SELECT s FROM {} ORDER BY s DESC LIMIT 3",
        "SELECT s FROM {} ORDER BY s NULLS LAST LIMIT 4",
        "SELECT s, count(*), max(i) FROM {} GROUP BY s ORDER BY s",
        "SELECT count(*) FROM (SELECT s FROM {} WHERE s > 'a' AND i % 2 = 0 LIMIT 3)",
        "SELECT count(*) FROM {} WHERE reverse(s) > 'a' AND length(s) = 1",
        "SELECT min(s), max(s), min(p.s), count(s) FROM {}",
        f"SELECT /*+ BROADCAST(b) */ t.i FROM {{}} t JOIN {joined} ON t.s = b.s ORDER BY 1",
    ):
        assert spark.sql(query.format(table)).collect() == spark.sql(query.format(all_rows)).collect(), query
    spark.sql(
        f"MERGE INTO {table} t USING (SELECT * FROM VALUES ('{TEXTS[0]}'), ('{TEXTS[4]}') AS v (s)) b ON t.s = b.s "
        "WHEN MATCHED THEN UPDATE SET i = t.i + 100"
    )
    assert read(table, "i >= 100") == [i + 100 for i in read(all_rows, f"s IN ('{TEXTS[0]}', '{TEXTS[4]}')")]
    deleted = f"s = '{TEXTS[1]}' OR s > '{TEXTS[3]}'"
    spark.sql(f"DELETE FROM {table} WHERE {deleted}")
    assert sorted(i % 100 for i in read(table, "true")) == read(all_rows, f"NOT coalesce({deleted}, false)")
    spark.sql(f"DROP TABLE {table} PURGE")


DAYS = (-2147483648, -2000000, -1719500, -719530)
OF_DAYS = (
    *(
        f"{column} {op} date_from_unix_date({day})"
        for op in (">", ">=", "<")
        for day in DAYS
        for column in ("d", "p.d")
    ),
    f"d IN (date_from_unix_date({DAYS[1]}), DATE '2024-01-01')",
    f"d BETWEEN date_from_unix_date({DAYS[1]}) AND DATE '2024-01-01'",
    f"NOT (d < date_from_unix_date({DAYS[1]}))",
    f"NOT (d <=> date_from_unix_date({DAYS[1]}))",
    "year(d) > -3000",
    "iceberg_years(d) > -4000",
)


@pytest.mark.parametrize("partitioning", ["", *swept(["PARTITIONED BY (years(d))", "PARTITIONED BY (d)"], 3)])
def test_constants_before_christ(spark: SparkSession, partitioning: str) -> None:
    """ORC's reader takes such a date for the one of the same year after Christ, which may be later than the rows."""
    table = "local.orc_filters.days"
    dates = "(1, DATE '2024-01-01'), (2, null), (3, DATE '7000-01-01'), (4, DATE '1700-01-01')"
    rows = f"(SELECT i, d, named_struct('d', d) AS p FROM VALUES {dates} AS t (i, d))"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} (i INT, d DATE, p STRUCT<d: DATE>) USING iceberg {partitioning} "
        "TBLPROPERTIES ('write.format.default' = 'orc')"
    )
    spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM {rows}")
    for where in OF_DAYS:
        query = f"SELECT i FROM {{}} t WHERE {where} ORDER BY i"
        assert spark.sql(query.format(table)).collect() == spark.sql(query.format(rows)).collect(), where
    late = f"d > date_from_unix_date({DAYS[1]})"
    for query in (
        f"SELECT count(*), min(d), max(i) FROM {{}} t WHERE {late}",
        f"SELECT d FROM {{}} t WHERE {late} ORDER BY d DESC LIMIT 2",
        f"SELECT count(*) FROM (SELECT i FROM {{}} t WHERE {late} LIMIT 2)",
    ):
        assert spark.sql(query.format(table)).collect() == spark.sql(query.format(rows)).collect(), query
    spark.sql(f"DELETE FROM {table} WHERE {late}")
    assert [row.i for row in spark.sql(f"SELECT i FROM {table}").collect()] == [2]
    spark.sql(f"DROP TABLE {table} PURGE")


VALUES = "(1, null, null, null), (2, 0, 'a', true), (3, null, 'a', null), (4, 0, null, true)"
DISTINCT = (
    "NOT (v <=> 0)",
    "s IS DISTINCT FROM 'a'",
    "NOT (v <=> 0) OR s = 'b'",
    "NOT (v <=> 0 AND id > 0)",
    "NOT (0 <=> v) AND s IS DISTINCT FROM 'b'",
    "NOT (flag <=> true)",
    "NOT (v <=> null)",
)


@pytest.mark.parametrize("partitioning", ["", "PARTITIONED BY (v)"])
def test_is_distinct_from(spark: SparkSession, partitioning: str) -> None:
    """Nulls in a file, and in a stripe, in which all other values are the constant."""
    table = "local.orc_filters.d"
    for mode in ("copy-on-write", "merge-on-read"):
        spark.sql(
            f"CREATE TABLE {table} (id INT, v INT, s STRING, flag BOOLEAN) USING iceberg {partitioning} "
            f"TBLPROPERTIES ('write.format.default' = 'orc', 'write.delete.mode' = '{mode}')"
        )
        insert = f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM VALUES {VALUES}"
        spark.sql(insert)
        columns = ", ".join(f"{text} AS c{i}" for i, text in enumerate(DISTINCT))
        truth = spark.sql(f"SELECT id, {columns} FROM VALUES {VALUES} AS t (id, v, s, flag)").collect()
        for i, text in enumerate(DISTINCT):
            if mode == "copy-on-write":
                read = spark.sql(f"SELECT id FROM {table} WHERE {text}").collect()
                assert sorted(row.id for row in read) == sorted(row.id for row in truth if row[f"c{i}"]), text
        for i in (0, 3):
            spark.sql(f"DELETE FROM {table} WHERE {DISTINCT[i]}")
            kept = [row.id for row in spark.sql(f"SELECT id FROM {table}").collect()]
            assert sorted(kept) == sorted(row.id for row in truth if not row[f"c{i}"]), DISTINCT[i]
            spark.sql(f"INSERT OVERWRITE {insert.removeprefix('INSERT INTO ')}")
        spark.sql(f"DROP TABLE {table} PURGE")


@pytest.mark.parametrize("by", ["", "PARTITIONED BY (days(ts))", "PARTITIONED BY (bucket(4, d), years(ts))"])
def test_early_times_without_bounds(spark: SparkSession, by: str) -> None:
    """The filter within a file is in another calendar before 15 October 1582."""
    table, truth = "local.orc_filters.early", "orc_filters_early"
    dates = ("0001-01-01", "1500-03-01", "1582-10-10", "1582-10-15", "1999-12-31", "2024-02-03")
    rows = ", ".join(f"({i}, DATE '{d}', TIMESTAMP '{d} 01:02:03')" for i, d in enumerate(dates))
    spark.sql(
        f"CREATE TABLE {table} (id INT, d DATE, ts TIMESTAMP) USING iceberg {by} TBLPROPERTIES ("
        "'write.format.default' = 'orc', 'write.metadata.metrics.default' = 'counts')"
    )
    try:
        spark.sql(f"INSERT INTO {table} VALUES {rows}")
        spark.sql(f"SELECT * FROM VALUES {rows} AS t (id, d, ts)").createOrReplaceTempView(truth)
        for column, date in product(("d", "ts"), dates):
            value = f"DATE '{date}'" if column == "d" else f"TIMESTAMP '{date} 01:02:03'"
            for condition in (f"{column} {o} {value}" for o in ("=", "<=>", "<", "<=", ">", ">=", "<>", "IN")):
                query = "SELECT id FROM {} WHERE {} ORDER BY id"
                text = condition if "IN" not in condition else f"{column} IN ({value})"
                expected = spark.sql(query.format(truth, text)).collect()
                assert spark.sql(query.format(table, text)).collect() == expected, text
        if by.endswith("(days(ts))"):
            assert (
                metrics(spark.sql(f"SELECT id FROM {table} WHERE ts > TIMESTAMP '2000-01-01'"))["resultDataFiles"] < 6
            )
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")


def test_the_first_time_of_all(spark: SparkSession) -> None:
    """What is read beside the range that a filter implies ends at the least number, and does not wrap around."""
    table = "local.orc_filters.first"
    spark.sql(
        f"CREATE TABLE {table} (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (hours(ts)) "
        "TBLPROPERTIES ('write.format.default' = 'orc')"
    )
    try:
        spark.sql(f"INSERT INTO {table} VALUES (1, timestamp_micros(-9223372036854775807)), (2, timestamp_micros(999))")
        rows = spark.sql(f"SELECT id FROM {table} WHERE ts >= timestamp_micros(-12219379200000000)").collect()
        assert [row.id for row in rows] == [2]
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")
