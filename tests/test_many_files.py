"""Many files: other processes and earlier results change nothing of what is found, said and returned."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_iceberg_sql.checker.digests import digest
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.checker.parallel import result_cache, workers
from spark_iceberg_sql.checker.parallel.report_packing import pack_reports, unpack_reports
from spark_iceberg_sql.checker.parallel.result_cache import user_folder
from spark_iceberg_sql.cli import main, progress
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import extract_source
from spark_iceberg_sql.rules.registry import ALL

pytestmark = pytest.mark.tier("quick")

EXAMPLES = [example.sql for rule in ALL for example in rule.examples]
Check = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPARK_ICEBERG_SQL_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for number, sql in enumerate(EXAMPLES[:60]):
        (tmp_path / f"q{number:02}.sql").write_text(sql)
    (tmp_path / "job.py").write_text('spark.sql("ALTER TABLE t ADD PARTITION FIELD weeks(a)")\n')
    cell = {"cell_type": "code", "source": "%%sql\nALTER TABLE t ADD PARTITION FIELD weeks(a)"}
    notebook = {"cells": [cell, cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "notes.ipynb").write_text(json.dumps(notebook))
    return tmp_path


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Check:
    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["check", *arguments])
        return (code, *capsys.readouterr())

    return run


@pytest.fixture
def nothing_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise AssertionError("this file was checked")

    monkeypatch.setattr(Linter, "lint", broken)


@pytest.mark.parametrize("name", ["a.sql", "a.py"])
def test_packed_reports_come_back_as_they_were(name: str) -> None:
    for sql in EXAMPLES:
        text = sql if name == "a.sql" else f'spark.sql("""{sql}""")\n'
        reports = Linter().lint(extract_source(name, text), Settings())
        back = unpack_reports(json.loads(json.dumps(pack_reports(reports, text))), name, text)
        assert back == reports
        assert [report.lines.count for report in back if report.lines] == [text.count("\n") + 1]


def test_cells_come_back_as_they_were(project: Path) -> None:
    text = (project / "notes.ipynb").read_text()
    reports = Linter().lint(extract_source("notes.ipynb", text), Settings())
    assert len(reports) == 2
    assert unpack_reports(json.loads(json.dumps(pack_reports(reports, text))), "notes.ipynb", text) == reports


@pytest.mark.parametrize("output", ["full", "concise", "json", "sarif"])
def test_in_processes_as_in_one(check: Check, project: Path, output: str) -> None:
    (project / "bad.ipynb").write_text("{")
    (project / "latin.sql").write_bytes(b"SELECT '\xe9'")
    arguments = ("--no-cache", "--output-format", output)
    alone = check("-j", "1", *arguments)
    assert alone[0] == 2
    assert "bad.ipynb" in alone[2]
    assert "latin.sql" in alone[2]
    assert check("-j", "3", *arguments) == alone
    assert check(*arguments) == alone


def test_no_thread_of_the_processes_outlives_the_check(check: Check) -> None:
    """One that Python wakes up while it ends may fail, and its traceback be shown."""
    before = set(threading.enumerate())
    check("--no-cache", "-j", "2", ".")
    assert set(threading.enumerate()) <= before


def test_fixes_are_the_same_in_processes(check: Check, project: Path) -> None:
    outcome = check("-j", "1", "--no-cache", "--diff", "--unsafe-fixes")
    assert outcome[1].count("+++") > 5
    assert check("-j", "2", "--no-cache", "--diff", "--unsafe-fixes") == outcome
    assert check("--diff", "--unsafe-fixes") == outcome
    assert check("--diff", "--unsafe-fixes") == outcome


@pytest.mark.tier("rest")  # five seconds
def test_processes_that_are_started_anew(check: Check, project: Path, tmp_path: Path) -> None:
    """As on macOS and Windows, where a process inherits nothing."""
    program = tmp_path / "program"
    program.write_text(
        "import multiprocessing, sys\n"
        "from spark_iceberg_sql.cli import main\n"
        "if __name__ == '__main__':\n"
        "    multiprocessing.set_start_method('spawn')\n"
        "    sys.exit(main(sys.argv[1:]))\n"
    )
    alone = check("-j", "1", "--no-cache", "--select", "SIS1")
    arguments = ["check", "-j", "2", "--no-cache", "--select", "SIS1"]
    done = subprocess.run([sys.executable, program, *arguments], capture_output=True, check=False)
    assert (done.returncode, done.stdout.decode(), done.stderr.decode()) == alone


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="a patch is not inherited")
def test_a_lost_process_is_no_clean_check(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_check_file", lambda name, text: os._exit(9))
    code, out, err = check("-j", "2", "--no-cache")
    assert code == 2
    assert err.startswith("error: a worker process died")
    assert "No problems" not in out


@pytest.mark.parametrize("jobs", ["-1", "two", "1.5", "", "1001", "9" * 30])
def test_a_number_of_processes(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["check", f"--jobs={jobs}"])
    assert stopped.value.code == 2
    assert "number of processes" in capsys.readouterr().err


# --- results of earlier runs ----------------------------------------------------------------------


def test_nothing_is_checked_twice(check: Check, project: Path, request: pytest.FixtureRequest) -> None:
    before = check("--no-cache")
    assert not user_folder().exists()
    assert check() == before
    assert (user_folder() / ".gitignore").read_text() == "*\n"
    request.getfixturevalue("nothing_is_checked")
    assert check() == before
    code, _, err = check("--no-cache")
    assert code == 2
    assert "this file was checked" in err


def changed_file(project: Path) -> tuple[str, ...]:
    (project / "q00.sql").write_text("ALTER TABLE t ADD PARTITION FIELD weeks(b)")
    return ()


def changed_settings(project: Path) -> tuple[str, ...]:
    (project / ".iceberg-sql.toml").write_text('ignore = ["SIS1"]')
    return ()


def changed_option(project: Path) -> tuple[str, ...]:
    return ("--select", "SIS2")


def changed_ddl(project: Path) -> tuple[str, ...]:
    (project / "tables").mkdir(exist_ok=True)
    (project / "tables" / "t.sql").write_text("CREATE TABLE t (a DATE, b INT) USING iceberg")
    return ("--ddl", "tables/*.sql")


def changed_name(project: Path) -> tuple[str, ...]:
    (project / "q00.sql").rename(project / "q00.py")
    return ()


@pytest.mark.parametrize("change", [changed_file, changed_settings, changed_option, changed_ddl, changed_name])
def test_whatever_a_result_follows_from(check: Check, project: Path, change: Callable[[Path], tuple[str, ...]]) -> None:
    before = check()
    arguments = change(project)
    after = check(*arguments)
    assert after == check("--no-cache", *arguments)
    assert after != before


def test_the_text_of_a_ddl_file(check: Check, project: Path) -> None:
    arguments = changed_ddl(project)
    before = check(*arguments)
    (project / "tables" / "t.sql").write_text("CREATE TABLE t (c DATE) USING iceberg")
    assert check(*arguments) == check("--no-cache", *arguments) != before


def test_a_migration_before(check: Check, project: Path) -> None:
    folder = project / "sql"
    folder.mkdir()
    (folder / "V1__a.sql").write_text("CREATE TABLE m (a DATE) USING iceberg")
    (folder / "V2__b.sql").write_text("ALTER TABLE m ADD COLUMN b INT")
    (folder / "V3__c.sql").write_text("ALTER TABLE m ADD PARTITION FIELD bucket(4, b)")
    before = check()
    (folder / "V2__b.sql").write_text("ALTER TABLE m ADD COLUMN c INT")
    assert check() == check("--no-cache") != before
    assert "has no column `b`" in check()[1]


def migrations_beside(folder: Path) -> None:
    """Two migrations of the same version: what the other one changes counts as well."""
    (folder / "V1__a.sql").write_text("CREATE TABLE m (a DATE) USING iceberg")
    (folder / "V2__b.sql").write_text("CREATE TABLE n (a DATE) USING iceberg")
    (folder / "V2_0__c.sql").write_text("ALTER TABLE m ADD PARTITION FIELD bucket(4, c)")


def dbt_project(folder: Path) -> None:
    (folder / "dbt_project.yml").write_text("name: p\nmodels:\n  +file_format: iceberg\n  +materialized: table\n")
    (folder / "models").mkdir()
    (folder / "models" / "m.sql").write_text("{{ config(partition_by=['weeks(a)']) }}\nSELECT a FROM t\n")


def sqlmesh_project(folder: Path) -> None:
    model = "MODEL (name db.t, kind FULL, partitioned_by weeks(a));\nSELECT a FROM t\n"
    (folder / "m.sql").write_text(model)
    (folder / "config.yaml").write_text("model_defaults:\n  dialect: trino\n")


def listed_scripts(folder: Path) -> None:
    (folder / ".iceberg-sql.toml").write_text('scripts = ["*.sql"]\ndefault-namespace = "x"\n')
    (folder / "1.sql").write_text("CREATE TABLE m (a DATE) USING iceberg")
    (folder / "3.sql").write_text("ALTER TABLE m ADD PARTITION FIELD bucket(4, b)")


def a_program(folder: Path) -> None:
    (folder / "j.py").write_text('import own\nown.run("ALTER TABLE t ADD PARTITION FIELD weeks(a)")\n')


def a_metadata_file(folder: Path) -> None:
    (folder / ".iceberg-sql.toml").write_text('metadata = {t = "t.metadata.json"}\n')
    (folder / "t.metadata.json").write_text(METADATA)
    (folder / "j.sql").write_text("ALTER TABLE t ADD PARTITION FIELD bucket(4, a)")


METADATA = json.dumps(
    {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "/t",
        "last-column-id": 1,
        "current-schema-id": 0,
        "schemas": [
            {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "a", "required": False, "type": "int"}]}
        ],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "last-partition-id": 999,
    }
)


@pytest.mark.tier("rest")  # five seconds
@pytest.mark.parametrize(
    ("project_builder", "name", "text"),
    [
        (migrations_beside, "V2__b.sql", "ALTER TABLE m ADD COLUMN c INT"),
        (migrations_beside, "V2__d.sql", "ALTER TABLE m DROP COLUMN a"),
        (migrations_beside, "V1__a.sql", "CREATE TABLE m (a DATE, c INT) USING iceberg"),
        (dbt_project, "dbt_project.yml", "name: p\nmodels:\n  +file_format: parquet\n"),
        (dbt_project, "models/s.yml", "models: [{name: m, config: {materialized: view}}]\n"),
        (dbt_project, "profiles.yml", "p: {outputs: {dev: {type: snowflake}}}\n"),
        (sqlmesh_project, "config.yaml", "model_defaults: {dialect: spark, table_format: iceberg}"),
        (listed_scripts, "2.sql", "ALTER TABLE m ADD COLUMN b INT"),
        (listed_scripts, ".iceberg-sql.toml", ""),
        (a_program, ".iceberg-sql.toml", 'callables = ["own.run"]'),
        (a_program, ".iceberg-sql.toml", 'per-file-ignores = {"job.py" = ["ALL"]}'),
        (a_metadata_file, "t.metadata.json", METADATA.replace('"int"', '"boolean"')),
        (a_metadata_file, ".iceberg-sql.toml", ""),
    ],
)
def test_whatever_other_files_say(
    check: Check, project: Path, project_builder: Callable[[Path], None], name: str, text: str
) -> None:
    """Here and in a folder: a result without the other file does not count with it, nor the reverse."""
    project_builder(project)
    before = check()
    assert before == check("--no-cache")
    path = project / name
    old = path.read_text() if path.exists() else None
    path.write_text(text)
    after = check()
    assert after == check("--no-cache")
    assert after != before
    if old is None:
        path.unlink()
    else:
        path.write_text(old)
    assert check() == before
    path.write_text(text)
    assert check() == after


def test_a_model_of_a_project_that_comes_later(check: Check, project: Path) -> None:
    (project / "models").mkdir()
    (project / "models" / "m.sql").write_text(
        "{{ config(partition_by=['weeks(a)'], file_format='iceberg', materialized='table') }}\nSELECT a FROM t\n"
    )
    before = check()
    (project / "dbt_project.yml").write_text("name: p\n")
    after = check()
    assert after == check("--no-cache")
    assert after != before


def test_the_same_text_elsewhere(check: Check, project: Path) -> None:
    """A file moves into a series of migrations, and out of it."""
    folder = project / "sql"
    folder.mkdir()
    (folder / "V1__a.sql").write_text("CREATE TABLE m (a DATE) USING iceberg")
    (project / "V2__b.sql").write_text("ALTER TABLE m ADD PARTITION FIELD bucket(4, b)")
    before = check()
    (project / "V2__b.sql").rename(folder / "V2__b.sql")
    after = check()
    assert after == check("--no-cache") != before
    assert "has no column `b`" in after[1]


def test_the_order_of_a_ddl_file_that_is_a_migration(check: Check, project: Path) -> None:
    folder = project / "sql"
    folder.mkdir()
    (folder / "V1__a.sql").write_text("CREATE TABLE m (a DATE) USING iceberg")
    arguments = ("--ddl", "sql/V1__a.sql")
    before = check(*arguments)
    (folder / "V1_0__b.sql").write_text("CREATE TABLE n (a DATE) USING iceberg")
    assert check(*arguments) == check("--no-cache", *arguments) != before


@pytest.mark.tier("rest")  # five seconds
def test_old_findings_are_told_anew(check: Check, project: Path) -> None:
    """What a baseline or a commit hides is not part of a cached result."""
    everything = check()
    check("--baseline", "b.json", "--write-baseline")
    hidden = check("--baseline", "b.json")
    assert hidden == check("--baseline", "b.json", "--no-cache") != everything
    assert check() == everything
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "q0*.sql", "q0*.sql"], check=True)
    subprocess.run([*git, "commit", "-qm", "a"], check=True)
    assert check("--diff-from", "HEAD") == check("--diff-from", "HEAD", "--no-cache") != everything
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "b"], check=True)
    assert check("--diff-from", "HEAD") == check("--diff-from", "HEAD", "--no-cache")
    assert check() == everything


def test_fixes_of_files_with_earlier_results(check: Check, project: Path) -> None:
    check()
    folder = project / "copy"
    folder.mkdir()
    for path in project.glob("*.sql"):
        (folder / path.name).write_bytes(path.read_bytes())
    copy_outcome = check("copy", "--fix", "--no-cache")
    assert check(*sorted(path.name for path in project.glob("*.sql")), "--fix")[0] == copy_outcome[0]
    assert [path.read_bytes() for path in sorted(project.glob("*.sql"))] == [
        path.read_bytes() for path in sorted(folder.glob("*.sql"))
    ]


def test_standard_input_is_not_kept(check: Check, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("weeks", "days"):
        text = f"ALTER TABLE t ADD PARTITION FIELD {word}(a)".encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
        outcome = check("-", "--cache-dir", "kept")
        assert ("`weeks`" in outcome[1]) == (word == "weeks")
    assert not (project / "kept").exists()


def test_rules_of_other_packages_are_always_asked(check: Check, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such rules may depend on anything: another file, a server, the time."""
    before = check()
    monkeypatch.setattr("spark_iceberg_sql.cli.parallel_check.ALL", (*ALL, ALL[0]))
    kept = [path.read_bytes() for path in user_folder().iterdir()]
    monkeypatch.setattr(Linter, "lint", lambda *arguments: [])
    assert check() != before
    assert [path.read_bytes() for path in user_folder().iterdir()] == kept


