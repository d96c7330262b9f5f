# ruff: noqa: E501 - a case is a line
"""Partitioning in dbt and SQLMesh projects: in models, in YAML, and where neither can be read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Report, apply_edits
from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.discovery import find_files

PROJECT = """\
name: shop
version: '1.0'
profile: shop
models:
  shop:
    +materialized: incremental
    +file_format: iceberg
    archive:
      +file_format: parquet
    reports:
      +materialized: view
"""
QUERY = "select cast(a as bigint) as id, cast(b as timestamp) as ts, c as kind from {{ ref('events') }}\n"
BAD = "bucket(id, 16)"

Write = Callable[[dict[str, str]], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def files(content: dict[str, str]) -> None:
        for name, text in content.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())

    return files


def reports(*paths: str, **settings: object) -> list[Report]:
    linter, lint_settings = Linter(), Settings(**settings)  # type: ignore[arg-type]
    texts = [Path(path).read_bytes().decode("utf-8-sig") for path in paths]
    return [
        report
        for path, text in zip(paths, texts, strict=True)
        for report in linter.lint(linter.source(path, text, lint_settings), lint_settings)
    ]


def found(*, notes: bool = False) -> list[tuple[str, str, str]]:
    """File, code and place of all findings under the working directory that are no notes; or of the notes alone."""
    return [
        (report.filename or "", d.code, report.text[d.span.start : d.span.end])
        for report in reports(*find_files(["."], lambda path: False))
        for d in report
        if (str(d.severity) == "note") == notes
    ]


def model(config: str, query: str = QUERY) -> str:
    return f"{{{{ config({config}) }}}}\n{query}"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("partition_by=['days(ts)', 'bucket(16, id)']", []),
        ("partition_by='days(ts), bucket(16, id)'", []),
        ("partition_by=['bucket(16', 'id)']", []),  # dbt joins them with a comma
        ("partition_by=['bucket(id, 16)']", [("SIS104", "id, 16")]),
        ('partition_by="bucket(id, 16)"', [("SIS104", "id, 16")]),
        ("partition_by=('days(ts)', 'weeks(ts)')", [("SIS101", "weeks")]),
        ("partition_by=['days(ts)', 'hours(ts)']", [("SIS303", "hours(ts)")]),
        ("partition_by=['days(id)']", [("SIS202", "id")]),
            ("partition_by=['id', 'id']", [("SIS301", "id")]),
        ("partition_by=['days(\\'ts\\')']", [("SIS102", "\\'ts\\'")]),
        ("\n    materialized='table',\n    partition_by = [\n        'days(ts)',\n        'bucket(0, id)',\n    ],\n", [("SIS103", "0")]),
        ("{'partition_by': 'bucket(id, 16)'}", [("SIS104", "id, 16")]),
        ("partition_by=['bucket(id, 16)'], tags=[var('x')], pre_hook=\"select 1\", enabled=true", [("SIS104", "id, 16")]),
        # Not Iceberg's, or no table.
        ("partition_by=['bucket(id, 16)'], file_format='parquet'", []),
        ("partition_by=['bucket(id, 16)'], file_format='delta'", []),
        ("partition_by=['bucket(id, 16)'], file_format=none", []),
        ("partition_by=['bucket(id, 16)'], file_format=var('f', 'delta')", []),
        ("partition_by=['bucket(id, 16)'], materialized='view'", []),
        ("partition_by=['bucket(id, 16)'], materialized='ephemeral'", []),
        ("partition_by=['bucket(id, 16)'], materialized='materialized_view'", []),
        ("partition_by=['bucket(id, 16)'], enabled=false", []),
        ("partition_by=none", []),
        # BigQuery's.
        ("partition_by={'field': 'ts', 'data_type': 'timestamp'}", [("SIS412", "{'field': 'ts', 'data_type': 'timestamp'}")]),
        # Hive's buckets.
        ("clustered_by='id', buckets=8", [("SIS412", "'id'")]),
        ("clustered_by=['id', 'ts'], buckets=8", [("SIS412", "['id', 'ts']")]),
        ("clustered_by=['id'], partition_by=['days(ts)']", [("SIS412", "['id']")]),
        ("clustered_by=['id'], buckets=8, file_format='parquet'", []),
        ("clustered_by=none, buckets=8", []),
        ("clustered_by=var('c'), buckets=8", []),
        # What only dbt knows.
        ("partition_by=var('by')", []),
        ("partition_by=['days(ts)', env_var('BY')]", []),
        ("partition_by=['bucket(id, 16)'] if target.name == 'prod' else []", []),
        ("partition_by=['bucket(id, ' ~ n ~ ')']", []),
        ("**common()", []),
    ],
)  # fmt: skip
def test_models(write: Write, config: str, expected: list[tuple[str, str]]) -> None:
    write({"dbt_project.yml": PROJECT, "models/a.sql": model(config)})
    assert found() == [("models/a.sql", code, at) for code, at in expected]


@pytest.mark.parametrize(
    "config",
    [
        "partition_by=var('by')",
        "partition_by=['days(ts)'] if x else none",
        "partition_by='days(ts)', file_format=var('f', 'iceberg')",
        "partition_by=['bucket(id, ' ~ n ~ ')']",
    ],
)
def test_what_only_dbt_knows_is_said(write: Write, config: str) -> None:
    write({"dbt_project.yml": PROJECT, "models/a.sql": model(config)})
    assert [code for _, code, _ in found(notes=True)] == ["SIS002"]


@pytest.mark.parametrize(
    "text",
    [
        # dbt runs what a comment of SQL says, and nothing of what a comment of Jinja says.
        f"{{# {{{{ config(partition_by='{BAD}') }}}} #}}\n{QUERY}",
        f"{{% macro m() %}}{{{{ config(partition_by='{BAD}') }}}}{{% endmacro %}}\n{QUERY}",
        f"{{% if target.name == 'x' %}}{{{{ config(partition_by='{BAD}') }}}}{{% endif %}}\n{QUERY}",
        f"{{% raw %}}{{{{ config(partition_by='{BAD}') }}}}{{% endraw %}}\n{QUERY}",
        f"-- partition_by='{BAD}'\n{QUERY}",
        f"{{% set c = config.get('partition_by', '{BAD}') %}}\n{QUERY}",
        f"{{% do config(partition_by='{BAD}') %}}\n{QUERY}",
    ],
)
def test_what_may_not_run_is_not_judged(write: Write, text: str) -> None:
    write({"dbt_project.yml": PROJECT, "models/a.sql": text})
    assert found() == []


def test_only_what_dbt_reads(write: Write) -> None:
    bad = model(f"partition_by='{BAD}', materialized='table', file_format='iceberg'")
    write(
        {
            "dbt_project.yml": PROJECT + "model-paths: [models, more]\n",
            "models/x/a.sql": bad,
            "more/b.sql": bad,
            "models/archive/c.sql": model(f"partition_by='{BAD}'"),
            "models/reports/d.sql": model(f"partition_by='{BAD}'"),
            "analyses/e.sql": bad,
            "target/compiled/shop/models/x/a.sql": bad,
            "dbt_packages/p/dbt_project.yml": PROJECT,
            "dbt_packages/p/models/f.sql": bad,
            "models/dbt_packages/g.sql": bad,
        }
    )
    assert sorted({file for file, _, _ in found()}) == ["models/x/a.sql", "more/b.sql"]


def test_no_project_no_model(write: Write) -> None:
    write({"models/a.sql": model(f"partition_by='{BAD}', materialized='table', file_format='iceberg'")})
    assert found() == []


@pytest.mark.parametrize("kind", ["bigquery", "snowflake", "trino", "athena", "postgres"])
def test_another_engine(write: Write, kind: str) -> None:
    profile = f"shop:\n  target: dev\n  outputs:\n    dev: {{type: {kind}, host: x}}\n"
    write({"dbt_project.yml": PROJECT, "profiles.yml": profile, "models/a.sql": model(f"partition_by='{BAD}'")})
    assert found() == []
    write({"profiles.yml": profile.replace(kind, "spark")})
    assert len(found()) == 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("before", ["", "\n", "\n\n  ", "-- a comment\n", "{{ config(tags=['é😀']) }}\n\n", "\ufeff"])
def test_places_in_models(write: Write, end: str, before: str) -> None:
    text = f"{before}{{{{-\n  config(\n    partition_by=['days(ts)',\n      'bucket(id, 16)'])\n-}}}}\n{QUERY}"
    write({"dbt_project.yml": PROJECT, "models/a.sql": text.replace("\n", end)})
    assert found() == [("models/a.sql", "SIS104", "id, 16")]


YAML = """\
version: 2
x-common: &common
  file_format: iceberg
