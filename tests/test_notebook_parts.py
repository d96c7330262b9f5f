"""The parts of the notebook that need no session: options, variables, pictures, and what is not shown again."""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell
from jsonschema import Draft202012Validator
from traitlets import TraitError

import spark_iceberg_sql as sis
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.notebooks.cells import read_cell
from spark_iceberg_sql.notebook.catalog_commands import catalog_command, history_count
from spark_iceberg_sql.notebook.cells.cell import Cell, mask_line, mask_stack, mask_strings
from spark_iceberg_sql.notebook.cells.magic import IcebergSql
from spark_iceberg_sql.notebook.cells.magic_options import Options, cell_options, line_options
from spark_iceberg_sql.notebook.cells.parameter_values import refused_frame
from spark_iceberg_sql.notebook.cells.parameters import VariableError, bind, restore_braces
from spark_iceberg_sql.notebook.cells.reading_limit import PlannedRead, ReadingLimit, bytes_of
from spark_iceberg_sql.notebook.cells.sql_strings import sql_in_string
from spark_iceberg_sql.notebook.cells.statements import table_of_call
from spark_iceberg_sql.notebook.display import partition_map, result_bundles
from spark_iceberg_sql.notebook.display.diagrams import HiddenPartitioning
from spark_iceberg_sql.notebook.display.pages import NEXT, Pages
from spark_iceberg_sql.notebook.display.partitions import partitions_read
from spark_iceberg_sql.notebook.display.result_rows import ResultRows
from spark_iceberg_sql.notebook.errors.spark_errors import parse_error
from spark_iceberg_sql.notebook.results.history import MAX_STATEMENTS, History, Recorder
from spark_iceberg_sql.spark.bridge.jvm.java_rows import PartitionValue
from spark_iceberg_sql.spark.bridge.plans.scan_files import Partition, TableRead
from spark_iceberg_sql.spark.bridge.tables.commit_summaries import CommitSummary
from spark_iceberg_sql.spark.gate.catalog_names import abbreviations
from spark_iceberg_sql.syntax.script import statements

# --- the first line -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("", Options()),
        ("rows", Options(name="rows")),
        ("rows --limit 5", Options(name="rows", limit=5)),
        ("--limit=5 rows --plan", Options(name="rows", limit=5, plan=True)),
        ("  --quiet   --traceback ", Options(quiet=True, traceback=True)),
        ("rows --csv a.csv --quiet", Options(name="rows", file_type="csv", file="a.csv", quiet=True)),
        ("--parquet='my rows.parquet' rows", Options(name="rows", file_type="parquet", file="my rows.parquet")),
        ("rows --save v_1", Options(name="rows", save="v_1")),
        ("--save=v", Options(save="v")),
        ("--yes", Options(yes=True)),
        ("rows --polars", Options(name="rows", frame_type="polars")),
        ("größe --check --explain --fix", Options(name="größe", check=True, explain=True, fix=True)),
    ],
)
def test_the_first_line(line: str, options: Options) -> None:
    assert cell_options(line, Options()) == options


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--limt 3", "write `--limit`"),
        ("--save", "takes the name of a view"),
        ("--save 1x", "`1x` cannot be the name of a view"),
        ("--save local.d.t", "cannot be the name of a view"),
        ("--explan", "write `--explain`"),
        ("--frobnicate", "the options are --limit"),
        ("--plan=yes", "write `--plan`"),
        ("--limit", "--limit 50"),
        ("--limit ten", "not `ten`"),
        ("--limit -1", "not `-1`"),
        ("--limit 100000000000", "at most 1,000,000"),
        ("SELECT 1", "write the SQL on the lines below"),
        ("a --quiet b", "not `a` and `b`"),
        ("class", "cannot be a variable's name"),
        ("1x", "cannot be a variable's name"),
        ("list", "write `list_rows`"),
        ("--next", "on a separate line: %iceberg_sql --next"),
        ("--next 0", "not `0`"),
        ("--previous -5", "--previous takes a number of rows, not `-5`: --previous 50"),
        ("--nex", "write `--next`"),
        ("--copy=3", "write `--copy`"),
        ("rows --csv", "--csv takes the name of a file\nhelp: write --csv result.csv"),
        ("rows --csv --quiet", "--csv takes the name of a file"),
        ("rows --panda", "write `--pandas`"),
        ("rows --polars=1", "write `--polars`"),
        ("--chart pie x=region y=sales", "not `pie`\nhelp: write --chart bar x=region y=sales"),
        ("--chart x=region y=sales", "help: write --chart bar x=region y=sales"),
        ("--chart bar --x region", "write x=COLUMN after the kind of the chart"),
    ],
)
def test_a_first_line_with_a_mistake(line: str, message: str) -> None:
    with pytest.raises(IcebergSqlError, match=re.escape(message)):
        cell_options(line, Options())


