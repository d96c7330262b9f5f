"""From Hive to hidden partitioning, without Spark: what is certain, what is asked, what queries become."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import spark_iceberg_sql as sis
from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.from_hive.hive_partitions import (
    HiveColumn,
    PartitionDerivation,
    PartitionValueFormat,
    infer_formats,
    possible_derivations,
)
from spark_iceberg_sql.insight.from_hive.hive_queries import rewrite

LOGS = """CREATE EXTERNAL TABLE web.logs (id BIGINT, ts TIMESTAMP, url STRING)
PARTITIONED BY (dt STRING, country STRING) STORED AS PARQUET LOCATION 's3://lake/logs';
"""
DAY = "ts >= TIMESTAMP '2024-01-05 00:00:00 UTC' AND ts < TIMESTAMP '2024-01-06 00:00:00 UTC'"
DECEMBER = "ts >= TIMESTAMP '2023-12-01 00:00:00 UTC' AND ts < TIMESTAMP '2024-01-01 00:00:00 UTC'"
TS = HiveColumn("ts", "timestamp")
DT = PartitionValueFormat(HiveColumn("dt", "string"), "day", "yyyy-MM-dd", "%Y-%m-%d")
BY_DAY = PartitionDerivation((DT,), TS, "UTC")
NAMES = [("web", "logs"), ("logs",), ("spark_catalog", "web", "logs")]


def where(condition: str, reading: PartitionDerivation = BY_DAY) -> str | None:
    """The rewritten condition; None if it stays."""
    start = "SELECT * FROM web.logs WHERE "
    rewritten = rewrite(start + condition, NAMES, reading).rewritten
    return rewritten.removeprefix(start) if rewritten else None


def test_ddl_alone_does_not_say_which_column() -> None:
    move = sis.from_hive(None, LOGS + "SELECT * FROM web.logs WHERE dt = '2024-01-05'")
    assert (move.spec, move.basis) == ("dt, country", None)
    assert [hive_query.rewritten for hive_query in move.queries] == [None]
    (question,) = move.unsure
    assert "whether `dt` is the day of `ts` in UTC" in question
    assert "column => 'ts'" in question
    assert "NOT (dt <=> date_format(iceberg_days(ts), 'yyyy-MM-dd'))" in question
    assert "rewrite_data_files" not in move.sql


def test_a_stated_column_is_checked_first() -> None:
    query = "SELECT count(*) FROM web.logs WHERE dt = '2024-01-05' AND country = 'de'"
    move = sis.from_hive(None, LOGS, [query], column="TS")
    assert move.spec == "days(ts), country"
    assert move.queries[0].rewritten == query.replace("dt = '2024-01-05'", f"({DAY})")
    assert move.script[0].statements[0].startswith("SELECT count_if(NOT (dt <=>")
    assert "as stated" in (move.basis or "")
    assert check(move.sql).ok
    assert json.loads(move.to_json()) == move.to_dict()
    printed = "".join(str(move).split())
    for _, text, _ in move.rows():
        assert "".join(text.split()) in printed


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("dt = '2024-01-05'", f"({DAY})"),
        ("NOT dt = '2024-01-05'", f"NOT ({DAY})"),
        ("dt <> '2024-01-05'", f"NOT ({DAY})"),
        ("dt >= '2024-01-05'", "ts >= TIMESTAMP '2024-01-05 00:00:00 UTC'"),
        ("dt > '2024-01-05'", "ts >= TIMESTAMP '2024-01-06 00:00:00 UTC'"),
        ("dt <= '2024-01-05'", "ts < TIMESTAMP '2024-01-06 00:00:00 UTC'"),
        ("dt < '2024-01-05'", "ts < TIMESTAMP '2024-01-05 00:00:00 UTC'"),
        ("(x = 1 OR `dt` = \"2024-01-05\")", f"(x = 1 OR ({DAY}))"),
        ("dt = DATE '2024-01-05'", f"({DAY})"),
        ("dt NOT IN ('2024-01-05')", f"NOT ({DAY})"),
        ("dt BETWEEN '2024-01-05' AND '2024-01-05' ORDER BY id", f"({DAY}) ORDER BY id"),
        ("dt LIKE '2023-12%'", f"({DECEMBER})"),
        ("dt >= '0999-01-01'", "ts >= TIMESTAMP '0999-01-01 00:00:00 UTC'"),
    ],
)  # fmt: skip
def test_conditions_become_ranges(condition: str, expected: str) -> None:
    assert where(condition) == expected


@pytest.mark.parametrize(
    "condition",
    [
        "dt = '2024-1-5'",  # no partition has this value
        "dt = '2024-02-30'",
        "dt = '20240105'",
        "dt >= '2024-01'",
        "dt = '9999-12-31'",  # the next day is not a timestamp
        "dt = current_date()",
        "dt = '${day}'",
        "dt = :day",
        "dt = '2024-01-05' || ''",
        "dt = '2024-01-05' = true",
        "dt = '2024-01' '-05'",
        "upper(dt) = 'X'",
        "x BETWEEN 1 AND dt = '2024-01-05'",
        "x + dt = '2024-01-05'",
        "CASE WHEN dt = '2024-01-05' THEN 1 END = 1",
        "'2024-01-05' = dt",
        "dt IN ('2024-01-05', other)",
        "dt IN (SELECT dt FROM days)",
        "exists(dts, dt -> dt = '2024-01-05')",
        "s.dt = '2024-01-05'",
        "dt.x = '2024-01-05'",
        "dt LIKE '2024-1%'",
        "dt LIKE '%-05'",
        "dt LIKE '202401%'",
        "id IN (SELECT id FROM other WHERE dt = '2024-01-05')",
        "x = 'dt = ''2024-01-05'''",
        "x = 1 /* dt = '2024-01-05' */",
    ],
)
def test_what_is_not_certain_stays(condition: str) -> None:
    assert where(condition) is None


@pytest.mark.parametrize(
    ("query", "rewritten"),
    [
        ("SELECT * FROM logs l JOIN u ON l.id = u.id WHERE dt = '2024-01-05'", False),
        ("SELECT * FROM logs l JOIN u ON l.id = u.id WHERE l.dt = '2024-01-05'", True),
        ("SELECT * FROM logs l JOIN u ON l.id = u.id AND l.dt = '2024-01-05'", True),
        ("SELECT * FROM logs l, u WHERE dt = '2024-01-05'", False),
        ("SELECT * FROM logs a JOIN logs b ON a.id = b.id WHERE a.dt = '2024-01-05'", False),
        ("SELECT * FROM u l WHERE EXISTS (SELECT 1 FROM logs l WHERE l.dt = '2024-01-05')", False),
        ("WITH x AS (SELECT * FROM logs) SELECT * FROM x WHERE dt = '2024-01-05'", False),
        ("SELECT count_if(dt = '2024-01-05') FROM logs GROUP BY dt", False),
        ("SELECT id FROM logs GROUP BY id HAVING max(dt) = '' AND dt = '2024-01-05'", False),
        ("SELECT id, upper(url) AS dt FROM logs ORDER BY dt = '2024-01-05'", False),
        ("SELECT count(*) FILTER (WHERE dt = '2024-01-05') FROM logs", True),
        ("SELECT * FROM logs AS l (id, dt, ts, url) WHERE dt = '2024-01-05'", False),
        ("SELECT * FROM other WHERE dt = '2024-01-05'", False),
        ("SELECT * FROM web.Logs WHERE (x IN (1, 2)) AND logs.dt = '2024-01-05'", True),
        ("SELECT * FROM `spark_catalog`.web.logs WHERE dt = '2024-01-05'", True),
        ("SELECT * FROM a.logs WHERE dt = '2024-01-05'", False),
        ("SELECT * FROM local.web.logs WHERE dt = '2024-01-05'", False),
        ("SELECT * FROM web.logs.files WHERE dt = '2024-01-05'", False),
        ("WITH logs AS (SELECT ts2 AS ts, dt FROM o) SELECT * FROM logs WHERE dt = '2024-01-05'", False),
        ("WITH a AS (SELECT 1), logs (dt) AS (TABLE o) SELECT * FROM logs l WHERE l.dt = '2024-01-05'", False),
        ("SELECT * FROM logs UNPIVOT (v FOR k IN (ts, ts2)) WHERE dt = '2024-01-05'", False),
        ("SELECT * FROM logs PIVOT (max(id) FOR url IN ('a')) WHERE dt = '2024-01-05'", False),
        ("SELECT * FROM logs TABLESAMPLE (9 ROWS) AS l (dt, ts) WHERE dt = '2024-01-05'", False),
        ("FROM logs |> SELECT url AS dt, ts |> WHERE dt = '2024-01-05'", False),
    ],
)
def test_only_the_tables_own_columns_in_where(query: str, rewritten: bool) -> None:
    rewritten_query = rewrite(query, NAMES, BY_DAY)
    assert (rewritten_query.rewritten is not None) == rewritten
    if rewritten:
        assert " ts >=" in (rewritten_query.rewritten or "").replace(".", " ").replace("(", " ")
    elif "dt" in query:
        assert rewritten_query.notes


@pytest.mark.parametrize(
    ("zone", "day", "rewritten"),
    [
        ("America/St_Johns", "2010-11-07", False),  # from 00:01 back to 23:01
        ("America/St_Johns", "2010-11-06", False),
        ("America/St_Johns", "2010-11-05", True),
        ("America/Sao_Paulo", "2018-11-04", False),  # begins at 01:00
        ("America/New_York", "2024-11-03", True),  # has 25 hours
        ("America/New_York", "1969-01-01", False),
        ("America/New_York", "2038-01-01", False),
        ("+02:00", "1900-01-01", True),
    ],
)
def test_days_that_are_no_range(zone: str, day: str, rewritten: bool) -> None:
    query = f"SELECT * FROM logs WHERE dt = '{day}'"
    rewritten_query = rewrite(query, NAMES, PartitionDerivation((DT,), TS, zone))
    assert (rewritten_query.rewritten is not None) == rewritten
    assert rewritten or f"in {zone}, it is not certain that clocks show" in rewritten_query.notes[0]


@pytest.mark.parametrize("zone", ["Nowhere/X", "", "+2", "localtime", "../UTC"])
def test_unknown_zones(zone: str) -> None:
    with pytest.raises(IcebergSqlError, match="unknown"):
        sis.from_hive(None, LOGS, column="ts", zone=zone)


def test_a_name_that_may_be_another_table() -> None:
    query = "SELECT * FROM logs WHERE dt = '2024-01-05'"
    full = query.replace("logs", "web.logs")
    move = sis.from_hive(None, LOGS, [query, full], column="ts", zone="America/New_York")
    assert [hive_query.rewritten is not None for hive_query in move.queries] == [False, True]
    assert "`logs` may be another table than `web.logs`" in move.queries[0].notes[0]
    assert "convert_timezone('UTC', 'America/New_York'," in move.sql  # whatever the session's zone is


def test_files_with_timestamps_that_iceberg_cannot_read_are_not_imported() -> None:
    query = "SELECT * FROM web.logs WHERE dt = '2024-01-05'"
    for format_, kind, imported in (
        ("ORC", "TIMESTAMP", False),
        ("ORC", "STRUCT<a: TIMESTAMP_NTZ>", False),
        ("ORC", "DATE", True),
        ("AVRO", "TIMESTAMP", True),
        ("AVRO", "ARRAY<TIMESTAMP_NTZ>", False),
        ("PARQUET", "TIMESTAMP_NTZ", True),
    ):
        text = LOGS.replace("PARQUET", format_).replace("ts TIMESTAMP", f"ts {kind}")
        move = sis.from_hive(None, text, query)
        assert ("add_files" in move.sql) == bool(move.other_ways) == imported


def test_one_odd_constant_stays_alone() -> None:
    """The form is that of the other constants; an odd one stays with its own reason."""
    where = {
        "dt = '2024-01-05'": "",
        "dt IN ('2024-01-06', '2024-01-07')": "",
        "dt = '2024-02-31'": "'2024-02-31' is not a day in the format yyyy-MM-dd",
        "dt = 'all'": "'all' is not a day in the format",
        "dt > '2024-01'": "'2024-01' is not a day in the format",
        "dt = 20240105": "'20240105' is not a day in the format",
        "dt BETWEEN '2024-01-31' AND '2024-01-01'": "nothing is between '2024-01-31' and",
        "dt = '9999-12-31'": "the day after '9999-12-31' is outside the range",
        "dt LIKE '2024-01-0_'": "not the pattern of a whole year or month",
        "'2024-01-05' = dt": "where a constant comes first: write `dt` first",
        "dt <=> '2024-01-05'": "unless its condition is =",
        "dt NOT IN ('2024-01-05', NULL)": "unless its condition is =",
    }
    queries = [f"SELECT * FROM web.logs WHERE {case}" for case in where]
    move = sis.from_hive(None, LOGS, queries, column="ts")
    assert move.spec == "days(ts), country"
    for case, reason in zip(move.queries, where.values(), strict=True):
        assert (case.rewritten is None) == bool(reason), case
        assert reason in " ".join(case.notes), case
    for pair in (("'2024-01-05'", "'20240106'"), ("'all'", "'none'")):
        some = [f"SELECT * FROM web.logs WHERE dt = {case}" for case in pair]
        with pytest.raises(IcebergSqlError, match=r"'2024-01-05', '20240106'|but with 'all'"):
            sis.from_hive(None, LOGS, some, column="ts")


def test_statements_that_are_no_queries_are_named() -> None:
    script = """SELECT * FROM web.logs WHERE dt = '2024-01-05';
        INSERT OVERWRITE TABLE web.logs PARTITION (dt = '2024-01-05', country) SELECT 1, ts, 'a' FROM o;
        ALTER TABLE web.logs DROP IF EXISTS PARTITION (dt = '2024-01-05');
        DELETE FROM web.logs WHERE dt = '2024-01-05';
        MSCK REPAIR TABLE web.logs"""
    move = sis.from_hive(None, LOGS + script, column="ts")
    notes = [" ".join(entry.notes) for entry in move.queries]
    assert [entry.rewritten is not None for entry in move.queries] == [True, *[False] * 4]
    assert all(entry.startswith("not rewritten: not a query") for entry in notes[1:])
    assert "`dt` is no partition field: leave out PARTITION" in notes[1]
    assert "use DELETE FROM" in notes[2]
    assert notes[3] == "not rewritten: not a query"
    assert "leave it out" in notes[4]
    kept = sis.from_hive(None, LOGS + "INSERT INTO web.logs PARTITION (dt = 'x', country) SELECT 1")
    assert kept.queries[0].notes == ("not rewritten: not a query",)  # it works with the old spec


def test_what_a_name_means_after_use() -> None:
    query = "SELECT * FROM {} WHERE dt = '2024-01-05';"
    bare = LOGS.replace("web.logs", "logs") + query.format("logs")
    assert sis.from_hive(None, f"USE web; {bare}", column="ts").queries[0].rewritten
    with pytest.raises(IcebergSqlError, match="after `USE other`, `logs` may be another table"):
        sis.from_hive(None, bare, "USE other", column="ts")
    with pytest.raises(IcebergSqlError, match="may be another table"):
        sis.from_hive(None, bare, "CREATE TEMP VIEW logs AS SELECT * FROM u", column="ts")
    for use, rewritten in (("USE other", True), ("USE local", False), ("SET CATALOG x", False)):
        full = f"{use};{query.format('web.logs')}{query.format('spark_catalog.web.logs')}"
        hive_queries = sis.from_hive(None, LOGS, full, column="ts").queries
        assert [hive_query.rewritten is not None for hive_query in hive_queries[:2]] == [rewritten, True]


def parts(kind: str = "int") -> PartitionDerivation:
    columns = [HiveColumn(name, kind) for name in ("year", "month", "day")]
    values = {"year": ["2024"], "month": ["01", "12"], "day": ["05", "31"]}
    forms, unknown = infer_formats(columns, values)
    assert unknown == {}
    (derivation,) = possible_derivations(forms, [HiveColumn("d", "date")], ["UTC"])
    return derivation


def test_columns_for_year_month_and_day() -> None:
    day = parts()
    assert where("year = 2024 AND month = 1 AND day = 5", day) == "d = DATE '2024-01-05'"
    assert where("month = 1 AND year = 2024", day) == ("(d >= DATE '2024-01-01' AND d < DATE '2024-02-01')")
    for stays in ("month = 1", "year = 2024 AND day = 5", "month = 13 AND year = 2024"):
        assert where(stays, day) is None, stays
    assert (where("NOT year = 2024 AND month = 1", day) or "").endswith("AND month = 1")
    text = parts("string")
    assert where("year = '2024' AND month = '1'", text) is None  # the partitions are '01'
    assert where("year = '2024' AND month = '01'", text) is not None


@pytest.mark.parametrize(
    ("condition", "rewritten"),
    [
        ("year = 2008 AND month BETWEEN 5 AND 7", "(d >= DATE '2008-05-01' AND d < DATE '2008-08-01')"),
        ("year = 2008 AND month >= 5", "(d >= DATE '2008-05-01' AND d < DATE '2009-01-01')"),
        ("month < 5 AND year = 2008", "(d >= DATE '2008-01-01' AND d < DATE '2008-05-01')"),
        ("year = 2008 AND month > 11", "(d >= DATE '2008-12-01' AND d < DATE '2009-01-01')"),
        ("year = 2008 AND month = 2 AND day <= 29", "(d >= DATE '2008-02-01' AND d < DATE '2008-03-01')"),
        ("year = 2008 AND month IN (1, 2, 5)", "((d >= DATE '2008-01-01' AND d < DATE '2008-03-01') OR (d >= "),
        ("year BETWEEN 2008 AND 2010", "(d >= DATE '2008-01-01' AND d < DATE '2011-01-01')"),
        ("year > 2008", "d >= DATE '2009-01-01'"),
        ("year = 2008 AND month > 12", None),  # no row, which a range cannot say
        ("year = 2008 AND month BETWEEN 7 AND 5", None),
        ("year > 2008 AND month = 5", "d >= DATE '2009-01-01' AND month = 5"),
        (
            "year = 2008 AND month NOT BETWEEN 5 AND 7",
            "(d >= DATE '2008-01-01' AND d < DATE '2009-01-01') AND month NOT",
        ),
        ("year = 2007 AND day > 3", None),
    ],
)
def test_a_range_of_the_finest_part(condition: str, rewritten: str | None) -> None:
    result = where(condition, parts())
    assert result == rewritten or (rewritten and str(result).startswith(rewritten))


def test_digits_that_are_not_padded_have_another_order() -> None:
    """As texts, '5' is not between '4' and '11'."""
    forms, _ = infer_formats(
        [HiveColumn(n, "string") for n in ("year", "month")], {"year": ["2024"], "month": ["1", "12"]}
    )
    (unpadded,) = possible_derivations(forms, [HiveColumn("d", "date")], ["UTC"])
    assert where("year = '2024' AND month BETWEEN '4' AND '11'", unpadded) is None
    assert (
        where("year = '2024' AND month IN ('4', '5')", unpadded) == "(d >= DATE '2024-04-01' AND d < DATE '2024-06-01')"
    )
    assert (
        where("year = '2024' AND month >= '05'", parts("string"))
        == "(d >= DATE '2024-05-01' AND d < DATE '2025-01-01')"
    )


def test_forms_that_no_time_has() -> None:
    def form(kind: str, *values: str) -> tuple[str | None, str]:
        formats, unknown = infer_formats([HiveColumn("p", kind)], {"p": values})
        return formats["p"].format if formats else None, unknown.get("p", "")

    assert form("string", "20240105", "20240106") == ("yyyyMMdd", "")
    assert form("int", "202401")[0] == "yyyyMM"
    assert form("string", "2024-01-05 07")[0] == "yyyy-MM-dd HH"
    assert form("string", "de", "fr") == (None, "")
    assert form("int", "20249999") == (None, "")
    assert "several formats" in form("string", "2024-01-05", "20240106")[1]
    assert "unknown" in form("string")[1]
    assert form("date")[0] == "yyyy-MM-dd"
    assert form("boolean", "true") == (None, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CREATE TABLE t (id INT) STORED AS PARQUET", "no partition columns"),
        ("CREATE TABLE t (id INT) USING iceberg PARTITIONED BY (id)", "already an Iceberg table"),
        ("SELECT 1 AS x", "no CREATE TABLE"),
        (LOGS + LOGS, "more than one CREATE TABLE"),
        ("CREATE TABLE t (id INT) USING parquet PARTITIONED BY (bucket(4, id))", "not in its column list"),
        ("CREATE TABLE t (id INT PARTITIONED BY (dt STRING)", "cannot be read"),
    ],
)
def test_what_is_no_hive_table(text: str, message: str) -> None:
    with pytest.raises(IcebergSqlError, match=message):
        sis.from_hive(None, text)


def test_wrong_arguments() -> None:
    with pytest.raises(IcebergSqlError, match="its date and timestamp columns: `ts`"):
        sis.from_hive(None, LOGS, "SELECT * FROM web.logs WHERE dt = '2024-01-05'", column="url")
    with pytest.raises(IcebergSqlError, match="the format of its values is unknown"):
        sis.from_hive(None, LOGS, column="ts")
    with pytest.raises(IcebergSqlError, match="needs a session"):
        sis.from_hive(None, "web.logs")


def test_files_that_cannot_be_imported() -> None:
    text = LOGS.replace("PARQUET", "TEXTFILE") + "SELECT * FROM web.logs WHERE dt = '2024-01-05'"
    move = sis.from_hive(None, text, column="ts")
    assert "add_files" not in str(move)
    assert "AS SELECT * FROM spark_catalog.web.logs" in move.sql


def test_the_command_needs_no_spark(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "logs.sql"
    file.write_text(LOGS + "SELECT * FROM web.logs WHERE dt = '2024-01-05';")
    assert main(["from-hive", str(file)]) == 2
    assert "unsure: whether `dt`" in capsys.readouterr().out
    arguments = ["from-hive", str(file), "--column", "ts", "--catalog", "lake", "--format", "json"]
    assert main(arguments) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["spec"] == "days(ts), country"
    assert "CALL lake.system.add_files" in json.dumps(document["script"])
    assert main(["from-hive", str(file), "--column", "ts", "--zone", "Nowhere/X"]) == 2
    assert "unknown time zone `Nowhere/X`" in capsys.readouterr().err


NAMED_LIKE_ITS_COLUMN = "CREATE TABLE web.dt (id BIGINT, ts TIMESTAMP) PARTITIONED BY (dt STRING) STORED AS PARQUET;\n"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM web.dt WHERE dt = '2024-01-05'",
        "SELECT dt.id FROM web.dt WHERE dt.dt = '2024-01-05' AND dt.id > 3",
        "SELECT id FROM web.dt dt WHERE dt.dt = '2024-01-05' ORDER BY dt.id",
        "SELECT l.id FROM web.dt AS l WHERE l.dt = '2024-01-05'",
    ],
)
def test_a_table_named_like_its_partition_column(query: str) -> None:
    (result,) = sis.from_hive(None, NAMED_LIKE_ITS_COLUMN, query, column="ts").queries
    assert "ts >= TIMESTAMP '2024-01-05 00:00:00 UTC'" in (result.rewritten or "")
    assert result.notes == ()


def test_another_table_under_the_name_of_the_column() -> None:
    """Whose column `dt.dt` is, the text does not show."""
    queries = [
        "SELECT id FROM web.dt WHERE dt = '2024-01-05'",
        "SELECT dt.id FROM web.dt JOIN web.shops AS dt ON dt.id = shop WHERE dt.dt = '2024-01-05'",
    ]
    _, result = sis.from_hive(None, NAMED_LIKE_ITS_COLUMN, queries, column="ts").queries
    assert result.rewritten is None
    assert "the text does not show which table's column `dt` is" in result.notes[0]
