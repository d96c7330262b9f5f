"""The files that the rule `bounds` corrects: those with wrong bounds, and the units of imported
timestamps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_iceberg_sql.model.wrong_bounds import WrongBounds
from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS
from spark_iceberg_sql.spark.bridge.jvm.java_records import list_from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import WrongBoundsRow

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_iceberg_sql.spark.bridge.jvm.gateway import Java

_FOOTERS = 16  # the maximum number that is read of one Hive table


def wrong_bounds(table: Java) -> tuple[WrongBounds, ...]:
    """The columns with wrong bounds.

    table: an Iceberg table, of which the current snapshot counts, or a relation, of which the files count that it
    may read.
    """
    facts = compiler.relation_facts()
    if facts is None:
        return ()
    rows = list_from_json(WrongBoundsRow, facts.wrongBounds(table))
    return tuple(
        WrongBounds(
            column=row.column,
            kind=row.kind,
            fact=row.fact,
            issue=row.issue,
            instead=row.remedy,
            files=row.files,
            bytes=row.bytes,
            file=row.file,
        )
        for row in rows
    )


def foreign_time_units(files: Iterable[str]) -> frozenset[str]:
    """The units other than microseconds of the timestamps in Parquet files: `MILLIS`, `NANOS`.

    files: their addresses; some are read, evenly spread. A file that cannot be read has none.
    """
    addresses = list(files)
    facts = compiler.relation_facts()
    if facts is None or not addresses:
        return frozenset()
    configuration = gateway.active_session().sessionState().newHadoopConf()
    # Ceiling division: at most _FOOTERS files, evenly spread over the list.
    sample = addresses[:: -(-len(addresses) // _FOOTERS)]
    units = {unit for file in sample for unit in _units(facts, file, configuration)}
    return frozenset(units - {"MICROS"})


def _units(facts: Java, file: str, configuration: Java) -> tuple[str, ...]:
    try:
        return tuple(map(str, facts.timeUnits(file, configuration)))
    except JVM_ERRORS:
        return ()
