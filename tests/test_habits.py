"""What one expects of any linter: near misses, completion, colours, --watch, formats of CI systems, a schema."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import yaml

from spark_iceberg_sql.cli import COMMANDS, main
from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.config.schema import schema
from spark_iceberg_sql.config.settings import SETTINGS, Settings
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.errors import ConfigError
from spark_iceberg_sql.report import FORMATS
from spark_iceberg_sql.report.rule_pages import SETTINGS_SCHEMA, url_of
from spark_iceberg_sql.rules.registry import ALL

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
DATA = Path(__file__).parent / "data"
WEEKS = "ALTER TABLE t ADD PARTITION FIELD weeks(a)"
TIMESTAMP = "CREATE TABLE db.t (at TIMESTAMP) USING iceberg PARTITIONED BY (at)"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "weeks.sql").write_text(WEEKS)
    return tmp_path


# --- near misses ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("chekc weeks.sql", "unknown command `chekc`; did you mean `check`?"),
        ("xyzzy", "unknown command `xyzzy` (one of check, "),
        ("check --selct SIS1", "unknown option `--selct`; did you mean `--select`?"),
        ("check --selct=SIS1", "unknown option `--selct`; did you mean `--select`?"),
        ("check --outputformat json", "unknown option `--outputformat`; did you mean `--output-format`?"),
        ("check --zzzz", "unknown option `--zzzz`"),
        ("check --output-format jsn", "--output-format cannot be `jsn`; did you mean `json`?"),
        ("check --color allways", "--color cannot be `allways`; did you mean `always`?"),
        ("plan", "the following arguments are required: SQL|FILE"),
        ("plan a b", "unknown argument `b`"),
        ("completion fihs", "shell cannot be `fihs`; did you mean `fish`?"),
    ],
)  # fmt: skip
def test_what_was_meant(command: str, message: str, capsys: Any) -> None:
    with pytest.raises(SystemExit) as stop:
        main(command.split())
    assert stop.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: {message}")
    assert len(err.splitlines()) == 2
    assert err.splitlines()[1].startswith("usage: iceberg-sql")


@pytest.mark.parametrize(
    "name", ["iceberg_sql", "spark-iceberg-sql", "Iceberg-SQL", "icebergsql", "icberg-sql", "iceberg-sq"]
)
def test_a_table_of_settings_with_another_name_is_told(name: str) -> None:
    Path("pyproject.toml").write_text(f'[tool.{name}]\nignore = ["SIS1"]\n# sql\n')
    with pytest.raises(ConfigError, match=rf"\[tool\.{name}\].*did you mean \[tool\.iceberg-sql\]"):
        Configuration().of(Path("a.sql"))


@pytest.mark.parametrize("name", ["iceberg-sql", "spark_iceberg_sql"])
def test_a_table_of_settings(name: str) -> None:
    Path("pyproject.toml").write_text(f'[tool.sqlfluff]\n[tool.{name}]\nignore = ["SIS1"]\n')
    assert Configuration().of(Path("a.sql")).ignore == ("SIS1",)


def test_two_tables_of_settings() -> None:
    Path("pyproject.toml").write_text("[tool.iceberg-sql]\n[tool.spark_iceberg_sql]\n")
    with pytest.raises(ConfigError, match="keep one"):
        Configuration().of(Path("a.sql"))


@pytest.mark.parametrize("name", ["sqlfluff", "iceberg", "sqlmesh", "pyiceberg", "spark", "mysql"])
def test_the_tables_of_others_are_theirs(name: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.{name}]\nsql = 1\n")
    assert Configuration().of(Path("a.sql")).ignore == ()


# --- selection ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "options", "selected"),
    [
        ('select = ["SIS1"]', "", False),
        ('select = ["SIS1"]', "--extend-select SIS5", True),
        ('ignore = ["SIS5"]', "--extend-select SIS501", True),
        ('ignore = ["SIS501"]', "--extend-select SIS5", False),
        ('ignore = ["SIS501"]', "--extend-select SIS501", False),
        ('ignore = ["ALL"]\nextend-select = ["SIS5"]', "", True),
        ('select = ["SIS1"]\nextend-select = ["SIS5"]', "--ignore SIS50", False),
        ('ignore = ["SIS5"]', "--select SIS501", False),
    ],
)
def test_extend_select(settings: str, options: str, selected: bool, capsys: Any) -> None:
    Path(".iceberg-sql.toml").write_text(settings)
    Path("weeks.sql").write_text(TIMESTAMP)
    assert main(["check", *options.split()]) == selected


# --- colours --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "environment", "colored"),
    [
        ("--color always", {"NO_COLOR": "1"}, True),
        ("--color never", {"FORCE_COLOR": "1"}, False),
        ("--color auto", {"FORCE_COLOR": "1"}, True),
        ("--color auto", {}, False),
        ("--color always --output-format grouped", {}, True),
        ("--color always --output-format json", {}, False),
    ],
)
def test_color(options: str, environment: dict[str, str], colored: bool, monkeypatch: Any, capsys: Any) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    main(["check", *options.split()])
    assert ("\x1b[" in capsys.readouterr().out) is colored


# --- completion -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell(shell: str, capsys: Any) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in (*COMMANDS, "diff-from", "SIS501", *FORMATS):
        assert word in script


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        (["ch"], {"check"}),
        (["check", "--sel"], {"--select"}),
        (["check", "--select", "SIS10"], {f"SIS10{n}" for n in range(1, 10)}),
        (["check", "--output-format", "j"], {"json", "junit"}),
        (["check", "we"], {"weeks.sql"}),
        (["explain", "SIS50"], {rule.code for rule in ALL if rule.code.startswith("SIS50")}),
    ],
)  # fmt: skip
def test_bash_completes(typed: list[str], completed: set[str], capsys: Any) -> None:
    main(["completion", "bash"])
    Path("script").write_text(capsys.readouterr().out)
    line = shlex.join(["iceberg-sql", *typed])
    last = ["iceberg-sql", *typed][-2:]
    run = (
        f"source ./script; COMP_WORDS=({line}); COMP_CWORD={len(typed)}; COMP_LINE={shlex.quote(line)}\n"
        f"_shtab_iceberg_sql iceberg-sql {shlex.quote(last[1])} {shlex.quote(last[0])}\n"
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", run], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == completed


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(
    ("typed", "completed"),
    [("ch", {"check"}), ("check --sel", {"--select"}), ("check --output-format j", {"json", "junit"})],
)
def test_fish_completes(typed: str, completed: set[str], capsys: Any) -> None:
    main(["completion", "fish"])
    Path("script").write_text(capsys.readouterr().out)
    run = f"source ./script; complete -C 'iceberg-sql {typed}'"
    done = subprocess.run(["fish", "-c", run], capture_output=True, text=True, check=True)
    assert {line.split("\t")[0] for line in done.stdout.splitlines()} == completed


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_reads_the_script(capsys: Any) -> None:
    main(["completion", "zsh"])
    Path("_iceberg-sql").write_text(capsys.readouterr().out)
    run = "autoload -Uz compinit; fpath=($PWD $fpath); compinit -u -d dump; echo $_comps[iceberg-sql]"
    done = subprocess.run(["zsh", "-fc", run], capture_output=True, text=True, check=True)
    assert done.stdout == "_iceberg-sql\n"


# --- watch ----------------------------------------------------------------------------------------


def put(name: str, text: str) -> None:
    """Write a file in one step: --watch might see it empty, and check twice."""
    staged = Path.cwd().parent / f"{Path.cwd().name}.staged"
    staged.write_text(text)
    staged.replace(name)


@pytest.mark.tier("quick")
def test_watch() -> None:
    """It checks at once, after a change of a file, a new one, the settings or what they name; Ctrl-C ends it."""
    command = [sys.executable, "-m", "spark_iceberg_sql", "check", "--watch", "--output-format", "concise"]
    run = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell lets what it starts in the background ignore Ctrl-C, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert run.stdout is not None
    stop = threading.Timer(60, run.kill)
    stop.start()

    def following() -> str:
        output = ""
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith("Watching"):
                break
            output += line
        return output

    try:
        assert "SIS101" in following()
        put("weeks.sql", "SELECT 1")
        assert "No problems found in 1 file" in following()
        put("new.sql", WEEKS)
        assert "SIS101" in following()
        put(".iceberg-sql.toml", 'ignore = ["SIS1"]')
        assert "No problems found in 2 files" in following()
        put("tables.txt", "CREATE TABLE db.t (id BIGINT) USING iceberg")
        put("new.sql", "ALTER TABLE db.t ADD PARTITION FIELD other")
        following()
        put(".iceberg-sql.toml", 'ignore = ["SIS1"]\nddl = ["tables.txt"]')
        assert "SIS201" in following()
        put("tables.txt", "CREATE TABLE db.t (id BIGINT, other INT) USING iceberg")
        assert "No problems found" in following()
        put("new.sql", WEEKS)
        following()
        put(".iceberg-sql.toml", "nonsense = 1")
        following()
        Path(".iceberg-sql.toml").unlink()
        assert "SIS101" in following()
        run.send_signal(signal.SIGINT)
        assert run.wait(30) == 1
    finally:
        stop.cancel()
        run.kill()
    assert run.stderr is not None
    with run.stdout, run.stderr:
        assert run.stderr.read().startswith("error: unknown key `nonsense`")


# --- formats --------------------------------------------------------------------------------------


def test_junit(capsys: Any) -> None:
    Path("a\x0b&<é.sql").write_text(f"{WEEKS};\n{TIMESTAMP.replace('at', 'a&t')}")
    Path("clean.sql").write_text("SELECT 1")
    main(["check", "--output-format", "junit"])
    root = ElementTree.fromstring(capsys.readouterr().out)
    cases = root.findall("testsuite/testcase")
    assert int(root.get("tests", "")) == len(cases)
    assert int(root.get("failures", "")) == len(root.findall(".//failure"))
    assert int(root.get("skipped", "")) == len(root.findall(".//skipped"))
    assert [c.get("name") for c in cases if not len(c)] == ["no problems found"]
    texts = ["".join(failure.itertext()) for failure in root.iter("failure")]
    assert any(str(url_of("SIS101")) in text for text in texts)


def test_rdjson_counts_bytes_and_has_one_suggestion(capsys: Any) -> None:
    text = "/* 日本🙂 */ CREATE TABLE db.t (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, 16))"
    Path("weeks.sql").write_text(text)
    main(["check", "--output-format", "rdjson"])
    (diagnostic,) = json.loads(capsys.readouterr().out)["diagnostics"]
    at = diagnostic["location"]["range"]["start"]["column"] - 1
    assert text.encode()[at:].decode().startswith("id, 16")
    assert diagnostic["code"] == {"value": "SIS104", "url": url_of("SIS104")}
    (suggestion,) = diagnostic["suggestions"]
    start, end = (suggestion["range"][key]["column"] - 1 for key in ("start", "end"))
    fixed = text.encode()[:start] + suggestion["text"].encode() + text.encode()[end:]
    assert b"bucket(16, id)" in fixed


@pytest.mark.parametrize("text", [WEEKS, f"{WEEKS};\n{TIMESTAMP}", "SELECT 1", "{{ x }}"])
def test_rdjson_is_what_reviewdog_reads(text: str, capsys: Any) -> None:
    Path("weeks.sql").write_text(text)
    Path("job.py").write_text('df.write.partitionBy("id").insertInto("db.t")')
    main(["check", "--output-format", "rdjson"])
    report = json.loads(capsys.readouterr().out)
    schema = json.loads((DATA / "reviewdog-DiagnosticResult.json").read_text())
    jsonschema.Draft4Validator(schema).validate(report)
    (of_job,) = [d for d in report["diagnostics"] if d["location"]["path"] == "job.py"]
    assert of_job["severity"] == "ERROR"


def test_azure_escapes_what_would_end_its_command(capsys: Any) -> None:
    Path("a];b%.sql").write_text(WEEKS)
    main(["check", "--output-format", "azure", "a];b%.sql"])
    lines = capsys.readouterr().out.splitlines()
    assert all(re.match(r"##vso\[task\.logissue (\w+=[^;\]]+;)+\]", line) for line in lines)
    assert all("sourcepath=a%5D%3Bb%AZP25.sql;" in line for line in lines)
    assert [re.search("type=(\\w+)", line)[1] for line in lines] == ["warning", "error"]  # type: ignore[index]


def test_grouped_by_file(capsys: Any) -> None:
    Path("other.sql").write_text(f"{WEEKS};\n{WEEKS}")
    main(["check", "--output-format", "grouped", "--select", "SIS1"])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "other.sql:", "", "weeks.sql:", "", "Found 3 errors in 2 files (3 statements; 3 not checked)",
    ]  # fmt: skip


# --- the schema -----------------------------------------------------------------------------------


def test_the_schema_is_printed(capsys: Any) -> None:
    assert main(["config", "--schema"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == schema(SETTINGS_SCHEMA)
    jsonschema.Draft7Validator.check_schema(printed)
    assert list(printed["properties"]) == list(SETTINGS)
    for key, of in printed["properties"].items():
        if "default" in of:
            jsonschema.validate(of["default"], of), key


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ('select = ["ALL"]\nignore = ["SIS5", "SIS101"]', True),
        ('per-file-ignores = { "a/**" = ["SIS304"] }', True),
        ('severity = { SIS303 = "error", SIS002 = "warning" }', True),
        ('metadata = { "db.t" = "x.json" }\nddl = ["a.sql"]\nscripts = ["m/*.sql"]', True),
        ('catalog = "x"\ncase-sensitive = true\nrespect-gitignore = false', True),
        ('placeholders = ["__[A-Z]+__"]\nexclude = []', True),
        ("nonsense = 1", False),
        ('select = "SIS1"', False),
        ('select = ["identity-on-timestamp"]', False),
        ('severity = { SIS303 = "note" }', False),
        ('case-sensitive = "yes"', False),
        ('catalog = ""', False),
        ('per-file-ignores = ["SIS1"]', False),
        ('metadata = { "db.t" = 1 }', False),
    ],
)
def test_the_schema_takes_what_the_settings_take(text: str, valid: bool) -> None:
    Path(".iceberg-sql.toml").write_text(text)
    validator = jsonschema.Draft7Validator(schema(SETTINGS_SCHEMA))
    assert validator.is_valid(tomllib.loads(text)) is valid
    if valid:
        assert isinstance(Configuration().of(Path("a.sql")), Settings)
    else:
        with pytest.raises(ConfigError):
            Configuration().of(Path("a.sql"))


def test_a_severity_is_of_one_rule_only() -> None:
    settings = Settings(select=("SIS1",), extend_select=("SIS501",), ignore=("SIS5",))
    assert settings.severity_of("SIS501", Severity.WARNING) is Severity.WARNING
    assert settings.severity_of("SIS502", Severity.WARNING) is None


# --- hooks and actions ----------------------------------------------------------------------------


@pytest.mark.tier("quick")
def test_the_action(capsys: Any) -> None:
    """Its last step is a command that runs; pip installs what it names."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert set(action["inputs"]) == {"paths", "args", "version"}
    step = action["runs"]["steps"][-1]
    environment = {
        **os.environ,
        "ICEBERG_SQL": f"{sys.executable} -m spark_iceberg_sql",
        "PATHS": "weeks.sql",
        "ARGS": "--select SIS1 --exit-zero",
    }
    command = step["run"].replace('"$ICEBERG_SQL"', "$ICEBERG_SQL")
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", command], env=environment, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("::error title=SIS101")


def test_the_hooks_name_commands_that_run(capsys: Any) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    for hook in hooks:
        assert main([*shlex.split(hook["entry"])[1:], "--exit-zero", "weeks.sql"]) == 0
    assert re.search(hooks[0]["files"], "a/b.hql")
