"""Scenarios of ClickHouse's integration tests for Iceberg that no other test runs: docs/guide/clickhouse-scenarios.md.

Each test is named after ClickHouse's file. Tables are written with Spark and read by path.
"""

from __future__ import annotations

import decimal
import json
import shutil
import struct
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from samples import swept
from scans import metrics

from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning

Rows = list[tuple[object, ...]]
REFUSED = (IcebergSqlError, PySparkException)


class Lake:
    """Tables of this file, by name and by path."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder

    def run(self, *statements: str) -> None:
        """Run statements in which `{t}` is the table's name in its catalog, `{n}` one that a statement in ClickHouse's
        syntax makes, and `{p}` the table's path.
        """
        for statement in statements:
            self.spark.sql(self.filled(statement))

    def filled(self, text: str) -> str:
        return text.replace("{n}", f"by_path_{self.name}").replace("{t}", self.name).replace("{p}", str(self.path))

    @property
    def name(self) -> str:
        return f"{self.folder.name}.db.t"

    @property
    def path(self) -> Path:
        return self.folder / "db" / "t"

    def rows(self, query: str) -> Rows:
        return [tuple(row) for row in self.spark.sql(self.filled(query)).collect()]

    def files(self, query: str) -> int:
        """The data files that the query reads."""
        return metrics(self.spark.sql(self.filled(query))).get("resultDataFiles", 0)


@pytest.fixture
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Lake:
    from spark_iceberg_sql.spark.tables.catalog_settings import catalog

    folder = tmp_path_factory.mktemp("scenario", numbered=True)
    catalog(spark, folder.name, "hadoop", warehouse=str(folder))
    return Lake(spark, folder)


READ = "iceberg('{p}')"


# ------------------------------------------------------------------------------ reading and pruning


def test_multiple_partitions_on_one_column(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (a STRING, ts TIMESTAMP, b STRING) USING iceberg PARTITIONED BY (a, hours(ts), b, ts) "
        "-- noqa: SIS501",
        "INSERT INTO {t} VALUES ('x', TIMESTAMP '2024-01-01 00:00:00', 'y')",
    )
    assert lake.rows(f"SELECT a, b FROM {READ}") == [("x", "y")]
    assert lake.rows(f"SELECT count(*) FROM {READ} WHERE ts = TIMESTAMP '2024-01-01'") == [(1,)]


def test_column_names_with_dots(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (id INT, `name.column` STRING, `double.column.dot` STRING) USING iceberg",
        "INSERT INTO {t} VALUES (1, 'a', 'b')",
    )
    assert lake.rows(f"SELECT `name.column`, `double.column.dot` FROM {READ}") == [("a", "b")]


FUNCTIONS = {
    "to_date(ts_day) = DATE '2024-01-20'": 1,
    "date_trunc('day', ts_day) = TIMESTAMP '2024-01-20'": 1,
    "date_format(ts_day, 'yyyyMMdd') = '20240120'": 1,
    "to_date(ts_day) IN (DATE '2024-01-20', DATE '2024-02-20')": 2,
    "to_date(ts_day) > DATE '2024-02-01'": 2,
    "year(ts_day) = 2025": 1,
    "date_trunc('hour', ts_hour) = TIMESTAMP '2024-01-20 10:00:00'": 1,
    "to_date(ts_hour) = DATE '2024-01-21'": 2,
    "date_trunc('month', ts_month) = TIMESTAMP '2024-02-01'": 1,
    "date_format(ts_month, 'yyyyMM') = '202503'": 0,
    "year(d_year) = 2026": 1,
    "trunc(d_year, 'year') = DATE '2028-01-01'": 0,
    "date_trunc('hour', ts_hour) < TIMESTAMP '2024-01-20 10:30:00'": 1,
    "date_trunc('hour', ts_hour) >= TIMESTAMP '2024-01-20 10:30:00'": 3,
    "dayofweek(iceberg_days(ts_day)) = 7": 1,
    "hour(ts_day) = 10": 4,
}


def test_partition_pruning_with_functions(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (ts_day TIMESTAMP, ts_hour TIMESTAMP, ts_month TIMESTAMP, d_year DATE, tag INT) "
        "USING iceberg "
        "PARTITIONED BY (days(ts_day), hours(ts_hour), months(ts_month), years(d_year)) "
        "TBLPROPERTIES ('write.metadata.metrics.default' = 'none')",
        """INSERT INTO {t} SELECT TIMESTAMP(a), TIMESTAMP(b), TIMESTAMP(c), DATE(d), e FROM VALUES
        ('2024-01-20 10:00:00', '2024-01-20 10:00:00', '2024-01-20 10:00:00', '2024-01-20', 1),
        ('2024-01-21 11:00:00', '2024-01-20 11:00:00', '2024-02-20 10:00:00', '2025-01-20', 2),
        ('2024-02-20 10:00:00', '2024-01-21 10:00:00', '2024-03-20 10:00:00', '2026-01-20', 3),
        ('2025-02-20 10:00:00', '2024-01-21 11:00:00', '2025-01-20 10:00:00', '2027-01-20', 4) v(a, b, c, d, e)""",
    )
    read = {where: lake.files(f"SELECT * FROM {READ} WHERE {where}") for where in FUNCTIONS}
    assert read == FUNCTIONS
    off = "iceberg('{p}', use_partition_pruning => false)"
    for where in FUNCTIONS:
        assert lake.rows(f"SELECT tag FROM {READ} WHERE {where} ORDER BY 1") == lake.rows(
            f"SELECT tag FROM {off} WHERE {where} ORDER BY 1"
        )


def test_partition_pruning_with_functions_before_epoch(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (ts TIMESTAMP, d DATE, tag INT) USING iceberg PARTITIONED BY (days(ts), years(d)) "
        "TBLPROPERTIES ('write.metadata.metrics.default' = 'none')",
        """INSERT INTO {t} SELECT TIMESTAMP(a), DATE(b), c FROM VALUES
        ('1969-11-15 07:00:00', '1969-11-15', 1), ('1969-12-31 23:00:00', '1970-01-01', 2),
        ('1970-01-01 00:30:00', '1971-06-01', 3), ('2024-01-20 10:00:00', '2024-01-20', 4) v(a, b, c)""",
    )
    # Before 1970, Iceberg also reads the next partition: some writers rounded towards 1970. Without bounds, a time
    # before 1970 that ends in .999999 may be in the partition before, so the files with such partitions are read.
    expected = {
        "to_date(ts) = DATE '1969-11-15'": 3,
        "to_date(ts) >= DATE '1970-01-01'": 4,
        "to_date(ts) < DATE '1970-01-01'": 3,
        "year(d) = 1969": 2,
        "year(d) >= 1971": 2,
    }
    assert {where: lake.files(f"SELECT * FROM {READ} WHERE {where}") for where in expected} == expected


def test_partition_pruning_with_subquery_set(lake: Lake) -> None:
    lake.run("CREATE TABLE {t} USING iceberg PARTITIONED BY (id) AS SELECT id, char(97 + id) AS data FROM range(20)")
    query = f"SELECT * FROM {READ} WHERE id IN (SELECT id FROM VALUES (2), (4) v(id)) ORDER BY id"
    assert lake.rows(query) == [(2, "c"), (4, "e")]
    assert lake.files(query) == 2


def test_partition_pruning_with_scalar_subquery(lake: Lake) -> None:
    lake.run("CREATE TABLE {t} USING iceberg PARTITIONED BY (id) AS SELECT id, char(97 + id) AS data FROM range(20)")
    query = f"SELECT * FROM {READ} WHERE id = (SELECT max(id) FROM VALUES (2), (4) v(id))"
    assert lake.rows(query) == [(4, "e")]
    assert lake.files(query) == 1


def test_manifest_list_partition_pruning(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (id INT, tag INT) USING iceberg PARTITIONED BY (tag)",
        *(f"INSERT INTO {{t}} VALUES ({n}, {n})" for n in range(3)),
    )
    read = metrics(lake.spark.sql(lake.filled(f"SELECT * FROM {READ} WHERE tag = 1")))
    assert (read["scannedDataManifests"], read["skippedDataManifests"]) == (1, 2)


def test_minmax_pruning_with_null(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (tag INT, time INT, s STRUCT<x: INT>) USING iceberg",
        "INSERT INTO {t} VALUES (1, 10, named_struct('x', 1))",
        "INSERT INTO {t} VALUES (2, NULL, NULL)",
        "INSERT INTO {t} VALUES (3, 30, named_struct('x', 3)), (4, NULL, NULL)",
    )
    expected = {"time > 20": 1, "time IS NULL": 2, "time IS NOT NULL": 2, "s.x = 3": 1, "s.x IS NULL": 2}
    assert {where: lake.files(f"SELECT * FROM {READ} WHERE {where}") for where in expected} == expected
    assert lake.rows(f"SELECT tag FROM {READ} WHERE time IS NULL ORDER BY 1") == [(2,), (4,)]


def test_minmax_pruning_for_arrays_and_maps_subfields_disabled(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (a ARRAY<INT>, m MAP<STRING, INT>) USING iceberg",
        "INSERT INTO {t} VALUES (array(1, 100), map('k', 1))",
        "INSERT INTO {t} VALUES (array(50), map('k', 2))",
    )
    assert lake.rows(f"SELECT a[0] FROM {READ} WHERE a[0] = 1") == [(1,)]
    assert lake.rows(f"SELECT a[0] FROM {READ} WHERE m['k'] = 2") == [(50,)]


@pytest.mark.parametrize("other", ["orc", "avro"])
def test_mixed_file_formats_subcolumns(lake: Lake, other: str) -> None:
    lake.run(
        "CREATE TABLE {t} (id INT, s STRUCT<a: INT, b: STRING>) USING iceberg",
        "INSERT INTO {t} VALUES (1, named_struct('a', 10, 'b', 'parquet'))",
        f"ALTER TABLE {{t}} SET TBLPROPERTIES ('write.format.default' = '{other}')",
        "INSERT INTO {t} VALUES (2, named_struct('a', 20, 'b', 'other'))",
    )
    assert lake.rows(f"SELECT id, s.a, s.b FROM {READ} ORDER BY id") == [(1, 10, "parquet"), (2, 20, "other")]
    assert lake.rows(f"SELECT id FROM {READ} WHERE s.b = 'other'") == [(2,)]
    assert lake.rows(f"SELECT count(*) FROM {READ} WHERE s.a > 0") == [(2,)]


# Files with room for another writer's.
LONG = "TBLPROPERTIES ('write.parquet.compression-codec' = 'uncompressed')"


def edited(lake: Lake, edit: Callable[[pa.Table], pa.Table]) -> None:
    """Write each data file again, edited, with the length that the manifest has."""
    for file in lake.path.glob("data/**/*.parquet"):
        size, table, padding = file.stat().st_size, edit(pq.ParquetFile(file).read().replace_schema_metadata()), 200
        for _ in range(4):
            with pq.ParquetWriter(file, table.schema, compression="zstd") as writer:
                writer.write_table(table)
                writer.add_key_value_metadata({"padding": "x" * padding})
            padding += size - file.stat().st_size
        assert file.stat().st_size == size
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def test_identity_partition_backfill(lake: Lake) -> None:
    lake.run(
        f"CREATE TABLE {{t}} (id BIGINT, region STRING, val STRING) USING iceberg PARTITIONED BY (region) {LONG}",
        "INSERT INTO {t} VALUES (1, 'East', repeat('a', 5000)), (2, 'West', repeat('b', 5000)), (3, 'East', 'c')",
    )
    edited(lake, lambda table: table.drop(["region"]))
    first = lake.rows("SELECT snapshot_id FROM iceberg_snapshots('{p}')")[0][0]
    assert lake.rows(f"SELECT id, region FROM {READ} ORDER BY id") == [(1, "East"), (2, "West"), (3, "East")]
    assert lake.rows(f"SELECT id FROM {READ} WHERE region = 'East' ORDER BY id") == [(1,), (3,)]
    assert lake.rows(f"SELECT region, count(*) FROM {READ} GROUP BY region ORDER BY 1") == [("East", 2), ("West", 1)]
    lake.run(
        "ALTER TABLE {t} DROP PARTITION FIELD region",
        "INSERT INTO {t} VALUES (4, 'East', 'd')",
        "ALTER TABLE {t} RENAME COLUMN region TO area",
    )
    assert lake.rows(f"SELECT id FROM {READ} WHERE area = 'East' ORDER BY id") == [(1,), (3,), (4,)]
    old = f"iceberg('{{p}}', snapshot_id => {first})"
    assert lake.rows(f"SELECT id, region FROM {old} WHERE region = 'East' ORDER BY id") == [(1, "East"), (3, "East")]


def test_dropped_column_still_in_data_file(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (id INT, gone STRING, kept STRING) USING iceberg",
        "INSERT INTO {t} VALUES (1, 'g', 'k')",
        "ALTER TABLE {t} DROP COLUMN gone",
        "INSERT INTO {t} VALUES (2, 'l')",
        "ALTER TABLE {t} ADD COLUMN gone INT",
    )
    assert lake.rows(f"SELECT * FROM {READ} ORDER BY id") == [(1, "k", None), (2, "l", None)]
    assert lake.rows(f"SELECT id FROM {READ} WHERE gone IS NULL ORDER BY id") == [(1,), (2,)]


def test_reserved_and_unassigned_field_ids(lake: Lake) -> None:
    """Iceberg reads by field id, so a column of any other id is left alone; ClickHouse refuses ids never assigned."""
    lake.run(
        f"CREATE TABLE {{t}} (x INT, y STRING) USING iceberg {LONG}",
        "INSERT INTO {t} SELECT id, uuid() FROM range(1, 99, 1, 1)",
    )
    for extra in (2147483540, 2147483447, 0):
        field = pa.field("extra", pa.int64(), metadata={b"PARQUET:field_id": str(extra).encode()})
        edited(lake, lambda table, field=field: table.select(["x"]).append_column(field, [list(range(len(table)))]))
        assert lake.rows(f"SELECT count(x), sum(x) FROM {READ}") == [(98, 4851)]


def test_schema_id_rebound_by_newer_metadata(lake: Lake) -> None:
    lake.run("CREATE TABLE {t} (c0 INT, c1 STRING) USING iceberg", "INSERT INTO {t} VALUES (1, 'a')")
    assert lake.rows(f"SELECT count(*) FROM {READ}") == [(1,)]
    newest = lake.path / "metadata" / "v2.metadata.json"
    metadata = json.loads(newest.read_text())
    metadata["schemas"][0]["fields"][0]["name"] = "c9"
    metadata["last-updated-ms"] += 60000
    newest.with_name("v3.metadata.json").write_text(json.dumps(metadata))
    assert lake.rows(f"SELECT c9, c1 FROM {READ} WHERE c9 = 1") == [(1, "a")]


def test_trivial_count_dangling_position_deletes(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (id BIGINT) USING iceberg TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')",
        "INSERT INTO {t} SELECT id FROM range(0, 5, 1, 1)",
        "DELETE FROM {t} WHERE id IN (1, 3)",
        f"CALL {lake.folder.name}.system.rewrite_data_files(table => 'db.t', options => map('rewrite-all', 'true', "
        "'remove-dangling-deletes', 'false'))",
    )
    assert lake.rows(f"SELECT count(*) FROM {READ}") == [(3,)]
    assert lake.rows(f"SELECT count(*), min(id), max(id) FROM {READ}") == [(3, 0, 4)]


VALUES = (
    "42, 4242, 42.5, 4242.25, 42.42, 42.42, 42.42, DATE '2020-01-01', TIMESTAMP '2020-01-01 20:00:00', 'hello', "
    "binary('hello'), array(1, 2, 3), map('key', 'value'), struct(42, 'hello'), "
    "array(struct(map('key', array(map('key', 42))), struct(42, 'hello')))"
)
COLUMNS = (
    "i INT, l BIGINT, f FLOAT, d DOUBLE, d1 DECIMAL(10, 3), d2 DECIMAL(20, 10), d3 DECIMAL(38, 30), day DATE, "
    "ts TIMESTAMP, s STRING, b BINARY, a ARRAY<INT>, m MAP<STRING, STRING>, st STRUCT<field1: INT, field2: STRING>, "
    "c ARRAY<STRUCT<field1: MAP<STRING, ARRAY<MAP<STRING, INT>>>, field2: STRUCT<field3: INT, field4: STRING>>>"
)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("file_format", ["parquet", "orc", "avro"])
def test_schema_inference(lake: Lake, file_format: str, version: int) -> None:
    lake.run(
        f"CREATE TABLE {{t}} ({COLUMNS}) USING iceberg "
        f"TBLPROPERTIES ('format-version' = '{version}', 'write.format.default' = '{file_format}')",
        f"INSERT INTO {{t}} SELECT {VALUES}",
    )
    assert lake.rows(f"DESCRIBE {READ}") == lake.rows("DESCRIBE {t}")
    assert lake.rows(f"SELECT * FROM {READ}") == lake.rows("SELECT * FROM {t}")
    assert lake.rows(f"SELECT i, d3, s FROM {READ} WHERE d3 > 42 AND ts < TIMESTAMP '2021-01-01'")


def test_dates(lake: Lake) -> None:
    days = [
        "0001-01-01",
        "1582-10-04",
        "1582-10-15",
        "1899-12-31",
        "1969-12-31",
        "2024-02-29",
        "2300-01-01",
        "9999-12-31",
    ]
    lake.run("CREATE TABLE {t} (d DATE) USING iceberg PARTITIONED BY (years(d))")
    lake.run(*(f"INSERT INTO {{t}} VALUES (DATE '{day}')" for day in days))
    assert [row[0] for row in lake.rows(f"SELECT CAST(d AS STRING) FROM {READ} ORDER BY d")] == days
    for at, day in enumerate(days):
        assert lake.rows(f"SELECT count(*) FROM {READ} WHERE d <= DATE '{day}'") == [(at + 1,)]


@pytest.mark.needs("variants")
def test_row_lineage(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (id BIGINT, data STRING) USING iceberg TBLPROPERTIES ('format-version' = '3')",
        "INSERT INTO {t} SELECT id, 'a' FROM range(0, 4, 1, 1)",
        "UPDATE {t} SET data = 'z' WHERE id = 1",
    )
    lineage = "SELECT id, _row_id, _last_updated_sequence_number FROM {0} ORDER BY id"
    assert lake.rows(lineage.format(READ)) == [(0, 0, 1), (1, 1, 2), (2, 2, 1), (3, 3, 1)]
    lake.run("INSERT INTO {t} VALUES (4, 'b')")
    assert lake.rows(f"SELECT id, _row_id FROM {READ} WHERE _row_id = 2") == [(2, 2)]
    assert lake.files(f"SELECT id FROM {READ} WHERE _row_id = 2") == 2  # ClickHouse prunes by it
    assert lake.rows(lineage.format(READ)) == lake.rows(lineage.format("{t}"))


@pytest.mark.needs("variants")
def test_variant_type(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (id INT, v VARIANT) USING iceberg TBLPROPERTIES ('format-version' = '3')",
        """INSERT INTO {t} VALUES (1, parse_json('{"a": 5}'))""",
    )
    assert lake.rows(f"SELECT variant_get(v, '$.a', 'int') FROM {READ}") == [(5,)]


def test_iceberg_history_summary(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {t} (a INT) USING iceberg",
        "INSERT INTO {t} SELECT id FROM range(0, 100, 1, 1)",
        "INSERT INTO {t} SELECT id FROM range(100, 150, 1, 1)",
        f"CALL {lake.folder.name}.system.rewrite_data_files(table => 'db.t', options => map('min-input-files', '2'))",
        "INSERT OVERWRITE {t} VALUES (1)",
        "DELETE FROM {t} WHERE a >= 0",
    )
    actual = lake.rows(
        "SELECT operation, summary['added-records'], summary['deleted-records'], summary['total-records'] "
        "FROM iceberg_snapshots('{p}') ORDER BY committed_at"
    )
    assert actual == [
        ("append", "100", None, "100"),
        ("append", "50", None, "150"),
        ("replace", "150", "150", "150"),
        ("overwrite", "1", "150", "1"),
        ("delete", None, "1", "0"),
    ]


Append = tuple[list[int], list[str], list[str]]


def written(lake: Lake, *appends: Append) -> None:
    """A table that pyiceberg writes: ids, a uuid and decimals of every width, a file for each append."""
    pytest.importorskip("pyiceberg")
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.schema import Schema
    from pyiceberg.types import DecimalType, LongType, NestedField, UUIDType

    catalog = SqlCatalog("own", uri=f"sqlite:///{lake.folder}/catalog.db", warehouse=f"file://{lake.folder}")
    catalog.create_namespace("db")
    widths = {"d32": (9, 2), "d64": (18, 4), "d128": (38, 30)}
    columns = [("id", LongType()), ("u", UUIDType()), *((name, DecimalType(*width)) for name, width in widths.items())]
    fields = [NestedField(at + 1, name, kind, required=False) for at, (name, kind) in enumerate(columns)]
    table = catalog.create_table("db.t", Schema(*fields), location=f"file://{lake.path}")
    schema = pa.schema(
        [("id", pa.int64()), ("u", pa.uuid()), *((name, pa.decimal128(*width)) for name, width in widths.items())]
    )
    for ids, values, numbers in appends:
        decimals = [[decimal.Decimal(number)] * len(ids) for number in numbers]
        table.append(pa.table([ids, [uuid.UUID(value).bytes for value in values], *decimals], schema=schema))


A = "00000000-0000-0000-0000-000000000001"
C = "00000000-0000-0000-ffff-ffffffffffff"
B = "00000001-0000-0000-0000-000000000002"
D = "00000002-0000-0000-0000-000000000003"


@pytest.fixture
def foreign(lake: Lake) -> Lake:
    written(
        lake,
        ([1, 2, 3], [A, C, B], ["1.23", "-2.5", "42.42"]),
        ([4], [D], ["-99.99", "1234.5678", "-7.5"]),
        ([5], [D], ["50", "0.0001", "0.000000000000000000000000000001"]),
    )
    return lake


def test_iceberg_uuid_manifest_bounds(foreign: Lake) -> None:
    for value, ids in ((A, [1]), (C, [2]), (B, [3]), (D, [4, 5])):
        actual = foreign.rows(f"SELECT id FROM {READ} WHERE u = '{value}' ORDER BY id")
        assert [row[0] for row in actual] == ids
    assert foreign.files(f"SELECT * FROM {READ} WHERE id < 4") == 1
    for where, ids in {"u > '{A}'": [2, 3, 4, 5], "u <= '{C}'": [1, 2], "u IN ('{B}', '{D}')": [3, 4, 5]}.items():
        condition = where.format(A=A, B=B, C=C, D=D)
        assert [row[0] for row in foreign.rows(f"SELECT id FROM {READ} WHERE {condition} ORDER BY id")] == ids


def test_uuids_by_time_still_prune(lake: Lake) -> None:
    """Of versions 1 and 7, Iceberg's order is that of the bytes for centuries."""
    values = [f"019{n}0000-1234-7abc-8def-{n:012x}" for n in range(8)]
    written(lake, *(([n], values[n : n + 1], ["0", "0", "0"]) for n in range(8)))
    written_at = f"SELECT id FROM {READ} WHERE "
    assert (lake.files(f"{written_at}u = '{values[5]}'"), lake.rows(f"{written_at}u = '{values[5]}'")) == (1, [(5,)])
    assert lake.files(f"{written_at}u IN ('{values[5]}', '{values[2]}')") == 2
    assert len(lake.rows(f"{written_at}u < 'ffffffff-0000-4000-8000-000000000000'")) == 8