def field_value(name: str, transform: str, text: str, number: float | None) -> PartitionValue:
    return PartitionValue(name=name, transform=transform, text=text, number=number)


def test_a_line_magic_keeps_its_sql_as_it_is() -> None:
    options, text = line_options("--limit 3 SELECT '--quiet', {x} -- end", Options())
    assert (options.limit, text) == (3, "SELECT '--quiet', {x} -- end")


@pytest.mark.parametrize(
    ("line", "file", "text"),
    [
        ("--csv out.csv SELECT 1", "out.csv", "SELECT 1"),
        ("--csv 'a b.csv' SELECT '--x'", "a b.csv", "SELECT '--x'"),
        ('--csv="a b.csv" SELECT 1', "a b.csv", "SELECT 1"),
    ],
)
def test_a_line_magic_with_a_file(line: str, file: str, text: str) -> None:
    options, sql = line_options(line, Options())
    assert (options.file, sql) == (file, text)


@pytest.mark.parametrize(
    ("line", "turn", "page", "name"),
    [
        ("--next", "next", None, ""),
        ("--next 50 delays", "next", 50, "delays"),
        ("--previous=5", "previous", 5, ""),
        ("--next delays", "next", None, "delays"),
        ("--copy delays", "copy", None, "delays"),
    ],
)
def test_a_line_that_turns_the_pages(line: str, turn: str, page: int | None, name: str) -> None:
    options, text = line_options(line, Options())
    assert (options.turn, options.page, text) == (turn, page, name)


# --- variables ------------------------------------------------------------------------------------

VARIABLES = {
    "day": datetime.date(2024, 1, 5),
    "n": 3,
    "name": "o'brien; DROP TABLE t",
    "ids": (1, 2),
    "sis": sis,
    "INT": 1,
}


@pytest.mark.parametrize(
    ("text", "expected", "values"),
    [
        ("SELECT {n}", "SELECT :n ", {"n": 3}),
        ("SELECT :n, {name}", "SELECT :n, :name ", {"n": 3, "name": VARIABLES["name"]}),
        ("WHERE id IN (SELECT explode({ids}))", "WHERE id IN (SELECT explode(:ids ))", {"ids": [1, 2]}),
        ("SELECT '{n} :n', \"{n}\", `{n}` -- {n}\n/* {n} */", None, {}),
        ("SELECT from_json('{\"a\": {\"b\": 1}}', 'a STRUCT<b: INT>')", None, {}),
        ("SELECT '${n}', ${n}", None, {}),
        ("SELECT v:path, x::int, named_struct('a', 1).a", None, {}),
        ("SELECT 'it''s; {n}'; SELECT r'\\', {n}", "SELECT 'it''s; {n}'; SELECT r'\\', :n ", {"n": 3}),
        ("", None, {}),
    ],
)
def test_variables_become_parameters(text: str, expected: str | None, values: dict[str, object]) -> None:
    bound_sql = bind(text, VARIABLES)
    assert (bound_sql.text, dict(bound_sql.values)) == (expected or text, values)
    assert len(bound_sql.text) == len(text)


def test_a_corrected_cell_has_its_braces_again() -> None:
    written = "SELECT iceberg_bucket(id, 4), {n} FROM t"
    corrected = bind(written, VARIABLES).text.replace("id, 4", "4, id")
    assert restore_braces(corrected, written) == "SELECT iceberg_bucket(4, id), {n} FROM t"


def test_a_type_in_a_struct_is_handed_over_only_where_it_is_a_variable() -> None:
    """Spark ignores what it does not need; it alone knows that `a: INT` is no parameter."""
    bound_sql = bind("SELECT CAST(x AS STRUCT<a: INT>)", VARIABLES)
    assert bound_sql.text == "SELECT CAST(x AS STRUCT<a: INT>)"


