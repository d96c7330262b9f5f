"""The parts of the notebook that need no session: options, variables, pictures, and what is not shown again."""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import spark_iceberg_sql as sis
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.notebooks.cells import read_cell
from spark_iceberg_sql.notebook import pictures, results
from spark_iceberg_sql.notebook.cell import Cell, masked
from spark_iceberg_sql.notebook.diagrams import HiddenPartitioning
from spark_iceberg_sql.notebook.options import Options, cell_options, line_options
from spark_iceberg_sql.notebook.parameters import VariableError, filled, unfilled
from spark_iceberg_sql.spark.bridge.scan_files import Partition, TableRead, Value

# --- the first line -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("", Options()),
        ("rows", Options(name="rows")),
        ("rows --limit 5", Options(name="rows", limit=5)),
        ("--limit=5 rows --plan", Options(name="rows", limit=5, plan=True)),
        ("  --quiet   --traceback ", Options(quiet=True, traceback=True)),
        (
            "größe --check --explain --fix",
            Options(name="größe", check=True, explain=True, fix=True),
        ),
    ],
)
def test_the_first_line(line: str, options: Options) -> None:
    assert cell_options(line, Options()) == options


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--limt 3", "write `--limit`"),
        ("--explan", "write `--explain`"),
        ("--frobnicate", "the options are --limit"),
        ("--plan=yes", "write `--plan`"),
        ("--limit", "--limit 50"),
        ("--limit ten", "not `ten`"),
        ("--limit -1", "not `-1`"),
        ("SELECT 1", "write the SQL on the lines below"),
        ("a --quiet b", "not `a` and `b`"),
        ("class", "cannot be a variable's name"),
        ("1x", "cannot be a variable's name"),
        ("list", "write `list_rows`"),
    ],
)
def test_a_first_line_with_a_mistake(line: str, said: str) -> None:
    with pytest.raises(IcebergSqlError, match=re.escape(said)):
        cell_options(line, Options())


def test_a_line_magic_keeps_its_sql_as_it_is() -> None:
    options, text = line_options("--limit 3 SELECT '--quiet', {x} -- end", Options())
    assert (options.limit, text) == (3, "SELECT '--quiet', {x} -- end")


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
    ("text", "made", "values"),
    [
        ("SELECT {n}", "SELECT :n ", {"n": 3}),
        ("SELECT :n, {name}", "SELECT :n, :name ", {"n": 3, "name": VARIABLES["name"]}),
        (
            "WHERE id IN (SELECT explode({ids}))",
            "WHERE id IN (SELECT explode(:ids ))",
            {"ids": [1, 2]},
        ),
        ("SELECT '{n} :n', \"{n}\", `{n}` -- {n}\n/* {n} */", None, {}),
        ("SELECT from_json('{\"a\": {\"b\": 1}}', 'a STRUCT<b: INT>')", None, {}),
        ("SELECT '${n}', ${n}", None, {}),
        ("SELECT v:path, x::int, named_struct('a', 1).a", None, {}),
        (
            "SELECT 'it''s; {n}'; SELECT r'\\', {n}",
            "SELECT 'it''s; {n}'; SELECT r'\\', :n ",
            {"n": 3},
        ),
        ("", None, {}),
    ],
)
def test_variables_become_parameters(
    text: str, made: str | None, values: dict[str, object]
) -> None:
    found = filled(text, VARIABLES)
    assert (found.text, dict(found.values)) == (made or text, values)
    assert len(found.text) == len(text)


def test_a_corrected_cell_has_its_braces_again() -> None:
    written = "SELECT iceberg_bucket(id, 4), {n} FROM t"
    made = filled(written, VARIABLES).text.replace("id, 4", "4, id")
    assert unfilled(made, written) == "SELECT iceberg_bucket(4, id), {n} FROM t"


def test_a_type_in_a_struct_is_handed_over_only_where_it_is_a_variable() -> None:
    """Spark ignores what it does not need; it alone knows that `a: INT` is no parameter."""
    found = filled("SELECT CAST(x AS STRUCT<a: INT>)", VARIABLES)
    assert found.text == "SELECT CAST(x AS STRUCT<a: INT>)"


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
    ],
)
def test_a_variable_that_cannot_be_used(text: str, at: str, help: str) -> None:
    with pytest.raises(VariableError) as caught:
        filled(text, VARIABLES)
    assert text[caught.value.start : caught.value.end] == at
    assert help in caught.value.help


# --- secrets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
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
def test_secrets_are_hidden(text: str, shown: str | None) -> None:
    assert masked(text) == (shown or text)