def test_decimal_bounds(foreign: Lake) -> None:
    for where, ids in {
        "d32 > 0": [1, 2, 3, 5],
        "d64 < 0": [1, 2, 3],
        "d128 > 1": [1, 2, 3],
        "d128 < 0": [4],
        "d128 BETWEEN 0 AND 1": [5],
    }.items():
        assert [row[0] for row in foreign.rows(f"SELECT id FROM {READ} WHERE {where} ORDER BY id")] == ids, where
    assert foreign.files(f"SELECT * FROM {READ} WHERE d128 > 1000") == 0


def test_concurrent_reads(lake: Lake) -> None:
    lake.run("CREATE TABLE {t} (a INT) USING iceberg", "INSERT INTO {t} VALUES (0)")

    def read(_: int) -> list[int]:
        return sorted(int(str(row[0])) for row in lake.rows(f"SELECT a FROM {READ}"))

    with ThreadPoolExecutor(3) as pool:
        reads = pool.map(read, range(6))
        for n in range(1, 4):
            lake.run(f"INSERT INTO {{t}} VALUES ({n})")
        assert all(keys == list(range(len(keys))) for keys in reads)
    assert read(0) == [0, 1, 2, 3]


# ------------------------------------------------------------------------------ metadata of other writers


def rewrite(lake: Lake, edit: Callable[[dict[str, Any]], object], *dropped: str) -> None:
    """Write each manifest again, each entry edited, without some keys of its header, and its new length."""
    for file in lake.path.glob("metadata/.*.crc"):
        file.unlink()
    lists = set(lake.path.glob("metadata/snap-*.avro"))

    def measure(entry: dict[str, Any]) -> None:
        entry["manifest_length"] = Path(entry["manifest_path"].removeprefix("file:")).stat().st_size

    for file in sorted(lake.path.glob("metadata/*.avro"), key=lambda path: path in lists):
        with file.open("rb") as stream:
            reader = fastavro.reader(stream)
            entries, header = [*reader], dict(reader.metadata)
        schema = json.loads(header["avro.schema"])
        for entry in entries:
            (measure if file in lists else edit)(entry)
        kept = {key: value for key, value in header.items() if not key.startswith("avro.") and key not in dropped}
        with file.open("wb") as stream:
            fastavro.writer(stream, schema, entries, metadata=kept)


