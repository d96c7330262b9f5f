"""The command as a user runs it: exit codes, standard input, formats, ignores, pages, its start."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from spark_iceberg_sql.cli import COMMANDS, main
from spark_iceberg_sql.report import FORMATS, HUMAN_FORMATS
from spark_iceberg_sql.report.rule_pages import catalogue, url_of
from spark_iceberg_sql.rules.registry import ALL

ROOT = Path(__file__).parent.parent
WEEKS = "ALTER TABLE t ADD PARTITION FIELD weeks(a)"
CLEAN = "CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (bucket(16, id))"
SWAPPED = CLEAN.replace("16, id", "id, 16")
UNKNOWN = "ALTER TABLE t ADD PARTITION FIELD bucket(16, a)"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "weeks.sql").write_text(WEEKS)
    (tmp_path / "clean.sql").write_text(CLEAN)
    (tmp_path / "unknown.sql").write_text(UNKNOWN)
    return tmp_path


def stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


# --- exit codes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("check clean.sql", 0),
        ("check unknown.sql", 0),
        ("check weeks.sql", 1),
        ("check", 1),
        ("check --exit-zero weeks.sql", 0),
        ("check nope.sql", 2),
        ("check --exit-zero nope.sql", 2),
        ("check --metadata db.t=nope.json clean.sql", 2),
        ("check --metadata nonsense clean.sql", 2),
        ("check --config nope.toml clean.sql", 2),
        ("check -o no/such/folder/x clean.sql", 2),
        ("explain SIS101 unknown-transform sis104", 0),
        ("explain SIS999", 2),
        ("rules", 0),
        ("config", 0),
    ],
)
def test_exit_codes(command: str, code: int, capsys: Any) -> None:
    assert main(command.split()) == code
    err = capsys.readouterr().err
    assert bool(err) is (code == 2)
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [["nonsense"], ["check", "--nonsense"], ["check", "--output-format", "x"]])
def test_wrong_arguments(arguments: list[str], capsys: Any) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: iceberg-sql" in capsys.readouterr().err


def test_help_and_version(capsys: Any) -> None:
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    for name, (_, summary) in COMMANDS.items():
        assert f"{name} " in text
        assert summary in text
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.startswith("iceberg-sql 0.")


def test_an_unreadable_file_does_not_hide_the_others(project: Path, capsys: Any) -> None:
    (project / "bad.sql").write_bytes(b"\xe9")
    assert main(["check", "bad.sql", "weeks.sql"]) == 2
    out, err = capsys.readouterr()
    assert "SIS101" in out
    assert err == "error: cannot read `bad.sql`: it is not UTF-8 (byte 0xe9 at offset 0)\n"


@pytest.mark.parametrize("output", FORMATS)
def test_an_unreadable_file_is_in_every_report(project: Path, output: str, capsys: Any) -> None:
    """A report of a check that could not read a file must not look like that of a clean one."""
    (project / "bad.sql").write_bytes(b"\xe9")
    for file_names in (["bad.sql", "clean.sql"], ["bad.sql"]):
        assert main(["check", "--output-format", output, *file_names]) == 2
        out = capsys.readouterr().out
        if output in HUMAN_FORMATS:
            assert "1 file could not be checked or written\n" in out
            assert "0 files" not in out
        else:
            assert "SIS000" in out
            assert "bad.sql" in out
            assert "it is not UTF-8" in out
    assert main(["check", "-q", "--output-format", output, "bad.sql"]) == 2
    assert "0 files" not in capsys.readouterr().out
    assert main(["check", "--statistics", "bad.sql"]) == 2
    assert capsys.readouterr().out == "1 file could not be checked or written\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_a_folder_is_no_file(capsys: Any) -> None:
    """Reading it would wait for ever."""
    os.mkfifo("pipe.sql")
    assert main(["check", "--show-files", "."]) == 0
    assert capsys.readouterr().out.split() == ["clean.sql", "unknown.sql", "weeks.sql"]


def test_a_ddl_file_that_cannot_be_read_is_said_once(capsys: Any) -> None:
    assert main(["check", "--ddl", "nope.sql", "weeks.sql", "clean.sql", "unknown.sql"]) == 2
    out, err = capsys.readouterr()
    assert out == "3 files could not be checked or written\n"
    assert err.count("error: no such file or directory") == err.count("\n") == 1


# --- what is said ---------------------------------------------------------------------------------


def test_an_unchecked_statement_is_never_shown_as_fine(capsys: Any) -> None:
    main(["check", "unknown.sql"])
    out = capsys.readouterr().out
    assert "note[SIS002]" in out
    assert out.endswith("No problems found in 1 file (1 statement; 1 not checked)\n")
    main(["check", "--ignore", "SIS002", "unknown.sql"])
    assert capsys.readouterr().out == "No problems found in 1 file (1 statement; 1 not checked)\n"
    main(["check", "--select", "SIS1", "--statistics", "unknown.sql"])
    assert capsys.readouterr().out == "No problems found in 1 file (1 statement; 1 not checked)\n"


def test_a_notebook_without_code_is_a_checked_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notebook = tmp_path / "empty.ipynb"
    notebook.write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    assert main(["check", str(notebook)]) == 0
    assert capsys.readouterr().out == "No problems found in 1 file (0 statements)\n"


@pytest.mark.parametrize("name", FORMATS)
def test_every_format(name: str, project: Path, capsys: Any) -> None:
    assert main(["check", "--output-format", name, "weeks.sql", "clean.sql"]) == 1
    out = capsys.readouterr().out
    assert "SIS101" in out
    assert out.endswith("\n")
    assert main(["check", "--output-format", name, "-o", "out.txt", "weeks.sql", "clean.sql"]) == 1
    assert capsys.readouterr().out == ""
    assert (project / "out.txt").read_text() == out


def test_the_rules_that_could_not_judge_are_named_on_demand(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.sql"
    path.write_text("ALTER TABLE a.t DROP COLUMN x;\nALTER TABLE a.t DROP COLUMN y")
    main(["check", "--isolated", str(path)])
    out = capsys.readouterr().out
    assert out.count("SIS") == 1
    assert out.endswith("(2 statements; 2 not checked)\n")
    main(["check", "--isolated", "-v", str(path)])
    assert "rules not checked in 2 statements: SIS405, SIS407\n" in capsys.readouterr().out
    main(["check", "--isolated", "--output-format", "json", str(path)])
    (note,) = json.loads(capsys.readouterr().out)
    assert (note["skipped"], note["statements"]) == (["SIS405", "SIS407"], 2)


def test_statistics_for_machines(project: Path, capsys: Any) -> None:
    assert main(["check", "--statistics", "--output-format", "json", "weeks.sql", "unknown.sql"]) == 1
    counts = {entry["code"]: entry["count"] for entry in json.loads(capsys.readouterr().out)}
    assert counts == {"SIS002": 2, "SIS101": 1}
    assert main(["check", "--statistics", "--output-format", "sarif", "weeks.sql"]) == 2
    assert "--statistics needs --output-format concise, " in capsys.readouterr().err


def test_quiet_and_statistics(capsys: Any) -> None:
    main(["check", "-q", "clean.sql"])
    assert capsys.readouterr().out == ""
    main(["check", "-q", "weeks.sql", "--select", "SIS1"])
    assert capsys.readouterr().out.splitlines()[-1].startswith("   = spec:")
    main(["check", "-q", "--statistics", "weeks.sql", "clean.sql", "unknown.sql"])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert sorted(rows) == [["1", "SIS101", "unknown-transform"], ["2", "SIS002", "not-checked"]]


@pytest.mark.parametrize(
    ("environment", "colored"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colors(environment: dict[str, str], colored: bool, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    main(["check", "weeks.sql"])
    assert ("\x1b[" in capsys.readouterr().out) is colored
    main(["check", "weeks.sql", "-o", "x"])
    assert "\x1b[" not in Path("x").read_text()


@pytest.mark.tier("quick")
def test_a_terminal_has_colors() -> None:
    leader, follower = os.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "spark_iceberg_sql", "check", "weeks.sql"],
        stdout=follower,
        env={k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"},
    )
    assert run.wait(30) == 1
    os.close(follower)
    assert b"\x1b[1;31merror[SIS101]\x1b[0m" in os.read(leader, 100_000)
    os.close(leader)


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    stdin(monkeypatch, WEEKS)
    assert main(["check", "-", "--output-format", "concise", "-q", "--select", "SIS1"]) == 1
    assert capsys.readouterr().out.startswith("-:1:35: error[SIS101]")
    stdin(monkeypatch, f"spark.sql('{WEEKS}')")
    main(["check", "-", "--stdin-filename", "a/job.py", "--output-format", "concise"])
    assert capsys.readouterr().out.splitlines()[-2].startswith("a/job.py:1:46: error[SIS101]")


def test_fixing_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    stdin(monkeypatch, SWAPPED + "\r\n")
    assert main(["check", "-", "--fix"]) == 0
    out, err = capsys.readouterr()
    assert out == CLEAN + "\r\n"
    assert err.startswith("No problems found")


def test_fix_and_diff(project: Path, capsys: Any) -> None:
    (project / "s.sql").write_text(SWAPPED)
    assert main(["check", "--diff", "s.sql", "clean.sql"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("--- s.sql\n+++ s.sql\n")
    assert (project / "s.sql").read_text() == SWAPPED
    assert main(["check", "--fix", "s.sql", "clean.sql"]) == 0
    assert capsys.readouterr().out == ("No problems found in 2 files (2 statements)\nApplied 1 fix\n")
    assert (project / "s.sql").read_text() == CLEAN
    assert main(["check", "--diff", "s.sql"]) == 0


def test_a_fix_that_is_not_selected_is_not_applied(project: Path) -> None:
    (project / "s.sql").write_text(SWAPPED)
    main(["check", "--fix", "--ignore", "SIS104", "s.sql"])
    assert (project / "s.sql").read_text() == SWAPPED


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (f"{WEEKS} -- noqa: SIS101, SIS002", []),
        (f"{WEEKS} -- noqa", []),
        (f"-- iceberg-sql: ignore[SIS101,SIS002] we know\n{WEEKS}", []),
        (f"-- iceberg-sql: skip-file\n{WEEKS};\n{WEEKS}", []),
        (f"{CLEAN} -- noqa: SIS101", ["SIS003"]),
        (f"-- iceberg-sql: ignore[SIS101]\n{CLEAN}", ["SIS003"]),
    ],
)
def test_ignores(project: Path, capsys: Any, text: str, codes: list[str]) -> None:
    (project / "a.sql").write_text(text)
    main(["check", "--output-format", "json", "a.sql"])
    assert [item["code"] for item in json.loads(capsys.readouterr().out)] == codes


def test_ignores_in_a_program(project: Path, capsys: Any) -> None:
    (project / "a.py").write_text(f'spark.sql("""{WEEKS} -- noqa: SIS101, SIS002\n""")\n')
    assert main(["check", "a.py"]) == 0
    assert "not checked" not in capsys.readouterr().out


def test_a_table_known_from_its_metadata(project: Path, capsys: Any) -> None:
    (project / "v1.metadata.json").write_text(
        json.dumps(
            {
                "format-version": 2,
                "last-column-id": 1,
                "schemas": [{"schema-id": 0, "type": "struct", "fields": [
                    {"id": 1, "name": "name", "required": False, "type": "string"}]}],
                "current-schema-id": 0,
                "partition-specs": [{"spec-id": 0, "fields": []}],
                "default-spec-id": 0,
                "last-partition-id": 999,
            }
        )
    )  # fmt: skip
    (project / "a.sql").write_text("ALTER TABLE db.t ADD PARTITION FIELD days(name)")
    assert main(["check", "a.sql"]) == 0
    assert main(["check", "--metadata", "db.t=v1.metadata.json", "a.sql"]) == 1
    assert "SIS202" in capsys.readouterr().out


# --- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: rule.code)
def test_explain_prints_the_docstring(rule: Any, capsys: Any) -> None:
    assert main(["explain", rule.code]) == 0
    module = sys.modules[rule.check.__module__]
    out = capsys.readouterr().out
    assert (module.__doc__ or "-").strip() in out
    assert out.endswith(f"\nOnline: {url_of(rule.code)}\n")


def test_rules_lists_all(capsys: Any) -> None:
    main(["rules"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [rule.code for rule in ALL]
    main(["rules", "--output-format", "json"])
    entries = json.loads(capsys.readouterr().out)
    assert [(item["code"], item["url"]) for item in entries] == [(r.code, url_of(r.code)) for r in ALL]
    main(["rules", "--output-format", "markdown"])
    assert capsys.readouterr().out == catalogue()


# --- start ----------------------------------------------------------------------------------------

START = """
import sys
from spark_iceberg_sql.cli import main
code = main(["check", "weeks.sql"])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


def test_a_check_loads_what_it_needs() -> None:
    run = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    loaded = set(run.stderr.split())
    heavy = {"pyspark", "py4j", "pandas", "pyiceberg", "pygls", "json", "hashlib", "tempfile", "tomllib", "sqlparse"}
    assert not loaded & heavy


COUNTED_START = """
import sys
calls = 0
def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")
sys.setprofile(count)
from spark_iceberg_sql.cli import main
code = main(["check", "clean.sql"])
sys.setprofile(None)
print(calls, file=sys.stderr)
sys.exit(code)
"""


def test_a_check_starts_with_few_calls() -> None:
    """Counted, not timed: how fast or busy the machine is does not matter. A check is some 190,000 calls."""
    run = subprocess.run([sys.executable, "-c", COUNTED_START], capture_output=True, text=True, check=True)
    assert 10_000 < int(run.stderr) < 250_000, run.stderr
