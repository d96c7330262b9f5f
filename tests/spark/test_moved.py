"""A copied or moved table is read at its current location: the same rows as the original, from its own files."""

from __future__ import annotations

import json
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import unreadable
from foreign import rewrite
from process import run
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession
from test_moved_paths import CASES

from spark_iceberg_sql.spark.bridge.io import moved_io
from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.tables.catalog_settings import catalog
from spark_iceberg_sql.spark.tables.locations.location_mapping import map_location

pytestmark = pytest.mark.filterwarnings("ignore:the table at .* is a copy, or was moved")
Rows = list[tuple[Any, ...]]

MERGE_ON_READ = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'"
TABLES = {
    "v1": ("'format-version' = '1'", "DELETE FROM {t} WHERE id = 3"),
    "v2": (f"'format-version' = '2', {MERGE_ON_READ}", "DELETE FROM {t} WHERE id % 7 = 0"),
    "v3": (f"'format-version' = '3', {MERGE_ON_READ}", "DELETE FROM {t} WHERE id % 7 = 0"),
}
SUFFIXES = (
    "",
    " WHERE id > 90",
    ", ref => 'before'",
    ", ref => 'side'",
    ", snapshot_id => {first}",
    ", use_partition_pruning => false",
    ", use_metadata_files_cache => false",
)


def text(path: Path | str, suffix: str) -> str:
    argument, _, where = suffix.partition(" WHERE ")
    return f"SELECT * FROM iceberg('{path}'{argument}){' WHERE ' + where if where else ''}"


def rows(spark: SparkSession, path: Path | str, suffix: str = "") -> Rows:
    return sorted(map(tuple, spark.sql(text(path, suffix)).collect()), key=repr)


