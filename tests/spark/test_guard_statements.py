"""The guard in statements that change rows, in various query shapes, and on other kinds of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import guard_grid as grid
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from samples import share

ROWS = list(range(8))
TABLES = {
    "none": "",
    "identity": "PARTITIONED BY (x)",
    "bucket": "PARTITIONED BY (bucket(4, x))",
    "other": "PARTITIONED BY (bucket(8, x))",
    "both": "PARTITIONED BY (x, bucket(4, x))",
    "days": "PARTITIONED BY (days(t))",
    "moment": "PARTITIONED BY (t)",
}
# predicate -> its truth from a row's bucket(4, x) and months(t), None for null
PREDICATES: dict[str, Any] = {
    "{f}bucket(4, x) = 2": lambda b, m: b == 2,
    "{f}bucket(4, x) <> 2": lambda b, m: b not in (None, 2),
    "{f}bucket(4, x) IN (0, 1)": lambda b, m: b in (0, 1),
    "NOT ({f}bucket(4, x) = 0 OR {f}bucket(4, x) IS NULL)": lambda b, m: b not in (None, 0),
    "{f}months(t) < 648": lambda b, m: m is not None and m < 648,
    "{f}months(t) <=> 648 AND {f}bucket(4, x) <> 3": lambda b, m: m == 648 and b not in (None, 3),
}


@pytest.fixture(scope="module", autouse=True)
def settings(spark: SparkSession) -> Iterator[None]:
    ours = {
        "spark.sql.planChangeValidation": "true",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    for key, value in ours.items():
        spark.conf.set(key, value)
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.stmt")
    yield
    for key in ours:
        spark.conf.unset(key)


def make(spark: SparkSession, name: str, by: str, mode: str = "copy-on-write") -> str:
    table = f"local.stmt.{name}"
    modes = ", ".join(f"'write.{s}.mode' = '{mode}'" for s in ("delete", "update", "merge"))
    grid.past_the_gate(
        spark,
        f"CREATE TABLE {table} (x int, t timestamp, v string) USING iceberg {by} "
        f"TBLPROPERTIES ('format-version' = '2', {modes})",
    )
    days = "'2024-01-15', '2024-01-16', '2023-12-31', '1969-12-31', '1970-01-01', '2024-02-01', '2024-01-31'"
    spark.sql(
        f"INSERT INTO {table} SELECT CAST(id AS int), CAST(array({days})[CAST(id AS int)] AS timestamp), 'old' "
        "FROM range(7) UNION ALL SELECT NULL, NULL, 'old'"
    )
    return table


Row = tuple[Any, ...]


def rows(spark: SparkSession, table: str) -> list[Row]:
    """(x, v) and the functions' values, by a query without a filter."""
    records = spark.sql(f"SELECT x, v, iceberg_bucket(4, x), iceberg_months(t) FROM {table}").collect()
    return sorted((tuple(r) for r in records), key=str)


def snapshot(spark: SparkSession, table: str) -> int:
    row = spark.sql(f"SELECT snapshot_id FROM {table}.refs WHERE name = 'main'").first()
    assert row
    return int(row[0])


MODES = ("copy-on-write", "merge-on-read")
# Each table in one of the two modes, in turn; in both in a sweep.
IN_MODES = [(name, MODES[(n + turn) % 2]) for n, name in enumerate(TABLES) for turn in (0, 1)]