def test_other_rules(check: Check, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    check()
    monkeypatch.setattr(result_cache, "_source_files", lambda: iter(["another version"]))
    request.getfixturevalue("nothing_is_checked")
    assert check()[0] == 2


def test_results_are_found_on_another_day(
    check: Check, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    before = check()
    now = time.time()
    request.getfixturevalue("nothing_is_checked")
    for days in (1, 2):
        monkeypatch.setattr(result_cache.time, "time", lambda days=days: now + days * 86400)
        assert check() == before


@pytest.mark.parametrize("how", ["cut", "noise", "empty", "another", "shape"])
def test_a_damaged_cache(check: Check, project: Path, how: str) -> None:
    before = check()
    (path,) = user_folder().glob("results-*.json")
    raw = path.read_bytes()
    body = json.dumps({key: [0, [1]] for key in json.loads(raw.partition(b"\n")[2])}).encode()
    damaged = {
        "cut": raw[: len(raw) // 2],
        "noise": bytes(255 - byte for byte in raw),
        "empty": b"",
        "another": raw.replace(b"SIS", b"SIX"),
        "shape": digest(body).encode() + b"\n" + body,
    }
    path.write_bytes(damaged[how])
    assert check() == before


def test_a_cache_that_cannot_be_written(check: Check, project: Path) -> None:
    before = check("--no-cache")
    (project / "file").write_text("")
    assert check("--cache-dir", "file") == before
    assert check("--cache-dir", "file/inside") == before


def test_runs_at_the_same_time(check: Check, project: Path) -> None:
    command = [sys.executable, "-m", "spark_iceberg_sql", "check", "-j", "1", "--cache-dir", "kept"]
    before = check("--no-cache")
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in "123"]
    for run in runs:
        out, err = run.communicate()
        assert (run.returncode, out.decode(), err.decode()) == before
    assert check("--cache-dir", "kept") == before
    assert len(list((project / "kept").iterdir())) == 2


def test_an_internal_error_is_not_kept(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("spark_iceberg_sql.syntax.parser.parse", lambda statement: 1 / 0)
        assert check("-j", "1")[0] == 2
    assert check("-j", "1") == check("--no-cache", "-j", "1")


# --- progress -------------------------------------------------------------------------------------


def test_progress_is_for_terminals(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    monkeypatch.setattr(progress, "_INTERVAL", 0.0)
    assert check("--no-cache")[2] == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    stderr = check("--no-cache")[2]
    assert "Checked 5 of 62 files\r" in stderr
    assert stderr.endswith(" \r")
