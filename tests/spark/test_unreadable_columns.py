"""Columns of types that Spark does not support: the others are read; these are skipped or refused."""

from __future__ import annotations

import datetime
import warnings
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from unreadable import FIELDS, GEOMETRY, WIDTHS, WKB, make


@pytest.fixture(scope="module")
def path(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table written by Iceberg's own writer, as Flink would: the second row has only its id."""
    folder = str(tmp_path_factory.mktemp("unreadable") / "t")
    make(spark, folder, FIELDS)
    return folder


def test_they_are_skipped_and_named(spark: SparkSession, path: str) -> None:
    with pytest.warns(UserWarning, match="for which Spark has no type") as caught:
        rows = spark.sql(f"SELECT * FROM iceberg('{path}') ORDER BY id")
    assert rows.columns == ["id", "name"]
    assert [tuple(r) for r in rows.collect()] == [(1, "first"), (2, None)]
    message = str(caught[0].message)
    names = "`at` (time), `made ns` (timestamp_ns), `seen` (timestamptz_ns), "
    names += "`shape` (geometry(srid:3857)), " if GEOMETRY else ""
    assert names + "`part.t` (time), `times.element` (time)" in message
    # Iceberg's reader of nested columns reads all columns of the file.
    assert message.endswith(
        "and without `part`, `times`: nested columns cannot be read from files with such columns; "
        "write columns => 'string' to read all columns, these as text"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        silent = spark.sql(f"SELECT id, name FROM iceberg('{path}', columns => 'skip') ORDER BY id")
        assert [r.id for r in silent.collect()] == [1, 2]


def test_they_are_refused(spark: SparkSession, path: str, tmp_path: Path) -> None:
    with pytest.raises(AnalysisException, match="Spark has no type for `at` \\(time\\), `made ns`"):
        spark.sql(f"SELECT * FROM iceberg('{path}', columns => 'error')")
    with pytest.raises(AnalysisException, match="is not one of skip, string, error"):
        spark.sql(f"SELECT * FROM iceberg('{path}', columns => 'no')")
    avro = str(tmp_path / "avro")
    make(spark, avro, [("id", "int"), ("at", "time")], "AVRO")
    with pytest.raises(AnalysisException, match="has Avro files, which cannot be read without `at`"):
        spark.sql(f"SELECT id FROM iceberg('{avro}')")
    assert spark.sql(f"SELECT record_count FROM iceberg_files('{avro}', columns => 'skip')").count()
    only = str(tmp_path / "only")
    make(spark, only, [("id", "int")])
    assert spark.sql(f"SELECT * FROM iceberg('{only}', columns => 'error')").count() == 2


EDGES = (0, 1, 999_999, 43_200_000_000, 86_399_999_999)  # microseconds of a day
NANOS = (0, 1, -1, 10**9, -(10**9), 123_456_789_012_345_678, 2**63 - 1, -(2**63))


def text_of(nanos: int) -> str:
    """A time as Spark writes it, from nanoseconds since 1970."""
    day = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=nanos // 10**9)
    return f"{day:%Y-%m-%d %H:%M:%S}.{nanos % 10**9:09}".rstrip("0").removesuffix(".")


@pytest.mark.parametrize("kind", ["PARQUET", "ORC", "AVRO"])
def test_as_text(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    """Every value of every column, nested ones too, beside pyiceberg's; with deletes, filters and hidden columns."""
    folder, time = str(tmp_path / "t"), spark._jvm.java.time  # type: ignore[union-attr]
    zone, fields = time.ZoneOffset.UTC, [f for f in FIELDS if f[0] != "shape"]
    timestamps = [time.LocalDateTime.ofEpochSecond(n // 10**9, n % 10**9, zone) for n in NANOS]
    rows = [
        {
            "id": n,
            "at": time.LocalTime.ofNanoOfDay(EDGES[n % len(EDGES)] * 1000),
            "made ns": timestamps[n],
            "seen": timestamps[n].atOffset(zone),
            "times": [time.LocalTime.ofNanoOfDay(EDGES[n % len(EDGES)] * 1000), None],
            "name": f"n{n}",
        }
        for n in range(len(NANOS))
    ]
    make(spark, folder, fields, kind, rows=[*rows, {"id": 98}, {"id": 99}], deleted=[3, 98])
    call = f"iceberg('{folder}', columns => 'string')"
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        rows_by_id = {row.id: row for row in spark.sql(f"SELECT * FROM {call}").collect()}
    assert sorted(rows_by_id) == [0, 1, 2, 4, 5, 6, 7, 99]
    for n, nanos in enumerate(NANOS):
        if n == 3 or (kind == "ORC" and nanos == -1):
            continue  # deleted; ORC's library has the last second before 1970 one second late, in every timestamp
        row, clock = rows_by_id[n], text_of(EDGES[n % len(EDGES)] * 1000).partition(" ")[2]
        expected = (clock, text_of(nanos), text_of(nanos) + "+00:00", [clock, None], f"n{n}")
        assert (row.at, row["made ns"], row.seen, row.times, row.name) == expected
    assert set(rows_by_id[99][1:]) == {None}
    for where, ids in (
        ("id < 2 AND at > '00:00:00'", [1]),
        ("`made ns` < '1969-12-31 23:59:59.9'", [4, 7]),
        ("name = 'n5'", [5]),
        ("at IS NULL", [99]),
        ("times[0] = '12:00:00'", []),
        ("_pos = 7", [7]),
        (f"_file = 'f.{kind.lower()}' AND _size > 0 AND id > 6", [7, 99]),
    ):
        rows_ = spark.sql(f"SELECT id FROM {call} WHERE {where} ORDER BY id").collect()
        assert [row.id for row in rows_] == ids, where
    assert spark.sql(f"SELECT count(*) FROM {call}").collect() == [(8,)]
    assert spark.sql(f"SELECT max(seen), min(at) FROM {call}").collect() == [
        (text_of(2**63 - 1) + "+00:00", "00:00:00")
    ]
    if kind == "PARQUET":
        assert_pyiceberg_reads_the_same(folder, rows_by_id)
    with pytest.raises(AnalysisException, match="write columns => 'skip'"):
        spark.sql(f"SELECT * FROM iceberg_files('{folder}', columns => 'string')")
    with pytest.raises(AnalysisException, match=r"no type for `at` .*; the changes of such a table"):
        spark.sql(f"SELECT * FROM iceberg('{folder}', changes => true, columns => 'string')")


def assert_pyiceberg_reads_the_same(folder: str, rows_by_id: dict[int, Any]) -> None:
    """Without the rows that equality deletes remove, which pyiceberg does not read."""
    import pyarrow as pa
    from pyiceberg.table import StaticTable

    newest = str(max(Path(folder, "metadata").glob("v*.json")))
    table = StaticTable.from_metadata(newest)
    first = table.metadata.snapshots[0].snapshot_id
    theirs = table.scan(snapshot_id=first, selected_fields=("id", "at", "made ns", "seen")).to_arrow()
    numbers = {name: theirs[name].cast(pa.int64()).to_pylist() for name in ("at", "made ns", "seen")}
    for at, n in enumerate(theirs["id"].to_pylist()):
        if n in rows_by_id and numbers["at"][at] is not None:
            clock = text_of(numbers["at"][at] * 1000).partition(" ")[2]
            expected = (clock, text_of(numbers["made ns"][at]), text_of(numbers["seen"][at]) + "+00:00")
            assert tuple(rows_by_id[n][1:4]) == expected


def test_geometry_and_readable_columns_beside_text(spark: SparkSession, tmp_path: Path) -> None:
    folder = str(tmp_path / "t")
    fixed = [(f"f{width}", f"fixed[{width}]") for width in WIDTHS]
    make(spark, folder, [*FIELDS, *fixed])
    call = f"iceberg('{folder}', columns => 'string')"
    first, _ = spark.sql(f"SELECT * FROM {call} ORDER BY id").collect()
    assert not GEOMETRY or first.shape == WKB.hex().upper()
    assert first.part == (7, "01:02:03.4")
    assert tuple(first[-len(WIDTHS) :]) == tuple(bytes(range(width)) for width in WIDTHS)
    assert spark.sql(f"SELECT part.t FROM {call} WHERE part.a = 7").collect() == [("01:02:03.4",)]
    assert spark.sql(f"SELECT id FROM {call} WHERE f3 = X'000102'").collect() == [(1,)]
    # The values of identity partitions are in the metadata, as numbers.
    values = {"at": 3_600_000_001, "made ns": NANOS[5], "seen": -NANOS[5]}
    some = [f for f in FIELDS if f[0] in ("id", *values)]
    make(spark, f"{folder}s", some, rows=[{"id": 1}], partition=values)
    (row,) = spark.sql(f"SELECT * FROM iceberg('{folder}s', columns => 'string')").collect()
    assert tuple(row)[1:] == ("01:00:00.000001", text_of(NANOS[5]), text_of(-NANOS[5]) + "+00:00")


@pytest.mark.filterwarnings("ignore:.* is read without")
@pytest.mark.parametrize("kind", ["PARQUET", "ORC"])
def test_every_other_column_in_every_way(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    """Filters, hidden columns, and a table whose properties ask for the reader of single rows."""
    folder = str(tmp_path / "t")
    fixed = [(f"f{width}", f"fixed[{width}]") for width in WIDTHS]
    row_by_row = {"read.parquet.vectorization.enabled": "false"}
    make(spark, folder, [("id", "int"), ("at", "time"), ("name", "string"), *fixed], kind, row_by_row)
    call = f"iceberg('{folder}')"
    (first, second) = spark.sql(f"SELECT * FROM {call} ORDER BY id").collect()
    assert tuple(first) == (1, "first", *(bytes(range(width)) for width in WIDTHS))
    assert tuple(second) == (2, *[None] * (1 + len(WIDTHS)))
    for where, expected in (
        ("name LIKE 'f%'", [1]),
        ("name IS NULL OR id > 5", [2]),
        ("length(name) = 5", [1]),
        ("f3 = X'000102'", [1]),
        ("_pos = 1", [2]),
        ("_file LIKE 'f.%' AND NOT id IN (1, 7)", [2]),
    ):
        rows = spark.sql(f"SELECT id, _pos, _deleted FROM {call} WHERE {where} ORDER BY id").collect()
        assert [row.id for row in rows] == expected, where
    assert spark.sql(f"SELECT count(*) FROM {call}").collect()[0][0] == 2


@pytest.mark.filterwarnings("ignore:.* is read without")
def test_metadata_functions_read_such_a_table(spark: SparkSession, path: str) -> None:
    rows = spark.sql(f"SELECT record_count, readable_metrics.name FROM iceberg_files('{path}')")
    assert rows.collect()[0][0] == 2
    assert spark.sql(f"SELECT * FROM iceberg_snapshots('{path}')").count() == 1
    stats = spark.sql(
        f"SELECT column_name, column_type, value_count, lower_bound, upper_bound FROM iceberg_column_stats('{path}')"
    )
    by_name = {row[0]: tuple(row)[1:] for row in stats.collect()}
    assert by_name["id"] == ("int", 2, "1", "2")
    assert by_name["at"] == ("time", 2, None, None)  # Spark has no value for its bounds
    (only,) = spark.sql(f"SELECT * FROM iceberg_column_stats('{path}', column => 'at')").collect()
    assert (only.value_count, only.lower_bound) == (2, None)
    columns = spark.sql(f"SELECT columns FROM iceberg_tables('{path}')").collect()[0][0]
    assert columns.startswith("id INT, at time, `made ns` timestamp_ns, ")
    assert "part STRUCT<a: INT, t: time>, times ARRAY<time>, name STRING" in columns


@pytest.mark.filterwarnings("ignore:.* is read without")
def test_another_snapshot_has_its_own_columns(spark: SparkSession, tmp_path: Path) -> None:
    folder = str(tmp_path / "t")
    make(spark, folder, [("id", "int"), ("at", "time"), ("name", "string")])
    java: Any = spark._jvm
    tables = java.org.apache.iceberg.hadoop.HadoopTables(spark._jsparkSession.sessionState().newHadoopConf())
    table = tables.load(folder)
    first = table.currentSnapshot().snapshotId()
    table.manageSnapshots().createBranch("side", first).createTag("then", first).commit()
    table.updateSchema().addColumn("later", java.org.apache.iceberg.types.Types.StringType.get()).commit()
    for arguments, columns in (
        ("", ["id", "name", "later"]),
        (", ref => 'side'", ["id", "name", "later"]),  # a branch has the current columns
        (", ref => 'then'", ["id", "name"]),
        (f", snapshot_id => {first}", ["id", "name"]),
    ):
        call = f"iceberg('{folder}'{arguments})"
        rows = spark.sql(f"SELECT * FROM {call} WHERE name LIKE 'f%'")
        assert rows.columns == columns, arguments
        assert [row.id for row in rows.collect()] == [1], arguments
        hidden = spark.sql(f"SELECT id FROM {call} WHERE _pos = 1 AND _file LIKE 'f.%'").collect()
        assert [row.id for row in hidden] == [2], arguments
        if "later" in columns:
            assert spark.sql(f"SELECT id FROM {call} WHERE later IS NULL").count() == 2
        text = spark.sql(f"SELECT * FROM iceberg('{folder}'{arguments}, columns => 'string')")
        assert text.columns == ["id", "at", *columns[1:]], arguments
        assert [row.at for row in text.orderBy("id").collect()] == ["01:02:03.4", None], arguments
