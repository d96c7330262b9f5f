"""explain: its file counts equal what the query then reads, conjunct by conjunct."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession
from samples import partly
from session_settings import settings

import spark_iceberg_sql as sis
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.insight.explain.model import Conjunct, Explanation
from spark_iceberg_sql.sessions import session as ways_in
from spark_iceberg_sql.spark.bridge.plans.scan_metrics import files_read

T, OLD = "local.explain.t", "local.explain.old"


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    """t: 12 days in 2 buckets, 24 files. old: 1 file without partitions, then 4 by truncate, with deletes."""
    spark.sql(
        f"CREATE TABLE {T} USING iceberg PARTITIONED BY (days(ts), bucket(2, id)) AS SELECT id, "
        "TIMESTAMP '2023-12-27 06:00:00' + make_dt_interval(CAST(id % 12 AS INT)) AS ts, "
        "concat('n', id % 5) AS name, CAST(id % 3 AS INT) AS k, "
        "IF(id % 2 = 0, NULL, id) AS odd FROM range(120)"
    )
    spark.sql(
        f"CREATE TABLE {OLD} (id BIGINT, name STRING) USING iceberg TBLPROPERTIES "
        "('format-version' = '2', 'write.delete.mode' = 'merge-on-read', "
        "'write.metadata.metrics.column.name' = 'none')"
    )
    spark.sql(f"INSERT INTO {OLD} SELECT /*+ COALESCE(1) */ id, concat('n', id) FROM range(10)")
    spark.sql(f"ALTER TABLE {OLD} ADD PARTITION FIELD truncate(10, id)")
    spark.sql(f"INSERT INTO {OLD} SELECT id, concat('n', id) FROM range(10, 50)")
    spark.sql(f"DELETE FROM {OLD} WHERE id = 33")
    spark.sql(f"CREATE TEMPORARY VIEW shown AS SELECT id, ts, name AS title FROM {T} WHERE k = 1")
    yield
    spark.catalog.dropTempView("shown")
    for table in (T, OLD):
        spark.sql(f"DROP TABLE {table}")


def read(spark: SparkSession, query: str) -> int:
    rows = spark.sql(query)
    rows.collect()
    return files_read(rows).files


def one(explanation: Explanation, text: str) -> Conjunct:
    return next(c for scan in explanation.scans for c in scan.conjuncts if c.text == text)


INNER = f"SELECT max(id) FROM {T} WHERE ts < '2023-12-30' AND k < 9"

# Realistic queries of all kinds: each is explained, then run, and Iceberg counts its files.
QUERIES = [
    f"SELECT * FROM {T} WHERE ts >= '2024-01-01' AND id = 17 AND lower(name) = 'x'",
    f"SELECT * FROM {T} WHERE ts BETWEEN '2023-12-30' AND '2024-01-02' OR id = 5",
    f"SELECT * FROM {T} WHERE year(ts) = 2024 AND NOT (k = 1 OR name LIKE 'n1%')",
    f"SELECT * FROM {T} WHERE date_trunc('month', ts) = '2023-12-01' AND iceberg_bucket(2, id) = 1",
    f"SELECT name, count(*) FROM {T} WHERE id IN (1, 2, 3) GROUP BY name HAVING count(*) > 0",
    f"SELECT * FROM (SELECT *, row_number() OVER (ORDER BY ts) AS r FROM {T}) WHERE id = 3",
    f"WITH c AS (SELECT * FROM {T} WHERE id < 20) SELECT * FROM c WHERE ts < '2023-12-28'",
    f"SELECT * FROM {T} WHERE id = ({INNER})",
    f"SELECT /*+ MERGE(b) */ * FROM {T} a LEFT JOIN {T} b ON a.id = b.id AND b.k = 2 WHERE a.ts < '2023-12-29'",
    f"SELECT * FROM {T} WHERE ts < '2023-12-28' UNION ALL SELECT * FROM {T} WHERE id = 7",
    "SELECT * FROM shown WHERE ts > '2024-01-05'",
    f"SELECT * FROM {T} WHERE id = 4 LIMIT 1",
    f"SELECT count(*), max(id) FROM {T}",
    f"SELECT count(*) FROM {T} WHERE ts < '2023-12-29'",
    f"SELECT * FROM {T} WHERE odd IS NULL AND k <=> 1",
    f"SELECT * FROM {OLD} WHERE id = 33",
    f"SELECT * FROM {OLD} WHERE id < 5 AND name = 'n3'",
    f"SELECT * FROM {OLD} VERSION AS OF (SELECT min(snapshot_id) FROM {OLD}.snapshots) WHERE id = 33",
    "SELECT * FROM iceberg('{path}') WHERE id = 33",
]


@pytest.mark.parametrize("query", partly(pytest.mark.tier("quick", of="explain"), QUERIES, 2))
def test_the_files_are_those_that_the_query_reads(spark: SparkSession, query: str) -> None:
    if "{path}" in query:
        location = spark.sql(f"DESCRIBE EXTENDED {OLD}").where("col_name = 'Location'").first()
        assert location is not None
        query = query.format(path=location[1])
    if "SELECT min(snapshot_id)" in query:
        first = spark.sql(f"SELECT min_by(snapshot_id, committed_at) FROM {OLD}.snapshots").first()
        assert first is not None
        query = query.replace(f"(SELECT min(snapshot_id) FROM {OLD}.snapshots)", str(first[0]))
    explanation = sis.explain(spark, query)
    assert explanation.scans
    assert all((scan.files is not None and scan.note is None) or scan.files == 0 for scan in explanation.scans)
    assert sum(scan.files or 0 for scan in explanation.scans) == read(spark, query)


CONJUNCTS = [
    ("ts >= '2024-01-01'", ["days(ts)"]),
    ("ts = '2024-01-01 06:00:00'", ["days(ts)"]),
    ("id = 17", ["bucket(2, id)", "bounds"]),
    ("id IN (1, 119)", []),
    ("id > 115", ["bounds"]),
    ("year(ts) = 2024", ["days(ts)"]),
    ("ts IS NULL", ["days(ts)"]),
    ("month(ts) = 12", []),
    ("lower(name) = 'n1'", []),
    ("name LIKE 'm%'", ["bounds"]),
    ("name LIKE '%1'", []),
    ("id = k", []),
    ("k > 7", ["bounds"]),
    ("k < 7", []),
    ("id = 1 OR upper(name) = 'X'", []),
    ("(id = 200 OR ts < '2023-12-28')", []),
    ("iceberg_days(ts) = DATE '2024-01-02'", ["days(ts)"]),
    ("odd IS NULL", []),
    ("id <> 5", []),
    ("rand() < 0.5", []),
    ("k IN (SELECT 1)", []),
]


def test_a_dataframe_is_explained_as_its_sql(spark: SparkSession) -> None:
    text = f"SELECT id FROM {T} WHERE year(ts) = 2024 AND id > 3"
    for frame in (spark.sql(text), spark.table(T).where("year(ts) = 2024 AND id > 3").select("id")):
        assert str(sis.explain(spark, frame)) == str(sis.explain(spark, text))
        assert str(sis.spj(spark, frame)) == str(sis.spj(spark, text))
    with pytest.raises(sis.IcebergSqlError, match="a statement in SQL or a DataFrame of this session, not `int`"):
        sis.explain(spark, 5)  # type: ignore[arg-type]


def test_each_conjunct_keeps_what_it_keeps_alone(spark: SparkSession) -> None:
    """A conjunct's count equals that of a query with it alone; if it prunes nothing, there is a reason."""
    query = f"SELECT * FROM {T} WHERE " + " AND ".join(f"{text}" for text, _ in CONJUNCTS if text[0] != "(")
    query = query.replace("id = 1 OR upper(name) = 'X'", "(id = 1 OR upper(name) = 'X')")
    explanation = sis.explain(spark, query + " AND (id = 200 OR ts < '2023-12-28')")
    by_text = {c.text: c for scan in explanation.scans for c in scan.conjuncts}
    for text, pruned_by in CONJUNCTS:
        if "SELECT" in text:
            continue
        alone = sis.explain(spark, f"SELECT * FROM {T} WHERE {text}").scans[0]
        conjunct, *more = [c for c in alone.conjuncts if not c.inferred]
        assert (conjunct.text.strip("()"), more) == (text.strip("()"), [])
        assert conjunct.files == read(spark, f"SELECT * FROM {T} WHERE {text}"), text
        combined = by_text.get(text.strip("()") if text[0] == "(" else text)
        assert combined is None or combined.files == conjunct.files, text
        assert (conjunct.files == 24) == (conjunct.why_not is not None), text
        assert (conjunct.files < 24) == bool(conjunct.pruned_by), text
        for clause in pruned_by:
            assert clause in conjunct.pruned_by, text


