"""Statements of a script that are not queries: notes on them once a Hive table is an Iceberg table."""

from __future__ import annotations

from spark_iceberg_sql.insight.hive_conditions import name_of, tokens_of
from spark_iceberg_sql.insight.hive_ddl import HiveTable
from spark_iceberg_sql.insight.hive_partitions import Reading

_CHANGES = ("ADD", "DROP", "RENAME", "RECOVER")


def changes_place(text: str, last: str) -> bool:
    """True if a name may mean another table after a statement, or within it.

    base_name: the last part of the name.
    """
    tokens = tokens_of(text)
    words = [token.word for token in tokens[:2]]
    if words[0] in ("USE", "EXECUTE", "BEGIN") or words == ["SET", "CATALOG"]:
        return True
    made = any(name_of(token).lower() == last.lower() for token in tokens[:8])
    return made and words[0] in ("CREATE", "CACHE")  # a temporary view hides the table


def changes_catalog(text: str, catalog: str) -> bool:
    """True if the session's catalog may be another after a statement. catalog: one that surely exists."""
    words = [name_of(token).lower() for token in tokens_of(text)]
    if words[0] == "use":
        return len(words) > 3 or words[-1] == catalog.lower()
    return words[0] in ("set", "execute", "begin")


def note(text: str, table: HiveTable, reading: Reading | None) -> str:
    """The reason why a statement is not rewritten, and the part of it that the move breaks."""
    tokens = tokens_of(text)
    words = [token.word for token in tokens]
    start = "not rewritten: not a query"
    for at, token in enumerate(tokens):
        if name_of(token).lower() != table.name[-1].lower():
            continue
        after = words[at + 1 : at + 3]
        if (
            words[0] in ("INSERT", "FROM", "WITH")
            and after == ["PARTITION", "("]
            and reading is not None
        ):
            gone = [name for name in reading.columns if name.upper() in words[at + 3 :]]
            names = ", ".join(f"`{name}`" for name in gone)
            if gone:
                return (
                    f"{start}; it fails on the Iceberg table, where {names} is no partition field: leave out "
                    f"PARTITION, and select {names} as a column"
                )
        if words[0] == "ALTER" and "PARTITION" in words[at:] and after[:1] and after[0] in _CHANGES:
            return (
                f"{start}; it fails on an Iceberg table, whose partitions come and go with their rows: to remove rows, "
                "use DELETE FROM"
            )
        if words[:2] == ["MSCK", "REPAIR"]:
            return f"{start}; it fails on an Iceberg table, whose metadata lists its files: leave it out"
    return start
