"""Fixes are safe or are not applied: what --fix must never do, and attacks by which it would."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from breakings import broken

from spark_iceberg_sql.checker import fixes
from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Lines, Report, Severity
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.files.atomic_write import replace_file
from spark_iceberg_sql.model.tables import Tables

SWAPPED = "CREATE TABLE a.t (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, 16));\n"
GOOD = SWAPPED.replace("id, 16", "16, id")


def known() -> Tables:
    return Tables(catalog="local", namespace=("db",), complete=True)


def checked(text: str) -> Report:
    return check(text, known())


# --- what is a guess ------------------------------------------------------------------------------

TABLE = "CREATE TABLE db.t (id BIGINT, user_id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY "

GUESSES = [
    TABLE + "(years(ts));\nALTER TABLE db.t DROP PARTITION FIELD ts_day",
    TABLE + "(years(ts));\nALTER TABLE db.t REPLACE PARTITION FIELD ts_day WITH hours(ts)",
    TABLE + "(bucket(16, id), days(ts));\nALTER TABLE db.t DROP PARTITION FIELD bucket(8, id)",
    TABLE + "(bucket(16, id));\nALTER TABLE db.t DROP PARTITION FIELD user_id_bucket",
    TABLE + "(dayz(ts))",
    TABLE.replace("USING iceberg", "USING parquet") + "(days(ts))",
    TABLE.replace("USING iceberg", "USING parquet") + "(bucket(4, id))",
    TABLE.replace("USING iceberg", "USING icberg") + "(days(ts))",
    TABLE + "(id);\nALTER TABLE db.t ADD /* by day */ PARTITION FIELD days(ts)",
    TABLE + "(id);\nALTER TABLE db.t /*+ broadcast */ ADD PARTITION FIELD days(ts)",
    TABLE + "(id) TBLPROPERTIES ('format_version' = '3')",
    TABLE + "(id);\nALTER TABLE db.t SET TBLPROPERTIES ('Format-Version' = '3')",
    TABLE + "(id); -- noqa: SIS101",
    TABLE + "(id);\nALTER TABLE db.t ADD PARTITION FIELD bucket(4, id) AS ts",
    "SET spark.sql.caseSensitive = true;\n" + TABLE + "(days(TS))",
]


@pytest.mark.parametrize("sql", GUESSES)
def test_a_guess_is_offered_but_not_applied(sql: str, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.sql"
    path.write_text(sql)
    main(["check", "--isolated", "--output-format", "json", str(path)])
    fixes = [d["fix"] for d in json.loads(capsys.readouterr().out) if d["fix"]]
    assert {f["applicability"] for f in fixes} == {"unsafe"}
    main(["check", "--isolated", str(path)])
    assert "Up to 1 finding fixable with --fix --unsafe-fixes" in capsys.readouterr().out
    main(["check", "--isolated", "--diff", str(path)])
    assert capsys.readouterr().out == ""
    main(["check", "--isolated", "--fix", str(path)])
    assert path.read_text() == sql
    main(["check", "--isolated", "--fix", "--unsafe-fixes", str(path)])
    assert path.read_text() != sql


def test_formats_tell_safe_from_unsafe(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.sql"
    path.write_text(SWAPPED + GUESSES[0])
    main(["check", "--isolated", "--output-format", "json", str(path)])
    applicabilities = [d["fix"]["applicability"] for d in json.loads(capsys.readouterr().out)]
    assert applicabilities == ["safe", "unsafe"]
    main(["check", "--isolated", "--output-format", "sarif", str(path)])
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    applicabilities = [f["properties"]["applicability"] for r in results for f in r["fixes"]]
    assert applicabilities == ["safe", "unsafe"]
    main(["check", "--isolated", str(path)])
    assert "1 finding fixable with --fix (up to 1 more with --unsafe-fixes)" in capsys.readouterr().out


# --- a fix that cannot stand ----------------------------------------------------------------------


def test_what_a_fault_hid_is_no_reason_to_leave_it(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.sql"
    alter = "ALTER TABLE a.t ADD PARTITION FIELD bucket(16, id) AS shard;\n"
    path.write_text(SWAPPED + alter + SWAPPED.replace("a.t", "a.u"))
    assert main(["check", "--isolated", "--fix", str(path)]) == 1
    assert path.read_text() == GOOD + alter + GOOD.replace("a.t", "a.u")
    assert "SIS402" in capsys.readouterr().out


def letters(text: str) -> Report:
    """A check that reports lower-case letters; its fix turns `q` into `Q!`, which introduces a new error."""
    lines = Lines(text)
    diagnostics = [
        Diagnostic(
            "SIS104" if char.islower() else "SIS001",
            "x",
            Severity.ERROR,
            "m",
            lines.span(at, at + 1),
            "h",
            Fix("f", (Edit(at, at + 1, char.upper() + "!" * (char == "q")),), safe=True) if char.islower() else None,
        )
        for at, char in enumerate(text)
        if char.islower() or char == "!"
    ]
    return Report(text, tuple(diagnostics))


@pytest.mark.parametrize("text", ["abqcd", "q", "aqbqcq", "qqqq", "abcd", ""])
def test_one_bad_fix_is_left_out_alone(text: str) -> None:
    spaced = " ".join(text)
    done = fixes.apply_fixes(spaced, letters)
    assert done.text == "".join(c if c == "q" else c.upper() for c in spaced)
    assert len(done.rejected_findings) == text.count("q")
    assert fixes.apply_fixes(done.text, letters).text == done.text


# --- thousand scripts -----------------------------------------------------------------------------


def errors(report: Report) -> Counter[tuple[int, str]]:
    return Counter((d.span.row, d.code) for d in report.errors)


@pytest.mark.parametrize(
    "start",
    [
        *(pytest.param(start, marks=pytest.mark.tier("quick")) for start in range(0, 250, 50)),
        *(pytest.param(start, marks=pytest.mark.tier("rest")) for start in range(250, 1000, 50)),
    ],
)
def test_a_fix_writes_what_was_meant(start: int) -> None:
    """Each statement is then either what its author meant or unchanged, and no finding is new."""
    written = 0
    for seed in range(start, start + 50):
        script = broken(seed)
        done = fixes.apply_fixes(script.text, checked)
        statements = done.text.split(";\n")
        for now, intended, before in zip(statements, script.asked, script.broken, strict=True):
            assert now in (intended, before), seed
            written += now == intended != before
        assert not done.rejected_findings, seed
        new = errors(done.report) - errors(checked(";\n".join(script.asked)))
        assert not new or not new - errors(checked(script.text)), seed
        again = {done.text: done.report}
        twice = fixes.apply_fixes(done.text, lambda text, again=again: again.get(text) or checked(text))
        assert twice.text == done.text, seed
    assert written > 80


# --- files ----------------------------------------------------------------------------------------


def fix_files(*paths: Path) -> int:
    return main(["check", "--isolated", "--fix", "-q", *map(str, paths)])


def test_hard_links_and_symbolic_links_stay(tmp_path: Path) -> None:
    (tmp_path / "real.sql").write_text(SWAPPED)
    os.link(tmp_path / "real.sql", tmp_path / "twin.sql")
    (tmp_path / "link.sql").symlink_to("real.sql")
    assert fix_files(tmp_path / "link.sql") == 0
    assert (tmp_path / "link.sql").is_symlink()
    assert (tmp_path / "twin.sql").read_text() == GOOD
    assert (tmp_path / "real.sql").stat().st_nlink == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.sql", "real.sql", "twin.sql"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o4755])
def test_the_mode_and_the_attributes_stay(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.sql"
    path.write_text(SWAPPED)
    path.chmod(mode)
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        marked = False
    else:
        marked = True
    assert fix_files(path) == 0
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert not marked or os.getxattr(path, "user.note") == b"mine"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_the_owner_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_text(SWAPPED)
    os.chown(path, 65534, 65534)
    assert fix_files(path) == 0
    assert (path.stat().st_uid, path.stat().st_gid, path.read_text()) == (65534, 65534, GOOD)


def test_a_read_only_file_is_one_line_and_the_others_are_fixed(tmp_path: Path, capsys: Any) -> None:
    first, second = tmp_path / "a.sql", tmp_path / "b.sql"
    for path in (first, second):
        path.write_text(SWAPPED)
    first.chmod(0o444)
    assert fix_files(first, second) == 2
    out, err = capsys.readouterr()
    assert err == f"error: cannot write `{first}`: the file is read-only\n"
    assert f"{first}:1:" in out
    assert (first.read_text(), second.read_text()) == (SWAPPED, GOOD)


def test_a_read_only_folder_is_one_line(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.sql"
    path.write_text(SWAPPED)
    if os.geteuid() == 0:  # whom no folder refuses
        monkeypatch.setattr("tempfile.mkstemp", _refused)
        monkeypatch.setattr(os, "access", lambda target, _: Path(target) != tmp_path)
    else:
        tmp_path.chmod(0o555)
    try:
        assert fix_files(path) == 2
    finally:
        tmp_path.chmod(0o755)
    folder = tmp_path.resolve()
    assert capsys.readouterr().err == (f"error: cannot write `{path}`: the folder `{folder}` is read-only\n")
    assert path.read_text() == SWAPPED


def _refused(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


# --- attacks --------------------------------------------------------------------------------------


def test_a_file_that_changed_meanwhile_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_text("somebody's newer words")
    with pytest.raises(FileError, match="has changed since it was read"):
        replace_file(path, b"ours", old_content=SWAPPED.encode())
    assert path.read_text() == "somebody's newer words"


def test_a_failing_disk_leaves_a_linked_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.sql"
    path.write_text("old")
    os.link(path, tmp_path / "twin.sql")
    calls = []

    def fail(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 2:  # the first is for the copy beside it
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError, match="Input/output error"):
        replace_file(path, b"quite new")
    assert (tmp_path / "twin.sql").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    replace_file(Path("/dev/null"), b"x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(FileError, match="not a regular file"):
        replace_file(Path("/dev/null"), b"x", old_content=b"")


def test_an_encoding_that_cannot_be_written_back_is_left(tmp_path: Path, capsys: Any) -> None:
    """UTF-7 writes one text in many ways; a rewrite would change bytes that nobody asked about."""
    text = f'# -*- coding: utf-7 -*-\nA = "+AGEAYg-"\nspark.sql("{SWAPPED.strip()}")\n'
    path = tmp_path / "a.py"
    path.write_bytes(text.encode("ascii"))
    assert fix_files(path) == 2
    assert path.read_bytes() == text.encode("ascii")
    assert "cannot write" in capsys.readouterr().err


def test_choices_of_a_template_do_not_undo_each_other(tmp_path: Path, capsys: Any) -> None:
    """The letter case that is right in one branch is wrong in the other: there is no fix."""
    text = (
        "{% if big %}\nCREATE TABLE db.t (id BIGINT) USING iceberg;\n"
        "{% else %}\nCREATE TABLE db.t (ID BIGINT) USING iceberg;\n{% endif %}\n"
        "ALTER TABLE db.t ADD PARTITION FIELD bucket(16, ID);\n"
    )
    path = tmp_path / "a.sql"
    path.write_text(text)
    assert main(["check", "--isolated", "--fix", "--unsafe-fixes", str(path)]) == 1
    assert path.read_text() == text
    assert "fix" not in capsys.readouterr().out


def test_words_in_strings_comments_and_other_cells_stay(tmp_path: Path) -> None:
    text = (
        f"-- {SWAPPED}/* {SWAPPED} */\nSELECT '{SWAPPED.strip()}';\n"
        f"CREATE TABLE c (s STRING COMMENT 'bucket(id, 16)', id BIGINT) USING iceberg\n"
        "PARTITIONED BY (bucket( /* id, 16 */ id\n , 16 /* id */ ));\n"
    )
    path = tmp_path / "a.sql"
    path.write_text(text)
    assert fix_files(path) == 0
    assert path.read_text() == text.replace("*/ id\n , 16 ", "*/ 16\n , id ")


def test_a_link_out_of_the_repository_is_not_followed(tmp_path: Path, capsys: Any) -> None:
    """A contribution adds a link; a hook with --fix would write a file outside the repository."""
    outside, repository = tmp_path / "outside.sql", tmp_path / "repository"
    outside.write_text(SWAPPED)
    repository.mkdir()
    (repository / "link.sql").symlink_to(outside)
    (repository / "own.sql").write_text(SWAPPED)
    (repository / "inner.sql").symlink_to("own.sql")
    assert fix_files(repository) == 2
    assert outside.read_text() == SWAPPED
    assert (repository / "own.sql").read_text() == GOOD
    assert "points outside the folder" in capsys.readouterr().err
    assert fix_files(repository / "link.sql") == 0  # named: that is meant
    assert outside.read_text() == GOOD


@pytest.mark.parametrize("name", ["a.py", "a.ipynb"])
def test_a_program_is_the_same_but_for_its_sql(tmp_path: Path, name: str) -> None:
    """Words that look like SQL in names, comments, other strings and outputs stay."""
    lines = [
        "bucket = lambda id, n: (id, n)  # bucket(id, 16)\n",
        'note = "CREATE TABLE t ... PARTITIONED BY (bucket(id, 16))"\n',
        "parts = bucket(id, 16)\n",
        'spark.sql("""CREATE TABLE a.t (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, 16))""")\n',
        'spark.sql(f"CREATE TABLE a.u (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, {n}))")\n',
    ]

    def written(sources: list[str]) -> str:
        if name == "a.py":
            return "".join(sources)
        cell = {"cell_type": "code", "source": sources, "outputs": [{"text": sources}]}
        return json.dumps({"cells": [cell], "metadata": {"source": sources}}, indent=1)

    path = tmp_path / name
    path.write_text(written(lines))
    fix_files(path)
    fixed = [lines[0], lines[1], lines[2], lines[3].replace("id, 16", "16, id"), lines[4]]
    before, after = written(lines), path.read_text()
    if name == "a.py":
        assert after == written(fixed)
    else:  # the cell's source alone
        assert after == before.replace(json.dumps(lines[3]), json.dumps(fixed[3]), 1)


def test_a_script_that_wants_harm(tmp_path: Path, capsys: Any) -> None:
    """Every statement is a trap: it can be fixed in two ways, or depends on what a fix changes."""
    text = (
        "CREATE TABLE a.t (id BIGINT, `16` BIGINT, ID2 BIGINT, s STRING) USING iceberg\n"
        "PARTITIONED BY (bucket(`16`, 16), truncate(s, 4));\n"
        "ALTER TABLE a.t DROP PARTITION FIELD s_truncate;\n"  # s_trunc is near, and live
        "ALTER TABLE a.t DROP PARTITION FIELD id_bucket;\n"  # 16_bucket is near
        "ALTER TABLE a.t REPLACE PARTITION FIELD bucket(id, 16) WITH bucket(id2, 8);\n"
        "ALTER TABLE a.t ADD PARTITION FIELD bucket(4, ids);\n"
        "ALTER TABLE a.t SET TBLPROPERTIES ('format_version' = '1', 'Format-Version' = '3');\n"
        "CREATE TABLE a.u (id BIGINT) USING orc PARTITIONED BY (bucket(id, 16));\n"
        "ALTER TABLE a.t /* never run this: */ DROP PARTITION FIELD `16_bucket`;\n"
        "-- noqa: SIS401\n"
    )
    path = tmp_path / "a.sql"
    path.write_text(text)
    main(["check", "--isolated", "--fix", str(path)])
    once = path.read_text()
    changed = [(old, new) for old, new in zip(text.splitlines(), once.splitlines(), strict=True) if old != new]
    for old, new in changed:
        # The same words in another order, or a letter's case: never another name, value or comment.
        assert sorted(old.lower()) == sorted(new.lower()), (old, new)
    assert "bucket(16, `16`)" in once
    assert [line for line in once.splitlines() if "DROP" in line or "SET" in line] == [
        line for line in text.splitlines() if "DROP" in line or "SET" in line
    ]
    main(["check", "--isolated", "--fix", str(path)])
    assert path.read_text() == once