def test_what_prune_adds_and_what_is_lost_without_it(spark: SparkSession) -> None:
    query = f"SELECT * FROM {T} WHERE year(ts) = 2024 OR year(ts) = 2019"
    (on,) = sis.explain(spark, query).scans[0].conjuncts
    assert (on.files, on.files_without_added) == (14, 24)
    assert on.added is not None
    assert "2024-01-01" in on.added
    spark.conf.set("spark.iceberg_sql.prune", "false")
    try:
        scan = sis.explain(spark, query.replace(T, f"{T} AS a")).scans[0]
        (off,) = scan.conjuncts
        assert (scan.files, off.files, off.added, off.rewrite_files) == (24, 24, None, 14)
        assert off.rewrite is not None
        assert read(spark, f"SELECT * FROM {T} AS a WHERE {off.rewrite}") == 14
    finally:
        spark.conf.unset("spark.iceberg_sql.prune")


REWRITTEN = [
    "date_format(a.ts, 'dd.MM.yyyy') = '01.01.2024'",
    "substring(a.name, 1, 2) = 'm1'",
    "left(`name`, 1) = 'm'",
    "name LIKE 'm_%1'",
    "name RLIKE '^m1+'",
    "CAST(id AS STRING) = '5'",
    "abs(id) = 5",
    "coalesce(id, 0) = 119",
    "'m' = substring(name, 1, 1)",
    "array_contains(array(118L, 119L), id)",
]


