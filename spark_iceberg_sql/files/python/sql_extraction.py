"""SQL in a Python program: the strings that it passes to `spark.sql(...)`, with their positions.

In: the text of a program. Out: its fragments in the order of the calls' ends, each with its branches, and the calls
that cannot be read. Other modules of this folder add statements that are equivalent to calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from spark_iceberg_sql.files.databricks import magic_cells
from spark_iceberg_sql.files.python.branches import find_branches
from spark_iceberg_sql.files.python.calls import argument, method_of
from spark_iceberg_sql.files.python.parsing import syntax_tree
from spark_iceberg_sql.files.python.prefilter import CASE_SENSITIVE, EXPRESSION_METHODS, FILTER_METHODS, SQL_ARGUMENTS
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.python.sql_aliases import sql_method_uses
from spark_iceberg_sql.files.python.sql_sinks import is_spark_sql, is_sql_file_name, literals_of, sink_arguments
from spark_iceberg_sql.files.python.tables.dataframe_schemas import dataframe_query
from spark_iceberg_sql.files.python.tables.dataframe_writers import writer_statements
from spark_iceberg_sql.files.python.tables.pyiceberg import pyiceberg_statements
from spark_iceberg_sql.files.python.tables.table_side_effects import SIDE_EFFECT_METHODS, side_effect_calls
from spark_iceberg_sql.files.python.tables.writer_options import option_problems
from spark_iceberg_sql.files.python.tables.writer_partitioning import partitioning_problems
from spark_iceberg_sql.files.source import ExtractionProblem
from spark_iceberg_sql.files.source_map import FragmentBuilder, SqlFragment, branch_paths, side_effect_marker
from spark_iceberg_sql.model.transforms import FUNCTION_CALL

# Arguments of `spark.sql` and of this package's `sql` that are not values for the text's `{names}`.
_OWN_ARGUMENTS = frozenset({*SQL_ARGUMENTS, "args", "spark"})
# What must occur in a SQL expression.
_FUNCTIONS = re.compile(FUNCTION_CALL, re.IGNORECASE)
_CASE_REASON = "whether names are case-sensitive is decided when the program runs"
_CASE_HELP = "set the key `case-sensitive` of the settings, and write the value in the call"
_RUNTIME_SQL = "the program builds this SQL at run time"
_UNTRACED_USE = "the arguments of `{}` are unknown here"
_SELECT_ALL = re.compile(r"SELECT \* FROM ([\w.]+)")


def python_sql(
    text: str,
    unit_index: int = 0,
    fallback_text: str | None = None,
    other_text: str = "",
    callables: Sequence[str] = (),
) -> tuple[list[SqlFragment], list[ExtractionProblem]]:
    """The SQL of every `.sql(...)` call, in the order of the text, and the calls that cannot be read.

    Calls that create tables without SQL become empty fragments. text: the program. unit_index: its index among the
    file's text units. fallback_text: the text to parse if this one is not valid Python, of the same length: without
    IPython's lines. other_text: other texts of the same program, which may use its names.
    callables: the functions that pass SQL to Spark, as `sink_arguments` takes them.
    """
    try:
        tree = _parsed(text, fallback_text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        where = f" (line {line}: {getattr(error, 'msg', error)})" if line else ""
        reason = f"the program is not valid Python{where}"
        if isinstance(error, RecursionError | MemoryError):
            reason = "the program is nested too deeply to be read"
        return [], [ExtractionProblem(unit_index, 0, 0, reason)]
    reader = _SqlExtractor(text, unit_index, tree, other_text)
    fragments = [(fragment.starts[0], fragment) for fragment in magic_cells(text, unit_index)]
    side_effects, problems = reader.side_effects()
    fragments += [*side_effects, *reader.expressions()]
    for end, result in (*reader.settings(), *reader.sql_calls(), *reader.sink_calls(callables)):
        if isinstance(result, SqlFragment):
            fragments.append((end, result))
        else:
            problems.append(result)
    return reader.with_branches(sorted(fragments, key=lambda pair: pair[0])), problems


def _parsed(text: str, fallback_text: str | None) -> ast.Module:
    try:
        return syntax_tree(text)
    except SyntaxError:
        if fallback_text is None:
            raise
        return syntax_tree(fallback_text)


class _SqlExtractor(Program):
    def __init__(self, text: str, unit_index: int, tree: ast.Module, other_text: str) -> None:
        super().__init__(text, unit_index, tree, other_text)
        self._visited_ids: set[int] = set()

    def sql_calls(self) -> Iterator[tuple[int, SqlFragment | ExtractionProblem]]:
        """The SQL of `.sql(...)`, under this name or another one."""
        uses = sql_method_uses(self)
        calls = [*uses.calls, *(call for call in self.calls_of(("sql",)) if method_of(call))]
        for call in sorted(calls, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0)):
            yield from ((self.end_of(call), result) for result in self.call_fragments(call))
        for call, arguments, is_certain in uses.passed:
            end = self.end_of(call)
            for value in arguments:
                for literal in literals_of(self, value) or [value]:
                    if self.has_text(literal):
                        fragments = self._new_fragments(literal, "", is_exclusive=False)
                        yield from ((end, p) for p in fragments if is_certain or is_spark_sql(p.sql))
                    elif is_certain and not isinstance(literal, ast.Constant):
                        yield end, ExtractionProblem(self.part, *self.span(literal), _RUNTIME_SQL)
        for value in uses.untraced:
            start, end = self.span(value)
            yield (end, ExtractionProblem(self.part, start, end, _UNTRACED_USE.format(self.source(value))))

    def side_effects(self) -> tuple[list[tuple[int, SqlFragment]], list[ExtractionProblem]]:
        """The changes of tables without SQL, as statements where these are known."""
        results = [*writer_statements(self), *pyiceberg_statements(self)]
        statements = [statement for statement in results if not isinstance(statement, ExtractionProblem)]
        handled_ids = {id(call) for statement in statements for call in statement.calls}
        markers = [(self.span(statement.calls[-1])[1], statement.fragment) for statement in statements]
        for call, names in side_effect_calls(self.calls_of(SIDE_EFFECT_METHODS), self.string_value):
            if id(call) not in handled_ids:
                end = self.span(call)[1]
                markers.append((end, side_effect_marker(end, self.part, names)))
        problems = [result for result in results if isinstance(result, ExtractionProblem)]
        return markers, [*problems, *partitioning_problems(self), *option_problems(self)]

    def expressions(self) -> Iterator[tuple[int, SqlFragment]]:
        """The strings passed to `selectExpr`, `expr`, `filter` and `where` that the rules about queries check."""
        for call in self.calls_of(EXPRESSION_METHODS):
            function = method_of(call) or getattr(call.func, "id", "")
            frame = call.func.value if isinstance(call.func, ast.Attribute) else None
            for value in call.args:
                text = self.string_value(value)
                query = dataframe_query(self, frame) if frame is not None and text is not None else None
                is_filter = function in FILTER_METHODS
                if text is None or not (_FUNCTIONS.search(text) or (is_filter and query)):
                    continue
                yield self.end_of(call), self._expression(value, query, is_filter=is_filter)

    def _expression(self, value: ast.expr, query: str | None, *, is_filter: bool) -> SqlFragment:
        """A query with an expression."""
        start, end = self.span(value)
        table = _SELECT_ALL.fullmatch(query or "")
        relation = f" FROM {table[1] if table is not None else f'({query})'}" if query else ""
        builder = FragmentBuilder(self.part)
        builder.begin_literal(is_exclusive=False)
        builder.add(f"SELECT *{relation or ' FROM `?`'} WHERE " if is_filter else "SELECT ", start, start)
        self.add(value, builder, "", is_exclusive=self.is_used_once(value))
        builder.begin_literal(is_exclusive=False)
        builder.add("" if is_filter else relation, end, end)
        return builder.build()

    def settings(self) -> Iterator[tuple[int, SqlFragment | ExtractionProblem]]:
        """The calls that set `spark.sql.caseSensitive`, as SET statements."""
        if CASE_SENSITIVE.search(self.text) is None:
            return
        for call in self.calls_of(("set", "config", "unset")):
            if not method_of(call):
                continue
            arguments = [argument(call, i, name) for i, name in enumerate(("key", "value"))]
            key = self.string_value(arguments[0]) if arguments[0] is not None else None
            if key is None or CASE_SENSITIVE.fullmatch(key) is None:
                continue
            value = (self.definition(arguments[1]) or arguments[1]) if arguments[1] is not None else None
            text = self.string_value(value) if value is not None else "false"
            if isinstance(value, ast.Constant) and isinstance(value.value, bool):
                text = str(value.value)
            span, end = self.span(call), self.end_of(call)
            if text is None or text.lower() not in ("true", "false"):
                yield end, ExtractionProblem(self.part, *span, _CASE_REASON, _CASE_HELP)
                continue
            builder = FragmentBuilder(self.part)
            builder.begin_literal(is_exclusive=False)
            builder.add(f"SET {key}={text.lower()}", *span)
            yield end, builder.build()

    def with_branches(self, fragments: list[tuple[int, SqlFragment]]) -> list[SqlFragment]:
        """The fragments in the order of their ends, each with the branches that it is in."""
        if not fragments:
            return []
        ranges = [(branch.start, branch.end, branch) for branch in find_branches(self.nodes, self.span, self.part)]
        paths = branch_paths([(end - 1, end) for end, _ in fragments], ranges)
        return [
            replace(fragment, branch_ranges=tuple((0, len(fragment.sql), branch) for branch in path))
            if path
            else fragment
            for (_, fragment), path in zip(fragments, paths, strict=True)
        ]

    def sink_calls(self, callables: Sequence[str]) -> Iterator[tuple[int, SqlFragment | ExtractionProblem]]:
        """The SQL of calls other than `.sql(...)` that pass it to Spark."""
        for call, sink in sink_arguments(self, callables):
            if method_of(call) == "sql":
                continue
            arguments = (*call.args, *(keyword.value for keyword in call.keywords))
            is_exclusive = all(map(self.is_used_once, arguments))
            for value in sink.values:
                if self.has_text(value):
                    if id(value) not in self._visited_ids and not is_sql_file_name(self, value):
                        builder = FragmentBuilder(self.part)
                        self.add(value, builder, "", is_exclusive)
                        fragment = builder.build()
                        if sink.is_certain or is_spark_sql(fragment.sql):
                            self._visited_ids.add(id(value))
                            yield self.end_of(call), fragment
                elif sink.is_certain:
                    yield (self.end_of(call), ExtractionProblem(self.part, *self.span(value), _RUNTIME_SQL))

    def end_of(self, call: ast.Call) -> int:
        """The offset at which a call ends."""
        return self.span(call)[1]

    def call_fragments(self, call: ast.Call) -> Iterator[SqlFragment | ExtractionProblem]:
        """The SQL passed to a call, without literals read before."""
        keywords = {k.arg: k.value for k in call.keywords if k.arg is not None}
        arguments = [*call.args[:2], *(keywords[name] for name in SQL_ARGUMENTS if name in keywords)]
        format_char = "{" if set(keywords) - _OWN_ARGUMENTS else ""
        for node in arguments:
            values = self.literal_values(node)
            if all(self.has_text(value) for value in values):
                break
        else:
            arguments += [keyword.value for keyword in call.keywords if keyword.arg is None]
            if arguments:
                yield ExtractionProblem(self.part, *self.span(arguments[-1]), _RUNTIME_SQL)
            return
        for value in values:
            yield from self._new_fragments(value, format_char, is_exclusive=self.is_used_once(node))

    def _new_fragments(self, value: ast.expr, format_char: str, *, is_exclusive: bool) -> Iterator[SqlFragment]:
        """The SQL of an expression, if it was not read before."""
        if id(value) not in self._visited_ids:
            self._visited_ids.add(id(value))
            builder = FragmentBuilder(self.part)
            self.add(value, builder, format_char, is_exclusive)
            yield builder.build()
