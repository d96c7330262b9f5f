"""Tables created with DataFrame writers, as the CREATE TABLE statement that Spark runs for the calls.

Each word of the statement has the position of the argument that it comes from. An argument whose value is unknown is a
placeholder, like a field of an f-string. If the format or the save mode is unknown, the calls are not read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from spark_iceberg_sql.files.python.calls import argument, method_of, name_span
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.python.tables.dataframe_schemas import dataframe_query
from spark_iceberg_sql.files.python.tables.inserts import (
    HELP,
    SHARED_WRITER,
    PartitionedWriter,
    insert_problems,
    partitioned_writers,
)
from spark_iceberg_sql.files.python.tables.partition_terms import PartitionTerms, add_name, string
from spark_iceberg_sql.files.source import ExtractionProblem
from spark_iceberg_sql.files.source_map import APPEND, FragmentBuilder, SqlFragment, side_effect_marker

V1, V2 = "DataFrameWriter", "DataFrameWriterV2"
_FINAL_METHODS = {"create": "CREATE TABLE", "replace": "REPLACE TABLE", "createOrReplace": "CREATE OR REPLACE TABLE"}
_SAVE_MODES = {
    **dict.fromkeys(("error", "errorifexists", "default"), "CREATE TABLE"),
    "overwrite": "CREATE OR REPLACE TABLE",
    **dict.fromkeys(("ignore", "append"), "CREATE TABLE IF NOT EXISTS"),
}
_MAX_BINDINGS = 50  # how many earlier bindings are considered
_V1_METHODS = frozenset({"format", "mode", "option", "options", "partitionBy"})
_INSERT_METHODS = _V1_METHODS | {"bucketBy", "sortBy", "clusterBy"}
_V2_METHODS = frozenset({"using", "partitionedBy", "tableProperty", "option", "options"})


class WriterStatement(NamedTuple):
    """The SQL equivalent of some calls. calls: these calls; the last one determines the position."""

    calls: tuple[ast.Call, ...]
    fragment: SqlFragment


class _Chain(NamedTuple):
    """The calls on a writer. frame: the DataFrame. calls: in order, without the final one."""

    frame: ast.expr
    calls: tuple[ast.Call, ...]

    def last(self, method: str) -> ast.Call | None:
        """The last call of a method, which overrides the earlier ones."""
        return next((call for call in reversed(self.calls) if method_of(call) == method), None)


def writer_statements(program: Program) -> Iterator[WriterStatement | ExtractionProblem]:
    """The CREATE TABLE statements of DataFrame writers that set a partitioning, or whose columns are known.

    A call on a writer that has a name and that other statements use, too, is not read: they may change the writer.
    """
    partitioned_list: list[PartitionedWriter] | None = None
    for call in program.calls_of((*_FINAL_METHODS, "saveAsTable", "insertInto")):
        method = method_of(call)
        if method in _FINAL_METHODS and not call.args and not call.keywords:
            statement, root = _by_v2(program, call, _FINAL_METHODS[method]), "writeTo"
        elif method == "saveAsTable":
            statement, root = _by_v1(program, call), "write"
        elif method == "insertInto":
            partitioned_list = partitioned_list if partitioned_list is not None else partitioned_writers(program)
            chain = _chain(program, call, _INSERT_METHODS, "write", allow_shared=True)
            chain_calls = chain.calls if chain is not None else None
            yield from insert_problems(program, call, chain_calls, partitioned_list)
            continue
        else:
            continue
        if statement is not None:
            yield statement
        elif (writer_start := _shared_writer(program, call, root)) is not None:
            yield ExtractionProblem(program.part, *program.span(call), SHARED_WRITER, HELP)
            if root == "writeTo":  # the table is created here, not where the writer is defined
                table = argument(writer_start, 0, "table") if isinstance(writer_start, ast.Call) else None
                name = program.string_value(table) if table is not None else None
                marker = side_effect_marker(program.span(call)[1], program.part, None if name is None else (name,))
                yield WriterStatement((call,), marker)


def _chain(
    program: Program, final_call: ast.Call, methods: frozenset[str], root: str, *, allow_shared: bool = False
) -> _Chain | None:
    """The chain of calls from `root` to the final call; None if it contains another method.

    methods: those allowed in it. allow_shared: other statements may use a writer in it as well.
    """
    calls: list[ast.Call] = []
    value = final_call.func.value if isinstance(final_call.func, ast.Attribute) else None
    while value is not None:
        if isinstance(value, ast.Name):
            definition = program.definition(value)
            value = definition if definition is not value and (allow_shared or program.is_used_once(value)) else None
        elif isinstance(value, ast.Attribute) and value.attr == root:
            return _Chain(value.value, tuple(reversed(calls)))
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            calls.append(value)
            if value.func.attr == root:
                return _Chain(value.func.value, tuple(reversed(calls)))
            value = value.func.value if value.func.attr in methods else None
        else:
            value = None
    return None


def _shared_writer(program: Program, final_call: ast.Call, root: str) -> ast.expr | None:
    """The start of a final call's writer if other statements use it, too, and its format may be Iceberg."""
    if "iceberg" not in program.full_text.lower():
        return None
    format_argument = argument(final_call, 1, "format") if root == "write" else None
    stack: list[tuple[ast.expr, ast.expr | None, list[ast.Name]]] = [(final_call.func, format_argument, [])]
    visited: set[int] = set()
    while stack:
        value, provider, names = stack.pop()
        while isinstance(value, ast.Call | ast.Attribute):
            call, value = (value, value.func) if isinstance(value, ast.Call) else (None, value)
            method = value.attr if isinstance(value, ast.Attribute) else ""
            if method == root:
                if _may_be_iceberg(program, provider) and not all(map(program.is_used_once, names)):
                    return call or value
                break
            if call is not None and method in ("using", "format"):
                provider = provider or argument(call, 0, "provider" if root != "write" else "source")
            value = value.value if isinstance(value, ast.Attribute) else value
            if isinstance(value, ast.Name) and id(value) not in visited and len(visited) < _MAX_BINDINGS:
                visited.add(id(value))
                definition = program.definition(value)
                owners = [definition] if definition is not None else program.symbols.all_values(value)[:_MAX_BINDINGS]
                stack += [(owner, provider, [*names, value]) for owner in owners]
    return None


