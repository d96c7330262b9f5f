"""docs/guide/newest-iceberg.md: what is new in Iceberg's specs, as its table says for this version of Spark."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession
from test_metadata_of_others import NAME, assert_one_sentence, change, changeable, edit_avro, forget

from spark_iceberg_sql.spark.versions import spark_minor

PAGE = Path(__file__).parents[2] / "docs/guide/newest-iceberg.md"
LINE = spark_minor(pyspark.__version__).spark
Change = Callable[[SparkSession, Path], None]


@pytest.fixture
def folder(spark: SparkSession) -> Iterator[Path]:
    """A table that the test changes."""
    yield from changeable(spark, NAME)


def metadata(edit: Callable[[dict[str, Any]], object]) -> Change:
    return lambda spark, folder: change(spark, folder / "metadata" / "v2.metadata.json", edit)


def version(number: int) -> Callable[[dict[str, Any]], None]:
    def upgrade(content: dict[str, Any]) -> None:
        content["location"] = f"file:{content['location'].removeprefix('file:')}"
        content["format-version"] = number
        content["next-row-id"] = 9
        content["snapshots"][-1].update({"first-row-id": 0, "added-rows": 9})

    return upgrade


def column(data_type: object, **more: object) -> Change:
    def add(content: dict[str, Any]) -> None:
        version(3)(content)
        field = {"id": 30, "name": "novel", "required": False, "type": data_type, **more}
        content["schemas"][-1]["fields"].append(field)

    return metadata(add)


def spec_field(**changes: object) -> Change:
    def edit(content: dict[str, Any]) -> None:
        version(3)(content)
        for spec in content["partition-specs"]:
            spec["fields"] = [{"name": "k", "field-id": 1000, **{k.replace("_", "-"): v for k, v in changes.items()}}]

    return metadata(edit)


def relative_paths(spark: SparkSession, folder: Path) -> None:
    """All locations relative to the table's, as version 4 allows."""
    prefix = f"{folder}/"
    (manifest,), (manifest_list,) = folder.glob("metadata/*-m0.avro"), folder.glob("metadata/snap-*.avro")

    def shorten(row: dict[str, Any]) -> None:
        row["data_file"]["file_path"] = row["data_file"]["file_path"].removeprefix("file:").removeprefix(prefix)

    def shorten_manifest(row: dict[str, Any]) -> None:
        row.update(manifest_path=f"metadata/{manifest.name}", manifest_length=manifest.stat().st_size)

    edit_avro(manifest, shorten)
    edit_avro(manifest_list, shorten_manifest)

    def edit(content: dict[str, Any]) -> None:
        version(4)(content)
        content.pop("location")
        content["snapshots"][-1]["manifest-list"] = f"metadata/{manifest_list.name}"

    metadata(edit)(spark, folder)


def in_manifest(edit: Callable[[dict[str, Any]], object], schema_edit: Callable[[Any], object]) -> Change:
    def apply(spark: SparkSession, folder: Path) -> None:
        (manifest,), (manifest_list,) = folder.glob("metadata/*-m0.avro"), folder.glob("metadata/snap-*.avro")
        edit_avro(manifest, edit, schema_edit)
        edit_avro(manifest_list, lambda row: row.update(manifest_length=manifest.stat().st_size))
        forget(spark)

    return apply


def _file_fields(schema: dict[str, Any]) -> list[dict[str, Any]]:
    fields: list[dict[str, Any]] = next(f for f in schema["fields"] if f["name"] == "data_file")["type"]["fields"]
    return fields


def _content_stats(schema: dict[str, Any]) -> None:
    stats = {"type": "record", "name": "r146", "fields": [{"name": "n", "type": "long", "field-id": 10001}]}
    _file_fields(schema).append({"name": "content_stats", "type": ["null", stats], "default": None, "field-id": 146})


CHANGES: dict[str, Change] = {
    "Format version 4": metadata(version(4)),
    "Format version 5": metadata(version(5)),
    "Relative paths": relative_paths,
    "`content_stats`": in_manifest(lambda row: row["data_file"].update(content_stats={"n": 1}), _content_stats),
    "Transforms of several columns": spec_field(source_ids=[1, 2], transform="bucket[4]"),
    "Unknown transforms": spec_field(source_id=2, transform="zorder[4]"),
    "`timestamp_ns`": column("timestamp_ns"),
    "`geometry`": column("geometry"),
    "`geography`": column("geography"),
    "Variants": column("variant"),
    "`unknown`": column("unknown"),
    "Default values": column("int", **{"initial-default": 7, "write-default": 8}),
    "Unknown types": column("vector(3)"),
}


