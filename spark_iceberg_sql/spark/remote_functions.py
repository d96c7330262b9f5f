"""The public functions that a Spark Connect client calls as SQL functions of its server: one record per function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from spark_iceberg_sql import markup
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.report.sql_text import html
from spark_iceberg_sql.safe_output import join_visible, visible_lines
from spark_iceberg_sql.spark import remote

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession


@dataclass(frozen=True, slots=True)
class ServerFunction:
    """A public function and the table function of the server that computes its rows.

    name: in SQL. positional, optional: the names of its arguments, after the session.
    """

    name: str
    positional: tuple[str, ...]
    optional: tuple[str, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        """All names of its arguments, in order."""
        return (*self.positional, *self.optional)


SERVER_FUNCTIONS: Mapping[str, ServerFunction] = {
    "explain": ServerFunction("iceberg_explain", ("statement",)),
    "spj": ServerFunction("iceberg_spj", ("statement",)),
    "health": ServerFunction("iceberg_health", ("table",), ("queries",)),
    "preview": ServerFunction("iceberg_preview", ("source", "spec"), ("using", "commits")),
    "advise": ServerFunction("iceberg_advise", ("source", "queries"), ("using",)),
}
_QUERIES = "a string or a list of strings, without weights"
# What may be a list, by function and argument, and what it may be.
_LISTS = {
    ("health", "queries"): _QUERIES,
    ("advise", "queries"): _QUERIES,
    ("advise", "source"): "a text or a list of tables",
}


@dataclass(frozen=True, slots=True)
class ServerRows:
    """The rows of a function that a Spark Connect server has computed.

    title: the statement, table or source that they are about. columns: their names.
    """

    title: str
    columns: tuple[str, ...]
    fetched: tuple[Row, ...]

    def rows(self) -> tuple[Row, ...]:
        """The rows, with the columns of the SQL function as attributes."""
        return self.fetched

    def __len__(self) -> int:
        return len(self.fetched)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.fetched)

    def __str__(self) -> str:
        blocks = [visible_lines(self.title)]
        for row in self.fetched:
            values = zip(self.columns, row, strict=True)
            blocks.append(join_visible(f"{name}: {_text(v)}" for name, v in values if v is not None))
        if not self.fetched:
            blocks.append("no rows")
        return "\n\n".join(blocks)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        cells = [["" if v is None else markup.html_text(_text(v)) for v in row] for row in self.fetched]
        title = f"<pre>{html(self.title)}</pre>"
        return markup.box(title, markup.table(list(map(markup.html_text, self.columns)), cells))


def _text(value: object) -> str:
    if isinstance(value, tuple) and hasattr(value, "asDict"):  # a struct
        return ", ".join(f"{name}: {_text(field)}" for name, field in value.asDict().items())
    return "; ".join(map(_text, value)) if isinstance(value, list) else str(value)


def call(public_name: str, spark: SparkSession, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The rows of the server's function for a public function.

    public_name: of the public function. args, kwargs: its arguments after the session. Raises IcebergSqlError for an
    argument that the server's function does not take, for what it refuses, and if the server does not have it or is
    lost.
    """
    function = SERVER_FUNCTIONS[public_name]
    values = _bind(public_name, function, args, kwargs)
    clauses: list[str] = []
    parameters: dict[str, Any] = {}
    for argument, value in values.items():
        if isinstance(value, list):
            names = [f"{argument}_{number}" for number in range(len(value))]
            clause = f"array({', '.join(f':{name}' for name in names)})"
            parameters |= zip(names, value, strict=True)
        else:
            clause = f":{argument}"
            parameters[argument] = value
        clauses.append(f"{argument} => {clause}")
    with remote.explaining_lost_server(spark), remote.without_error_logs():
        try:
            frame = remote.unchecked_sql(spark)(f"SELECT * FROM {function.name}({', '.join(clauses)})", parameters)
            columns, rows = tuple(frame.columns), tuple(frame.collect())
        except PySparkException as error:
            if remote.has_no_function(error):
                raise IcebergSqlError(f"the server of this session has no {function.name}\n{remote.START}") from None
            if remote.is_lost(error):
                raise
            raise IcebergSqlError(remote.refusal_message(error)) from None
    return ServerRows(_text(values[function.positional[0]]), columns, rows)


def _bind(public_name: str, function: ServerFunction, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by their names; None is an argument's default value."""
    if len(args) > len(function.positional):
        raise IcebergSqlError(
            f"sis.{public_name} takes {' and '.join(f'`{name}`' for name in function.positional)} after the session, "
            f"not {len(args)} values"
        )
    values = dict(zip(function.positional, args, strict=False))
    for name, value in kwargs.items():
        if name in values:
            raise IcebergSqlError(f"`{name}` of sis.{public_name} has two values", argument=name)
        if name not in function.arguments and value is not None:
            accepted = ", ".join(f"`{argument}`" for argument in function.arguments)
            raise IcebergSqlError(
                f"`{name}` of sis.{public_name} does not work in a Spark Connect session: "
                f"the server's {function.name} takes {accepted}",
                argument=name,
            )
        values[name] = value
    missing = [name for name in function.positional if values.get(name) is None]
    if missing:
        raise IcebergSqlError(f"`{missing[0]}` of sis.{public_name} is missing", argument=missing[0])
    return {name: _value(public_name, name, v) for name, v in values.items() if v is not None}


def _value(public_name: str, name: str, value: Any) -> Any:
    """A value as a parameter of `spark.sql`."""
    if isinstance(value, str) or (name == "commits" and isinstance(value, int)):
        return value
    if (public_name, name) in _LISTS and isinstance(value, (list, tuple)):
        texts = list(value)
        if texts and all(isinstance(text, str) for text in texts):
            return texts
    expected = _LISTS.get((public_name, name), "a text")
    raise IcebergSqlError(
        f"`{name}` of sis.{public_name} must be {expected} in a Spark Connect session, not {type(value).__name__}",
        argument=name,
    )