DELETES = "TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', 'write.delete.granularity' = 'partition')"


@pytest.mark.parametrize("is_inverted", [False, True])
def test_iceberg_inverted_delete_bounds(lake: Lake, is_inverted: bool) -> None:
    """Bounds of a delete file's paths that describe no range: the deleted rows stay deleted."""
    lake.run(
        f"CREATE TABLE {{t}} (a BIGINT) USING iceberg {DELETES}",
        *(f"INSERT INTO {{t}} SELECT id FROM range({start}, {start + 10}, 1, 1)" for start in (0, 10)),
        "DELETE FROM {t} WHERE a % 2 = 0",
    )
    data = sorted(str(file) for file in lake.path.glob("data/*.parquet") if "deletes" not in file.name)
    bounds = [path.encode() for path in sorted(data, reverse=is_inverted)]
    edited_files = []

    def set_bounds(entry: dict[str, Any]) -> None:
        file = entry["data_file"]
        if file["content"] == 1:
            edited_files.append(file)
            for side, bound in zip(("lower_bounds", "upper_bounds"), bounds, strict=True):
                file[side] = [{"key": 2147483546, "value": bound}]

    rewrite(lake, set_bounds)
    assert (len(data), len(edited_files)) == (2, 1)
    assert lake.rows(f"SELECT a FROM {READ} ORDER BY a") == [(a,) for a in range(1, 20, 2)]
    assert lake.rows(f"SELECT count(*) FROM {READ}") == [(10,)]


