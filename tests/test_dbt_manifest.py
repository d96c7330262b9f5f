"""What dbt has recorded: `manifest.json` counts for what the text leaves open, while it fits the text."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Diagnostic, apply_edits
from spark_iceberg_sql.files.discovery import find_files
from spark_iceberg_sql.files.projects.dbt_compiled import compiled_query

pytestmark = pytest.mark.tier("quick")  # many processes or many trials: `make fast` leaves them out

DATA = Path(__file__).parent / "data" / "dbt"
IN_COMPILED = " (in the SQL that dbt compiled)"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    (tmp_path / "target").mkdir()
    (tmp_path / "manifest.json").rename(tmp_path / "target" / "manifest.json")
    for path in tmp_path.rglob("*"):
        if path.suffix != ".json":
            os.utime(path, (0, 0))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def every(settings: Settings | None = None) -> list[tuple[str, str, Diagnostic]]:
    """File, place and finding, for all files."""
    linter, lint_settings = Linter(), settings or Settings()
    findings = []
    for name in find_files(["."], lambda path: path.name == "target"):
        text = Path(name).read_bytes().decode("utf-8-sig")
        for report in linter.lint(linter.source(name, text, lint_settings), lint_settings):
            findings += [(name, text[d.span.start : d.span.end], d) for d in report]
    return findings


def errors(settings: Settings | None = None) -> list[tuple[str, str, str]]:
    return [(name, d.code, at) for name, at, d in every(settings) if str(d.severity) != "note"]


def notes() -> dict[str, list[str]]:
    notes_by_file: dict[str, list[str]] = {}
    for name, _, d in every():
        if str(d.severity) == "note":
            notes_by_file.setdefault(name, []).append(d.message)
    return notes_by_file


def changed(project: Path, change: Any) -> None:
    path = project / "target" / "manifest.json"
    content = json.loads(path.read_bytes())
    change(content)
    path.write_text(json.dumps(content))


def edit(path: Path, old: str, new: str) -> None:
    """Change a file that keeps its time."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    os.utime(path, (0, 0))


BYTEXT = [("models/recent_days.sql", "SIS601", "r.id, 16")]
ALL = [
    ("models/daily.sql", "SIS202", "var('by', ['days(country)'])"),  # by a variable
    ("models/orders.sql", "SIS201", "placed_at"),  # a loop makes the columns
    ("models/recent_days.sql", "SIS601", "r.id, 16"),
    ("models/schema.yml", "SIS202", "\"{{ var('totals_by', 'months(since)') }}\""),
    ("models/schema.yml", "SIS101", "weeks"),
    ("models/shared.sql", "SIS202", "{{ config(**common) }}"),
]


def test_what_the_text_leaves_open(project: Path) -> None:
    assert errors() == ALL
    (project / "target" / "manifest.json").unlink()
    assert errors() == BYTEXT


def test_what_is_written_is_fixed(project: Path) -> None:
    """A finding in the compiled query takes nothing away from the same one in the text."""
    text = (project / "models" / "recent_days.sql").read_text()
    (fix,) = (d.fix for name, _, d in every() if name == "models/recent_days.sql" and d.fix)
    assert apply_edits(text, fix.edits) == text.replace("r.id, 16", "16, r.id")


def test_messages(project: Path) -> None:
    message_by_source = {at: d.message for name, at, d in every() if name == "models/orders.sql"}
    assert message_by_source["placed_at"] == ("`analytics_mart.orders_v2` has no column `placed_at`" + IN_COMPILED)


@pytest.mark.parametrize("name", ["macros/money.sql", "models/schema.yml", "dbt_project.yml"])
def test_a_newer_file_for_all_models(project: Path, name: str) -> None:
    os.utime(project / name, None)
    assert errors() == BYTEXT
    (note,) = notes()["models/daily.sql"]
    assert note == (
        f"not checked: dbt decides on `file_format` when it runs, and `target/manifest.json` is older than `{name}`"
    )


