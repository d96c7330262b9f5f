"""A preview predicts what Spark then writes: partitions, files and bytes, for many specs and write settings."""

from __future__ import annotations

import math
import re
import sys

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from samples import share

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight import spark_progress
from spark_iceberg_sql.insight.hypothetical.spark_source import resolve_source
from spark_iceberg_sql.insight.preview.spark_commits import with_commit_numbers
from spark_iceberg_sql.insight.specs import candidate_spec
from spark_iceberg_sql.spark.bridge.jvm import jobs

# Skewed: a tenth of the users have most of the rows; some columns are null, and some numbers NaN.
EVENTS = """
SELECT id, timestamp_seconds(1704067200 + id * 60) AS ts,
  cast(40 * rand(1) * rand(2) AS int) AS tenant,
  if(id % 7 = 0, null, concat('c', cast(12 * rand(3) AS int))) AS country,
  if(id % 11 = 0, double('NaN'), round(100 * rand(4), 2)) AS amount,
  named_struct('at', timestamp_seconds(1704067200 + id * 60), 'tag', concat('t', id % 5)) AS `the payload`,
  array(id, id + 1) AS `count`
FROM range(0, 60000, 1, 3)
"""


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> str:
    spark.sql(f"CREATE OR REPLACE TABLE local.preview.events USING iceberg AS {EVENTS}")
    return "local.preview.events"


CASES = [
    ("days(ts)", {}),
    ("bucket(8, id), country", {}),
    ("tenant", {"write.target-file-size-bytes": "60000"}),
    ("country", {"write.distribution-mode": "none"}),
    # Shuffle partitions are split, and with them the table partitions inside.
    ("truncate(20, tenant)", {"write.spark.advisory-partition-size-bytes": "1000000"}),
    ("", {"write.target-file-size-bytes": "150000"}),
    ("days(`the payload`.at)", {"write.parquet.compression-codec": "gzip"}),
]


@pytest.mark.parametrize(("spec", "properties"), share(CASES, 3))
def test_the_files_are_those_that_spark_writes(
    spark: SparkSession, events: str, spec: str, properties: dict[str, str]
) -> None:
    preview = sis.preview(spark, events, spec, properties=properties)
    by = f"PARTITIONED BY ({spec})" if spec else ""
    options = ", ".join(f"'{k}' = '{v}'" for k, v in {"made": "by", **properties}.items())
    spark.sql("DROP TABLE IF EXISTS local.preview.written")
    spark.sql(
        f"CREATE TABLE local.preview.written USING iceberg {by} TBLPROPERTIES ({options}) AS SELECT * FROM {events}"
    )
    files = spark.sql("SELECT file_size_in_bytes AS size, record_count AS n FROM local.preview.written.files").collect()
    partitions = spark.sql("SELECT * FROM local.preview.written.partitions").count()
    assert preview.partitions == partitions
    assert preview.rows == sum(f.n for f in files) == 60000
    assert math.isclose(preview.files, len(files), rel_tol=0.05)
    assert math.isclose(preview.bytes, sum(f.size for f in files), rel_tol=0.05)
    assert preview.file_sizes == tuple(sorted(preview.file_sizes))
    assert sum(preview.file_sizes) == preview.bytes


STREAMS = [
    ("days(ts)", 7, {}),
    ("bucket(4, id), country", 3, {}),
    ("country, months(`the payload`.at)", 5, {"write.distribution-mode": "none"}),
    # Rows without a time are in any commit.
    ("years(late)", 4, {"write.target-file-size-bytes": "60000"}),
]


