"""A Hive-partitioned table, as its CREATE TABLE statement or a catalog describes it."""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.from_hive.hive_partitions import HiveColumn
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.identifiers import qualified_name
from spark_iceberg_sql.syntax.parser import parse
from spark_iceberg_sql.syntax.script import Statement, statements

_EXAMPLE = "CREATE TABLE db.logs (id BIGINT, ts TIMESTAMP) PARTITIONED BY (dt STRING) STORED AS PARQUET"


@dataclass(frozen=True, slots=True)
class HiveTable:
    """A table with partition columns.

    name: its parts. columns: all, the partition columns last. partition_columns: these alone. format: of its files,
    lower case; None if that is not known. spellings: the names that surely mean it in a query, lower case; without
    them, the name as it is, and in `spark_catalog`. time_units: those of timestamps in Parquet files that are not
    microseconds: MILLIS, NANOS.
    """

    name: tuple[str, ...]
    columns: tuple[HiveColumn, ...]
    partition_columns: tuple[HiveColumn, ...]
    format: str | None
    spellings: tuple[tuple[str, ...], ...] = ()
    time_units: frozenset[str] = frozenset()

    @property
    def title(self) -> str:
        """Its name in SQL."""
        return qualified_name(self.name)

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """The names of the table in queries, the parts of each in lower case."""
        lower_parts = tuple(part.lower() for part in self.name)
        return self.spellings or (lower_parts, *((("spark_catalog", *lower_parts),) if len(lower_parts) == 2 else ()))

    @property
    def data_columns(self) -> tuple[HiveColumn, ...]:
        """The columns that are not partition columns."""
        return tuple(column for column in self.columns if column not in self.partition_columns)


def table_from_ddl(text: str) -> tuple[HiveTable, str]:
    """The table of the only CREATE TABLE in a text, and the other statements.

    Raises IcebergSqlError if there is not exactly one, or if its table has no partition columns.
    """
    creates, other_statements = [], []
    for statement in statements(text):
        node = parse(statement)
        if isinstance(node, nodes.InvalidStatement):
            raise IcebergSqlError(f"the statement cannot be read: {statement.text[:60]}", help=_EXAMPLE)
        if isinstance(node, nodes.Create) and node.query is None and node.like_table is None:
            creates.append((statement, node))
        else:
            other_statements.append(f"{statement.text};")
    if len(creates) != 1:
        count_text = "no CREATE TABLE" if not creates else "more than one CREATE TABLE"
        raise IcebergSqlError(f"{count_text} with a column list was found", help=_EXAMPLE)
    return _table(*creates[0]), "\n".join(other_statements)


def _table(statement: Statement, node: nodes.Create) -> HiveTable:
    columns = tuple(HiveColumn(c.name, _type(c.type_text)) for c in node.columns or ())
    partitions = tuple(HiveColumn(c.name, _type(c.type_text)) for c in node.typed_partitions)
    name = node.table.text
    if node.provider == "iceberg":
        raise IcebergSqlError(f"{name} is already an Iceberg table", help="sis.advise(...) compares specs")
    if partitions:
        columns += partitions
    else:
        by_name = {column.name.lower(): column for column in columns}
        for term in node.partitioning or ():
            column = by_name.get(".".join(term.columns[0].parts).lower()) if term.columns else None
            if term.transform_name is not None or column is None:
                raise IcebergSqlError(f"the partition columns of {name} are not in its column list", help=_EXAMPLE)
            partitions += (column,)
        columns = (*(c for c in columns if c not in partitions), *partitions)
    if not partitions:
        raise IcebergSqlError(f"{name} has no partition columns", help=_EXAMPLE)
    return HiveTable(node.table.parts, columns, partitions, _format(statement, node))


def _type(text: str) -> str:
    return " ".join(text.lower().split())


def _format(statement: Statement, node: nodes.Create) -> str | None:
    """The format of USING or STORED AS."""
    if node.provider is not None and node.provider != "hive":
        return node.provider
    keywords = [token.word for token in statement.tokens]
    for index in range(len(keywords) - 2):
        if keywords[index : index + 2] == ["STORED", "AS"]:
            return keywords[index + 2].lower() if keywords[index + 2] != "INPUTFORMAT" else None
    return None