models:
  - name: a
    config:
      <<: *common
      partition_by:{by}
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (" bucket(id, 16)", [("SIS104", "id, 16")]),
        (" 'bucket(id, 16)'", [("SIS104", "id, 16")]),
        (' "bucket(id, 16)"', [("SIS104", "id, 16")]),
        (" ['days(ts)', \"bucket(id, 16)\"]", [("SIS104", "id, 16")]),
        ("\n        - days(ts)\n        - bucket(id, 16)  # é", [("SIS104", "id, 16")]),
        (" [bucket(16, id), days(ts)]", []),  # two texts, which dbt joins again
        (" [days(ts), weeks(ts)]", [("SIS101", "weeks")]),
        (" >-\n        days(ts),\n        weeks(ts)", [("SIS101", ">-\n        days(ts),\n        weeks(ts)")]),
        ("\n        - bucket(id, 16)  # noqa: SIS104\n        - weeks(ts)", [("SIS101", "weeks")]),
        (" \"{{ var('by') }}\"", []),
        (" \"{{ 'days(ts)' if target.name == 'x' else 'weeks(ts)' }}\"", []),
        (" ~", []),
        ("", []),
        (" {field: ts, data_type: date}", [("SIS412", "{field: ts, data_type: date}")]),
        (" {a: ts}", []),
        (" [{field: ts}]", [("SIS412", "[{field: ts}]")]),
        (" days(ts)\n      clustered_by: [id, ts]\n      buckets: 8", [("SIS412", "[id, ts]")]),
    ],
)
def test_yaml(write: Write, by: str, expected: list[tuple[str, str]], end: str) -> None:
    write(
        {"dbt_project.yml": PROJECT, "models/a.sql": QUERY, "models/schema.yml": YAML.format(by=by).replace("\n", end)}
    )
    assert found() == [("models/schema.yml", code, at.replace("\n", end)) for code, at in expected]