def test_a_finding_behind_a_secret_keeps_its_place() -> None:
    text = "SELECT * FROM icebergS3('u', 'key', 'a much longer secret') WHERE nope"
    cell = Cell(text, "%%iceberg_sql\n")
    at = text.index("nope")
    report = cell.report([cell.finding("X", "about 'a much longer secret'", (at, at + 4))])
    (found,) = report
    assert report.text[found.span.start : found.span.end] == "nope"
    assert found.span.row == 2
    assert "longer" not in report.text + found.message


# --- pictures -------------------------------------------------------------------------------------


def day(number: int, read: bool, bucket: int | None = None, spec: int = 0) -> Partition:
    text = (datetime.date(1970, 1, 1) + datetime.timedelta(number)).isoformat()
    values = [Value("ts_day", "day", text, float(number))]
    if bucket is not None:
        values.append(Value("id_bucket", "bucket[4]", str(bucket), float(bucket)))
    return Partition(spec, 1, 1000, int(read), 1000 * read, tuple(values))


def months(first: int, read: set[int]) -> list[Partition]:
    return [
        Partition(
            0, 1, 9000, int(n in read), 9000 * (n in read),
            (Value("ts_month", "month", f"{1970 + n // 12}-{n % 12 + 1:02}", float(n)),),
        )
        for n in range(first, first + 6)
    ]  # fmt: skip


def drawn(read: TableRead) -> ET.Element:
    return ET.fromstring(pictures.svg(read))


@pytest.mark.parametrize(
    ("partitions", "words"),
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
    ],
)  # fmt: skip
def test_which_partitions_were_read(partitions: list[Partition], words: str) -> None:
    assert pictures.partitions_read(TableRead("t", tuple(partitions))) == words


def test_a_picture_has_the_partitions_of_each_spec_on_one_axis_of_time() -> None:
    later = [day(n, n == 20000, b, spec=1) for n in range(19990, 20010) for b in range(4)]
    read = TableRead("t", (*months(650, {655}), *later))
    text = " ".join("".join(element.itertext()) for element in drawn(read).iter() if element.text)
    assert "spec 0: ts_month" in text
    assert "spec 1: ts_day × id_bucket" in text
    assert "2024-03" in text  # the first month, at the left, and the last day, at the right
    assert "2024-10-13" in text
    assert pictures.strip(read).count("\n") == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    "partitions",
    [
        [Partition(0, 5, 10, 2, 4, ())],
        [day(n, n % 3 == 0, n % 50) for n in range(20000)],
        [Partition(0, 1, 1, n % 2, 1, (Value("s", "identity", f"<{n}>&\"'", None),)) for n in range(9)],
        [Partition(0, 1, 1, 1, 1, (Value("d", "day", "null", None),)), day(3, True)],
        [Partition(0, 1, 1, 0, 0, (Value("y", "year", "-9999", -11969.0),))],
        [Partition(0, 1, 1, 1, 1, (Value("v", "void", "null", None),))],
    ],
)  # fmt: skip
def test_any_partitions_can_be_drawn(partitions: list[Partition]) -> None:
    read = TableRead("t", tuple(partitions))
    picture = pictures.svg(read)
    assert drawn(read).get("role") == "img"
    assert len(picture) < 250_000
    assert all(len(line) < 400 for line in pictures.strip(read).splitlines())


def test_the_line_below_the_rows() -> None:
    read = TableRead("t", tuple(day(n, n == 19727) for n in range(19723, 19733)))
    bundle = results.of_explained([read], None, "plan <b>")
    assert bundle["text/plain"].startswith(
        "would read 1 of 10 files (1.0 of 10.0 kB), partitions: ts_day = 2024-01-05\n"
    )
    assert "plan &lt;b&gt;" in bundle["text/html"]


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


@pytest.mark.thorough
def test_a_program_without_ipython_loads_none() -> None:
    script = (
        "import sys, spark_iceberg_sql as sis\n"
        "sis.session, sis.install\n"
        "print([m for m in sys.modules if m.startswith(('IPython', 'spark_iceberg_sql.notebook'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


@pytest.mark.parametrize(
    "cell",
    [
        "%%iceberg_sql x --plan\nDROP TABLE t",
        "%iceberg_sql --check DROP TABLE t",
        "%%time\n%%iceberg_sql --fix\nx",
    ],
)
def test_a_cell_that_runs_nothing_is_left_out_of_the_check_of_a_notebook(cell: str) -> None:
    runs = re.sub(r" --\w+", "", cell)
    assert [len(read_cell("n.ipynb", text, "python").pieces) for text in (cell, runs)] == [0, 1]