def test_a_rewrite_keeps_the_rows_and_reads_less(spark: SparkSession) -> None:
    for text in REWRITTEN:
        query = f"SELECT * FROM {T} AS a WHERE {text}"
        conjunct = one(sis.explain(spark, query), text)
        assert conjunct.rewrite is not None, text
        better = query.replace(text, conjunct.rewrite)
        assert spark.sql(better).collect() == spark.sql(query).collect(), text
        assert read(spark, better) == conjunct.rewrite_files
        assert conjunct.rewrite_files is not None
        assert conjunct.rewrite_files < 24


# Close to a rewrite, but not the same rows.
NOT_REWRITTEN = [
    "substring(name, 2, 2) = 'm1'",
    "substring(name, 1, 3) = 'm1'",
    "CAST(id AS STRING) = '05'",
    "date_format(ts, 'dd.MM') = '01.01'",
    "date_format(ts, 'hh.dd.MM.yyyy') = '06.01.01.2024'",
    "name RLIKE '^m1|n'",
    "name LIKE '_m'",
    "upper(name) = 'M'",
    "abs(id) = -5",
]


def test_no_rewrite_where_rows_could_differ(spark: SparkSession) -> None:
    for text in NOT_REWRITTEN:
        for conjunct in sis.explain(spark, f"SELECT * FROM {T} WHERE {text}").scans[0].conjuncts:
            assert conjunct.rewrite is None, text
    # Iceberg skips a file whose only value is NaN for `x > 1.0D`, which Spark returns.
    spark.sql("CREATE TABLE local.db.nan (id INT, x DOUBLE) USING iceberg")
    for row in ("1, double('NaN')", "2, 5.0D", "3, -0.0D", "4, NULL"):
        spark.sql(f"INSERT INTO local.db.nan VALUES ({row})")
    for text in ("coalesce(x, 0) > 1", "coalesce(x, -1) >= 0", "nvl(x, 1) = 0"):
        scan = sis.explain(spark, f"SELECT * FROM local.db.nan WHERE {text}").scans[0]
        assert [conjunct.rewrite for conjunct in scan.conjuncts] == [None]


def test_old_files_and_missing_bounds_are_named(spark: SparkSession) -> None:
    scan = sis.explain(spark, f"SELECT * FROM {OLD} WHERE id = 3 AND name = 'n3'").scans[0]
    assert (scan.files, scan.total_files, scan.old_specs) == (1, 5, 1)
    assert "have no bounds for `name`" in (scan.conjuncts[1].why_not or "")
    assert sis.explain(spark, f"SELECT * FROM {OLD} WHERE id = 31").scans[0].delete_files == 1


def test_nothing_runs_and_statements_that_write_are_explained(spark: SparkSession) -> None:
    def snapshots() -> int:
        return spark.table(f"{T}.snapshots").count()

    before = snapshots()
    delete = sis.explain(spark, f"DELETE FROM {T} WHERE id = 3 AND lower(name) = 'n3'")
    assert (delete.scans[0].files, one(delete, "id = 3").files) == (1, 1)
    assert "at run time, only the files that contain matching rows are read" in str(delete)
    metadata_delete = sis.explain(spark, f"DELETE FROM {T} WHERE ts < '2023-12-28'")
    assert (metadata_delete.scans[0].files, metadata_delete.scans[0].total_files) == (0, 24)
    assert "removed from the metadata" in str(metadata_delete)
    for statement in (f"DELETE FROM {T}", f"DELETE FROM {T} WHERE true"):
        (scan,) = sis.explain(spark, statement).scans
        assert (scan.files, scan.total_files, scan.pruned, scan.table) == (0, 24, 100, T)
    update = sis.explain(spark, f"UPDATE {T} SET name = 'u' WHERE id = 3")
    assert update.scans[0].files == 1
    merge = sis.explain(
        spark,
        f"MERGE INTO {T} t USING (SELECT * FROM {T} WHERE id < 2) s ON t.id = s.id "
        "AND t.ts > '2024-01-05' WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *",
    )
    assert merge.scans[0].files == 6
    assert one(merge, "t.ts > '2024-01-05'").files == 6
    copied = sis.explain(spark, f"CREATE TABLE local.explain.c USING iceberg AS SELECT * FROM {T} WHERE id = 3")
    assert copied.scans[0].files == 1
    assert sis.explain(spark, f"EXPLAIN SELECT * FROM {T} WHERE id = 3").scans[0].files == 1
    assert snapshots() == before
    assert not spark.catalog.tableExists("local.explain.c")


