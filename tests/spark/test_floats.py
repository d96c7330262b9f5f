"""The rule `floats`: NaN, both zeros and infinities in FLOAT and DOUBLE columns, against Spark without Iceberg."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pyspark
import pytest
from float_grid import (
    BLOOM,
    COLUMNS,
    DICTIONARY,
    VIEW,
    condition,
    conditions,
    create_table,
    create_view,
    import_table,
    once,
    pyiceberg_table,
    selected,
    truth,
)
from pyspark.sql import SparkSession
from scans import metrics
from session_settings import settings

# A partition by such a column has a warning of the checker.
pytestmark = pytest.mark.filterwarnings("ignore::spark_iceberg_sql.errors.IcebergSqlWarning")

ALL = list(conditions())
SOME = ALL[::13]
FORMATS = ("parquet", "orc", "avro")
METRICS = ("none", "counts", "full")
# Whole files match each, by their bounds: DELETE drops such files, if no row of theirs contradicts.
DELETED = (
    "{c} < 200",
    "{c} <= 2.5{s} AND {c} > -1e9",
    "{c} = 2.5{s}",
    "{c} <> 2.5{s}",
    "{c} >= 0",
    "{c} <> 0",
    "{c} IN (0, 2.5{s}) OR k = 1",
    "{c} BETWEEN -100 AND 0",
    "NOT ({c} > 1)",
    "{c} NOT IN (0, 7)",
    "{c} <= CAST('NaN' AS {t})",
    "{c} > CAST('NaN' AS {t}) OR k = 1",
    "CAST('NaN' AS {t}) < {c}",
)


@pytest.fixture(scope="module", autouse=True)
def _rows(spark: SparkSession) -> Iterator[None]:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.floats")
    create_view(spark)
    yield
    spark.catalog.dropTempView(VIEW)


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Makes the tables of a kind once: a writer of imported files, or format, metrics and partitioning."""
    tables: dict[tuple[str, ...], str] = {}

    def build(*kind: str) -> str:
        if kind not in tables:
            tables[kind] = "local.floats." + re.sub(r"\W", "_", "_".join(kind))
            if kind == ("pyiceberg",):
                tables[kind] = pyiceberg_table(spark, tmp_path_factory.mktemp(kind[0]))
            elif len(kind) == 1:
                import_table(spark, tables[kind], tmp_path_factory.mktemp(kind[0]), kind[0])
            else:
                create_table(spark, tables[kind], *kind)
        return tables[kind]

    yield build
    for name in tables.values():
        if name.startswith("local."):
            spark.sql(f"DROP TABLE {name}")


@pytest.fixture
def interpreted(spark: SparkSession) -> Iterator[None]:
    """Thousands of small queries, which would spend their time in compiling."""
    names = ("spark.sql.adaptive.enabled", "spark.sql.codegen.wholeStage")
    with settings(spark, **dict.fromkeys(names, "false"), **{"spark.sql.codegen.factoryMode": "NO_CODEGEN"}):
        yield


def differences(spark: SparkSession, name: str, column: str, templates: list[str]) -> list[tuple[str, Any, Any]]:
    if pyspark.__version__ < "4.1" and name.endswith(("_v", "_w")):  # its Iceberg fails on IN beside a null partition
        templates = [template for template in templates if " IN (" not in template]
    expected, rows = truth(spark, templates, column), selected(spark, name, templates, column)
    return [(condition(t, column), e, r) for t, e, r in zip(templates, expected, rows, strict=True) if e != r]


@pytest.mark.tier("quick", of="rule floats")
def test_no_row_with_nan_or_zero_is_lost(spark: SparkSession, table: Callable[..., str]) -> None:
    name = table("parquet", "full", "f")
    assert differences(spark, name, "v", ["{c} > 2", "{c} = 0", "{c} >= 0 AND {c} < 3", "NOT {c} <= 5"]) == []


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        (("arrow",), "v"),
        (("pyiceberg",), "w"),
        ((DICTIONARY, "none", "f"), "v"),
        (("parquet", "full", "v"), "v"),
        (("parquet", "none", "w"), "w"),
        (("orc", "full", "f"), "s.v"),
    ],
)
def test_some_conditions(spark: SparkSession, table: Callable[..., str], kind: tuple[str, ...], column: str) -> None:
    assert differences(spark, table(*kind), column, SOME) == []


