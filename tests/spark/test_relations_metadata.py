"""Which metadata file a path means, on real files; corrupt ones; metadata functions."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, ArithmeticException
from pyspark.sql import SparkSession

from spark_iceberg_sql.errors import ReadError
from spark_iceberg_sql.spark.bridge.jvm.gateway import gateway, java_class
from spark_iceberg_sql.spark.gate import intercept, read_errors

# Most tables here are copies of one table.
pytestmark = pytest.mark.filterwarnings("ignore:the table at .* is a copy, or was moved")


@pytest.fixture(scope="module")
def original(spark: SparkSession) -> Iterator[Path]:
    """A Hadoop table with the versions 1 (empty), 2 (one row), 3 (two rows)."""
    spark.sql("CREATE TABLE local.by_path.versions (id INT, name STRING) USING iceberg")
    for n in (1, 2):
        spark.sql(f"INSERT INTO local.by_path.versions VALUES ({n}, 'n{n}')")
    rows = spark.sql("DESCRIBE EXTENDED local.by_path.versions").where("col_name = 'Location'")
    yield Path(rows.collect()[0].data_type.removeprefix("file:"))
    spark.sql("DROP TABLE local.by_path.versions PURGE")


@pytest.fixture
def table(original: Path, tmp_path: Path) -> Path:
    """A folder with a copy of the table."""
    shutil.copytree(original, tmp_path / "t", ignore=shutil.ignore_patterns("version-hint.text", ".*.crc"))
    return tmp_path / "t"


def count(spark: SparkSession, table: Path, settings: str = "") -> int:
    return int(spark.sql(f"SELECT count(*) FROM icebergLocal('{table}'{settings})").collect()[0][0])


def edit(file: Path, **changes: object) -> None:
    content = json.loads(file.read_text())
    content.update({name.replace("_", "-"): value for name, value in changes.items()})
    file.write_text(json.dumps(content))


def test_the_newest_version(spark: SparkSession, table: Path) -> None:
    assert count(spark, table) == 2


@pytest.mark.parametrize(
    ("metadata_file", "rows"),
    [
        ("metadata/v1.metadata.json", 0),
        ("metadata/v2.metadata.json", 1),
        ("{table}/metadata/v2.metadata.json", 1),
        ("file:{table}/metadata/v2.metadata.json", 1),
    ],
)
@pytest.mark.parametrize("name", ["metadata_file_path", "iceberg_metadata_file_path"])
def test_a_given_file(spark: SparkSession, table: Path, name: str, metadata_file: str, rows: int) -> None:
    assert count(spark, table, f", {name} => '{metadata_file.format(table=table)}'") == rows


def test_a_path_that_is_a_metadata_file(spark: SparkSession, table: Path) -> None:
    assert count(spark, table / "metadata" / "v2.metadata.json") == 1


def test_newest_by_last_updated(spark: SparkSession, table: Path) -> None:
    edit(table / "metadata" / "v2.metadata.json", last_updated_ms=2**42)
    assert count(spark, table) == 2
    assert count(spark, table, ", newest_by_last_updated => true") == 1
    alias = "iceberg_recent_metadata_file_by_last_updated_ms_field"
    assert count(spark, table, f", {alias} => 1") == 1


@pytest.mark.parametrize("name", ["v4.gz.metadata.json", "v4.metadata.json.gz"])
def test_gzipped(spark: SparkSession, table: Path, name: str) -> None:
    newest = table / "metadata" / "v2.metadata.json"
    (table / "metadata" / name).write_bytes(gzip.compress(newest.read_bytes()))
    assert count(spark, table) == 1
    identity = json.loads(newest.read_text())["table-uuid"]
    assert count(spark, table, f", metadata_table_uuid => '{identity.upper()}'") == 1


def test_written_by_a_catalog_without_a_version_hint(spark: SparkSession, table: Path) -> None:
    for n in (1, 2, 3):
        file = table / "metadata" / f"v{n}.metadata.json"
        file.rename(file.with_name(f"{n:05}-{uuid.uuid4()}.metadata.json"))
    assert count(spark, table) == 2


def test_two_tables_in_one_folder(spark: SparkSession, table: Path) -> None:
    first, other = table / "metadata" / "v1.metadata.json", str(uuid.uuid4())
    mine = json.loads(first.read_text())["table-uuid"]
    shutil.copy(first, first.with_name("v7.metadata.json"))
    edit(first.with_name("v7.metadata.json"), table_uuid=other)
    assert count(spark, table) == 0
    assert count(spark, table, f", metadata_table_uuid => '{mine}'") == 2
    assert count(spark, table, f", iceberg_metadata_table_uuid => '{other.upper()}'") == 0
    unknown = str(uuid.uuid4())
    with pytest.raises(AnalysisException, match=f"{unknown}; there are .*{mine}"):
        count(spark, table, f", metadata_table_uuid => '{unknown}'")


@pytest.mark.parametrize("name", ["00004-legacy-bare-dv", "00004_x", "4 (copy)"])
def test_the_digits_are_the_version(spark: SparkSession, table: Path, name: str) -> None:
    shutil.copy(table / "metadata" / "v2.metadata.json", table / "metadata" / f"{name}.metadata.json")
    assert count(spark, table) == 1


@pytest.mark.parametrize("name", ["v4.zst.metadata.json", "v4.metadata.json.zstd"])
def test_a_newest_file_that_cannot_be_read(spark: SparkSession, table: Path, name: str) -> None:
    (table / "metadata" / name).write_bytes(b"\x28\xb5\x2f\xfd garbage")
    with pytest.raises(AnalysisException, match=f"{re.escape(name)}` cannot be read"):
        count(spark, table)


def test_a_file_without_a_version_in_its_name(spark: SparkSession, table: Path) -> None:
    newest, stray = (table / "metadata" / f"{n}.metadata.json" for n in ("v3", "latest"))
    shutil.copy(newest, stray)
    with pytest.warns(UserWarning, match=r"ignored: `latest\.metadata\.json`; `v3"):
        assert count(spark, table) == 2
    edit(stray, last_updated_ms=2**42)
    with pytest.raises(AnalysisException, match=r"`latest\.metadata\.json` has no version"):
        count(spark, table)
    assert count(spark, table, ", metadata_file_path => 'metadata/latest.metadata.json'") == 2
    assert count(spark, table, ", newest_by_last_updated => true") == 2


@pytest.mark.parametrize("hint", ["1", "2", "99", "abc", "", "-1", None])
def test_a_version_hint_does_not_choose_older_rows(spark: SparkSession, table: Path, hint: str | None) -> None:
    """Nor a gap in the versions, nor a cached listing: each new file is visible immediately."""
    if hint is not None:
        (table / "metadata" / "version-hint.text").write_text(hint)
    assert count(spark, table) == count(spark, table) == 2
    first = table / "metadata" / "v2.metadata.json"
    shutil.copy(first, first.with_name("v9.metadata.json"))
    assert count(spark, table) == 1
    shutil.copy(first.with_name("v3.metadata.json"), first.with_name("v10.metadata.json"))
    assert count(spark, table) == 2


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"", r"v4\.metadata\.json"),
        (b'{"format-version": 2, "table-u', r"v4\.metadata\.json"),
        (b'{"format-version": 9}', "9"),
        (b'{"format-version": 2}', "location|schema|uuid"),
        (b"PAR1", "PAR1|JSON"),
    ],
)
def test_a_broken_file(spark: SparkSession, table: Path, content: bytes, wrong: str) -> None:
    (table / "metadata" / "v4.metadata.json").write_bytes(content)
    with pytest.raises(AnalysisException) as caught:
        count(spark, table)
    message = str(caught.value)
    assert f"`file:{table}/metadata/v4.metadata.json` cannot be read" in message
    assert re.search(wrong, message)
    assert "other metadata files: v3.metadata.json, v2.metadata.json, v1.metadata.json" in message
    assert "metadata_file_path => 'metadata/v3.metadata.json'" in message
    assert count(spark, table, ", metadata_file_path => 'metadata/v3.metadata.json'") == 2


def test_a_broken_file_among_many_heads(spark: SparkSession, table: Path) -> None:
    (table / "metadata" / "v4.metadata.json").write_bytes(b"nonsense")
    with pytest.raises(AnalysisException, match=r"v4\.metadata\.json` cannot be read: not JSON"):
        count(spark, table, ", newest_by_last_updated => true")


@pytest.mark.parametrize("part", ["metadata", "data", "metadata/v3.avro", "data/a=1/b=2"])
def test_a_part_of_a_table_is_not_the_table(spark: SparkSession, table: Path, part: str) -> None:
    with pytest.raises(AnalysisException, match="is inside the folder of the table") as caught:
        count(spark, table / part)
    assert f"`file:{table}`; pass the table's folder" in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("iceberg('/')", "PATH_NOT_FOUND"),
        ("iceberg('{t}', timestamp_ms => 9223372036854775807)", "`timestamp_ms`.*is out of range"),
        ("iceberg('{t}', snapshot_id => 99999999999999999999)", "`snapshot_id`.*is out of range"),
        ("iceberg('{t}', split_size => -5)", "`split_size`.*is not a positive number"),
        ("iceberg('{t}', metadata_file_path => 'metadata/v9.metadata.json')", "`metadata_file_path`"),
        ("iceberg_snapshots('/no/{t}')", "PATH_NOT_FOUND"),
    ],
)
def test_raw_errors(spark: SparkSession, table: Path, call: str, message: str) -> None:
    with pytest.raises(AnalysisException, match=f"(?s){message}"):
        spark.sql(f"SELECT * FROM {call.format(t=table)}")


@pytest.mark.filterwarnings("ignore:distutils Version classes")  # toPandas, in Spark 3.5
def test_a_file_that_fails_while_a_query_runs(spark: SparkSession, table: Path) -> None:
    """One sentence with the table, the snapshot, the file and the reason; other errors stay Spark's own."""
    before = spark.sql(f"SELECT * FROM iceberg('{table}') WHERE id > 0")
    assert before.count() == 2
    (removed, other) = sorted(table.glob("data/*.parquet"))
    removed.unlink()
    other.write_bytes(other.read_bytes()[:50])
    message = rf"^`{table}[^`]*` \(snapshot \d+\) cannot be read: .*/data/.*; the query has returned no rows$"
    for act in (before.collect, before.show, before.distinct().collect, lambda: before.limit(1).toPandas()):
        with pytest.raises(ReadError, match=message):
            act()
    with pytest.raises(Py4JJavaError) as caught:  # Spark's own class, too
        before.isEmpty()
    assert re.search(message, str(caught.value))
    assert caught.value.java_exception is not None
    broken = f"iceberg('{table}')"
    for text in (
        f"SELECT sum(id) FROM local.by_path.versions WHERE id IN (SELECT id FROM {broken})",
        f"SELECT (SELECT sum(id) FROM {broken})",
    ):
        with pytest.raises(ReadError, match=rf"`{table}[^`]*` .* cannot be read: .*/data/"):
            spark.sql(text).collect()
    with pytest.raises(ReadError, match=r"^the statement's job has failed: .*/data/"):
        spark.sql(f"CREATE TABLE local.by_path.made USING iceberg AS SELECT * FROM iceberg('{table}')")
    session = spark.newSession()
    session.conf.set("spark.sql.ansi.enabled", "true")  # the default since Spark 4.0
    with pytest.raises((ArithmeticException, Py4JJavaError), match="DIVIDE_BY_ZERO"):
        session.sql("SELECT 1 / (id - 1) FROM local.by_path.versions").collect()
    read_errors.uninstall()
    try:
        with pytest.raises(Py4JJavaError):
            before.collect()
    finally:
        read_errors.install(intercept.explained_action)