@pytest.mark.parametrize(
    ("text", "at", "help"),
    [
        ("SELECT {dya}", "{dya}", "write `{day}`"),
        ("SELECT {unlike_any}", "{unlike_any}", "unlike_any = ..."),
        ("SELECT { n }", "{ n }", "write `{n}`"),
        ("SELECT {{ n }}", "{{ n }}", "write `{n}`"),
        ("SELECT {n + 1}", "{n + 1}", "assign the value to a variable"),
        ("SELECT {n!r}", "{n!r}", "assign the value to a variable"),
        ("SELECT {", "{", "assign the value to a variable"),
        ("SELECT {}", "{}", "assign the value to a variable"),
        ("SELECT x_{n}", "{n}", "IDENTIFIER({n})"),
        ("SELECT {n}_x", "{n}", "IDENTIFIER({n})"),
        ("FROM db.{name}", "{name}", "IDENTIFIER({name})"),
        ("SELECT * FROM {name}", "{name}", "write `FROM IDENTIFIER({name})`"),
        ("SELECT {sis}", "{sis}", "use a number"),
        ("SELECT 1;\nSET foo={n}", "{n}", "spark.conf.set('foo', n)"),
        ("SET foo=:n", ":n", "spark.conf.set('foo', n)"),
        ("SET foo = :nope", ":nope", "spark.conf.set('foo', nope)"),
        ("SET time.x={n}", "{n}", "spark.conf.set('time.x', n)"),
        ("ADD JAR {name}", "{name}", "write the value itself"),
    ],
)
def test_a_variable_that_cannot_be_used(text: str, at: str, help: str) -> None:
    with pytest.raises(VariableError) as caught:
        bind(text, VARIABLES)
    assert text[caught.value.start : caught.value.end] == at
    assert help in caught.value.help


@pytest.mark.parametrize(
    "text", ["SET a=b:n", "SET u=jdbc:n:/x", "SET a=${n}", "SET TIME ZONE {n}", "SET VAR x = {n}", "SET a"]
)
def test_a_setting_without_a_variable_is_left_alone(text: str) -> None:
    assert len(bind(text, VARIABLES).text) == len(text)


MIDNIGHT = datetime.datetime.fromisoformat("2024-01-01")
TEN = datetime.datetime.fromisoformat("2024-01-01T10:00")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2**63 - 1, 2**63 - 1),
        (2**63, decimal.Decimal(2**63)),
        (np.uint64(2**63 + 1), decimal.Decimal(2**63 + 1)),
        (pd.NaT, None),
        (pd.NA, None),
        (np.datetime64("NaT", "ns"), None),
        (np.datetime64("2024-01-01T10", "ns"), TEN),
        (np.array(["2024-01-01"], "datetime64[ns]"), [MIDNIGHT]),
        (pd.Timestamp("2024-01-01"), MIDNIGHT),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ({}, {}),
        ([1, 2**40], [1, 2**40]),
    ],
)
def test_a_value_is_handed_over_as_sql_has_it(value: object, expected: object) -> None:
    assert bind("SELECT {b}", {"b": value}).values == {"b": expected}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (10**38, "more than 38 digits"),
        (decimal.Decimal("1" * 40), "more than 38 digits"),
        (decimal.Decimal("1E-40"), "more than 38 digits"),
        (decimal.Decimal("NaN"), "is the decimal NaN"),
        (datetime.timedelta.max, "longer than the longest SQL interval"),
        ("\ud800", "lone surrogate"),
        ([1, "a"], "several types: int, str"),
        ([1, None], "several types"),
        ({"a": 1, "b": "c"}, "several types"),
        ({None: 1}, "a SQL map cannot have a null key"),
        ({1: {2}}, "type set"),
        (np.datetime64("10000-01-01"), "outside the range of Python's datetime"),
    ],
)
def test_a_value_that_sql_does_not_have_is_refused_in_its_place(value: object, message: str) -> None:
    with pytest.raises(VariableError, match=re.escape(message)) as caught:
        bind("SELECT {b}", {"b": value})
    assert (caught.value.start, caught.value.end) == (7, 10)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame(), "the DataFrame `e` has no columns"),
        (pd.DataFrame({"a": []}), "the DataFrame `e` has no rows"),
        (pd.DataFrame({"a": [1, {}]}), "Spark cannot convert the DataFrame `e`: no"),
    ],
)
def test_a_frame_that_spark_does_not_take(frame: pd.DataFrame, message: str) -> None:
    assert refused_frame("e", frame, ValueError("no"))[0].startswith(message)


def test_a_refused_default_does_not_take_the_magic_away() -> None:
    shell = InteractiveShell()
    shell.config.IcebergSql.limit = -5
    shell.config.IcebergSql.quiet = True
    magics = IcebergSql(shell)
    assert (magics.limit, magics.quiet) == (20, True)


