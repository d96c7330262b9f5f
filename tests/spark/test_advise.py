"""Advice: the spec that makes a workload read the least, its figures compared to tables that are really written."""

from __future__ import annotations

import json
import math
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from planned_files import by_text, planned_by_spec
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from samples import share
from scans import leaves

import spark_iceberg_sql as sis
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.advise.layouts.candidate_fields import candidate_fields, with_field_ids
from spark_iceberg_sql.insight.advise.layouts.layout import hypothetical_table as layout
from spark_iceberg_sql.insight.advise.layouts.layout import slice_files
from spark_iceberg_sql.insight.advise.spark_search import AdviceSearch
from spark_iceberg_sql.insight.hypothetical.partitions import Bounds, HypotheticalFile, HypotheticalTable
from spark_iceberg_sql.insight.hypothetical.spark_source import resolve_source
from spark_iceberg_sql.insight.specs import clause
from spark_iceberg_sql.insight.workload import workload
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.sessions import session as ways_in
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.bridge.plans import hypothetical_plans, query_plans, relations
from spark_iceberg_sql.spark.bridge.tables import file_statistics, hypothetical_tables

# A small table with small files: a spec is proposed from 25 kB per file, and opening a file costs 10 kB.
OPEN_COST = "read.split.open-file-cost"
SMALL = "'write.target-file-size-bytes' = '400000', 'read.split.open-file-cost' = '10000'"
VISITS = """
SELECT id, timestamp_seconds(1704067200 + id * 60) AS ts,
  cast(pmod(hash(id, 1), 1000) * pmod(hash(id, 2), 1000) * 60 / 1000000 AS int) AS shop,
  concat('u', pmod(hash(id, 3), 1000)) AS `user`, sha2(string(id), 256) AS note
FROM range(0, 30000, 1, 1)
"""
TABLE = "local.advice.visits"
BY_SHOP = f"SELECT * FROM {TABLE} WHERE shop = 7"
BY_DAY = f"SELECT count(note) FROM {TABLE} v WHERE ts >= '2024-01-10' AND ts < '2024-01-12'"


@pytest.fixture(scope="module")
def visits(spark: SparkSession) -> str:
    spark.sql(f"DROP TABLE IF EXISTS {TABLE}")
    spark.sql(f"CREATE TABLE {TABLE} USING iceberg TBLPROPERTIES ({SMALL}) AS {VISITS}")
    return TABLE


def really_read(spark: SparkSession, query: str, table: str) -> tuple[int, int]:
    """The files and bytes that Spark plans to read of an existing table."""
    name = table.split(".")
    with sessions.working_in(spark):
        loaded_table = relations.catalog_table(table)
    scans = hypothetical_plans.scans(spark, query.replace(TABLE, table), loaded_table, [tuple(name)])
    read = [hypothetical_plans.read_by(scan.scan) for scan in scans]
    return sum(f for f, _ in read), sum(b for _, b in read)


@pytest.mark.tier("quick", of="advise")
def test_the_best_spec_is_as_good_as_it_says(spark: SparkSession, visits: str) -> None:
    before = files_in_memory(spark)
    advice = sis.advise(spark, visits, [(BY_SHOP, 5), BY_DAY])
    assert files_in_memory(spark) == before  # nothing is left in the driver's memory
    assert [p.cost for p in advice] == sorted(p.cost for p in advice)
    assert advice.today is not None
    assert advice.best.cost <= advice.today.cost
    assert "shop" in advice.best.spec
    for query in advice.today.per_query:
        assert (query.files, query.bytes) == really_read(spark, query.query, visits)
    copy = "local.advice.copy"
    spark.sql(f"DROP TABLE IF EXISTS {copy}")
    spark.sql(f"CREATE TABLE {copy} USING iceberg TBLPROPERTIES ({SMALL}) AS SELECT * FROM {visits}")
    for statement in advice.best.ddl:
        spark.sql(statement.replace(visits, copy))
    assert advice.best.rewrite is not None
    spark.sql(f"INSERT OVERWRITE {copy} SELECT * FROM {visits}")
    files = spark.sql(f"SELECT * FROM {copy}.files WHERE spec_id > 0").count()
    assert math.isclose(files, advice.best.table_files, rel_tol=0.1)
    for query in advice.best.per_query:
        count, size = really_read(spark, query.query, copy)
        assert abs(count - query.files) <= max(1, 0.1 * count), query
        assert math.isclose(size, query.bytes, rel_tol=0.15), query