def test_manifest_length_cache_weight(lake: Lake) -> None:
    lake.run("CREATE TABLE {t} (x INT) USING iceberg", "INSERT INTO {t} SELECT id FROM range(1, 4, 1, 1)")
    (manifest_list,) = lake.path.glob("metadata/snap-*.avro")
    rewrite(lake, lambda _: None)
    with manifest_list.open("rb") as stream:
        reader = fastavro.reader(stream)
        (entry,), schema = [*reader], json.loads(reader.metadata["avro.schema"])
    with manifest_list.open("wb") as stream:
        fastavro.writer(stream, schema, [{**entry, "manifest_length": 2**62}])
    assert lake.rows(f"SELECT count(*), sum(x) FROM {READ}") == [(3, 6)]


def test_bounds_that_are_too_wide(lake: Lake) -> None:
    """ClickHouse before September 2026 wrote the bounds of `int` and `date` in 8 bytes."""
    lake.run(
        "CREATE TABLE {t} (i INT, d DATE) USING iceberg",
        "INSERT INTO {t} VALUES (42, DATE '1950-01-01')",
        "INSERT INTO {t} VALUES (-7, DATE '2024-06-01')",
    )

    def widen(entry: dict[str, Any]) -> None:
        for side in ("lower_bounds", "upper_bounds"):
            for bound in entry["data_file"][side]:
                bound["value"] = struct.pack("<q", *struct.unpack("<i", bound["value"]))

    rewrite(lake, widen)
    for where, row in {"i = 42": 42, "i < 0": -7, "d = DATE '1950-01-01'": 42, "d > DATE '2000-01-01'": -7}.items():
        query = f"SELECT i FROM {READ} WHERE {where}"
        assert (lake.rows(query), lake.files(query)) == ([(row,)], 1), where
    assert lake.rows(f"SELECT min(i), max(year(d)) FROM {READ}") == [(-7, 2024)]