# --- secrets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("SELECT * FROM t WHERE a = 'x'", None),
        ("SELECT * FROM iceberg('/path', ref => 'main')", None),
        (
            "SELECT * FROM icebergS3('http://h/b', 'AKIA', 'hunter2')",
            "SELECT * FROM icebergS3('http://h/b', '***', '***')",
        ),
        (
            "SELECT 'a'; SELECT * FROM icebergS3('u', access_key_id => 'AKIA', x => 1)",
            "SELECT 'a'; SELECT * FROM icebergS3('***', access_key_id => '***', x => 1)",
        ),
        ("SET spark.hadoop.fs.s3a.secret.key=abc def", "SET spark.hadoop.fs.s3a.secret.key=***"),
        ("SELECT * FROM iceberg('s3://u:pw@h/b')", "SELECT * FROM iceberg('***')"),
        ("OPTIONS (password 'hunter2')", "OPTIONS (password '***')"),
    ],
)
def test_secrets_are_hidden(text: str, masked: str | None) -> None:
    assert mask_strings(text) == (masked or text)


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        ("spark.sql(\"SELECT * FROM icebergS3('s3://b/x','AKIA','TOPSECRETVALUE')\")", ""),
        ("load('TOPSECRETVALUE')", "SELECT * FROM icebergS3(:u, :a, :b)"),
        ("'TOPSECRETVALUE')", "SELEC * FROM icebergS3('u', 'a', 'b')"),
        ("sis.collection(spark, 'c', secret_access_key='TOPSECRETVALUE')", ""),
    ],
)
def test_a_line_of_python_that_may_hold_a_secret(line: str, statement: str) -> None:
    assert "TOPSECRET" not in mask_line(line, statement)
    assert "TOPSECRET" not in mask_stack(f"----> 1 {line}", statement, [line])
    assert mask_line("f('x')", "SELECT 1") == "f('x')"


def test_a_stack_has_no_secret_of_the_cell() -> None:
    text = "SELECT 1;\nSELECT * FROM icebergS3('u', 'AKIASECRET', 'TOP\"SECRET')"
    stack = f"run_cell_magic('iceberg_sql', '', {text!r})"
    assert "SECRET" not in mask_stack(stack, text, [])


def test_a_message_may_begin_with_a_quote() -> None:
    error = RuntimeError("[USER_RAISED_EXCEPTION] 'false' is not true! SQLSTATE: P0001\n'Project []")
    assert parse_error(error).sentence == "'false' is not true!"


def test_a_finding_behind_a_secret_keeps_its_place() -> None:
    text = "SELECT * FROM icebergS3('u', 'key', 'a much longer secret') WHERE nope"
    cell = Cell(text, "%%iceberg_sql\n")
    at = text.index("nope")
    report = cell.report([cell.diagnostic("X", "about 'a much longer secret'", (at, at + 4))])
    (diagnostic,) = report
    assert report.text[diagnostic.span.start : diagnostic.span.end] == "nope"
    assert diagnostic.span.row == 2
    assert "longer" not in report.text + diagnostic.message


# --- pictures -------------------------------------------------------------------------------------


def day(number: int, read: bool, bucket: int | None = None, spec: int = 0) -> Partition:
    text = (datetime.date(1970, 1, 1) + datetime.timedelta(number)).isoformat()
    values = [field_value("ts_day", "day", text, float(number))]
    if bucket is not None:
        values.append(field_value("id_bucket", "bucket[4]", str(bucket), float(bucket)))
    return Partition(spec, 1, 1000, int(read), 1000 * read, tuple(values))


def months(first: int, read: set[int]) -> list[Partition]:
    return [
        Partition(
            0, 1, 9000, int(n in read), 9000 * (n in read),
            (field_value("ts_month", "month", f"{1970 + n // 12}-{n % 12 + 1:02}", float(n)),),
        )
        for n in range(first, first + 6)
    ]  # fmt: skip


def drawn(read: TableRead) -> ET.Element:
    return ET.fromstring(partition_map.svg(read))


