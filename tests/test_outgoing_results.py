"""Names made of control characters in results, in an editor and in notebooks: none ends a line, none is shown raw."""

from __future__ import annotations

import io
import logging
import re
import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from hypothesis import given
from pygls.workspace import PositionCodec

from spark_iceberg_sql import markup
from spark_iceberg_sql.checker.engine import check, check_and_apply
from spark_iceberg_sql.checker.plan import Plan, PlannedRows, PlanRow
from spark_iceberg_sql.checker.planner import plan
from spark_iceberg_sql.editor.documents import Document
from spark_iceberg_sql.editor.open_files import OpenFiles
from spark_iceberg_sql.editor.request_handlers import RequestHandlers
from spark_iceberg_sql.editor.server import _OneLineFormatter
from spark_iceberg_sql.errors import (
    ConfigError,
    FileError,
    IcebergSqlError,
    PluginError,
    ScriptFailedError,
    SourceError,
)
from spark_iceberg_sql.insight.advise.model import Advice, Proposal, QueryReads
from spark_iceberg_sql.insight.diagnosis.model import (
    DiagnosedCatalog,
    DiagnosedFault,
    DiagnosedJar,
    DiagnosedRule,
    Diagnosis,
)
from spark_iceberg_sql.insight.explain.model import Conjunct, Explanation, Scan
from spark_iceberg_sql.insight.from_hive.hive_move import from_ddl
from spark_iceberg_sql.insight.from_hive.hive_script import Step
from spark_iceberg_sql.insight.from_hive.model import FromHive, HiveQuery
from spark_iceberg_sql.insight.health.model import Health, HealthFinding
from spark_iceberg_sql.insight.preview.model import Basis, PartitionPreview, Preview
from spark_iceberg_sql.insight.spj.model import Operator, ShuffleReport
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.safe_output import SanitizedStream, code, sanitized_message
from spark_iceberg_sql.syntax.clickhouse.translation import translate
from tests.test_outgoing import CONTROL, names, quick, quoted, script

pytestmark = pytest.mark.tier("quick")  # many processes or many trials: `make fast` leaves them out

FIGURES = Basis("exact", "rows", "counted", "counted", "counted")


def planned(name: str) -> Plan:
    """The plan of a statement that is one line itself, for a table whose names have any characters."""
    tables = Tables()
    column, field = quoted(f"c{name}"), quoted(f"p{name}")
    check_and_apply(
        f"CREATE TABLE db.t ({column} STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY ({column});\n"
        f"ALTER TABLE db.t ADD PARTITION FIELD bucket(4, {column}) AS {field};",
        tables,
    )
    return plan(tables, "ALTER TABLE db.t ADD PARTITION FIELD days(ts)")


def specs(name: str) -> object:
    change_plan = planned(name)
    assert change_plan.after is not None
    return change_plan.after


def proposal(name: str) -> Proposal:
    return Proposal(
        spec=name,
        files=1,
        bytes=1,
        cost=1,
        per_query=(QueryReads(f"SELECT {name}", 1.0, 1, 1, 1, 1),),
        table_files=1,
        middle_file=1,
        warnings=(name,),
    )


