"""Iceberg tables whose data files or manifests other writers have made, each with the rows that it holds.

A builder makes one table and returns how a query names it. All tables hold ROWS, in columns k, ts and d. Where a
writer itself cannot be started, its manifests are reproduced: those of Iceberg are altered as its own tests, or the
reports of its faults, describe them.

The other writers' packages are imported where they are used: the quick set does without them.
"""

# ruff: noqa: DTZ001 - half of the columns have no zone

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.transforms import DayTransform
from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from pyiceberg.catalog.sql import SqlCatalog

Row = tuple[int, dt.datetime | None]
UTC = dt.timezone.utc
EPOCH = dt.datetime(1970, 1, 1)
MS = dt.timedelta(milliseconds=1)


def recent() -> list[Row]:
    """Hours of 2023 and 2024 to the millisecond, some of them equal, with nulls and the sentinel 9999-12-31."""
    start = dt.datetime(2023, 12, 20, 3) + 123 * MS
    rows: list[Row] = [(k, start + (k % 120) * dt.timedelta(hours=19, minutes=7)) for k in range(160)]
    return [*rows, (1000, None), (1001, dt.datetime(9999, 12, 31))]


def renaissance() -> list[Row]:
    """Days around 15 October 1582, when the calendar changed, and long before; no time of day."""
    starts = (dt.datetime(1500, 3, 1), dt.datetime(1582, 9, 20), dt.datetime(1, 1, 1))
    return [(i * 60 + k, s + dt.timedelta(days=k)) for i, s in enumerate(starts) for k in range(60)]


def around_1970() -> list[Row]:
    """Half seconds around 1970."""
    return [(k, EPOCH + (k - 17) * 250 * MS) for k in range(40)]


def precise() -> list[Row]:
    """Two rows a millisecond of 2024, which differ in microseconds."""
    start = dt.datetime(2024, 2, 29, 23, 59, 59)
    return [(k, start + k * dt.timedelta(microseconds=499)) for k in range(4000)]


@dataclass(frozen=True)
class Writer:
    """A writer of tables.

    build: makes a table of the rows in a folder, under a name; returns what a query reads. rows: what it holds.
    loses: whether Iceberg alone answers some of the predicates wrong. kind: of the column ts.
    shifts: whether the format itself returns other times than were written.
    """

    build: Callable[[SparkSession, Path, str], str]
    rows: Callable[[], list[Row]] = recent
    loses: bool = True
    kind: str = "timestamp"
    shifts: bool = False


def columns(rows: list[Row]) -> dict[str, Any]:
    """The columns of the rows."""
    return {"k": [k for k, _ in rows], "ts": [ts for _, ts in rows], "d": [ts and ts.date() for _, ts in rows]}


def arrow(rows: list[Row], unit: str, zone: str | None = "UTC") -> pa.Table:
    """The rows for pyarrow, with a unit of time: ms, us or ns."""
    values = columns(rows)
    stamps = [ts and (ts.replace(tzinfo=UTC) if zone else ts) for ts in values["ts"]]
    kinds = {"k": pa.int64(), "ts": pa.timestamp(unit, zone), "d": pa.date32()}
    return pa.table({name: pa.array({**values, "ts": stamps}[name], kinds[name]) for name in kinds})


# ---------------------------------------------------------------------------- imported files


def imported(spark: SparkSession, folder: Path, name: str, kind: str = "timestamp", form: str = "parquet") -> str:
    """A table of the files in a folder, by Iceberg's add_files."""
    table = f"local.foreign.{name}"
    spark.sql(f"CREATE TABLE {table} (k BIGINT, ts {kind}, d DATE) USING iceberg")
    spark.sql(f"CALL local.system.add_files(table => 'foreign.{name}', source_table => '`{form}`.`{folder}`')")
    return table


def arrow_writer(unit: str, kind: str = "timestamp", **options: Any) -> Writer:
    """Pyarrow's Parquet writer, and add_files."""

    def build(spark: SparkSession, folder: Path, name: str) -> str:
        rows = [row for row in recent() if unit != "ns" or row[0] != 1001]
        zone = None if kind == "timestamp_ntz" or "use_deprecated_int96_timestamps" in options else "UTC"
        pq.write_table(arrow(rows, unit, zone), folder / "a.parquet", **options)
        return imported(spark, folder, name, kind)

    return Writer(build, recent, unit == "ms", kind)


def plain_days(spark: SparkSession, folder: Path, name: str) -> str:
    """Days as numbers without a logical type, which Iceberg reads as dates."""
    rows = arrow(recent(), "us")
    days = rows.column("d").cast(pa.int32())
    pq.write_table(rows.set_column(rows.column_names.index("d"), "d", days), folder / "a.parquet")
    return imported(spark, folder, name)