@pytest.mark.parametrize(("spec", "commits", "properties"), share(STREAMS, 4))
def test_the_files_of_each_commit_of_a_stream(
    spark: SparkSession, events: str, spec: str, commits: int, properties: dict[str, str]
) -> None:
    source = f"SELECT *, if(id % 3 = 0, null, date(ts)) AS late FROM {events}"
    preview = sis.preview(spark, source, spec, properties=properties, commits=commits)
    options = ", ".join(f"'{k}' = '{v}'" for k, v in {"made": "by", **properties}.items())
    table = "local.preview.stream"
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    spark.sql(
        f"CREATE TABLE {table} USING iceberg PARTITIONED BY ({spec}) TBLPROPERTIES ({options}) AS {source} LIMIT 0"
    )
    schema = resolve_source(spark, source).schema
    rows = with_commit_numbers(spark.sql(source), candidate_spec(spec, schema).spec, schema, commits, "commit")
    written, counts = [], []
    for number in range(commits):
        arriving = rows.where(f"commit = {number}").drop("commit")
        counts.append(arriving.count())
        arriving.writeTo(table).append()
        written.append(spark.table(f"{table}.files").count() - sum(written))
    assert max(counts) - min(counts) <= 0.1 * max(counts)
    files = spark.table(f"{table}.files").selectExpr("sum(file_size_in_bytes)", "sum(record_count)")
    size, total = files.first()
    assert list(preview.per_commit) == written
    assert (preview.rows, preview.files) == (total, sum(written))
    assert math.isclose(preview.bytes, size, rel_tol=0.05)
    assert preview.partitions == spark.table(f"{table}.partitions").count()
    assert f"{commits} commits of equal size" in str(preview)
    assert ("assigned to commits at random" in str(preview)) == ("late" in spec)


def test_the_bytes_of_a_query_are_those_of_a_new_table(spark: SparkSession) -> None:
    """Iceberg gives new tables a codec that is not the default of a table without the property."""
    spark.sql(
        "CREATE OR REPLACE TABLE local.preview.src AS SELECT id, id % 5 AS shop, sha2(string(id), 256) AS u "
        "FROM range(0, 4000, 1, 1)"
    )
    query = "SELECT * FROM local.preview.src WHERE id < 3000"
    written = f"CREATE OR REPLACE TABLE local.preview.plain USING iceberg PARTITIONED BY (shop) AS {query}"
    spark.sql(written)
    size = "SELECT sum(file_size_in_bytes) FROM local.preview.plain.files"
    (truth,) = spark.sql(size).first()
    for source in (query, spark.sql(query)):
        assert sis.preview(spark, source, "shop").bytes == truth
    gzip = {"write.parquet.compression-codec": "gzip"}
    assert sis.preview(spark, query, "shop", properties=gzip).bytes != truth


def test_the_shape_of_the_answer(spark: SparkSession, events: str) -> None:
    preview = sis.preview(spark, events, "truncate(10, tenant)")
    assert preview.spec == "truncate(10, tenant)"
    assert preview.largest is preview.per_partition[0]
    assert preview.largest.partition == "tenant_trunc=0"
    assert preview.skew > 1
    assert preview.small_files == preview.files
    assert preview.basis.kind == "exact"
    text = str(preview)
    assert "4 (counted)" in text
    assert "60,000" in text
    assert "<svg" in preview._repr_html_()
    rows = spark.sql(f"SELECT * FROM iceberg_preview('{events}', 'truncate(10, tenant)')").collect()
    assert [(r.partitions, r.files, r.bytes) for r in rows] == [(4, preview.files, preview.bytes)]
    by_partition = spark.sql(
        f"SELECT sum(rows), count(*), first(partition) FROM iceberg_preview(source => '{events}', "
        "spec => 'truncate(10, tenant)', by => 'partition')"
    ).first()
    assert tuple(by_partition) == (60000, 4, "tenant_trunc=0")
    streamed = f"SELECT * FROM iceberg_preview('{events}', 'truncate(10, tenant)', commits => 2)"
    assert spark.sql(streamed).first().files_per_commit == [4, 4]


def test_the_groups_of_a_bucket_field_are_those_of_the_written_table(spark: SparkSession, events: str) -> None:
    spec = "bucket(4, tenant), months(ts), bucket(3, `the payload`.tag)"
    found = sis.preview(spark, events, spec)
    spark.sql(f"CREATE OR REPLACE TABLE local.preview.grouped USING iceberg PARTITIONED BY ({spec}) AS FROM {events}")
    for groups, field in zip(found.bucket_groups, ("tenant_bucket", "`the payload.tag_bucket`"), strict=True):
        sizes = spark.sql(
            f"SELECT sum(file_size_in_bytes) AS size FROM local.preview.grouped.files GROUP BY partition.{field}"
        )
        count, skew = sizes.selectExpr("count(*)", "max(size) / median(size)").first()
        assert groups.groups == count
        assert math.isclose(groups.skew, skew, rel_tol=0.1)
    assert [groups.field for groups in found.bucket_groups] == ["bucket(4, tenant)", "bucket(3, `the payload`.tag)"]
    assert f"{found.bucket_groups[0].skew:.1f} (bucket(4, tenant): largest of" in str(found)
    metadata = sis.preview(spark, "local.preview.grouped", "bucket(4, tenant), months(ts)", using="metadata")
    assert metadata.bucket_groups[0].groups == found.bucket_groups[0].groups
    assert not sis.preview(spark, events, "bucket(4, tenant)").bucket_groups  # its partitions are the groups


