"""Cells of Databricks notebooks that are saved as source files, and other separators in SQL files.

In: the text of a SQL or Python file. Out: SQL fragments, and problems with what is not SQL. A cell is a
comment (`# MAGIC %sql`); Liquibase's `endDelimiter` separates statements, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.files.source import Unread
from spark_iceberg_sql.files.source_map import Piece, PieceMaker, anything, stretch
from spark_iceberg_sql.lazy import regex

_COMMAND = regex(r"^--[ \t]*COMMAND[ \t]*-{3,}[ \t]*\r?$", re.MULTILINE)
_DATABRICKS = regex(r"\s*--[ \t]*Databricks notebook source\b", re.IGNORECASE)
_LIQUIBASE = regex(r"\s*--[ \t]*liquibase[ \t]+formatted[ \t]+sql\b", re.IGNORECASE)
_RUN = regex(r"^--[ \t]*MAGIC[ \t]+%run\b[^\n]*", re.MULTILINE)
_LINES = regex(r"(?:^#[ \t]*MAGIC\b[^\n]*(?:\n|\Z))+", re.MULTILINE)
_PREFIX = regex(r"#[ \t]*MAGIC[ \t]?")
_DASHED = regex(r"(?:^--[ \t]*MAGIC\b[^\n]*(?:\n|\Z))+", re.MULTILINE)
_DASHED_PREFIX = regex(r"^--[ \t]*MAGIC[ \t]?", re.MULTILINE)
_DASHED_LINE = regex(r"--[ \t]*MAGIC[ \t]?")
_DASHED_SQL = regex(r"--[ \t]*MAGIC[ \t]+%sql\b")
_DASHED_PYTHON = regex(r"--[ \t]*MAGIC[ \t]+%python[ \t]*(?=\r?\n)")
_NOT_LINE_END = regex(r"[^\r\n]")
SQL_MAGICS = frozenset({"sql", "iceberg_sql", "sparksql"})
_LANGUAGE = regex(r"[ \t]*%(\w+)")
# A cell that begins with its language, as it is pasted from a notebook: `%sql`, `%%sql`, `%spark.sql`, `%python`. Any
# other word is none: what follows it would go unchecked.
_LANGUAGES = "sql|iceberg_sql|sparksql|python|pyspark|py|ipyspark|scala|spark|r|sh|bash|md|markdown|html|fs|pip|run"
_MAGIC = regex(rf"^[ \t]*%{{1,2}}(?:\w+\.)?({_LANGUAGES})(?:[ \t]|(?=\r?$))", re.MULTILINE)
# Liquibase: the delimiter of a changeset's statements, such as `/` or GO; a longer text would be a statement.
_DELIMITER = regex(
    r"^--[ \t]*changeset\b[^\n]*\bendDelimiter:[ \t]*(\"[^\"\n]{1,9}\"|\S{1,9}(?!\S))[^\n]*",
    re.MULTILINE,
)
# The first word of a text, after blanks, comments and tags of a template. It always matches: nothing is tried twice.
_FIRST_WORD = regex(r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/|\{[%#].*?[%#]\})*(\w*)", re.DOTALL)
_CLAUSE = regex(r"\bpartition(?:ed\b|\s+field)|\busing\s+iceberg\b", re.IGNORECASE)
# The first words of statements that have such a clause, or of a query that mentions one.
_BEGINS_DDL = frozenset({
    "ALTER", "BEGIN", "CALL", "CREATE", "DECLARE", "DESC", "DESCRIBE", "EXECUTE", "EXPLAIN",
    "INSERT", "MERGE", "REPLACE", "SELECT", "SET", "SHOW", "WITH",
})  # fmt: skip
_LEFT_OVER = "no statement begins after this separator"
_NO_SEPARATOR = "leave the separator out if it is within a statement"
_NO_CELL = "leave the line out if SQL follows it; Spark refuses it in a SQL file"
_CHANGESET = regex(r"^--[ \t]*changeset\b", re.MULTILINE)


def sql_cells(text: str, *, joined: bool = False) -> tuple[list[Piece], list[Unread]]:
    """The ranges of a SQL file between its separators, and the problems with cells that are not SQL.

    is_joined: True if an editor has joined the text from a notebook's cells.
    """
    notebook = joined or _DATABRICKS.match(text) is not None
    # Three kinds of separators: COMMAND lines, Liquibase delimiters, magics. Sorted together, they cut the
    # text; each fragment keeps its offsets in the file.
    cuts = [(found.start(), found.end()) for found in _commands(text, notebook=notebook)]
    for found in _DELIMITER.finditer(text) if _LIQUIBASE.match(text) is not None else ():
        delimiter = found[1].strip('"').replace("\\r", "").replace("\\n", "").strip()
        if not delimiter or delimiter == ";":
            continue
        following = _CHANGESET.search(text, found.end())
        stop = following.start() if following is not None else len(text)
        ends = re.compile(rf"{re.escape(delimiter)}(?=[ \t]*\r?(?:\n|\Z))", re.IGNORECASE)
        cuts += [(cut.start(), cut.end()) for cut in ends.finditer(text, found.end(), stop)]
    magics = list(_magics(text, sorted(end for _, end in cuts)))
    cuts += [(found.start(), found.end()) for found in magics]
    # The beginnings of cells in another language.
    others = {found.end(): found.start() for found in magics if found[1] not in SQL_MAGICS}
    languages = {found.end() for found in magics}
    pieces, unread = [], []
    begin = at = 0
    for start, end in [*sorted(cuts), (len(text), len(text))]:
        if start < at:
            continue  # a delimiter inside another separator
        pieces.append(anything(others[at]) if at in others else stretch(text, at, start))
        if at and at not in languages and _is_left_over(text, at, start):
            unread.append(Unread(0, begin, at, _LEFT_OVER, _NO_SEPARATOR))
        if at in others and text[at:start].strip():
            magic = text[others[at] : at].strip()
            unread.append(Unread(0, others[at], at, f"the cell `{magic}` is not SQL", _NO_CELL))
        begin, at = start, end
    pieces += _dashed_sql(text)
    pieces += [anything(found.start()) for found in _RUN.finditer(text)]
    return pieces, unread


def _commands(text: str, *, notebook: bool) -> Iterator[re.Match[str]]:
    """The lines between cells. In a file that is not a notebook, such a line inside a statement is a comment."""
    at, complete = 0, True
    for found in _COMMAND.finditer(text):
        last = _last_of_code(text, at, found.start())
        # Code under a `%python` is no SQL statement.
        cell = _FIRST_WORD.match(text, at, found.start())
        in_cell = cell is not None and text[cell.end() : cell.end() + 1] == "%"
        complete = in_cell or (last == ";" if last else complete)
        if notebook or complete:
            complete = True
            yield found
        at = found.end()


def _last_of_code(text: str, begin: int, end: int) -> str:
    """The last character of a range that is not in a blank line or a line of comment, if any."""
    while end > begin:
        start = max(text.rfind("\n", begin, end) + 1, begin)
        line = text[start:end].strip()
        if line and not line.startswith("--"):
            return line[-1]
        end = start - 1
    return ""


def _is_left_over(text: str, start: int, end: int) -> bool:
    """True if a range has part of a table's DDL, but not the beginning of that statement."""
    first = _FIRST_WORD.match(text, start, end)
    if first is None or first[1].upper() in _BEGINS_DDL:
        return False
    if text[first.end() : first.end() + 1] in ("{", "$") and not first[1]:
        return False  # a template's value, which may be the beginning
    return _CLAUSE.search(text, first.start(1), end) is not None