def spark_millis(spark: SparkSession, folder: Path, name: str) -> str:
    """Spark's own Parquet writer with spark.sql.parquet.outputTimestampType."""
    source = truth(spark, recent(), "timestamp")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS")
    try:
        source.coalesce(1).write.mode("append").parquet(str(folder))
    finally:
        spark.conf.unset("spark.sql.parquet.outputTimestampType")
    return imported(spark, folder, name)


def duckdb_millis(spark: SparkSession, folder: Path, name: str) -> str:
    """DuckDB's TIMESTAMP_MS in Parquet."""
    import duckdb

    rows = arrow(recent(), "ms", None)  # noqa: F841 - DuckDB reads the variable
    duckdb.sql("SELECT k, ts::TIMESTAMP_MS AS ts, d FROM rows").write_parquet(str(folder / "a.parquet"))
    return imported(spark, folder, name, "timestamp_ntz")


def polars_millis(spark: SparkSession, folder: Path, name: str) -> str:
    """Polars' Datetime('ms') in Parquet."""
    import polars

    polars.from_arrow(arrow(recent(), "ms", None)).write_parquet(folder / "a.parquet")
    return imported(spark, folder, name, "timestamp_ntz")


def parquet_avro(spark: SparkSession, folder: Path, name: str) -> str:
    """parquet-avro's timestamp-millis, as Kafka's and Flink's sinks write it."""
    jvm: Any = spark._jvm
    avro, parquet = ("org.apache.iceberg.shaded.org.apache.avro", "org.apache.iceberg.shaded.org.apache.parquet")

    def java(name: str) -> Any:
        java_member = jvm
        for part in name.split("."):
            java_member = getattr(java_member, part)
        return java_member

    stamp = '{"type": "long", "logicalType": "timestamp-millis"}'
    date = '{"type": "int", "logicalType": "date"}'
    text = (
        '{"type": "record", "name": "r", "fields": [{"name": "k", "type": "long"}, '
        f'{{"name": "ts", "type": ["null", {stamp}]}}, {{"name": "d", "type": ["null", {date}]}}]}}'
    )
    schema = java(f"{avro}.Schema").Parser().parse(text)
    path = java("org.apache.hadoop.fs.Path")(str(folder / "a.parquet"))
    builder = java(f"{parquet}.avro.AvroParquetWriter").builder(path).withSchema(schema)
    writer = builder.build()
    for k, ts in recent():
        record = java(f"{avro}.generic.GenericData").Record(schema)
        record.put("k", java("java.lang.Long").valueOf(k))
        record.put("ts", None if ts is None else java("java.lang.Long").valueOf((ts - EPOCH) // MS))
        record.put("d", None if ts is None else (ts.date() - EPOCH.date()).days)
        writer.write(record)
    writer.close()
    return imported(spark, folder, name)


def spark_orc(implementation: str) -> Callable[[SparkSession, Path, str], str]:
    """Spark's ORC writer, or Hive's, and add_files."""

    def build(spark: SparkSession, folder: Path, name: str) -> str:
        source = truth(spark, renaissance(), "timestamp")  # ORC's timestamp has no zone
        spark.conf.set("spark.sql.orc.impl", implementation)
        try:
            source.coalesce(1).write.mode("append").orc(str(folder))
        finally:
            spark.conf.unset("spark.sql.orc.impl")
        return imported(spark, folder, name, "timestamp_ntz", "orc")

    return build


# ---------------------------------------------------------------------------- other writers of tables


def iceberg_orc(rows: Callable[[], list[Row]]) -> Callable[[SparkSession, Path, str], str]:
    """Iceberg's own ORC writer, a file for each tenth of the rows."""

    def build(spark: SparkSession, folder: Path, name: str) -> str:
        table = f"local.foreign.{name}"
        spark.sql(
            f"CREATE TABLE {table} (k BIGINT, ts TIMESTAMP, d DATE) USING iceberg "
            "TBLPROPERTIES ('write.format.default' = 'orc')"
        )
        values = rows()
        size = len(values) // 10
        for i in range(0, len(values), size):
            truth(spark, values[i : i + size], "timestamp").coalesce(1).writeTo(table).append()
        return table

    return build


def _catalog(folder: Path) -> SqlCatalog:
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}")
    catalog.create_namespace("n")
    return catalog


def by_path(table: Any) -> str:
    """A call of iceberg('path') for a table of pyiceberg's."""
    return f"iceberg('{table.location()}')"


def pyiceberg_table(spark: SparkSession, folder: Path, name: str) -> str:
    """Pyiceberg's writer, partitioned by days(ts)."""
    rows = arrow(recent(), "us")
    table = _catalog(folder).create_table("n.t", schema=rows.schema)
    with table.update_spec() as update:
        update.add_field("ts", DayTransform())
    table.append(rows)
    return by_path(table)


def pyiceberg_files(spark: SparkSession, folder: Path, name: str) -> str:
    """Pyiceberg's add_files of milliseconds."""
    rows = arrow(recent(), "ms")
    pq.write_table(rows, folder / "a.parquet")
    schema = arrow(recent(), "us").schema
    table = _catalog(folder).create_table("n.t", schema=schema)
    table.add_files([f"file://{folder}/a.parquet"])
    return by_path(table)


def polars_table(spark: SparkSession, folder: Path, name: str) -> str:
    """Polars' write_iceberg."""
    import polars

    rows = arrow(recent(), "us")
    table = _catalog(folder).create_table("n.t", schema=rows.schema)
    polars.from_arrow(rows).write_iceberg(table, "append")
    return by_path(table)


def daft_table(spark: SparkSession, folder: Path, name: str) -> str:
    """Daft's write_iceberg."""
    import daft

    rows = arrow(recent(), "us")
    table = _catalog(folder).create_table("n.t", schema=rows.schema)
    daft.from_arrow(rows).write_iceberg(table, mode="append")
    return by_path(table)


# ---------------------------------------------------------------------------- manifests of others

Change = Callable[[dict[str, Any]], None]  # of a data file's entry


def altered(change: Change, rows: Callable[[], list[Row]], spec: str = "", **properties: str) -> Writer:
    """A table of Iceberg's whose manifests are altered."""

    def build(spark: SparkSession, folder: Path, name: str) -> str:
        table = f"local.foreign.{name}"
        listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
        spark.sql(
            f"CREATE TABLE {table} (k BIGINT, ts TIMESTAMP, d DATE) USING iceberg {spec} "
            + (f"TBLPROPERTIES ({listed})" if listed else "")
        )
        truth(spark, rows(), "timestamp").repartitionByRange(6, "ts").writeTo(table).append()
        log_entries = spark.sql(f"SELECT file FROM {table}.metadata_log_entries ORDER BY timestamp").collect()
        metadata = Path(str(log_entries[-1][0]).removeprefix("file:")).parent
        for manifest in metadata.glob("*-m*.avro"):
            rewrite(manifest, lambda entry: change(entry["data_file"]))
        for manifests in metadata.glob("snap-*.avro"):
            rewrite(manifests, _relist)
        for file in metadata.glob("*.metadata.json"):  # another writer does not call itself Spark
            file.write_text(file.read_text("utf-8").replace('"spark.app.id"', '"app.id"'), "utf-8")
            (metadata / f".{file.name}.crc").unlink(missing_ok=True)
        return f"iceberg('{metadata.parent}')"

    return Writer(build, rows)


def rewrite(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change each record of an Avro file."""
    import fastavro

    with file.open("rb") as stream:
        reader = fastavro.reader(stream)
        schema, codec = reader.writer_schema, reader.codec
        metadata = {k: v for k, v in reader.metadata.items() if not k.startswith("avro.")}
        records = list(reader)
    for record in records:
        change(record)
    with file.open("wb") as stream:
        fastavro.writer(stream, schema, records, metadata=metadata, codec=codec)
    (file.parent / f".{file.name}.crc").unlink(missing_ok=True)


def _relist(entry: dict[str, Any]) -> None:
    """A manifest's entry in the list of manifests, after the manifest was altered."""
    import fastavro

    path = Path(entry["manifest_path"].removeprefix("file:"))
    entry["manifest_length"] = path.stat().st_size
    with path.open("rb") as stream:
        values = [list(e["data_file"]["partition"].values()) for e in fastavro.reader(stream)]
    for i, summary in enumerate(entry["partitions"] or ()):
        days = [_days(v[i]) for v in values if v[i] is not None]
        summary["lower_bound"] = struct.pack("<i", min(days))
        summary["upper_bound"] = struct.pack("<i", max(days))


def _days(value: Any) -> int:
    return (value - EPOCH.date()).days if isinstance(value, dt.date) else int(value)


def _bounds(file: dict[str, Any], field: int) -> tuple[dict[str, Any], dict[str, Any]]:
    lower, upper = (next(b for b in file[name] if b["key"] == field) for name in ("lower_bounds", "upper_bounds"))
    return lower, upper


def inverted(file: dict[str, Any]) -> None:
    """The lower bound above the upper one, for every column."""
    file["lower_bounds"], file["upper_bounds"] = file["upper_bounds"], file["lower_bounds"]


def other_zone(file: dict[str, Any]) -> None:
    """The day of the server's zone; ClickHouse before September 2026."""
    ((name, value),) = file["partition"].items()
    if value is not None:
        day = max(0, _days(value) - 1)
        file["partition"][name] = EPOCH.date() + dt.timedelta(days=day) if isinstance(value, dt.date) else day


def no_values(file: dict[str, Any]) -> None:
    """As many nulls as rows, where the bounds tell otherwise; ClickHouse before August 2026 counted for all files."""
    for count in file["null_value_counts"]:
        count["value"] = file["record_count"]


def cut(file: dict[str, Any]) -> None:
    """Bounds without their microseconds; Delta Lake's UniForm."""
    for bound in _bounds(file, 2):
        (micros,) = struct.unpack("<q", bound["value"])
        bound["value"] = struct.pack("<q", micros // 1000 * 1000)


WRITERS: dict[str, Writer] = {
    "spark_millis": Writer(spark_millis),
    "arrow_ms": arrow_writer("ms"),
    "arrow_ms_plain": arrow_writer("ms", use_dictionary=False),
    "arrow_ms_ntz": arrow_writer("ms", "timestamp_ntz"),
    "arrow_us": arrow_writer("us"),
    "plain_days": Writer(plain_days, loses=False),
    "arrow_int96": arrow_writer("us", use_deprecated_int96_timestamps=True),
    "duckdb_millis": Writer(duckdb_millis, kind="timestamp_ntz"),
    "polars_millis": Writer(polars_millis, kind="timestamp_ntz"),
    "parquet_avro": Writer(parquet_avro),
    "spark_orc": Writer(spark_orc("native"), renaissance, False, "timestamp_ntz", shifts=True),
    "hive_orc": Writer(spark_orc("hive"), renaissance, False, "timestamp_ntz", shifts=True),
    "iceberg_orc": Writer(iceberg_orc(renaissance), renaissance),
    "iceberg_orc_1970": Writer(iceberg_orc(around_1970), around_1970, False, shifts=True),
    "pyiceberg": Writer(pyiceberg_table, loses=False),
    "pyiceberg_files": Writer(pyiceberg_files),
    "polars": Writer(polars_table, loses=False),
    "daft": Writer(daft_table, loses=False),
    "inverted": altered(inverted, recent),
    "clickhouse_days": altered(other_zone, recent, "PARTITIONED BY (days(ts))"),
    "clickhouse_counts": altered(no_values, recent),
    "uniform": altered(cut, precise, **{"delta-version": "1"}),
}


def truth(spark: SparkSession, rows: list[Row], kind: str) -> Any:
    """The rows as a DataFrame that no file has been between."""
    values = columns(rows)
    micros = [None if ts is None else (ts - EPOCH) // dt.timedelta(microseconds=1) for ts in values["ts"]]
    frame = spark.createDataFrame(list(zip(values["k"], micros, strict=True)), "k BIGINT, us BIGINT")
    return frame.selectExpr(
        "k", f"CAST(timestamp_micros(us) AS {kind}) AS ts", "CAST(timestamp_micros(us) AS DATE) AS d"
    )


def predicates(rows: list[Row]) -> Iterator[str]:
    """Predicates on ts and d whose constants are among the rows' values."""
    stamps = sorted(ts for _, ts in rows if ts is not None)
    for ts in (stamps[len(stamps) * 77 // 180], stamps[-2]):
        text, day = ts.isoformat(" "), ts.date().isoformat()
        yield f"ts >= '{text}'"
        yield f"ts = '{text}'"
        yield f"ts < '{text}'"
        yield f"ts BETWEEN '{text}' AND '{text}'"
        yield f"ts IN ('{text}', '2024-02-11 00:00:00')"
        yield f"NOT (ts < '{text}')"
        yield f"to_date(ts) = '{day}'"
        yield f"year(ts) = {ts.year}"
        yield f"date_trunc('month', ts) = '{day[:7]}-01'"
        yield f"date_format(ts, 'yyyy-MM-dd') = '{day}'"
        yield f"cast(ts AS string) LIKE '{day[:9]}%'"
        yield f"unix_micros(cast(ts AS timestamp)) >= {(ts - EPOCH) // dt.timedelta(microseconds=1)}"
        yield f"iceberg_days(ts) = '{day}'"
        yield f"iceberg_months(ts) = {(ts.year - 1970) * 12 + ts.month - 1}"
        yield f"iceberg_years(ts) = {ts.year - 1970}"
        yield f"iceberg_bucket(8, ts) = iceberg_bucket(8, cast('{text}' AS timestamp))"
        yield f"d = '{day}'"
        yield f"d >= '{day}' AND d <= '{day}'"
        yield f"cast(d AS string) LIKE '{day[:9]}%'"
        yield f"date_trunc('month', d) = '{day[:7]}-01'"
        yield f"iceberg_months(d) = {(ts.year - 1970) * 12 + ts.month - 1}"
    yield "ts IS NULL"
    yield "ts IS NOT NULL AND d IS NOT NULL"
    yield "k IS NOT NULL AND k < 20"
