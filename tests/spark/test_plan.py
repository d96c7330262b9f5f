"""A plan is a prediction: it is compared with what the runtime then does."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path

import pytest
from samples import FULL, share

import spark_iceberg_sql as sis
from spark_iceberg_sql.model.metadata.metadata_json import table_from_metadata
from spark_iceberg_sql.spark.bridge.tables import catalog_entries
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.gate.session_tables import SessionTables

COLUMNS = "id bigint, name string, ts timestamp, d date, n decimal(9, 2)"
TERMS = (
    *("id", "name", "bucket(4, id)", "bucket(16, id)", "bucket(8, name)", "truncate(4, name)"),
    *("truncate(10, id)", "years(ts)", "months(ts)", "days(ts)", "hours(ts)", "days(d)"),
    *("months(d)", "truncate(5, n)"),
)


def real(spark, name):
    """The table's specs in its newest metadata file."""
    rows = intercept.unchecked_sql(spark)(f"SELECT file FROM {name}.metadata_log_entries").collect()
    text = Path(rows[-1].file.removeprefix("file:")).read_text()
    return table_from_metadata(("t",), json.loads(text)).specs


def flat(specs):
    return (
        specs.current,
        specs.last_field_id,
        [(s.spec_id, [(f.field_id, f.name, f.source_id, str(f.transform)) for f in s.fields]) for s in specs.all_specs],
    )


@pytest.mark.parametrize("version", [1, 2, 3])
def test_predicted_evolutions_are_the_runtimes(spark, version):
    """Random evolutions: every statement that the plan accepts succeeds, with exactly the predicted result."""
    rng = random.Random(41 + version)
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.plan")
    planned = refused = 0
    for round_ in share(range(8), 3):
        name = f"local.plan.v{version}_{round_}"
        start = rng.sample(TERMS, rng.randint(0, 2))
        clause = f"PARTITIONED BY ({', '.join(start)})" if start else ""
        create = (
            f"CREATE TABLE {name} ({COLUMNS}) USING iceberg {clause} TBLPROPERTIES ('format-version' = '{version}')"
        )
        if not sis.plan(spark, create).report.ok:
            continue
        intercept.unchecked_sql(spark)(create)
        for step in range(8):
            statement = _statement(rng, real(spark, name), name, step)
            plan = sis.plan(SessionTables(spark, intercept.unchecked_sql(spark)), statement)
            if plan.after is None:
                refused += 1
                continue
            intercept.unchecked_sql(spark)(statement)
            assert flat(real(spark, name)) == flat(plan.after), statement
            planned += 1
        intercept.unchecked_sql(spark)(f"DROP TABLE {name}")
    assert planned > (30 if FULL else 8)
    assert refused > (2 if FULL else 0)


def _statement(rng, specs, name, step):
    term = rng.choice(TERMS)
    alias = rng.choice(["", "", f" AS f{step}"])
    current = [f for f in specs.spec.fields if not f.transform.is_void]
    kind = rng.choice(["add", "add", "drop", "replace", "create"])
    if kind == "create" and step % 3 == 0:
        terms = ", ".join(rng.sample(TERMS, 2))
        return f"CREATE OR REPLACE TABLE {name} ({COLUMNS}) USING iceberg PARTITIONED BY ({terms})"
    if kind in ("add", "create") or not current:
        return f"ALTER TABLE {name} ADD PARTITION FIELD {term}{alias}"
    field = rng.choice(current)
    old = rng.choice([field.clause, field.name])
    if kind == "drop":
        return f"ALTER TABLE {name} DROP PARTITION FIELD {old}"
    return f"ALTER TABLE {name} REPLACE PARTITION FIELD {old} WITH {term}{alias}"


@pytest.fixture
def filled(spark):
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.plan")
    spark.sql("DROP TABLE IF EXISTS local.plan.filled")
    spark.sql(f"CREATE TABLE local.plan.filled ({COLUMNS}) USING iceberg PARTITIONED BY (bucket(4, id), days(ts))")
    spark.sql("INSERT INTO local.plan.filled SELECT id, 'a', timestamp'2024-01-01', null, null FROM range(20)")
    return "local.plan.filled"