RESULTS: dict[str, Callable[[str], object]] = {
    "plan": planned,
    "rows of a plan": lambda n: PlannedRows("SELECT 1", (PlanRow("x", 0, 1, n, n, n, n),)),
    "specs": specs,
    "report": lambda n: check(f"ALTER TABLE {quoted(n)} ADD PARTITION FIELD weeks(ts)"),
    "explain": lambda n: Explanation(
        "SELECT 1",
        (Scan(n, 1, 2, note=n, conjuncts=(Conjunct(n, 1, (n,), why_not=n),)), Scan(n, note=n)),
        (n,),
    ),
    "doctor": lambda n: Diagnosis(
        n, n, n, n, n, (n,), (DiagnosedJar(n, n, n, True),), (DiagnosedCatalog(n, n, n),), n,
        (DiagnosedRule(n, False, n),), (DiagnosedFault(n, n, n, n, True),), (n,),
    ),
    "spj": lambda n: ShuffleReport(
        (Operator("join", n, (n, n), None, True, False, 1, n, n), Operator("group", n, (n,), n, False, False, 1))
    ),
    "health": lambda n: Health(
        n, 1, 1, (HealthFinding("old specs", n, 1, 1, "CALL x()", n),), (HealthFinding("skew", n, 1, 1),)
    ),
    "preview": lambda n: Preview(n, n, (PartitionPreview(n, (), 1, 1, 1),), (1,), FIGURES, n, 1, (n,)),
    "advise": lambda n: Advice([proposal(n)], source=n, basis=n, tried=1, notes=(n,)),
    "from-hive": lambda n: FromHive(
        n, n, n, (n,), (HiveQuery(n, n, (n,)),), (n,), (n,), (Step(n, ("SELECT 1",)),)
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", RESULTS)
@quick
@given(name=names)
def test_results(kind: str, name: str) -> None:
    output, plain = str(RESULTS[kind](f"a{name}")), str(RESULTS[kind]("ab"))
    assert not CONTROL.search(output), CONTROL.search(output)
    assert output.count("\n") == plain.count("\n"), output


@pytest.mark.parametrize("kind", sorted(set(RESULTS) - {"rows of a plan", "spj", "from-hive"}))
@quick
@given(name=names)
def test_results_as_html(kind: str, name: str) -> None:
    def html(name: str) -> str:
        return re.sub(r"\d+(\.\d+)?", "0", RESULTS[kind](name)._repr_html_())  # type: ignore[attr-defined]

    output, plain = html(f"a{name}"), html("ab")
    assert not CONTROL.search(output), CONTROL.search(output)
    assert output.count("\n") == plain.count("\n")
    output, plain = (re.sub('<span class="sql-.">|</span>', "", text) for text in (output, plain))
    assert output.count("<") == plain.count("<") or kind == "report"


@quick
@given(name=names)
def test_a_line_end_in_backticks_stays_in_a_statement(name: str) -> None:
    """As its own line it is legal; in the comment before it, it would be a statement."""
    step = Step(name, (f"DROP TABLE {quoted(f'a{name}')}",))
    migration = FromHive("t", "", None, (), (), (), (), (step,))
    assert migration.sql.split("\n")[0].startswith("-- ")
    assert migration.sql.split("\n", 1)[1] == f"DROP TABLE {quoted(f'a{name}')};"
    assert not CONTROL.search(str(migration))


@quick
@given(name=names)
def test_an_editor(name: str) -> None:
    files = OpenFiles()
    answers = RequestHandlers(files)
    column = quoted(f"c{name}")
    text = (
        script(name)
        + f"ALTER TABLE db.t ADD PARTITION FIELD truncate(4, {column});\n"
        + f"ALTER TABLE db.{quoted(f'c{name}')} ADD PARTITION FIELD days(ts);\n"
    )
    uri = "file:///a.sql"
    document = Document(uri, text, PositionCodec())
    files.put(document)
    diagnostics = answers.diagnostics(uri)
    assert diagnostics
    sentences: list[str] = []
    for entry in diagnostics:
        fact, _, help_ = entry.message.partition("\nhelp: ")
        sentences += [fact, help_]
    document_range = document.range(0, len(text))
    sentences += [action.title for action in answers.actions(uri, document_range, None)]
    sentences += [str(hint.label) for hint in answers.hints(uri, document_range)]
    for lens in answers.lenses(uri):
        command = answers.lens(lens).command
        assert command is not None
        sentences.append(command.title)
    for at in (m.end() for m in re.finditer(r"(?:bucket|truncate|days|weeks)\(", text)):
        items = answers.completion(uri, document.position(at))
        sentences += [label for item in items for label in (item.label, item.detail or "")]
        hover = answers.hover(uri, document.position(at))
        sentences += re.split(r"\n\n", hover.contents.value)[:1] if hover is not None else []  # type: ignore[union-attr]
    for entry in sentences:
        assert "\n" not in entry, entry
        assert not CONTROL.search(entry), entry


def test_messages_of_an_editor_and_its_log(tmp_path: object) -> None:
    record = logging.LogRecord("x", 0, "", 0, "a\x1b[2J\u2028b %s", ("\x07",), None)
    record.exc_info = (ValueError, ValueError("\x1b]0;x\x07"), None)
    assert not CONTROL.search(_OneLineFormatter().format(record))
    log_messages: list[str] = []
    files = OpenFiles(log_messages.append)
    files.values = {"a\nerror: forged\x1b[2J": True}
    files.put(Document("file:///a.sql", "SELECT 1", PositionCodec()))
    (diagnostic,) = RequestHandlers(files).diagnostics("file:///a.sql")
    for message in (*log_messages, diagnostic.message):
        assert not CONTROL.search(message)
        assert "\n" not in message
    assert log_messages


@pytest.mark.parametrize("kind", [ConfigError, FileError, SourceError, PluginError])
@quick
@given(name=names)
def test_errors_of_one_line(kind: type[IcebergSqlError], name: str) -> None:
    """Not even `help: ` begins another: they have no help, so a name would."""
    for part in (name, f"{name}\nhelp: x"):
        error = kind(f"cannot read `{part}`")
        assert not CONTROL.search(str(error))
        assert len(error._render_traceback_()) == 1
        assert "\n" not in sanitized_message(str(error))


@quick
@given(name=names)
def test_errors_in_a_notebook(name: str) -> None:
    for part in (f"a{name}", f"{name}\nhelp: x\nerror: y"):
        error = IcebergSqlError(f"`{part}` is not there", help=f"write {part}")
        assert len(error._render_traceback_()) == len(sanitized_message(str(error)).split("\n")) == 2
        error = IcebergSqlError(part, help=(part, part))
        assert len(error._render_traceback_()) == 3
    lines = IcebergSqlError(f"`{name}`\nhelp: write {name}")._render_traceback_()
    assert len(lines) == 2
    assert not any(CONTROL.search(line) or "\n" in line for line in lines)
    refused = check("ALTER TABLE t ADD PARTITION FIELD weeks(ts)")
    assert IcebergSqlError("a\nb\n", refused)._render_traceback_() == ["a", "b"]
    failed = ScriptFailedError("a\nb\x1b[2J\n", (), ())
    assert failed._render_traceback_() == ["a", "b␛[2J"]


@quick
@given(name=names)
def test_errors_of_statements_for_clickhouse_and_hive(name: str) -> None:
    """A name cannot give advice: `help: ` begins a line only where we begin it."""
    column = quoted(f"c{name}\nhelp: DROP TABLE t")
    for call in (
        lambda: from_ddl(f"CREATE TABLE {column} (a INT) STORED AS PARQUET"),
        lambda: from_ddl(
            f"CREATE TABLE db.{column} (a INT) PARTITIONED BY ({column} STRING) STORED AS PARQUET", column="b"
        ),
        lambda: translate(f"CREATE TABLE lake.t ({column} Tuple(Int32)) ENGINE = IcebergLocal('x')"),
        lambda: translate(f"CREATE TABLE lake.t ({column} Int32 NULL NULL) ENGINE = IcebergLocal('x')"),
    ):
        with pytest.raises(IcebergSqlError) as raised:
            call()
        lines = sanitized_message(str(raised.value)).split("\n")
        assert not any(line.startswith("help: DROP") for line in lines), lines
        assert not any(CONTROL.search(line) for line in lines)


@quick
@given(name=names)
def test_pieces_of_html(name: str) -> None:
    for escaped in (markup.html_text(name), markup.flat(name), markup.html_text(markup.flat(name), 30)):
        assert not CONTROL.search(escaped)
        assert "\n" not in escaped
    assert not CONTROL.search(markup.html_lines(name))
    assert markup.flat("a\tb\nc") == "a b↵c"


@quick
@given(name=names)
def test_code_in_markdown_is_ended_by_nothing_in_it(name: str) -> None:
    for part in (name, f"`{name}``"):
        code_span = code(part)
        fence = re.match("`+", code_span)[0]  # type: ignore[index]
        inner = code_span[len(fence) : -len(fence)]
        assert fence not in re.findall("`+", inner)
        assert "\n" not in code_span
    assert code("ts_day") == "`ts_day`"


@quick
@given(name=names)
def test_outputs_of_a_notebook(name: str) -> None:
    results = pytest.importorskip("spark_iceberg_sql.notebook.display.result_bundles")
    rows = pytest.importorskip("spark_iceberg_sql.notebook.display.result_rows")
    from spark_iceberg_sql.spark.bridge.jvm.java_rows import PartitionValue
    from spark_iceberg_sql.spark.bridge.plans.scan_files import Partition, TableRead

    def bundle(name: str) -> dict[str, str]:
        values = (PartitionValue(name=name, transform="identity", text=name, number=None),)
        parts = tuple(Partition(i, 1, 1, i, i, values) for i in range(2))
        read = [TableRead(name, parts), TableRead(f"{name}2", parts)]
        result_rows = rows.ResultRows((name,), ("string",), (False,), ((name,), (None,)), False, 1)
        explained = Explanation("SELECT 1", (Scan(name, 1, 2, note=name),), (name,))
        both = (
            results.of_rows(result_rows, "2 rows", 1.0, read),
            results.of_command(name, 1.0, None),
            results.of_explained(read, explained, "a plan"),
        )
        return {kind: "\n".join(mime_bundle[kind] for mime_bundle in both) for kind in both[0]}

    outputs, plain = bundle(f"a{name}"), bundle("ab")
    for kind, text in outputs.items():
        assert not CONTROL.search(text), CONTROL.search(text)
        assert text.count("\n") == plain[kind].count("\n")


def test_progress_goes_back_to_the_start_of_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the command's own streams too, which show other control characters as pictures."""
    progress = pytest.importorskip("spark_iceberg_sql.insight.spark_progress")
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", SanitizedStream(written))
    monkeypatch.setattr(progress.jobs, "progress", lambda *_: None)
    done = iter((False, True))
    event = SimpleNamespace(wait=lambda _: next(done))
    progress._report(None, "group", "reading a\n::error::b\x1b[2J", event)
    first, second, third = written.getvalue().split("\r")
    assert first == "reading a␊::error::b␛[2J: 0.0 s"
    assert (second.strip(), third) == ("", "")


def test_a_table_of_any_name_is_known() -> None:
    """What these tests rest on: the names reach the results."""
    change_plan = planned("\n\x1b[2J")
    assert isinstance(change_plan, Plan)
    assert change_plan.before is not None
    assert any("\n\x1b[2J" in field.name for field in change_plan.before.spec.fields)
    assert isinstance(Table(("a\n",)), Table)
