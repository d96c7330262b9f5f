"""Metadata that another program has damaged, or written for a newer version: one sentence with the file."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import fastavro
import pytest
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis

NAME, OTHER = "local.foreign.t", "local.foreign.other"
Edit = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def folder(spark: SparkSession) -> Iterator[Path]:
    """A table with one manifest."""
    yield create(spark, NAME)
    spark.sql(f"DROP TABLE {NAME} PURGE")


def create(spark: SparkSession, name: str) -> Path:
    """The folder of a new table with one manifest."""
    spark.sql(
        f"CREATE TABLE {name} (id INT, k INT, name STRING, l ARRAY<INT>) USING iceberg PARTITIONED BY (k) "
        "TBLPROPERTIES ('format-version' = '2')"
    )
    spark.sql(
        f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ CAST(id AS INT), CAST(id % 2 AS INT), concat('n', id), "
        "array(CAST(id AS INT)) FROM range(9)"
    )
    location = spark.sql(f"DESCRIBE EXTENDED {name}").where("col_name = 'Location'").first()
    assert location is not None
    return Path(location[1].removeprefix("file:"))


@pytest.fixture
def metadata_file(spark: SparkSession, folder: Path) -> Iterator[Path]:
    """The current metadata file, which is restored after the test."""
    file = folder / "metadata" / "v2.metadata.json"
    content = file.read_bytes()
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    yield file
    file.write_bytes(content)
    forget(spark)


def change(spark: SparkSession, file: Path, edit: Edit) -> None:
    """Edit a metadata file."""
    content = json.loads(file.read_text())
    edit(content)
    file.write_text(json.dumps(content))
    forget(spark)


def forget(spark: SparkSession) -> None:
    """Start the catalog again: it keeps tables, and these their manifests."""
    spark._jsparkSession.sessionState().catalogManager().reset()


def views(spark: SparkSession, folder: Path) -> dict[str, Callable[[], object]]:
    """What reads the table, by its path and by its name."""
    filtered = "WHERE id = 3 AND k = 1"
    return {
        "iceberg": lambda: spark.sql(f"SELECT * FROM iceberg('{folder}')").collect(),
        "iceberg_files": lambda: spark.sql(f"SELECT * FROM iceberg_files('{folder}')").collect(),
        "health": lambda: sis.health(spark, str(folder)),
        "preview": lambda: sis.preview(spark, str(folder), "bucket(4, k)"),
        "explain": lambda: sis.explain(spark, f"SELECT * FROM iceberg('{folder}') {filtered}"),
        "query by name": lambda: spark.sql(f"SELECT * FROM {NAME}").collect(),
        "files by name": lambda: spark.sql(f"SELECT * FROM {NAME}.files").collect(),
        "iceberg_files by name": lambda: spark.sql(f"SELECT * FROM iceberg_files('{NAME}')").collect(),
        "insert": lambda: spark.sql(f"INSERT INTO {NAME} VALUES (1, 1, 'a', array(1))"),
        "health by name": lambda: sis.health(spark, NAME),
        "preview by name": lambda: sis.preview(spark, NAME, "bucket(4, k)"),
        "explain by name": lambda: sis.explain(spark, f"SELECT * FROM {NAME} {filtered}"),
    }


def edit_avro(file: Path, edit: Edit, schema_edit: Edit | None = None) -> None:
    """Edit each row of a manifest or a manifest list."""
    with file.open("rb") as stream:
        reader = fastavro.reader(stream)
        rows, metadata = [*reader], {k: v for k, v in reader.metadata.items() if k != "avro.codec"}
    schema = json.loads(metadata.pop("avro.schema"))
    for row in rows:
        edit(row)
    if schema_edit is not None:
        schema_edit(schema)
    with file.open("wb") as stream:
        fastavro.writer(stream, schema, rows, metadata=metadata)


def assert_one_sentence(call: Callable[[], object], view: str, *fragments: str) -> None:
    with pytest.raises(Exception) as raised:
        call()
    text = str(raised.value)
    assert view not in ("health", "preview") or "INVALID_PARAMETER_VALUE" not in text, text
    assert "\n" not in text, (view, text)
    assert not re.search(r"Exception|calling o\d|Job aborted|INTERNAL_ERROR|NoneType|cannot be cast", text), (
        view,
        text,
    )
    for word in fragments:
        assert word in text, (view, text)


def _every_spec_field(**changes: object) -> Edit:
    def edit(content: dict[str, Any]) -> None:
        for spec in content["partition-specs"]:
            for field in spec["fields"]:
                field.update({key.replace("_", "-"): value for key, value in changes.items()})

    return edit


def _several_sources(content: dict[str, Any]) -> None:
    field = {"name": "k", "field-id": 1000, "source-ids": [1, 2], "transform": "bucket[4]"}
    content["partition-specs"][0]["fields"] = [field]


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (lambda content: content.update(snapshots={"a": 1}), "Cannot parse snapshots from non-array"),
        (lambda content: content.update({"current-schema-id": 99}), "current-schema-id=99"),
        (lambda content: content.update({"format-version": "two"}), "format-version"),
        (lambda content: content["schemas"][0]["fields"][2].update(type="uint8"), "uint8"),
        (lambda content: content.update({"default-spec-id": 99}), "default-spec-id is 99"),
        (_every_spec_field(source_id=99), "Cannot find source column for partition field"),
        (_every_spec_field(transform="zorder[4]"), "`k` has the transform zorder[4]"),
        (_several_sources, "several source columns (`source-ids`)"),
    ],
)
def test_a_metadata_file(spark: SparkSession, folder: Path, metadata_file: Path, edit: Edit, reason: str) -> None:
    change(spark, metadata_file, edit)
    for view, call in views(spark, folder).items():
        if (view, reason) != ("files by name", "default-spec-id is 99"):  # can be read
            assert_one_sentence(call, view, metadata_file.name, reason)


CLOCK = {"id": 30, "name": "clock", "required": False, "type": "time"}
TIME = "`clock` (time), for which Spark has no type"


@pytest.mark.filterwarnings("ignore:.* is read without")
def test_a_column_of_type_time(spark: SparkSession, folder: Path, metadata_file: Path) -> None:
    """The sentence has the call that reads the table."""
    change(spark, metadata_file, lambda content: content["schemas"][0]["fields"].append(CLOCK))
    calls = views(spark, folder)
    for view in ("query by name", "insert", "explain by name"):
        assert_one_sentence(calls[view], view, f"iceberg('{metadata_file}', columns => 'string')", TIME)
    assert_one_sentence(calls["files by name"], "", f"write iceberg_files('{metadata_file}')", TIME)
    for view in ("preview by name", "health by name"):
        assert_one_sentence(calls[view], view, f"pass its folder instead of its name, '{folder}'", TIME)
    assert spark.sql(f"SELECT * FROM iceberg_files('{metadata_file}')").count() == 2
    assert spark.sql(f"SELECT * FROM iceberg('{metadata_file}', columns => 'string')").count() == 9
    calls["preview"]()
    calls["health"]()


def test_a_partition_field_of_type_time(spark: SparkSession, folder: Path, metadata_file: Path) -> None:
    change(spark, metadata_file, lambda content: content["schemas"][0]["fields"][1].update(type="time"))
    for view in ("iceberg", "explain", "preview"):
        assert_one_sentence(views(spark, folder)[view], view, "partitioned by `k` (time)", "columns => 'string'")


def _short_bound(row: dict[str, Any]) -> None:
    for bound in row["data_file"]["lower_bounds"]:
        bound["value"] = bound["value"][:1]


def _no_length(schema: dict[str, Any]) -> None:
    schema["fields"] = [field for field in schema["fields"] if field["name"] != "manifest_length"]


def changeable(spark: SparkSession, name: str) -> Iterator[Path]:
    """The folder of a new table whose files a test may change."""
    folder = create(spark, name)
    for checksum in folder.glob("metadata/.*.crc"):
        checksum.unlink()
    yield folder
    shutil.rmtree(folder)
    forget(spark)


@pytest.fixture
def other(spark: SparkSession) -> Iterator[Path]:
    """The folder of a table that a test may damage."""
    yield from changeable(spark, OTHER)


@pytest.mark.parametrize(
    ("edit", "schema_edit", "reason"),
    [
        (lambda _: None, _no_length, "Missing required field: manifest_length"),
        (lambda row: row.update(partition_spec_id=99), None, "it refers to partition spec 99"),
        (
            lambda row: row["partitions"][0].update(lower_bound=b"1"),
            None,
            "a bound of the partition field `k` is no int",
        ),
    ],
)
def test_a_manifest_list(spark: SparkSession, other: Path, edit: Edit, schema_edit: Edit | None, reason: str) -> None:
    (manifest_list,) = other.glob("metadata/snap-*.avro")
    edit_avro(manifest_list, edit, schema_edit)
    forget(spark)
    for source in (f"iceberg('{other}')", OTHER):
        query = f"SELECT * FROM {source} WHERE k = 1"
        assert_one_sentence(spark.sql(query).collect, query, manifest_list.name, reason)


def test_a_bound_of_the_wrong_length(spark: SparkSession, other: Path) -> None:
    (manifest_list,), (manifest,) = other.glob("metadata/snap-*.avro"), other.glob("metadata/*-m0.avro")
    edit_avro(manifest, _short_bound)
    edit_avro(manifest_list, lambda row: row.update(manifest_length=manifest.stat().st_size))
    forget(spark)
    for source in (f"iceberg_files('{other}')", f"{OTHER}.files"):
        reason = "a bound of the column `id` is no int, for the file"
        assert_one_sentence(spark.sql(f"SELECT * FROM {source}").collect, source, manifest.name, reason, "/data/")


def damaged_views(spark: SparkSession, folder: Path) -> dict[str, Callable[[], object]]:
    """What reads the files of the table that a test may damage, by its path and by its name."""
    calls: dict[str, Callable[[], object]] = {}
    for source in (str(folder), OTHER):
        relation = source if source == OTHER else f"iceberg('{source}')"
        subject = source if source == OTHER else "source"
        query = f"SELECT * FROM {relation} WHERE k >= 1 AND id > 3"
        calls |= {
            f"query of {source}": spark.sql(query).collect,
            f"explain of {source}": partial(sis.explain, spark, query),
            f"preview of {source}": partial(sis.preview, spark, source, "bucket(4, k)"),
            f"advise of {source}": partial(sis.advise, spark, source, [f"SELECT * FROM {subject} WHERE id = 3"]),
            f"health of {source}": partial(sis.health, spark, source),
            f"describe of {source}": partial(sis.describe, spark, source),
        }
    query = f"SELECT * FROM {OTHER} WHERE id = 3"
    return calls | {
        "preview from metadata": partial(sis.preview, spark, OTHER, "bucket(4, k)", using="metadata"),
        "advise from metadata": partial(sis.advise, spark, OTHER, [query], using="metadata"),
        "delete": partial(spark.sql, f"DELETE FROM {OTHER} WHERE id = 3"),
    }


@pytest.mark.parametrize(
    ("edit", "schema_edit", "reason"),
    [
        (lambda _: None, _no_length, "Missing required field: manifest_length"),
        (lambda row: row.update(partition_spec_id=99), None, "it refers to partition spec 99"),
    ],
)
def test_everything_that_reads_a_damaged_manifest_list_names_it(
    spark: SparkSession, other: Path, edit: Edit, schema_edit: Edit | None, reason: str
) -> None:
    (manifest_list,) = other.glob("metadata/snap-*.avro")
    edit_avro(manifest_list, edit, schema_edit)
    forget(spark)
    for view, call in damaged_views(spark, other).items():
        if "spec" not in reason or not view.startswith("describe"):  # can be read
            assert_one_sentence(call, view, manifest_list.name, reason)


@pytest.mark.parametrize("content", [b"garbage", None])
def test_everything_that_reads_a_damaged_manifest_names_it(
    spark: SparkSession, other: Path, content: bytes | None
) -> None:
    (manifest,) = other.glob("metadata/*-m0.avro")
    manifest.unlink() if content is None else manifest.write_bytes(content)
    forget(spark)
    for view, call in damaged_views(spark, other).items():
        if not view.startswith("describe"):  # reads none
            assert_one_sentence(call, view, manifest.name)


def test_an_encrypted_manifest_list(spark: SparkSession, other: Path) -> None:
    (manifest_list,) = other.glob("metadata/snap-*.avro")
    manifest_list.write_bytes(b"AGS1" + (1 << 20).to_bytes(4, "little") + manifest_list.read_bytes())

    def encrypt(content: dict[str, Any]) -> None:
        key = {"key-id": "k1", "encrypted-key-metadata": "a2V5", "encrypted-by-id": "master"}
        content.update({"format-version": 3, "next-row-id": 9, "encryption-keys": [key]})
        content["snapshots"][-1].update({"key-id": "k1", "first-row-id": 0, "added-rows": 9})

    change(spark, other / "metadata" / "v2.metadata.json", encrypt)
    for view, call in damaged_views(spark, other).items():
        assert_one_sentence(call, view, manifest_list.name, "it is encrypted with the key k1")


@pytest.mark.parametrize(
    ("column", "declared_type", "file_type"),
    [("name", "int", "string"), ("id", "string", "int"), ("name", "double", "string"), ("l", "int", "list")],
)
def test_a_column_whose_type_is_not_that_of_the_files(
    spark: SparkSession, other: Path, column: str, declared_type: str, file_type: str
) -> None:
    """Nor does the sentence lie: without the column, the table can be read."""

    def retype(content: dict[str, Any]) -> None:
        fields = content["schemas"][-1]["fields"]
        next(field for field in fields if field["name"] == column)["type"] = declared_type

    change(spark, other / "metadata" / "v2.metadata.json", retype)
    fact = f"the column `{column}` is {declared_type} in the table's schema, but {file_type} in the data file"
    for source in (f"iceberg('{other}')", OTHER):
        assert_one_sentence(spark.sql(f"SELECT * FROM {source}").collect, source, fact, ".parquet")
        assert spark.sql(f"SELECT k FROM {source}").count() == 9
        columns = ", ".join({"id", "k", "name", "l"} - {column})
        assert len(spark.sql(f"SELECT {columns} FROM {source}").collect()) == 9
    assert_one_sentence(partial(spark.sql, f"DELETE FROM {OTHER} WHERE hash({column}) = 1"), "", fact)


@pytest.fixture
def large(spark: SparkSession) -> Iterator[Path]:
    """The folder of a table that a test may damage: manifests of 100 and 300 data files, one of delete files.

    The largest is read by no statement: what has been read is not checked again.
    """
    spark.sql(
        f"CREATE TABLE {OTHER} (id INT, k INT) USING iceberg PARTITIONED BY (k) "
        "TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read')"
    )
    rows = "SELECT CAST(id AS INT), CAST(id AS INT) FROM range"
    spark.sql(f"INSERT INTO {OTHER} {rows}(100)")
    spark.sql(f"DELETE FROM {OTHER} WHERE hash(id) % 100 < 50")
    spark.sql(f"INSERT INTO {OTHER} {rows}(100, 400)")
    location = spark.sql(f"DESCRIBE EXTENDED {OTHER}").where("col_name = 'Location'").first()
    assert location is not None
    folder = Path(location[1].removeprefix("file:"))
    for checksum in folder.glob("metadata/.*.crc"):
        checksum.unlink()
    yield folder
    shutil.rmtree(folder)
    forget(spark)


@pytest.mark.parametrize(
    ("pattern", "order", "part", "reason"),
    [
        ("*-m0.avro", -1, 0.3, "the file ends too early"),  # within its header
        ("*-m0.avro", -1, 0.98, "is cut off, so that queries would lose rows"),
        ("*-m0.avro", 0, 0.9, "is cut off, so that queries would lose rows"),  # of deletes: rows would come back
        ("snap-*.avro", -1, 0.99, "a manifest list of"),
    ],
)
def test_everything_that_reads_a_file_of_metadata_that_is_cut_off_names_it(
    spark: SparkSession, large: Path, pattern: str, order: int, part: float, reason: str
) -> None:
    """Iceberg reads the entries up to the end of the file, and no error tells of the rows of the others."""
    damaged = sorted(large.glob(f"metadata/{pattern}"), key=lambda file: file.stat().st_size)[order]
    content = damaged.read_bytes()
    damaged.write_bytes(content[: int(len(content) * part)])
    forget(spark)
    for source in (f"iceberg('{large}')", OTHER):
        for query in (
            f"SELECT sum(id) FROM {source}",
            f"SELECT count(*) FROM {source}",
            f"SELECT * FROM {source} WHERE k >= 1 AND id > 3",
        ):
            assert_one_sentence(spark.sql(query).collect, query, damaged.name, reason)
    reads_deletes = order == 0
    for view, call in damaged_views(spark, large).items():
        if not view.startswith("describe") and not (reads_deletes and view == "preview from metadata"):  # read none
            assert_one_sentence(call, view, damaged.name, reason)


def test_counts_of_a_manifest_list_that_are_wrong_refuse_nothing(spark: SparkSession, large: Path) -> None:
    manifest_list = max(large.glob("metadata/snap-*.avro"), key=lambda file: file.stat().st_mtime_ns)
    edit_avro(manifest_list, lambda row: row.update(existing_files_count=77, existing_data_files_count=77))
    forget(spark)
    assert spark.sql(f"SELECT * FROM {OTHER} WHERE k >= 100").count() == 300


def written_by_pyiceberg(folder: Path, name: str, location: str) -> None:
    """A table of two rows, partitioned by a column of the type fixed[5], or not at all."""
    import pyarrow as pa
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.transforms import IdentityTransform
    from pyiceberg.types import FixedType, LongType, NestedField

    catalog = SqlCatalog(name, uri=f"sqlite:///{folder}/{name}.db", warehouse=f"file://{folder}")
    catalog.create_namespace("db")
    schema = Schema(
        NestedField(1, "code", FixedType(5), required=True), NestedField(2, "id", LongType(), required=True)
    )
    spec = PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "code"))
    table = catalog.create_table(
        "db.t", schema, location=location, partition_spec=spec if name == "fixed" else UNPARTITIONED_PARTITION_SPEC
    )
    arrow = pa.schema([pa.field("code", pa.binary(5), nullable=False), pa.field("id", pa.int64(), nullable=False)])
    table.append(pa.Table.from_pylist([{"code": b"hello", "id": 1}, {"code": b"world", "id": 2}], arrow))
    catalog.close()


def test_partition_values_of_fixed_length(spark: SparkSession, tmp_path: Path) -> None:
    written_by_pyiceberg(tmp_path, "fixed", f"file://{tmp_path}/t")
    (manifest,) = (tmp_path / "t").glob("metadata/*-m0.avro")
    reason = "`code` has values of the type fixed[5], which this version of Iceberg cannot read"
    for function in ("iceberg", "iceberg_files"):
        call = spark.sql(f"SELECT * FROM {function}('{tmp_path}/t')").collect
        assert_one_sentence(call, function, manifest.name, reason)


def test_partition_values_of_fixed_length_below_a_relative_location(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written_by_pyiceberg(tmp_path, "fixed", "lake/t")
    with pytest.raises(Exception, match=r"-m0.avro`: the partition field `code` has values of the type fixed\[5\]"):
        spark.sql(f"SELECT * FROM iceberg('{tmp_path}/lake/t')").collect()


def test_a_relative_path_after_two_slashes(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyiceberg takes file://lake/t as a path in the working directory, Hadoop as one on the host `lake`."""
    monkeypatch.chdir(tmp_path)
    written_by_pyiceberg(tmp_path, "relative", "file://lake/t")
    with pytest.warns(UserWarning, match="file://lake/t"):
        rows = spark.sql(f"SELECT id FROM iceberg('{tmp_path}/lake/t') ORDER BY id").collect()
    assert [row.id for row in rows] == [1, 2]
    assert spark.sql(f"SELECT * FROM iceberg_files('{tmp_path}/lake/t')").count() == 1