@pytest.mark.parametrize(
    ("partitions", "summary"),
    [
        ([day(n, n == 19727) for n in range(19723, 19733)], "partitions: ts_day = 2024-01-05"),
        ([day(n, n < 19726) for n in range(19723, 19733)], "partitions: ts_day 2024-01-01 to 2024-01-03"),
        ([day(n, n in (19723, 19730)) for n in range(19723, 19733)], "partitions: ts_day in (2024-01-01, 2024-01-08)"),
        ([day(n, n % 2 == 0) for n in range(19723, 19733)], "partitions: ts_day: 5 of 10"),
        ([day(n, b == 2, b) for n in range(3) for b in range(4)], "partitions: id_bucket = 2"),
        ([day(n, True) for n in range(3)], ""),
        ([day(n, False) for n in range(3)], "no partitions"),
        ([day(n, n == b, b) for n in range(3) for b in range(3)], "3 of 9 partitions"),
        ([Partition(0, 5, 10, 5, 10, ())], ""),
        # Files of another spec have no such partition, nor of one in which the field is dropped.
        ([day(1, True), day(2, False), Partition(1, 3, 9, 3, 9, ())], "1 of 4 files by ts_day = 1970-01-02"),
        ([day(1, True), day(2, False), Partition(1, 3, 9, 0, 0, ())], "partitions: ts_day = 1970-01-02"),
        (
            [day(1, True), day(2, False), Partition(1, 1, 9, 1, 9, (field_value("ts_day", "void", "null", None),))],
            "1 of 2 files by ts_day = 1970-01-02",
        ),
        (
            [day(1, True), day(2, False), Partition(1, 1, 9, 1, 9, (field_value("ts_day", "hour", "x", 1.0),))],
            "1 of 2 files by ts_day = 1970-01-02",
        ),
    ],
)  # fmt: skip
def test_which_partitions_were_read(partitions: list[Partition], summary: str) -> None:
    assert partitions_read(TableRead("t", tuple(partitions))) == summary


def test_a_picture_has_the_partitions_of_each_spec_on_one_axis_of_time() -> None:
    later = [day(n, n == 20000, b, spec=1) for n in range(19990, 20010) for b in range(4)]
    read = TableRead("t", (*months(650, {655}), *later))
    text = " ".join("".join(element.itertext()) for element in drawn(read).iter() if element.text)
    assert "spec 0: ts_month" in text
    assert "spec 1: ts_day × id_bucket" in text
    assert "2024-03" in text  # the first month, at the left, and the last day, at the right
    assert "2024-10-13" in text
    assert partition_map.text_strip(read).count("\n") == 1


NULL_DAY = field_value("d_day", "day", "null", None)


def test_null_has_a_place_of_its_own_beside_the_first_time() -> None:
    """1960, 2024 and null: each is drawn in its own place."""
    values = (NULL_DAY, *(v for n in (-3653, 19723) for v in day(n, False).values))
    drawings = []
    for chosen in values:
        partitions = tuple(Partition(0, 1, 1000, int(v is chosen), 1000, (replace(v, name="d_day"),)) for v in values)
        read = TableRead("t", partitions)
        drawings.append((partition_map.text_strip(read), partition_map.svg(read)))
        assert "null | 1960-01-01 to 2024-01-01" in drawings[-1][0]
    blocks = [strip.partition("  d_day")[0] for strip, _ in drawings]
    assert [line.index("█") for line in blocks] == [0, 3, 59]
    assert len({picture for _, picture in drawings}) == 3


def test_null_of_one_spec_is_not_drawn_over_a_time_of_another() -> None:
    null = Partition(1, 1, 1, 1, 1, (NULL_DAY,))
    read = TableRead("t", (*months(650, set()), null, day(20000, False, spec=1)))
    paths = [path.get("d", "") for path in drawn(read).iter() if path.get("fill-opacity") == "1.0"]
    assert len(paths) == 1
    assert paths[0].startswith("M0 ")


@pytest.mark.tier("quick")
@pytest.mark.parametrize(
    "partitions",
    [
        [Partition(0, 5, 10, 2, 4, ())],
        [day(n, n % 3 == 0, n % 50) for n in range(20000)],
        [Partition(0, 1, 1, n % 2, 1, (field_value("s", "identity", f"<{n}>&\"'", None),)) for n in range(9)],
        [Partition(0, 1, 1, 1, 1, (field_value("d", "day", "null", None),)), day(3, True)],
        [Partition(0, 1, 1, 0, 0, (field_value("y", "year", "-9999", -11969.0),))],
        [Partition(0, 1, 1, 1, 1, (field_value("v", "void", "null", None),))],
    ],
)  # fmt: skip
def test_any_partitions_can_be_drawn(partitions: list[Partition]) -> None:
    read = TableRead("t", tuple(partitions))
    picture = partition_map.svg(read)
    assert drawn(read).get("role") == "img"
    assert len(picture) < 250_000
    assert all(len(line) < 400 for line in partition_map.text_strip(read).splitlines())


def test_the_line_below_the_rows() -> None:
    read = TableRead("t", tuple(day(n, n == 19727) for n in range(19723, 19733)))
    bundle = result_bundles.of_explained([read], None, "plan <b>")
    assert bundle["text/plain"].startswith(
        "would read 1 of 10 files (1.0 of 10.0 kB), partitions: ts_day = 2024-01-05\n"
    )
    assert "plan &lt;b&gt;" in bundle["text/html"]


