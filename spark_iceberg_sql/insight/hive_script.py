"""The statements that move a Hive-partitioned table to Iceberg."""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql.insight.hive_ddl import HiveTable
from spark_iceberg_sql.insight.hive_partitions import Reading
from spark_iceberg_sql.syntax.identifiers import quoted, string_literal

_IMPORTED = ("parquet", "orc", "avro")  # formats of files that an Iceberg table may have


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the script. why: one sentence. statements: in order, without `;`."""

    why: str
    statements: tuple[str, ...]


def script_of(
    table: HiveTable, reading: Reading | None, spec: str, catalog: str
) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """The steps of the move, and those of `snapshot` and `migrate`. derivation: None keeps the columns."""
    parts = table.name[-2:] if len(table.name) > 1 else ("default", *table.name)
    name = ".".join(map(quoted, parts))
    target = f"{quoted(catalog)}.{name}"
    source = f"spark_catalog.{name}"
    check = (
        (Step(f"must return 0: {reading.words}", (reading.check(source),)),)
        if reading is not None and reading.basis.startswith("as stated")
        else ()
    )
    kind = _not_imported(table)
    if kind:
        create = (
            f"CREATE TABLE {target} USING iceberg PARTITIONED BY ({spec}) AS SELECT * FROM {source}"
        )
        return (*check, Step(f"writes all rows: {kind} cannot be imported", (create,))), ()
    system = f"{quoted(catalog)}.system"
    columns = ", ".join(f"{quoted(c.name)} {c.type}" for c in table.columns)
    own = ", ".join(quoted(column.name) for column in table.partitions)
    alters = _alters(target, table, reading)
    move = _rewritten(system, name)
    ours, theirs = string_literal(name), string_literal(source)
    added = f"CALL {system}.add_files(table => {ours}, source_table => {theirs})"
    script = [
        *check,
        Step(
            "an empty table with the same columns and partitions",
            (f"CREATE TABLE {target} ({columns}) USING iceberg PARTITIONED BY ({own})",),
        ),
        Step(
            "imports the files where they are; the Hive table must not be dropped or changed after this",
            (added,),
        ),
    ]
    if alters:
        script.append(Step("new files get the hidden spec", alters))
        script.append(
            Step(
                "moves the imported files to it; before this, conditions on the partition columns prune "
                "them, and ranges of a timestamp may not: Spark writes timestamps to Parquet without "
                "bounds, unless spark.sql.parquet.outputTimestampType is set",
                (move,),
            )
        )
    trial = ".".join(map(quoted, (*parts[:-1], f"{parts[-1]}_trial")))
    copy = string_literal(f"{quoted(catalog)}.{trial}")
    snapshot = f"CALL {system}.snapshot(source_table => {string_literal(source)}, table => {copy})"
    other = [
        Step(
            "a trial: another table over the same files; writes to it do not change the Hive table",
            (
                snapshot,
                *_alters(f"{quoted(catalog)}.{trial}", table, reading),
            ),
        ),
        Step(
            "in place: replaces the Hive table, under its name; spark_catalog must be Iceberg's SparkSessionCatalog",
            (
                f"CALL spark_catalog.system.migrate(table => {string_literal(name)})",
                *_alters(source, table, reading),
            ),
        ),
    ]
    return tuple(script), tuple(other)


def _not_imported(table: HiveTable) -> str:
    """The part of the table that Iceberg cannot import; empty if it can import the files."""
    if table.format is None:
        return "files of an unknown format"
    if table.format not in _IMPORTED:
        return f"{table.format} files"
    # Hive and Spark write them to ORC without a time zone or as numbers; Iceberg then reads no row of the table.
    if table.format == "orc" and any("timestamp" in column.type for column in table.data):
        return "ORC files with timestamps"
    # Spark writes them as local-timestamp-micros, which Iceberg's reader of Avro does not know.
    if table.format == "avro" and any("timestamp_ntz" in column.type for column in table.data):
        return "Avro files with timestamps without a time zone"
    # Iceberg stores their bounds, and reads some of them, as microseconds: apache/iceberg#18173.
    if table.time_units:
        units = " and ".join(f"TIMESTAMP({unit})" for unit in sorted(table.time_units))
        return f"Parquet files with {units}"
    return ""


def _alters(target: str, table: HiveTable, reading: Reading | None) -> tuple[str, ...]:
    if reading is None:
        return ()
    *gone, last = [quoted(name) for name in reading.columns]
    start = f"ALTER TABLE {target}"
    drops = [f"{start} DROP PARTITION FIELD {name}" for name in gone]
    return (*drops, f"{start} REPLACE PARTITION FIELD {last} WITH {reading.term}")


def _rewritten(system: str, name: str) -> str:
    return (
        f"CALL {system}.rewrite_data_files(table => {string_literal(name)}, "
        "options => map('rewrite-all', 'true'))"
    )
