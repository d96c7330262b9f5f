"""The statements that move a Hive-partitioned table to Iceberg."""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql.insight.from_hive.hive_ddl import HiveTable
from spark_iceberg_sql.insight.from_hive.hive_partitions import PartitionDerivation
from spark_iceberg_sql.syntax.identifiers import qualified_name, quoted, string_literal

_IMPORTABLE_FORMATS = ("parquet", "orc", "avro")  # formats of files that an Iceberg table may have


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the script. why: one sentence. statements: in order, without `;`."""

    why: str
    statements: tuple[str, ...]


def script_of(
    table: HiveTable, derivation: PartitionDerivation | None, spec: str, catalog: str
) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """The steps of the move, and those of `snapshot` and `migrate`. derivation: None keeps the columns."""
    parts = table.name[-2:] if len(table.name) > 1 else ("default", *table.name)
    name = qualified_name(parts)
    target = f"{quoted(catalog)}.{name}"
    source = f"spark_catalog.{name}"
    check_steps = (
        (Step(f"must return 0: {derivation.description}", (derivation.check_query(source),)),)
        if derivation is not None and derivation.basis.startswith("as stated")
        else ()
    )
    if obstacle := _obstacle(table):
        create = f"CREATE TABLE {target} USING iceberg PARTITIONED BY ({spec}) AS SELECT * FROM {source}"
        return (*check_steps, Step(f"writes all rows: {obstacle} cannot be imported", (create,))), ()
    system = f"{quoted(catalog)}.system"
    columns = ", ".join(f"{quoted(c.name)} {c.type}" for c in table.columns)
    partition_columns = ", ".join(quoted(column.name) for column in table.partition_columns)
    alter_statements = _alter_statements(target, table, derivation)
    rewrite_call = _rewrite_call(system, name)
    target_literal, source_literal = string_literal(name), string_literal(source)
    add_files = f"CALL {system}.add_files(table => {target_literal}, source_table => {source_literal})"
    script = [
        *check_steps,
        Step(
            "an empty table with the same columns and partitions",
            (f"CREATE TABLE {target} ({columns}) USING iceberg PARTITIONED BY ({partition_columns})",),
        ),
        Step(
            "imports the files where they are; the Hive table must not be dropped or changed after this", (add_files,)
        ),
    ]
    if alter_statements:
        script.append(Step("new files get the hidden spec", alter_statements))
        script.append(
            Step(
                "moves the imported files to it; before this, conditions on the partition columns prune "
                "them, and ranges of a timestamp may not: Spark writes timestamps to Parquet without "
                "bounds, unless spark.sql.parquet.outputTimestampType is set",
                (rewrite_call,),
            )
        )
    trial_name = qualified_name((*parts[:-1], f"{parts[-1]}_trial"))
    trial_literal = string_literal(f"{quoted(catalog)}.{trial_name}")
    snapshot = f"CALL {system}.snapshot(source_table => {string_literal(source)}, table => {trial_literal})"
    other_ways = [
        Step(
            "a trial: another table over the same files; writes to it do not change the Hive table",
            (snapshot, *_alter_statements(f"{quoted(catalog)}.{trial_name}", table, derivation)),
        ),
        Step(
            "in place: replaces the Hive table, under its name; spark_catalog must be Iceberg's SparkSessionCatalog",
            (
                f"CALL spark_catalog.system.migrate(table => {string_literal(name)})",
                *_alter_statements(source, table, derivation),
            ),
        ),
    ]
    return tuple(script), tuple(other_ways)


def _obstacle(table: HiveTable) -> str:
    """The part of the table that Iceberg cannot import; empty if it can import the files."""
    if table.format is None:
        return "files of an unknown format"
    if table.format not in _IMPORTABLE_FORMATS:
        return f"{table.format} files"
    # Hive and Spark write them to ORC without a time zone or as numbers; Iceberg then reads no row of the table.
    if table.format == "orc" and any("timestamp" in column.type for column in table.data_columns):
        return "ORC files with timestamps"
    # Spark writes them as local-timestamp-micros, which Iceberg's reader of Avro does not know.
    if table.format == "avro" and any("timestamp_ntz" in column.type for column in table.data_columns):
        return "Avro files with timestamps without a time zone"
    # Iceberg stores their bounds, and reads some of them, as microseconds: apache/iceberg#18173.
    if table.time_units:
        units = " and ".join(f"TIMESTAMP({unit})" for unit in sorted(table.time_units))
        return f"Parquet files with {units}"
    return ""


def _alter_statements(target: str, table: HiveTable, derivation: PartitionDerivation | None) -> tuple[str, ...]:
    if derivation is None:
        return ()
    *dropped, last = [quoted(name) for name in derivation.columns]
    prefix = f"ALTER TABLE {target}"
    drops = [f"{prefix} DROP PARTITION FIELD {name}" for name in dropped]
    return (*drops, f"{prefix} REPLACE PARTITION FIELD {last} WITH {derivation.term}")


def _rewrite_call(system: str, name: str) -> str:
    return f"CALL {system}.rewrite_data_files(table => {string_literal(name)}, options => map('rewrite-all', 'true'))"