def test_pages_are_of_the_rows_that_were_fetched() -> None:
    """No row is shown twice or left out, in whatever order the pages are turned."""
    values = tuple((str(i), None if i % 2 else f"a\tb{i}") for i in range(45))
    pages = Pages(ResultRows(("id", "x"), ("int", "string"), (True, False), values, False, 2), 20)
    assert pages.position_text(with_hint=True) == "first 20 of 45 rows (more: %iceberg_sql --next)"
    positions = []
    for back, number in [*[(False, None)] * 3, (True, 7), (True, None), (True, 500), (True, None)]:
        lines = pages.turn_page(back, number)["text/plain"].splitlines()
        positions.append(lines[-1].removesuffix(f" (more: {NEXT})"))
        if len(lines) > 1:
            first, last = (int(re.findall(r"\d+", lines[i])[0]) for i in (2, -2))
            assert positions[-1] == f"rows {first + 1} to {last + 1} of 45" or not first
            assert len(lines) == last - first + 4
    assert positions == [
        "rows 21 to 40 of 45",
        "rows 41 to 45 of 45",
        "there are no rows after row 45, the last",
        "rows 34 to 40 of 45",
        "rows 14 to 33 of 45",
        "first 13 of 45 rows",
        "there are no rows before the first",
    ]
    copied = pages.as_tsv()
    table = list(csv.reader(io.StringIO(copied["text/plain"]), "excel-tab"))
    assert table[:3] == [["id", "x"], ["0", "a\tb0"], ["1", ""]]
    assert len(table) == 1 + 45 + 1
    assert copied["text/plain"].endswith("\n45 rows as tab-separated values")


def test_the_end_of_the_rows_that_were_fetched_is_not_the_end_of_the_result() -> None:
    values = (("<&>", "y" * 2000),) * 30
    result_rows = ResultRows(("a", "b"), ("string", "string"), (False, False), values, True, 3)
    pages = Pages(result_rows, 20)
    assert pages.position_text() == "first 20 of more than 30 rows, first 2 of 3 columns"
    assert pages.turn_page(False, None)["text/plain"].endswith("rows 21 to 30 of more than 30, first 2 of 3 columns")
    assert "only the first 30 rows of this run are kept" in pages.turn_page(False, None)["text/plain"]
    copied = pages.as_tsv()
    assert copied["text/plain"].endswith(
        "30 rows as tab-separated values: the result has more than 30 rows; "
        "the result has 3 columns; 30 values are cut at 1,000 characters"
    )
    assert "<&>" not in copied["text/html"]
    empty_pages = Pages(replace(result_rows, rows=()), 0)
    assert empty_pages.position_text(with_hint=True).startswith("more than 0 rows")
    assert "--limit 0" in empty_pages.turn_page(False, None)["text/plain"]


@pytest.mark.parametrize(
    ("written", "changes"),
    [
        (CommitSummary("append", {"added-records": 1, "added-data-files": 12}), "wrote 1 row, 12 new data files (0 B)"),
        (CommitSummary("append", {}), ""),
        (CommitSummary("append", {"added-records": 2}, branch="x"), "wrote 2 rows, on branch x"),
        (
            CommitSummary("overwrite", {"added-records": 2, "deleted-records": 3}),
            "replaced files of 3 rows by files of 2",
        ),
        (
            CommitSummary("replace", {"added-records": 4, "deleted-records": 4, "deleted-data-files": 2}, 3),
            "rewrote 4 rows, 2 data files removed, in 3 snapshots",
        ),
    ],
)
def test_what_was_written(written: CommitSummary, changes: str) -> None:
    summary = result_bundles.of_command("INSERT", 1.0, written)["text/plain"]
    assert summary == " · ".join(filter(None, ["INSERT: done", "1.0 s", changes]))


def test_an_integer_after_version_as_of_is_a_string() -> None:
    text = "SELECT {first} AS n FROM t VERSION AS OF {first}"
    bound = bind(text, {"first": 42})
    assert bound.text == "SELECT :first  AS n FROM t VERSION AS OF :_first"
    assert (bound.values["first"], bound.values["_first"]) == (42, "42")
    assert restore_braces(bound.text, text) == text


@pytest.mark.parametrize(
    ("statement", "table"),
    [
        ("CALL local.system.rewrite_data_files('d.t')", ("local", ("d", "t"))),
        ("CALL system.f(a => map('x', 'y'), table => 'c.`a b`.t')", ("", ("c", "a b", "t"))),
        ("CALL local.system.f(table => :t)", None),
        ("CALL local.system.f()", None),
        ("SELECT f('d.t')", None),
        ("CALL", None),
    ],
)
def test_the_table_of_a_call(statement: str, table: object) -> None:
    assert table_of_call(statements(statement)[0]) == table


