"""SQL in a Python program: the strings that it passes to `spark.sql(...)`, with their positions.

In: the text of a program. Out: its fragments in the order of the calls' ends, each with its branches, and the
calls that cannot be read. Other modules of this folder add statements that are equivalent to calls.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

from spark_iceberg_sql.files.databricks import magic_cells
from spark_iceberg_sql.files.python.branches import arms
from spark_iceberg_sql.files.python.callables import given_to, is_file, says_so, texts_of
from spark_iceberg_sql.files.python.calls import argument, method_of
from spark_iceberg_sql.files.python.changed_tables import makers
from spark_iceberg_sql.files.python.dataframe_writers import written
from spark_iceberg_sql.files.python.frames import query_of
from spark_iceberg_sql.files.python.method_values import method_values
from spark_iceberg_sql.files.python.program import Program, has_text
from spark_iceberg_sql.files.python.pyiceberg import pyiceberg_statements
from spark_iceberg_sql.files.source import Unread
from spark_iceberg_sql.files.source_map import Arm, Piece, PieceMaker, anything

# Arguments of `spark.sql` and of this package's `sql` that are not values for the text's `{names}`.
_OWN_ARGUMENTS = frozenset({"sqlQuery", "text", "args", "spark"})
# Methods and functions that take SQL expressions, and what must occur in one.
_EXPRESSIONS = frozenset({"selectExpr", "expr", "filter", "where"})
_FUNCTIONS = re.compile(r"\biceberg_\w+\s*\(|\.\s*system\s*\.", re.IGNORECASE)
CASE_SENSITIVE = re.compile(r"spark\.sql\.caseSensitive", re.IGNORECASE)
_CASE = "whether names are case-sensitive is decided when the program runs"
_CASE_HELP = "set the key `case-sensitive` of the settings, and write the value in the call"
_BUILT = "the program builds this SQL at run time"
_UNSEEN = "the arguments of `{}` are unknown here"
_ALL_OF = re.compile(r"SELECT \* FROM ([\w.]+)")


def python_sql(
    text: str,
    part: int = 0,
    otherwise: str | None = None,
    beside: str = "",
    callables: Sequence[str] = (),
) -> tuple[list[Piece], list[Unread]]:
    """The SQL of every `.sql(...)` call, in the order of the text, and the calls that cannot be read.

    Calls that create tables without SQL become empty fragments. text: the program. unit_index: its index
    among the file's text units. fallback_text: the text to parse if this one is not valid Python, of the same
    length: without IPython's lines. other_text: other texts of the same program, which may use its names.
    callables: the functions that pass SQL to Spark, as `sink_argument` takes them.
    """
    try:
        tree = _parsed(text, otherwise)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        where = f" (line {line}: {getattr(error, 'msg', error)})" if line else ""
        why = f"the program is not valid Python{where}"
        if isinstance(error, RecursionError | MemoryError):
            why = "the program is nested too deeply to be read"
        return [], [Unread(part, 0, 0, why)]
    reader = _Reader(text, part, tree, beside)
    pieces = [(piece.starts[0], piece) for piece in magic_cells(text, part)]
    made, unread = reader.made()
    pieces += [*made, *reader.expressions()]
    for end, found in (*reader.settings(), *reader.called(), *reader.given(callables)):
        if isinstance(found, Piece):
            pieces.append((end, found))
        else:
            unread.append(found)
    return reader.in_arms(sorted(pieces, key=lambda pair: pair[0])), unread


def valid(text: str) -> bool:
    """True if a text is valid Python."""
    try:
        _parsed(text, None)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _parsed(text: str, otherwise: str | None) -> ast.Module:
    with warnings.catch_warnings():
        # Warnings such as that about "\\d" are not for this check to report.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError:
            if otherwise is None:
                raise
            return ast.parse(otherwise)


class _Reader(Program):
    def __init__(self, text: str, part: int, tree: ast.Module, beside: str) -> None:
        super().__init__(text, part, tree, beside)
        self._done: set[int] = set()

    def called(self) -> Iterator[tuple[int, Piece | Unread]]:
        """The SQL of `.sql(...)`, under this name or another one."""
        uses = method_values(self)
        for call in self._calls(uses.calls):
            for found in self.read(call):
                yield self.end_of(call), found
        for call, arguments, certain in uses.passed:
            end = self.end_of(call)
            for value in arguments:
                for each in texts_of(self, value) or [value]:
                    if has_text(each):
                        pieces = self._once(each, "", own=False)
                        yield from ((end, p) for p in pieces if certain or says_so(p.sql))
                    elif certain and not isinstance(each, ast.Constant):
                        yield end, Unread(self.part, *self.place(each), _BUILT)
        for value in uses.unseen:
            start, end = self.place(value)
            yield end, Unread(self.part, start, end, _UNSEEN.format(self.source(value)))

    def _calls(self, others: list[ast.Call]) -> Iterator[ast.Call]:
        """The calls of a method named `sql`, and others, in order."""
        found = [*others] + [
            node
            for node in self.nodes
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "sql"
        ]
        return iter(
            sorted(found, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
        )

    def made(self) -> tuple[list[tuple[int, Piece]], list[Unread]]:
        """The changes of tables without SQL, as statements where these are known."""
        each = [*written(self), *pyiceberg_statements(self)]
        read = [made for made in each if not isinstance(made, Unread)]
        done = {id(call) for made in read for call in made.calls}
        found = [(self.place(made.calls[-1])[1], made.piece) for made in read]
        for call, names in makers(self.nodes, self.words):
            if id(call) not in done:
                end = self.place(call)[1]
                found.append((end, anything(end, self.part, names)))
        return found, [made for made in each if isinstance(made, Unread)]

    def expressions(self) -> Iterator[tuple[int, Piece]]:
        """The strings passed to `selectExpr`, `expr`, `filter` and `where` that the rules about queries check."""
        for call in self.nodes:
            if not isinstance(call, ast.Call):
                continue
            function = method_of(call) or getattr(call.func, "id", "")
            if function not in _EXPRESSIONS:
                continue
            frame = call.func.value if isinstance(call.func, ast.Attribute) else None
            for value in call.args:
                text = self.words(value)
                query = query_of(self, frame) if frame is not None and text is not None else None
                filters = function in ("filter", "where")
                if text is None or not (_FUNCTIONS.search(text) or (filters and query)):
                    continue
                yield self.end_of(call), self._expression(value, query, filters=filters)

    def _expression(self, value: ast.expr, query: str | None, *, filters: bool) -> Piece:
        """A query with an expression."""
        start, end = self.place(value)
        table = _ALL_OF.fullmatch(query or "")
        relation = f" FROM {table[1] if table is not None else f'({query})'}" if query else ""
        maker = PieceMaker(self.part)
        maker.literal(own=False)
        maker.add(
            f"SELECT *{relation or ' FROM `?`'} WHERE " if filters else "SELECT ", start, start
        )
        self.add(value, maker, "", own=self.alone(value))
        maker.literal(own=False)
        maker.add("" if filters else relation, end, end)
        return maker.piece()

    def settings(self) -> Iterator[tuple[int, Piece | Unread]]:
        """The calls that set `spark.sql.caseSensitive`, as SET statements."""
        if CASE_SENSITIVE.search(self.text) is None:
            return
        for call in self.nodes:
            method = method_of(call) if isinstance(call, ast.Call) else ""
            if method not in ("set", "config", "unset") or not isinstance(call, ast.Call):
                continue
            given = [argument(call, i, name) for i, name in enumerate(("key", "value"))]
            key = self.words(given[0]) if given[0] is not None else None
            if key is None or CASE_SENSITIVE.fullmatch(key) is None:
                continue
            value = (self.bound(given[1]) or given[1]) if given[1] is not None else None
            words = self.words(value) if value is not None else "false"
            if isinstance(value, ast.Constant) and isinstance(value.value, bool):
                words = str(value.value)
            place, end = self.place(call), self.end_of(call)
            if words is None or words.lower() not in ("true", "false"):
                yield end, Unread(self.part, *place, _CASE, _CASE_HELP)
                continue
            maker = PieceMaker(self.part)
            maker.literal(own=False)
            maker.add(f"SET {key}={words.lower()}", *place)
            yield end, maker.piece()

    def in_arms(self, pieces: list[tuple[int, Piece]]) -> list[Piece]:
        """The fragments in the order of their ends, each with the branches that it is in."""
        # A sweep in the order of the text: `open_branches` is the stack of branches around the current
        # fragment.
        coming = iter(arms(self.nodes, self.place, self.part))
        following = next(coming, None)
        around: list[Arm] = []
        found = []
        for end, piece in pieces:
            while following is not None and following.start < end:
                around = [arm for arm in around if arm.end >= following.end]
                around.append(following)
                following = next(coming, None)
            around = [arm for arm in around if arm.end >= end]
            stretches = tuple((0, len(piece.sql), arm) for arm in around)
            found.append(replace(piece, arms=stretches) if stretches else piece)
        return found

    def given(self, callables: Sequence[str]) -> Iterator[tuple[int, Piece | Unread]]:
        """The SQL of calls other than `.sql(...)` that pass it to Spark."""
        for call in self.nodes:
            if not isinstance(call, ast.Call) or method_of(call) == "sql":
                continue
            given = given_to(self, call, callables)
            if given is None:
                continue
            arguments = (*call.args, *(keyword.value for keyword in call.keywords))
            own = all(map(self.alone, arguments))
            for value in given.values:
                if has_text(value):
                    if id(value) not in self._done and not is_file(self, value):
                        maker = PieceMaker(self.part)
                        self.add(value, maker, "", own)
                        piece = maker.piece()
                        if given.certain or says_so(piece.sql):
                            self._done.add(id(value))
                            yield self.end_of(call), piece
                elif given.certain:
                    yield self.end_of(call), Unread(self.part, *self.place(value), _BUILT)

    def end_of(self, call: ast.Call) -> int:
        """The offset at which a call ends."""
        return self.place(call)[1]

    def read(self, call: ast.Call) -> Iterator[Piece | Unread]:
        """The SQL passed to a call, without literals read before."""
        named = {k.arg: k.value for k in call.keywords if k.arg is not None}
        given = [*call.args[:2], *(named[name] for name in ("sqlQuery", "text") if name in named)]
        formatted = "{" if set(named) - _OWN_ARGUMENTS else ""
        for each in given:
            values = self.meant(each)
            if all(has_text(value) for value in values):
                break
        else:
            given += [keyword.value for keyword in call.keywords if keyword.arg is None]
            if given:
                place = self.place(given[-1])
                yield Unread(self.part, *place, _BUILT)
            return
        for value in values:
            yield from self._once(value, formatted, own=self.alone(each))

    def _once(self, value: ast.expr, formatted: str, *, own: bool) -> Iterator[Piece]:
        """The SQL of an expression, if it was not read before."""
        if id(value) not in self._done:
            self._done.add(id(value))
            maker = PieceMaker(self.part)
            self.add(value, maker, formatted, own)
            yield maker.piece()
