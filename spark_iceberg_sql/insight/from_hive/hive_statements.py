"""Statements of a script that are not queries: notes on them once a Hive table is an Iceberg table."""

from __future__ import annotations

from spark_iceberg_sql.insight.from_hive.hive_conditions import name_of, tokens_of
from spark_iceberg_sql.insight.from_hive.hive_ddl import HiveTable
from spark_iceberg_sql.insight.from_hive.hive_partitions import PartitionDerivation

_PARTITION_CHANGES = ("ADD", "DROP", "RENAME", "RECOVER")


def changes_namespace(text: str, base_name: str) -> bool:
    """True if a name may mean another table after a statement, or within it.

    base_name: the last part of the name.
    """
    tokens = tokens_of(text)
    keywords = [token.word for token in tokens[:2]]
    if keywords[0] in ("USE", "EXECUTE", "BEGIN") or keywords == ["SET", "CATALOG"]:
        return True
    names_table = any(name_of(token).lower() == base_name.lower() for token in tokens[:8])
    return names_table and keywords[0] in ("CREATE", "CACHE")  # a temporary view hides the table


def changes_catalog(text: str, catalog: str) -> bool:
    """True if the session's catalog may be another after a statement. catalog: one that surely exists."""
    names = [name_of(token).lower() for token in tokens_of(text)]
    if names[0] == "use":
        return len(names) > 3 or names[-1] == catalog.lower()
    return names[0] in ("set", "execute", "begin")


def statement_note(text: str, table: HiveTable, derivation: PartitionDerivation | None) -> str:
    """The reason why a statement is not rewritten, and the part of it that the move breaks."""
    tokens = tokens_of(text)
    keywords = [token.word for token in tokens]
    prefix = "not rewritten: not a query"
    for index, token in enumerate(tokens):
        if name_of(token).lower() != table.name[-1].lower():
            continue
        next_keywords = keywords[index + 1 : index + 3]
        if keywords[0] in ("INSERT", "FROM", "WITH") and next_keywords == ["PARTITION", "("] and derivation is not None:
            dropped_columns = [name for name in derivation.columns if name.upper() in keywords[index + 3 :]]
            names = ", ".join(f"`{name}`" for name in dropped_columns)
            if dropped_columns:
                return (
                    f"{prefix}; it fails on the Iceberg table, where {names} is no partition field: leave out "
                    f"PARTITION, and select {names} as a column"
                )
        if (
            keywords[0] == "ALTER"
            and "PARTITION" in keywords[index:]
            and next_keywords[:1]
            and next_keywords[0] in _PARTITION_CHANGES
        ):
            return (
                f"{prefix}; it fails on an Iceberg table, whose partitions come and go with their rows: to "
                f"remove rows, "
                "use DELETE FROM"
            )
        if keywords[:2] == ["MSCK", "REPAIR"]:
            return f"{prefix}; it fails on an Iceberg table, whose metadata lists its files: leave it out"
    return prefix