@pytest.mark.tier("sweep")
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize(
    "kind",
    [
        *[(writer,) for writer in ("arrow", "duckdb", "polars", "pyiceberg")],
        *[(form, "none", by) for form in (BLOOM, DICTIONARY) for by in ("f", "v")],
        *[(form, mode, "f") for form in FORMATS for mode in METRICS],
        *[(form, mode, by) for form in FORMATS for mode in ("none", "full") for by in COLUMNS],
    ],
)
def test_all_conditions(
    spark: SparkSession, interpreted: None, table: Callable[..., str], kind: tuple[str, ...], column: str
) -> None:
    if kind[0] == "orc" and kind[-1] == column == "s.v":  # Iceberg's reader needs a field that is in the file
        with pytest.raises(Exception, match="Missing ORC reader for field s"):
            spark.sql(f"SELECT s.v FROM {table(*kind)}").collect()
        return
    assert differences(spark, table(*kind), column, ALL) == []


def deleted(spark: SparkSession, name: str, column: str, templates: tuple[str, ...]) -> list[tuple[str, Any, Any]]:
    """Deletes by each condition on a branch of its own, and compares the rows that are left."""
    deleted_keys, mismatches = truth(spark, list(templates), column), []
    all_keys = sorted(row.k for row in spark.sql(f"SELECT k FROM {VIEW}").collect())
    for i, template in enumerate(templates):
        branch = f"b{column.replace('.', '')}{i}"
        spark.sql(f"ALTER TABLE {name} CREATE BRANCH {branch}")
        spark.sql(f"DELETE FROM {name}.branch_{branch} WHERE {condition(template, column)}")
        left = once(sorted(row.k for row in spark.sql(f"SELECT k FROM {name}.branch_{branch}").collect()), name)
        if left != [k for k in all_keys if k not in deleted_keys[i]]:
            mismatches.append((condition(template, column), deleted_keys[i], left))
        spark.sql(f"ALTER TABLE {name} DROP BRANCH {branch}")
    return mismatches


@pytest.mark.parametrize(
    ("kind", "column"), [(("arrow",), "v"), (("parquet", "full", "v"), "v"), ((BLOOM, "none", "f"), "w")]
)
def test_delete(spark: SparkSession, table: Callable[..., str], kind: tuple[str, ...], column: str) -> None:
    """No row with NaN is dropped with a file whose bounds satisfy the condition, and none stays."""
    assert deleted(spark, table(*kind), column, DELETED) == []


@pytest.mark.tier("sweep")
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize(
    "kind", [("duckdb",), ("polars",), ("orc", "full", "f"), ("parquet", "none", "w"), (DICTIONARY, "none", "f")]
)
def test_all_deletes(
    spark: SparkSession, interpreted: None, table: Callable[..., str], kind: tuple[str, ...], column: str
) -> None:
    assert deleted(spark, table(*kind), column, (*DELETED, *ALL[::9])) == []


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_update_merge_and_replace(spark: SparkSession, table: Callable[..., str], mode: str) -> None:
    name = f"local.floats.written_{mode.replace('-', '')}"
    modes = ", ".join(f"'write.{kind}.mode' = '{mode}'" for kind in ("delete", "update", "merge"))
    spark.sql(f"CREATE TABLE {name} USING iceberg TBLPROPERTIES ({modes}) PARTITIONED BY (f) AS SELECT * FROM {VIEW}")
    spark.sql(f"UPDATE {name} SET k = k + 1000 WHERE v > 2.5 OR v = 0")
    updated = spark.sql(f"SELECT k + IF(coalesce(v > 2.5 OR v = 0, false), 1000, 0) AS k, v FROM {VIEW}")
    expected = sorted(row.k for row in updated.collect())
    assert sorted(row.k for row in spark.sql(f"SELECT k FROM {name}").collect()) == expected
    source = "SELECT CAST('NaN' AS DOUBLE) AS x UNION ALL SELECT 0.0D UNION ALL SELECT 100.0D"
    spark.sql(f"MERGE INTO {name} t USING ({source}) ON t.v = x AND t.v >= 0 WHEN MATCHED THEN DELETE")
    left = sorted(row.k for row in updated.where("NOT coalesce(v = 0 OR v = 100 OR isnan(v), false)").collect())
    assert sorted(row.k for row in spark.sql(f"SELECT k FROM {name}").collect()) == left
    spark.sql(f"DROP TABLE {name}")


def test_replace_where_keeps_nan(spark: SparkSession, table: Callable[..., str]) -> None:
    """A file with bounds of 2.5 and a NaN without a count is not replaced as one below 100."""
    name = table("arrow")
    spark.sql(f"ALTER TABLE {name} CREATE BRANCH replaced")
    frame = spark.sql(f"SELECT * FROM {VIEW} WHERE k < 0")
    with pytest.raises(Exception, match="annot delete file where some, but not all"):
        frame.writeTo(f"{name}.branch_replaced").overwrite(_column("v < 100 AND f = 10"))


def _column(text: str) -> Any:
    from pyspark.sql.functions import expr

    return expr(text)