def test_a_view_s_metadata(spark: SparkSession, table: Path) -> None:
    (table / "metadata" / "v4.metadata.json").write_text(
        json.dumps({"view-uuid": str(uuid.uuid4()), "format-version": 1, "location": "/v"})
    )
    with pytest.raises(AnalysisException, match=r"`path` .*v4\.metadata\.json` cannot be read: "):
        count(spark, table)


def view(folder: Path, dialect: str, query: str) -> None:
    """The metadata of a view with one column `n`, as Iceberg writes it."""
    kind = java_class("org.apache.iceberg.view.ImmutableViewVersion").builder()
    representation = java_class("org.apache.iceberg.view.ImmutableSQLViewRepresentation").builder()
    schema = '{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"n","required":false,"type":"long"}]}'
    namespace = gateway().new_array(java_class("java.lang.String"), 1)
    namespace[0] = "by_path"
    version = (
        kind.versionId(1)
        .timestampMillis(1)
        .schemaId(0)
        .defaultCatalog("local")
        .defaultNamespace(java_class("org.apache.iceberg.catalog.Namespace").of(namespace))
        .addRepresentations(representation.sql(query).dialect(dialect).build())
        .build()
    )
    built = (
        java_class("org.apache.iceberg.view.ViewMetadata")
        .builder()
        .setLocation(f"file:{folder}")
        .setCurrentVersion(version, java_class("org.apache.iceberg.SchemaParser").fromJson(schema))
        .build()
    )
    text = java_class("org.apache.iceberg.view.ViewMetadataParser").toJson(built)
    (folder / "metadata").mkdir(parents=True)
    (folder / "metadata" / f"00000-{uuid.uuid4()}.metadata.json").write_text(text)


