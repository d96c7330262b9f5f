"""An internal error is reported: never a clean report, never exit code 0 or 1, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark_iceberg_sql import cli
from spark_iceberg_sql.checker import engine, rule_runner
from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Finding, Rule
from spark_iceberg_sql.syntax import parser

SQL = "CREATE TABLE t (n STRING) USING iceberg PARTITIONED BY (days(n))"


def break_rule(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    def judge(case: Context) -> Iterator[Finding]:
        raise RuntimeError("a bug\nof two lines")

    def broken(rule: Rule) -> Rule:
        return replace(rule, check=judge) if rule.code == code else rule

    rules = {kind: tuple(map(broken, kind_rules)) for kind, kind_rules in rule_runner._RULES.items()}
    monkeypatch.setattr(rule_runner, "_RULES", rules)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "a.sql"
    path.write_text(SQL)
    return str(path)


def test_a_rule_that_breaks_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    break_rule(monkeypatch, "SIS202")
    report = check(SQL)
    (diagnostic,) = report
    assert (diagnostic.code, diagnostic.name, diagnostic.severity) == ("SIS000", "internal-error", Severity.ERROR)
    assert diagnostic.message.startswith("internal error in SIS202: RuntimeError: a bug of two lines")
    assert "please report it" in (diagnostic.help or "")
    assert (report.ok, report.refuses, report.failed) == (False, False, (diagnostic,))


def test_it_hides_no_other_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    break_rule(monkeypatch, "SIS202")
    report = check("CREATE TABLE t (n STRING) USING iceberg PARTITIONED BY (days(n), weeks(n))")
    assert [d.code for d in report] == ["SIS000", "SIS101"]
    assert report.refuses


@pytest.mark.parametrize("options", [
    [], ["--exit-zero"], ["--select", "SIS1"], ["--ignore", "SIS0"], ["--ignore", "ALL"],
    ["--fix"], ["--diff"], ["--statistics"], ["-q"], ["--output-format", "json"],
])  # fmt: skip
def test_exit_code_2_whatever_is_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, file: str, options: list[str]
) -> None:
    break_rule(monkeypatch, "SIS202")
    assert main(["check", "--isolated", *options, file]) == 2
    if "--diff" not in options:
        assert "SIS000" in capsys.readouterr().out


@pytest.mark.parametrize("comment", ["-- noqa", "-- noqa: SIS000", "-- iceberg-sql: ignore[SIS000]"])
def test_no_comment_silences_it(monkeypatch: pytest.MonkeyPatch, comment: str) -> None:
    break_rule(monkeypatch, "SIS202")
    report = check(f"{comment}\n{SQL} {comment}")
    assert "SIS000" in {d.code for d in report}


def test_no_template_softens_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    break_rule(monkeypatch, "SIS202")
    path = tmp_path / "a.py"
    path.write_text('spark.sql(f"CREATE TABLE {t} (n STRING) USING iceberg PARTITIONED BY (days(n))")')
    assert main(["check", "--isolated", str(path)]) == 2


@pytest.mark.parametrize(("module", "name"), [(parser, "parse"), (engine, "replay")])
def test_the_reader_and_the_replay(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, file: str) -> None:
    def fail(*_: object) -> None:
        raise KeyError("zorder")

    monkeypatch.setattr(module, name, fail)
    good = SQL.replace("days(n)", "n")
    (diagnostic,) = check(good)
    assert diagnostic.code == "SIS000"
    assert diagnostic.span.end == len(good)
    Path(file).write_text(good)
    assert main(["check", "--isolated", file]) == 2


def test_a_file_that_breaks_us_does_not_hide_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any
) -> None:
    for name in ("a.sql", "b.sql"):
        (tmp_path / name).write_text(SQL)
    lint = Linter.lint

    def fail(self: Linter, source: Any, settings: Any) -> Any:
        if source.name.endswith("a.sql"):
            raise IndexError("a bug")
        return lint(self, source, settings)

    monkeypatch.setattr(Linter, "lint", fail)
    assert main(["check", "--isolated", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert "SIS202" in out
    assert err.count("\n") == 1
    assert "internal error in checking" in err
    assert "please report it" in err


@pytest.mark.parametrize("command", ["plan", "explain", "config"])
def test_no_command_ends_with_a_traceback(monkeypatch: pytest.MonkeyPatch, capsys: Any, command: str) -> None:
    module = cli.import_module(cli.COMMANDS[command][0])

    def fail(*_: object) -> int:
        raise AttributeError("a bug")

    monkeypatch.setattr(module, "run", fail)
    assert main([command, *({"plan": ["x"], "explain": ["x"]}.get(command, []))]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith(f"error: internal error in {command}: AttributeError: a bug")


def test_a_command_that_closes_its_output_ends_as_it_says(capfd: Any) -> None:
    """As the language server does at the end of each session."""
    program = "import sys\nfrom spark_iceberg_sql import cli\ncli.main = lambda: sys.stdout.close() or 0\ncli.entry()"
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert (done.returncode, capfd.readouterr().err) == (0, "")


def test_what_is_unknown_is_not_said_to_be_refused(capsys: Any) -> None:
    assert main(["plan", "--isolated", "ALTER TABLE db.x ADD PARTITION FIELD days(ts)"]) == 2
    out = capsys.readouterr().out
    assert "not planned: the table is unknown" in out
    assert "refused" not in out
    assert main(["plan", "--isolated", "ALTER TABLE db.x ADD PARTITION FIELD weeks(ts)"]) == 1
    assert "would be refused" in capsys.readouterr().out


@pytest.mark.parametrize("options", [[], ["--show-tables"]])
def test_odd_metadata_is_no_internal_error(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    metadata = {"format-version": 1, "last-column-id": 1, "schema": {"fields": []}}
    metadata |= {"partition-spec": [], "properties": {"a": 5}}
    Path("m.json").write_text(json.dumps(metadata))
    Path("a.sql").write_text("ALTER TABLE t ADD PARTITION FIELD id")
    assert main(["check", *options, "--metadata", "t=m.json", "a.sql"]) == 2
    out, err = capsys.readouterr()
    assert "m.json` is not a metadata file: the property `a` is 5, not a string" in err
    assert "internal error" not in out + err


@pytest.mark.parametrize("number", ["9" * 4400, f"-{'9' * 4400}", f"'{'9' * 4400}'", f"{'9' * 4400}.0"])
@pytest.mark.parametrize("statement", [
    "CREATE TABLE t (a INT) USING iceberg PARTITIONED BY (bucket({}, a))",
    "CREATE TABLE t (a INT) USING iceberg PARTITIONED BY (truncate({}, a))",
    "CREATE TABLE t (a INT) USING iceberg PARTITIONED BY (truncate(a, {}))",
    "ALTER TABLE t DROP PARTITION FIELD bucket({}, a)",
    "ALTER TABLE t REPLACE PARTITION FIELD bucket({}, a) WITH bucket(4, a)",
])  # fmt: skip
def test_a_number_of_thousands_of_digits(statement: str, number: str) -> None:
    """`int()` refuses more than 4300."""
    codes = [d.code for d in check(statement.format(number)) if d.severity is Severity.ERROR]
    assert codes == ["SIS103"]
