"""Names made of control characters and of commands to CI systems: none ends a line or starts a command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spark_iceberg_sql.checker.engine import check, check_and_apply
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.report import FORMATS, HUMAN_FORMATS
from spark_iceberg_sql.safe_output import data_without_commands, visible, without_commands
from spark_iceberg_sql.syntax.lexer import on_one_line
from spark_iceberg_sql.syntax.script import statements

pytestmark = pytest.mark.tier("quick")  # many processes or many trials: `make fast` leaves them out

PARTS = (
    "\n", "\r", "\r\n", "\x1b[2J", "\x1b]0;x\x07", "\x9b31m", "::set-output name=a::b", "\n::error::x", "##vso[task.x]",
    "##[set-env]", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\u202e", "\u200f", "\ufeff", "--", "*/", ";",
    "\nDROP TABLE web.y; --", "'", '"', "\\", "<script>", "a", " ", "\t", "|", "```",
)  # fmt: skip
names = st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map("".join)
# A command to GitHub begins a line, one to Azure stands anywhere in it.
COMMAND = re.compile(r"(?m)^[ \t]*::|##(?:vso)?\[", re.IGNORECASE)
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def script(name: str) -> str:
    column = quoted(f"c{name}")
    return (
        f"CREATE TABLE db.{column} ({column} STRING, ts TIMESTAMP) USING iceberg\n"
        f"PARTITIONED BY (days({column}), weeks(ts));\n"
        f"CREATE TABLE db.t ({column} STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY ({column});\n"
        f"ALTER TABLE db.t ADD PARTITION FIELD bucket({column}, 16);\n"
        f"ALTER TABLE db.t ADD PARTITION FIELD bucket(4, {column}) AS {quoted(f'p{name}')};\n"
        f"SELECT * FROM db.t WHERE iceberg_bucket({column}, 16) = 1;\n"
    )


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(arguments)
    out, err = capsys.readouterr()
    assert "internal error" not in err
    assert not COMMAND.search(err)
    assert not CONTROL.search(err)
    return out


def report(capsys: pytest.CaptureFixture[str], folder: Path, name: str, *options: str) -> str:
    """What a check prints of a script whose names have a part in them."""
    file = folder / "a.sql"
    file.write_text(script(name), encoding="utf-8", newline="")
    return output(capsys, "check", "--isolated", "--no-cache", str(file), *options)


quick = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.mark.parametrize("style", sorted(HUMAN_FORMATS))
@quick
@given(name=names)
def test_reports_for_people(style: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = report(capsys, tmp_path, name, "-v", "--output-format", style)
    assert not COMMAND.search(out), COMMAND.search(out)
    assert not CONTROL.search(out), CONTROL.search(out)


@pytest.mark.tier("rest")  # six seconds
@pytest.mark.parametrize("style", sorted(set(FORMATS) - HUMAN_FORMATS))
@quick
@given(name=names)
def test_reports_for_machines(style: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = report(capsys, tmp_path, name, "--output-format", style)
    if style == "junit":
        ElementTree.fromstring(out)
    elif style == "github":
        lines = out.removesuffix("\n").split("\n")
        assert all(re.match(r"::(error|warning|notice) title=SIS", line) for line in lines)
    elif style == "azure":
        lines = out.removesuffix("\n").split("\n")
        assert all(line.startswith("##vso[task.logissue type=") for line in lines)
    else:
        json.loads(out)
        assert not COMMAND.search(out)
    if style in ("github", "azure"):
        assert not CONTROL.search(out)
        assert not COMMAND.search(re.sub(r"(?m)^(::|##vso\[task\.logissue)", "", out))


@quick
@given(name=names)
def test_a_finding_is_one_line(name: str) -> None:
    """Whoever prints it, and wherever the name comes from: the script or a table that is known."""
    tables = Tables()
    check_and_apply(script(name).partition(";\n")[0], tables)
    for text in (script(name), f"ALTER TABLE db.{quoted(f'c{name}')} ADD PARTITION FIELD weeks(x);"):
        report = check(text, tables.copy())
        assert report.diagnostics
        for diagnostic in report:
            sentences = [diagnostic.message, diagnostic.help or "", diagnostic.fix.title if diagnostic.fix else ""]
            assert not any(CONTROL.search(text) or "\n" in text for text in sentences)
        assert len(str(report).splitlines()) == 1 + sum(2 if d.help else 1 for d in report)


def test_a_clause_in_several_lines_is_shown_in_one() -> None:
    create = "CREATE TABLE users (id INT, id_bucket INT) USING iceberg"
    (diagnostic,) = check(f"{create} PARTITIONED BY (bucket(8,\n  id))")
    assert "ADD PARTITION FIELD bucket(8, id) AS" in (diagnostic.help or "")
    assert on_one_line("bucket(8, -- of it\nid)") == "bucket(8, -- of it\nid)"
    assert on_one_line("days(`a\nb`)") == "days(`a\nb`)"


SHOW_TABLES = ("check", "-q", "--ignore", "ALL", "--show-tables")
COLOURED = (*SHOW_TABLES, "--color", "always")


@pytest.mark.parametrize("arguments", [("plan",), SHOW_TABLES, COLOURED, ("from-hive", "--column", "ts")], ids=" ".join)
@quick
@given(name=names)
def test_plans_and_scripts(
    arguments: tuple[str, ...], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    column = quoted(f"d{name}")
    text = script(name)
    if arguments[0] == "from-hive":
        text = (
            f"CREATE EXTERNAL TABLE web.logs (id BIGINT, ts TIMESTAMP) PARTITIONED BY ({column} STRING)"
            f" STORED AS PARQUET;\nSELECT * FROM web.logs WHERE {column} = '2024-01-05';\n"
        )
    (tmp_path / "a.sql").write_text(text, encoding="utf-8", newline="")
    out = output(capsys, arguments[0], str(tmp_path / "a.sql"), *arguments[1:])
    plain = re.sub(r"\x1b\[(?:0|2|32|36|1;34)m", "", out)
    assert (plain != out) == (arguments is COLOURED)
    out = plain
    assert not COMMAND.search(out), COMMAND.search(out)
    assert not CONTROL.search(out), CONTROL.search(out)
    if arguments[0] != "plan":
        begun = [s.text.split(None, 1)[0].upper() for s in statements(_script_of(out)) if s.text.strip()]
        assert "DROP" not in begun, begun


def _script_of(out: str) -> str:
    """The script in an output: its DDL, or what is under `script:`."""
    _, heading, script_text = out.partition("\nscript:\n")
    return script_text if heading else out


@given(text=st.text() | names)
def test_json_keeps_its_value(text: str) -> None:
    out = data_without_commands(json.dumps({"a": text}, ensure_ascii=False))
    assert json.loads(out) == {"a": text}
    assert not re.search(r"##(vso)?\[", out, re.IGNORECASE)


@given(text=st.text() | names)
def test_a_text_without_commands(text: str) -> None:
    cleaned = without_commands(visible(text, keep="\n"))
    assert not COMMAND.search(cleaned)
    assert not CONTROL.search(cleaned)
    assert without_commands(cleaned) == cleaned


def test_a_report_is_not_lost_for_a_colon(tmp_path: Path) -> None:
    """`a:b.sql` is a name like any other, not a drive."""
    (tmp_path / "a:b.sql").write_text("ALTER TABLE t ADD PARTITION FIELD weeks(ts)")
    command = [Path(sys.executable).with_name("iceberg-sql"), "check", ".", "--output-format", "sarif"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    location = json.loads(done.stdout)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "a%3Ab.sql"


@pytest.mark.parametrize("style", sorted(FORMATS))
def test_names_of_files(
    tmp_path: Path, style: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, part in enumerate(("\n::error::x", "##vso[x]", "\x1b[31m", "\u2028")):
        name = f"{number}{part}.sql".encode()
        Path(os.fsdecode(name)).write_text("ALTER TABLE t ADD PARTITION FIELD weeks(ts)")
    out = output(capsys, "check", "--isolated", ".", "--output-format", style)
    lines = out.split("\n")
    if style not in ("github", "azure"):
        assert not COMMAND.search(out)
    else:
        assert len([line for line in lines if line]) == 8
    if style not in ("junit", "sarif", "gitlab", "rdjson", "json"):
        assert not CONTROL.search(out)