def rows_of(spark: SparkSession, source: str) -> tuple[int | None, bool]:
    """How many rows a source has, None if it is refused in one sentence; and whether columns are left out."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return len(spark.sql(f"SELECT * FROM {source}").collect()), any("without" in str(w.message) for w in caught)
        except Exception:
            assert_one_sentence(lambda: spark.sql(f"SELECT * FROM {source}").collect(), source)
            return None, False


def outcome(spark: SparkSession, folder: Path) -> str:
    """What the page says: read, by path, as text or refused."""
    by_path, is_partial = rows_of(spark, f"iceberg('{folder}')")
    by_name, _ = rows_of(spark, NAME)
    if is_partial:
        assert rows_of(spark, f"iceberg('{folder}', columns => 'string')") == (9, False)
        assert by_name is None
        return "as text"
    assert {by_path, by_name} <= {9, None}
    return {(9, 9): "read", (9, None): "by path", (None, None): "refused"}[by_path, by_name]


def documented() -> dict[str, str]:
    """By the first cell of the page's table, what it says of this version of Spark."""
    lines = [line.strip("|").split("|") for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    versions = [cell.strip() for cell in lines[0]]
    return {line[0].strip(): line[versions.index(LINE)].strip() for line in lines[1:]}


@pytest.mark.tier("rest", sampled=False)
@pytest.mark.parametrize("name", CHANGES)
def test_a_row_of_the_page(spark: SparkSession, folder: Path, name: str) -> None:
    CHANGES[name](spark, folder)
    assert outcome(spark, folder) == documented()[name]


def test_every_row_is_tested() -> None:
    assert set(documented()) == {*CHANGES, *WRITTEN}


def _lineage(spark: SparkSession) -> str:
    spark.sql("INSERT INTO local.newest.t VALUES (1, 1), (2, 1)")
    rows = spark.sql("SELECT _row_id, _last_updated_sequence_number FROM local.newest.t ORDER BY 1").collect()
    return "read" if [tuple(row) for row in rows] == [(0, 1), (1, 1)] else "nulls"


def _vectors(spark: SparkSession) -> str:
    spark.sql("INSERT INTO local.newest.t SELECT CAST(id AS INT), 1 FROM range(9)")
    spark.sql("ALTER TABLE local.newest.t SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    spark.sql("DELETE FROM local.newest.t WHERE id = 3")
    puffins = spark.sql("SELECT * FROM local.newest.t.delete_files WHERE file_format = 'PUFFIN'").count()
    return "read" if (puffins, spark.table("local.newest.t").count()) == (1, 8) else "refused"


def _shredded(spark: SparkSession) -> str:
    try:
        spark.sql("ALTER TABLE local.newest.t ADD COLUMN v VARIANT")
    except Exception:  # Spark 3.5 has no such type
        assert LINE == "3.5"
        return "refused"
    spark.sql("ALTER TABLE local.newest.t SET TBLPROPERTIES ('write.parquet.shred-variants' = 'true')")
    spark.sql(
        "INSERT INTO local.newest.t SELECT CAST(id AS INT), 1, parse_json(concat('{\"a\":', id, '}')) FROM range(9)"
    )
    rows = spark.sql("SELECT variant_get(v, '$.a', 'int') a FROM local.newest.t WHERE id = 4").collect()
    return "read" if [row.a for row in rows] == [4] else "refused"


# By the first cell of the page's table, what writes such a table with the runtime itself, and reads it.
WRITTEN: dict[str, Callable[[SparkSession], str]] = {
    "Row lineage": _lineage,
    "Deletion vectors": _vectors,
    "Shredded variants": _shredded,
}


@pytest.mark.tier("rest", sampled=False)
@pytest.mark.parametrize("name", WRITTEN)
def test_a_row_about_tables_of_the_runtime(spark: SparkSession, name: str) -> None:
    spark.sql("CREATE TABLE local.newest.t (id INT, k INT) USING iceberg TBLPROPERTIES ('format-version' = '3')")
    try:
        assert WRITTEN[name](spark) == documented()[name]
    finally:
        spark.sql("DROP TABLE local.newest.t PURGE")