def equality_delete(spark: SparkSession, name: str, value: int) -> None:
    """As Flink writes an equality delete: the rows whose id is the value."""
    assert spark._jvm is not None
    assert spark.sparkContext._gateway is not None
    iceberg = spark._jvm.org.apache.iceberg
    table = iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, name)
    keys = table.schema().select(["id"])
    ids = spark.sparkContext._gateway.new_array(spark._jvm.int, 1)
    ids[0] = 1
    builder = getattr(iceberg.data, "GenericFileWriterFactory$Builder")(table)
    builder.equalityFieldIds(ids).equalityDeleteRowSchema(keys)
    factory = builder.deleteFileFormat(iceberg.FileFormat.PARQUET).build()
    output = table.io().newOutputFile(f"{table.location()}/data/equality-{value}.parquet")
    encrypted = iceberg.encryption.EncryptedFiles.plainAsEncryptedOutput(output)
    writer = factory.newEqualityDeleteWriter(encrypted, table.spec(), None)
    record = iceberg.data.GenericRecord.create(keys)
    record.setField("id", value)
    writer.write(record)
    writer.close()
    table.newRowDelta().addDeletes(writer.toDeleteFile()).commit()
    spark.sql(f"REFRESH TABLE {name}")


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables db/v1, v2, v3: evolved columns and specs, a tag, a branch; each kind of deletes."""
    folder = tmp_path_factory.mktemp("moved")
    catalog(spark, "moves", "hadoop", warehouse=str(folder))
    for version, (properties, delete) in TABLES.items():
        t = f"moves.db.{version}"
        spark.sql(f"CREATE TABLE {t} (id INT, d STRING) USING iceberg TBLPROPERTIES ({properties})")
        if version == "v2":  # only the unpartitioned spec applies to all data
            spark.sql(f"INSERT INTO {t} VALUES (50, 'flink'), (51, 'flink')")
            equality_delete(spark, t, 50)
        spark.sql(f"ALTER TABLE {t} ADD PARTITION FIELD d")
        numbers = "SELECT /*+ COALESCE(1) */ CAST(id AS INT), CAST(id % 3 AS STRING) FROM range({})"
        spark.sql(f"INSERT INTO {t} {numbers.format('100')}")
        spark.sql(f"ALTER TABLE {t} CREATE TAG before")
        spark.sql(delete.format(t=t))
        spark.sql(f"ALTER TABLE {t} CREATE BRANCH side")
        spark.sql(f"INSERT INTO {t}.branch_side VALUES (-1, 'side')")
        spark.sql(f"ALTER TABLE {t} ADD PARTITION FIELD bucket(4, id)")
        spark.sql(f"ALTER TABLE {t} RENAME COLUMN d TO e")
        spark.sql(f"ALTER TABLE {t} ADD COLUMN f INT")
        spark.sql(f"INSERT INTO {t} VALUES (1000, 'x', 1), (1001, '0', 2)")
        spark.sql(delete.format(t=t).replace("7", "5"))
    return folder


@pytest.fixture(scope="module")
def originals(spark: SparkSession, lake: Path) -> dict[str, dict[str, Rows]]:
    """The rows of each table by the arguments after its path, read at the location in its metadata."""
    rows_by_table: dict[str, dict[str, Rows]] = {}
    for version in TABLES:
        path = lake / "db" / version
        order = "ORDER BY committed_at LIMIT 1"
        first = spark.sql(f"SELECT snapshot_id FROM iceberg_snapshots('{path}') {order}").first()
        assert first is not None
        suffixes = [s.format(first=first[0]) for s in SUFFIXES]
        rows_by_table[version] = {s: rows(spark, path, s) for s in suffixes}
        assert len({repr(r) for r in rows_by_table[version].values()}) >= 4
    return rows_by_table


def leave(original: Path) -> None:
    """The original still exists."""


def remove(original: Path) -> None:
    shutil.rmtree(original)


def spoil(original: Path) -> None:
    """Each file of the original has different content under the same name."""
    for file in original.rglob("*"):
        if file.is_file():
            file.write_bytes(b"not what it was")


def replace(original: Path) -> None:
    """Another table is at the original's location, with data files of the same names."""
    other = original.with_name("other")
    assert other.is_dir()
    names = sorted(f.relative_to(original) for f in original.rglob("*.parquet"))
    shutil.rmtree(original)
    shutil.copytree(other, original)
    (any_file,) = list(other.rglob("*.parquet"))[:1]
    for name in names:
        (original / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(any_file, original / name)


@pytest.fixture
def kept(lake: Path, tmp_path: Path) -> Iterator[Path]:
    """The lake, restored."""
    shutil.copytree(lake / "db", tmp_path / "kept")
    yield lake
    shutil.rmtree(lake / "db")
    shutil.copytree(tmp_path / "kept", lake / "db")


@pytest.mark.parametrize("then", [leave, remove, spoil, replace])
def test_a_copy_has_the_original_s_rows(
    spark: SparkSession, kept: Path, originals: dict[str, dict[str, Rows]], tmp_path: Path, then: Callable[[Path], None]
) -> None:
    spark.sql("CREATE OR REPLACE TABLE moves.db.other USING iceberg AS SELECT 77 AS id, 'o' AS d")
    for version, by_suffix in originals.items():
        copy = tmp_path / "copy" / version
        shutil.copytree(kept / "db" / version, copy)
        before = {f: f.read_bytes() for f in copy.rglob("*") if f.is_file()}
        then(kept / "db" / version)
        for suffix, expected in by_suffix.items():
            assert rows(spark, copy, suffix) == expected, (version, suffix)
        assert {f: f.read_bytes() for f in copy.rglob("*") if f.is_file()} == before


def test_in_a_cluster_of_processes(
    spark: SparkSession, lake: Path, originals: dict[str, dict[str, Rows]], tmp_path: Path
) -> None:
    """Executors have no class of this package except those sent to them; also with Kryo."""
    unreadable.make(spark, str(tmp_path / "before"), unreadable.FIELDS)
    (tmp_path / "before").rename(tmp_path / "texts")
    for version in TABLES:
        shutil.copytree(lake / "db" / version, tmp_path / version)
    script = f"""
import warnings
warnings.simplefilter("ignore")
spark = theirs("local-cluster[1,2,1024]", **{{
    "spark.executor.memory": "600m", "spark.executor.extraJavaOptions": os.environ["SPARK_SUBMIT_OPTS"],
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.sql.iceberg.executor-cache.enabled": "true"}})
sis.install(spark)
for version in {list(TABLES)}:
    for row in spark.sql(f"SELECT * FROM iceberg('{tmp_path}/{{version}}') ORDER BY id").collect():
        print("row", version, *row)
    files = spark.sql(f"SELECT sum(record_count) FROM iceberg_files('{tmp_path}/{{version}}')")
    assert files.head()[0] > 50
    far = spark.sql(f"SELECT count(*) FROM iceberg('{tmp_path}/{{version}}') WHERE _path NOT LIKE '%{tmp_path}/%'")
    assert far.head()[0] == 0
texts = spark.sql("SELECT at, part.t FROM iceberg('{tmp_path}/texts', columns => 'string') ORDER BY id").collect()
assert texts == [("01:02:03.4", "01:02:03.4"), (None, None)]
spark.stop()
"""
    out, _ = run(tmp_path, script)
    actual = sorted(line for line in out.splitlines() if line.startswith("row"))
    expected = [f"row {v} {' '.join(map(str, r))}" for v in TABLES for r in originals[v][""]]
    assert actual == sorted(expected)


def test_what_it_says(spark: SparkSession, lake: Path, tmp_path: Path) -> None:
    copy, original = tmp_path / "t", lake / "db" / "v2"
    shutil.copytree(original, copy)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            spark.sql(f"SELECT count(*) FROM iceberg('{copy}')").collect()
    messages = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    sentence = f"the table at `{copy}` is a copy, or was moved: its metadata refers to files in `{original}`"
    assert messages == [f"{sentence}, and the ones in `{copy}` are read instead"]
    plan = spark.sql(f"EXPLAIN {text(copy, '')}").collect()[0][0]
    assert f"{copy} (moved from {original})" in plan
    assert "moved from" not in spark.sql(f"EXPLAIN {text(original, '')}").collect()[0][0]
    for name in ("iceberg", "icebergLocal", "icebergHDFS", "iceberg_files"):
        with pytest.raises(AnalysisException) as refused:
            spark.sql(f"SELECT * FROM {name}('{copy}', allow_moved_paths => false)")
        sentence = f"{copy}` is a copy, or was moved: its metadata refers to `{original}`; omit this argument to read "
        assert sentence in str(refused.value)
        assert "`allow_moved_paths`" in str(refused.value)
        assert spark.sql(f"SELECT * FROM {name}('{original}', allow_moved_paths => false)").head(1)


def test_virtual_columns(spark: SparkSession, lake: Path, tmp_path: Path) -> None:
    copy = tmp_path / "a $1 (b)"
    shutil.copytree(lake / "db" / "v3", copy)
    columns = "DISTINCT _path, _file, _size, _time IS NULL"
    records = spark.sql(f"SELECT {columns} FROM iceberg('{copy}')").collect()
    assert len(records) > 3
    for path, file, size, timeless in records:
        assert Path(path).is_relative_to(copy)
        assert Path(path).name == file
        assert os.path.getsize(path) == size
        assert not timeless


def test_a_metadata_file_of_the_copy(spark: SparkSession, lake: Path, tmp_path: Path) -> None:
    copy = tmp_path / "t"
    shutil.copytree(lake / "db" / "v2", copy)
    file = max((copy / "metadata").glob("v*.metadata.json"), key=lambda f: int(f.name.split(".")[0][1:]))
    for call in (f"'{file}'", f"'{copy}', metadata_file_path => 'metadata/{file.name}'"):
        records = spark.sql(f"SELECT id, _path FROM iceberg({call})").collect()
        assert sorted(r[0] for r in records) == sorted(r[0] for r in rows(spark, copy))
        assert all(Path(r[1]).is_relative_to(copy) for r in records)
    # On its own, it does not tell where a copy is.
    lone = tmp_path / file.name
    shutil.copy(file, lone)
    with pytest.warns(UserWarning, match="is not in a folder `metadata`"):
        paths = {r[0] for r in spark.sql(f"SELECT _path FROM iceberg('{lone}')").collect()}
    assert all(Path(p).is_relative_to(lake) for p in paths)
    with pytest.raises(AnalysisException, match="allow_moved_paths"):
        spark.sql(f"SELECT * FROM iceberg('{lone}', allow_moved_paths => false)")


def test_a_file_that_was_not_copied(spark: SparkSession, lake: Path, tmp_path: Path) -> None:
    """The file is not read from the original."""
    for pattern in ("data/**/*.parquet", "metadata/*-m*.avro", "metadata/snap-*.avro", "data/**/*deletes*"):
        copy = tmp_path / re.sub(r"\W", "", pattern)
        shutil.copytree(lake / "db" / "v2", copy)
        for file in copy.glob(pattern):
            file.unlink()
        with pytest.raises((PySparkException, Exception), match=re.escape(str(copy))) as failed:
            rows(spark, copy)
        first = str(failed.value).splitlines()[0]
        assert str(lake / "db" / "v2" / "data") not in first
        if "deletes" not in pattern:
            missing = rf"files of its snapshot \d+ are missing: there is no `{re.escape(str(copy))}/.*; copy the whole"
            assert isinstance(failed.value, AnalysisException)
            assert re.search(missing, first)


def test_data_outside_the_location_stays_there(spark: SparkSession, lake: Path, tmp_path: Path) -> None:
    spark.sql(
        "CREATE OR REPLACE TABLE moves.db.outside (id INT) USING iceberg "
        f"TBLPROPERTIES ('write.data.path' = '{lake}/elsewhere')"
    )
    spark.sql("INSERT INTO moves.db.outside VALUES (1)")
    spark.sql("ALTER TABLE moves.db.outside UNSET TBLPROPERTIES ('write.data.path')")
    spark.sql("INSERT INTO moves.db.outside VALUES (2)")
    copy = tmp_path / "t"
    shutil.copytree(lake / "db" / "outside", copy)
    shutil.rmtree(lake / "db" / "outside")
    records = spark.sql(f"SELECT id, _path FROM iceberg('{copy}') ORDER BY id").collect()
    assert [r[0] for r in records] == [1, 2]
    assert Path(records[0][1]).is_relative_to(lake / "elsewhere")
    assert Path(records[1][1]).is_relative_to(copy)


def test_a_copy_is_not_written_to_by_reading_it(spark: SparkSession, lake: Path, tmp_path: Path) -> None:
    copy = tmp_path / "t"
    shutil.copytree(lake / "db" / "v3", copy)
    io = moved_io.file_io(_hadoop(spark), f"{lake}/db/v3/", f"{copy}/")
    for change in (io.deleteFile, io.newOutputFile):
        with pytest.raises(Exception, match="is read-only"):
            change(f"{lake}/db/v3/data/x")


def position_delete(spark: SparkSession, name: str, path: str) -> None:
    """As a tool writes a delete with its own path for the file: deletes the file's first row."""
    java: Any = spark._jvm
    iceberg = java.org.apache.iceberg
    table = iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, name)
    builder = getattr(iceberg.data, "GenericFileWriterFactory$Builder")(table)
    factory = builder.deleteFileFormat(iceberg.FileFormat.PARQUET).build()
    output = table.io().newOutputFile(f"{table.location()}/data/deletes-{uuid4()}.parquet")
    encrypted = iceberg.encryption.EncryptedFiles.plainAsEncryptedOutput(output)
    writer = factory.newPositionDeleteWriter(encrypted, table.spec(), None)
    delete = iceberg.deletes.PositionDelete.create()
    writer.write(delete.set(path, 0))
    writer.close()
    table.newRowDelta().addDeletes(writer.toDeleteFile()).commit()
    spark.sql(f"REFRESH TABLE {name}")