def test_what_its_analysis_would_run_is_not_planned(spark: SparkSession) -> None:
    """Spark runs CALL and EXECUTE IMMEDIATE while it analyses them."""
    call = "CALL local.system.rewrite_data_files(table => '{}', options => map('rewrite-all', 'true'))"
    rewrite = call.format(T.partition(".")[2])
    insert = f"EXECUTE IMMEDIATE 'INSERT INTO {OLD} VALUES (1, \\'x\\')'"
    statements = [rewrite]
    if spark.version >= "4.0":  # Spark 3.5 reads neither
        statements += [f"EXPLAIN {rewrite}", insert]
    files = sorted(Path(spark.conf.get("spark.sql.catalog.local.warehouse") or "").rglob("*.json"))
    for statement in statements:
        for view in (sis.explain, sis.spj):
            with pytest.raises(sis.IcebergSqlError, match="cannot be planned without running it"):
                view(spark, statement)
    with pytest.raises(sis.IcebergSqlError, match="no query to advise for"):
        sis.advise(spark, T, [f"FROM {T} INSERT INTO {OLD} SELECT id, name WHERE k = 1"])
    assert files
    assert files == sorted(Path(spark.conf.get("spark.sql.catalog.local.warehouse") or "").rglob("*.json"))


def test_what_spark_reads_once_is_counted_once(spark: SparkSession) -> None:
    """Of the parts of a plan that are equal Spark runs one, and the condition of a command is in its query too."""
    cases = {
        f"DELETE FROM {T} WHERE name IN (SELECT name FROM {OLD})": [T, T, OLD],
        f"MERGE INTO {T} t USING {OLD} d ON t.id = d.id WHEN MATCHED THEN UPDATE SET name = 'x' "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (d.id, d.name)": [T, T, OLD, OLD],
        f"UPDATE {OLD} SET name = 'u' WHERE id = 12345": [OLD],  # no file may have such a row
        f"SELECT * FROM {T} a JOIN {T} b ON a.name = b.name": [T, T],
        f"SELECT * FROM {OLD} UNION ALL SELECT * FROM {OLD}": [OLD, OLD],
    }
    for statement, tables in cases.items():
        assert [scan.table for scan in sis.explain(spark, statement).scans] == tables, statement


def test_the_query_of_a_view_and_of_a_cache_is_explained(spark: SparkSession) -> None:
    query = f"SELECT * FROM {T} WHERE id = 3"
    for head in ("CREATE VIEW local.explain.v", "CREATE TEMPORARY VIEW v", "CACHE TABLE c"):
        explanation = sis.explain(spark, f"{head} AS {query}")
        assert [(scan.table, scan.files) for scan in explanation.scans] == [(T, 1)], head
        assert ("a view reads nothing" in str(explanation)) == ("VIEW" in head)
    assert sis.explain(spark, f"CACHE TABLE {T}").scans[0].files == 24
    with pytest.raises(sis.IcebergSqlError, match="reads no table"):
        sis.explain(spark, "SET a = b")


def test_a_join_says_that_it_may_read_less(spark: SparkSession) -> None:
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW dim AS SELECT CAST(id AS BIGINT) AS id, id % 7 AS x FROM range(50)")
    query = f"SELECT * FROM {T} t JOIN {OLD} d ON t.id = d.id WHERE d.name = 'n3'"
    explanation = sis.explain(spark, query)
    assert [scan.files for scan in explanation.scans] == [24, 5]
    assert sum(scan.files or 0 for scan in explanation.scans) >= read(spark, query)
    assert "may prune more files, by `id`" in str(explanation) or explanation.scans[0].runtime_filters == ()
    kept = sis.explain(spark, f"SELECT * FROM {T} t LEFT JOIN {OLD} d ON t.id = d.id AND t.k = 9")
    assert "LEFT OUTER JOIN" in (one(kept, "t.k = 9").why_not or "")


def test_filters_above_what_is_not_deterministic(spark: SparkSession) -> None:
    location = spark.sql(f"DESCRIBE EXTENDED {OLD}").where("col_name = 'Location'").first()
    assert location is not None
    by_path = f"iceberg('{location[1]}', use_partition_pruning => false)"
    for source in (f"(SELECT *, rand() AS r FROM {T})", f"(SELECT *, uuid() AS r FROM {T})"):
        explanation = sis.explain(spark, f"SELECT * FROM {source} WHERE id = 3")
        assert (explanation.scans[0].files, one(explanation, "id = 3").files) == (24, 24)
        assert "a SELECT that is not deterministic" in (one(explanation, "id = 3").why_not or "")
    (scan,) = sis.explain(spark, f"SELECT * FROM {by_path} WHERE id = 33").scans
    assert [(c.text, c.files) for c in scan.conjuncts] == [("id = 33", 5)]
    assert "use_partition_pruning => false" in (scan.conjuncts[0].why_not or "")
    spark.sql(f"ALTER TABLE {OLD} SET TBLPROPERTIES ('write.merge.mode' = 'merge-on-read')")
    merge = sis.explain(
        spark, f"MERGE INTO {OLD} t USING {T} s ON t.id = s.id AND t.id = 33 WHEN MATCHED THEN UPDATE SET name = s.name"
    )
    assert merge.scans[0].files == 1


