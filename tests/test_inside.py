"""What a repository names, by a glob, a link or a path, is read and written inside of it only.

Each test is a real folder, and the real command.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.tier("quick")  # many processes or many trials: `make fast` leaves them out

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

    def run(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        script = Path(sys.executable).with_name("iceberg-sql")
        return subprocess.run(
            ["sh", "-c", 'ulimit -v 2000000; exec "$0" "$@"', script, *arguments],
            cwd=clone,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), **extra},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )

    return run


def assert_one_error(done: subprocess.CompletedProcess[str], *phrases: str) -> None:
    assert done.returncode == 2, done.stdout + done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("error: "), done.stderr
    assert "internal error" not in done.stderr
    for word in phrases:
        assert word in done.stderr


# --- processes ------------------------------------------------------------------------------------


def in_processes(clone: Path, how: str, path: str) -> subprocess.CompletedProcess[str]:
    """The command with two processes of its own, which are started in a certain way."""
    program = (
        f"import sys; del sys.path[0]; import multiprocessing as m; m.set_start_method({how!r});"
        "from spark_iceberg_sql.cli import entry; entry()"
    )
    return subprocess.run(
        [sys.executable, "-c", program, "check", "-j", "2", "--no-cache", path],
        cwd=clone,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


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
    done = in_processes(clone, how, ".")
    assert not ran.exists()
    assert done.stderr == ""
    assert done.stdout.count("SIS101") == 41


@pytest.mark.parametrize("how", ["fork", "spawn", "forkserver"])
def test_other_processes_read_the_files_beside_a_file(clone: Path, how: str) -> None:
    """A migration's earlier versions are named relative to the working directory."""
    folder = clone / "db" / "migration"
    folder.mkdir(parents=True)
    (folder / "V1__table.sql").write_text("CREATE TABLE db.t (ts TIMESTAMP) USING iceberg;\n")
    change = "ALTER TABLE db.t ADD PARTITION FIELD bucket(4, id{});\n" + "-- a portion\n" * 5_000
    for number in range(2, 10):
        (folder / f"V{number}__change.sql").write_text(change.format(number))
    done = in_processes(clone, how, "db")
    assert done.stderr == ""
    assert done.stdout.count("error[SIS201]") == 8, done.stdout


# --- globs of settings ----------------------------------------------------------------------------


@pytest.mark.tier("rest")  # a process for each
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
def test_globs_of_settings_stay_inside(clone: Path, outside: Path, run: Check, key: str, glob: str) -> None:
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


def test_globs_of_the_command_line_may_lead_anywhere(clone: Path, outside: Path, run: Check) -> None:
    (outside / "t.sql").write_text("CREATE TABLE db.u (ts TIMESTAMP) USING iceberg;\n")
    (clone / "link").symlink_to(outside)
    (clone / "a.sql").write_text("ALTER TABLE db.u ADD PARTITION FIELD days(tss);\n")
    for glob in ("lin*/*.sql", "../out*/*.sql"):
        done = run("check", "a.sql", "--ddl", glob)
        assert (done.returncode, "SIS201" in done.stdout) == (1, True), done.stderr


# --- writing --------------------------------------------------------------------------------------

FIXABLE = "CREATE TABLE db.t (ts TIMESTAMP) USING iceberg PARTITIONED BY (dayss(ts));\n"


@pytest.fixture(params=["plain", "git", "settings"])
def linked(clone: Path, outside: Path, request: pytest.FixtureRequest) -> Path:
    """A file outside, with links to it, and to its folder, which looks like a repository itself."""
    if request.param == "git":
        (clone / ".git").mkdir()
    if request.param == "settings":
        (clone / ".iceberg-sql.toml").touch()
    (outside / ".git").mkdir()
    target = outside / "t.sql"
    target.write_text(FIXABLE)
    (clone / "l.sql").symlink_to(target)
    (clone / "d").symlink_to(outside)
    (clone / "out.sarif").symlink_to(outside / "new")
    (clone / "base.json").symlink_to(outside / "new")
    return target