@pytest.mark.parametrize(
    ("content", "why"),
    [
        *[(text, "cannot be read as a manifest of dbt") for text in ("", '{"no', "null", "[]", "{}")],
        ('{"nodes": {}}', "cannot be read as a manifest of dbt"),
        ('{"metadata": {}}', "does not name its adapter"),
    ],
)  # fmt: skip
def test_a_manifest_that_says_nothing(project: Path, content: str, why: str) -> None:
    (project / "target" / "manifest.json").write_text(content)
    assert errors() == BYTEXT
    (note,) = notes()["models/daily.sql"]
    assert note == (f"not checked: dbt decides on `file_format` when it runs, and `target/manifest.json` {why}")


def test_a_manifest_of_another_adapter(project: Path) -> None:
    changed(project, lambda m: m["metadata"].update(adapter_type="bigquery"))
    assert errors() == BYTEXT
    (note,) = notes()["models/daily.sql"]
    assert note == "not checked: dbt decides on `file_format` when it runs"


def test_a_manifest_before_version_7(project: Path) -> None:
    """It has other keys for the texts, and no list of the disabled ones by id."""

    def older(content: dict[str, Any]) -> None:
        content["disabled"] = []
        for node in content["nodes"].values():
            for kind in ("raw", "compiled"):
                if f"{kind}_code" in node:
                    node[f"{kind}_sql"] = node.pop(f"{kind}_code")

    changed(project, older)
    assert errors() == ALL


def test_a_manifest_without_a_text(project: Path) -> None:
    changed(project, lambda m: m["nodes"]["model.shop.daily"].update(raw_code=None))
    assert [error for error in errors() if error[0] == "models/daily.sql"] == []
    (note,) = notes()["models/daily.sql"]
    assert note.endswith("and `target/manifest.json` does not contain the text of `daily`")


def messages(path: str) -> list[tuple[str, str]]:
    return [(d.message, d.help or "") for name, _, d in every() if name == path]


def test_a_mapping_of_bigquery_is_an_error(project: Path) -> None:
    """dbt-spark loops over it, so that its keys are taken for columns."""
    (project / "models" / "events.sql").write_text(
        "{{ config(materialized='table', file_format='iceberg',"
        " partition_by={'field': 'ts', 'data_type': 'timestamp'}) }}\nselect 1 as id\n"
    )
    assert messages("models/events.sql") == [
        (
            "`partition_by` is a mapping; dbt-spark uses its keys as columns: `field`, `data_type`",
            "write `partition_by=['days(ts)']`",
        )
    ]


def test_a_list_with_a_mapping_is_an_error(project: Path) -> None:
    """dbt-spark writes each item into the clause, a mapping as Jinja writes it: `({'field': 'ts'}, id)`."""
    (project / "models" / "events.sql").write_text(
        "{{ config(materialized='table', file_format='iceberg',"
        " partition_by=[{'field': 'ts'}, 'id']) }}\nselect 1 as id\n"
    )
    (project / "models" / "more.sql").write_text("select 1 as id\n")
    (project / "models" / "more.yml").write_text(
        "models:\n  - name: more\n    config:\n      materialized: table\n      file_format: iceberg\n"
        "      partition_by:\n        - field: ts\n"
    )
    expected = "`partition_by` lists a mapping; dbt-spark copies it into the statement, which Spark refuses"
    for path in ("models/events.sql", "models/more.yml"):
        assert [message for message, _ in messages(path)] == [expected]


def test_a_changed_model(project: Path) -> None:
    """Its own entry does not count, nor does that of a model for those that read it."""
    path = project / "models" / "orders.sql"
    path.write_text(path.read_text().replace("placed_at", "placed_on").replace("price", "cost"))
    assert [error for error in errors() if error[0] == "models/orders.sql"] == []
    (note,) = notes()["models/orders.sql"]
    assert note.endswith("and the model has changed since dbt wrote `target/manifest.json`")
    edit(project / "models" / "daily.sql", "cast(country as string)", "country")
    assert ("models/daily.sql", "SIS202", ALL[0][2]) not in errors()