def test_every_kind_of_source(spark: SparkSession, events: str, tmp_path: object) -> None:
    path = f"{tmp_path}/some.parquet"
    frame = spark.table(events).limit(500)
    frame.drop("count").write.parquet(path)
    sources = {
        "query": f"SELECT * FROM {events} WHERE id < 500",
        "frame": frame,
        "file": path,
        "place": spark.sql(f"SELECT * FROM {events}.metadata_log_entries").first()["file"].rpartition("/metadata/")[0],
    }
    frame.createOrReplaceTempView("some_events")
    sources["view"] = "some_events"
    previews = {name: sis.preview(spark, source, "bucket(4, id)") for name, source in sources.items()}
    assert {name: p.rows for name, p in previews.items() if name != "place"} == dict.fromkeys(
        ("query", "frame", "file", "view"), 500
    )
    assert previews["place"].rows == 60000
    assert {p.partitions for p in previews.values()} == {4}


@pytest.mark.tier("quick", of="preview")
def test_tiny_and_empty_sources(spark: SparkSession) -> None:
    spark.sql("CREATE OR REPLACE TABLE local.preview.empty (id BIGINT, ts TIMESTAMP) USING iceberg")
    for spec in ("", "days(ts)"):
        preview = sis.preview(spark, "local.preview.empty", spec)
        assert (preview.partitions, preview.files, preview.bytes, preview.rows) == (0, 0, 0, 0)
        assert "0 (counted)" in str(preview)
        assert preview._repr_html_()
    row_preview = sis.preview(spark, "SELECT 1L AS id, null AS ts, 'x' AS name", "bucket(4, id), name")
    assert (row_preview.partitions, row_preview.files, row_preview.rows) == (1, 1, 1)
    null_preview = sis.preview(spark, "SELECT 1L AS id, cast(null AS timestamp) AS ts", "days(ts)")
    assert null_preview.per_partition[0].partition == "ts_day=null"


@pytest.mark.filterwarnings("ignore:warning.SIS503")
@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_zeros_and_nan_are_partitions_as_iceberg_writes_them(spark: SparkSession, kind: str) -> None:
    spark.sql(f"""
        CREATE OR REPLACE TABLE local.d.zeros USING iceberg AS SELECT id, CAST(CASE id % 5 WHEN 0 THEN double('NaN')
        WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D WHEN 3 THEN 1.5D END AS {kind}) AS x FROM range(0, 100, 1, 2)
    """)
    preview = sis.preview(spark, "local.d.zeros", "x")
    spark.sql(
        f"CREATE OR REPLACE TABLE local.d.zeros_{kind} USING iceberg PARTITIONED BY (x) AS SELECT * FROM local.d.zeros"
    )
    partitions = spark.sql(f"SELECT record_count FROM local.d.zeros_{kind}.partitions").collect()
    assert len(partitions) == preview.partitions == 5
    assert preview.files == spark.table(f"local.d.zeros_{kind}.files").count()
    values = [partition.values[0] for partition in preview.per_partition]
    assert sorted(map(str, values)) == ["-0.0", "0.0", "1.5", "None", "nan"]
    assert {partition.rows for partition in preview.per_partition} == {20}


def test_columns_with_strange_names(spark: SparkSession) -> None:
    frame = spark.sql(
        "SELECT 1 AS `current_date`, 2 AS `a.b`, 3 AS `tick``s`, 4 AS trial, 5 AS k0, 6 AS raw, 7 AS place"
    )
    for spec in ("current_date", "`a.b`", "bucket(4, `tick``s`)", "trial, k0, raw, place"):
        preview = sis.preview(spark, frame, spec)
        assert (preview.partitions, preview.files) == (1, 1), spec
    assert preview.per_partition[0].values == (4, 5, 6, 7)


