"""Tables created with DataFrame writers, as the CREATE TABLE statement that Spark runs for the calls.

Each word of the statement has the position of the argument that it comes from. An argument whose value is
unknown is a placeholder, like a field of an f-string. If the format or the save mode is unknown, the calls
are not read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from spark_iceberg_sql.files.python.calls import argument, method_of, name_place
from spark_iceberg_sql.files.python.frames import query_of
from spark_iceberg_sql.files.python.inserts import (
    HELP,
    SHARED,
    Partitioned,
    all_partitioned,
    inserted,
)
from spark_iceberg_sql.files.python.partition_terms import Partitions, add_name, string
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source import Unread
from spark_iceberg_sql.files.source_map import APPEND, Piece, PieceMaker, anything

V1, V2 = "DataFrameWriter", "DataFrameWriterV2"
_ENDS = {
    "create": "CREATE TABLE",
    "replace": "REPLACE TABLE",
    "createOrReplace": "CREATE OR REPLACE TABLE",
}
_MODES = {
    **dict.fromkeys(("error", "errorifexists", "default"), "CREATE TABLE"),
    "overwrite": "CREATE OR REPLACE TABLE",
    **dict.fromkeys(("ignore", "append"), "CREATE TABLE IF NOT EXISTS"),
}
_RECENT = 50  # how many earlier bindings are considered
_V1_STEPS = frozenset({"format", "mode", "option", "options", "partitionBy"})
_INSERT_STEPS = _V1_STEPS | {"bucketBy", "sortBy", "clusterBy"}
_V2_STEPS = frozenset({"using", "partitionedBy", "tableProperty", "option", "options"})


class Written(NamedTuple):
    """The SQL equivalent of some calls. calls: these calls; the last one determines the position."""

    calls: tuple[ast.Call, ...]
    piece: Piece


class _Chain(NamedTuple):
    """The calls on a writer. frame: the DataFrame. calls: in order, without the final one."""

    frame: ast.expr
    steps: tuple[ast.Call, ...]

    def last(self, method: str) -> ast.Call | None:
        """The last call of a method, which overrides the earlier ones."""
        return next((step for step in reversed(self.steps) if method_of(step) == method), None)


def written(program: Program) -> Iterator[Written | Unread]:
    """The CREATE TABLE statements of DataFrame writers that set a partitioning, or whose columns are known.

    A call on a writer that has a name and that other statements use, too, is not read: they may change the writer.
    """
    partitioned: list[Partitioned] | None = None
    for call in program.nodes:
        if not isinstance(call, ast.Call):
            continue
        method = method_of(call)
        if method in _ENDS and not call.args and not call.keywords:
            found, root = _by_v2(program, call, _ENDS[method]), "writeTo"
        elif method == "saveAsTable":
            found, root = _by_v1(program, call), "write"
        elif method == "insertInto":
            partitioned = partitioned if partitioned is not None else all_partitioned(program)
            chain = _chain(program, call, _INSERT_STEPS, "write", shared=True)
            steps = chain.steps if chain is not None else None
            yield from inserted(program, call, steps, partitioned)
            continue
        else:
            continue
        if found is not None:
            yield found
        elif (start := _shared(program, call, root)) is not None:
            yield Unread(program.part, *program.place(call), SHARED, HELP)
            if root == "writeTo":  # the table is created here, not where the writer is defined
                table = argument(start, 0, "table") if isinstance(start, ast.Call) else None
                name = program.words(table) if table is not None else None
                end = program.place(call)[1]
                made = (name,) if name is not None else None
                yield Written((call,), anything(end, program.part, made))


def _chain(
    program: Program, end: ast.Call, steps: frozenset[str], root: str, *, shared: bool = False
) -> _Chain | None:
    """The chain of calls from `root` to the final call; None if it contains another method.

    methods: those allowed in it. allow_shared: other statements may use a writer in it as well.
    """
    found: list[ast.Call] = []
    value = end.func.value if isinstance(end.func, ast.Attribute) else None
    while value is not None:
        if isinstance(value, ast.Name):
            bound = program.bound(value)
            value = bound if bound is not value and (shared or program.alone(value)) else None
        elif isinstance(value, ast.Attribute) and value.attr == root:
            return _Chain(value.value, tuple(reversed(found)))
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            found.append(value)
            if value.func.attr == root:
                return _Chain(value.func.value, tuple(reversed(found)))
            value = value.func.value if value.func.attr in steps else None
        else:
            value = None
    return None


def _shared(program: Program, end: ast.Call, root: str) -> ast.expr | None:
    """The start of a final call's writer if other statements use it, too, and its format may be Iceberg."""
    if "iceberg" not in program.everything.lower():
        return None
    given = argument(end, 1, "format") if root == "write" else None
    waiting: list[tuple[ast.expr, ast.expr | None, list[ast.Name]]] = [(end.func, given, [])]
    seen: set[int] = set()
    while waiting:
        value, provider, names = waiting.pop()
        while isinstance(value, ast.Call | ast.Attribute):
            call, value = (value, value.func) if isinstance(value, ast.Call) else (None, value)
            method = value.attr if isinstance(value, ast.Attribute) else ""
            if method == root:
                if _may_be_iceberg(program, provider) and not all(map(program.alone, names)):
                    return call or value
                break
            if call is not None and method in ("using", "format"):
                provider = provider or argument(
                    call, 0, "provider" if root != "write" else "source"
                )
            value = value.value if isinstance(value, ast.Attribute) else value
            if isinstance(value, ast.Name) and id(value) not in seen and len(seen) < _RECENT:
                seen.add(id(value))
                bound = program.bound(value)
                owners = [bound] if bound is not None else program.every(value)[:_RECENT]
                waiting += [(owner, provider, [*names, value]) for owner in owners]
    return None