def test_the_columns_of_a_changed_model_are_not_known(project: Path) -> None:
    edit(project / "dbt_project.yml", "\"{{ var('format', 'iceberg') }}\"", "iceberg")
    path = project / "models" / "orders.sql"
    path.write_text(path.read_text() + "\n-- more\n")
    model_notes = notes()["models/orders.sql"]
    assert (
        "not checked: the columns, because the model has changed since dbt wrote `target/manifest.json`" in model_notes
    )
    assert [error for error in errors() if error[0] == "models/orders.sql"] == []


def test_line_ends_and_marks_are_no_change(project: Path) -> None:
    for name in ("orders", "daily"):
        path = project / "models" / f"{name}.sql"
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n")
    assert errors() == ALL


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["metadata"].update(adapter_type="duckdb"),
        lambda m: m["metadata"].update(project_name="other"),
        lambda m: m.update(nodes=[]),
        lambda m: m.update(nodes={"a": 3, "b": {"config": []}, "c": {}}),
        lambda m: m.update(metadata=None),
        lambda m: [n.update(raw_code=None) for n in m["nodes"].values()],
    ],
)
def test_another_manifest(project: Path, change: Any) -> None:
    changed(project, change)
    assert errors() == BYTEXT


@pytest.mark.parametrize("content", ["", "[]", "{", "[" * 100_000, "\ud800"])
def test_no_json(project: Path, content: str) -> None:
    path = project / "target" / "manifest.json"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    assert errors() == BYTEXT


@pytest.mark.parametrize("generated_at", [None, 3, "", "yesterday", "0001-01-01T00:00:00", "9999-12-31"])
def test_a_time_that_is_none(project: Path, generated_at: Any) -> None:
    """The file's own time counts, and never an earlier one than dbt's."""
    changed(project, lambda m: m["metadata"].update(generated_at=generated_at))
    assert errors() in (ALL, BYTEXT)
    changed(project, lambda m: m["metadata"].pop("generated_at"))
    assert errors() == ALL


@pytest.mark.parametrize("key", ["config", "contract", "columns", "depends_on", "raw_code"])
@pytest.mark.parametrize("value", [None, 3, "a", [], [3], {"a": 3}])
def test_nodes_of_another_shape(project: Path, key: str, value: Any) -> None:
    """A later dbt may write something else: what cannot be read is not used, and nothing fails."""
    changed(project, lambda m: m["nodes"]["model.shop.daily"].update({key: value}))
    assert {error for error in errors() if error[0] != "models/daily.sql"} <= set(ALL)


def test_parsed_but_not_compiled(project: Path) -> None:
    """The configuration is known, the query is not."""
    changed(project, lambda m: [n.pop("compiled_code", None) for n in m["nodes"].values()])
    findings = errors()
    assert ("models/orders.sql", "SIS201", "placed_at") not in findings
    assert ALL[0] in findings  # the query casts the column
    helps = [d.help for name, _, d in every() if name == "models/orders.sql"]
    assert any("run `dbt compile`" in (help_text or "") for help_text in helps)


def test_a_setting_names_the_manifest(project: Path) -> None:
    """It may be older than the files, as in CI, but each model is compared."""
    (project / "target" / "manifest.json").rename(project / "of_ci.json")
    for path in project.rglob("*"):
        os.utime(path, None)
    assert errors() == BYTEXT
    settings = Settings(dbt_manifest=project / "of_ci.json")
    assert errors(settings) == ALL
    path = project / "models" / "daily.sql"
    path.write_text(path.read_text().replace("one row", "a row"))
    assert errors(settings) == [error for error in ALL if error[0] != "models/daily.sql"]