def test_deletes_that_call_files_by_other_addresses(spark: SparkSession, lake: Path, tmp_path: Path) -> None:
    """A tool that maps paths itself may write deletes with new paths, which Iceberg would ignore."""
    name = "moves.db.mixed"
    spark.sql(f"CREATE OR REPLACE TABLE {name} USING iceberg TBLPROPERTIES ('format-version' = '2') AS SELECT 1 AS id")
    (file,) = [r[0] for r in spark.sql(f"SELECT file_path FROM {name}.files").collect()]
    copy, original = tmp_path / "t", lake / "db" / "mixed"
    position_delete(spark, name, f"{lake}/db/mixed/data/gone.parquet")  # of a file that no longer exists: allowed
    shutil.copytree(original, copy)
    assert rows(spark, copy) == [(1,)]
    shutil.rmtree(copy)
    position_delete(spark, name, file.replace(str(original), str(copy)))
    shutil.copytree(original, copy)
    with pytest.raises(AnalysisException, match="the deleted rows would be returned"):
        rows(spark, copy)
    position_delete(spark, name, file)
    shutil.rmtree(copy)
    shutil.copytree(original, copy)
    with pytest.raises(AnalysisException, match="an address that no data file has"):
        rows(spark, copy)


def _hadoop(spark: SparkSession) -> Any:
    conf = spark._jsparkSession.sessionState().newHadoopConf()
    return gateway.java_class("org.apache.iceberg.hadoop.HadoopFileIO")(conf)