# --- what other objects show ----------------------------------------------------------------------


def test_a_report_is_a_table_in_a_notebook_and_text_elsewhere() -> None:
    report = sis.check("CREATE TABLE t (`<b>` STRING) USING iceberg\nPARTITIONED BY (days(`<b>`))")
    html = report._repr_html_()
    assert "<b>`" not in html
    assert "<u>`&lt;b&gt;`</u>" in html
    assert str(report).splitlines()[0].startswith("2:22: error[SIS202]")
    assert str(report).endswith("checked 1 statement: 1 error")


def test_a_plan_and_specs_are_tables() -> None:
    create = "CREATE TABLE c.d.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))"
    plan = sis.plan(sis.Tables(catalog="c"), create)
    assert "<td>+</td><td>1000</td><td>ts_day</td>" in plan._repr_html_()
    assert plan.after is not None
    assert "<td>ts_day</td>" in plan.after._repr_html_()
    assert str(plan.after) == "spec 0 (current): ts_day = days(ts)"


def test_the_picture_of_hidden_partitioning() -> None:
    diagram = HiddenPartitioning("ts", "days", "dt<", "2024-01-05")
    assert "dt&lt; = &#x27;2024-01-05&#x27;" in diagram._repr_html_()
    assert "days(ts) = 2024-01-05" in str(diagram)


def test_the_notebooks_are_sql_first() -> None:
    """Each has more cells of SQL than of Python, and outputs that name nothing of the machine they were made on."""
    for path in sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb")):
        text = path.read_text("utf-8")
        assert text.count('"%%iceberg_sql') + text.count('"%iceberg_sql') >= 7, path.name
        assert "/root" not in text, path.name


@pytest.mark.tier("quick")
def test_a_program_without_ipython_loads_none() -> None:
    script = (
        "import sys, spark_iceberg_sql as sis\n"
        "sis.session, sis.install\n"
        "print([m for m in sys.modules if m.startswith(('IPython', 'spark_iceberg_sql.notebook'))])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


@pytest.mark.parametrize(
    "cell",
    [
        "%%iceberg_sql x --plan\nDROP TABLE t",
        "%iceberg_sql --check DROP TABLE t",
        "%%time\n%%iceberg_sql --fix\nx",
        "%iceberg_sql --next 3 values",
    ],
)
def test_a_cell_that_runs_nothing_is_left_out_of_the_check_of_a_notebook(cell: str) -> None:
    runs = re.sub(r" --\w+", "", cell)
    assert [len(read_cell("n.ipynb", text, "python").fragments) for text in (cell, runs)] == [0, 1]


# --- the catalog, and completion in strings --------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("tables", ("tables", None)),
        ("tables local.d*;", ("tables", "local.d*")),
        ("describe local.d.`my visits`", ("describe", "local.d.`my visits`")),
        ("describe", ("describe", None)),
        ("history 5", ("history", "5")),
        ("DESCRIBE local.d.t", None),  # these are Spark's
        ("describe extended local.d.t", None),
        ("describe local.d.t ts", None),
        ("TABLE local.d.t", None),
        ("SELECT 1", None),
    ],
)
def test_commands_about_the_catalog(text: str, command: tuple[str, str | None] | None) -> None:
    assert catalog_command(text) == command


def test_the_history_is_the_last_statements_without_secrets() -> None:
    recorder = Recorder()
    assert "no statement has run" in str(recorder.last(20))
    reads = [TableRead("t", (Partition(0, 9, 900, 3, 300, ()),), at_most=True), TableRead("u", ())]
    recorder.record("SELECT *\n  FROM t", 0.0, 1.26, row_count=1_000, has_more=True, reads=reads)
    recorder.record("INSERT INTO t VALUES (1)", 86_400.0, 0.5, wrote="wrote 1 row")
    recorder.record("SELECT * FROM icebergS3('http://s/b', 'AKIAKEY', 'hunter2')", 0.0, 0.1, failed=True)
    history = recorder.last(20)
    assert [s.outcome for s in history.statements] == ["failed", "done", "done"]
    assert (history.statements[2].tables, history.statements[2].files, history.statements[2].bytes) == (
        ("t", "u"),
        3,
        300,
    )
    text = str(history)
    assert re.search(r"^1970-01-01 00:00:00 +SELECT \* FROM t +1.3 s +1,000\+ +≤ 3 +≤ 300 B$", text, re.MULTILINE)
    assert re.search(r"^1970-01-02 00:00:00 +INSERT INTO t VALUES \(1\) +0.5 s +wrote 1 row$", text, re.MULTILINE)
    assert "hunter2" not in text + history._repr_html_() + history.to_json()
    assert str(recorder.last(1)).startswith("the last 1 of 3 statements")
    Draft202012Validator(History.json_schema()).validate(history.to_dict())