@pytest.mark.needs("variants")
def test_deletion_vectors_databricks_uniform(lake: Lake) -> None:
    """A deletion vector in a file of Delta Lake: a byte of the version before it, and no Puffin file around it."""
    lake.run(
        "CREATE TABLE {t} (id BIGINT) USING iceberg "
        "TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read')",
        "INSERT INTO {t} SELECT id FROM range(1, 101, 1, 1)",
        "DELETE FROM {t} WHERE id <= 10",
    )
    (puffin,) = lake.path.glob("data/*.puffin")
    delta = lake.path / "deletion_vector_1.bin"
    moved_files = []

    def move(entry: dict[str, Any]) -> None:
        file = entry["data_file"]
        if file["content"] == 1:
            moved_files.append(file)
            start = file["content_offset"]
            delta.write_bytes(b"\x01" + puffin.read_bytes()[start : start + file["content_size_in_bytes"]])
            file.update(file_path=str(delta), file_size_in_bytes=delta.stat().st_size, content_offset=1)

    rewrite(lake, move)
    puffin.unlink()
    assert len(moved_files) == 1
    assert lake.rows(f"SELECT count(*), min(id), max(id) FROM {READ}") == [(90, 11, 100)]
    assert lake.rows(f"SELECT count(*) FROM {READ}") == [(90,)]


@pytest.mark.parametrize("version", [1, 2])
def test_format_version_upgrade(lake: Lake, version: int) -> None:
    """Manifests without `format-version`, as old versions of ClickHouse write them, of a table upgraded by hand."""
    properties = f"('format-version' = '{version}', 'write.delete.mode' = 'merge-on-read')"
    lake.run(
        f"CREATE TABLE {{t}} (x INT) USING iceberg TBLPROPERTIES {properties}",
        "INSERT INTO {t} SELECT id FROM range(1, 5, 1, 1)",
    )
    if version == 2:
        lake.run("DELETE FROM {t} WHERE x = 4")
    rewrite(lake, lambda _: None, "format-version")
    rows = [[(10, 4)], [(6, 3)]][version - 1]
    assert lake.rows(f"SELECT sum(x), count(*) FROM {READ}") == rows
    if version == 1:
        newest = lake.path / "metadata" / "v2.metadata.json"
        metadata = json.loads(newest.read_text())
        metadata.update({"format-version": 2, "last-sequence-number": 0})
        newest.with_name("v3.metadata.json").write_text(json.dumps(metadata))
        assert lake.rows(f"SELECT sum(x), count(*) FROM {READ}") == rows
    lake.run("CREATE TABLE {n} ENGINE = IcebergLocal('{p}')", "INSERT INTO {n} VALUES (10)")
    lake.run("ALTER TABLE {n} EXECUTE remove_orphan_files(older_than = '2024-01-01 00:00:00', dry_run = 1)")
    assert lake.rows(f"SELECT sum(x), count(*) FROM {READ}") == [(rows[0][0] + 10, rows[0][1] + 1)]