@pytest.mark.tier("rest")  # a process for each
@pytest.mark.parametrize(
    "arguments",
    [
        ["--fix", "--unsafe-fixes", "l.sql"],
        ["--fix", "--unsafe-fixes", "d"],
        ["--fix", "--unsafe-fixes", "d/t.sql"],
        ["--fix", "--unsafe-fixes", "*.sql"],
        ["--fix", "--unsafe-fixes", "d/*.sql"],
        ["--fix", "--unsafe-fixes", "."],
        ["--add-noqa", "l.sql"],
        ["-o", "out.sarif", "a.sql"],
        ["-o", "d/new", "a.sql"],
        ["--baseline", "base.json", "--write-baseline", "a.sql"],
    ],
    ids=" ".join,
)
def test_nothing_is_written_through_a_link_of_a_repository(
    linked: Path, outside: Path, run: Check, arguments: list[str]
) -> None:
    done = run("check", *arguments)
    assert linked.read_text() == FIXABLE
    assert sorted(path.name for path in outside.iterdir()) == [".git", "t.sql"]
    assert_one_error(done, "cannot write `", "points outside")


def test_what_the_user_names_is_written(clone: Path, linked: Path, outside: Path, run: Check, tmp_path: Path) -> None:
    """Files inside, by links too; files outside by their own names; links that are in no repository."""
    (clone / "in.sql").write_text(FIXABLE)
    (clone / "also.sql").symlink_to("in.sql")
    (tmp_path / "of_user").symlink_to(outside)
    done = run("check", "--fix", "--unsafe-fixes", "also.sql", "../of_user/t.sql")
    assert done.stderr == ""
    assert "dayss" not in (clone / "in.sql").read_text() + linked.read_text()
    assert (clone / "also.sql").is_symlink()
    run("check", "-o", "../of_user/report", "a.sql")
    assert "SIS101" in (outside / "report").read_text()


# --- changelogs of Liquibase ----------------------------------------------------------------------

INCLUDE = "  - include:\n      file: db/1.sql\n"


@pytest.mark.tier("rest")  # a process for each
@pytest.mark.parametrize(
    "entry",
    [
        "include:\n      file: ../outside/lq.sql",
        "include:\n      file: ../../outside/lq.sql\n      relativeToChangelogFile: true",
        "include:\n      file: db/linked.sql",
        "include:\n      file: db/zero.sql",
        "include:\n      file: db/pipe.sql",
        "include:\n      file: db/zero.yaml",
        "includeAll:\n      path: ../outside",
        "includeAll:\n      path: linked",
        "includeAll:\n      path: ../../../../../../../",
        "include:\n      file: a\0b",
    ],
)
@pytest.mark.parametrize("changelog_path", ["changelog.yaml", "db/changelog.yaml"])
def test_changelogs_include_nothing_outside(
    clone: Path, outside: Path, run: Check, changelog_path: str, entry: str
) -> None:
    (outside / "lq.sql").write_text("CREATE TABLE db.u (secret INT) USING iceberg;\n")
    (clone / "db").mkdir()
    (clone / "db" / "1.sql").write_text(
        "--liquibase formatted sql\nALTER TABLE db.u ADD PARTITION FIELD days(tss);\n" + WRONG
    )
    for name in ("zero.sql", "zero.yaml"):
        (clone / "db" / name).symlink_to("/dev/zero")
    (clone / "db" / "linked.sql").symlink_to(outside / "lq.sql")
    (clone / "linked").symlink_to(outside)
    os.mkfifo(clone / "db" / "pipe.sql")
    (clone / changelog_path).write_text(f"databaseChangeLog:\n  - {entry}\n{INCLUDE}")
    done = run("check", "db/1.sql")
    assert (done.returncode, done.stderr) == (1, "")
    assert "SIS101" in done.stdout
    assert "SIS201" not in done.stdout