@pytest.mark.tier("quick", of="plan")
def test_asking_changes_nothing_and_says_where_the_files_stay(spark, filled):
    before = flat(real(spark, filled))
    plan = sis.plan(spark, f"ALTER TABLE {filled} REPLACE PARTITION FIELD days(ts) WITH hours(ts)")
    assert flat(real(spark, filled)) == before
    assert [(c.change, c.field.name) for c in plan.changes] == [
        ("kept", "id_bucket"),
        ("added", "ts_hour"),
        ("dropped", "ts_day"),
    ]
    assert [(f.spec_id, f.files) for f in plan.staying] == [(0, 4)]
    assert plan.staying[0].size > 0
    text = str(plan)
    assert "4 (" in text
    assert "stay under spec 0" in text
    assert "rewrite_data_files" in text
    spark.sql(f"ALTER TABLE {filled} CREATE BRANCH keep")  # whose files stay under spec 0
    spark.sql(f"DELETE FROM {filled}")
    plan = sis.plan(spark, f"ALTER TABLE {filled} DROP PARTITION FIELD ts_day")
    assert "files: none of the current snapshot stay under another spec" in str(plan)


@pytest.mark.parametrize("version", [1, 2])
def test_files_are_those_of_the_metadata_table(spark, version, monkeypatch):
    """However they are counted: from the manifest list, from some manifests, or by a query."""
    table = f"local.plan.counted{version}"
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(4, id)) "
        f"TBLPROPERTIES ('format-version' = '{version}', 'write.delete.mode' = 'merge-on-read')"
    )
    quick = []
    loads = []
    load = catalog_entries.load
    monkeypatch.setattr(catalog_entries, "load", lambda *arguments: loads.append(arguments) or load(*arguments))
    insert = f"INSERT INTO {table} SELECT id, timestamp'2024-01-01' FROM range(20)"
    for statement in (
        "SELECT 1",
        insert,
        insert,
        f"DELETE FROM {table} WHERE iceberg_bucket(4, id) = 2",
        f"ALTER TABLE {table} ADD PARTITION FIELD days(ts)",
        f"CALL local.system.rewrite_manifests('{table.removeprefix('local.')}')",
        insert,
        f"INSERT OVERWRITE {table} SELECT 1, timestamp'2024-01-01'",
        f"DELETE FROM {table} WHERE id = 3",
        f"DELETE FROM {table} WHERE id = 1",
    ):
        spark.sql(statement)
        query = f"SELECT spec_id, count(*), sum(file_size_in_bytes) FROM {table}.data_files GROUP BY 1 ORDER BY 1"
        expected = [tuple(row) for row in spark.sql(query).collect()]
        loaded = catalog_entries.load(spark, ("local", "plan", f"counted{version}")).table
        for limit in (2000, 0, -1):  # manifests that may be read
            monkeypatch.setattr(catalog_entries, "_MAX_MANIFESTS", limit)
            loads.clear()
            plan = sis.plan(spark, f"ALTER TABLE {table} ADD PARTITION FIELD hours(ts)")
            assert [(f.spec_id, f.files, f.size) for f in plan.files] == expected
            assert len(loads) == 1
            if limit == 0:
                quick.append(catalog_entries.files_by_spec(loaded) is not None)
    assert quick[:7] == [*[True] * 6, False]  # the last has files of two specs


def test_the_rewrite_it_names_works(spark, filled):
    statement = f"ALTER TABLE {filled} ADD PARTITION FIELD truncate(2, name)"
    plan = sis.plan(spark, statement)
    spark.sql(statement)
    spark.sql(plan.rewrite)
    rows = spark.sql(f"SELECT DISTINCT spec_id FROM {filled}.files").collect()
    assert [row.spec_id for row in rows] == [plan.after.current]
    assert spark.table(filled).count() == 20


def test_a_table_that_is_replaced_keeps_no_file(spark, filled):
    text = f"/* anew */ CREATE OR REPLACE TABLE {filled} ({COLUMNS}) USING iceberg PARTITIONED BY (id)"
    plan = sis.plan(spark, text)
    assert "keeps none of its files" in str(plan)
    assert (plan.files, plan.rewrite) == (None, None)
    spark.sql(text)
    assert spark.table(f"{filled}.files").count() == 0


NAMES = ("t", "日本", "o'brien", "a`b", "a b", "a-b", "1t", "select", 'a"b', "été", "a.b", "a\\\\b")