def test_what_a_file_says_of_itself_counts_most(write: Write) -> None:
    entry = "models:\n  - {name: a, config: {partition_by: weeks(ts)}}\n"
    general = PROJECT + "    x: {+partition_by: minutes(ts)}\n"
    write({"dbt_project.yml": general, "models/x/a.sql": QUERY})
    assert found() == [("dbt_project.yml", "SIS101", "minutes")]
    write({"models/x/schema.yml": entry})
    assert found() == [("models/x/schema.yml", "SIS101", "weeks")]
    write({"models/x/a.sql": model(f"partition_by='{BAD}'")})
    assert found() == [("models/x/a.sql", "SIS104", "id, 16")]
    write({"models/x/a.sql": model("file_format='parquet'")})
    assert found() == []


@pytest.mark.parametrize(
    ("general", "expected"),
    [
        ("models:\n  +file_format: iceberg\n  +materialized: table\n  +partition_by: weeks(ts)\n", 1),
        ("models:\n  shop:\n    +file_format: iceberg\n    materialized: table\n    partition_by: weeks(ts)\n", 1),
        ("models:\n  shop:\n    x:\n      a: {+file_format: iceberg, +materialized: table, +partition_by: weeks(ts)}\n", 1),
        ("models:\n  shop:\n    +partition_by: days(ts)\n    +file_format: iceberg\n    +materialized: table\n    x: {+partition_by: weeks(ts)}\n", 1),
        ("models:\n  shop:\n    +partition_by: weeks(ts)\n    +file_format: iceberg\n    +materialized: table\n    x: {+partition_by: days(ts)}\n", 0),
        ("models:\n  other:\n    +file_format: iceberg\n    +materialized: table\n    +partition_by: weeks(ts)\n", 0),
        ("models:\n  +file_format: iceberg\n  +partition_by: weeks(ts)\n", 0),  # views
        ("models:\n  +file_format: iceberg\n  +materialized: table\n  +enabled: false\n  +partition_by: weeks(ts)\n", 0),
        ("seeds:\n  +file_format: iceberg\n  +partition_by: weeks(ts)\n", 0),
        ("models:\n  +file_format: \"{{ env_var('F', 'delta') }}\"\n  +materialized: table\n  +partition_by: weeks(ts)\n", 0),
        ("models: [\n", 0),
        ("vars: {a: *nowhere}\n", 0),
    ],
)  # fmt: skip
def test_folders(write: Write, general: str, expected: int) -> None:
    write({"dbt_project.yml": f"name: shop\n{general}", "models/x/a.sql": QUERY})
    assert len(found()) == expected