def test_unsaved_yaml_is_newer(project: Path) -> None:
    linter, settings = Linter(), Settings()
    text = (project / "models" / "schema.yml").read_text()

    def found(name: str, text: str) -> list[str]:
        (report,) = linter.lint(linter.source(name, text, settings), settings)
        return [d.code for d in report if str(d.severity) != "note"]

    model = (project / "models" / "daily.sql").read_text()
    assert found("models/daily.sql", model) == ["SIS202"]
    found("models/schema.yml", text + "\n# more\n")
    assert found("models/daily.sql", model) == []
    found("models/schema.yml", text)
    assert found("models/daily.sql", model) == ["SIS202"]


def test_versions(project: Path) -> None:
    """The id of a model with versions has more than the name of its file."""

    def version(manifest: Any) -> None:
        node = manifest["nodes"].pop("model.shop.daily")
        node.update(unique_id="model.shop.other.v2", name="other", version=2)
        manifest["nodes"]["model.shop.other.v2"] = node

    changed(project, version)
    assert ALL[0] in errors()


def test_ignores(project: Path) -> None:
    changed(
        project,
        lambda m: m["nodes"]["model.shop.daily"].update(
            raw_code=m["nodes"]["model.shop.daily"]["raw_code"].replace("}}\n", "}} -- noqa: SIS202\n", 1)
        ),
    )
    edit(project / "models" / "daily.sql", "}}\n", "}} -- noqa: SIS202\n")
    assert [error for error in errors() if error[0] == "models/daily.sql"] == []


def test_a_disabled_model(project: Path) -> None:
    assert [name for name, _, _ in errors() if name == "models/off.sql"] == []
    edit(project / "models" / "off.sql", "var('all', false)", "true")
    edit(project / "dbt_project.yml", "\"{{ var('format', 'iceberg') }}\"", "iceberg")
    assert ("models/off.sql", "SIS101", "weeks") in errors()


@pytest.mark.parametrize("value", [";", "days(id)); DROP TABLE x; --", "'", "`", "{{", "/*", "\\"])
def test_values_that_are_no_clause(project: Path, value: str) -> None:
    """Whatever a variable has, all findings are in the model, at the place of the value."""
    changed(project, lambda m: m["nodes"]["model.shop.daily"]["config"].update(partition_by=[value]))
    model_text = (project / "models" / "daily.sql").read_text()
    for name, at, _ in every():
        if name == "models/daily.sql":
            assert at in model_text


@pytest.mark.parametrize(
    ("text", "compiled"),
    [
        ("select {{ a }} as x from {{ b }} where y\n", "select 1 as x from db.t where y"),
        ("{{ config() }}\n\nselect 1", "\n\nselect 1"),
        ("  {{ config() -}}\n\nselect {{ a }}", "select 2"),
        ("select a{% if x %}, b{% else %}, c{% endif %}\nfrom t -- {# no #}", "select a, b\nfrom t -- "),
        (
            "{% set x = [1] %}select {% for y in x %}{{ y }}{{ ',' if not loop.last }}{% endfor %} from t",
            "select 1 from t",
        ),
        ("{% set x %} from {% endset %}select {% raw %}a{{ b }}{% endraw %} from t", "select a{{ b }} from t"),
        ("select {{ a }}", "with c as (select 1) select 3"),
        ("select {{ a }} from t", "other"),
        ("{% if x %}", ""),
        ("{{ a", "1"),
        ("", "select 1"),
        ("é {{ a }} 😀", "é 1 😀"),
    ],
)
def test_places_in_the_compiled_query(text: str, compiled: str) -> None:
    """Text outside of templates is at its own place; everything else is inside of the text."""
    fragment = compiled_query(text, compiled, (0, len(text)))
    assert fragment.sql == compiled
    for offset, char in enumerate(compiled):
        start, end = fragment.source_span(offset, offset + 1)
        assert 0 <= start <= end <= len(text)
        assert end - start != 1 or text[start] == char or "{" not in text
    if "from t" in compiled and compiled.startswith("select") and compiled != "other":
        at = compiled.index("from t")
        assert text[slice(*fragment.source_span(at, at + 6))] == "from t"
