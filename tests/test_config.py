"""Settings: the nearest parent wins, the command line wins over files, and a wrong key or value is named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from spark_iceberg_sql.cli import main
from spark_iceberg_sql.cli.options import _ACTIONS
from spark_iceberg_sql.config import settings
from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.config.settings import SETTINGS, Settings
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.errors import ConfigError
from spark_iceberg_sql.files.globs import _glob_pattern, matches

WEEKS = "ALTER TABLE t ADD PARTITION FIELD weeks(a)"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def own(path: Path, text: str) -> Path:
    return write(path / ".iceberg-sql.toml", text)


def test_each_setting_is_read_and_has_its_kind_of_option() -> None:
    package = Path(settings.__file__).parents[1]
    text = "\n".join(path.read_text("utf-8") for path in package.rglob("*.py"))
    for key in SETTINGS:
        name = key.replace("-", "_")
        assert re.search(rf'\.{name}\b|"{key}"', text), key
    assert {setting.value_type for setting in SETTINGS.values() if setting.option} <= set(_ACTIONS)


def test_the_nearest_parent_wins(project: Path) -> None:
    write(project / "pyproject.toml", '[tool.spark_iceberg_sql]\nignore = ["SIS1"]\nddl = ["x.sql"]\n')
    own(project / "near", 'ignore = ["SIS2"]')
    write(project / "other" / "pyproject.toml", "[tool.ruff]\n")
    settings = Configuration()
    assert settings.of(project / "a.sql").ignore == ("SIS1",)
    near = settings.of(project / "near" / "deep" / "er" / "a.sql")
    assert (near.ignore, near.ddl) == (("SIS2",), ())
    assert settings.of(project / "other" / "a.sql").ignore == ("SIS1",)
    assert Configuration(isolated=True).of(project / "a.sql").ignore == ()
    assert Configuration(project / "pyproject.toml").of(project / "near" / "a.sql").ignore == ("SIS1",)


def test_our_own_file_comes_before_pyproject(project: Path) -> None:
    write(project / "pyproject.toml", '[tool.spark_iceberg_sql]\nignore = ["SIS1"]\n')
    own(project, 'ignore = ["SIS2"]')
    assert Configuration().of(project / "a.sql").ignore == ("SIS2",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('ignroe = ["SIS1"]', r"unknown key `ignroe` in `.*toml`; did you mean `ignore`\?"),
        ('default_catalog = "x"', r"unknown key `default_catalog` in .*; did you mean `default-catalog`\?"),
        ('ignore = "SIS1"', r'`ignore` in .* must be a list of codes such as \["SIS2", "SIS501"\]'),
        ('ignore = ["SIS999"]', r"`ignore` .* unknown rule `SIS999`"),
        ('ignore = ["SIS10O"]', r"unknown rule `SIS10O`; did you mean `SIS\d\d\d`\?"),
        ('ignore = ["unknown-transform"]', r'`unknown-transform` is "SIS101"'),
        ('select = ["S"]', r"unknown rule `S`"),
        ('severity = { SIS101 = "eror" }', r"for SIS101, not 'eror'; did you mean `error`\?"),
        ('severity = { SIS101 = "note" }', r"a note means that something was not checked"),
        ('per-file-ignores = ["SIS101"]', r"`per-file-ignores` .* must be a table"),
        ('case-sensitive = "yes"', r"`case-sensitive` in .* must be true or false"),
        ('engine = "databrick"', r'`engine` .* one of "spark", "databricks".*; did you mean `databricks`\?'),
        ("engine = 1", r"`engine` in .* must be one of"),
        ("catalog = 1", r"`catalog` in .* must be a string"),
        ('metadata = "x"', r"`metadata` in .* must be a table"),
        ("exclude = [1]", r"`exclude` in .* must be a list of strings"),
        ("x =", r"is not valid TOML"),
    ],
)  # fmt: skip
def test_a_wrong_key_or_value_is_an_error(project: Path, capsys: Any, text: str, message: str) -> None:
    own(project, text)
    write(project / "a.sql", "SELECT 1")
    with pytest.raises(ConfigError, match=message):
        Configuration().of(project / "a.sql")
    assert main(["check", "a.sql"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert "Traceback" not in err


def test_a_config_that_is_not_there(project: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        Configuration(project / "nope.toml")
    write(project / "pyproject.toml", "[tool.ruff]\n")
    with pytest.raises(ConfigError, match="has no table"):
        Configuration(project / "pyproject.toml")


def test_select_ignore_and_severity(project: Path) -> None:
    settings = Settings(
        select=("SIS1", "SIS501"),
        ignore=("SIS104",),
        per_file_ignores={"legacy/**": ("SIS101",)},
        severity={"SIS501": Severity.ERROR},
        root=project,
    )
    error, warning = Severity.ERROR, Severity.WARNING
    assert settings.severity_of("SIS101", error, Path("a.sql")) is error
    assert settings.severity_of("SIS101", error, Path("legacy/b/a.sql")) is None
    assert settings.severity_of("SIS104", error) is None
    assert settings.severity_of("SIS201", error) is None
    assert settings.severity_of("SIS501", warning) is error
    general = Settings(severity={"SIS5": error, "SIS501": warning, "ALL": warning})
    assert general.severity_of("SIS502", warning) is error
    assert general.severity_of("SIS501", error) is warning
    assert general.severity_of("SIS101", error) is warning


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("*.sql", "a/b/c.sql", True),
        ("a/*.sql", "a/c.sql", True),
        ("a/*.sql", "a/b/c.sql", False),
        ("a/**/*.sql", "a/b/c.sql", True),
        ("a/**/*.sql", "a/c.sql", True),
        ("./a", "a/b/c.sql", True),
        ("a/", "a/b/c.sql", True),
        ("b", "a/b/c.sql", True),
        ("b/c.sql", "a/b/c.sql", False),
        ("**/b", "a/b/c.sql", True),
        ("a?/x", "ab/x", True),
        ("a.b", "axb", False),
    ],
)
def test_globs(project: Path, glob: str, path: str, expected: bool) -> None:
    assert matches(Path(path), glob, project) is expected
    assert matches(project / path, glob, project) is expected


def test_exclude_and_force_exclude(project: Path, capsys: Any) -> None:
    own(project, 'exclude = ["old", "sub/gen*.sql"]')
    for name in ("a.sql", "old/b.sql", "sub/gen1.sql", "sub/c.sql"):
        write(project / name, WEEKS)

    def files(*arguments: str) -> set[str]:
        main(["check", "--output-format", "concise", "-q", "--select", "SIS101", *arguments])
        return {line.split(":")[0] for line in capsys.readouterr().out.splitlines() if "SIS101" in line}

    assert files() == {"a.sql", "sub/c.sql"}
    assert files("old/b.sql") == {"old/b.sql"}
    assert files("--force-exclude", "old/b.sql", "a.sql") == {"a.sql"}
    assert files("--exclude", "sub/*", ".") == {"a.sql", "old/b.sql"}


def test_ddl_files_are_read_first(project: Path, capsys: Any) -> None:
    own(project, 'ddl = ["schema/*.sql"]')
    write(project / "schema/1.sql", "CREATE TABLE db.t (id BIGINT) USING iceberg;")
    write(project / "schema/2.sql", "ALTER TABLE db.t ADD COLUMN name STRING;")
    write(project / "schema/3.sql", "ALTER TABLE db.t ADD PARTITION FIELD days(name);")
    write(project / "job.sql", "ALTER TABLE db.t ADD PARTITION FIELD bucket(8, nope);")
    write(project / "early.sql", "ALTER TABLE db.u ADD PARTITION FIELD bucket(8, nope);")
    main(["check", "--output-format", "concise", "-q"])
    diagnostics = [line.split(" ")[:2] for line in capsys.readouterr().out.splitlines()]
    assert diagnostics == [
        ["early.sql:1:13:", "note[SIS002]"],
        ["job.sql:1:48:", "error[SIS201]"],
        ["schema/3.sql:1:43:", "error[SIS202]"],
    ]


def test_names_mean_what_the_settings_say(project: Path, capsys: Any) -> None:
    write(
        project / "a.sql",
        "CREATE TABLE cat.db.t (id BIGINT) USING iceberg;\nALTER TABLE t ADD PARTITION FIELD bucket(8, nope);",
    )
    assert main(["check", "-q", "a.sql"]) == 0
    assert main(["check", "-q", "--default-catalog", "cat", "--default-namespace", "db", "a.sql"]) == 1
    assert "`nope`" in capsys.readouterr().out


def test_config_shows_what_is_in_force(project: Path, capsys: Any) -> None:
    file = own(project, 'ignore = ["SIS1"]\nper-file-ignores = { "x/*" = ["SIS2"] }\ncase-sensitive = true\n')
    assert main(["config", "--select", "SIS1,SIS2", "--metadata", "db.t=m.json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    setting_lines = {line.split(" = ")[0]: line for line in lines if " = " in line}
    assert set(setting_lines) <= set(SETTINGS)
    assert len(lines) == len(SETTINGS)
    assert setting_lines["ignore"].startswith('ignore = ["SIS1"]')
    assert setting_lines["ignore"].endswith(f"# {file}")
    assert setting_lines["select"].endswith("# the command line")
    assert setting_lines["exclude"].endswith("# default")
    assert f'"db.t" = "{project / "m.json"}"' in setting_lines["metadata"]
    read = write(project / "again.toml", "\n".join(line for line in lines if not line.startswith("#")))
    assert Configuration(read).of(project).select == ("SIS1", "SIS2")


def test_globs_are_asked_once_for_each_rule_and_file(
    project: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file may have thousands of findings, and the settings as many globs."""
    matched_globs: list[str] = []

    def ask(path: Path, glob: str, root: Path) -> bool:
        matched_globs.append(glob)
        return matches(path, glob, root)

    monkeypatch.setattr(settings, "matches", ask)
    globs = ", ".join(f'"x{i}/**" = ["SIS101"]' for i in range(600))
    (project / ".iceberg-sql.toml").write_text(f"per-file-ignores = {{ {globs} }}")
    text = "CREATE TABLE t (d DATE) USING iceberg PARTITIONED BY (weeks(d));\n" * 20
    for name in ("a.sql", "b.sql"):
        (project / name).write_text(text)
    _glob_pattern.cache_clear()
    assert main(["check", "--no-cache", "-j", "1", "a.sql", "b.sql"]) == 1
    assert capsys.readouterr().out.count("SIS101") >= 20
    assert len(matched_globs) == 2 * 600
    assert _glob_pattern.cache_info().misses == 600