def _may_be_iceberg(program: Program, provider: ast.expr | None) -> bool:
    format_name = program.string_value(provider) if provider is not None else None
    return format_name is None or format_name.lower() == "iceberg"


def _by_v2(program: Program, final_call: ast.Call, verb: str) -> WriterStatement | None:
    chain = _chain(program, final_call, _V2_METHODS, "writeTo")
    if chain is None:
        return None
    table = argument(chain.calls[0], 0, "table")
    using, partition_call = chain.last("using"), chain.last("partitionedBy")
    provider = argument(using, 0, "provider") if using is not None else None
    if table is None or (using is not None and not _is_iceberg(program, provider)):
        return None
    partition_terms = PartitionTerms(program, chain.frame)
    terms: list[ast.expr] = []
    if partition_call is not None:
        terms = [*partition_call.args, *(k.value for k in partition_call.keywords if k.arg == "col")]
    if using is None and not partition_terms.mentions_iceberg(terms):
        return None
    builder = _StatementBuilder(program, V2, final_call)
    builder.add_keywords(verb, chain.calls[0])
    add_name(program, table, builder.fragment_builder)
    if provider is not None:
        builder.add_keywords(" USING iceberg", provider)
    if partition_call is not None:
        partition_terms.add_clause(builder.fragment_builder, partition_call, terms)
    builder.add_properties([chain_call for chain_call in chain.calls if method_of(chain_call) == "tableProperty"])
    return builder.build((chain.calls[0], final_call), chain.frame, partition_terms, partition_call)


