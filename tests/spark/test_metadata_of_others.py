"""Metadata that another program has damaged, or written for a newer version: one sentence with the file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis

NAME = "local.foreign.t"
Edit = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def folder(spark: SparkSession) -> Iterator[Path]:
    """A table with one manifest."""
    spark.sql(
        f"CREATE TABLE {NAME} (id INT, k INT, name STRING, l ARRAY<INT>) USING iceberg PARTITIONED BY (k) "
        "TBLPROPERTIES ('format-version' = '2')"
    )
    spark.sql(
        f"INSERT INTO {NAME} SELECT /*+ COALESCE(1) */ CAST(id AS INT), CAST(id % 2 AS INT), concat('n', id), "
        "array(CAST(id AS INT)) FROM range(9)"
    )
    location = spark.sql(f"DESCRIBE EXTENDED {NAME}").where("col_name = 'Location'").first()
    assert location is not None
    yield Path(location[1].removeprefix("file:"))
    spark.sql(f"DROP TABLE {NAME} PURGE")


@pytest.fixture
def metadata_file(spark: SparkSession, folder: Path) -> Iterator[Path]:
    """The current metadata file, which is restored after the test."""
    file = folder / "metadata" / "v2.metadata.json"
    content = file.read_bytes()
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    yield file
    file.write_bytes(content)
    spark.sql(f"REFRESH TABLE {NAME}")


def change(spark: SparkSession, file: Path, edit: Edit) -> None:
    """Edit a metadata file. Its table is created anew in the catalog's cache."""
    content = json.loads(file.read_text())
    edit(content)
    file.write_text(json.dumps(content))
    spark.conf.set("spark.sql.catalog.local.cache-enabled", "false")
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
        "insert": lambda: spark.sql(f"INSERT INTO {NAME} (id) VALUES (1)"),
        "health by name": lambda: sis.health(spark, NAME),
        "preview by name": lambda: sis.preview(spark, NAME, "bucket(4, k)"),
        "explain by name": lambda: sis.explain(spark, f"SELECT * FROM {NAME} {filtered}"),
    }


def assert_one_sentence(call: Callable[[], object], view: str, *words: str) -> None:
    with pytest.raises(Exception) as raised:
        call()
    text = str(raised.value)
    assert view not in ("health", "preview") or "INVALID_PARAMETER_VALUE" not in text, text
    assert "\n" not in text, (view, text)
    assert not re.search(r"Exception|calling o\d|Job aborted|INTERNAL_ERROR|NoneType|cannot be cast", text), (
        view,
        text,
    )
    for word in words:
        assert word in text, (view, text)


def _every_spec_field(**changes: object) -> Edit:
    def edit(content: dict[str, Any]) -> None:
        for spec in content["partition-specs"]:
            for field in spec["fields"]:
                field.update({key.replace("_", "-"): value for key, value in changes.items()})

    return edit


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