AGGREGATES = (
    "SELECT max(v), max(w), max(s.v), count(v), count(w) FROM {t}",
    "SELECT max(v) FROM {t} WHERE f = 1",
    "SELECT v + 0.0D, count(*) FROM {t} GROUP BY v",
    "SELECT count(DISTINCT v), count(DISTINCT s.v) FROM {t}",
    "SELECT k FROM {t} ORDER BY v DESC, k LIMIT 9",
    "SELECT count(*) FROM (SELECT k FROM {t} WHERE v > 2 LIMIT 100)",
    "SELECT a.k, b.k FROM {t} a JOIN {t} b ON a.v = b.v AND b.v >= 0 AND b.k < 12",
    "SELECT a.k FROM {t} a WHERE a.w IN (SELECT w FROM {t} WHERE f IN (0, 2))",
    "SELECT a.k FROM {t} a WHERE a.v > (SELECT max(v) FROM {t} WHERE f = 8)",
)


@pytest.mark.parametrize("kind", [("arrow",), ("pyiceberg",), ("parquet", "full", "f"), ("parquet", "full", "v")])
def test_aggregates_joins_and_orders(spark: SparkSession, table: Callable[..., str], kind: tuple[str, ...]) -> None:
    name = table(*kind)
    for query in AGGREGATES:
        expected, rows = (
            sorted(map(str, spark.sql(query.format(t=t)).collect())) for t in (f"(SELECT * FROM {VIEW})", name)
        )
        assert rows == expected, query


@pytest.mark.parametrize("by", ["v", "w"])
def test_dynamic_pruning_by_such_a_partition(spark: SparkSession, table: Callable[..., str], by: str) -> None:
    name, dimension = table("parquet", "none", by), f"local.floats.dimension_{by}"
    kind = "FLOAT" if by == "w" else "DOUBLE"
    values = (
        f"(1, CAST(-0.0D AS {kind})), (2, CAST(0.0D AS {kind})), (3, CAST('NaN' AS {kind})), (4, CAST(1 AS {kind}))"
    )
    spark.sql(f"CREATE TABLE {dimension} USING iceberg AS SELECT * FROM VALUES {values} AS d(x, {by})")
    for x in ("x = 1", "x = 2", "x = 3", "x < 5"):
        query = f"SELECT a.k, d.x FROM {{t}} a JOIN {{d}} d ON a.{by} = d.{by} WHERE d.{x}"
        plain = query.format(t=VIEW, d=f"(SELECT * FROM VALUES {values} AS d(x, {by}))")
        expected, rows = (sorted(map(str, spark.sql(q).collect())) for q in (plain, query.format(t=name, d=dimension)))
        assert rows == expected, x
    spark.sql(f"DROP TABLE {dimension}")


def test_files_without_nan_are_skipped(spark: SparkSession) -> None:
    """Of ten files with counts of NaN, a range reads its own, with the one that has NaN where this is above it."""
    name = "local.floats.pruned"
    spark.sql(f"CREATE TABLE {name} (f INT, v DOUBLE) USING iceberg PARTITIONED BY (f)")
    spark.sql(
        f"INSERT INTO {name} SELECT CAST(id DIV 10 AS INT), IF(id = 5, CAST('NaN' AS DOUBLE), CAST(id AS DOUBLE)) "
        "FROM range(100)"
    )
    for predicate, files in (
        ("v > 85", 3),
        ("v >= 0 AND v < 20", 2),
        ("v BETWEEN 31 AND 38", 1),
        ("v = 0", 1),
        ("v IN (0, 55)", 2),
        ("v = 'NaN'", 1),
        ("v < 0", 0),
        ("NOT v <= 95", 2),
    ):
        assert metrics(spark.sql(f"SELECT * FROM {name} WHERE {predicate}")).get("resultDataFiles", 0) == files, (
            predicate
        )
    spark.sql(f"DELETE FROM {name} WHERE v < 40 AND f > 0")
    operation = spark.sql(f"SELECT operation FROM {name}.snapshots ORDER BY committed_at DESC").head()
    assert operation is not None
    assert operation[0] == "delete"  # of whole files, by metadata
    assert spark.sql(f"SELECT count(*) FROM {name} WHERE v >= 0").head()[0] == 70
    spark.sql(f"DROP TABLE {name}")


def test_the_plan_settles(spark: SparkSession, table: Callable[..., str]) -> None:
    """A second optimization changes nothing: of two equal conditions v = NaN, Spark keeps one."""
    name = table("parquet", "full", "f")
    text = "(v > 1 OR k = 2) AND (v >= 0 OR w < 0) AND NOT (s.v < 3) AND v <> 0"
    optimized = spark.sql(f"SELECT k FROM {name} WHERE {text}")._jdf.queryExecution().optimizedPlan()
    again = spark._jsparkSession.sessionState().optimizer().execute(optimized)
    assert str(again) == str(optimized)
    assert str(optimized).count("= NaN") == 3