def _by_v1(program: Program, final_call: ast.Call) -> WriterStatement | None:
    chain = _chain(program, final_call, _V1_METHODS, "write")
    table = argument(final_call, 0, "name")
    if chain is None or table is None or any(k.arg is None for k in final_call.keywords):
        return None
    values = {}
    for index, name in enumerate(("format", "mode"), start=1):
        chain_call = chain.last(name)
        value = argument(final_call, index, name)
        if value is None and chain_call is not None:
            value = argument(chain_call, 0, {"format": "source", "mode": "saveMode"}[name])
            if value is None:
                return None
        values[name] = value
    save_mode = program.string_value(values["mode"]) if values["mode"] is not None else "error"
    verb = _SAVE_MODES.get((save_mode or "").lower())
    if not _is_iceberg(program, values["format"]) or verb is None:
        return None
    partition_call = chain.last("partitionBy")
    column_argument = argument(final_call, 3, "partitionBy")
    terms = [*partition_call.args] if partition_call is not None else []
    if column_argument is not None:
        terms, partition_call = [column_argument], final_call
    builder = _StatementBuilder(program, APPEND if (save_mode or "").lower() == "append" else V1, final_call)
    builder.add_keywords(verb, final_call)
    add_name(program, table, builder.fragment_builder)
    if values["format"] is not None:
        builder.add_keywords(" USING iceberg", values["format"])
    partition_terms = PartitionTerms(program, chain.frame, names_only=True)
    if partition_call is not None:
        partition_terms.add_clause(builder.fragment_builder, partition_call, terms)
    return builder.build((final_call,), chain.frame, partition_terms, partition_call)


def _is_iceberg(program: Program, value: ast.expr | None) -> bool:
    return value is not None and (program.string_value(value) or "").lower() == "iceberg"


class _StatementBuilder:
    """Builds a statement. final_call: the call that runs it."""

    def __init__(self, program: Program, api: str, final_call: ast.Call) -> None:
        self._program = program
        self._api = api
        self.fragment_builder = FragmentBuilder(program.part)
        self.fragment_builder.begin_literal(is_exclusive=False)  # these words do not occur in the program

    def add_keywords(self, text: str, node: ast.expr) -> None:
        """Add keywords at the position of a node; for a call, of its method's name."""
        start, end = name_span(self._program, node) if isinstance(node, ast.Call) else self._program.span(node)
        self.fragment_builder.add(text, start, end)
        self.fragment_builder.add(" ", end, end)

    def add_properties(self, calls: list[ast.Call]) -> None:
        """TBLPROPERTIES, from the calls whose key and value are literals."""
        pairs = []
        for call in calls:
            key, value = argument(call, 0, "property"), argument(call, 1, "value")
            if key is None or value is None:
                continue
            texts = self._program.string_value(key), self._program.string_value(value)
            if texts[0] is not None and texts[1] is not None:
                pairs.append((key, texts[0], value, texts[1]))
        for number, (key, name, value, content) in enumerate(pairs):
            self.add_keywords(", " if number else " TBLPROPERTIES (", key)
            self.fragment_builder.add(string(name), *self._program.span(key))
            self.add_keywords(" = ", value)
            self.fragment_builder.add(string(content), *self._program.span(value))
        if pairs:
            self.add_keywords(")", pairs[-1][2])

    def build(
        self,
        calls: tuple[ast.Call, ...],
        frame: ast.expr,
        partition_terms: PartitionTerms,
        partition_call: ast.Call | None,
    ) -> WriterStatement | None:
        """The statement, with the DataFrame's query; None if neither columns nor partitioning are known."""
        query = dataframe_query(self._program, frame)
        if query is None and partition_call is None:
            return None
        frame_span = self._program.span(frame)
        self.fragment_builder.add(f" AS {query or 'SELECT f()'}", *frame_span)
        fragment = replace(self.fragment_builder.build(), api=self._api, overrides=tuple(partition_terms.overrides))
        return WriterStatement(calls, fragment)