def test_the_history_has_an_end() -> None:
    recorder = Recorder()
    for number in range(MAX_STATEMENTS + 1):
        recorder.record(f"SELECT {number}", 0.0, 0.0)
    assert recorder.last(5_000).statements[-1].statement == "SELECT 1"


@pytest.mark.parametrize("argument", ["x", "0", "-1", "1.5"])
def test_the_length_of_the_history_is_a_number(argument: str) -> None:
    with pytest.raises(IcebergSqlError, match=f"takes a number, not `{argument}`"):
        history_count(argument)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10 GB", 10**10),
        ("1.5 TiB", 3 * 2**39),
        (" 500 mb ", 5 * 10**8),
        ("7", 7),
        ("7B", 7),
        ("2k", 2_000),
        ("1 iB", None),
        ("ten", None),
        ("-1 GB", None),
        ("", None),
    ],
)
def test_a_size(text: str, number: int | None) -> None:
    assert bytes_of(text) == number


def test_the_statements_of_a_cell_may_read_so_much_together() -> None:
    limit = ReadingLimit("1 kB")
    assert limit.applies
    assert limit.refusal(lambda: [PlannedRead("t", 2, 600)]) is None
    assert limit.refusal(lambda: [PlannedRead("t", 1, 300), PlannedRead("u", 1, 100)]) is None  # exactly so much
    refusal = limit.refusal(lambda: [PlannedRead("t", 1, 1), PlannedRead("t", 2, 2, at_most=True)])
    assert refusal == (
        "with those before it, this statement would read up to 1.0 kB (3 files of t), "
        "more than IcebergSql.confirm_above = '1 kB'"
    )
    six = [PlannedRead(f"t{number}", 1, 2_000) for number in range(6)]
    assert "1 file of t3 and 2 other tables)" in str(ReadingLimit("1 kB").refusal(lambda: six))
    assert not ReadingLimit("").applies


def test_what_is_not_known_is_refused() -> None:
    def plan() -> list[PlannedRead]:
        raise IcebergSqlError("it has no plan\nhelp: none")

    refusal = ReadingLimit("1 kB").refusal(plan)
    assert (
        refusal == "whether this statement reads more than IcebergSql.confirm_above = '1 kB' is unknown: it has no plan"
    )


def test_the_setting_is_a_size() -> None:
    magics = IcebergSql(InteractiveShell.instance())
    magics.confirm_above = " 10 GB "
    with pytest.raises(TraitError, match="is a size such as '10 GB', or '' for any size, not 'much'"):
        magics.confirm_above = "much"
    assert magics.confirm_above == "10 GB"


def test_tables_takes_one_pattern() -> None:
    with pytest.raises(IcebergSqlError, match="takes one name or pattern"):
        catalog_command("tables in local.d")


@pytest.mark.parametrize(
    ("code", "sql"),
    [
        ('spark.sql("SELECT |")', ("SELECT ", "")),
        ("x = spark.sql('SELECT | FROM t').collect()", ("SELECT ", " FROM t")),
        ('sis.sql(spark, """\nSELECT "a|"\nFROM t""")', ('\nSELECT "a', '"\nFROM t')),
        ("sis.explain(spark, f'SELECT {n} FROM |')", ("SELECT {n} FROM ", "")),
        ("spark.table('local.|')", ("FROM local.", "")),
        ("sis.describe(spark, 'local.|", ("FROM local.", "")),
        ("spark.sql('SELECT 1'); x = '|'", None),
        ("spark.sql('it\\'s |')", ("it\\'s ", "")),
        ("print('SELECT |')", None),
        ("spark.sql(|)", None),
        ("spark.sql('SELECT\n|')", None),  # a string of one line ends there
    ],
)
def test_the_sql_of_a_string(code: str, sql: tuple[str, str] | None) -> None:
    offset = code.index("|")
    assert sql_in_string(code.replace("|", "", 1), offset) == sql


@pytest.mark.parametrize(
    ("name", "names", "expected"),
    [
        ("observations", ["station", "obs"], ["obs"]),
        ("obs", ["station", "observations"], ["observations"]),
        ("ob", ["observations"], []),
        ("station", ["obs"], []),
    ],
)
def test_a_name_that_abbreviates_another_one(name: str, names: list[str], expected: list[str]) -> None:
    assert abbreviations(name, names) == expected