CONTRACT = """\
models:
  - name: a
    config: {contract: {enforced: %s}, partition_by: [days(kind), nope]}
    columns:
      - {name: id, data_type: bigint}
      - {name: kind, data_type: string}
      - {name: other, data_type: "struct<a: int>"}
"""


def test_an_enforced_contract_has_the_columns(write: Write) -> None:
    write({"dbt_project.yml": PROJECT, "models/a.sql": "{{ build() }}\n", "models/a.yml": CONTRACT % "true"})
    assert found() == [("models/a.yml", "SIS202", "kind"), ("models/a.yml", "SIS201", "nope")]
    write({"models/a.yml": CONTRACT % "false"})  # documentation, which may be wrong
    assert found() == []


def test_a_catalog_counts_while_it_is_newer(write: Write, tmp_path: Path) -> None:
    columns = {"id": {"name": "id", "type": "bigint", "index": 1}, "k": {"name": "k", "type": "string", "index": 2}}
    catalog = {"nodes": {"model.shop.a": {"columns": columns}}}
    write(
        {
            "dbt_project.yml": PROJECT,
            "models/a.sql": model("partition_by=['days(k)', 'nope']", "{{ build() }}\n"),
            "target/catalog.json": json.dumps(catalog),
        }
    )
    later = (tmp_path / "models/a.sql").stat().st_mtime + 10
    os.utime(tmp_path / "target/catalog.json", (later, later))
    assert found() == [("models/a.sql", "SIS202", "k"), ("models/a.sql", "SIS201", "nope")]
    os.utime(tmp_path / "models/a.sql", (later + 10, later + 10))
    assert found() == []
    for broken in ("", "[]", '{"nodes": {"model.shop.a": {"columns": 3}}}'):
        write({"target/catalog.json": broken})
        os.utime(tmp_path / "target/catalog.json", (later + 20, later + 20))
        assert found() == []


def test_seeds(write: Write) -> None:
    general = "seeds:\n  shop:\n    +file_format: iceberg\n    countries: {+partition_by: [contry, days(since)], +column_types: {since: string}}\n"
    write({"dbt_project.yml": f"name: shop\n{general}", "seeds/countries.csv": "country,since\nDE,1949\n"})
    assert found() == [("dbt_project.yml", "SIS201", "contry"), ("dbt_project.yml", "SIS202", "since")]


def test_snapshots(write: Write) -> None:
    text = f"{{% snapshot s %}}\n{{{{ config(file_format='iceberg', partition_by='{BAD}', unique_key='id') }}}}\nselect * from x\n{{% endsnapshot %}}\n"
    entry = "snapshots:\n  - {name: t, relation: ref('a'), config: {file_format: iceberg, partition_by: weeks(dbt_valid_to)}}\n"
    write({"dbt_project.yml": "name: shop\n", "snapshots/s.sql": text, "snapshots/t.yml": entry})
    assert found() == [("snapshots/s.sql", "SIS104", "id, 16"), ("snapshots/t.yml", "SIS101", "weeks")]


def test_models_in_python_are_not_partitioned(write: Write) -> None:
    text = "def model(dbt, session):\n    dbt.config(partition_by=['days(ts)'])\n    return dbt.ref('a')\n"
    write({"dbt_project.yml": PROJECT, "models/a.py": text})
    assert found(notes=True) == [("models/a.py", "SIS002", "['days(ts)']")]
    write({"models/a.py": text.replace("partition_by=", "file_format='parquet', partition_by=")})
    assert found(notes=True) == []


def test_without_pyyaml(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_nodes, "is_installed", lambda: False)
    alone = "partition_by='weeks(ts)', materialized='table', file_format='iceberg'"
    write(
        {
            "dbt_project.yml": PROJECT,
            "models/a.sql": model(alone),
            "models/b.sql": model("partition_by='weeks(ts)'"),
            "models/c.yml": YAML.format(by=" weeks(ts)"),
        }
    )
    assert found() == [("models/a.sql", "SIS101", "weeks")]
    advice = {(r.filename, d.help) for r in reports("models/b.sql", "models/c.yml") for d in r}
    assert advice == {(name, "pip install 'spark-iceberg-sql[dbt]'") for name in ("models/b.sql", "models/c.yml")}


