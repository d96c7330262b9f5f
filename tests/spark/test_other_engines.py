"""docs/guide/other-engines.md: every row of its tables; and tables that pyiceberg wrote."""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from spark_iceberg_sql.errors import IcebergSqlError

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "other-engines.md"
_ROW = re.compile(r"^\| `(?P<theirs>[^`]+)` \| (?:`(?P<ours>[^`]+)`)? *\| (?P<result>.+?) \|$", re.MULTILINE)
TABLE = "local.engines.orders"


def cases() -> list[tuple[str, str]]:
    text = PAGE.read_text("utf-8")
    pairs = [(m["ours"] or m["theirs"], m["result"]) for m in _ROW.finditer(text)]
    assert len(pairs) == len(re.findall(r"^\| `", text, re.MULTILINE)) > 40
    return pairs


@pytest.fixture(scope="module")
def lake(spark: SparkSession) -> Iterator[dict[str, str]]:
    """The replacements for the page's path, snapshot and time."""
    spark.sql(f"DROP TABLE IF EXISTS {TABLE} PURGE")
    spark.sql(f"CREATE TABLE {TABLE} (id BIGINT, name STRING, day DATE) USING iceberg PARTITIONED BY (day)")
    spark.sql(f"INSERT INTO {TABLE} VALUES (1, 'ann', DATE '2024-01-05'), (2, 'bob', DATE '2024-01-06')")
    spark.sql(f"ALTER TABLE {TABLE} ADD COLUMN city STRING")
    spark.sql(f"INSERT INTO {TABLE} VALUES (3, 'cat', DATE '2024-01-05', 'Rome'), (4, 'dan', DATE '2024-01-07', NULL)")
    rows = spark.sql(f"DESCRIBE EXTENDED {TABLE}").where("col_name = 'Location'").collect()
    path = str(rows[0].data_type).removeprefix("file:")
    first = spark.sql(
        f"SELECT snapshot_id, unix_millis(committed_at) AS ms FROM {TABLE}.snapshots ORDER BY committed_at"
    ).first()
    assert first is not None
    collection = "spark.iceberg_sql.collection.lake.path"
    spark.conf.set(collection, path.rpartition("/")[0])
    yield {"/lake/db/orders": path, "1111": str(first.snapshot_id), "1700000000000": str(first.ms)}
    spark.conf.unset(collection)
    spark.sql(f"DROP TABLE {TABLE} PURGE")


def replaced(text: str, lake: dict[str, str]) -> str:
    for word, value in lake.items():
        text = text.replace(word, value)
    return text


@pytest.mark.filterwarnings("ignore:.*is in the statement's text")
@pytest.mark.filterwarnings("ignore:SETTINGS max_threads is ignored")
@pytest.mark.filterwarnings("ignore:icebergLocalCluster ignores the cluster")
@pytest.mark.parametrize(("statement", "result"), cases())
def test_a_row_of_the_page(spark: SparkSession, lake: dict[str, str], statement: str, result: str) -> None:
    statement, result = replaced(statement, lake), replaced(result, lake)
    if result.startswith("error: "):
        refused = (AnalysisException, IcebergSqlError)
        with pytest.raises(refused, match=result.removeprefix("error: ")):
            spark.sql(statement)
        return
    row_texts = [", ".join(shown(value) for value in row) for row in spark.sql(statement).collect()]
    assert row_texts
    assert result in ("...", "; ".join(row_texts))


def shown(value: object) -> str:
    if value is None:
        return "NULL"
    return str(value).lower() if isinstance(value, bool) else str(value)