@pytest.mark.parametrize(
    ("namespace", "name"), [("db", name) for name in NAMES] + share([*product(("d'b", "日"), NAMES)], 7)
)
def test_the_rewrite_it_names_works_for_every_name(spark, namespace, name):
    """In an in-memory catalog, as folders cannot have every name."""
    spark.conf.set("spark.sql.catalog.in-memory", "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set("spark.sql.catalog.in-memory.catalog-impl", "org.apache.iceberg.inmemory.InMemoryCatalog")
    table = ".".join("`" + part.replace("`", "``") + "`" for part in ("in-memory", namespace, name))
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS `in-memory`.`{namespace}`")
    spark.sql(f"CREATE TABLE {table} (id BIGINT) USING iceberg")
    spark.sql(f"INSERT INTO {table} VALUES (1), (2)")
    statement = f"ALTER TABLE {table} ADD PARTITION FIELD bucket(4, id)"
    plan = sis.plan(spark, statement)
    spark.sql(statement)
    spark.sql(plan.rewrite)
    rows = spark.sql(f"SELECT DISTINCT spec_id FROM {table}.files").collect()
    assert [row.spec_id for row in rows] == [plan.after.current]
    assert spark.table(table).count() == 2
    spark.sql(f"DROP TABLE {table}")


def test_the_rewrite_of_a_table_outside_all_namespaces(spark, tmp_path):
    """Iceberg looks for a name of one part in the current namespace, whatever it is."""
    spark.conf.set("spark.sql.catalog.rootless", "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set("spark.sql.catalog.rootless.type", "hadoop")
    spark.conf.set("spark.sql.catalog.rootless.warehouse", str(tmp_path))
    current = spark.sql("SELECT current_catalog(), current_schema()").first()
    spark.sql("CREATE TABLE rootless.t USING iceberg AS SELECT id FROM range(2)")
    spark.sql("CREATE NAMESPACE rootless.db")
    statement = "ALTER TABLE rootless.t ADD PARTITION FIELD bucket(4, id)"
    plan = sis.plan(spark, statement)
    spark.sql(statement)
    spark.sql("USE rootless.db")
    try:
        spark.sql(plan.rewrite)
    finally:
        spark.sql(f"USE {current[0]}.{current[1]}")
    specs = {row.spec_id for row in spark.sql("SELECT spec_id FROM rootless.t.files").collect()}
    assert specs == {plan.after.current}


def test_a_catalog_that_is_down_refuses_nothing(spark):
    key = "spark.sql.catalog.down"
    spark.conf.set(key, "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set(f"{key}.type", "rest")
    spark.conf.set(f"{key}.uri", "http://127.0.0.1:9/")
    spark.conf.set(f"{key}.rest.client.max-retries", "0")
    plan = sis.plan(spark, "ALTER TABLE down.db.t ADD PARTITION FIELD days(ts)")
    assert plan.after is None
    assert "not planned" in str(plan)
    assert "did not answer" in str(plan)
    assert "refused" not in str(plan).replace("Connection refused", "")
    rows = spark.sql("SELECT part FROM iceberg_plan('ALTER TABLE down.db.t ADD PARTITION FIELD days(ts)')").collect()
    assert "not planned" in [row.part for row in rows]


def test_what_v1_voids_is_said(spark):
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.plan")
    spark.sql(
        f"CREATE OR REPLACE TABLE local.plan.old ({COLUMNS}) USING iceberg "
        "PARTITIONED BY (days(ts)) TBLPROPERTIES ('format-version' = '1')"
    )
    plan = sis.plan(spark, "ALTER TABLE local.plan.old DROP PARTITION FIELD days(ts)")
    assert [c.change for c in plan.changes] == ["voided"]
    assert any("format version 1 never removes a field" in fact for fact in plan.not_undone)


@pytest.mark.tier("quick", of="plan")
def test_a_refused_statement(spark, filled):
    plan = sis.plan(spark, f"ALTER TABLE {filled} ADD PARTITION FIELD days(name)")
    assert plan.after is None
    assert [d.code for d in plan.report] == ["SIS202"]
    assert "nothing would change" in str(plan)


def test_text_that_has_no_plan(spark):
    with pytest.raises(sis.IcebergSqlError, match="one statement"):
        sis.plan(spark, "SELECT 1")


@pytest.mark.tier("quick", of="statement functions")
def test_from_sql(spark, filled):
    text = f"ALTER TABLE {filled} REPLACE PARTITION FIELD days(ts) WITH hours(ts)"
    rows = spark.sql("SELECT * FROM iceberg_plan(:statement)", {"statement": text}).collect()
    parts = [(row.part, row.name, row.detail) for row in rows]
    assert ("change", "ts_hour", "added") in parts
    assert ("change", "ts_day", "dropped") in parts
    assert next(row.detail for row in rows if row.part == "rewrite").startswith("CALL `local`") or next(
        row.detail for row in rows if row.part == "rewrite"
    ).startswith("CALL local")
    assert fields_unchanged(spark, filled)


def fields_unchanged(spark, name):
    return real(spark, name).current == 0


def test_check_from_sql(spark, filled):
    rows = spark.sql(f"SELECT * FROM iceberg_check('ALTER TABLE {filled} ADD PARTITION FIELD bucket(0, id)')").collect()
    assert [(row.code, row.severity, row.line) for row in rows] == [("SIS103", "error", 1)]
    assert rows[0].help
    assert spark.sql("SELECT count(*) AS n FROM iceberg_check('SELECT 1')").collect()[0].n == 0