@pytest.mark.parametrize(
    ("source", "spec", "message"),
    [
        ("{events}", "days(country)", "SIS202"),
        ("{events}", "bucket(id, 8)", "write `bucket(8, id)`"),
        ("{events}", "nope", "has no column `nope`"),
        ("{events}", "days(ts)) AS SELECT 1 --", "is not a list of partition fields"),
        ("{events}", "days(ts), months(ts)", "SIS303"),
        ("{events}", "`count`", "SIS203"),
        ("local.preview.nothing", "id", "there is no table or view `local.preview.nothing`"),
        ("not a name", "id", "cannot be read"),
        ("SELECT nope FROM {events}", "id", "cannot be read"),
        ("/nowhere/at/all.parquet", "id", "cannot be read"),
        ("/nowhere/at/all", "id", "cannot be read"),
        ("SELECT 1 AS a, 2 AS A", "a", "two columns `a`"),
    ],
)
def test_what_cannot_be_previewed_says_so(
    spark: SparkSession, events: str, source: str, spec: str, message: str
) -> None:
    source = source.format(events=events)
    with pytest.raises(sis.IcebergSqlError) as error:
        sis.preview(spark, source, spec)
    assert message in str(error.value)
    assert "Traceback" not in str(error.value)
    assert "at org.apache" not in str(error.value)
    quoted = source.replace("'", "\\'"), spec.replace("'", "\\'")
    with pytest.raises(AnalysisException, match="iceberg_preview"):
        spark.sql("SELECT * FROM iceberg_preview('{}', '{}')".format(*quoted)).collect()


def test_wrong_calls(spark: SparkSession, events: str) -> None:
    for call, message in (
        ("iceberg_preview()", "missing"),
        (f"iceberg_preview('{events}')", "missing"),
        (f"iceberg_preview('{events}', 'id', usnig => 'data')", "unknown argument"),
        (f"iceberg_preview('{events}', 'id', using => 'magic')", "using must be one of"),
        (f"iceberg_preview('{events}', 'id', by => 'moon')", "'table' or 'partition'"),
        (f"iceberg_preview('{events}', spec => 'id', spec => 'id')", "twice"),
        (f"iceberg_preview('{events}', 7)", "not a string"),
        (f"iceberg_preview('{events}', 'id', commits => '7')", "not an integer"),
        (f"iceberg_preview('{events}', 'id', commits => 0)", "from 1 to 1,000, not 0"),
        (f"iceberg_preview('{events}', 'id', commits => 2, using => 'sample')", "every row"),
    ):
        with pytest.raises(AnalysisException) as error:
            spark.sql(f"SELECT * FROM {call}")
        assert message in str(error.value) or "DUPLICATE" in str(error.value), call
    for more, name in (
        ("spec => 'days(country)'", "spec"),
        ("spec => 'id', using => 'magic'", "using"),
        ("spec => 'country', using => 'metadata'", "using"),
        ("spec => 'id', by => 'moon'", "by"),
        ("spec => 'id', source => 'local.preview.nothing'", "source"),
    ):
        source = "" if "source" in more else f"'{events}', "
        with pytest.raises(AnalysisException, match=f"parameter.*`{name}`"):
            spark.sql(f"SELECT * FROM iceberg_preview({source}{more})")
    for properties in (
        {"write.target-file-size-bytes": "64MB"},
        {"write.target-file-size-bytes": "0"},
        {"write.parquet.page-row-limit": "many"},
        {"write.format.default": "csv"},
    ):
        ((key, value),) = properties.items()
        with pytest.raises(sis.IcebergSqlError, match=f"'{key}' cannot be '{value}'"):
            sis.preview(spark, events, "days(ts)", properties=properties)


def test_frames_of_other_libraries_are_sources(spark: SparkSession) -> None:
    import polars as pl  # of the extra `dev`; this file has a test of the quick set, too

    rows = pd.DataFrame({"id": range(100), "d": pd.date_range("2024-01-01", periods=100, freq="h")})
    for frame in (rows, pl.from_pandas(rows), pl.from_pandas(rows).lazy(), pa.Table.from_pandas(rows)):
        result = sis.preview(spark, frame, "days(d)")
        assert (result.rows, result.partitions) == (100, 5)
    assert sis.advise(spark, pl.from_pandas(rows), ["SELECT * FROM source WHERE id = 3"]).best.spec == ""
    for other in (7, object()):
        with pytest.raises(sis.IcebergSqlError, match="which has no rows to read"):
            sis.preview(spark, other, "days(d)")