def test_iceberg_history_large_summary(lake: Lake) -> None:
    lake.run("CREATE TABLE {t} (x INT) USING iceberg", "INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)")
    newest = lake.path / "metadata" / "v3.metadata.json"
    metadata = json.loads(newest.read_text())
    metadata["snapshots"][0]["summary"]["added-records"] = "6986350573"
    del metadata["snapshots"][1]["summary"]["added-files-size"], metadata["snapshot-log"]
    newest.with_name("v4.metadata.json").write_text(json.dumps(metadata))
    numbers = "summary['added-records'], summary['added-files-size'] IS NULL"
    snapshots = lake.rows(f"SELECT {numbers} FROM iceberg_snapshots('{{p}}') ORDER BY committed_at")
    assert snapshots == [("6986350573", False), ("1", True)]
    assert lake.rows("SELECT count(*) FROM iceberg_history('{p}')") == [(0,)]  # the snapshot log as it is


# ------------------------------------------------------------------------------ schema evolution


EVOLUTIONS = {
    "array_of_struct": (
        "ARRAY<STRUCT<a: INT, b: INT>>",
        "array(named_struct('a', 1, 'b', 2))",
        ("ADD COLUMN c.element.d STRING", "DROP COLUMN c.element.a", "RENAME COLUMN c.element.b TO e"),
        "to_json(c)",
        ['[{"e":2}]'],
    ),
    "map_of_struct": (
        "MAP<STRING, STRUCT<a: INT>>",
        "map('k', named_struct('a', 1))",
        ("ADD COLUMN c.value.d STRING", "ALTER COLUMN c.value.a TYPE BIGINT"),
        "to_json(c)",
        ['{"k":{"a":1}}'],
    ),
    "struct_of_array_and_map": (
        "STRUCT<a: ARRAY<INT>, m: MAP<STRING, INT>>",
        "named_struct('a', array(1), 'm', map('k', 2))",
        ("ALTER COLUMN c.a.element TYPE BIGINT", "ALTER COLUMN c.m.value TYPE BIGINT", "ADD COLUMN c.x INT FIRST"),
        "to_json(c)",
        ['{"a":[1],"m":{"k":2}}'],
    ),
    "map_of_array_of_map": (
        "MAP<STRING, ARRAY<MAP<STRING, INT>>>",
        "map('k', array(map('l', 1)))",
        ("ALTER COLUMN c.value.element.value TYPE BIGINT",),
        "to_json(c)",
        ['{"k":[{"l":1}]}'],
    ),
    "struct_of_struct": (
        "STRUCT<a: STRUCT<b: INT, d: INT>>",
        "named_struct('a', named_struct('b', 1, 'd', 2))",
        ("DROP COLUMN c.a.b", "ADD COLUMN c.a.b STRING", "RENAME COLUMN c.a.d TO e"),
        "to_json(c)",
        ['{"a":{"e":2}}'],
    ),
}


@pytest.mark.parametrize("file_format", ["parquet", "orc", "avro"])
@pytest.mark.parametrize("case", EVOLUTIONS)
def test_schema_evolution(lake: Lake, case: str, file_format: str) -> None:
    kind, value, changes, query, expected = EVOLUTIONS[case]
    lake.run(
        f"CREATE TABLE {{t}} (id INT, c {kind}) USING iceberg TBLPROPERTIES ('write.format.default' = '{file_format}')",
        f"INSERT INTO {{t}} VALUES (1, {value})",
        *(f"ALTER TABLE {{t}} {change}" for change in changes),
    )
    assert [row[0] for row in lake.rows(f"SELECT {query} FROM {READ}")] == expected
    first = lake.rows("SELECT snapshot_id FROM iceberg_snapshots('{p}')")[0][0]
    old = f"SELECT to_json(c) FROM iceberg('{{p}}', snapshot_id => {first})"
    assert lake.rows(old) == lake.rows(f"SELECT to_json({value})")


# ------------------------------------------------------------------------------ writing, in ClickHouse's syntax


def test_writes_create_table(lake: Lake) -> None:
    lake.run("CREATE TABLE {n} (x String) ENGINE = IcebergLocal('{p}')")
    with pytest.raises(REFUSED, match="already"):
        lake.run("CREATE TABLE {n} (x String) ENGINE = IcebergLocal('{p}')")
    lake.run("CREATE TABLE IF NOT EXISTS {n} (x String) ENGINE = IcebergLocal('{p}')")
    assert lake.rows("SELECT * FROM {n}") == []
    lake.run("INSERT INTO {n} VALUES (123)", "INSERT INTO {n} VALUES (456)")
    assert lake.rows(f"SELECT * FROM {READ} ORDER BY ALL") == [("123",), ("456",)]
    lake.run("DROP TABLE IF EXISTS {n}", "DROP TABLE IF EXISTS {n}")
    assert lake.rows(f"SELECT count(*) FROM {READ}") == [(2,)]  # files stay, as in ClickHouse


@pytest.mark.parametrize(
    ("clause", "transforms"),
    [
        ("y", ["identity"]),
        ("identity(y)", ["identity"]),
        ("(identity(y))", ["identity"]),
        ("icebergTruncate(3, y)", ["truncate[3]"]),
        ("(identity(y), icebergBucket(3, x))", ["identity", "bucket[3]"]),
        ("(x, y)", ["identity", "identity"]),
        ("toYearNumSinceEpoch(d)", ["year"]),
        ("toMonthNumSinceEpoch(d)", ["month"]),
        ("toRelativeDayNum(d)", ["day"]),
        ("toRelativeHourNum(at)", ["hour"]),
    ],
)
def test_writes_create_partitioned_table(lake: Lake, clause: str, transforms: list[str]) -> None:
    lake.run(
        f"CREATE TABLE {{n}} (x String, y Int64, d Date, at DateTime64(6, 'UTC')) ENGINE = IcebergLocal('{{p}}') "
        f"PARTITION BY {clause}",
        "INSERT INTO {n} VALUES ('123', 1, DATE '2025-08-28', TIMESTAMP '2025-08-28 01:02:03')",
    )
    actual = lake.rows("SELECT transform FROM iceberg_partition_specs('{p}')")
    assert [row[0] for row in actual] == transforms
    assert lake.rows(f"SELECT x, y FROM {READ}") == [("123", 1)]