def test_a_view_s_query(spark: SparkSession, original: Path, tmp_path: Path) -> None:
    """The query is read with the view's catalog and namespace, not the session's."""
    view(tmp_path / "mine", "spark", "SELECT id FROM versions WHERE id > 1")
    view(tmp_path / "trinos", "trino", "SELECT id FROM versions")
    view(tmp_path / "broken", "spark", "SELECT id FROM nothing")
    view(tmp_path / "command", "spark", f"DELETE FROM {NAMED}")
    rows = spark.sql(f"SELECT a.n FROM iceberg('{tmp_path}/mine') a JOIN {NAMED} b ON a.n = b.id")
    assert [row.n for row in rows.collect()] == [2]
    for call, message in (
        ("iceberg('{}/trinos')", "is the metadata of a view: its query is in trino"),
        ("iceberg('{}/broken')", "its query fails in this session: .*TABLE_OR_VIEW_NOT_FOUND"),
        ("iceberg('{}/command')", "its query fails in this session: .*PARSE_SYNTAX_ERROR"),
        ("iceberg_files('{}/mine')", "is the metadata of a view: a view has no files"),
    ):
        with pytest.raises(AnalysisException, match=message):
            spark.sql(f"SELECT * FROM {call.format(tmp_path)}")
    (row,) = spark.sql(f"SELECT error FROM iceberg_tables('{tmp_path}/mine')").collect()
    assert row.error == "this is a view, which has no files"