def test_java_and_python_map_alike(spark: SparkSession) -> None:
    for location, folder, address, _ in CASES:
        moved = map_location(location, folder)
        io = moved_io.file_io(_hadoop(spark), moved.pattern, moved.replacement)
        assert io.current(address) == moved.current_address(address), (location, folder, address)


# ---------------------------------------------------------------------------- relative addresses


def _relative(table: Path, prefix: str, *, location: bool) -> None:
    """Alter a table's metadata so that addresses are relative: below a prefix, or (version 4) to the table's folder."""
    address = re.compile(rf"(file:)?{re.escape(str(table))}/")

    def change(value: Any) -> Any:
        if isinstance(value, str):
            return address.sub(prefix, value)
        if isinstance(value, dict):
            return {key: change(item) for key, item in value.items()}
        return [change(item) for item in value] if isinstance(value, list) else value

    for file in (table / "metadata").glob("*.avro"):
        rewrite(file, lambda record: record.update(change(dict(record))))
    for file in (table / "metadata").glob("snap-*.avro"):
        rewrite(file, lambda record: record.update(manifest_length=_length(table, record)))
    for file in (table / "metadata").glob("*.metadata.json"):
        metadata = json.loads(file.read_text("utf-8"))
        stated_location = metadata["location"]
        metadata = change(metadata)
        metadata["location"] = prefix.rstrip("/") if location else stated_location
        file.write_text(json.dumps(metadata), "utf-8")
        (file.parent / f".{file.name}.crc").unlink(missing_ok=True)


