"""Names of files, settings and catalogs in messages, diffs and lists: none ends a line or reaches a terminal raw."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from spark_iceberg_sql.safe_output import data_without_commands, quoted_path, sanitized_message

pytestmark = pytest.mark.tier("quick")  # many processes or many trials: `make fast` leaves them out

ROOT = Path(__file__).parent.parent
HIDDEN = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]")
CI = ("GITHUB_ACTIONS", "TF_BUILD")  # in the environment of what a CI system runs
WRONG = "CREATE TABLE shop.a (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, 16));\n"


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "spark_iceberg_sql", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    assert not HIDDEN.search(done.stdout + done.stderr), done
    return done


def put(folder: Path, name: bytes, text: str = WRONG) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text(text)


def test_a_file_name_is_no_statement(tmp_path: Path) -> None:
    put(tmp_path, b"x\nDROP TABLE prod.important;\n-- .sql")
    put(tmp_path, b"y\r\x1b[2J.sql")
    out = ran(tmp_path, "check", "-q", "--ignore", "ALL", "--show-tables", ".").stdout
    assert b"CREATE TABLE" in out
    assert not re.search(rb"(?m)^DROP", out)


def test_a_column_with_a_dot_is_one_name(tmp_path: Path) -> None:
    """In each statement of the script; a struct's field is a path."""
    sql = (
        "CREATE TABLE db.t (`a.b` INT NOT NULL, s STRUCT<`x.y`: STRUCT<z: INT>, w: INT>) USING iceberg "
        "PARTITIONED BY (bucket(4, `a.b`), s.`x.y`.z);\n"
        "ALTER TABLE db.t SET IDENTIFIER FIELDS `a.b`;\n"
    )
    put(tmp_path, b"a.sql", sql)
    arguments = ("check", "-q", "--ignore", "ALL", "--show-tables", ".")
    out = ran(tmp_path, *arguments).stdout.decode()
    assert "PARTITIONED BY (bucket(4, `a.b`), s.`x.y`.z)" in out
    assert "SET IDENTIFIER FIELDS `a.b`;" in out


@pytest.mark.parametrize("change", ["--fix", "--add-noqa"])
def test_git_applies_a_diff_of_any_name(tmp_path: Path, change: str) -> None:
    names = (b'q"\n+++ other.sql', b"b\xff\x1b", b"##vso[x]", b"plain", "caf\u00e9".encode())
    for name in names:
        put(tmp_path, name + b".sql")
    done = ran(tmp_path, "check", "--no-cache", change, "--diff", ".")
    assert done.returncode == 1
    assert done.stdout.count(b"\n+++ ") == len(names)
    apply = ["git", "apply", "-p0", "-"]
    subprocess.run(apply, cwd=tmp_path, input=done.stdout, check=True, capture_output=True)
    for name in names:
        file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name + b".sql"))
        assert file.read_text() != WRONG


def test_each_file_in_a_line_of_its_own(tmp_path: Path) -> None:
    for name in (b"a\nb.sql", b"c\rd.sql", b"e\x1b[31m.sql", b"::error::x.sql", b"f\xff.sql"):
        put(tmp_path, name)
    lines = ran(tmp_path, "check", "--show-files", ".").stdout.splitlines()
    assert len(lines) == 5
    assert all(not line.startswith(b"::") for line in lines)
    assert b'"f\\377.sql"' in lines


def test_the_lines_of_a_patch(tmp_path: Path) -> None:
    """A patch is exact where nothing takes a part of it for a command: in a file, or for a program."""
    put(tmp_path, b"a.sql", f"SELECT '\x1b[31m ##vso[x]\tb\n::error::pwn';\n{WRONG}")
    command = [sys.executable, "-m", "spark_iceberg_sql", "check", "--diff", "--fix", "a.sql"]
    plain = {key: value for key, value in os.environ.items() if key not in CI}
    plain |= {"PYTHONPATH": str(ROOT)}
    exact = subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, check=False).stdout
    assert b"'\x1b[31m ##vso[x]\tb\n ::error::pwn'" in exact
    for name in CI:
        logged = subprocess.run(
            command, cwd=tmp_path, env={**plain, name: "1"}, capture_output=True, check=False
        ).stdout
        assert not re.search(rb"(?m)^\s*::|##vso\[|\x1b", logged)
        assert b"]\tb\n" in logged
        with (tmp_path / "p.patch").open("wb") as file:
            subprocess.run(command, cwd=tmp_path, env={**plain, name: "1"}, stdout=file, check=False)
        assert (tmp_path / "p.patch").read_bytes() == exact


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    put(tmp_path, b"n3\x1b[31m\nerror: x.sql", "SELECT\0")
    put(tmp_path, b"n4\x1b[31m.ipynb", "{")
    done = ran(tmp_path, "check", ".")
    assert done.returncode == 2
    assert not re.search(rb"(?m)^error: x", done.stderr)


def test_settings_and_catalogs(tmp_path: Path) -> None:
    put(tmp_path, b"a.sql")
    folder = tmp_path / "s\x1b[31m"
    folder.mkdir()
    text = 'catalog = "c\\u001b]0;pwn\\u0007\\nerror: y"\nexclude = ["d\\nNo problems"]\n'
    for directory in (tmp_path, folder):
        (directory / ".iceberg-sql.toml").write_text(text)
    (folder / "b.sql").write_text(WRONG)
    assert b"is not opened" in ran(tmp_path, "check", ".").stderr
    out = ran(tmp_path, "config", "s\x1b[31m/b.sql").stdout
    assert rb"\u001b]0;pwn\u0007\nerror: y" in out
    (tmp_path / ".iceberg-sql.toml").write_text('"key\\nerror: forged" = 1\n')
    done = ran(tmp_path, "check", ".")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_entries_of_a_baseline_that_are_gone(tmp_path: Path) -> None:
    put(tmp_path, b"a.sql", "SELECT 1;\n")
    entry = {"code": "SIS1\x1b[2J", "message": "m\nNo problems found", "digest": "0"}
    tree = {"version": 1, "findings": {"gone\x1b[2J.sql": [entry]}}
    (tmp_path / "b.json").write_text(json.dumps(tree))
    err = ran(tmp_path, "check", "--baseline", "b.json", ".").stderr
    assert b"1 finding of the baseline" in err
    assert not re.search(rb"(?m)^No problems", err)


def test_data_keeps_its_value() -> None:
    text = "\n::error::c0 ##vso[x] \x7f\x9b"
    xml = f'<?xml version="1.0"?>\n<a>{text}</a>'
    safe = data_without_commands(xml)
    assert ElementTree.fromstring(safe).text == text
    assert not re.search(r"(?m)^\s*::|##vso|[\x7f-\x9f]", safe)
    assert json.loads(data_without_commands(json.dumps([text], ensure_ascii=False))) == [text]


def test_only_help_begins_a_line_of_a_message() -> None:
    assert sanitized_message("error: a\nb\nhelp: c") == "error: a␊b\nhelp: c"
    assert quoted_path("dir/plain name.sql") == "dir/plain name.sql"


def test_every_message_is_said() -> None:
    """`say` is the only way to standard error, but for reports and the progress of scripts."""
    for file in (ROOT / "spark_iceberg_sql" / "cli").glob("*.py"):
        if file.name not in ("__init__.py", "run.py"):
            assert "sys.stderr.write" not in file.read_text(), file.name
