"""Clones of strangers: whatever their files say, no command runs, no finding is hidden, nothing outside is read.

Each test is a real clone, archive or folder, and the real command, server or step.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pytest
import yaml
from test_lsp import Editor

from spark_iceberg_sql.checker.digests import digest
from spark_iceberg_sql.editor.jupyter import spec
from spark_iceberg_sql.model.metadata import catalogs

pytestmark = pytest.mark.tier("quick")  # many processes or many trials: `make fast` leaves them out

ROOT = Path(__file__).parent.parent
WRONG = "CREATE TABLE db.t (ts TIMESTAMP) USING iceberg PARTITIONED BY (weeks(ts));\n"

UNKNOWN = "ALTER TABLE prod.db.t ADD PARTITION FIELD weeks(ts);\n"

Check = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A stranger's working directory."""
    folder = tmp_path / "clone"
    folder.mkdir()
    return folder


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """The file that a stranger's command writes, if it runs."""
    return tmp_path / "ran"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The user's: a home without settings, and its own cache."""
    home = tmp_path / "home"
    home.mkdir()
    return {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(tmp_path / "cache"), "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture
def run(clone: Path, environment: dict[str, str]) -> Check:
    def run(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        script = Path(sys.executable).with_name("iceberg-sql")
        return subprocess.run(
            [script, *arguments],
            cwd=clone,
            env={**environment, **extra},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return run


# --- catalogs -------------------------------------------------------------------------------------


def hostile_catalog(clone: Path, ran: Path) -> None:
    (clone / "a.sql").write_text("ALTER TABLE prod.db.t ADD PARTITION FIELD weeks(ts);\n")
    (clone / ".pyiceberg.yaml").write_text(
        "catalog:\n  prod:\n    type: rest\n    uri: http://127.0.0.1:9\n    auth:\n"
        "      type: custom\n      impl: subprocess.Popen\n      custom:\n"
        f'        args: "id > {ran}"\n        shell: "True"\n'
    )


@pytest.mark.parametrize("command", [["check"], ["plan"], ["config"], ["from-hive"]], ids=lambda words: words[0])
def test_settings_open_no_catalog(clone: Path, ran: Path, run: Check, command: list[str]) -> None:
    hostile_catalog(clone, ran)
    (clone / ".iceberg-sql.toml").write_text('catalog = "prod"\n')
    done = run(*command, "a.sql")
    assert not ran.exists()
    assert "Traceback" not in done.stderr
    if command == ["check"]:
        assert "SIS101" in done.stdout
        assert "add --catalog prod, or set ICEBERG_SQL_CATALOGS=prod" in done.stderr


@pytest.mark.parametrize("how", ["option", "environment"])
def test_pyiceberg_reads_nothing_from_the_working_directory(clone: Path, ran: Path, run: Check, how: str) -> None:
    hostile_catalog(clone, ran)
    if how == "option":
        done = run("check", "a.sql", "--catalog", "prod")
    else:
        (clone / ".iceberg-sql.toml").write_text('catalog = "prod"\n')
        done = run("check", "a.sql", ICEBERG_SQL_CATALOGS="dev, prod")
    assert not ran.exists()
    assert done.returncode == 2
    assert done.stderr.startswith("error: `.pyiceberg.yaml` in the working directory is not read")
    assert len(done.stderr.splitlines()) == 1


def test_an_editor_opens_no_catalog(
    clone: Path, ran: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile_catalog(clone, ran)
    (clone / ".iceberg-sql.toml").write_text('catalog = "prod"\n')
    monkeypatch.setenv("HOME", environment["HOME"])

    async def session() -> tuple[list[str], list[str]]:
        async with Editor(clone) as editor:
            diagnostics = await editor.open((clone / "a.sql").read_text())
            return [str(d.code) for d in diagnostics], editor.messages

    codes, messages = asyncio.run(session())
    assert not ran.exists()
    assert "SIS101" in codes
    assert "a repository may not open catalogs" in messages[0]


# --- modules in the working directory -------------------------------------------------------------


@pytest.fixture
def modules(clone: Path, ran: Path) -> Path:
    """A clone whose files Python would import, were the working directory on its path."""
    attack = f"open({str(ran)!r}, 'w').write('x')\n"
    for name in ("pygls", "lsprotocol", "sqlparse", "evil", "venv", "pip", "ensurepip"):
        (clone / name).mkdir()
        (clone / name / "__init__.py").write_text(attack)
        (clone / name / "__main__.py").write_text(attack)
    (clone / "e.egg-info").mkdir()
    (clone / "e.egg-info" / "entry_points.txt").write_text("[spark_iceberg_sql.rules]\nx = evil\n")
    (clone / "e.egg-info" / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: e\nVersion: 1\n")
    (clone / "a.sql").write_text(WRONG)
    return clone


@pytest.mark.parametrize("how", ["script", "module", "jupyter"])
def test_no_module_of_a_clone_is_imported(modules: Path, ran: Path, environment: dict[str, str], how: str) -> None:
    script = str(Path(sys.executable).with_name("iceberg-sql"))
    commands = {
        "script": [script, "check", "a.sql"],
        "module": [sys.executable, "-m", "spark_iceberg_sql", "check", "a.sql"],
        "jupyter": spec(None)["iceberg-sql"]["argv"],
    }
    done = subprocess.run(
        commands[how],
        cwd=modules,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert not ran.exists()
    assert done.stderr == ""
    assert done.returncode == 1


@pytest.mark.tier("rest")  # installs
def test_the_action_installs_outside_of_the_checkout(
    modules: Path, ran: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    step = action["runs"]["steps"][0]
    assert step["working-directory"] == "${{ runner.temp }}"
    # As if the step ran in the checkout all the same; pip fails at once for want of such a package.
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=modules,
        env={**environment, "RUNNER_TEMP": str(tmp_path), "OWN": str(tmp_path / "no"), "VERSION": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert not ran.exists()
    assert "no" in done.stderr
    assert (tmp_path / "iceberg-sql" / "bin" / "python").exists()


# --- results of earlier runs ----------------------------------------------------------------------


def without_findings(folder: Path) -> None:
    """Clear the findings of all results in a folder, as an attacker would who knows the format."""
    for path in folder.rglob("results-*.json"):
        results = json.loads(path.read_bytes().partition(b"\n")[2])
        cleared = json.dumps(results).replace("SIS101", "SIS999")
        results = {key: [day, []] for key, (day, _) in json.loads(cleared).items()}
        body = json.dumps(results, separators=(",", ":")).encode()
        path.write_bytes(digest(body).encode() + b"\n" + body)


def test_a_cache_that_comes_with_a_clone_is_not_believed(clone: Path, run: Check, environment: dict[str, str]) -> None:
    for number in range(20):
        (clone / f"q{number:02}.sql").write_text(WRONG)
    honest = run("check", ".")
    assert honest.stdout.count("error[SIS101]") == 20
    cache = Path(environment["XDG_CACHE_HOME"]) / "spark-iceberg-sql" / "results"
    assert cache.stat().st_mode & 0o777 == 0o700
    assert not list(clone.glob(".*"))
    # where it was kept once, and where an option names a folder of the clone
    for folder in (clone / ".iceberg_sql_cache", clone / "kept"):
        folder.mkdir()
        for path in cache.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
        without_findings(folder)
    git(clone, "init", "-q")
    git(clone, "add", "-A", "-f")
    assert run("check", ".").stdout == honest.stdout
    completed = run("check", ".", "--cache-dir", "kept")
    assert completed.stdout == honest.stdout
    assert completed.stderr == "warning: the cache `kept` is not used: git tracks files in it\n"


def test_a_cache_that_others_may_write(clone: Path, run: Check, tmp_path: Path) -> None:
    (clone / "a.sql").write_text(WRONG)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    done = run("check", ".", "--cache-dir", str(shared))
    assert f"the cache `{shared}` is not used: other users may write to it" in done.stderr
    assert list(shared.iterdir()) == []


# --- files outside --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("metadata", '{ "db.t" = "/etc/passwd" }'),
        ("metadata", '{ "db.t" = "../secret.json" }'),
        ("metadata", '{ "db.t" = "link.json" }'),
        ("ddl", '["/etc/*.sql"]'),
        ("ddl", '["../**/*.sql"]'),
        ("dbt-manifest", '"../manifest.json"'),
    ],
)
def test_settings_name_no_file_outside(clone: Path, run: Check, key: str, value: str) -> None:
    (clone.parent / "secret.json").write_text("top secret")
    (clone / "link.json").symlink_to(clone.parent / "secret.json")
    (clone / "a.sql").write_text(WRONG)
    (clone / ".iceberg-sql.toml").write_text(f"{key} = {value}\n")
    done = run("check", "a.sql")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: `{key}` in `")
    assert "is outside" in done.stderr
    assert "secret\n" not in done.stdout + done.stderr


def test_a_folder_of_a_repository_names_files_of_it(clone: Path, run: Check) -> None:
    git(clone, "init", "-q")
    for name in ("jobs", "schema"):
        (clone / name).mkdir()
    (clone / "schema" / "t.sql").write_text("CREATE TABLE db.t (ts TIMESTAMP) USING iceberg;\n")
    (clone / "jobs" / "a.sql").write_text("ALTER TABLE db.t ADD PARTITION FIELD days(tss);\n")
    (clone / "jobs" / ".iceberg-sql.toml").write_text('ddl = ["../schema/*.sql"]\n')
    done = run("check", "jobs")
    assert (done.returncode, "SIS201" in done.stdout) == (1, True)
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "1")
    done = run("check", "--diff-from", "HEAD", "jobs")
    assert (done.returncode, done.stderr) == (0, "")


# --- git ------------------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.fixture
def archive(clone: Path, ran: Path) -> Path:
    """An unpacked archive of a repository, whose configuration names a program wherever one can be named."""
    (clone / "a.sql").write_text(WRONG)
    git(clone, "init", "-q")
    git(clone, "add", "-A")
    git(clone, "commit", "-q", "-m", "1")
    attack = clone / "attack"
    attack.write_text(f'#!/bin/sh\necho "$0" >> {ran}\ncat\n')
    attack.chmod(0o755)
    hooks = clone / ".git" / "hooks"
    for name in ("post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction"):
        (hooks / name).write_text(attack.read_text())
        (hooks / name).chmod(0o755)
    (clone / ".gitattributes").write_text("* filter=a=b diff=d\n")
    (clone / ".git" / "info" / "attributes").write_text("* filter=a=b diff=d\n")
    settings = {
        "core.fsmonitor": str(attack),
        "core.pager": str(attack),
        "core.sshCommand": str(attack),
        "core.editor": str(attack),
        "diff.external": str(attack),
        "diff.d.textconv": str(attack),
        "diff.d.command": str(attack),
        "filter.a=b.clean": str(attack),
        "filter.a=b.smudge": str(attack),
        "filter.a=b.required": "true",
        "protocol.allow": "always",
        "remote.o.url": str(clone / "elsewhere"),
        "remote.o.promisor": "true",
        "remote.o.uploadpack": str(attack),
        "extensions.partialClone": "o",
    }
    for name, value in settings.items():
        git(clone, "config", name, value)
    # Names of filters that are not UTF-8, which a pattern of git's does not match in a UTF-8 locale.
    (clone / ".git" / "info" / "attributes").write_bytes(b"*.sql filter=x\xff diff=d\n")
    with (clone / ".git" / "config").open("ab") as file:
        file.write(b'[filter "x\xff"]\n')
        file.write(f"clean = {attack}\nsmudge = {attack}\nrequired = true\n".encode())
    ran.unlink(missing_ok=True)
    (clone / "a.sql").write_text(WRONG + WRONG.replace("db.t", "db.u"))
    return clone


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_git_runs_nothing(archive: Path, ran: Path, run: Check, locale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    done = run("check", "--diff-from", "HEAD", ".")
    assert not ran.exists(), ran.read_text()
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("SIS101") == 1
    objects = archive / ".git" / "objects"
    for path in objects.rglob("??/*"):  # the rest is to be had from the server
        path.unlink()
    run("check", "--diff-from", "HEAD", ".")
    assert not ran.exists(), ran.read_text()


def test_git_runs_nothing_of_a_submodule(archive: Path, ran: Path, run: Check, tmp_path: Path) -> None:
    """An archive has the configuration of the repositories inside of it, too."""
    inner = archive / "inner"
    inner.mkdir()
    (inner / "f.sql").write_text(WRONG)
    git(inner, "init", "-q")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "1")
    for name in ("core.fsmonitor", "diff.external", "filter.a.clean", "filter.a.process"):
        git(inner, "config", name, str(archive / "attack"))
    (inner / ".git" / "info" / "attributes").write_text("* filter=a\n")
    plain = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "filter.a=b.clean=")
    git(archive, *plain, "add", "inner")
    git(archive, *plain, "commit", "-q", "-m", "2")
    ran.unlink(missing_ok=True)
    os.utime(inner / "f.sql", (0, 0))  # git compares its contents
    for arguments in (("check", "."), ("check", "--diff-from", "HEAD", "."), ("check", "--diff-from", "HEAD")):
        run(*arguments)
        assert not ran.exists(), ran.read_text()


def test_a_folder_that_looks_like_a_repository(clone: Path, ran: Path, run: Check) -> None:
    folder = clone / "migrations"
    git(clone, "init", "-q", "--bare", "migrations")
    hook = folder / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    (folder / "config").write_text(f'[core]\nbare = false\nworktree = "{folder}"\nfsmonitor = "{hook}"\n')
    (folder / "a.sql").write_text(WRONG)
    run("check", "--diff-from", "HEAD", "migrations")
    for arguments in (("check", "."), ("check", "--diff-from", "HEAD", ".")):
        subprocess.run(
            [Path(sys.executable).with_name("iceberg-sql"), *arguments],
            cwd=folder,
            capture_output=True,
            check=False,
            timeout=60,
        )
    assert not ran.exists()


# --- catalogs that do not answer ------------------------------------------------------------------


@contextmanager
def catalog(mode: str) -> Iterator[SimpleNamespace]:
    """A REST catalog whose tables are behind an outage, a login page, a refusal, or a wait."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            if mode == "slow" or (mode == "slow table" and "/tables/" in self.path):
                stop.wait()
            if mode == "login" or (mode == "login table" and "/tables/" in self.path):
                self._send(200, b"<html>log in</html>", "text/html")
            elif mode.isdigit() and "/tables/" in self.path:
                self._send(int(mode), b'{"error":{"message":"no","type":"Fault","code":1}}')
            else:
                self._send(200, b'{"defaults":{},"overrides":{}}')

        def _send(self, code: int, body: bytes, kind: str = "application/json") -> None:
            try:
                self.send_response(code)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                pass

        def log_message(self, *arguments: object) -> None:
            pass

    from threading import Event

    stop = Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield SimpleNamespace(port=server.server_port, requests=requests)
    finally:
        stop.set()
        server.shutdown()
        server.server_close()


MORE_CREATES = """CREATE TABLE prod.db.t (id INT) USING iceberg;
CREATE TABLE IF NOT EXISTS prod.db.u (ts TIMESTAMP) USING iceberg PARTITIONED BY (weeks(ts));
ALTER TABLE prod.db.v ADD PARTITION FIELD days(ts);
"""


@pytest.mark.parametrize(("text", "reason"), [("boom\nat line 3", "boom"), ("", "OSError")])
def test_the_reason_of_an_outage_is_one_line(text: str, reason: str) -> None:
    assert catalogs._reason(OSError(text), timeout=1) == reason


def test_no_table_of_a_catalog_that_is_not_opened_is_said_to_exist(clone: Path, run: Check) -> None:
    (clone / "a.sql").write_text(MORE_CREATES)
    (clone / ".iceberg-sql.toml").write_text('catalog = "prod"\n')
    done = run("check", "a.sql", "--output-format", "concise")
    codes = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("a.sql:")]
    assert codes == ["error[SIS101]", "note[SIS002]"], done.stdout
    assert "(the catalog `prod` is not opened" in done.stdout


def test_a_damaged_file_of_pyiceberg(clone: Path, run: Check, tmp_path: Path) -> None:
    (clone / "a.sql").write_text(MORE_CREATES)
    for folder, message in ((clone, "in the working directory is not read"), (tmp_path, "cannot be read: While")):
        (folder / ".pyiceberg.yaml").write_text("catalog:\n  prod: {uri: x}\n")
        done = run("check", "a.sql", "--catalog", "prod", PYICEBERG_HOME=str(tmp_path))
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert f"`.pyiceberg.yaml` {message}" in done.stderr


@pytest.mark.tier("rest")  # waits for a server
@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("slow", "no answer within 2 seconds"),
        ("slow table", "no answer within 2 seconds"),
        ("login", "or that of a login page?"),
        ("login table", "or that of a login page?"),
        ("403", "did not answer: Fault: no"),
        ("500", "did not answer: Fault: no"),
    ],
)
def test_a_catalog_that_was_asked_for_and_does_not_answer(clone: Path, run: Check, mode: str, reason: str) -> None:
    (clone / "a.sql").write_text("ALTER TABLE prod.db.t ADD PARTITION FIELD days(ts);\n")
    with catalog(mode) as server:
        done = run(
            *("check", "a.sql", "--catalog", "prod", "--catalog-timeout", "2"),
            PYICEBERG_CATALOG__PROD__TYPE="rest",
            PYICEBERG_CATALOG__PROD__URI=f"http://127.0.0.1:{server.port}",
        )
    assert done.returncode == 2, done.stdout
    assert len(done.stderr.splitlines()) == 1
    assert "`prod`" in done.stderr
    assert reason in done.stderr


@contextmanager
def editor_with_catalog(
    mode: str, clone: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Editor]:
    """An editor whose settings name a catalog, which the user has configured."""
    monkeypatch.setenv("HOME", environment["HOME"])
    with catalog(mode) as server:
        monkeypatch.setenv("PYICEBERG_CATALOG__PROD__TYPE", "rest")
        monkeypatch.setenv("PYICEBERG_CATALOG__PROD__URI", f"http://127.0.0.1:{server.port}")
        yield Editor(clone, options={"settings": {"catalog": "prod"}})


def test_an_editor_checks_again_when_a_catalog_has_answered(
    clone: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with editor_with_catalog("404", clone, environment, monkeypatch) as started:

        async def session() -> set[str]:
            async with started as editor:
                codes = {str(d.code) for d in await editor.open(UNKNOWN)}
                assert codes == {"SIS101", "SIS002"}
                while "SIS412" not in codes:
                    await asyncio.wait_for(editor.next(editor.uri("a.sql")), 20)
                    codes = {str(d.code) for d in editor.published[editor.uri("a.sql")]}
                return codes

        assert asyncio.run(session()) >= {"SIS412"}


def test_an_editor_does_not_wait_for_a_catalog(
    clone: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The findings in the text come at once, also while the catalog is silent; hover answers, too."""
    text = f"{UNKNOWN}ALTER TABLE prod.db.t ADD PARTITION FIELD days(ts);\n"
    text += "CREATE TABLE prod.db.n (id INT) USING iceberg;\n"
    with editor_with_catalog("slow", clone, environment, monkeypatch) as started:

        async def session() -> list[str]:
            async with started as editor:
                diagnostics = await asyncio.wait_for(editor.open(text), 10)
                assert "has not answered yet" in "".join(d.message for d in diagnostics)
                assert await asyncio.wait_for(editor.hover(1, 44), 10) is not None
                return [str(d.code) for d in diagnostics]

        codes = asyncio.run(session())
        assert "SIS101" in codes
        assert "SIS412" not in codes  # whether `n` exists is not known


ANSWER = """
import threading
from spark_iceberg_sql.model.metadata.catalogs import Catalogs

answered = threading.Event()
tables = Catalogs(answered.set).tables("prod", 5)
name = ("prod", "db", "t")
print(tables.copy().get(name), tables.why_unknown(name))
assert answered.wait(30)
print(tables.copy().get(name).reason)
"""


def test_an_answer_counts_for_tables_that_were_asked_before(environment: dict[str, str]) -> None:
    """Each file is checked with a copy; that one had no answer yet says nothing about the next."""
    with catalog("404") as server:
        uri = f"http://127.0.0.1:{server.port}"
        done = subprocess.run(
            [sys.executable, "-c", ANSWER],
            env={**environment, "PYICEBERG_CATALOG__PROD__TYPE": "rest", "PYICEBERG_CATALOG__PROD__URI": uri},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
    assert done.stdout.splitlines() == [
        "None the catalog `prod` has not answered yet",
        "the catalog `prod` has no such table",
    ]


# --- patterns of settings -------------------------------------------------------------------------


@pytest.mark.tier("rest")  # four seconds
@pytest.mark.parametrize(
    "settings",
    [
        'placeholders = ["(a|a)+$b"]',
        f"placeholders = {[f'(a|a){{{n % 15},17}}$b' for n in range(200)]}",
        f'exclude = ["{"*a" * 30}b"]',
        f'exclude = ["{"**/*a/" * 12}x"]',
        f'ddl = ["{"**/*/" * 12}*.sql"]',
        f'per-file-ignores = {{ "{"*a" * 30}b" = ["SIS1"] }}',
    ],
    ids=["placeholders", "many placeholders", "exclude", "exclude folders", "ddl", "per-file-ignores"],
)
def test_a_pattern_takes_no_longer_than_a_moment(clone: Path, run: Check, settings: str) -> None:
    deep = clone.joinpath(*["aaaa"] * 30)
    deep.mkdir(parents=True)
    (deep / f"{'a' * 200}.sql").write_text(WRONG + f"SELECT {'a' * 60}(40) FROM t;\n")
    (clone / ".iceberg-sql.toml").write_text(settings + "\n")
    done = run("check", ".")  # the fixture's time limit would end it
    if "placeholders" in settings:
        assert done.returncode == 2
        assert "the placeholder `(a|a)" in done.stderr
        assert "takes more than 1 second to match" in done.stderr
    else:
        assert (done.returncode, "SIS101" in done.stdout) == (1, True), done.stderr


@pytest.mark.tier("rest")  # ten seconds
@pytest.mark.parametrize("options", [["--fix", "--unsafe-fixes"], ["--add-noqa"]], ids=lambda o: o[0])
def test_changes_of_a_damaged_file_end(clone: Path, run: Check, options: list[str]) -> None:
    """With lone carriage returns as line ends, no comment has a place, and each would be tried by itself."""
    lines = [
        "CREATE TABLE a.t{0} (id BIGINT, ts TIMESTAMP) USING iceberg",
        "PARTITIONED BY (weeks(ts), bucket(id, 16));",
        "ALTER TABLE a.t{0} ADD PARTITION FIELD dayz(ts);",
        "ALTER TABLE a.t{0} ADD PARTITION FIELD bucket(id, 8); -- x",
        "SELECT iceberg_bucket(id, 16) FROM a.t{0} WHERE month(ts) = 2;",
    ]
    text = "\r".join(line.format(n % 7) for n in range(60) for line in lines)
    (clone / "a.sql").write_text(text, newline="")
    done = run("check", "a.sql", "--diff", *options)  # the fixture's time limit would end it
    assert done.returncode in (0, 1), done.stderr