def test_a_changelog_is_a_file(clone: Path, run: Check) -> None:
    (clone / "1.sql").write_text("--liquibase formatted sql\n" + WRONG)
    (clone / "changelog.yaml").symlink_to("/dev/zero")
    os.mkfifo(clone / "changelog2.xml")
    (clone / "changelog3.json").write_text("[" * 200_000)
    done = run("check", "1.sql")
    assert (done.returncode, done.stderr) == (1, "")


def test_changelogs_include_what_is_inside(clone: Path, run: Check) -> None:
    (clone / "db").mkdir()
    (clone / "more").mkdir()
    (clone / "more" / "0.sql").write_text("CREATE TABLE db.u (here INT) USING iceberg;\n")
    (clone / "db" / "0.sql").symlink_to("../more/0.sql")
    (clone / "db" / "1.sql").write_text("--liquibase formatted sql\nALTER TABLE db.u ADD PARTITION FIELD days(tss);\n")
    (clone / "changelog.yaml").write_text(f"databaseChangeLog:\n  - include:\n      file: db/0.sql\n{INCLUDE}")
    done = run("check", "db/1.sql")
    assert (done.returncode, "SIS201" in done.stdout) == (1, True)


# --- dbt ------------------------------------------------------------------------------------------

MODEL = """{{ config(materialized='table', file_format='iceberg', partition_by=['weeks(ts)']) }}
select * from {{ ref('s') }}
"""
SECRET = """version: 2
models:
  - name: m
    config: {materialized: table, file_format: iceberg, partition_by: [days(secret)]}
"""


@pytest.fixture
def project(clone: Path, outside: Path) -> Path:
    """A project of dbt, and the parts of one outside."""
    (clone / "dbt_project.yml").write_text("name: shop\nprofile: shop\n")
    for folder in (clone / "models", clone / "seeds", clone / "target", outside / "dbt"):
        folder.mkdir()
    (clone / "models" / "m.sql").write_text(MODEL)
    (clone / "models" / "n.sql").write_text("select partition_by from x")
    (outside / "dbt" / "z.yml").write_text(SECRET)
    return clone


@pytest.mark.tier("rest")  # eight seconds
@pytest.mark.parametrize(
    "setting",
    [
        'model-paths: ["models", "../outside/dbt"]',
        'model-paths: ["models", "linked"]',
        'model-paths: ["models", "/"]',
        'model-paths: ["models", "a\\0b"]',
        'macro-paths: ["/"]',
        'macro-paths: ["a\\0b"]',
        'seed-paths: ["/proc", "/sys", "/usr"]',
        "target-path: ../outside/dbt",
        "target-path: /dev",
        'target-path: "a\\0b"',
    ],
)
def test_projects_of_dbt_stay_inside(project: Path, outside: Path, run: Check, setting: str) -> None:
    from time import monotonic

    (project / "linked").symlink_to(outside / "dbt")
    (outside / "dbt" / "manifest.json").symlink_to("/dev/zero")
    with (project / "dbt_project.yml").open("a") as file:
        file.write(f"{setting}\n")
    start = monotonic()
    done = run("check", ".")
    assert (done.returncode, done.stderr) == (1, ""), done.stdout
    assert "weeks" in done.stdout
    assert monotonic() - start < 8
    listed_files = run("check", "--show-files", ".").stdout.split()
    assert all("outside" not in name for name in listed_files)


@pytest.mark.tier("rest")  # a process for each
@pytest.mark.parametrize(
    "name", ["models/z.yml", "profiles.yml", "target/catalog.json", "target/manifest.json", "seeds/s.csv"]
)
@pytest.mark.parametrize("kind", ["device", "pipe", "link", "deep"])
def test_files_of_dbt_are_files(project: Path, outside: Path, run: Check, name: str, kind: str) -> None:
    path = project / name
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(outside / "dbt" / "z.yml")
    else:
        path.write_text("[" * 200_000)
    if path.is_file():
        os.utime(path, (4e9, 4e9))
    done = run("check", "models/m.sql")
    assert (done.returncode, done.stderr) == (1, ""), done.stdout
    assert "weeks" in done.stdout


