"""SQL in a Python program: the strings that are given to `spark.sql(...)`, in the program's own lines."""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import replace

from spark_iceberg_sql.diagnostics import Lines
from spark_iceberg_sql.files.databricks import magic_cells
from spark_iceberg_sql.files.python_arms import arms
from spark_iceberg_sql.files.python_literals import read_literals
from spark_iceberg_sql.files.python_names import Names
from spark_iceberg_sql.files.python_writers import makers
from spark_iceberg_sql.files.source import Unread
from spark_iceberg_sql.files.source_map import Arm, Piece, PieceMaker, anything

# Arguments of `spark.sql` and of this package's `sql` that are not values for the text's `{names}`.
_OWN_ARGUMENTS = frozenset({"sqlQuery", "text", "args", "spark"})
_PASSING_ON = frozenset({"strip", "lstrip", "rstrip", "dedent", "cleandoc"})


def python_sql(
    text: str, part: int = 0, otherwise: str | None = None, beside: str = ""
) -> tuple[list[Piece], list[Unread]]:
    """The SQL of every `.sql(...)` call, in the order of the text, and the calls that cannot be read.

    Among the pieces stand those without SQL for the calls that make tables in another way.

    text: the program. part: its number among the file's parts. otherwise: what to parse where the text
    is no Python, of the same length: it with IPython's own lines blanked out. beside: the texts of the same
    program that may use its names.
    """
    try:
        tree = _parsed(text, otherwise)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        where = f" (line {line}: {getattr(error, 'msg', error)})" if line else ""
        return [], [Unread(part, 0, 0, f"the program is not valid Python{where}")]
    reader = _Reader(text, part, tree, beside)
    pieces = [(piece.starts[0], piece) for piece in magic_cells(text, part)]
    pieces += reader.made()
    unread: list[Unread] = []
    for call in reader.calls():
        for found in reader.read(call):
            if isinstance(found, Piece):
                pieces.append((reader.end_of(call), found))
            else:
                unread.append(found)
    return reader.in_arms(sorted(pieces, key=lambda pair: pair[0])), unread


def _parsed(text: str, otherwise: str | None) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "\\d" in somebody's program is not ours to report
        try:
            return ast.parse(text)
        except SyntaxError:
            if otherwise is None:
                raise
            return ast.parse(otherwise)


class _Reader:
    def __init__(self, text: str, part: int, tree: ast.Module, beside: str) -> None:
        self._text = text
        self._part = part
        self._tree = tree
        self._lines = Lines(text)
        self._names = Names(tree)
        self._program = unicodedata.normalize("NFKC", f"{text}\n{beside}")  # as Python reads names
        self._done: set[int] = set()

    def calls(self) -> Iterator[ast.Call]:
        """The calls of a method named `sql` that are given something."""
        found = [
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "sql"
        ]
        return iter(
            sorted(found, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0))
        )

    def made(self) -> list[tuple[int, Piece]]:
        """The places at which the program makes tables without SQL."""
        found = makers(self._tree, self._words)
        ends = ((self.end_of(call), names) for call, names in found)
        return [(end, anything(end, self._part, names)) for end, names in ends]

    def in_arms(self, pieces: list[tuple[int, Piece]]) -> list[Piece]:
        """Pieces in the order of their ends, each with the program's arms that it is in."""
        coming = iter(arms(self._tree, self._place, self._part))
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

    def end_of(self, call: ast.Call) -> int:
        """The offset at which a call ends."""
        return self._place(call)[1]

    def _words(self, value: ast.expr) -> str | None:
        """The string that an expression stands for, where it is written out."""
        meant = self._one(value)
        is_text = isinstance(meant, ast.Constant) and isinstance(meant.value, str)
        return str(meant.value) if is_text and isinstance(meant, ast.Constant) else None

    def read(self, call: ast.Call) -> Iterator[Piece | Unread]:
        """The SQL that a call is given, what was read before left out."""
        named = {k.arg: k.value for k in call.keywords if k.arg is not None}
        given = [*call.args[:2], *(named[name] for name in ("sqlQuery", "text") if name in named)]
        formatted = "{" if set(named) - _OWN_ARGUMENTS else ""
        for argument in given:
            values = self._meant(argument)
            if all(_has_text(value) for value in values):
                break
        else:
            if given:
                place = self._place(given[-1])
                yield Unread(self._part, *place, "the program builds this SQL at run time")
            return
        for value in values:
            if id(value) not in self._done:
                self._done.add(id(value))
                maker = PieceMaker(self._part)
                self._add(value, maker, formatted, self._alone(argument))
                yield maker.piece()

    def _meant(self, value: ast.expr) -> list[ast.expr]:
        """What a name stands for, where the program binds it once: to a text, or to each of a list."""
        values = self._names.values(value) if isinstance(value, ast.Name) else []
        return values if values and all(map(_has_text, values)) else [value]

    def _one(self, value: ast.expr) -> ast.expr:
        meant = self._meant(value)
        return meant[0] if len(meant) == 1 else value

    def _alone(self, value: ast.expr) -> bool:
        """Whether nothing else of the program uses what an expression stands for."""
        if not isinstance(value, ast.Name):
            return True
        # Where it is bound, and here: a mention in a text or a comment counts, since it may be a use.
        return len(re.findall(rf"\b{value.id}\b", self._program)) == 2

    def _add(self, value: ast.expr, maker: PieceMaker, formatted: str, own: bool) -> None:
        """Add what an expression says to a piece. own: whether only this statement has it."""
        own = own and self._alone(value)
        value = self._one(value)
        start, end = self._place(value)
        if isinstance(value, ast.JoinedStr | ast.Constant) and _has_text(value):
            read_literals(self._text, start, end, maker, formatted=formatted, own=own)
        elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and _has_text(value):
            self._add(value.left, maker, formatted, own)
            self._add(value.right, maker, formatted, own)
        elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod) and _has_text(value):
            self._add(value.left, maker, "%", own)
        elif isinstance(value, ast.Call) and _has_text(value):
            method = value.func.attr if isinstance(value.func, ast.Attribute) else ""
            self._add(_text_of(value), maker, "{" if method == "format" else formatted, own)
        else:
            maker.hole(start, end, self._text[start:end])

    def _place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        return (
            self._offset(node.lineno, node.col_offset),
            self._offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset),
        )

    def _offset(self, row: int, column: int) -> int:
        """The offset of a place that `ast` gives in bytes of UTF-8."""
        line = self._lines.line(row)
        if not line.isascii():
            column = len(line.encode()[:column].decode())
        return self._lines.start(row) + column


def _has_text(value: ast.expr) -> bool:
    """Whether an expression is a string that is written out, at least in part."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, str)
    if isinstance(value, ast.JoinedStr):
        return True
    if isinstance(value, ast.BinOp):
        return (isinstance(value.op, ast.Add | ast.Mod) and _has_text(value.left)) or (
            isinstance(value.op, ast.Add) and _has_text(value.right)
        )
    return isinstance(value, ast.Call) and _has_text(_text_of(value))


def _text_of(call: ast.Call) -> ast.expr:
    """The string that a call formats, trims or dedents; the call's own function where it does not."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name == "format" or name in _PASSING_ON:
        if isinstance(call.func, ast.Attribute) and _has_text(call.func.value):
            return call.func.value
        if name != "format" and call.args:
            return call.args[0]
    return call.func