def test_incremental_reads_are_not_counted(spark: SparkSession) -> None:
    ends = "min_by(snapshot_id, committed_at), max_by(snapshot_id, committed_at)"
    first = spark.sql(f"SELECT {ends} FROM {OLD}.snapshots WHERE operation = 'append'").first()
    location = spark.sql(f"DESCRIBE EXTENDED {OLD}").where("col_name = 'Location'").first()
    assert first is not None
    assert location is not None
    for more in ("", f", end_snapshot_id => {first[1]}"):
        query = f"SELECT * FROM iceberg('{location[1]}', start_snapshot_id => {first[0]}{more})"
        (scan,) = sis.explain(spark, query).scans
        assert (scan.files, scan.bytes, scan.pruned) == (None, None, None)
        assert "an incremental read" in (scan.note or "")


def test_texts_are_sql_and_derived_filters_say_so(spark: SparkSession) -> None:
    table = "local.explain.odd"
    spark.sql(f"CREATE TABLE {table} (`ünï` INT, `q``t` STRING, id BIGINT) USING iceberg")
    spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ 1, 'a', id FROM range(3)")
    spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ NULL, NULL, id FROM range(50, 53)")
    for where in ("`ünï` > 0 AND `q``t` = 'a'", "`q``t` ILIKE 'A%'"):
        for conjunct in sis.explain(spark, f"SELECT * FROM {table} WHERE {where}").scans[0].conjuncts:
            assert conjunct.files == read(spark, f"SELECT * FROM {table} WHERE {conjunct.text}"), conjunct.text
    # In a statement with parameters, Spark gives its text to what is parsed meanwhile; also to a view's query.
    for query in (f"SELECT * FROM {T} WHERE ts < '2023-12-30' AND id IN (1, 2)", "SELECT * FROM shown WHERE id > 5"):
        texts = [c.text for c in sis.explain(spark, query).scans[0].conjuncts]
        for parameters, args in (("(:q)", {"q": query}), ("(?)", [query])):
            rows = spark.sql(f"SELECT * FROM iceberg_explain{parameters} WHERE conjunct IS NOT NULL", args=args)
            assert [row.conjunct for row in rows.collect()] == texts
    joins = {
        f"SELECT * FROM {T} a JOIN {table} b ON a.id = b.id WHERE b.id < 10": (table, T, "b.id < 10", "id < 10"),
        f"MERGE INTO {table} t USING {T} s ON t.id = s.id AND t.id = 1 WHEN MATCHED THEN DELETE": (
            *(table, T, "t.id = 1", "id = 1"),
        ),
    }
    for statement, (its, other, text, copy) in joins.items():
        explanation = sis.explain(spark, statement)
        texts = {(s.table, c.text): c.inferred for s in explanation.scans for c in s.conjuncts}
        assert texts[its, text] is False, statement
        assert (other, text) not in texts
        assert texts.get((other, copy), texts.get((other, f"{copy}L"))) is True, texts
    spark.sql(f"DROP TABLE {table}")


def test_a_negation_keeps_no_nulls(spark: SparkSession) -> None:
    """Iceberg takes it for true of a null, SQL does not."""
    spark.sql("CREATE TABLE local.explain.nulls (i INT) USING iceberg")
    spark.sql("INSERT INTO local.explain.nulls SELECT /*+ COALESCE(1) */ NULL FROM range(3)")
    spark.sql("INSERT INTO local.explain.nulls SELECT /*+ COALESCE(1) */ 1 FROM range(3)")
    texts = ("i <> 5", "NOT (i = 5)", "i NOT IN (5, 6)", "i + 1 <> 5", "i <> 5 OR i = 7", "NOT (i <=> 5)")
    for text in texts:
        query = f"SELECT * FROM local.explain.nulls WHERE {text}"
        conjunct = one(sis.explain(spark, query), text)
        assert conjunct.files == read(spark, query), text
        assert conjunct.files == (2 if "OR" in text or "<=>" in text else 1), text
        assert ("every row" in (conjunct.why_not or "")) == ("<=>" in text), text  # null is distinct from 5
    spark.sql("DROP TABLE local.explain.nulls")


