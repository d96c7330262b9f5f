"""What a repository names, by a glob, a link or a path, is read and written inside of it only.

Each test is a real folder, and the real command.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

WRONG = "CREATE TABLE db.t (ts TIMESTAMP) USING iceberg PARTITIONED BY (weeks(ts));\n"

Check = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A stranger's working directory."""
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "a.sql").write_text(WRONG)
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the clone."""
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.fixture
def run(clone: Path, tmp_path: Path) -> Check:
    """The command, in the clone, with little memory and little time."""

    def run(*words: str, **extra: str) -> subprocess.CompletedProcess[str]:
        script = Path(sys.executable).with_name("iceberg-sql")
        return subprocess.run(
            ["sh", "-c", 'ulimit -v 2000000; exec "$0" "$@"', script, *words],
            cwd=clone,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), **extra},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )

    return run


def assert_one_error(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2, done.stdout + done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("error: "), done.stderr
    assert "internal error" not in done.stderr
    for word in words:
        assert word in done.stderr


# --- processes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["spawn", "forkserver"])
@pytest.mark.parametrize("module", ["multiprocessing", "signal"])
def test_other_processes_import_nothing_from_the_working_directory(
    clone: Path, tmp_path: Path, how: str, module: str
) -> None:
    """As on macOS and Windows, and, from Python 3.14 on, on Linux."""
    for number in range(40):
        (clone / f"q{number:02}.sql").write_text(WRONG)
    ran = tmp_path / "ran"
    (clone / f"{module}.py").write_text(f"open({str(ran)!r}, 'w').write('x')\n")
    program = (
        f"import sys; del sys.path[0]; import multiprocessing as m; m.set_start_method({how!r});"
        "from spark_iceberg_sql.cli import entry; entry()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "check", "-j", "2", "--no-cache", "."],
        cwd=clone,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert not ran.exists()
    assert done.stderr == ""
    assert done.stdout.count("SIS101") == 41


# --- globs of settings ----------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["ddl", "scripts"])
@pytest.mark.parametrize(
    "glob",
    [
        "su*/../../outside/*.sql",
        "lin*/*.sql",
        "lin*/**/*.sql",
        "lin*/**/*/**/*.sql",
        "x*.sql",
        "x1.sql",
        "lin*",
        "link",
        "roo*/**/*.sql",
        "roo*/*/*/*/*.sql",
        "zero*.sql",
        "pipe*.sql",
        "pipe1.sql",
        "/**/*.sql",
        "/[et]*/**/*.sql",
        "../[ot][u3]*/*.sql",
    ],
)
def test_globs_of_settings_stay_inside(
    clone: Path, outside: Path, run: Check, key: str, glob: str
) -> None:
    (outside / "secret.sql").write_text("CREATE TABLE db.secret (a INT) USING iceberg;\n")
    (clone / "sub").mkdir()
    for name, target in {
        "link": outside,
        "x1.sql": outside / "secret.sql",
        "root": Path("/"),
        "zero1.sql": Path("/dev/zero"),
    }.items():
        (clone / name).symlink_to(target)
    os.mkfifo(clone / "pipe1.sql")
    (clone / ".iceberg-sql.toml").write_text(f"{key} = ['{glob}']\n")
    assert_one_error(run("check", "a.sql"), f"`{key}` in `", "names `")


@pytest.mark.parametrize("key", ["ddl", "scripts"])
def test_globs_of_settings_may_lead_through_links_inside(clone: Path, run: Check, key: str) -> None:
    (clone / "schema").mkdir()
    (clone / "schema" / "1.sql").write_text("CREATE TABLE db.u (ts TIMESTAMP) USING iceberg;\n")
    (clone / "link").symlink_to("schema")
    (clone / ".iceberg-sql.toml").write_text(f"{key} = ['lin*/*.sql', 's*/../sch*/*.sql']\n")
    done = run("check", "a.sql")
    assert (done.returncode, done.stderr) == (1, "")


def test_globs_of_the_command_line_may_lead_anywhere(
    clone: Path, outside: Path, run: Check
) -> None:
    (outside / "t.sql").write_text("CREATE TABLE db.u (ts TIMESTAMP) USING iceberg;\n")
    (clone / "link").symlink_to(outside)
    (clone / "a.sql").write_text("ALTER TABLE db.u ADD PARTITION FIELD days(tss);\n")
    for glob in ("lin*/*.sql", "../out*/*.sql"):
        done = run("check", "a.sql", "--ddl", glob)
        assert (done.returncode, "SIS201" in done.stdout) == (1, True), done.stderr
