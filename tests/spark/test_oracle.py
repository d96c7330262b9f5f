"""The checker against the runtime: every example, every case, generated grids, and random histories."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest
from cases import Case, file_cases, page_cases
from evolutions import history, wild
from grids import grid_cases
from long_run import look
from oracle import Runtime, judge
from probes import METADATA, PROCEDURES
from pyspark.sql import SparkSession
from samples import FULL, share, swept

from spark_iceberg_sql.checker.engine import check_and_apply
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.model.metadata.metadata_json import table_from_metadata
from spark_iceberg_sql.model.runtime.procedures import BY_NAME, ICEBERG_VERSION
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.tables import Tables

HISTORIES = 600 if FULL else 12
# Each run takes a different sample of the generated cases and the long files; a sweep takes all.
SAMPLE = None if FULL else 50


@pytest.fixture(scope="module")
def runtime(spark: SparkSession) -> Iterator[Runtime]:
    runtime = Runtime(spark)
    yield runtime
    runtime.clear()


# What the grammar has, whatever an analysis of it says; what only an installed session runs.
OF_THE_GRAMMAR = {"SIS612: what Spark takes", "SIS612: what an installed session runs as another statement"}


def chosen(cases: list[Case]) -> list[Case]:
    """The sample. Another case takes the place of one at most, so that a change of one file does not try others."""
    if SAMPLE is None:
        return cases
    seed = os.environ.get("SIS_SEED", "1")
    ranks = {case.name: crc32(f"{seed} {case.name}".encode()) for case in cases}
    last = sorted(ranks.values())[min(SAMPLE, len(ranks)) - 1]
    return [case for case in cases if ranks[case.name] <= last]


def named(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", swept([c for c in page_cases() if c.code != "SIS002"], 4), ids=named)
def test_every_example_of_every_page(runtime: Runtime, case: Case) -> None:
    outcome = judge(runtime, case.text, case.known(), how="thorough" if FULL else "quick")
    assert not outcome.disagreements, "\n".join(outcome.disagreements)


CASES = [case for case in file_cases() + grid_cases() if case.name not in OF_THE_GRAMMAR]


@pytest.mark.parametrize("case", chosen(CASES), ids=named)
def test_cases(runtime: Runtime, case: Case) -> None:
    outcome = judge(runtime, case.text, case.known(), how="thorough" if FULL else "quick")
    assert not outcome.disagreements, "\n".join(outcome.disagreements)


def columns(schema: Schema) -> list[tuple[Any, ...]]:
    return [(c.name, c.field.field_id, getattr(c.field.type, "name", ""), c.field.required) for c in schema.columns]


def state(table: Table) -> tuple[object, ...]:
    assert table.specs is not None
    assert table.schema is not None
    specs = {
        spec.spec_id: [(f.source_id, str(f.transform), f.name, f.field_id) for f in spec.fields]
        for spec in table.specs.all_specs
    }
    last = table.specs.last_field_id, table.last_column_id
    return specs, table.specs.current, table.format_version, last, columns(table.schema)


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_histories(runtime: Runtime, seed: int) -> None:
    """Each step is refused by both or accepted by both, and then ids, names and order are equal."""
    runtime.clear()
    tables = Tables(catalog="local", namespace=("db",), complete=True)
    for statement in history(seed):
        report = check_and_apply(statement, tables)
        errors = [d for d in report if d.severity is Severity.ERROR]
        refusal = runtime.refusal(statement)
        message = f"seed {seed}: {statement}\nours: {errors}\nits: {refusal}"
        if errors and refusal is None:
            assert runtime.damage(how="thorough", first=True), message
            return
        assert bool(errors) == (refusal is not None), message
        if refusal is not None and statement.startswith("CREATE TABLE"):
            return
        mine = tables.get(("t",))
        assert isinstance(mine, Table), message
        if mine.specs is None and mine.why_unknown and "may choose either" in mine.why_unknown:
            return  # The runtime's choice depends on a hash.
        theirs = table_from_metadata(("local", "db", "t"), runtime.metadata("local.db.t"))
        assert state(mine) == state(theirs), message


@pytest.mark.parametrize("seed", range(HISTORIES // 3))
def test_damage_that_no_rule_foresees(runtime: Runtime, seed: int) -> None:
    """A short sample of `python tests/spark/long_run.py`, which runs for hours."""
    damage = look(runtime, wild(seed + 1))
    assert not damage.wrong, "\n".join((*wild(seed + 1), *damage.wrong))


def test_the_probes_know_every_metadata_table_and_procedure(spark: SparkSession) -> None:
    jvm = spark._jvm.org.apache.iceberg
    assert {str(kind).lower() for kind in jvm.MetadataTableType.values()} == set(METADATA)
    if spark.version.startswith("4.0."):
        return  # Iceberg 1.11 does not list its procedures
    names = jvm.spark.procedures.SparkProcedures.names()
    assert set(names) == set(PROCEDURES) == set(BY_NAME)
    assert str(jvm.IcebergBuild.version()).startswith(f"{ICEBERG_VERSION}.")


def test_the_parameters_of_every_procedure(runtime: Runtime) -> None:
    """In the order in which a call without names gives them."""
    if runtime.spark.version.startswith("4.0."):
        pytest.skip("Iceberg 1.11 has fewer parameters")
    procedures = runtime.spark._jvm.org.apache.iceberg.spark.procedures.SparkProcedures
    catalog = runtime.spark._jsparkSession.sessionState().catalogManager().catalog("local")
    for procedure in BY_NAME.values():
        built = procedures.newBuilder(procedure.name).withTableCatalog(catalog).build()
        bound = built if runtime.spark.version.startswith("3.5.") else built.bind(None)
        assert tuple(str(p.name()) for p in bound.parameters()) == procedure.parameters


@pytest.mark.parametrize("version", share([2, 1, 3], 3))
def test_a_table_that_is_fine_passes_every_probe(runtime: Runtime, version: int) -> None:
    for how in share(("everything", "core") if version == 2 else ("everything",), 2):
        runtime.clear()  # "core" adds files that do not exist
        runtime.sql(
            "CREATE TABLE t (id BIGINT, s STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts)) "
            f"TBLPROPERTIES ('format-version' = '{version}')"
        )
        runtime.sql("ALTER TABLE t ADD PARTITION FIELD bucket(4, id)")
        assert runtime.damage(how=how) == []


def test_a_table_that_is_damaged_fails_probes_of_every_kind(runtime: Runtime) -> None:
    for how in share(("quick", "everything", "core", "thorough"), 4):
        runtime.clear()
        runtime.sql("CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (bucket(4, id))")
        runtime.sql("CREATE OR REPLACE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (id)")
        runtime.sql("ALTER TABLE t ADD PARTITION FIELD bucket(8, id) AS id_bucket")
        assert runtime.damage(how=how)


def test_a_replaced_table_keeps_its_snapshots(runtime: Runtime) -> None:
    """A tag needs AS OF VERSION, and a branch that is replaced, too: none of them is the current one."""
    runtime.clear()
    for setup in ("CREATE TABLE t (id BIGINT) USING iceberg", "INSERT INTO t VALUES (1)"):
        assert runtime.refusal(setup) is None
    (row,) = runtime.sql("SELECT snapshot_id FROM local.db.t.snapshots").collect()
    version = f"AS OF VERSION {row.snapshot_id}"
    script = [
        "CREATE OR REPLACE TABLE t (id BIGINT) USING iceberg",
        "ALTER TABLE t CREATE BRANCH c",
        *(f"ALTER TABLE t {w} TAG a" for w in ("CREATE", "CREATE OR REPLACE")),
        *(f"ALTER TABLE t {w} BRANCH c" for w in ("REPLACE", "CREATE OR REPLACE")),
        *(f"ALTER TABLE t {w} TAG a {version}" for w in ("CREATE", "CREATE OR REPLACE")),
        *(f"ALTER TABLE t {w} BRANCH c {version}" for w in ("REPLACE", "CREATE OR REPLACE")),
        "ALTER TABLE t CREATE TAG b",
        "ALTER TABLE t REPLACE BRANCH main",
        f"ALTER TABLE t REPLACE BRANCH main {version}",
        "ALTER TABLE t CREATE TAG b",
        f"ALTER TABLE t CREATE OR REPLACE BRANCH main {version}",
        f"ALTER TABLE t REPLACE BRANCH main {version}",
        "ALTER TABLE t CREATE TAG b",
    ]
    tables = Tables(catalog="local", namespace=("db",))
    for statement in script:
        report = check_and_apply(statement, tables)
        assert report.ok == (runtime.refusal(statement) is None), statement