@pytest.mark.parametrize(("name", "mode"), share(IN_MODES, 5))
def test_rows_that_a_statement_changes(spark: SparkSession, name: str, mode: str) -> None:
    table = make(spark, f"{name}_{mode[:4]}", TABLES[name], mode)
    before, start = rows(spark, table), snapshot(spark, table)
    turn = [*TABLES].index(name) + (mode == "merge-on-read")
    bad = []
    for at, (predicate, truth) in enumerate(PREDICATES.items()):
        hit = [row for row in before if truth(row[2], row[3])]
        unchanged = [row for row in before if row not in hit]
        changed = sorted(unchanged + [(r[0], "new", r[2], r[3]) for r in hit], key=str)
        text = predicate.format(f=("iceberg_", "local.system.")[at % 2])
        merge = re.sub(r"\b(x|t)\)", r"m.\1)", text)
        statements = {
            f"DELETE FROM {table} WHERE {text}": unchanged,
            f"UPDATE {table} SET v = 'new' WHERE {text}": changed,
            f"MERGE INTO {table} m USING (SELECT 1 AS one) ON {merge} WHEN MATCHED THEN UPDATE SET v = 'new'": changed,
            f"MERGE INTO {table} m USING {table} s ON m.x <=> s.x WHEN MATCHED AND {merge} THEN DELETE": unchanged,
        }
        # Half of them for each table and mode, so that each is tested with several of both.
        for statement, expected in [*statements.items()][(turn + at // 2) % 2 :: 2]:
            spark.sql(statement)
            if (actual := rows(spark, table)) != expected:
                bad.append((statement, actual, expected))
            now = snapshot(spark, table)
            if now != start:
                spark.sql(f"CALL local.system.rollback_to_snapshot(table => '{table[6:]}', snapshot_id => {start})")
    assert bad == []


def test_a_delete_of_whole_partitions_touches_metadata_alone(spark: SparkSession) -> None:
    table = make(spark, "whole", TABLES["bucket"])
    for predicate in ("iceberg_bucket(4, x) = 2", "iceberg_bucket(4, x) <> 1"):
        spark.sql(f"DELETE FROM {table} WHERE {predicate}")
        summary = spark.sql(f"SELECT operation, summary FROM {table}.snapshots ORDER BY committed_at DESC").first()
        assert summary
        assert summary.operation == "delete", summary
        assert "added-data-files" not in summary.summary
    assert {row[2] for row in rows(spark, table)} == {None, 1}


@pytest.mark.parametrize("predicate", ["bucket(4, x) = 2", "bucket(4, x) <> 2"])
def test_replace_where(spark: SparkSession, predicate: str) -> None:
    """Spark refuses REPLACE WHERE with a filter that is not pushed; Iceberg alone would replace other rows."""
    statement = f"INSERT INTO {{t}} REPLACE WHERE iceberg_{predicate} SELECT x, t, 'new' FROM {{t}} WHERE {{w}}"
    table = make(spark, f"replace_{'not' if '<>' in predicate else 'is'}", TABLES["bucket"])
    expected = [row for row in rows(spark, table) if row[2] is None or (row[2] == 2) == ("<>" in predicate)]
    spark.sql(statement.format(t=table, w="false"))
    assert rows(spark, table) == expected
    other = make(spark, f"replaced_{'not' if '<>' in predicate else 'is'}", TABLES["identity"])
    before = rows(spark, other)
    with pytest.raises(AnalysisException, match=r"[Cc]annot translate"):
        spark.sql(statement.format(t=other, w="false"))
    assert rows(spark, other) == before


# -------------------------------------------------------------------------------- shapes of a query


@pytest.fixture(scope="module")
def identity(spark: SparkSession) -> str:
    return make(spark, "shapes", TABLES["identity"])


@pytest.fixture(scope="module")
def in_two(spark: SparkSession, identity: str) -> set[int]:
    return {row[0] for row in rows(spark, identity) if row[2] == 2}


SHAPES = {
    "alias": "SELECT x FROM (SELECT x AS y, x FROM {t}) WHERE iceberg_bucket(4, y) = 2",
    "alias of the call": "SELECT x FROM (SELECT x, iceberg_bucket(4, x) AS b FROM {t}) WHERE b = 2",
    "cte": "WITH c AS (SELECT x AS z FROM {t}) SELECT z FROM c WHERE iceberg_bucket(4, z) = 2",
    "cte twice": "WITH c AS (SELECT x AS z FROM {t}) SELECT a.z FROM c a JOIN c b ON a.z = b.z "
    "WHERE iceberg_bucket(4, a.z) = 2",
    "join": "SELECT a.x FROM {t} a JOIN {t} b ON a.x = b.x AND iceberg_bucket(4, b.x) = 2",
    "left join": "SELECT a.x FROM {t} a LEFT JOIN {t} b ON a.x = b.x WHERE iceberg_bucket(4, b.x) = 2",
    "semi join": "SELECT x FROM {t} a LEFT SEMI JOIN {t} b ON a.x = b.x AND iceberg_bucket(4, a.x) = 2",
    "in": "SELECT x FROM {t} WHERE x IN (SELECT x FROM {t} WHERE iceberg_bucket(4, x) = 2)",
    "exists": "SELECT x FROM {t} a WHERE EXISTS (SELECT 1 FROM {t} b WHERE b.x = a.x AND iceberg_bucket(4, a.x) = 2)",
    "scalar": "SELECT x FROM {t} a WHERE 2 = (SELECT max(iceberg_bucket(4, x)) FROM {t} b WHERE b.x = a.x)",
    "union": "SELECT x FROM (SELECT x FROM {t} UNION SELECT x FROM {t}) WHERE iceberg_bucket(4, x) = 2",
    "having": "SELECT x FROM {t} GROUP BY x HAVING iceberg_bucket(4, x) = 2",
    "window": "SELECT x FROM (SELECT x, row_number() OVER (PARTITION BY x ORDER BY t) AS k FROM {t}) "
    "WHERE iceberg_bucket(4, x) = 2",
    "temporary view": "SELECT x FROM guard_view WHERE iceberg_bucket(4, x) = 2",
    "view with the filter": "SELECT x FROM guard_filtered",
    "permanent view": "SELECT x FROM spark_catalog.default.guard_kept WHERE iceberg_bucket(4, x) = 2",
    "version": "SELECT x FROM {t} VERSION AS OF 'main' WHERE iceberg_bucket(4, x) = 2",
    "case": "SELECT x FROM {t} WHERE CASE WHEN iceberg_bucket(4, x) = 2 THEN true ELSE false END",
    "if": "SELECT x FROM {t} WHERE NOT if(iceberg_bucket(4, x) = 2, false, true)",
}


@pytest.fixture(scope="module")
def views(spark: SparkSession, identity: str) -> Iterator[None]:
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW guard_view AS SELECT * FROM {identity}")
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW guard_filtered AS {SHAPES['alias'].format(t=identity)}")
    spark.sql(f"CREATE VIEW spark_catalog.default.guard_kept AS SELECT x AS x, t FROM {identity}")
    yield
    spark.sql("DROP VIEW spark_catalog.default.guard_kept")


@pytest.mark.usefixtures("views")
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_of_a_query(spark: SparkSession, identity: str, in_two: set[int], shape: str) -> None:
    query = SHAPES[shape].format(t=identity)
    assert {row[0] for row in spark.sql(query).collect()} == in_two
    other = spark.newSession()
    if "guard_view" not in query and "guard_filtered" not in query:
        assert {row[0] for row in other.sql(query).collect()} == in_two


def test_the_dataframe_api(spark: SparkSession, identity: str, in_two: set[int]) -> None:
    frame = spark.table(identity)
    two = F.call_function("iceberg_bucket", F.lit(4), F.col("x")) == 2
    frames: list[DataFrame] = [
        frame.where("iceberg_bucket(4, x) = 2"),
        frame.filter(two),
        frame.where(F.expr("iceberg_bucket(4, x) = 2")).select("x"),
        frame.withColumnRenamed("x", "y").where("iceberg_bucket(4, y) = 2").withColumnRenamed("y", "x"),
        frame.cache().where(two),
    ]
    for filtered in frames:
        assert {row.x for row in filtered.collect()} == in_two
    frame.unpersist()


def test_a_column_renamed_since(spark: SparkSession) -> None:
    """In time travel, the column has its old name."""
    table = make(spark, "renamed", TABLES["identity"])
    start = snapshot(spark, table)
    two = {row[0] for row in rows(spark, table) if row[2] == 2}
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN x TO y")
    spark.sql(f"INSERT INTO {table} VALUES (77, now(), 'new')")
    old = spark.sql(f"SELECT x FROM {table} VERSION AS OF {start} WHERE iceberg_bucket(4, x) = 2").collect()
    assert {row.x for row in old} == two


def test_metadata_tables(spark: SparkSession, identity: str) -> None:
    """Their filters are also applied to identity partitions."""
    for kind in ("files", "entries", "partitions"):
        column = "data_file.partition.x" if kind == "entries" else "partition.x"
        query = f"SELECT {column} AS x, iceberg_bucket(4, {column}) AS b FROM {identity}.{kind}"
        expected = sorted(row.x for row in spark.sql(query).collect() if row.b == 2)
        actual = spark.sql(f"{query} WHERE iceberg_bucket(4, {column}) = 2").collect()
        assert sorted(row.x for row in actual) == expected
        assert expected


def test_a_stream(spark: SparkSession, identity: str, in_two: set[int], tmp_path: Any) -> None:
    stream = spark.readStream.table(identity).where("iceberg_bucket(4, x) = 2").select("x")
    query = (
        stream.writeStream.format("memory")
        .queryName("guard_stream")
        .option("checkpointLocation", str(tmp_path))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert {row.x for row in spark.table("guard_stream").collect()} == in_two


UUID_CONDITIONS = (
    "{c} = {a}",
    "{c} <=> {b}",
    "NOT ({c} <=> {a})",
    "{c} <> {a}",
    "{c} IN ({a}, {b})",
    "{c} NOT IN ({a}, {x})",
    "{c} IN ({a}, NULL)",
    "{c} = {x} OR {c} = {b}",
    "{c} > {a} AND {c} <= {b}",
    "{c} < {x}",
)


def test_uuid_and_fixed_columns(spark: SparkSession) -> None:
    """A string to Spark, 16 bytes to Iceberg: the function hashes the text, the partitions hash the bytes."""
    jvm = spark._jvm
    assert jvm
    types = jvm.org.apache.iceberg.types.Types
    nested = types.NestedField
    fields = jvm.java.util.ArrayList()
    fields.add(nested.optional(1, "r", types.IntegerType.get()))
    fields.add(nested.optional(2, "u", types.UUIDType.get()))
    fields.add(nested.optional(3, "f", types.FixedType.ofLength(2)))
    schema = jvm.org.apache.iceberg.Schema(fields)
    catalog = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergCatalog(spark._jsparkSession, "local")
    name = jvm.org.apache.iceberg.catalog.TableIdentifier.parse("stmt.uuids")
    spec = jvm.org.apache.iceberg.PartitionSpec.builderFor(schema).bucket("u", 4).bucket("f", 4).build()
    catalog.createTable(name, schema, spec)
    table = "local.stmt.uuids"
    values = ", ".join(f"({r}, 'f79c3e09-677c-4bbd-a479-3f349cb785{r:02x}', X'00{r:02x}')" for r in range(8))
    rows = f"SELECT * FROM VALUES {values}, (8, NULL, NULL) AS t (r, u, f)"
    spark.sql(f"INSERT INTO {table} {rows}")
    calls = ("bucket(4, u)", "bucket(100, u)", "bucket(4, f)", "truncate(2, u)", "truncate(1, f)")
    for call in calls:
        records = spark.sql(f"SELECT r, iceberg_{call} AS v FROM {table}").collect()
        value = next(row.v for row in records if row.r == 3)
        for prefix in ("iceberg_", "local.system."):
            for operator in ("=", "<>"):
                query = f"SELECT r FROM {table} WHERE {prefix}{call} {operator} {grid.literal(value)}"
                expected = {r.r for r in records if r.v is not None and (r.v == value) == (operator == "=")}
                assert {row.r for row in spark.sql(query).collect()} == expected, query
    first, second, other = (f"'f79c3e09-677c-4bbd-a479-3f349cb785{n}'" for n in ("02", "05", "ff"))
    conditions = [
        text.format(c=column, a=a, b=b, x=x)
        for column, a, b, x in (("u", first, second, other), ("f", "X'0002'", "X'0005'", "X'00'"))
        for text in UUID_CONDITIONS
    ]
    truth = spark.sql(f"SELECT r, {', '.join(f'({c}) AS c{i}' for i, c in enumerate(conditions))} FROM ({rows})")
    expected_rows = truth.collect()
    for i, condition in enumerate(conditions):
        read = {row.r for row in spark.sql(f"SELECT r FROM {table} WHERE {condition}").collect()}
        assert read == {row.r for row in expected_rows if row[f"c{i}"]}, condition


# -------------------------------------------------------------------------------- it still prunes


def files_read(frame: DataFrame) -> int:
    """Data files in the scan, from its own metric."""
    frame.collect()
    plan = frame._jdf.queryExecution().executedPlan()
    leaves = plan.collectLeaves()
    return sum(int(leaves.apply(i).metrics().apply("resultDataFiles").value()) for i in range(leaves.size()))


@pytest.mark.parametrize(
    ("by", "predicate", "read"),
    [
        ("bucket(4, x)", "bucket(4, x) = 2", 1),
        ("bucket(4, x)", "bucket(4, x) <> 2", 3),
        ("bucket(4, x)", "NOT (bucket(4, x) = 2)", 3),
        ("bucket(4, x)", "bucket(4, x) IN (1, 2)", 2),
        ("bucket(4, x)", "bucket(4, x) NOT IN (1, 2)", 2),
        ("bucket(4, x)", "bucket(4, x) IS NULL", 1),
        ("bucket(4, x)", "bucket(4, x) IS NOT NULL", 4),
        ("bucket(4, x)", "bucket(4, x) <=> 2", 1),
        ("bucket(4, x), y", "bucket(4, x) = 2 AND y = 0", 1),
        ("bucket(4, p.x), p.y", "bucket(4, p.x) = 2 AND p.y = 0", 1),
        ("truncate(10, x)", "truncate(10, x) >= 20", 2),
        ("truncate(10, x)", "truncate(10, x) BETWEEN 10 AND 20", 2),
        ("days(t)", "days(t) = DATE'1970-01-02'", 1),
        ("days(t)", "days(t) <> DATE'1970-01-02'", 39),
        ("days(t)", "days(t) < DATE'1970-01-06'", 5),
        ("months(t)", "months(t) = 1", 1),
    ],
)
def test_pruning_is_kept(spark: SparkSession, by: str, predicate: str, read: int) -> None:
    table = "local.stmt.prune_" + re.sub(r"\W+", "_", by)
    if not spark.catalog.tableExists(table):
        row = "CAST(id AS int) AS x, 0 AS y, timestamp_micros(id * 86400000000) AS t"
        spark.sql(
            f"CREATE TABLE {table} USING iceberg PARTITIONED BY ({by}) AS SELECT /*+ COALESCE(1) */ *, "
            f"struct(x, y) AS p FROM (SELECT {row} FROM range(40) UNION ALL SELECT NULL, 0, NULL)"
        )
    call = re.sub(r"(bucket|truncate|days|months)\(", r"iceberg_\1(", predicate)
    assert files_read(spark.sql(f"SELECT x FROM {table} WHERE {call}")) == read


def test_storage_partitioned_joins_remain(spark: SparkSession) -> None:
    for name in ("spj_a", "spj_b"):
        spark.sql(
            f"CREATE TABLE local.stmt.{name} USING iceberg PARTITIONED BY (bucket(4, x)) AS "
            "SELECT CAST(id AS int) AS x FROM range(40)"
        )
    keys = {
        "spark.sql.sources.v2.bucketing.enabled": "true",
        "spark.sql.sources.v2.bucketing.pushPartValues.enabled": "true",
        "spark.sql.iceberg.planning.preserve-data-grouping": "true",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    }
    for key, value in keys.items():
        spark.conf.set(key, value)
    try:
        joined = spark.sql(
            "SELECT count(a.x) FROM local.stmt.spj_a a JOIN local.stmt.spj_b b ON a.x = b.x "
            "WHERE iceberg_bucket(4, a.x) <> 2 AND iceberg_bucket(4, b.x) <> 2"
        )
        plan = joined._jdf.queryExecution().sparkPlan().toString() + str(
            joined._jdf.queryExecution().executedPlan().toString()
        )
        assert "hashpartitioning(x" not in plan
    finally:
        for key in keys:
            spark.conf.unset(key)