# ------------------------------------------------------------------------------ foreign tables


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tables that pyiceberg wrote through its own catalog, by name, with rows of many types."""
    pytest.importorskip("pyiceberg")
    pa = pytest.importorskip("pyarrow")
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.transforms import IdentityTransform
    from pyiceberg.types import (
        DecimalType,
        ListType,
        LongType,
        MapType,
        NestedField,
        StringType,
        StructType,
        TimestamptzType,
    )

    folder = tmp_path_factory.mktemp("foreign")
    catalog = SqlCatalog("own", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}")
    catalog.create_namespace("db")
    schema = Schema(
        NestedField(1, "id", LongType(), required=False, doc="key"),
        NestedField(2, "name", StringType(), required=False),
        NestedField(3, "at", TimestamptzType(), required=False),
        NestedField(4, "amount", DecimalType(9, 2), required=False),
        NestedField(5, "tags", ListType(6, StringType(), element_required=False), required=False),
        NestedField(7, "m", MapType(8, StringType(), 9, LongType(), value_required=False), required=False),
        NestedField(10, "s", StructType(NestedField(11, "x", LongType(), required=False)), required=False),
    )
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "name"))
    table = catalog.create_table("db.t", schema, partition_spec=spec)
    utc = datetime.timezone.utc
    rows = [
        {
            "id": n,
            "name": ("a b", "ü/%", None)[n % 3],
            "at": datetime.datetime(2024, 1, 1 + n % 2, 12, tzinfo=utc),
            "amount": decimal.Decimal(n) / 4,
            "tags": [str(n), None],
            "m": {"k": n},
            "s": {"x": n},
        }
        for n in range(6)
    ]
    arrow = table.schema().as_arrow()
    table.append(pa.Table.from_pylist(rows[:3], schema=arrow))
    with table.update_schema() as update:
        update.add_column("extra", StringType())
    grown = table.schema().as_arrow()
    table.append(pa.Table.from_pylist([{**row, "extra": "e"} for row in rows[3:]], schema=grown))
    table.delete("id = 4")
    return {"t": Path(table.location().removeprefix("file://"))}


def test_a_table_of_pyiceberg(spark: SparkSession, foreign: dict[str, Path]) -> None:
    from pyiceberg.table import StaticTable

    path = foreign["t"]
    newest = max((path / "metadata").glob("*.metadata.json"))
    theirs = StaticTable.from_metadata(str(newest))
    rows = spark.sql(f"SELECT id, name, at, amount, tags, m, s, extra FROM iceberg('{path}') ORDER BY id")
    actual = [row.asDict(recursive=True) for row in rows.collect()]
    expected = sorted(theirs.scan().to_arrow().to_pylist(), key=lambda row: row["id"])
    for row in expected:
        row["m"] = dict(row["m"])
        row["at"] = row["at"].astimezone().replace(tzinfo=None)
    assert [row["id"] for row in actual] == [0, 1, 2, 3, 5]
    assert actual == expected
    for snapshot in theirs.metadata.snapshots:
        count = len(theirs.scan(snapshot_id=snapshot.snapshot_id).to_arrow())
        assert spark.sql(f"SELECT * FROM iceberg('{path}', version => {snapshot.snapshot_id})").count() == count


def test_its_metadata(spark: SparkSession, foreign: dict[str, Path]) -> None:
    """Equal to pyiceberg's own inspection."""
    from pyiceberg.table import StaticTable

    path = foreign["t"]
    newest = max((path / "metadata").glob("*.metadata.json"))
    inspect = StaticTable.from_metadata(str(newest)).inspect
    for function, theirs, columns in (
        ("files", inspect.files(), ["file_path", "record_count", "file_size_in_bytes"]),
        ("snapshots", inspect.snapshots(), ["snapshot_id", "parent_id", "operation"]),
        ("history", inspect.history(), ["snapshot_id", "is_current_ancestor"]),
        ("refs", inspect.refs(), ["name", "type", "snapshot_id"]),
        ("manifests", inspect.manifests(), ["path", "length", "added_data_files_count"]),
        ("partitions", inspect.partitions(), ["record_count", "file_count", "spec_id"]),
    ):
        ours = spark.sql(f"SELECT {', '.join(columns)} FROM iceberg_{function}('{path}')").collect()
        expected = [tuple(row[c] for c in columns) for row in theirs.to_pylist()]
        assert sorted(map(tuple, ours), key=str) == sorted(expected, key=str)
    (row,) = spark.sql(f"SELECT * FROM iceberg_tables('{path.parent}')").collect()
    assert (row.location, row.records, row.error) == (f"{path}", 5, None)
    assert row.partitioning == "name"
    assert row.columns.startswith("id BIGINT COMMENT 'key', name STRING, at TIMESTAMP, amount DECIMAL(9, 2)")


def test_its_ddl_makes_an_equal_table(spark: SparkSession, foreign: dict[str, Path]) -> None:
    copy = "local.engines.copy"
    spark.sql(f"DROP TABLE IF EXISTS {copy} PURGE")
    query = f"SELECT * FROM iceberg_ddl('{foreign['t']}', name => '{copy}')"
    try:
        (row,) = spark.sql(query).collect()
        spark.sql(row.createtab_stmt.partition(";")[0])
        spark.sql(f"INSERT INTO {copy} SELECT * FROM iceberg('{foreign['t']}')")
        for function, where in (("columns", "true"), ("partition_specs", "is_current")):
            columns = "*" if function == "columns" else "field_name, source_column, transform"
            ours, theirs = (
                spark.sql(f"SELECT {columns} FROM iceberg_{function}('{name}') WHERE {where}").collect()
                for name in (copy, foreign["t"])
            )
            assert ours == theirs
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {copy} PURGE")