@pytest.mark.parametrize(
    ("name", "text", "fixed"),
    [
        ("models/a.sql", model("partition_by=['days(ts)', 'bucket(id, 16)']"), "'days(ts)', 'bucket(16, id)'"),
        ("models/a.yml", YAML.format(by=" [days(ts), 'bucket(id, 16)']"), "[days(ts), 'bucket(16, id)']"),
        ("models/a.yml", YAML.format(by="\n        - bucket(id, 16)"), "- bucket(16, id)"),
        ("models/a.yml", YAML.format(by=" &by 'bucket(id, 16)'"), None),
        ("models/a.yml", YAML.format(by=' "bucket(\\x69d, 16)"'), None),
        ("models/a.yml", YAML.format(by=" [bucket(id, 16)]"), None),
    ],
)
def test_fixes(write: Write, name: str, text: str, fixed: str | None) -> None:
    write({"dbt_project.yml": PROJECT, "models/a.sql": QUERY, name: text})
    (report,) = reports(name)
    fixes = [d.fix for d in report if d.fix is not None]
    assert len(fixes) == (fixed is not None)
    if fixed is not None:
        after = apply_edits(report.text, fixes[0].edits)
        assert fixed in after
        assert after.replace(fixed, "") == text.replace(fixed.replace("16, id", "id, 16"), "")


STANDALONE = QUERY.replace("{{ ref('events') }}", "raw.events").replace("c as kind", "'c' as kind")


def test_ignores_and_what_follows_in_models(write: Write) -> None:
    write(
        {
            "dbt_project.yml": PROJECT,
            "models/a.sql": "{{ config(\n  partition_by='ts'\n) }} -- noqa: SIS501\n" + STANDALONE,
            "models/b.sql": "-- iceberg-sql: ignore[SIS501] wanted\n" + model("partition_by='ts'", STANDALONE),
            "models/c.sql": model(
                "partition_by='ts', post_hook=\"ALTER TABLE {{ this }} ADD PARTITION FIELD weeks(ts)\"", STANDALONE
            ),
        }
    )
    assert found() == [("models/c.sql", "SIS501", "ts"), ("models/c.sql", "SIS101", "weeks")]


def test_the_branches_of_other_engines_are_not_judged(write: Write) -> None:
    query = (
        "select {% if target.type == 'x' %}cast(b as string){% else %}cast(b as timestamp){% endif %} as ts from r\n"
    )
    write({"dbt_project.yml": PROJECT, "models/a.sql": model("partition_by=['days(ts)', 'weeks(ts)']", query)})
    assert found() == [("models/a.sql", "SIS101", "weeks")]


def test_a_text_that_is_not_written_yet(write: Write) -> None:
    write({"dbt_project.yml": PROJECT, "models/a.sql": QUERY, "models/a.yml": YAML.format(by=" weeks(ts)")})
    linter, settings = Linter(), Settings()
    for text in (YAML.format(by=" weeks(ts)"), "# one\n# two\n" + YAML.format(by=" ['minutes(ts)']")):
        (report,) = linter.lint(linter.source("models/a.yml", text, settings), settings)
        assert [text[d.span.start : d.span.end] for d in report if d.code == "SIS101"] in (["weeks"], ["minutes"])
    assert "minutes" in text


def test_aliases_of_aliases_take_no_time(write: Write) -> None:
    bomb = "a0: &a0 {x: 1}\n" + "".join(
        f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 40)
    )
    loop = "b: &b {<<: *b, c: [*b]}\n"
    entry = "models:\n  - name: a\n    config: {<<: *a39, partition_by: weeks(ts)}\n"
    write({"dbt_project.yml": PROJECT, "models/a.sql": QUERY, "models/a.yml": bomb + loop + entry})
    assert found() == [("models/a.yml", "SIS101", "weeks")]


def test_messages_speak_of_the_model(write: Write) -> None:
    write({"dbt_project.yml": PROJECT, "models/a.sql": model("partition_by='days(kind)'")})
    sentences = " ".join(f"{d.message} {d.help}" for report in reports("models/a.sql") for d in report)
    assert "contract" in sentences
    assert "DataFrame" not in sentences
    assert "session" not in sentences