def test_writes_complex_type(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {n} (x Array(Nullable(Int32)), z Map(Int32, Nullable(Int64)), "
        "y Tuple(zip Nullable(Int32), foo Nullable(Int32)), l LowCardinality(String)) ENGINE = IcebergLocal('{p}')",
        "INSERT INTO {n} VALUES (array(1, 2), map(5, 6), named_struct('zip', 3, 'foo', 4), 'few')",
    )
    assert lake.rows(f"SELECT x, z, y.zip, y.foo, l FROM {READ}") == [([1, 2], {5: 6}, 3, 4, "few")]


@pytest.mark.parametrize("clause", ["", "PARTITION BY identity(x)", "PARTITION BY icebergBucket(3, x)"])
def test_writes_mutate_update(lake: Lake, clause: str) -> None:
    lake.run(
        f"CREATE TABLE {{n}} (x String, y Int32) ENGINE = IcebergLocal('{{p}}') {clause}",
        "INSERT INTO {n} VALUES ('123', 1), ('456', 2)",
        "INSERT INTO {n} VALUES ('999', 3)",
        "ALTER TABLE {n} UPDATE x = '777' WHERE x = '123'",
        "ALTER TABLE {n} UPDATE x = 'goshan dr' WHERE x = '777';",
        "ALTER TABLE {n} UPDATE x = 'pudge' WHERE y = 2",
        "ALTER TABLE {n} DELETE WHERE y = 3",
    )
    assert lake.rows(f"SELECT * FROM {READ} ORDER BY ALL") == [("goshan dr", 1), ("pudge", 2)]
    lake.run("TRUNCATE TABLE {n}", "INSERT INTO {n} VALUES ('a', 4)", "OPTIMIZE TABLE {n}")
    assert lake.rows(f"SELECT * FROM {READ}") == [("a", 4)]


def test_writes_schema_evolution(lake: Lake) -> None:
    lake.run("CREATE TABLE {n} (x Nullable(Int32)) ENGINE = IcebergLocal('{p}')")
    with pytest.raises(REFUSED, match="`x` is nullable"):
        lake.run("ALTER TABLE {n} MODIFY COLUMN x Int64;")
    lake.run(
        "ALTER TABLE {n} MODIFY COLUMN x Nullable(Int64);",
        "INSERT INTO {n} VALUES (123);",
        "ALTER TABLE {n} ADD COLUMN y Nullable(Float64);",
        "INSERT INTO {n} VALUES (124, 4.5)",
        "ALTER TABLE {n} DROP COLUMN x;",
        "ALTER TABLE {n} RENAME COLUMN y TO z",
        "ALTER TABLE {n} ADD COLUMN flag Nullable(Bool)",
        "ALTER TABLE {n} ADD COLUMN price Nullable(Decimal(10, 2));",
        "INSERT INTO {n} VALUES (1, true, 99.95)",
    )
    expected = [(None, None, None), (1.0, True, "99.95"), (4.5, None, None)]
    assert lake.rows(f"SELECT z, flag, CAST(price AS STRING) FROM {READ} ORDER BY z") == expected
    for refused, message in {
        "ALTER TABLE {n} RENAME COLUMN nope TO other": "nope",
        "ALTER TABLE {n} RENAME COLUMN flag TO z": "z",
        "ALTER TABLE {n} ADD COLUMN bad Int32": "nullable",
        "ALTER TABLE {n} ADD COLUMN flag Nullable(Int32)": "flag",
        "ALTER TABLE {n} MODIFY COLUMN flag Nullable(Int64)": "flag",
        "ALTER TABLE {n} MODIFY COLUMN z Nullable(UInt32)": "UInt32",
        "ALTER TABLE {n} DROP COLUMN nope": "nope",
    }.items():
        with pytest.raises(REFUSED, match=message):
            lake.run(refused)
    lake.run("ALTER TABLE {n} MODIFY COLUMN flag Nullable(Bool)")
    assert lake.rows(f"SELECT count(*) FROM {READ}") == [(3,)]


@pytest.mark.parametrize("version", swept([2, 1], 2))
def test_writes_from_zero(lake: Lake, version: int) -> None:
    """Of a table that Spark has created, with rows of both."""
    lake.run(
        f"CREATE TABLE {{t}} (id INT) USING iceberg TBLPROPERTIES ('format-version' = '{version}')",
        "INSERT INTO FUNCTION icebergLocal('{p}') VALUES (123)",
        "INSERT INTO {t} VALUES (42)",
        "INSERT INTO FUNCTION icebergLocal('{p}') VALUES (456)",
    )
    assert lake.rows(f"SELECT * FROM {READ} ORDER BY ALL") == [(42,), (123,), (456,)]
    assert lake.rows("SELECT count(*) FROM {t}") == [(3,)]


def test_writes_nullable_bugs2(lake: Lake) -> None:
    lake.run(
        "CREATE TABLE {n} (c0 Nullable(String)) ENGINE = IcebergLocal('{p}') PARTITION BY (c0)",
        "INSERT INTO {n} VALUES (NULL), ('b'), ('a')",
    )
    assert lake.rows(f"SELECT * FROM {READ} ORDER BY ALL NULLS LAST") == [("a",), ("b",), (None,)]


@pytest.mark.parametrize("column_type", ["DateTime64(6)", "DateTime64(6, 'UTC')"])
def test_writes_partition_transforms_utc(lake: Lake, column_type: str) -> None:
    """Partitions are of UTC, whatever the session's zone is, also before 1970."""
    terms = "icebergYear(y), icebergMonth(m), icebergDay(d), icebergHour(h)"
    columns = ", ".join(f"{name} {column_type}" for name in "ymdh")
    lake.run(f"CREATE TABLE {{n}} ({columns}, i Int64) ENGINE = IcebergLocal('{{p}}') PARTITION BY ({terms})")
    literal = "TIMESTAMP" if "UTC" in column_type else "TIMESTAMP_NTZ"
    zone = "+00:00" if "UTC" in column_type else ""
    lake.spark.conf.set("spark.sql.session.timeZone", "Asia/Kolkata")
    try:
        for i, at in ((1, "2023-12-31 22:00:00.000001"), (2, "1969-12-31 00:00:00.000001")):
            time = f"{literal} '{at}{zone}'"
            lake.run(f"INSERT INTO {{n}} VALUES ({time}, {time}, {time}, {time}, {i})")
            assert lake.rows(f"SELECT i FROM {READ} WHERE d = {time}") == [(i,)]
        partitions = lake.rows("SELECT partition.*, record_count FROM iceberg_partitions('{p}') ORDER BY 1")
        assert [(*row[:2], str(row[2]), *row[3:]) for row in partitions] == [
            (-1, -1, "1969-12-31", -24, 1),
            (53, 647, "2023-12-31", 473350, 1),
        ]
        assert lake.rows(f"SELECT {terms} FROM {READ} ORDER BY i") == [(53, 647, 19722, 473350), (-1, -1, -1, -24)]
        assert lake.rows(f"SELECT DISTINCT typeof(d) FROM {READ}") == [(literal.lower(),)]
    finally:
        lake.spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_writes_optimize_after_rename(lake: Lake) -> None:
    """Old files have the rows of the renamed column, and old snapshots those of the dropped one."""
    lake.run(
        "CREATE TABLE {n} (part Int32, id Int32, v Nullable(String), w Nullable(String)) "
        "ENGINE = IcebergLocal('{p}') PARTITION BY part",
        "INSERT INTO {n} VALUES (0, 1, 'a', 'x'), (0, 2, 'b', 'x'), (1, 3, 'c', 'x')",
        "INSERT INTO {n} VALUES (0, 4, 'd', 'x'), (1, 5, 'e', 'x')",
        "ALTER TABLE {n} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')",
    )
    old = lake.rows("SELECT max_by(snapshot_id, committed_at) FROM iceberg_snapshots('{p}')")[0][0]
    lake.run("DELETE FROM {n} WHERE id = 2", "ALTER TABLE {n} RENAME COLUMN v TO label")
    lake.run("ALTER TABLE {n} DROP COLUMN w", "OPTIMIZE TABLE {n}", "INSERT INTO {n} VALUES (1, 6, 'f')")
    assert lake.rows(f"SELECT id, label FROM {READ} ORDER BY id") == [*zip((1, 3, 4, 5, 6), "acdef", strict=True)]
    assert lake.rows("SELECT transform FROM iceberg_partition_specs('{p}')") == [("identity",)]
    before = f"SELECT id, v, w FROM iceberg('{{p}}', snapshot_id => {old}) ORDER BY id"
    assert lake.rows(before) == [(id_, v, "x") for id_, v in enumerate("abcde", 1)]


def test_drop_delete_data_on_drop(lake: Lake) -> None:
    lake.run("CREATE TABLE {n} (x String) ENGINE = IcebergLocal('{p}')", "INSERT INTO {n} VALUES ('a')")
    with pytest.raises(
        REFUSED, match=r"is not supported\nhelp: write DROP TABLE .* to keep the files, or DROP TABLE .* PURGE"
    ):
        lake.run("DROP TABLE {n} SYNC SETTINGS iceberg_delete_data_on_drop = 1")
    lake.run("DROP TABLE {n} SYNC")
    assert lake.rows(f"SELECT * FROM {READ}") == [("a",)]
    lake.run("CREATE TABLE {n} ENGINE = IcebergLocal('{p}')", "DROP TABLE {n} PURGE")
    assert not list(lake.path.glob("data/*.parquet"))


def test_position_deletes_row_numbers(lake: Lake) -> None:
    lake.run("CREATE TABLE {n} (c0 Int32) ENGINE = IcebergLocal('{p}')", "INSERT INTO {n} VALUES (1)")
    lake.run("ALTER TABLE {n} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    lake.run("ALTER TABLE {n} DELETE WHERE c0 = 1")
    with pytest.warns(IcebergSqlWarning, match=r"the format ORC is ignored: .*`?write.format.default"):
        lake.run("INSERT INTO FUNCTION icebergLocal('{p}', format = 'ORC') SELECT 2")
    lake.run("ALTER TABLE {n} SET TBLPROPERTIES ('write.format.default' = 'orc')", "INSERT INTO {n} VALUES (3)")
    with pytest.warns(IcebergSqlWarning, match="SETTINGS allow_experimental_iceberg_compaction is ignored"):
        lake.run("OPTIMIZE TABLE {n} SETTINGS allow_experimental_iceberg_compaction = 1")
    assert lake.rows(f"SELECT * FROM {READ} ORDER BY 1") == [(2,), (3,)]


def test_writes_with_snappy_compression_metadata(lake: Lake) -> None:
    lake.run("CREATE TABLE {t} (x INT) USING iceberg", "INSERT INTO {t} VALUES (1)")
    (lake.path / "metadata" / "v3.snappy.metadata.json").write_bytes(b"\x00\x00\x01\x00\x00\x00\x00\x80")
    with pytest.raises(REFUSED, match="the compression in its name is snappy, and Iceberg reads gzip only; other"):
        lake.rows(f"SELECT * FROM {READ}")


def test_mutation_table_replaced_in_place(lake: Lake) -> None:
    """A name is of the table that it was given to; the folder is of the table that is there."""
    create = "CREATE TABLE {n} (x String, y Int64) ENGINE = IcebergLocal('{p}')"
    lake.run(create, "INSERT INTO {n} VALUES ('old', 1)")
    shutil.rmtree(lake.path)
    lake.run("CREATE TABLE {t} (x STRING, y BIGINT) USING iceberg", "INSERT INTO {t} VALUES ('new', 2), ('new', 3)")
    for statement in ("DELETE FROM {n} WHERE y = 2", "OPTIMIZE TABLE {n}", "INSERT INTO {n} VALUES ('other', 4)"):
        with pytest.raises(REFUSED, match="not the one that was attached; attach it again"):
            lake.run(statement)
    assert lake.rows(f"SELECT * FROM {READ} ORDER BY y") == [("new", 2), ("new", 3)]
    lake.run("INSERT INTO FUNCTION icebergLocal('{p}') VALUES ('other', 4)")
    assert len(lake.rows(f"SELECT * FROM {READ}")) == 3