def test_a_plan_with_all_rules_says_what_is_read_today(
    spark: SparkSession, visits: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a plan without the rules that conclude from metadata; what these or a join may change is planned again."""
    name = "local.advice.planned"
    spark.sql(
        f"CREATE OR REPLACE TABLE {name} USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES ({SMALL}) AS {VISITS}"
    )
    plain = [
        f"SELECT note FROM {name} WHERE shop = 7",
        f"SELECT sum(id) FROM {name} WHERE year(ts) = 2024 AND iceberg_days(ts) <> DATE '2024-01-03'",
        f"SELECT count(*) FROM {name}",
    ]
    others = [  # the first by the keys of its join
        f"SELECT a.id FROM {name} a JOIN {name} b ON a.ts = b.ts WHERE b.shop = 7",
        f"SELECT id FROM {name} ORDER BY ts LIMIT 3",
        f"SELECT id FROM {name} LIMIT 3",
        f"SELECT id FROM {name} WHERE ts > (SELECT max(ts) - INTERVAL 1 DAY FROM {name})",
        f"SELECT sum(id) FROM {name} WHERE iceberg_days(ts) = DATE '2024-01-03' OR day(ts) = 20",
    ]
    planned: list[str] = []
    plan = hypothetical_plans.scans

    def counted(session: SparkSession, text: str, table: Any, *rest: Any) -> list[hypothetical_plans.PlannedScan]:
        if not str(table.location()).startswith(hypothetical_plans.FOLDER):
            planned.append(text)
        return plan(session, text, table, *rest)

    monkeypatch.setattr(hypothetical_plans, "scans", counted)
    for using in ("data", "metadata"):
        advice = sis.advise(spark, name, [*plain, *others], using=using)
        assert not set(planned).intersection(plain)
        with monkeypatch.context() as unknown:
            unknown.setattr(hypothetical_plans, "scan_reads", lambda optimized: None)
            planned_again = sis.advise(spark, name, [*plain, *others], using=using)
        assert set(planned) >= set(plain[:-1])
        assert str(advice) == str(planned_again)
        assert [*advice] == [*planned_again]
        planned.clear()


def test_fields_that_leave_out_hardly_anything_are_not_proposed(spark: SparkSession) -> None:
    """Such as the few nulls of a column that is joined, or a range of nearly all of a column's values."""
    name = "local.advice.few"
    for number, is_worth in ((50, False), (2, True)):
        spark.sql(
            f"CREATE OR REPLACE TABLE {name} USING iceberg TBLPROPERTIES ({SMALL}) AS "
            f"SELECT *, if(hash(id, 5) % {number} = 0, null, id % 7) AS k FROM ({VISITS})"
        )
        query = f"SELECT * FROM {name} WHERE shop = 7 AND k IS NOT NULL AND id >= 10"
        specs = [proposal.spec for proposal in sis.advise(spark, name, query)]
        assert any("shop" in spec for spec in specs)
        assert not any("id" in spec for spec in specs), specs
        assert any(re.search(r"\bk\b", spec) for spec in specs) == is_worth, specs


def _slow(function: Callable[..., None], seconds: float) -> Callable[..., None]:
    def slowed(*arguments: object) -> None:
        function(*arguments)
        time.sleep(seconds)

    return slowed


def test_long_advice_says_how_far_it_is(
    spark: SparkSession, visits: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The step of how many, and the query or spec of how many; no longer than the terminal's line."""
    monkeypatch.setattr(spark_progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(spark_progress, "_EVERY", 0.001)
    # Of a small table, a step or a part of it may be over before the line is shown again.
    monkeypatch.setattr(spark_progress, "begin_step", _slow(spark_progress.begin_step, 0.3))
    monkeypatch.setattr(spark_progress, "count", _slow(spark_progress.count, 0.05))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    sis.advise(spark, visits, [BY_SHOP, BY_DAY])
    lines = [line.strip() for line in capsys.readouterr().err.split("\r")]
    assert max(map(len, lines)) < 60
    steps = {step for line in lines for step in re.findall(r"step \d of \d", line)}
    assert steps == {f"step {number} of 4" for number in range(1, 5)}
    monkeypatch.setenv("COLUMNS", "200")
    sis.advise(spark, visits, [BY_SHOP, BY_DAY])
    lines = capsys.readouterr().err.split("\r")
    assert any(re.match(rf"advice for {visits}: .+, step 2 of 4: queries of visits, [12] of 2", line) for line in lines)
    assert any(re.search(r"step 3 of 4: specs of visits, [\d,]+ of [\d,]+", line) for line in lines)
    assert any("step 4 of 4: proposals for visits" in line for line in lines)


def test_manifests_are_read_once(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """What queries read today, the sizes and the bounds come from one pass, and no scan plans its files besides."""
    name = "local.advice.once"
    spark.sql(f"CREATE OR REPLACE TABLE {name} USING iceberg PARTITIONED BY (days(ts)) AS {VISITS}")
    queries = [f"SELECT sum(id) FROM {name} WHERE ts >= '2024-01-05'", f"SELECT * FROM {name} WHERE id = 5"]
    sis.advise(spark, name, queries, using="metadata")
    of_manifests, passes = file_statistics.of_manifests, []

    def counted(*arguments: Any) -> Any:
        passes.append(arguments)
        return of_manifests(*arguments)

    def read() -> int:
        return sum(
            int(scheme.getBytesRead()) for scheme in spark._jvm.org.apache.hadoop.fs.FileSystem.getAllStatistics()
        )

    monkeypatch.setattr(file_statistics, "of_manifests", counted)
    sis.advise(spark, name, queries, using="metadata")
    assert len(passes) == 1
    before = read()
    with sessions.working_in(spark):
        for query in queries:
            query_plans.plan_statement(spark, query)
        assert read() == before
        query_plans.plan_statement(spark, f"SELECT id, count(*) FROM {name} WHERE ts >= '2024-01-05' GROUP BY id")
    assert read() > before


@pytest.mark.parametrize(
    ("predicate", "field"),
    [("actor LIKE 'user-9%'", "truncate(6, actor)"), ("seen IS NULL", "(seen)"), ("substr(actor, 6) = '7'", None)],
)
def test_candidates_follow_from_the_predicates(spark: SparkSession, predicate: str, field: str | None) -> None:
    """Every file of the table has actors of all kinds, whose first five letters are the same, and rows not seen."""
    name = "local.advice.actors"
    spark.sql(f"""
        CREATE OR REPLACE TABLE {name} USING iceberg TBLPROPERTIES ({SMALL}) AS
        SELECT id, concat('user-', pmod(hash(id), 1000)) AS actor, sha2(string(id), 256) AS h,
        if(pmod(hash(id), 30) = 0, NULL, timestamp_seconds(1704067200 + pmod(hash(id, 2), 8000000))) AS seen
        FROM range(20000)
    """)
    advice = sis.advise(spark, name, [f"SELECT id, h FROM {name} WHERE {predicate}"])
    assert advice.today is not None
    if field is None:
        assert advice.best.is_today
        return
    assert field in advice.best.spec
    assert 3 * advice.best.cost < advice.today.cost


@pytest.mark.tier("sweep")
def test_the_best_of_all_pairs_is_found(spark: SparkSession, visits: str) -> None:
    queries = [BY_SHOP, f"SELECT * FROM {TABLE} WHERE `user` = 'u1' AND ts >= '2024-01-05'"]
    source = resolve_source(spark, visits)
    with sessions.working_in(spark):
        costs = AdviceSearch(spark, source, workload(queries), 10**6).costs.all_specs().total_costs
    by_text = {clause(Spec(0, fields), source.schema): cost for fields, cost in costs.items()}
    chosen = sis.advise(spark, visits, queries)
    assert "every row" in chosen.basis
    assert chosen.tried == len(by_text) > 10
    assert chosen.best.cost <= 1.02 * min(by_text.values())
    other = sis.advise(spark, visits, queries, sample=3000)
    assert "sample of" in other.basis
    assert by_text[other.best.spec] <= 1.25 * min(by_text.values())


def test_every_way_to_ask(spark: SparkSession, visits: str, tmp_path: object) -> None:
    rows = spark.sql(
        f"SELECT rank, spec, ddl, per_query FROM iceberg_advise('{visits}', queries => array("
        f"\"{BY_SHOP}\", 'SELECT 1'))"
    ).collect()
    assert [r["rank"] for r in rows] == list(range(1, len(rows) + 1))
    assert rows[0].per_query[0].query == BY_SHOP
    frame = spark.table(visits).where("id < 4000")
    properties = {"write.target-file-size-bytes": "200000", "read.split.open-file-cost": "1000"}
    advice = sis.advise(
        spark,
        frame,
        "SELECT * FROM source WHERE shop = 3; SELECT * FROM nowhere; DELETE FROM source WHERE id = 1; "
        "INSERT INTO nowhere SELECT * FROM source; SET a = 1; SELEC * FROM source; "
        "SELECT * FROM source WHERE shop = 3 AND shop = 4; SELECT * FROM range(3)",
        properties=properties,
    )
    assert advice.today is None
    assert all(not p.ddl and p.rewrite is None for p in advice)
    assert "shop" in advice.best.spec
    assert any("query 2 is skipped" in note for note in advice.notes)
    for number, word in ((3, "DELETE"), (4, "INSERT")):
        assert f"query {number} is skipped: what {word} reads is not counted, only what queries read" in advice.notes
    notes = "\n".join(advice.notes)
    assert "query 5" not in notes
    assert "query 6 is skipped: [PARSE_SYNTAX_ERROR]" in notes
    never = "query 7 is skipped: Spark plans no scan of `source`, for example because a condition is never true"
    assert never in advice.notes
    assert "query 8 is skipped: it does not read `source`" in advice.notes
    spark.sql(f"ALTER TABLE {visits} CREATE BRANCH old")
    snapshot = spark.table(f"{visits}.snapshots").first().snapshot_id
    earlier = (
        *("VERSION AS OF 'old'", f"VERSION AS OF {snapshot}", "TIMESTAMP AS OF now()"),
        *(".branch_old", f".snapshot_id_{snapshot}"),
    )
    queries = [f"SELECT * FROM {visits}{' ' * (e[0] != '.')}{e} WHERE shop = 1" for e in earlier]
    queries.append(f"SELECT * FROM {visits}.files")
    advice = sis.advise(spark, visits, [BY_SHOP, *queries], using="metadata")
    spark.sql(f"ALTER TABLE {visits} DROP BRANCH old")
    skip_reason = f"it reads a snapshot or branch of {visits} by its name, which no rewrite changes"
    assert [note for note in advice.notes if "is skipped" in note] == [
        *(f"query {number} is skipped: {skip_reason}" for number in range(2, 7)),
        f"query 7 is skipped: it does not read {visits}",
    ]
    assert "<svg" in advice._repr_html_()
    assert advice.best.per_query[0].files_now >= advice.best.per_query[0].files


def test_a_temporary_view_does_not_hide_the_source(spark: SparkSession, visits: str) -> None:
    """Its name in queries is `source`; one of a common table expression is that expression's."""
    queries = [
        "SELECT id FROM Source s WHERE s.shop = 3 AND id IN (SELECT id FROM source WHERE source.shop = 3)",
        "WITH source AS (SELECT 1 AS shop) SELECT * FROM source WHERE shop = 3",
    ]
    expected = sis.advise(spark, f"SELECT * FROM {visits}", queries)
    spark.range(3).createOrReplaceTempView("source")
    try:
        advice = sis.advise(spark, f"SELECT * FROM {visits}", queries)
        rows = spark.table("source").count()
    finally:
        spark.catalog.dropTempView("source")
    assert rows == 3
    assert advice.best.spec == expected.best.spec
    assert advice.notes == expected.notes
    assert any("query 2 is skipped: it does not read" in note for note in advice.notes)


def test_the_commands_print_json(
    spark: SparkSession,
    visits: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(ways_in, "session", lambda *_, **__: spark)
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)
    file = tmp_path / "q.sql"
    file.write_text(f"{BY_SHOP};\n{BY_DAY};")
    join = f"SELECT * FROM {TABLE} a JOIN {TABLE} b ON a.id = b.id"
    for arguments, result in (
        (["preview", visits, "--spec", "shop"], sis.preview(spark, visits, "shop").to_dict()),
        (["advise", visits, str(file)], sis.advise(spark, visits, str(file)).to_dict()),
        (["health", visits], sis.health(spark, visits).to_dict()),
        (["spj", join], [{"statement": 1, **sis.spj(spark, join).to_dict()}]),
    ):
        assert main([*arguments, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out) == result
    assert main(["spj", f"{join}; SELECT nope FROM {TABLE}"]) == 2
    output = capsys.readouterr()
    assert output.out.startswith("-- statement 1\n")
    assert output.err.startswith("error: statement 2: ")


def test_a_table_that_is_as_good_as_it_can_be_stays(spark: SparkSession) -> None:
    name = "local.advice.good"
    spark.sql(f"DROP TABLE IF EXISTS {name}")
    spark.sql(
        f"CREATE TABLE {name} USING iceberg PARTITIONED BY (shop) TBLPROPERTIES ({SMALL}) AS "
        "SELECT id % 4 AS shop, uuid() AS note, id FROM range(0, 20000, 1, 2)"
    )
    advice = sis.advise(spark, name, f"SELECT * FROM {name} WHERE shop = 2")
    assert advice.best.cost <= min(p.cost for p in advice)
    assert advice.best.spec == "shop"
    assert advice.best.ddl == ()
    spark.sql("DROP TABLE IF EXISTS local.advice.void")
    spark.sql("CREATE TABLE local.advice.void (id BIGINT, ts TIMESTAMP) USING iceberg")
    empty = sis.advise(spark, "local.advice.void", "SELECT * FROM local.advice.void WHERE id = 1")
    assert empty.best.bytes == 0


def test_names_in_any_spelling(spark: SparkSession, visits: str) -> None:
    spark.sql("USE local.advice")
    try:
        text = str(
            sis.advise(
                spark,
                "visits",
                "WITH v AS (SELECT * FROM VISITS) SELECT * FROM v WHERE shop = 1 AND EXISTS "
                "(SELECT 1 FROM `visits` w WHERE w.id = v.id AND w.shop = 2)",
            )
        )
    finally:
        spark.sql("USE spark_catalog.default")
    assert "is skipped" not in text


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([], "no query to advise for"),
        ("DELETE FROM local.advice.visits", "no query to advise for"),
        ("SELECT 1", "does not read local.advice.visits"),
        ("SELECT nope FROM local.advice.visits", "query 1 is skipped"),
        ("SELEC", "statement 1 cannot be parsed"),
    ],
)
def test_what_gives_no_advice_says_why(
    spark: SparkSession, visits: str, queries: list[str] | str, message: str
) -> None:
    with pytest.raises(sis.IcebergSqlError) as error:
        sis.advise(spark, visits, queries)
    assert message in str(error.value)
    text = queries if isinstance(queries, str) else ""
    with pytest.raises(AnalysisException, match="iceberg_advise"):
        spark.sql(f"SELECT * FROM iceberg_advise('{visits}', '{text}')")


def test_arguments_that_are_refused(spark: SparkSession, visits: str) -> None:
    for more, message in (
        ({"sample": 0}, "sample must be at least 1 row, not 0"),
        ({"sample": -1}, "sample must be at least 1 row, not -1"),
        ({"queries": [(BY_SHOP, "x")]}, "a pair of a string and a weight"),
        ({"queries": [(BY_SHOP, math.inf)]}, "must be a positive number"),
        ({"queries": [7]}, "a pair of a string and a weight"),
        ({"properties": {"write.target-file-size-bytes": "64MB"}}, "'write.target-file-size-bytes'"),
        *(
            ({"properties": {key: value}}, f"the table property '{key}' cannot be '{value}'\nhelp:")
            for key, value in (
                *((OPEN_COST, "abc"), (OPEN_COST, "-5"), (OPEN_COST, "1_000"), (OPEN_COST, "9" * 19)),
                ("write.target-file-size-bytes", "0"),
            )
        ),
    ):
        with pytest.raises(sis.IcebergSqlError) as error:
            sis.advise(spark, visits, **{"queries": [BY_SHOP], **more})  # type: ignore[arg-type]
        assert message in str(error.value)
    for queries in ("array()", "'SELECT 1'"):
        with pytest.raises(AnalysisException, match=r"parameter.*`queries`"):
            spark.sql(f"SELECT * FROM iceberg_advise('{visits}', queries => {queries})")


def files_in_memory(spark: SparkSession) -> int:
    kind = spark._jvm.org.apache.spark.util.Utils.classForName(
        "org.apache.iceberg.inmemory.InMemoryFileIO", True, False
    )
    field = kind.getDeclaredField("IN_MEMORY_FILES")
    field.setAccessible(True)
    return field.get(None).size()


def test_advice_from_metadata_alone(spark: SparkSession, visits: str) -> None:
    """No file is opened: those of the second table do not exist."""
    queries = [f"SELECT * FROM {TABLE} WHERE id = 77", BY_DAY]
    exact = sis.advise(spark, visits, queries, sample=10**6)
    advice = sis.advise(spark, visits, queries, using="metadata")
    assert f"bounds of {spark.table(f'{visits}.files').count()} files" in advice.basis
    assert "no row was read" in advice.basis
    assert advice.today is not None
    assert advice.today.cost == exact.today.cost
    costs = [p.cost for p in exact if p.spec == advice.best.spec]
    assert costs
    assert min(costs) <= 1.25 * exact.best.cost
    big = "local.advice.big"
    spark.sql(f"CREATE OR REPLACE TABLE {big} (id BIGINT, ts TIMESTAMP, name STRING) USING iceberg")
    source = resolve_source(spark, big)
    day = 86_400_000_000
    files = tuple(
        HypotheticalFile((), 1_000_000, 10**8, {1: Bounds(0, 10**9), 2: Bounds(n * day // 5, (n + 1) * day // 5)})
        for n in range(1000)
    )
    hypothetical_table = HypotheticalTable(source.schema, Spec(0), files)
    with sessions.working_in(spark):
        hypothetical_tables.add_files(relations.catalog_table(big), hypothetical_table.to_bytes())
    rows = spark.sql(
        f"SELECT spec, table_files, notes FROM iceberg_advise('{big}', using => 'metadata', queries => array("
        f"\"SELECT * FROM {big} WHERE id = 5 AND name = 'x' AND ts >= '1970-02-01' AND ts < '1970-02-03'\"))"
    ).collect()
    assert "bucket" in rows[0].spec
    assert "ts" in rows[0].spec
    assert any("no bounds for `name`" in note for note in rows[0].notes)
    for source, message in ((f"SELECT * FROM {visits}", "no file metadata"), (visits, "must be one of")):
        with pytest.raises(sis.IcebergSqlError, match=message):
            sis.advise(spark, source, BY_SHOP, using="metadata" if message[0] == "n" else "magic")
    spark.sql(f"DROP TABLE {big}")


EVERY_TYPE = """
SELECT id, cast(id % 50 AS int) AS i, id / 7 AS d,
  CASE WHEN id % 13 = 0 THEN float('nan') WHEN id % 17 = 0 THEN -0.0f ELSE float(id % 5) END AS f,
  cast(id % 1000 / 100.0 - 3 AS decimal(9, 2)) AS price, date_add(DATE '2023-11-01', int(id / 300)) AS day,
  timestamp_seconds(1704067200 + id * 60) AS ts, cast(timestamp_seconds(1704067200 + id * 77) AS TIMESTAMP_NTZ) AS at,
  id % 3 = 0 AS flag, if(id % 11 = 0, NULL, concat('u', id % 40, repeat('x', 20))) AS name,
  binary(concat('b', id % 30)) AS bin, sha2(string(id), 256) AS note
FROM range(0, 30000, 1, 1)
"""
FILTERS = (
    "ts >= '2024-01-10' AND ts < '2024-01-12'",
    "name = 'u7xxxxxxxxxxxxxxxxxxxx' AND price > 4.5",
    "name IS NULL AND NOT i < 10 AND flag",
    "f = 0 OR day = DATE '2023-12-24' OR isnan(f)",
    "name LIKE 'u1%' AND at < TIMESTAMP_NTZ '2024-01-05 00:00:00'",
    "bin = binary('b7') AND id IN (5, 500, 5000) AND d BETWEEN 1 AND 80",
    "id <> 17 AND price = -1.50 AND year(ts) = 2024",
)


@pytest.mark.parametrize("using", ["data", "metadata"])
def test_the_costs_are_those_that_a_scan_plans(spark: SparkSession, using: str) -> None:
    """Specs are ranked by Iceberg's evaluators over files that no manifest has: a scan keeps the same files."""
    name = "local.advice.types"
    spark.sql(f"CREATE OR REPLACE TABLE {name} USING iceberg TBLPROPERTIES ({SMALL}) AS {EVERY_TYPE}")
    source = resolve_source(spark, name)
    queries = [f"SELECT * FROM {name} WHERE {condition}" for condition in FILTERS]
    with sessions.working_in(spark):
        search = AdviceSearch(spark, source, workload(queries), 3000, using)
        spec_costs = search.costs.all_specs()
        sample, spec_layouts, planned, costs = (
            spec_costs.sample,
            spec_costs.layouts,
            spec_costs.planned_queries,
            spec_costs.costs_by_query,
        )
        assert len(spec_layouts) > 60
        covered: set[object] = set()
        tried = [spec for n, spec in enumerate(spec_layouts) if n % (2 if len(spec) < 2 else 40) == 0]
        for fields in tried:
            covered |= {f.transform.transform for f in fields} | {f.source for f in fields}
            hypothetical_table = layout(sample, source.schema, Spec(0, fields), spec_layouts[fields])
            with hypothetical_tables.table(source.as_table(Spec(0, fields))) as table:
                hypothetical_tables.add_files(table, hypothetical_table.to_bytes())
                assert file_statistics.file_sizes(table) == [max(1, file.size) for file in hypothetical_table.files]
                for item, cost in zip(planned, costs, strict=True):
                    read = [planned_by_spec(table, filters).get(0, (0, 0)) for filters in item.filters]
                    if not any(files for files, _ in read):
                        read = [search.costs.minimum_reads(item.query.text, sample, spec_layouts[fields])]
                    assert cost[fields] == sum(b + f * 10_000 for f, b in read), (fields, item)
    assert len(covered) > 8


@pytest.mark.parametrize("using", ["data", "metadata"])
def test_a_proposal_as_estimated_is_the_one_that_spark_plans(
    spark: SparkSession, using: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planned on an empty table: the filters are those of the estimate, which knows the files that they keep.

    Nor is a query planned for each spec that asks for no more than what columns themselves are compared with.
    """
    name = "local.advice.types"
    spark.sql(f"CREATE OR REPLACE TABLE {name} USING iceberg TBLPROPERTIES ({SMALL}) AS {EVERY_TYPE}")
    source = resolve_source(spark, name)
    queries = [f"SELECT * FROM {name} WHERE {condition}" for condition in FILTERS]
    with sessions.working_in(spark):
        search = AdviceSearch(spark, source, workload(queries), 100_000, using)
        costs = search.costs.all_specs()
        assert search.costs.is_laid_out(costs.sample)
        estimates = 0
        for fields in [*costs.layouts][::12]:
            hypothetical = search.costs.table_under(costs.sample, Spec(0, fields), costs.layouts[fields])
            evaluated = search._proposals.under(costs.sample, costs.layouts[fields], hypothetical)
            with monkeypatch.context() as all_planned:
                all_planned.setattr(search._queries, "kept_of_plain", lambda *_: {})
                planned = search._proposals.under(costs.sample, costs.layouts[fields], hypothetical)
            assert evaluated == planned
            estimated = search._proposals.as_estimated(costs, fields, (), (), None)
            assert estimated in (None, planned)
            estimates += estimated is not None
    assert estimates > 3
    plain = {planned.query.text.partition(" WHERE ")[2] for planned in search._queries.filters[0] if planned.is_plain}
    assert plain < {*FILTERS}
    assert "id <> 17 AND price = -1.50 AND year(ts) = 2024" not in plain
    assert len(plain) > 3


def test_a_count_that_iceberg_would_answer_is_not_estimated(spark: SparkSession) -> None:
    """Of an empty table it knows every count: such a proposal needs the files."""
    name = "local.advice.counted"
    spark.sql(f"CREATE OR REPLACE TABLE {name} USING iceberg AS SELECT id FROM range(100)")
    queries = [f"SELECT count(*) FROM {name} WHERE id > 5", f"SELECT min(id) FROM {name}"]
    with sessions.working_in(spark):
        search = AdviceSearch(spark, resolve_source(spark, name), workload(queries), 3000, "data")
        costs = search.costs.all_specs()
        assert search._proposals.as_estimated(costs, (), (), (), None) is None


def test_counted_partitions_are_those_of_all_rows(spark: SparkSession) -> None:
    """With few rows in the sample, each spec's partitions have the rows and bounds that all rows give."""
    name = "local.advice.types"
    spark.sql(f"CREATE OR REPLACE TABLE {name} USING iceberg TBLPROPERTIES ({SMALL}) AS {EVERY_TYPE}")
    source = resolve_source(spark, name)
    columns = [column.field.field_id for column in source.schema.columns]
    fields = [field for i in columns for field in candidate_fields(source.schema, i)][::6]
    pairs = [with_field_ids(pair) for pair in zip(fields[::3], fields[5::3], strict=False)][:2]
    covered: set[object] = set()
    with sessions.working_in(spark):
        queries = workload([f"SELECT * FROM {name} WHERE id = 5"])
        few, full_search = (AdviceSearch(spark, source, queries, rows).costs for rows in (900, 10**6))
        sampled, full_sample = (search.take_sample(columns, fields) for search in (few, full_search))
        assert (sampled.is_complete, full_sample.is_complete) == (False, True)
        few._finalists = [[field] for field in fields]  # what is counted with one more field is counted for all
        for spec in [*((field,) for field in fields), *pairs]:
            if len(set(full_sample.partition_numbers(spec))) > 500:
                continue
            counted_table, right = (
                search.table_under(rows, Spec(0, spec), slice_files(rows, spec))
                for search, rows in ((few, sampled), (full_search, full_sample))
            )
            assert (counted_table.row_count, counted_table.partition_count) == (30_000, right.partition_count)
            alone = Counter(file.partition for file in right.files)
            exact = {f.partition: f for f in right.files if alone[f.partition] == 1}
            for file in counted_table.files:
                if file.partition in exact:
                    other = exact[file.partition]
                    assert file.rows == other.rows
                    for i, file_bounds in file.bounds.items():
                        expected_bounds = other.bounds[i]  # a sample counts NaNs only as there or not
                        assert file_bounds[:3] == expected_bounds[:3], (spec, file.partition, i)
                        assert bool(file_bounds.nans) == bool(expected_bounds.nans)
                    covered |= {field.key for field in spec}
    assert len(covered) > 6


def test_a_rare_value_in_a_pair_of_fields(spark: SparkSession) -> None:
    """Its partitions are hardly in the sample: the spec that seems to need none of them is not the best."""
    name = "local.advice.levels"
    spark.sql(f"""
        CREATE OR REPLACE TABLE {name} USING iceberg PARTITIONED BY (level) TBLPROPERTIES ({SMALL}) AS
        SELECT id, IF(pmod(hash(id, 6), 2500) = 7, 'ERROR', IF(pmod(hash(id, 6), 2) = 0, 'OK', 'WARN')) AS level,
          concat('user ', pmod(hash(id, 8), 15)) AS usr, sha2(string(id), 256) AS h FROM range(0, 40000, 1, 2)
    """)
    rare, often = (f"SELECT * FROM {name} WHERE {w}" for w in ("level = 'ERROR'", "usr = 'user 3'"))
    advice = sis.advise(spark, name, [(rare, 50), (often, 3)], sample=800)
    assert "each partition of a proposal is counted" in advice.basis
    pairs = [p for p in advice if p.spec.startswith("level, ")]
    assert pairs
    for proposal in pairs[:2]:
        spark.sql(f"DROP TABLE IF EXISTS {name}_w")
        spark.sql(
            f"CREATE TABLE {name}_w USING iceberg PARTITIONED BY ({proposal.spec}) "
            f"TBLPROPERTIES ({SMALL}) AS SELECT * FROM {name}"
        )
        (scan,) = sis.explain(spark, rare.replace(name, f"{name}_w")).scans
        assert proposal.per_query[0].files == scan.files > 1


def test_a_workload_from_an_event_log(spark: SparkSession, visits: str, tmp_path: Path) -> None:
    """Written by Spark's own listener, which compresses it since Spark 4.0."""
    context, jvm = spark._jsc.sc(), spark._jvm
    listener = jvm.org.apache.spark.scheduler.EventLoggingListener(
        "app-1", jvm.scala.Option.empty(), jvm.java.net.URI(tmp_path.as_uri()), context.conf()
    )
    listener.start()
    context.addSparkListener(listener)
    for text in (BY_SHOP, BY_SHOP, f"-- by day\n{BY_DAY}", None):
        spark.sparkContext.setJobDescription(text)
        spark.sql(text or f"SELECT count(*) FROM {TABLE} WHERE id = 3").collect()
    context.listenerBus().waitUntilEmpty()
    listener.stop()
    context.removeSparkListener(listener)
    files = (path for path in tmp_path.rglob("*app-1*") if path.is_file())
    (log,) = (path for path in files if path.suffix == ".zstd" or path.name == "app-1")
    for path in (log, tmp_path):
        advice = sis.advise(spark, visits, str(path))
        read = {query.query: query.weight for query in advice.best.per_query}
        assert read == {BY_SHOP: 2, BY_DAY: 1}


def test_an_empty_table_has_one_proposal_per_spec(spark: SparkSession) -> None:
    empty = "local.advice.empty"
    spark.sql(f"CREATE OR REPLACE TABLE {empty} (id BIGINT) USING iceberg")
    equal = "local.advice.equal"
    spark.sql(f"CREATE OR REPLACE TABLE {equal} USING iceberg AS SELECT 7 AS id FROM range(9000)")
    for table, sample in ((empty, 20_000), (equal, 700)):  # of equal rows, no spec is left but today's
        for using in ("data", "metadata"):
            query = f"SELECT * FROM {table} WHERE id = 7"
            with warnings.catch_warnings():
                warnings.simplefilter("error", sis.IcebergSqlWarning)
                (only,) = sis.advise(spark, table, query, sample=sample, using=using)
            assert (only.spec, only.is_today) == ("", True)


CONDITIONS = (
    "dt = '2024-01-05'",
    "dt <> '2024-01-05' AND dt IS NOT NULL",
    "NOT dt >= '2024-01-05'",
    "dt > '2024-01-04' AND dt <= '2024-01-06'",
    "dt IN ('2024-01-03', '2024-01-04', '2024-01-09')",
    "dt NOT IN ('2024-01-03')",
    "dt NOT BETWEEN '2024-01-03' AND '2024-01-05'",
    "dt BETWEEN '2024-01-05' AND '2024-01-03' OR id = 3",
    "dt LIKE '2024-01-%' OR dt LIKE '2023%'",
    "NOT (dt = '2024-01-05' OR hr = '07')",
    "hr = '07' AND dt = '2024-01-05'",
    "dt = '2024-01-05' AND hr = '7'",
    "dt = '2024-1-5' OR dt < '2024-01'",
)


@pytest.mark.parametrize("zone", share(["America/New_York", "UTC"], 2))
def test_from_hive(spark: SparkSession, zone: str) -> None:
    """The partitions are recognized by their rows, rewritten conditions keep them, and the script runs."""
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        spark.sql("CREATE DATABASE IF NOT EXISTS web")
        for name in ("web.logs", "local.web.logs", "local.web.logs_trial"):
            spark.sql(f"DROP TABLE IF EXISTS {name}")
        spark.sql(
            "CREATE TABLE web.logs (id BIGINT, ts TIMESTAMP, seen DATE, dt STRING, hr STRING) "
            "USING parquet PARTITIONED BY (dt, hr)"
        )
        # Hours of eleven days, one row each, some without a time.
        spark.sql(
            "INSERT INTO web.logs SELECT id, ts, DATE '2024-01-01', date_format(ts, 'yyyy-MM-dd'), "
            "date_format(ts, 'HH') FROM (SELECT id, if(id % 50 = 0, null, "
            "timestamp_seconds(1704067200 + id * 3 * 3600)) AS ts FROM range(80))"
        )
        queries = [f"SELECT * FROM web.logs WHERE {condition}" for condition in CONDITIONS]
        migration = sis.from_hive(spark, "web.logs", queries)
        assert migration.spec == "hours(ts)"
        assert f"in {zone}: checked on all 80 rows" in (migration.basis or "")
        assert migration.unsure == ()
        rewritten = [hive_query for hive_query in migration.queries if hive_query.rewritten is not None]
        assert len(rewritten) >= 10
        pairs = [
            (hive_query.text.partition(" WHERE ")[2], hive_query.rewritten.partition(" WHERE ")[2])
            for hive_query in rewritten
        ]
        wrong = ", ".join(f"count_if(NOT (({a}) <=> ({b})))" for a, b in pairs)
        assert set(spark.sql(f"SELECT {wrong} FROM web.logs").first()) == {0}
        counted = f"SELECT count(*) FROM web.logs WHERE {CONDITIONS[0]}"
        (count,) = sis.from_hive(spark, "web.logs", counted).queries
        first = migration.queries[0]
        assert (count.files, count.files_then) == (first.files, first.files_then)
        assert first.files == spark.table("web.logs").where(CONDITIONS[0]).select("hr").distinct().count()
        assert first.files_then is not None
        if zone == "UTC":
            return
        trial, _ = migration.other_ways
        for statement in (*trial.statements, *migration.sql.split(";\n")):
            spark.sql(statement.strip().rstrip(";"))
            if "add_files" in statement:  # the timestamps of the imported files have no bounds
                for name in ("logs", "logs_trial"):
                    target = f"local.web.{name}"
                    query = first.rewritten.replace("web.logs", target)
                    assert sis.explain(spark, query).scans[0].pruned == 0
                    assert same_rows(spark, "web.logs", target)
        assert same_rows(spark, "web.logs", "local.web.logs")
        for hive_query in share(migration.queries, 4):
            now = (hive_query.rewritten or hive_query.text).replace("web.logs", "local.web.logs")
            assert sorted(spark.sql(now).collect(), key=str) == sorted(spark.sql(hive_query.text).collect(), key=str)
        for hive_query in (first, count):
            query = hive_query.rewritten.replace("web.logs", "local.web.logs").replace(
                "count(*)", "*"
            )  # not from metadata
            scan = sis.explain(spark, query).scans[0]
            assert scan.files == hive_query.files_then
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def same_rows(spark: SparkSession, table_name: str, other: str) -> bool:
    a, b = spark.table(table_name), spark.table(other)
    return a.exceptAll(b).isEmpty() and b.exceptAll(a).isEmpty()


def test_what_of_a_hive_table_is_not_certain(spark: SparkSession, visits: str) -> None:
    spark.sql("CREATE DATABASE IF NOT EXISTS web")
    rows = "SELECT id, timestamp_seconds(id * 86400) AS ts, timestamp_seconds(id * 86400 + 60) AS seen"
    for name, day, message in (
        ("two", "ts", "`seen` and `ts` determine it on every row"),
        ("off", "ts + make_dt_interval(CAST(id = 7 AS INT))", "but not in 1 of 20 rows"),
    ):
        spark.sql(f"DROP TABLE IF EXISTS web.{name}")
        spark.sql(
            f"CREATE TABLE web.{name} USING parquet PARTITIONED BY (dt) AS "
            f"SELECT *, date_format({day}, 'yyyy-MM-dd') AS dt FROM ({rows} FROM range(20))"
        )
        query = f"SELECT * FROM web.{name} WHERE dt = '1970-01-05'"
        migration = sis.from_hive(spark, f"web.{name}", query)
        assert (migration.spec, migration.basis) == ("dt", None)
        assert message in " ".join(migration.unsure)
        assert [(hive_query.files, hive_query.rewritten) for hive_query in migration.queries] == [(1, None)]
    assert sis.from_hive(spark, "web.two", query, column="seen").spec == "days(seen)"
    off = sis.from_hive(spark, "web.off", query, column="ts", zone="UTC")
    assert (off.spec, len(off.unsure)) == ("dt", 1)
    for name, message in ((visits, "is not a Hive table"), ("web.nope", "nope")):
        with pytest.raises(sis.IcebergSqlError, match=message):
            sis.from_hive(spark, name)


@pytest.mark.parametrize(
    ("column", "value", "arguments", "expected"),
    [
        ("dt", "date_format(ts - INTERVAL 8 HOURS, 'yyyy-MM-dd')", {}, "it seems to be so in -08:00, America/"),
        ("dt", "date_format(ts - INTERVAL 8 HOURS, 'yyyy-MM-dd')", {"zone": "-08:00"}, "days(ts)"),
        ("h", "date_format(ts, 'yyyyMMddHH')", {}, "hours(ts)"),
        ("hour", "date_format(ts, 'yyyy-MM-dd-HH')", {}, "hours(ts)"),
    ],
)
def test_values_decide_what_a_partition_column_is(
    spark: SparkSession, column: str, value: str, arguments: dict[str, str], expected: str
) -> None:
    spark.sql("CREATE DATABASE IF NOT EXISTS web")
    spark.sql("DROP TABLE IF EXISTS web.decided")
    spark.sql(
        f"CREATE TABLE web.decided USING parquet PARTITIONED BY ({column}) AS SELECT *, {value} AS {column} "
        "FROM (SELECT id, timestamp_seconds(1704067200 + id * 3600) AS ts FROM range(60))"
    )
    result = sis.from_hive(spark, "web.decided", **arguments)
    assert expected in (result.spec, *result.unsure) or expected in " ".join(result.unsure)


def test_a_count_that_metadata_could_answer_keeps_its_filter(spark: SparkSession) -> None:
    """Iceberg counts the rows of an empty table without a scan, and with it a query's filter was lost."""
    spark.sql("""
        CREATE OR REPLACE TABLE local.d.counted USING iceberg
        TBLPROPERTIES ('write.target-file-size-bytes' = '100000', 'read.split.open-file-cost' = '10000')
        AS SELECT id, timestamp_seconds(1704067200 + id * 37) AS ts, CAST(pmod(hash(id), 20) AS INT) AS shop,
        sha2(string(id), 256) AS h FROM range(0, 20000, 1, 2)
    """)
    late = "SELECT count(*) FROM local.d.counted WHERE ts >= '2024-02-01' AND ts < '2024-02-03'"
    advice = sis.advise(spark, "local.d.counted", ["SELECT * FROM local.d.counted WHERE shop = 3", late], sample=5000)
    assert "of 20,000 rows" in advice.basis
    assert [proposal.per_query[1].files for proposal in advice] == [0] * len(advice)
    assert "shop" in advice[0].spec


def test_rows_that_a_sample_does_not_have_are_not_free(spark: SparkSession, visits: str) -> None:
    """Else a spec whose partition is not in the sample would seem to answer a frequent query from nothing."""
    counts = {
        row["shop"]: row["n"] for row in spark.sql(f"SELECT shop, count(*) AS n FROM {TABLE} GROUP BY 1").collect()
    }
    rare_shops = [shop for shop, n in sorted(counts.items()) if n < 20]
    for missing in rare_shops * 4:  # which rows a sample has depends on the order in which Spark reads the files
        rare, none = (f"SELECT * FROM {TABLE} WHERE shop = {shop}" for shop in (missing, 99))
        with sessions.working_in(spark):
            search = AdviceSearch(
                spark, resolve_source(spark, visits), workload([(rare, 50), (none, 50), BY_SHOP]), 300
            ).costs
            costs = search.all_specs()
        if missing not in costs.sample.field_values[3, "identity"]:
            break
    else:
        pytest.fail("each sample has all shops")
    assert min(by_text(costs)[rare].values()) > 10_000
    assert set(by_text(costs)[none].values()) == {0}  # beyond the table's greatest value
    advice = sis.advise(spark, visits, [(rare, 50), (none, 50), BY_SHOP], sample=300)
    assert all(proposal.per_query[0].files >= 1 for proposal in advice)
    assert all(proposal.per_query[1].files == 0 for proposal in advice)


@pytest.mark.tier("quick", of="from-hive")
def test_from_hive_resolves_names_in_its_own_session(spark: SparkSession) -> None:
    """Another session is active on this thread."""
    hive_session, other = spark.newSession(), spark.newSession()
    hive_session.sql("CREATE TABLE mine_alone (id BIGINT, dt STRING) USING parquet PARTITIONED BY (dt)")
    other.sql("CREATE NAMESPACE IF NOT EXISTS local.elsewhere")
    other.sql("USE local.elsewhere")
    try:
        with sessions.working_in(other):
            assert sis.from_hive(hive_session, "mine_alone").table == "default.mine_alone"
    finally:
        hive_session.sql("DROP TABLE mine_alone")


def test_from_hive_in_another_zone_than_the_sessions(spark: SparkSession) -> None:
    """The rows are checked in the zone given, queries of other tables stay, and ORC files are written anew."""
    spark.sql("CREATE DATABASE IF NOT EXISTS web")
    for name in ("web.days", "local.web.days"):
        spark.sql(f"DROP TABLE IF EXISTS {name}")
    local = "date_format(from_utc_timestamp(ts, 'America/New_York'), 'yyyy-MM-dd')"
    spark.sql(
        f"CREATE TABLE web.days USING orc PARTITIONED BY (dt) AS SELECT id, ts, {local} AS dt FROM "
        "(SELECT id, timestamp_seconds(1704067200 + id * 3600) AS ts FROM range(0, 100, 1, 1))"
    )
    day = "WHERE dt = '2024-01-03'"
    table_queries = [f"SELECT id FROM {name} {day}" for name in ("WEB.days", "spark_catalog.web.days")]
    other_queries = [f"SELECT id FROM {name} {day}" for name in ("days", "local.web.days")]
    for zone in ("America/New_York", "UTC"):
        migration = sis.from_hive(
            spark, "web.days", [*table_queries, *other_queries, "DELETE FROM web.days"], zone=zone
        )
        if zone == "UTC":
            assert migration.basis is None
            continue
        assert "in America/New_York: checked on all 100 rows" in (migration.basis or "")
        assert [hive_query.rewritten is not None for hive_query in migration.queries] == [
            True,
            True,
            False,
            False,
            False,
        ]
        assert migration.queries[-1].notes == ("not rewritten: not a query",)
        used = sis.from_hive(spark, "web.days", [*table_queries, "USE local"], zone=zone)
        assert [hive_query.rewritten is not None for hive_query in used.queries] == [False, True, False]
        for hive_query in migration.queries[:2]:
            assert hive_query.rewritten is not None
            assert spark.sql(hive_query.rewritten).collect() == spark.sql(hive_query.text).collect()
            assert spark.sql(hive_query.text).count() == 24
        assert "add_files" not in str(migration)
        for step in migration.script:
            for statement in step.statements:
                spark.sql(statement)
        assert same_rows(spark, "web.days", "local.web.days")


def test_keys_of_joined_tables_count_as_spark_prunes_by_them(spark: SparkSession) -> None:
    """What the join with a small table leaves of its keys is a filter; columns may be qualified by the table's name."""
    spark.sql(
        "CREATE OR REPLACE TABLE local.advice.days USING iceberg AS SELECT 2450000 + id AS sk, "
        "date_add(DATE '1999-01-01', CAST(id AS INT)) AS day FROM range(1000)"
    )
    spark.sql(
        f"CREATE OR REPLACE TABLE local.advice.sales USING iceberg TBLPROPERTIES ({SMALL}) AS "
        "SELECT 2450000 + pmod(hash(id), 1000) AS sold, id, sha2(string(id), 256) AS note FROM range(40000)"
    )
    where = "WHERE year(day) = 2000 AND month(day) = 11"
    join = f"SELECT count(note) FROM local.advice.sales JOIN local.advice.days ON sales.sold = days.sk {where}"
    advice = sis.advise(spark, "local.advice.sales", [join])
    assert advice.today is not None
    best = advice.best
    assert "sold" in best.title
    assert best.files < advice.today.files
    assert not [note for note in advice.notes if "skipped" in note]
    for statement in (*best.ddl, best.rewrite):
        spark.sql(str(statement))
    rows = spark.sql(join)
    rows.collect()
    splits = [
        leaf.metrics().apply("numSplits").value() for leaf in leaves(rows) if leaf.nodeName().endswith("advice.sales")
    ]
    assert sum(splits) == best.files
    # Another query with the same rows of the small table reads no keys again; other rows have others.
    largest = f"SELECT max(id) FROM local.advice.sales JOIN local.advice.days ON sales.sold = days.sk {where}"
    keys, read = hypothetical_plans.no_keys(), []
    for query in (join, largest, join.replace("= 11", "= 12")):
        table = resolve_source(spark, "local.advice.sales").iceberg_table
        names = [("local", "advice", "sales")]
        assert len(hypothetical_plans.join_keys(spark, query, table, names, keys)) == 1
        read.append(len(keys))
    assert read == [1, 1, 2]
    # Rows that join nothing are in the result; and no row is read for advice from metadata.
    outer = f"SELECT count(*) FROM local.advice.sales LEFT JOIN (SELECT sk FROM local.advice.days {where}) ON sold = sk"
    for query, using in ((outer, "data"), (join, "metadata")):
        unfiltered = sis.advise(spark, "local.advice.sales", [query], using=using)
        assert unfiltered.today is not None
        assert unfiltered.today.files == unfiltered.today.table_files


def test_the_cost_of_a_z_order(spark: SparkSession) -> None:
    """It is estimated as the rewrite then makes it: less for queries of either column than any order."""
    table = "local.advice.grid"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} USING iceberg TBLPROPERTIES ({SMALL.replace('400000', '100000')}) AS "
        "SELECT id % 200 AS x, id DIV 200 AS y, sha2(string(id), 256) AS note FROM range(40000) ORDER BY hash(id)"
    )
    queries = [f"SELECT note FROM {table} WHERE {column} BETWEEN 20 AND 22" for column in ("x", "y")]
    with sessions.working_in(spark):
        search = AdviceSearch(spark, resolve_source(spark, table), workload(queries), 50_000)
        orders = list(search.costs.sorted_layouts(search.costs.all_specs(), [()]))
    costs = {(order.is_z_order, order.field_ids): order_costs.total_costs[()] for order, order_costs in orders}
    assert sorted(costs) == [(False, (1,)), (False, (1, 2)), (False, (2,)), (False, (2, 1)), (True, (1, 2))]
    assert min(costs, key=costs.__getitem__) == (True, (1, 2))
    spark.sql(
        "CALL local.system.rewrite_data_files(table => 'advice.grid', strategy => 'sort', "
        "sort_order => 'zorder(x, y)', options => map('rewrite-all', 'true'))"
    )
    read = [really_read(spark, query, table) for query in queries]
    real_cost = sum(size + 10_000 * files for files, size in read)
    assert abs(real_cost - costs[True, (1, 2)]) <= 0.35 * real_cost


def test_the_files_of_a_rewrite_that_sorts(spark: SparkSession) -> None:
    """Their number is that of tasks, which Iceberg takes from today's bytes, and of the files that each task fills."""
    table = "local.advice.shuffled"
    spark.sql(
        f"CREATE OR REPLACE TABLE {table} USING iceberg TBLPROPERTIES ({SMALL.replace('400000', '64000')}) AS "
        "SELECT id, pmod(xxhash64(id), 1000) AS k, concat('p/', pmod(xxhash64(id, 3), 50)) AS url "
        "FROM range(60000) ORDER BY xxhash64(id)"
    )
    advice = sis.advise(spark, table, [f"SELECT * FROM {table} WHERE k BETWEEN 20 AND 50"])
    sorted_layout = next(p for p in advice if p.sort_order == "k" and not p.spec)
    for statement in (*sorted_layout.ddl, sorted_layout.rewrite):
        spark.sql(str(statement))
    files = spark.sql(f"SELECT count(*) FROM {table}.files").first()
    assert files is not None
    assert sorted_layout.table_files == pytest.approx(files[0], rel=0.25)


def test_times_around_1970_are_not_taken_for_milliseconds(spark: SparkSession) -> None:
    """The files of a table that is only planned have no footers that tell the unit of such times."""
    table = "local.adv.around_1970"
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, ts TIMESTAMP) USING iceberg TBLPROPERTIES "
        "('write.target-file-size-bytes' = '16384', 'write.parquet.row-group-size-bytes' = '16384', "
        "'read.split.open-file-cost' = '1')"
    )
    spark.sql(
        f"INSERT INTO {table} SELECT id, timestamp_seconds(-500000000 + id * 100000) FROM range(0, 9000, 1, 1) "
        "ORDER BY hash(id)"
    )
    advice = sis.advise(spark, table, [f"SELECT max(id) FROM {table} WHERE year(ts) = 1976"])
    years = next(proposal for proposal in advice if proposal.spec == "years(ts)")
    assert years.files == 1
    spark.sql(f"DROP TABLE {table} PURGE")


def test_the_best_pair_is_tried_with_a_third_field(spark: SparkSession) -> None:
    table = "local.advise.three_columns"
    spark.sql(
        f"""CREATE OR REPLACE TABLE {table} USING iceberg TBLPROPERTIES ('write.target-file-size-bytes' = '60000',
        'write.parquet.row-group-size-bytes' = '60000', 'read.split.open-file-cost' = '4096')
        AS SELECT abs(hash(id, 1)) % 8 AS a, abs(hash(id, 2)) % 8 AS b, abs(hash(id, 3)) % 8 AS c,
        md5(CAST(id AS STRING)) AS payload FROM range(0, 100000, 1, 4)"""
    )
    best = sis.advise(spark, table, [f"SELECT payload FROM {table} WHERE a = 1 AND b = 2 AND c = 3"]).best
    assert {clause.strip() for clause in best.spec.split(",")} == {"a", "b", "c"}
    assert best.files == 1
