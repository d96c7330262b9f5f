"""Cells of Databricks notebooks that are saved as source files, and other separators in SQL files.

In: the text of a SQL or Python file. Out: SQL fragments, and problems with what is not SQL. A cell is a comment
(`# MAGIC %sql`); Liquibase's `endDelimiter` separates statements, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.files.source import ExtractionProblem
from spark_iceberg_sql.files.source_map import FragmentBuilder, SqlFragment, range_fragment, side_effect_marker
from spark_iceberg_sql.lazy import regex

_COMMAND = regex(r"^--[ \t]*COMMAND[ \t]*-{3,}[ \t]*\r?$", re.MULTILINE)
_DATABRICKS = regex(r"\s*--[ \t]*Databricks notebook source\b", re.IGNORECASE)
_LIQUIBASE = regex(r"\s*--[ \t]*liquibase[ \t]+formatted[ \t]+sql\b", re.IGNORECASE)
_RUN = regex(r"^--[ \t]*MAGIC[ \t]+%run\b[^\n]*", re.MULTILINE)
_MAGIC_BLOCK = regex(r"(?:^(?:#|//)[ \t]*MAGIC\b[^\n]*(?:\n|\Z))+", re.MULTILINE)
_PREFIX = regex(r"(?:#|//)[ \t]*MAGIC[ \t]?")
_DASHED_BLOCK = regex(r"(?:^--[ \t]*MAGIC\b[^\n]*(?:\n|\Z))+", re.MULTILINE)
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
    r"^--[ \t]*changeset\b[^\n]*\bendDelimiter:[ \t]*(\"[^\"\n]{1,9}\"|\S{1,9}(?!\S))[^\n]*", re.MULTILINE
)
# The first word of a text, after blanks, comments and tags of a template. It always matches: nothing is tried twice.
_FIRST_WORD = regex(r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/|\{[%#].*?[%#]\})*(\w*)", re.DOTALL)
_CLAUSE = regex(r"\bpartition(?:ed\b|\s+field)|\busing\s+iceberg\b", re.IGNORECASE)
# The first words of statements that have such a clause, or of a query that mentions one.
_BEGINS_DDL = frozenset({
    "ALTER", "BEGIN", "CALL", "CREATE", "DECLARE", "DESC", "DESCRIBE", "EXECUTE", "EXPLAIN",
    "INSERT", "MERGE", "REPLACE", "SELECT", "SET", "SHOW", "WITH",
})  # fmt: skip
_LEFTOVER_REASON = "no statement begins after this separator"
_LEFTOVER_HELP = "leave the separator out if it is within a statement"
_CELL_HELP = "leave the line out if SQL follows it; Spark refuses it in a SQL file"
_CHANGESET = regex(r"^--[ \t]*changeset\b", re.MULTILINE)


def sql_cells(text: str, *, is_joined: bool = False) -> tuple[list[SqlFragment], list[ExtractionProblem]]:
    """The ranges of a SQL file between its separators, and the problems with cells that are not SQL.

    is_joined: True if an editor has joined the text from a notebook's cells.
    """
    is_notebook = is_joined or _DATABRICKS.match(text) is not None
    # Three kinds of separators: COMMAND lines, Liquibase delimiters, magics. Sorted together, they cut the text; each
    # fragment keeps its offsets in the file.
    separators = [(match.start(), match.end()) for match in _commands(text, is_notebook=is_notebook)]
    for match in _DELIMITER.finditer(text) if _LIQUIBASE.match(text) is not None else ():
        delimiter = match[1].strip('"').replace("\\r", "").replace("\\n", "").strip()
        if not delimiter or delimiter == ";":
            continue
        following = _CHANGESET.search(text, match.end())
        stop = following.start() if following is not None else len(text)
        ends = re.compile(rf"{re.escape(delimiter)}(?=[ \t]*\r?(?:\n|\Z))", re.IGNORECASE)
        separators += [end_match.span() for end_match in ends.finditer(text, match.end(), stop)]
    magics = list(_magics(text, sorted(end for _, end in separators)))
    separators += [(match.start(), match.end()) for match in magics]
    # The beginnings of cells in another language.
    other_language_starts = {match.end(): match.start() for match in magics if match[1] not in SQL_MAGICS}
    languages = {match.end() for match in magics}
    fragments, problems = [], []
    separator_start = cell_start = 0
    for start, end in [*sorted(separators), (len(text), len(text))]:
        if start < cell_start:
            continue  # a delimiter inside another separator
        fragments.append(
            side_effect_marker(other_language_starts[cell_start])
            if cell_start in other_language_starts
            else range_fragment(text, cell_start, start)
        )
        if cell_start and cell_start not in languages and _is_ddl_leftover(text, cell_start, start):
            problems.append(ExtractionProblem(0, separator_start, cell_start, _LEFTOVER_REASON, _LEFTOVER_HELP))
        if cell_start in other_language_starts and text[cell_start:start].strip():
            magic = text[other_language_starts[cell_start] : cell_start].strip()
            problems.append(
                ExtractionProblem(
                    0, other_language_starts[cell_start], cell_start, f"the cell `{magic}` is not SQL", _CELL_HELP
                )
            )
        separator_start, cell_start = start, end
    fragments += _dashed_sql(text)
    fragments += [side_effect_marker(match.start()) for match in _RUN.finditer(text)]
    return fragments, problems


def _commands(text: str, *, is_notebook: bool) -> Iterator[re.Match[str]]:
    """The lines between cells. In a file that is not a notebook, such a line inside a statement is a comment."""
    cell_start, is_complete = 0, True
    for match in _COMMAND.finditer(text):
        last_char = _last_code_char(text, cell_start, match.start())
        # Code under a `%python` is no SQL statement.
        cell = _FIRST_WORD.match(text, cell_start, match.start())
        is_magic_cell = cell is not None and text[cell.end() : cell.end() + 1] == "%"
        is_complete = is_magic_cell or (last_char == ";" if last_char else is_complete)
        if is_notebook or is_complete:
            is_complete = True
            yield match
        cell_start = match.end()


def _last_code_char(text: str, begin: int, end: int) -> str:
    """The last character of a range that is not in a blank line or a line of comment, if any."""
    while end > begin:
        start = max(text.rfind("\n", begin, end) + 1, begin)
        line = text[start:end].strip()
        if line and not line.startswith("--"):
            return line[-1]
        end = start - 1
    return ""


def _is_ddl_leftover(text: str, start: int, end: int) -> bool:
    """True if a range has part of a table's DDL, but not the beginning of that statement."""
    first = _FIRST_WORD.match(text, start, end)
    if first is None or first[1].upper() in _BEGINS_DDL:
        return False
    # A template's value may be the beginning.
    is_template = text[first.end() : first.end() + 1] in ("{", "$") and not first[1]
    return not is_template and _CLAUSE.search(text, first.start(1), end) is not None


