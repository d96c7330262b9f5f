"""Fixes: only the span changes, the result is clean of what was fixed, files are replaced whole."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_iceberg_sql.checker import fixes
from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Lines, Report, Severity
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.files.atomic_write import replace_file
from spark_iceberg_sql.rules.registry import ALL

SWAPPED = "CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, 16))"
GOOD = SWAPPED.replace("id, 16", "16, id")
FAULTY = "CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(id, 16), days(ts))"
CURED = FAULTY.replace("id, 16", "16, id")


def diagnostic(start: int, end: int, *edits: Edit, code: str = "SIS104") -> Diagnostic:
    span = Lines(" " * 100).span(start, end)
    return Diagnostic(code, "x", Severity.ERROR, "m", span, "h", Fix("f", edits, safe=True))


EXAMPLES = [
    pytest.param(example.sql, id=f"{rule.code}-{number}")
    for rule in ALL
    for number, example in enumerate(rule.examples)
    if example.bad and any(d.fix for d in check(example.sql))
]


@pytest.mark.parametrize("sql", EXAMPLES)
def test_a_fixed_example_is_clean_of_what_was_fixed(sql: str) -> None:
    done = fixes.apply_fixes(sql, check, unsafe=True)
    assert done.applied_codes
    assert not {d.code for d in done.report} & set(done.applied_codes)
    assert not any(d.fix for d in done.report)
    assert "SIS001" not in {d.code for d in done.report}
    assert done.report.diagnostics == check(done.text).diagnostics


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


AROUND = st.text("ab \t\r\n日🙂;-", max_size=12).map(lambda text: f"/*{text}*/")


@settings(max_examples=60)
@given(before=AROUND, after=AROUND)
def test_nothing_outside_the_span_changes(before: str, after: str) -> None:
    text = before + FAULTY + after
    assert fixes.apply_fixes(text, check).text == before + CURED + after


def test_overlapping_fixes_go_one_after_the_other() -> None:
    calls: list[str] = []

    def twice(text: str) -> Report:
        calls.append(text)
        findings = []
        if "aa" in text:
            at = text.index("aa")
            findings = [diagnostic(at, at + 2, Edit(at, at + 2, "b"))] * 2
        return Report(text, tuple(findings))

    assert fixes.apply_fixes("aaaa", twice).text == "bb"
    assert calls == ["aaaa", "baa", "bb"]


def test_a_fix_that_makes_it_worse_is_taken_back() -> None:
    def check_it(text: str) -> Report:
        if text == "x":
            return Report(text, (diagnostic(0, 1, Edit(0, 1, "y")),))
        return Report(text, (diagnostic(0, 1, code="SIS001"),))

    done = fixes.apply_fixes("x", check_it)
    assert (done.text, done.applied_codes) == ("x", ())


def test_a_fix_that_never_ends_is_stopped() -> None:
    def check_it(text: str) -> Report:
        finding = diagnostic(0, 0, Edit(0, 0, "x"), code=f"SIS10{len(text) % 2}")
        return Report(text, (finding,))

    assert 0 < len(fixes.apply_fixes("", check_it).text) < 100


def test_a_fix_that_does_not_cure_is_left_out() -> None:
    done = fixes.apply_fixes("", lambda text: Report(text, (diagnostic(0, 0, Edit(0, 0, "x")),)))
    assert (done.text, done.applied_codes, len(done.rejected_findings)) == ("", (), 1)


@pytest.mark.parametrize("content", [
    FAULTY.encode(),
    FAULTY.replace(" USING", "\r\nUSING").encode() + b"\r\n",
    b"\xef\xbb\xbf" + FAULTY.encode(),
    b"\xff\xfe" + FAULTY.encode("utf-16-le"),
    ("-- é🙂\x0b\u2028\n" + FAULTY + "\r-- a lone CR").encode(),
])  # fmt: skip
def test_files_change_in_the_span_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.sql"
    path.write_bytes(content)
    path.chmod(0o640)
    assert main(["check", "--isolated", "--fix", "-q", str(path)]) == 0
    wide = content.startswith(b"\xff\xfe")
    old, new = (text.encode("utf-16-le" if wide else "utf-8") for text in ("id, 16", "16, id"))
    assert path.read_bytes() == content.replace(old, new)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["a.sql"]


@pytest.mark.parametrize("in_lists", [True, False])
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 1])
def test_notebooks_change_in_the_span_alone(
    tmp_path: Path, in_lists: bool, ascii_only: bool, indent: int | None
) -> None:
    def notebook(sql: str) -> bytes:
        sources = [
            '"\\" 🙂é',
            f"# 🙂\té\nspark.sql('''\n{sql}''')\nprint(\"\\n\")",
            f'%%sql\n-- "é🙂"\n{sql.replace(" t ", " u ")}',
        ]
        cells = [
            {
                "cell_type": "markdown" if number == 0 else "code",
                "source": text.splitlines(keepends=True) if in_lists else text,
                "outputs": [{"data": {"source": [SWAPPED], "text/plain": "[{,:}]"}}],
            }
            for number, text in enumerate(sources)
        ]
        document = {"metadata": {"cells": [{"source": SWAPPED}]}, "cells": cells, "nbformat": 4}
        return json.dumps(document, indent=indent, ensure_ascii=ascii_only).encode()

    path = tmp_path / "a.ipynb"
    path.write_bytes(notebook(SWAPPED))
    assert main(["check", "--isolated", "--fix", "-q", str(path)]) == 0
    assert path.read_bytes() == notebook(GOOD)


def test_the_last_words_of_a_cell(tmp_path: Path) -> None:
    def notebook(sql: str) -> str:
        return json.dumps({"cells": [{"cell_type": "code", "source": ["%%sql\n", sql]}]})

    path = tmp_path / "a.ipynb"
    path.write_text(notebook(f"{GOOD} -- noqa: SIS101"))
    assert main(["check", "--isolated", "--fix", "--unsafe-fixes", "-q", str(path)]) == 0
    assert path.read_text() == notebook(f"{GOOD} ")


def test_words_that_json_writes_in_another_way_are_not_fixed(tmp_path: Path) -> None:
    text = json.dumps({"cells": [{"cell_type": "code", "source": f"%%sql\n{SWAPPED}"}]})
    path = tmp_path / "a.ipynb"
    path.write_text(text.replace("id, 16", "\\u0069d, 16"))
    before = path.read_bytes()
    assert main(["check", "--isolated", "--fix", "-q", str(path)]) == 1
    assert path.read_bytes() == before


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.sql").write_text(FAULTY)
    (tmp_path / "link.sql").symlink_to("real.sql")
    assert main(["check", "--isolated", "--fix", "-q", str(tmp_path / "link.sql")]) == 0
    assert (tmp_path / "link.sql").is_symlink()
    assert (tmp_path / "real.sql").read_text() == CURED


def test_a_clean_file_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_text(CURED)
    before = path.stat()
    main(["check", "--isolated", "--fix", "-q", str(path)])
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_replacing_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.sql"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(28, "disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FileError, match="disk full"):
        replace_file(path, b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["a.sql"]
    assert path.read_text() == "old"


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    replace_file(tmp_path / "new", b"x")
    (tmp_path / "usual").write_bytes(b"x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("text", [f"a\n{FAULTY}", f"a\r\n{FAULTY}\r\nb\r\n", f"{FAULTY}\n\n\n\n\n\u2028\n"])
def test_a_diff_is_one_that_patch_takes(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.sql"
    path.write_bytes(text.encode())
    new = text.replace("id, 16", "16, id")
    change = fixes.diff(text, new, "a.sql")
    subprocess.run(["git", "apply", "--unsafe-paths", "-p0", "-"], cwd=tmp_path, input=change.encode(), check=True)
    assert path.read_bytes() == new.encode()