def test_a_file_that_is_not_there(spark: SparkSession, table: Path) -> None:
    with pytest.raises(AnalysisException, match=r"v9\.metadata\.json` cannot be read"):
        count(spark, table, ", metadata_file_path => 'metadata/v9.metadata.json'")


def test_a_thousand_files(spark: SparkSession, table: Path) -> None:
    newest = (table / "metadata" / "v3.metadata.json").read_bytes()
    identity = json.loads(newest)["table-uuid"]

    def least() -> list[float]:
        times = []
        for settings in ("", f", metadata_table_uuid => '{identity}'"):
            best = 60.0
            for _ in range(7):
                start = time.perf_counter()
                spark.sql(f"SELECT * FROM icebergLocal('{table}'{settings})")
                best = min(best, time.perf_counter() - start)
            times.append(best)
        return times

    few = least()
    for n in range(10, 1010):
        (table / "metadata" / f"{n:05}-{uuid.uuid4()}.metadata.json").write_bytes(newest)
    for before, after in zip(few, least(), strict=True):
        assert after < 8 * before  # they are listed, but not read


# ------------------------------------------------------------------------------ metadata functions

NAMED = "local.by_path.versions"


@pytest.mark.parametrize("by_name", [True, False])
def test_snapshots_files_and_log(spark: SparkSession, original: Path, by_name: bool) -> None:
    me = NAMED if by_name else str(original)
    for function, table in (
        ("iceberg_snapshots", "snapshots"),
        ("iceberg_files", "files"),
        ("iceberg_metadata_log", "metadata_log_entries"),
    ):
        theirs = spark.sql(f"SELECT * FROM {NAMED}.{table}")
        ours = spark.sql(f"SELECT * FROM {function}('{me}')")
        assert ours.columns == theirs.columns
        compared = [c for c in ours.columns if c not in ("readable_metrics", "file")]
        assert ours.select(compared).collect() == theirs.select(compared).collect()
        assert ours.count() == {"files": 2, "snapshots": 2, "metadata_log_entries": 3}[table]


def test_files_of_an_old_snapshot(spark: SparkSession, original: Path) -> None:
    first = spark.sql(f"SELECT min_by(snapshot_id, committed_at) FROM iceberg_snapshots('{original}')")
    snapshot = first.collect()[0][0]
    for me in (NAMED, str(original)):
        assert spark.sql(f"SELECT * FROM iceberg_files('{me}', snapshot_id => {snapshot})").count() == 1
    with pytest.raises(AnalysisException, match="UNRECOGNIZED_PARAMETER_NAME"):
        spark.sql(f"SELECT * FROM iceberg_snapshots('{NAMED}', snapshot_id => {snapshot})")


def test_partition_specs(spark: SparkSession) -> None:
    table = "local.by_path.specs"
    spark.sql(f"CREATE TABLE {table} (id INT, ts TIMESTAMP, s STRUCT<x: INT>) USING iceberg")
    try:
        spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD days(ts)")
        spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD bucket(8, s.x) AS shard")
        spark.sql(f"ALTER TABLE {table} DROP PARTITION FIELD days(ts)")
        rows = spark.sql(f"SELECT * FROM iceberg_partition_specs('{table}') ORDER BY 1, 3").collect()
        assert [tuple(row) for row in rows] == [
            (0, False, None, None, None, None, None),
            (1, False, 0, 1000, "ts_day", "ts", "day"),
            (2, False, 0, 1000, "ts_day", "ts", "day"),
            (2, False, 1, 1001, "shard", "s.x", "bucket[8]"),
            (3, True, 0, 1001, "shard", "s.x", "bucket[8]"),
        ]
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("iceberg_snapshots('local.by_path.none')", "TABLE_OR_VIEW_NOT_FOUND"),
        ("iceberg_snapshots()", "`table`"),
        ("iceberg_files('/no/such/table')", "PATH_NOT_FOUND"),
        ("iceberg_files('local.by_path.versions', nonsense => 1)", "`nonsense`"),
    ],
)
def test_wrong_calls(spark: SparkSession, call: str, message: str) -> None:
    with pytest.raises(AnalysisException, match=message):
        spark.sql(f"SELECT * FROM {call}")
