"""The names of a live session, for help and completion: tables, columns, functions, partition fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spark_iceberg_sql.model.functions.metadata_functions import NAMES as TABLE_FUNCTIONS
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.transforms import BY_FUNCTION, BY_SPELLING
from spark_iceberg_sql.notebook.cells.connect import is_remote
from spark_iceberg_sql.similar_names import LIKELY, WORD, similar_name
from spark_iceberg_sql.spark import remote
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.gate.catalog_names import CatalogNames
from spark_iceberg_sql.spark.gate.session_tables import SessionTables
from spark_iceberg_sql.syntax.brackets import between_commas
from spark_iceberg_sql.syntax.identifiers import dotted
from spark_iceberg_sql.syntax.lexer import Token, tokenize
from spark_iceberg_sql.syntax.metadata_tables import metadata_table_name
from spark_iceberg_sql.syntax.named_tables import table_names as table_names

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SessionNames(CatalogNames):
    """The names of a session. spark: the session; only catalog listings are run."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__(remote.unchecked_sql(spark) if is_remote(spark) else intercept.unchecked_sql(spark))
        self.spark = spark

    def function_like(self, name: str) -> str | None:
        """This package's function for a name: for the transform `days`, or the misspelling `iceberg_dyas`."""
        lower_name = name.lower()
        if lower_name in BY_FUNCTION:
            return lower_name
        transform = BY_SPELLING.get(lower_name)
        if transform is not None and transform.functions:
            function_name = f"iceberg_{lower_name}"
            return function_name if function_name in transform.functions else transform.functions[0]
        function = similar_name(lower_name, (*BY_FUNCTION, *TABLE_FUNCTIONS), LIKELY)
        if function is not None:
            return function
        spelling = similar_name(lower_name, BY_SPELLING, LIKELY)
        return None if spelling is None else self.function_like(spelling)

    def call(self, function: str, call_text: str) -> str | None:
        """A call of this package's function with the arguments of the call as written; None if that is ambiguous."""
        opening = call_text.find("(")
        if opening < 0 or not call_text.endswith(")"):
            return None
        groups = between_commas(tokenize(call_text[opening + 1 : -1]))
        arguments = ["".join(token.text for token in group).strip() for group in groups]
        if not arguments[-1]:
            arguments.pop()
        if (transform := BY_FUNCTION.get(function)) is not None:
            if len(arguments) != (2 if transform.parameter is not None else 1):
                return None
            if transform.parameter is not None and arguments[1].isdigit() and not arguments[0].isdigit():
                arguments.reverse()
        return f"{function}({', '.join(arguments)})"

    def builtin_like(self, name: str) -> str | None:
        """A Spark function with a similar name."""
        return similar_name(name.lower(), self.functions(), WORD)

    def functions(self) -> list[str]:
        """The names of all functions of the session."""
        return [str(row[0]) for row in self.rows("SHOW FUNCTIONS")]

    def tables_of(self, tokens: list[Token]) -> Iterator[Table]:
        """The tables that a statement names and the session has."""
        if is_remote(self.spark):  # the catalogs are the server's
            return
        catalog = SessionTables(self.spark, self._sql)
        for parts in table_names(tokens):
            table = catalog.get(parts)
            if isinstance(table, Table):
                yield table

    def is_table(self, parts: tuple[str, ...]) -> bool:
        """True if the session has an Iceberg table of this name."""
        return not is_remote(self.spark) and isinstance(SessionTables(self.spark, self._sql).get(parts), Table)

    def metadata_table(self, parts: tuple[str, ...], suffix: str) -> str:
        """The name of a metadata table, such as `snapshots`. parts: the table's name as written."""
        catalog = None if is_remote(self.spark) else SessionTables(self.spark, self._sql)
        return metadata_table_name(parts, suffix, catalog.full_name if catalog is not None else None)

    def columns_of(self, tokens: list[Token]) -> Iterator[tuple[str, str]]:
        """The columns, with their types, of the tables and views that a statement names; no job runs."""
        if is_remote(self.spark):  # the catalogs are the server's
            return
        catalog = SessionTables(self.spark, self._sql)
        for parts in table_names(tokens):
            table = catalog.get(parts)
            schema = table.schema if isinstance(table, Table) else None
            if schema is None:  # a view, or a table that is not Iceberg
                schema = catalog.columns_of(f"SELECT * FROM {dotted(parts)}")
            for field in schema.fields if schema is not None else ():
                yield field.name, str(field.type)

    def snapshots(self, parts: tuple[str, ...], count: int, *, is_oldest: bool = False) -> list[tuple[str, str]]:
        """The ids and times of a table's snapshots, the newest or the oldest first. count: at most so many."""
        order = "committed_at" if is_oldest else "committed_at DESC"
        source = f"{self.metadata_table(parts, 'snapshots')} ORDER BY {order} LIMIT {count}"
        rows = self.rows(f"SELECT snapshot_id, date_format(committed_at, 'yyyy-MM-dd HH:mm:ss') FROM {source}")
        return [(str(number), str(committed)) for number, committed in rows]