def test_what_cannot_be_explained_is_said(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE spark_catalog.default.plain USING parquet AS SELECT * FROM range(3)")
    try:
        explanation = sis.explain(spark, f"SELECT * FROM spark_catalog.default.plain p JOIN {T} t ON p.id = t.id")
        plain = next(scan for scan in explanation.scans if "plain" in scan.table)
        assert plain.files is None
        assert "not an Iceberg table" in str(explanation)
    finally:
        spark.sql("DROP TABLE spark_catalog.default.plain")
    never = sis.explain(spark, f"SELECT * FROM {T} WHERE 1 = 0")
    assert never.scans == ()
    assert T in never.notes[0]
    assert sis.explain(spark, f"SELECT * FROM {T}.snapshots").scans[0].files is None
    cached = spark.table(T).where("id = 3").cache()
    try:
        assert "cached" in str(sis.explain(spark, f"SELECT * FROM {T} WHERE id = 3"))
    finally:
        cached.unpersist()
    with pytest.raises(sis.IcebergSqlError, match="reads no table"):
        sis.explain(spark, "SELECT 1")
    with pytest.raises(sis.IcebergSqlError, match="reads no table"):
        sis.explain(spark, f"DROP TABLE {T}")
    with pytest.raises(AnalysisException):
        sis.explain(spark, "SELECT * FROM local.explain.nope")
    (scan,) = sis.explain(spark, "DELETE FROM shown WHERE id = 1").scans  # a view: Spark refuses it
    assert scan.table == T
    assert "removed from the metadata" not in str(scan.note)
    (scan,) = sis.explain(spark, f"DELETE FROM {T}.files WHERE true").scans
    assert (scan.files, "is unknown" in (scan.note or "")) == (None, True)
    with pytest.raises(ParseException):
        sis.explain(spark, "SELEC 1")


LIMITED = [  # by which of the scans' files may not be read
    (f"SELECT * FROM {T} LIMIT 1", [True]),
    (f"SELECT * FROM {T} WHERE k = 1 LIMIT 1", [True]),
    (f"SELECT count(*) FROM (SELECT * FROM {T} LIMIT 5)", [True]),
    (f"SELECT * FROM {T} ORDER BY name LIMIT 1", [False]),
    (f"SELECT name, count(*) FROM {T} GROUP BY name LIMIT 1", [False]),
    (f"SELECT * FROM {T} a JOIN {OLD} b ON a.id = b.id LIMIT 1", [True, False]),
    (f"SELECT /*+ MERGE(b) */ a.id FROM {T} a JOIN {OLD} b ON a.id = b.id LIMIT 1", [False] * 2),
    (f"SELECT id FROM {T} UNION ALL SELECT id FROM {OLD} LIMIT 1", [True, True]),
]


def test_a_limit_may_end_a_scan(spark: SparkSession) -> None:
    for query, ended in LIMITED:
        explanation = sis.explain(spark, query)
        assert [scan.at_most for scan in explanation.scans] == ended, query
        assert str(explanation).count("reads at most ") == sum(ended)


def test_an_answer_from_metadata_reads_no_file(spark: SparkSession) -> None:
    for condition, files in (("", "24 files"), (" WHERE ts < '2000-01-01'", "0 files")):
        (scan,) = sis.explain(spark, f"SELECT count(*), max(id) FROM {T}{condition}").scans
        assert (scan.files, scan.total_files, scan.note) == (0, 24, f"answered from the metadata of {files}")


def test_a_predicate_is_judged_by_the_files_with_values(spark: SparkSession) -> None:
    """The IS NOT NULL that Spark derives skips the file of nulls, whatever the predicate is."""
    name = "local.explain.some_null"
    spark.sql(
        f"CREATE TABLE {name} USING iceberg PARTITIONED BY (cat) AS "
        "SELECT id, IF(id % 10 = 9, NULL, concat('c', id % 5)) AS cat FROM range(100)"
    )
    with settings(spark, **{"spark.iceberg_sql.values": "false"}):  # which would evaluate it on the partition values
        for text, better in (("substring(cat, 1, 2) = 'c1'", 1), ("lower(cat) = 'c1'", None)):
            conjunct = one(sis.explain(spark, f"SELECT * FROM {name} WHERE {text}"), text)
            assert conjunct.files == read(spark, f"SELECT * FROM {name} WHERE {text}") == 5
            assert conjunct.pruned_by == ()
            assert "only 1 file without a value in its columns is skipped" in (conjunct.why_not or "")
            assert conjunct.rewrite_files == better
    conjunct = one(sis.explain(spark, f"SELECT * FROM {name} WHERE cat >= 'a'"), "cat >= 'a'")
    assert (conjunct.files, conjunct.pruned_by, conjunct.why_not) == (5, ("cat",), None)
    spark.sql(f"DROP TABLE {name}")


def test_reasons_name_what_prevents_pruning(spark: SparkSession) -> None:
    name = "local.explain.reasons"
    spark.sql(
        f"CREATE TABLE {name} (id INT, k INT, s STRUCT<a: INT>, l ARRAY<INT>) USING iceberg "
        "PARTITIONED BY (k) TBLPROPERTIES ('write.metadata.metrics.default' = 'full')"
    )
    spark.sql(f"INSERT INTO {name} VALUES (1, 1, NULL, NULL), (2, 2, struct(1), array(1))")
    for text, reason in (
        ("iceberg_bucket(4, k) = 0", "a partition field is `k` itself"),
        ("iceberg_bucket(4, k) = 0 OR id = 2", "a partition field is `k` itself"),
        ("_file LIKE '%parquet'", "`_file` is a metadata column"),
        ("_partition.k = 1", "`_partition` is a metadata column"),
        ("s IS NULL", "no bounds or null counts for `s`, a struct"),
        ("l IS NULL", "no bounds or null counts for `l`, an array"),
    ):
        (explained, *_) = sis.explain(spark, f"SELECT * FROM {name} WHERE {text}").scans[0].conjuncts
        assert reason in (explained.why_not or ""), explained
    join = f"SELECT * FROM {name} f LEFT JOIN {name} d ON f.k = d.k AND f.k = 1"
    left, right = sis.explain(spark, join).scans
    assert "LEFT OUTER JOIN" in str([c.why_not for c in left.conjuncts])
    assert {c.inferred for c in right.conjuncts} == {True}
    (explained,) = sis.explain(spark, f"SELECT * FROM (SELECT x.k FROM {name} x) y WHERE y.k = 1").scans
    assert [c.text for c in explained.conjuncts if not c.inferred] == ["y.k = 1"]
    renamed = f"SELECT * FROM (SELECT k AS id FROM {name}) x JOIN {name} y ON x.id = y.id WHERE x.id = 1"
    texts = {c.text: c.inferred for scan in sis.explain(spark, renamed).scans for c in scan.conjuncts}
    assert (texts["x.id = 1"], texts["id = 1"]) == (False, True)
    spark.sql(f"DROP TABLE {name}")


def broken(spark: SparkSession, name: str) -> Iterator[Path]:
    """Each kind of metadata file of a table, damaged; it is mended afterwards."""
    location = spark.sql(f"DESCRIBE EXTENDED {name}").where("col_name = 'Location'").first()
    assert location is not None
    folder = Path(location[1].removeprefix("file:"), "metadata")
    for pattern, is_lost in (("*-m0.avro", True), ("snap-*.avro", False), ("v*.json", False)):
        (file,) = folder.glob(pattern)
        content, check = file.read_bytes(), file.with_name(f".{file.name}.crc")
        check.unlink(missing_ok=True)
        file.unlink() if is_lost else file.write_bytes(b"no such format" * 9)
        with suppress(Exception):
            spark.sql(f"REFRESH TABLE {name}")
        yield file
        file.write_bytes(content)
        spark.sql(f"REFRESH TABLE {name}")


def test_damaged_metadata_is_one_sentence(spark: SparkSession) -> None:
    name = "local.explain.damaged"
    spark.sql(f"CREATE TABLE {name} USING iceberg AS SELECT /*+ COALESCE(1) */ id FROM range(9)")
    join = f"SELECT * FROM {name} a JOIN {T} b ON a.id = b.id"
    views: dict[str, Callable[[], object]] = {
        "iceberg_explain": lambda: sis.explain(spark, join),
        "iceberg_spj": lambda: sis.spj(spark, join),
        "iceberg_health": lambda: sis.health(spark, name),
        "delete": lambda: sis.explain(spark, f"DELETE FROM {name}"),
        "query": lambda: spark.sql(f"SELECT * FROM {name}").collect(),
    }
    for using in ("data", "metadata"):
        views |= {
            f"preview {using}": partial(sis.preview, spark, name, "", using=using),
            f"advise {using}": partial(sis.advise, spark, name, [join], using=using),
        }
    for file in broken(spark, name):
        for view, call in views.items():
            with pytest.raises(sis.IcebergSqlError) as raised:
                call()
            messages = [str(raised.value)]
            if view.startswith("iceberg_"):
                argument = name if "health" in view else join
                with pytest.raises(AnalysisException) as refused:
                    spark.sql(f"SELECT * FROM {view}('{argument}')")
                messages.append(str(refused.value))
            for text in messages:
                assert file.name in text, (view, text)
                assert "\n" not in text, (view, text)
                assert not re.search(r"Exception: |calling o\d|Job aborted", text), (view, text)
    spark.sql(f"DROP TABLE {name}")


def test_an_empty_table(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE local.explain.empty (id BIGINT) USING iceberg")
    try:
        explanation = sis.explain(spark, "SELECT * FROM local.explain.empty WHERE id = 3")
        assert (explanation.scans[0].files, explanation.scans[0].total_files) == (0, 0)
        assert "no data files" in str(explanation)
    finally:
        spark.sql("DROP TABLE local.explain.empty")


@pytest.mark.tier("quick", of="explain")
def test_the_command_and_its_gate(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = spark.newSession()
    monkeypatch.setattr(session, "stop", lambda: None)
    monkeypatch.setattr(ways_in, "session", lambda *_, **__: session)
    good, bad = f"SELECT * FROM {T} WHERE id = 3", f"SELECT * FROM {T} WHERE lower(name) = 'x'"

    def ran(*arguments: str) -> tuple[int, str, str]:
        code = main(["explain-query", *arguments])
        return code, *capsys.readouterr()

    assert ran(good, "--min-pruning", "95") == (0, f"{sis.explain(session, good)}\n", "")
    code, _, errors = ran(bad, "--min-pruning", "80%")
    assert (code, "0.0 % of the files" in errors, T in errors) == (1, True, True)
    script = tmp_path / "queries.sql"
    script.write_text(f"{good};\n-- a second one\n{bad};\n")
    code, out, errors = ran(str(script), "--format", "json")
    assert (code, errors, [record["statement"] for record in json.loads(out)]) == (0, "", [1, 2])
    assert json.loads(out)[0]["scans"][0]["files"] == 1
    code, out, errors = ran(f"{good}; SELECT * FROM local.explain.nope; SELECT 1")
    assert (code, out.count("reads 1 of 24 files")) == (2, 1)
    assert "error: statement 2: [TABLE_OR_VIEW_NOT_FOUND]" in errors
    assert "error: statement 3: the statement reads no table" in errors
    assert "Traceback" not in errors
    assert ran(f"DELETE FROM {T}", "--min-pruning", "50")[::2] == (0, "")
    code, _, errors = ran(f"SELECT * FROM {T}.snapshots", "--min-pruning", "50")
    assert (code, "no scan could be measured" in errors) == (2, True)


def test_rows_text_json_and_html_say_the_same(spark: SparkSession) -> None:
    query = f"SELECT * FROM {T} WHERE id = 3 AND name LIKE 'x_<y' AND lower(name) = ''x''".replace("''", "'")
    explanation = sis.explain(spark, query)
    quoted = query.replace("'", "\\'")
    rows = spark.sql(f"SELECT * FROM iceberg_explain('{quoted}')").collect()
    assert [(row.conjunct, row.files) for row in rows] == [
        (None, 1),
        ("id = 3", 1),
        ("name LIKE 'x_<y'", 24),
        ("lower(name) = 'x'", 24),
    ]
    assert rows[0].total_bytes == explanation.scans[0].total_bytes
    assert rows[2].rewrite == "name LIKE 'x%' AND name LIKE 'x_<y'"
    document = json.loads(explanation.to_json())
    assert document["scans"][0]["conjuncts"][2]["rewrite"] is None
    assert "reads 1 of 24 files" in str(explanation)
    assert "x_&lt;y" in explanation._repr_html_()
    assert query not in repr(explanation)


@pytest.mark.parametrize(
    ("predicate", "instead"),
    [
        ("n < 7.5D", "n < 8"),
        ("n >= 361.5D", "n >= 362"),
        ("n = 7.0D", "n = 7"),
        ("n / 2 > 180", "n > 360"),
        ("n / 3 <= 0.7", "n <= 2"),
        ("n / -2 > 500", None),
        ("n / 3 = 0.5", None),
        ("int(date_format(d, 'yyyyMMdd')) = 20240105", "d >= DATE '2024-01-05' AND d < DATE '2024-01-06'"),
        ("position('a0001' in s) = 1", "s LIKE 'a0001%'"),
    ],
)
def test_a_range_instead_of_a_calculation(spark: SparkSession, predicate: str, instead: str | None) -> None:
    name = "local.explain.computed"
    spark.sql(
        f"CREATE TABLE IF NOT EXISTS {name} (n BIGINT, d DATE, s STRING) USING iceberg PARTITIONED BY (truncate(40, n))"
    )
    if not spark.table(name).take(1):
        spark.sql(
            f"INSERT INTO {name} SELECT id, date_add(DATE '2024-01-01', CAST(id DIV 40 AS INT)), "
            "concat('a', lpad(id, 4, '0')) FROM range(400)"
        )
    (scan,) = sis.explain(spark, f"SELECT * FROM {name} WHERE {predicate}").scans
    rewrite = next((conjunct.rewrite for conjunct in scan.conjuncts if conjunct.rewrite), None)
    assert rewrite == instead
    if instead is not None:
        (then,) = sis.explain(spark, f"SELECT * FROM {name} WHERE {instead}").scans
        assert then.files < scan.files or scan.files == 1  # type: ignore[operator]
        rows = [sorted(spark.table(name).where(text).collect()) for text in (predicate, instead)]
        assert rows[0] == rows[1]


def test_a_window_is_explained_without_sparks_own_functions(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE IF NOT EXISTS local.explain.windows (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))")
    spark.sql("INSERT INTO local.explain.windows VALUES (TIMESTAMP '2024-01-05 10:00:00')")
    query = "SELECT * FROM local.explain.windows WHERE window(ts, '1 day').start = TIMESTAMP '2024-01-05'"
    text = str(sis.explain(spark, query))
    assert "a window of time is computed from `ts`; add a range of `ts` to prune" in text
    assert "precisetimestampconversion" not in text