def test_a_project_of_dbt_reads_nothing_outside(project: Path, outside: Path) -> None:
    from spark_iceberg_sql.files.projects.dbt_project import Project

    manifest = {"metadata": {"adapter_type": "spark", "project_name": "shop"}, "nodes": {}}
    (outside / "dbt" / "manifest.json").write_text(json.dumps(manifest))
    (outside / "dbt" / "macro.sql").touch()
    (project / ".git").mkdir()
    (project / "models" / "link.yml").symlink_to(outside / "dbt" / "z.yml")
    with (project / "dbt_project.yml").open("a") as file:
        file.write("model-paths: [models, ../outside/dbt]\nmacro-paths: [../outside/dbt]\n")
        file.write("target-path: ../outside/dbt\n")
    read = Project(project)
    assert read.paths["models"] == (project / "models",)
    assert read.text(project / "models" / "link.yml") == ""
    assert [path for path in read.read_for_all if path.name == "macro.sql"] == []
    assert read.manifest is None


# --- sizes and depths -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(bytes(300 << 20), 1), "it inflates to more than 256 MB"),
        (b"\x1f\x8b" + bytes(100), "cannot read the metadata file"),
        (gzip.compress(b"{}" * 1000)[:10] + b"\xff" * 50, "is not a metadata file"),
        (gzip.compress(b"{}" * 1000)[:-12], "is not a metadata file"),
        (b"[" * 200_000, "it is nested too deeply"),
        (b'{"a":' * 200_000, "it is nested too deeply"),
    ],
    ids=["bomb", "header", "corrupt", "cut", "lists", "objects"],
)
def test_metadata_files_have_limits(clone: Path, run: Check, content: bytes, message: str) -> None:
    (clone / "m.json").write_bytes(content)
    (clone / ".iceberg-sql.toml").write_text('metadata = { "db.t" = "m.json" }\n')
    assert_one_error(run("check", "a.sql"), message, "m.json`")


@pytest.mark.tier("rest")  # seven seconds
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("ddl = " + "[" * 2000 + "]" * 2000, "cannot be read: its values are nested too deeply"),
        ("severity.SIS501" + ".a" * 90 + " = 1", "`severity` in `"),
        ("a" + ".a" * 40_000 + " = 1", "cannot be read: a key in it has more than 100 dots"),
        ("['a'" + " . a" * 20_000 + "]", "cannot be read: a key in it has more than 100 dots"),
        ("scripts = [" + "'**/x*.sql'," * 5000 + "]", "`scripts` in `"),
        ("ddl = [" + "'**/x*.sql'," * 5000 + "]", "`ddl` in `"),
        ("placeholders = [" + "'x(a|b)*y'," * 7000 + "]", "`placeholders` in `"),
        (f"placeholders = ['{'(' * 5000}a{')' * 5000}']", "`placeholders` in `"),
        (r'ddl = ["a\u0000b.sql"]', "cannot contain a NUL character"),
        (r'ddl = ["a\u0000b/*.sql"]', "cannot contain a NUL character"),
        (r'scripts = ["*/a\u0000b.sql"]', "cannot contain a NUL character"),
        (r'metadata = { "db.t" = "a\u0000b" }', "cannot contain a NUL character"),
        (r'dbt-manifest = "a\u0000b"', "cannot contain a NUL character"),
        (f'ddl = ["{"a" * 5000}.sql"]', "no such file"),
    ],
    ids=lambda text: text[:24],
)
def test_settings_have_limits(clone: Path, run: Check, settings: str, message: str) -> None:
    (clone / ".iceberg-sql.toml").write_text(f"{settings}\n")
    assert_one_error(run("check", "a.sql"), message)