def _length(table: Path, record: dict[str, Any]) -> int:
    return (table / "metadata" / record["manifest_path"].rsplit("/", 1)[-1]).stat().st_size


@pytest.mark.parametrize(
    ("prefix", "location"), [("here{u}/db/t/", True), ("./here{u}/db/t/", True), ("", False), ("./", False)]
)
def test_relative_addresses_belong_to_the_table(
    spark: SparkSession, tmp_path: Path, prefix: str, location: bool
) -> None:
    """Not to the working directory of the driver, where another table is at the same address."""
    unique = uuid4().hex[:8]
    name = f"local.moved.relative_{unique}"
    spark.sql(f"CREATE TABLE {name} (id INT) USING iceberg TBLPROPERTIES ({TABLES['v3'][0]})")
    spark.sql(f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ id FROM range(10)")
    spark.sql(f"DELETE FROM {name} WHERE id = 3")
    source_path = Path(spark.sql(f"DESCRIBE EXTENDED {name}").where("col_name = 'Location'").head()[1])
    table, prefix = tmp_path / "t", prefix.format(u=unique)
    shutil.copytree(Path(str(source_path).removeprefix("file:")), table)
    # The paths that the copied files state are the original's.
    for file in (table / "metadata").iterdir():
        if file.suffix == ".json":
            text = file.read_text("utf-8").replace(str(source_path), str(table))
            file.write_text(text, "utf-8")
            (file.parent / f".{file.name}.crc").unlink(missing_ok=True)
    original = str(source_path).removeprefix("file:")

    def moved(record: dict[str, Any]) -> None:
        record.update(_replaced(record, original, str(table)))

    for file in (table / "metadata").glob("*.avro"):
        rewrite(file, moved)
    _relative(table, prefix, location=location)
    decoy = Path.cwd() / f"here{unique}"
    shutil.copytree(Path(original), decoy / "db/t")
    for file in (decoy / "db/t/data").glob("*.parquet"):
        file.write_bytes(b"")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*copy")
            assert rows(spark, table) == [(id_,) for id_ in range(10) if id_ != 3]
            row = spark.sql(f"SELECT count(*) FROM iceberg('{table}') WHERE id > 5").head()
            assert row[0] == 4
    finally:
        shutil.rmtree(decoy)


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {key: _replaced(item, old, new) for key, item in value.items()}
    return [_replaced(item, old, new) for item in value] if isinstance(value, list) else value


def test_a_missing_file_of_a_relative_table(spark: SparkSession, tmp_path: Path) -> None:
    name = "local.moved.relative_missing"
    spark.sql(f"CREATE TABLE {name} (id INT) USING iceberg")
    spark.sql(f"INSERT INTO {name} VALUES (1)")
    source_path = Path(spark.sql(f"DESCRIBE EXTENDED {name}").where("col_name = 'Location'").head()[1])
    table = tmp_path / "t"
    shutil.copytree(Path(str(source_path).removeprefix("file:")), table)
    for file in (table / "metadata").glob("*.metadata.json"):
        text = file.read_text("utf-8").replace(str(source_path), "there/t")
        file.write_text(text, "utf-8")
        (file.parent / f".{file.name}.crc").unlink(missing_ok=True)
    for file in (table / "metadata").glob("snap-*"):
        file.unlink()
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"SELECT * FROM iceberg('{table}')")
    assert f"there is no `{table}/metadata/snap-" in str(caught.value)
    assert "copy the whole folder" not in str(caught.value)