def test_a_long_preview_says_how_far_it_is(
    spark: SparkSession, events: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal, once it takes long; the jobs of a group that somebody else watches stay in it."""
    monkeypatch.setattr(spark_progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(spark_progress, "_EVERY", 0.01)
    context = spark.sparkContext

    def said() -> str:
        sis.preview(spark, events, "days(ts)")
        return capsys.readouterr().err

    assert "preview of" not in said()  # no terminal
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    lines = said().split("\r")
    assert re.fullmatch(rf"preview of {events}: [\d.]+ s, \d+ tasks done", lines[-3].strip())
    assert lines[-2:] == [" " * len(lines[-2]), ""]  # nothing remains
    assert context.getLocalProperty("spark.jobGroup.id") is None
    context.setJobGroup("theirs", "a cell")
    try:
        assert said() == ""
        assert context.getLocalProperty("spark.jobGroup.id") == "theirs"
    finally:
        jobs.end(spark)


def test_a_sample_and_metadata_say_what_they_rest_on(spark: SparkSession, events: str) -> None:
    exact = sis.preview(spark, events, "days(ts), bucket(2, id)")
    estimate = sis.preview(spark, events, "days(ts), bucket(2, id)", using="metadata")
    assert (estimate.partitions, estimate.files) == (exact.partitions, exact.files)
    assert estimate.rows == exact.rows
    assert "of each partition, estimated" in str(estimate)
    spark.sql(
        "CREATE OR REPLACE TABLE local.preview.tiny USING iceberg AS SELECT id, TIMESTAMP_NTZ "
        "'2024-03-09 20:00:00' + make_dt_interval(0, CAST(id % 60 AS INT)) n FROM range(0, 2970, 1, 2)"
    )
    for spec, limit in (("hours(n)", 0.2), ("bucket(4, id)", 0.4)):
        real = sis.preview(spark, "local.preview.tiny", spec)  # written in memory
        estimate = sis.preview(spark, "local.preview.tiny", spec, using="metadata")
        assert math.isclose(estimate.bytes, real.bytes, rel_tol=limit), spec
        assert (estimate.rows, estimate.files) == (2970, real.files)
    assert estimate.basis.kind == "metadata"
    assert "no row was read" in str(estimate)
    for spec in ("country", "days(ts), country"):
        with pytest.raises(sis.IcebergSqlError, match="using => 'data'"):
            sis.preview(spark, events, spec, using="metadata")
    with pytest.raises(sis.IcebergSqlError, match="no file metadata"):
        sis.preview(spark, f"SELECT * FROM {events}", "days(ts)", using="metadata")
    some = sis.preview(spark, spark.range(300_000), "bucket(16, id)", using="sample")
    assert some.partitions == 16
    assert math.isclose(some.rows, 300_000, rel_tol=0.02)
    assert "of 300,000 rows" in some.basis.words
    fine = sis.preview(spark, spark.range(300_000), "truncate(2, id)", using="sample")
    assert fine.unseen > 10_000
    assert math.isclose(fine.partitions, 150_000, rel_tol=0.2)


@pytest.mark.tier("quick", of="preview")
@pytest.mark.parametrize("spec", ["amount", "truncate(500, amount)", "amount, truncate(10, code)"])
def test_keys_of_any_type(spark: SparkSession, spec: str) -> None:
    """Decimals narrower than their column, and nulls, among the rows of a trial."""
    rows = spark.sql("SELECT CAST(id % 20 AS DECIMAL(9, 2)) amount, IF(id % 3 = 0, NULL, id % 20) code FROM range(400)")
    preview = sis.preview(spark, rows, spec)
    assert preview.rows == 400
    assert "written in memory" in preview.basis.bytes


@pytest.mark.parametrize("name", ["local.preview.simillar", "local.previw.similar"])
def test_a_name_that_is_nearly_right(spark: SparkSession, name: str) -> None:
    spark.sql("CREATE TABLE IF NOT EXISTS local.preview.similar (id INT) USING iceberg")
    for call in (lambda: sis.preview(spark, name, "id"), lambda: sis.health(spark, name)):
        with pytest.raises(sis.IcebergSqlError, match=f"there is no table or view `{name}`") as error:
            call()
        assert "did you mean `local.preview.similar`?" in str(error.value)