MODEL = "MODEL (\n  name shop.a,\n  kind FULL,\n  dialect spark,\n  table_format iceberg,\n  {}\n);\n\nSELECT CAST(x AS BIGINT) AS id, CAST(y AS STRING) AS kind FROM shop.raw WHERE d BETWEEN @start_ds AND @end_ds;\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MODEL.format("partitioned_by (id, kind)"), []),
        (MODEL.format("partitioned_by kind"), []),
        (MODEL.format("partitioned_by [id, kind]"), []),
        (MODEL.format("partitioned_by (nope)"), [("SIS201", "nope")]),
        (MODEL.format("partitioned_by days(kind)"), [("SIS202", "kind")]),
        (MODEL.format("partitioned_by (bucket(id, 16)), -- a (comment\n  owner 'x'"), [("SIS104", "id, 16")]),
        (MODEL.format("partitioned_by (days(at)), columns (id BIGINT, at STRING)"), [("SIS202", "at")]),
        (MODEL.format("PARTITIONED_BY (weeks(id))").replace("MODEL", "/* a */ model"), [("SIS101", "weeks")]),
        (MODEL.format("partitioned_by (weeks(id))").replace("\n", "\r\n"), [("SIS101", "weeks")]),
        # Another engine's, another format's, or no table.
        (MODEL.format("partitioned_by (weeks(id))").replace("dialect spark", "dialect trino"), []),
        (MODEL.format("partitioned_by (weeks(id))").replace("  dialect spark,\n", ""), []),
        (MODEL.format("partitioned_by (weeks(id))").replace("iceberg", "delta"), []),
        (MODEL.format("partitioned_by (weeks(id))").replace("FULL", "VIEW"), []),
        (MODEL.format("partitioned_by (weeks(id))").replace("  kind FULL,\n", ""), []),
        (MODEL.format("partitioned_by (weeks(id)), enabled false"), []),
        (MODEL.format("partitioned_by (weeks(id)").replace(");", ";"), []),
        (MODEL.format("description 'partitioned_by (weeks(id))'"), []),
    ],
)
def test_sqlmesh(write: Write, text: str, expected: list[tuple[str, str]]) -> None:
    write({"models/a.sql": text})
    assert found() == [("models/a.sql", code, at) for code, at in expected]


@pytest.mark.tier("quick")
@pytest.mark.parametrize(
    "many", ["/* a */\n", "-- a\n", "/* partitioned_by -- */", " \n\t", "MODEL (", "(", "'", "{% if target"]
)
def test_much_of_the_same_takes_no_time(write: Write, many: str) -> None:
    write(
        {
            "dbt_project.yml": PROJECT,
            "models/a.sql": many * 3000 + "partitioned_by " + model("partition_by='weeks(ts)'"),
        }
    )
    found()


def test_sqlmesh_defaults_of_the_project(write: Write) -> None:
    bare = MODEL.format("partitioned_by (weeks(id))").replace("  dialect spark,\n  table_format iceberg,\n", "")
    write(
        {
            "models/x/a.sql": bare,
            "config.yaml": "gateways: {}\nmodel_defaults: {dialect: spark, table_format: iceberg}\n",
        }
    )
    assert found() == [("models/x/a.sql", "SIS101", "weeks")]
    write({"config.yaml": "gateways: {}\nmodel_defaults: {dialect: duckdb}\n"})
    assert found() == []


def test_sqlmesh_says_that_it_takes_no_transforms(write: Write) -> None:
    write({"a.sql": MODEL.format("partitioned_by (truncate(2, kind))"), "b.sql": MODEL.format("partitioned_by (kind)")})
    assert [(file, at) for file, _, at in found(notes=True)] == [("a.sql", "truncate(2, kind)")]


def test_sqlmesh_models_in_python(write: Write) -> None:
    text = 'from sqlmesh import model\n\n@model(\n    "shop.a",\n    kind="full",\n    dialect="spark",\n    table_format="iceberg",\n    columns={"id": "bigint", "kind": "string"},\n    partitioned_by=["days(kind)", "nope"],\n)\ndef execute(context, **kwargs):\n    ...\n'
    write({"models/a.py": text})
    assert found() == [("models/a.py", "SIS202", "kind"), ("models/a.py", "SIS201", "nope")]
    write({"models/a.py": text.replace("from sqlmesh", "from elsewhere")})
    assert found() == []


def test_an_ignore_comment_where_the_columns_are_known(write: Write) -> None:
    entry = CONTRACT.replace(", partition_by: [days(kind), nope]", "") % "true"
    text = model("partition_by=['days(kind)']").replace("}}", "}} -- noqa: SIS202", 1)
    write({"dbt_project.yml": PROJECT, "models/a.sql": text, "models/a.yml": entry})
    assert found() == []
    write({"models/a.sql": text.replace("-- noqa: SIS202", "-- no")})
    assert found() == [("models/a.sql", "SIS202", "kind")]
