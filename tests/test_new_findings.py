"""Only new findings: a baseline, the state at a git commit. A known finding must not hide a new one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from spark_iceberg_sql.cli import main

pytestmark = pytest.mark.tier("quick")

TABLE = "CREATE TABLE db.{0} (at TIMESTAMP, id BIGINT) USING iceberg PARTITIONED BY (at);\n"
WEEKS = "ALTER TABLE db.t ADD PARTITION FIELD weeks(at);\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("GIT_", "FORCE_COLOR"))]:
        monkeypatch.delenv(name)
    return tmp_path


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, newline="")


def check(*arguments: str, code: int, capsys: Any) -> tuple[list[str], str]:
    """The places and codes of the findings, and what else is said."""
    done = main(["check", "--output-format", "json", *arguments])
    out, err = capsys.readouterr()
    assert done == code, out + err
    diagnostics = json.loads(out) if out.startswith("[") else []
    lines = [f"{d['filename']}:{d['location']['row']} {d['code']}" for d in diagnostics]
    return lines, err if out.startswith("[") else out + err


def baseline(*arguments: str, capsys: Any) -> str:
    return check("--baseline", "known.json", "--write-baseline", *arguments, code=0, capsys=capsys)[1]


def known(*arguments: str, code: int, capsys: Any) -> tuple[list[str], str]:
    return check("--baseline", "known.json", *arguments, code=code, capsys=capsys)


# --- a baseline -----------------------------------------------------------------------------------


def test_what_is_in_the_baseline_does_not_count(capsys: Any) -> None:
    write("a.sql", TABLE.format("t") + WEEKS)
    assert baseline(capsys=capsys) == "2 findings are in the baseline `known.json`\n"
    assert known(code=0, capsys=capsys) == ([], "")
    assert main(["check", "--baseline", "known.json"]) == 0
    assert capsys.readouterr().out == (
        "No problems found in 1 file (2 statements)\n2 findings are in the baseline `known.json`\n"
    )


def test_moved_lines_and_other_indentation_are_the_same_finding(capsys: Any) -> None:
    write("a.sql", TABLE.format("t") + WEEKS)
    baseline(capsys=capsys)
    moved = TABLE.format("t").replace(" USING", "\n   USING")
    write("a.sql", "-- a comment\n\n" + moved + "\n\n\t" + WEEKS)
    assert known(code=0, capsys=capsys) == ([], "")


def test_a_changed_statement_has_its_findings_again(capsys: Any) -> None:
    write("a.sql", TABLE.format("t"))
    baseline(capsys=capsys)
    write("a.sql", TABLE.format("t").replace("id BIGINT", "id INT"))
    lines, output = known(code=1, capsys=capsys)
    assert lines == ["a.sql:1 SIS501"]
    assert "1 finding of the baseline no longer exists" in output


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.sql", TABLE.format("new") + TABLE.format("t")),  # the words and message are the same
        ("a.sql", TABLE.format("t") + TABLE.format("new")),
        ("b.sql", TABLE.format("t")),
        ("sub/a.sql", TABLE.format("t")),
        ("b.py", f'spark.sql("""{TABLE.format("t")}""")'),
    ],
)
def test_a_new_finding_like_a_known_one_counts(name: str, text: str, capsys: Any) -> None:
    write("a.sql", TABLE.format("t"))
    baseline(capsys=capsys)
    write(name, text)
    lines, _ = known(code=1, capsys=capsys)
    assert len(lines) == 1


def test_a_copied_statement_counts_once_more(capsys: Any) -> None:
    write("a.sql", WEEKS)
    baseline("--ignore", "SIS002", capsys=capsys)
    write("a.sql", WEEKS * 3)
    assert len(known("--ignore", "SIS002", code=1, capsys=capsys)[0]) == 2


def test_a_fixed_finding_leaves_no_room_for_another(capsys: Any) -> None:
    write("a.sql", TABLE.format("t") + TABLE.format("u"))
    baseline(capsys=capsys)
    write("a.sql", TABLE.format("t").replace("(at)", "(days(at))") + TABLE.format("v"))
    lines, output = known(code=1, capsys=capsys)
    assert lines == ["a.sql:2 SIS501"]
    assert "2 findings of the baseline no longer exist" in output


def test_a_table_that_changes_under_a_known_statement(capsys: Any) -> None:
    """The statement is unchanged; its finding is new."""
    write("a.sql", "CREATE TABLE db.t (a STRING) USING iceberg;\nALTER TABLE db.t ADD PARTITION FIELD days(a);")
    baseline(capsys=capsys)
    write("a.sql", "CREATE TABLE db.t (b STRING) USING iceberg;\nALTER TABLE db.t ADD PARTITION FIELD days(a);")
    assert known(code=1, capsys=capsys)[0] == ["a.sql:2 SIS201"]


def test_an_error_of_a_file_is_no_finding(capsys: Any) -> None:
    write("a.sql", TABLE.format("t"))
    write("b.sql", "\udce9".encode("utf-8", "surrogateescape").decode("latin-1"))
    Path("b.sql").write_bytes(b"\xe9")
    assert main(["check", "--baseline", "known.json", "--write-baseline"]) == 2
    assert "the baseline was not written" in capsys.readouterr().err
    assert not Path("known.json").exists()


def test_an_internal_error_is_never_known(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from spark_iceberg_sql.checker import engine

    write("a.sql", WEEKS)
    baseline(capsys=capsys)

    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(engine.parser, "parse", broken)
    assert known(code=2, capsys=capsys)[0] == ["a.sql:1 SIS000"]
    assert main(["check", "--baseline", "known.json", "--write-baseline"]) == 2
    capsys.readouterr()
    assert "SIS000" not in Path("known.json").read_text()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b'{"version": 2, "findings": {}}',
        b'{"version": 1, "findings": []}',
        b'{"version": 1, "findings": {"a.sql": [{"code": "SIS101"}]}}',
        b'{"version": 1, "findings": {"a.sql": [{"code": 1, "message": "", "digest": ""}]}}',
        b"[" * 100_000,
    ],
)
def test_a_baseline_that_cannot_be_read(content: bytes, capsys: Any) -> None:
    write("a.sql", WEEKS)
    Path("known.json").write_bytes(content)
    for more in ((), ("--write-baseline",)):  # it is not overwritten either
        assert "is not a baseline" in known(*more, code=2, capsys=capsys)[1]
    assert Path("known.json").read_bytes() == content


def test_a_missing_baseline(capsys: Any) -> None:
    write("a.sql", "SELECT 1")
    assert "does not exist; --write-baseline creates it" in known(code=2, capsys=capsys)[1]
    Path("known.json").mkdir()
    assert "cannot read the baseline" in known(code=2, capsys=capsys)[1]


def test_what_was_not_checked_stays_in_the_baseline(capsys: Any) -> None:
    write("a.sql", TABLE.format("t"))
    write("b.sql", TABLE.format("u"))
    baseline(capsys=capsys)
    assert known("a.sql", code=0, capsys=capsys) == ([], "")  # b.sql's entry is not gone
    assert known("--ignore", "SIS5", code=0, capsys=capsys) == ([], "")
    baseline("a.sql", capsys=capsys)
    baseline("--ignore", "SIS5", capsys=capsys)
    assert known(code=0, capsys=capsys) == ([], "")
    Path("b.sql").unlink()
    assert "1 finding of the baseline no longer exists" in known("a.sql", code=0, capsys=capsys)[1]
    assert baseline("a.sql", capsys=capsys).startswith("1 finding is")


def test_a_baseline_is_the_same_from_a_subfolder(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    write("sub/a.sql", TABLE.format("t"))
    baseline(capsys=capsys)
    before = Path("known.json").read_bytes()
    monkeypatch.chdir("sub")
    assert main(["check", "--baseline", "../known.json"]) == 0
    assert main(["check", "--baseline", "../known.json", "--write-baseline"]) == 0
    assert Path("../known.json").read_bytes() == before


def test_notes_of_a_baseline_are_still_counted_as_not_checked(capsys: Any) -> None:
    write("a.sql", "ALTER TABLE prod.db.t ADD PARTITION FIELD days(a);")
    baseline(capsys=capsys)
    main(["check", "--baseline", "known.json"])
    out = capsys.readouterr().out
    assert "SIS002" not in out
    assert "1 not checked" in out


def test_a_cell_that_moves_in_a_notebook(capsys: Any) -> None:
    def notebook(*cells: str) -> str:
        records = [{"cell_type": "code", "source": cell} for cell in cells]
        return json.dumps({"cells": records, "metadata": {}, "nbformat": 4})

    write("a.ipynb", notebook("1", f"%%sql\n{TABLE.format('t')}"))
    baseline(capsys=capsys)
    write("a.ipynb", notebook("1", "2", f"%%sql\n{TABLE.format('t')}"))
    assert known(code=0, capsys=capsys) == ([], "")


def test_fixes_are_of_new_findings_only(capsys: Any) -> None:
    old = "CREATE TABLE db.t (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, 16));\n"
    write("a.sql", old)
    baseline(capsys=capsys)
    write("a.sql", old + old.replace("db.t", "db.u"))
    assert known("--fix", code=0, capsys=capsys)[0] == []
    assert Path("a.sql").read_text() == old + old.replace("db.t", "db.u").replace("id, 16", "16, id")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--write-baseline",),
        ("--baseline", "k", "--write-baseline", "--diff-from", "HEAD"),
        ("--add-noqa", "--fix"),
        ("--watch", "-"),
        ("--show-tables", "--output-format", "json"),
    ],
)
def test_options_that_contradict(arguments: tuple[str, ...], capsys: Any) -> None:
    write("a.sql", WEEKS)
    assert main(["check", *arguments]) == 2
    assert capsys.readouterr().err.startswith("error: --")


# --- since a commit -------------------------------------------------------------------------------


def git(*arguments: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def repository() -> None:
    write("a.sql", TABLE.format("t"))
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "one")


def since(ref: str, *arguments: str, code: int, capsys: Any) -> tuple[list[str], str]:
    return check("--diff-from", ref, *arguments, code=code, capsys=capsys)


def test_only_what_was_not_there(repository: None, capsys: Any) -> None:
    assert since("HEAD", code=0, capsys=capsys) == ([], "")
    write("a.sql", "-- moved\n\n" + TABLE.format("t") + TABLE.format("u"))
    write("new.sql", TABLE.format("v"))
    assert since("HEAD", code=1, capsys=capsys)[0] == ["a.sql:4 SIS501", "new.sql:1 SIS501"]
    git("add", "-A")
    git("commit", "-qm", "two")
    assert since("HEAD", code=0, capsys=capsys)[0] == []
    assert len(since("HEAD~1", code=1, capsys=capsys)[0]) == 2
    main(["check", "--diff-from", "HEAD"])
    assert "3 findings already existed at `HEAD`\n" in capsys.readouterr().out


def test_an_old_line_that_becomes_wrong(repository: None, capsys: Any) -> None:
    """Its line is unchanged: the change is in another line, or in another file."""
    write("migrations/V1__a.sql", "CREATE TABLE db.t (a DATE) USING iceberg;")
    write("migrations/V2__b.sql", "ALTER TABLE db.t ADD PARTITION FIELD days(a);")
    write("b.sql", "CREATE TABLE db.t (a DATE) USING iceberg;\nALTER TABLE db.t ADD PARTITION FIELD days(a);")
    git("add", ".")
    git("commit", "-qm", "two")
    assert since("HEAD", code=0, capsys=capsys)[0] == []
    write("migrations/V1__a.sql", "CREATE TABLE db.t (a STRING) USING iceberg;")
    write("b.sql", "CREATE TABLE db.t (a STRING) USING iceberg;\nALTER TABLE db.t ADD PARTITION FIELD days(a);")
    assert since("HEAD", code=1, capsys=capsys)[0] == ["b.sql:2 SIS202", "migrations/V2__b.sql:1 SIS202"]
    # Of one file alone, as pre-commit names it.
    assert since("HEAD", "migrations/V2__b.sql", code=1, capsys=capsys)[0] == ["migrations/V2__b.sql:1 SIS202"]


def test_a_branch_that_has_gone_on_since(repository: None, capsys: Any) -> None:
    git("checkout", "-qb", "mine")
    write("mine.sql", TABLE.format("mine"))
    git("add", ".")
    git("commit", "-qm", "mine")
    git("checkout", "-q", "main")
    write("mine.sql", TABLE.format("mine"))
    git("add", ".")
    git("commit", "-qm", "the same on main")
    git("checkout", "-q", "mine")
    assert since("main", code=1, capsys=capsys)[0] == ["mine.sql:1 SIS501"]


def test_a_renamed_file(repository: None, capsys: Any) -> None:
    git("mv", "a.sql", "b.sql")
    assert since("HEAD", code=0, capsys=capsys)[0] == []
    write("b.sql", TABLE.format("t") + "".join(f"SELECT {n};\n" * n for n in range(1, 8)))
    assert since("HEAD", code=0, capsys=capsys)[0] == []  # little of it is what it was
    write("b.sql", TABLE.format("t"))
    write("a.sql", TABLE.format("t"))  # a copy is a new one
    git("add", ".")
    assert len(since("HEAD", code=1, capsys=capsys)[0]) == 1


@pytest.mark.parametrize("text", ["t", "u"])
def test_a_file_moved_in_the_index_and_made_again(repository: None, text: str, capsys: Any) -> None:
    """One old finding matches one new finding: that of the restored file, not also that of the other."""
    git("mv", "a.sql", "b.sql")
    write("a.sql", TABLE.format(text))
    lines = since("HEAD", code=1, capsys=capsys)[0]
    assert lines == (["b.sql:1 SIS501"] if text == "t" else ["a.sql:1 SIS501", "b.sql:1 SIS501"])


def test_a_rule_that_is_chosen_since_finds_nothing_new(repository: None, capsys: Any) -> None:
    write(".iceberg-sql.toml", 'ignore = ["SIS501"]')
    git("add", ".")
    git("commit", "-qm", "two")
    write(".iceberg-sql.toml", "")
    assert since("HEAD", code=0, capsys=capsys)[0] == []


def test_settings_that_cannot_be_read_at_the_commit(repository: None, capsys: Any) -> None:
    write(".iceberg-sql.toml", "nonsense = 1")
    git("add", ".")
    git("commit", "-qm", "two")
    write(".iceberg-sql.toml", "")
    lines, output = since("HEAD", code=1, capsys=capsys)
    assert lines == ["a.sql:1 SIS501"]
    assert "all its findings are reported" in output


@pytest.mark.parametrize("ref", ["nope", "", "-x", "--all", "0" * 40, "HEAD~9", "HEAD:a.sql", "HEAD..HEAD"])
def test_a_commit_that_does_not_exist(ref: str, repository: None, capsys: Any) -> None:
    assert main(["check", f"--diff-from={ref}"]) == 2
    assert "unknown commit" in capsys.readouterr().err


def test_no_common_commit(repository: None, capsys: Any) -> None:
    git("checkout", "-q", "--orphan", "other")
    git("commit", "-qm", "other")
    assert "have no common commit" in since("main", code=2, capsys=capsys)[1]


def test_no_repository(capsys: Any) -> None:
    write("a.sql", WEEKS)
    assert main(["check", "--diff-from", "HEAD"]) == 2
    assert "git: " in capsys.readouterr().err


def test_no_git(repository: None, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("PATH", "")
    assert "git cannot be run" in since("HEAD", code=2, capsys=capsys)[1]


def test_a_commit_from_a_subfolder_and_in_a_hook(
    repository: None, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    write("sub/b.sql", TABLE.format("b"))
    git("add", ".")
    git("commit", "-qm", "two")
    monkeypatch.chdir("sub")
    monkeypatch.setenv("GIT_DIR", ".git")  # as a hook has it
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    assert since("HEAD", "..", code=0, capsys=capsys)[0] == []
    write("c.sql", TABLE.format("c"))
    assert since("HEAD", code=1, capsys=capsys)[0] == ["c.sql:1 SIS501"]
    assert since("HEAD~1", code=1, capsys=capsys)[0] == ["b.sql:1 SIS501", "c.sql:1 SIS501"]


def test_the_index_and_the_work_tree_stay_as_they_are(repository: None, capsys: Any) -> None:
    write("a.sql", TABLE.format("u"))
    git("add", ".")
    write("a.sql", TABLE.format("v"))
    before = subprocess.run(["git", "status", "--porcelain=v2"], capture_output=True, check=True).stdout
    since("HEAD", code=1, capsys=capsys)
    after = subprocess.run(["git", "status", "--porcelain=v2"], capture_output=True, check=True).stdout
    assert after == before
    assert Path("a.sql").read_text() == TABLE.format("v")


def test_names_that_git_would_quote(repository: None, capsys: Any) -> None:
    for name in ("ü b.sql", 'q"x.sql', "tab\tx.sql"):
        write(name, TABLE.format("t"))
    git("add", ".")
    git("commit", "-qm", "two")
    assert since("HEAD", code=0, capsys=capsys)[0] == []
    for name in ("ü b.sql", 'q"x.sql', "tab\tx.sql"):
        write(name, TABLE.format("u"))
    assert len(since("HEAD", code=1, capsys=capsys)[0]) == 3


# --- files that git ignores -----------------------------------------------------------------------


def files(*arguments: str, capsys: Any) -> list[str]:
    assert main(["check", "--show-files", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_search_leaves_out_what_git_ignores(repository: None, capsys: Any) -> None:
    write(".gitignore", "target/\n*.tmp.sql\n!keep.tmp.sql\n")
    write("sub/.gitignore", "/only.sql\n")
    for name in ("target/x.sql", "b.tmp.sql", "keep.tmp.sql", "sub/only.sql", "sub/x/only.sql"):
        write(name, WEEKS)
    expected = ["a.sql", "keep.tmp.sql", "sub/x/only.sql"]
    assert files(capsys=capsys) == expected
    assert files("sub", capsys=capsys) == ["sub/x/only.sql"]
    assert len(files("--no-respect-gitignore", capsys=capsys)) == 6
    write(".iceberg-sql.toml", "respect-gitignore = false")
    assert len(files(capsys=capsys)) == 6


def test_what_is_named_is_checked_even_if_git_ignores_it(repository: None, capsys: Any) -> None:
    write(".gitignore", "target/\n")
    write("target/compiled/x.sql", WEEKS)
    for name in ("target/compiled/x.sql", "target/compiled", "target", "target/**/*.sql"):
        assert files(name, capsys=capsys) == ["target/compiled/x.sql"], name


def test_a_tracked_file_is_checked_whatever_gitignore_says(repository: None, capsys: Any) -> None:
    write(".gitignore", "*\n")
    assert files(capsys=capsys) == ["a.sql"]


def test_nothing_to_check_is_said(repository: None, capsys: Any) -> None:
    write(".gitignore", "x.sql\n")
    write("sub/x.sql", WEEKS)
    assert main(["check", "sub"]) == 0
    captured = capsys.readouterr()
    assert "no SQL, Python or notebook files in `sub`" in captured.err
    assert "0 files" in captured.out


def test_without_git_nothing_is_ignored(repository: None, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    write(".gitignore", "b.sql\n")
    write("b.sql", WEEKS)
    monkeypatch.setenv("PATH", "")
    assert files(capsys=capsys) == ["a.sql", "b.sql"]


def test_a_repository_s_own_programs_are_not_run(repository: None, capsys: Any) -> None:
    git("config", "core.fsmonitor", f"touch {Path.cwd()}/ran; false")
    git("config", "diff.external", f"touch {Path.cwd()}/ran; false")
    files(capsys=capsys)
    since("HEAD", code=0, capsys=capsys)
    assert not Path("ran").exists()


def test_sql_of_functions_that_the_settings_name(capsys: Any) -> None:
    """It is SQL at the earlier commit, and where comments are added, as in any check."""
    write(".iceberg-sql.toml", 'callables = ["jobs.run_sql"]')
    write("a.py", f'import jobs\n\njobs.run_sql("{TABLE.format("t").strip()}")\n')
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "1")
    assert check(code=1, capsys=capsys)[0] == ["a.py:3 SIS501"]
    assert check("--diff-from", "HEAD", code=0, capsys=capsys)[0] == []
    assert main(["check", "--add-noqa"]) == 0
    assert "# noqa: SIS501" in Path("a.py").read_text()