def _magics(text: str, ends: Sequence[int]) -> Iterator[re.Match[str]]:
    """The languages that begin a cell: first in it or after a `;`. ends: of the other separators, in order."""
    last = 0
    for match in _MAGIC.finditer(text):
        index = bisect_right(ends, match.start())
        begin = max(last, ends[index - 1] if index else 0)
        if _last_visible_char(text, begin, match.start()) in ("", ";"):  # else `%` between two operands
            last = match.end()
            yield match


def _last_visible_char(text: str, begin: int, end: int) -> str:
    """The last character of a range that is not blank, if any; without a copy of the range, which may be a file."""
    while end > begin and text[end - 1].isspace():
        end -= 1
    return text[end - 1 : end] if end > begin else ""


def python_cells(text: str) -> Iterator[str]:
    """The `-- MAGIC %python` cells of a SQL file, each padded with blanks to the length of the file."""
    for block in _DASHED_BLOCK.finditer(text):
        first = _DASHED_PYTHON.match(text, block.start())
        if first is None:
            continue
        # The prefix becomes an indentation, so that offsets stay the same.
        opening = "if 1:".ljust(first.end() - first.start())
        body = _DASHED_PREFIX.sub(lambda match: " " * len(match.group()), text[first.end() : block.end()])
        yield _NOT_LINE_END.sub(" ", text[: first.start()]) + opening + body


def _dashed_sql(text: str) -> Iterator[SqlFragment]:
    """The SQL of the `-- MAGIC %sql` cells of a SQL file."""
    for block in _DASHED_BLOCK.finditer(text):
        first = _DASHED_SQL.match(text, block.start())
        if first is not None and text[first.end() : block.end()].strip():
            yield _unprefixed_fragment(text, first.end(), block.end(), 0, _DASHED_LINE)


def magic_cells(text: str, unit_index: int = 0) -> Iterator[SqlFragment]:
    """The SQL of the `# MAGIC %sql` cells of a program (in Scala `// MAGIC`), and the offsets of its `%run` lines."""
    if "MAGIC" not in text:
        return
    for block in _MAGIC_BLOCK.finditer(text):
        first = _PREFIX.match(text, block.start())
        language = _LANGUAGE.match(text, first.end()) if first is not None else None
        if language is None:
            continue
        if language[1] == "run":
            yield side_effect_marker(block.start(), unit_index)
        elif language[1] == "sql":
            yield _unprefixed_fragment(text, language.end(), block.end(), unit_index, _PREFIX)


def _unprefixed_fragment(
    text: str, offset: int, end: int, unit_index: int, prefix_pattern: re.Pattern[str]
) -> SqlFragment:
    """The text of lines after their common prefix; of the first line, after its magic."""
    builder = FragmentBuilder(unit_index)
    while offset < end:
        stop = text.find("\n", offset, end) + 1 or end
        for i in range(offset, stop):
            builder.add(text[i], i, i + 1)
        prefix = prefix_pattern.match(text, stop, end)
        offset = prefix.end() if prefix is not None else end
    return builder.build()