def _magics(text: str, ends: Sequence[int]) -> Iterator[re.Match[str]]:
    """The languages that begin a cell: first in it or after a `;`. ends: of the other separators, in order."""
    last = 0
    for found in _MAGIC.finditer(text):
        number = bisect_right(ends, found.start())
        begin = max(last, ends[number - 1] if number else 0)
        before = _last_before(text, begin, found.start())
        if before in ("", ";"):  # else `%` between two operands
            last = found.end()
            yield found


def _last_before(text: str, begin: int, end: int) -> str:
    """The last character of a range that is not blank, if any; without a copy of the range, which may be a file."""
    while end > begin and text[end - 1].isspace():
        end -= 1
    return text[end - 1 : end] if end > begin else ""


def python_cells(text: str) -> Iterator[str]:
    """The `-- MAGIC %python` cells of a SQL file, each padded with blanks to the length of the file."""
    for block in _DASHED.finditer(text):
        first = _DASHED_PYTHON.match(text, block.start())
        if first is None:
            continue
        # The prefix becomes an indentation, so that offsets stay the same.
        head = "if 1:".ljust(first.end() - first.start())
        body = _DASHED_PREFIX.sub(
            lambda found: " " * len(found.group()), text[first.end() : block.end()]
        )
        yield _NOT_LINE_END.sub(" ", text[: first.start()]) + head + body


def _dashed_sql(text: str) -> Iterator[Piece]:
    """The SQL of the `-- MAGIC %sql` cells of a SQL file."""
    for block in _DASHED.finditer(text):
        first = _DASHED_SQL.match(text, block.start())
        if first is not None and text[first.end() : block.end()].strip():
            yield _lines(text, first.end(), block.end(), 0, _DASHED_LINE)


def magic_cells(text: str, part: int = 0) -> Iterator[Piece]:
    """The SQL of the `# MAGIC %sql` cells of a Python file, and the offsets of its `%run` lines."""
    if "MAGIC" not in text:
        return
    for block in _LINES.finditer(text):
        first = _PREFIX.match(text, block.start())
        language = _LANGUAGE.match(text, first.end()) if first is not None else None
        if language is None:
            continue
        if language[1] == "run":
            yield anything(block.start(), part)
        elif language[1] == "sql":
            yield _lines(text, language.end(), block.end(), part, _PREFIX)


def _lines(text: str, at: int, end: int, part: int, common: re.Pattern[str]) -> Piece:
    """The text of lines after their common prefix; of the first line, after its magic."""
    maker = PieceMaker(part)
    while at < end:
        stop = text.find("\n", at, end) + 1 or end
        for i in range(at, stop):
            maker.add(text[i], i, i + 1)
        prefix = common.match(text, stop, end)
        at = prefix.end() if prefix is not None else end
    return maker.piece()