def _may_be_iceberg(program: Program, provider: ast.expr | None) -> bool:
    words = program.words(provider) if provider is not None else None
    return words is None or words.lower() == "iceberg"


def _by_v2(program: Program, end: ast.Call, verb: str) -> Written | None:
    chain = _chain(program, end, _V2_STEPS, "writeTo")
    if chain is None:
        return None
    table = argument(chain.steps[0], 0, "table")
    using, by = chain.last("using"), chain.last("partitionedBy")
    provider = argument(using, 0, "provider") if using is not None else None
    if table is None or (using is not None and not _is_iceberg(program, provider)):
        return None
    partitions = Partitions(program, chain.frame)
    terms = list(by.args) if by is not None else []
    named = by.keywords if by is not None else []
    terms = [*terms, *(k.value for k in named if k.arg == "col")]
    if using is None and not partitions.speaks_of_iceberg(terms):
        return None
    maker = _Maker(program, V2, end)
    maker.word(verb, chain.steps[0])
    add_name(program, table, maker.maker)
    if provider is not None:
        maker.word(" USING iceberg", provider)
    if by is not None:
        partitions.clause(maker.maker, by, terms)
    maker.properties([step for step in chain.steps if method_of(step) == "tableProperty"])
    return maker.statement((chain.steps[0], end), chain.frame, partitions, by)


def _by_v1(program: Program, end: ast.Call) -> Written | None:
    chain = _chain(program, end, _V1_STEPS, "write")
    table = argument(end, 0, "name")
    if chain is None or table is None or any(k.arg is None for k in end.keywords):
        return None
    values = {}
    for place, (name, method) in enumerate((("format", "format"), ("mode", "mode")), start=1):
        step = chain.last(method)
        given = argument(end, place, name)
        if given is None and step is not None:
            given = argument(step, 0, {"format": "source", "mode": "saveMode"}[name])
            if given is None:
                return None
        values[name] = given
    words = program.words(values["mode"]) if values["mode"] is not None else "error"
    verb = _MODES.get((words or "").lower())
    if not _is_iceberg(program, values["format"]) or verb is None:
        return None
    by = chain.last("partitionBy")
    listed = argument(end, 3, "partitionBy")
    terms = [*by.args] if by is not None else []
    if listed is not None:
        terms, by = [listed], end
    maker = _Maker(program, APPEND if (words or "").lower() == "append" else V1, end)
    maker.word(verb, end)
    add_name(program, table, maker.maker)
    if values["format"] is not None:
        maker.word(" USING iceberg", values["format"])
    partitions = Partitions(program, chain.frame, names_only=True)
    if by is not None:
        partitions.clause(maker.maker, by, terms)
    return maker.statement((end,), chain.frame, partitions, by)


def _is_iceberg(program: Program, value: ast.expr | None) -> bool:
    return value is not None and (program.words(value) or "").lower() == "iceberg"


class _Maker:
    """Builds a statement. final_call: the call that runs it."""

    def __init__(self, program: Program, api: str, end: ast.Call) -> None:
        self._program = program
        self._api = api
        self.maker = PieceMaker(program.part)
        self.maker.literal(own=False)  # these words do not occur in the program

    def word(self, text: str, at: ast.expr) -> None:
        """Add keywords at the position of a node; for a call, of its method's name."""
        start, end = (
            name_place(self._program, at) if isinstance(at, ast.Call) else self._program.place(at)
        )
        self.maker.add(text, start, end)
        self.maker.add(" ", end, end)

    def properties(self, steps: list[ast.Call]) -> None:
        """TBLPROPERTIES, from the calls whose key and value are literals."""
        found = []
        for step in steps:
            key, value = argument(step, 0, "property"), argument(step, 1, "value")
            if key is None or value is None:
                continue
            words = self._program.words(key), self._program.words(value)
            if words[0] is not None and words[1] is not None:
                found.append((key, words[0], value, words[1]))
        for number, (key, name, value, content) in enumerate(found):
            self.word(", " if number else " TBLPROPERTIES (", key)
            self.maker.add(string(name), *self._program.place(key))
            self.word(" = ", value)
            self.maker.add(string(content), *self._program.place(value))
        if found:
            self.word(")", found[-1][2])

    def statement(
        self,
        calls: tuple[ast.Call, ...],
        frame: ast.expr,
        partitions: Partitions,
        by: ast.Call | None,
    ) -> Written | None:
        """The statement, with the DataFrame's query; None if neither columns nor partitioning are known."""
        query = query_of(self._program, frame)
        if query is None and by is None:
            return None
        at = self._program.place(frame)
        self.maker.add(f" AS {query or 'SELECT f()'}", *at)
        piece = replace(self.maker.piece(), api=self._api, said=tuple(partitions.said))
        return Written(calls, piece)
