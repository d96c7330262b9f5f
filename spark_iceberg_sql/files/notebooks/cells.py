"""SQL in a notebook: cells and lines under a SQL magic, and `spark.sql(...)` in the other cells.

In: the JSON of a notebook, or its cells. Out: a SourceFile whose text units are the code cells.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from spark_iceberg_sql.files.databricks import SQL_MAGICS
from spark_iceberg_sql.files.python.changed_tables import MENTIONED
from spark_iceberg_sql.files.python.sql import CASE_SENSITIVE, python_sql, valid
from spark_iceberg_sql.files.source import Part, Source, Unread, engine
from spark_iceberg_sql.files.source_map import Piece, anything, stretch
from spark_iceberg_sql.records import replace

# Comments may precede a magic: some editors leave them out.
_ABOVE = r"\s*(?:(?:#|--|//)[^\n]*\n\s*)*"
_CELL_MAGIC = re.compile(_ABOVE + r"%%(\w+)[^\n]*\n?")
_LINE_MAGIC = re.compile(
    r"^[ \t]*(?:[\w, \t]+=[ \t]*)?(?:%(?:time|timeit|prun|memit)\b[^\n%]*)?(%(?:sql|sparksql|iceberg_sql)[ \t]+(.*))$",
    re.MULTILINE,
)
# In Databricks, a line magic at the beginning of a cell applies to the whole cell.
_WHOLE_CELL = re.compile(_ABOVE + r"%(?:sql|sparksql|iceberg_sql)[ \t]*\r?\n")
_OTHER_CELL = re.compile(_ABOVE + r"%(?:python|pyspark|py|scala|r)[ \t]*\r?\n")
_SPARK_MAGIC = re.compile(
    _ABOVE
    + r"%%(?:spark|sparkmagic)\b[^\n]*?(?:-c|--context)(?:[ \t]*=?[ \t]*)['\"]?sql\b[^\n]*\n?"
)
_CALLS = re.compile(r"\. *sql *\(|\brun_(?:line|cell)_magic\b")
_RUN = re.compile(r"^[ \t]*%run\b", re.MULTILINE)
_NO_PYTHON = re.compile(
    r"^([ \t]*(?:[\w.,\[\] \t]+=[ \t]*)?)([%!?][^\r\n]*)|^[ \t]*[\w.]+\?{1,2}[ \t]*$", re.MULTILINE
)
# The beginning of the SQL in a line magic, after its options.
_STATEMENT = re.compile(
    r"\b(?:create|replace|alter|drop|insert|merge|select|with|use|delete|update|call|show|describe|desc"
    r"|explain|truncate|set|cache|refresh|values|from|table|begin)\b",
    re.IGNORECASE,
)
# With these, our own magic shows something of its statements.
_RUNS_NOTHING = re.compile(
    r"%iceberg_sql\b[^\n]*?[ \t]--(?:plan|check|explain|fix|next|previous|copy)\b"
)
_ONE_LANGUAGE = "name the language of the kernel that runs it, in all of them"
# These magics run the cell unchanged.
_AROUND = frozenset({"time", "timeit", "capture", "prun", "memit"})
_PYTHON_MAGICS = _AROUND | {"pyspark", "spark", "local", "python", "python3", "py", "scala"}
# A line magic before a statement, with its options.
_BEFORE_STATEMENT = re.compile(
    r"%(?:time|timeit|prun|memit)\b[ \t]*"
    r"(?:(?:-[lsTD][ \t]+\S+|-[nrp][ \t]*\d+|--?[A-Za-z][\w-]*)[ \t]+)*(?=[^\s%!])"
)


def read_notebook(name: str, text: str, callables: Sequence[str] = ()) -> Source:
    """The code cells of a notebook, each a text unit with its own line numbers.

    name: the file's. text: its JSON. callables: as `python_sql` takes them. Raises ValueError if it is not a
    notebook.
    """
    notebook = json.loads(text)
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise ValueError("it has no list of cells")
    stated = _languages(notebook)
    language = "sql" if stated and "sql" in stated[0] else "python"
    code = []
    for number, cell in enumerate(cells, start=1):
        words = _words(cell, number)
        if words is not None:
            code.append((number, words, "sql" if "sql" in _own_language(cell) else language))
    found = read_cells(name, code, text, callables)
    if found.parts and len({"sql" in each for each in stated}) > 1:
        why = f"the metadata of the notebook names several languages: {', '.join(stated)}"
        found = replace(found, unread=(Unread(0, 0, 0, why, _ONE_LANGUAGE), *found.unread))
    return found


def read_cells(
    name: str,
    cells: Sequence[tuple[int, str, str]],
    whole: str | None = None,
    callables: Sequence[str] = (),
) -> Source:
    """The code cells of a notebook, each a text unit with its own line numbers.

    name: the file's. cells: number (from 1), text and language of each; only SQL and Python are read.
    full_text: the notebook's text, if it contains more than these. callables: as `python_sql` takes them.
    """
    parts: list[Part] = []
    pieces: list[Piece] = []
    unread: list[Unread] = []
    for number, words, language in cells:
        if "sql" in language or language == "python":
            others = partial(_others, cells, number)
            found, bad = _cell_sql(words, len(parts), "sql" in language, others, callables)
            pieces += found
            unread += bad
        parts.append(Part(words, number))
    if whole is None:
        whole = "\n".join(words for _, words, _ in cells)
    return Source(name, tuple(parts), tuple(pieces), tuple(unread), program=True, **engine(whole))


def read_cell(name: str, text: str, language: str, callables: Sequence[str] = ()) -> Source:
    """A single code cell. name: the notebook's file. language: the cell's; only SQL and Python are read.

    callables: as `python_sql` takes them.
    """
    pieces, unread = list[Piece](), list[Unread]()
    if "sql" in language or language == "python":
        # The other cells are unknown: any name may be used there.
        pieces, unread = _cell_sql(text, 0, "sql" in language, lambda: text, callables)
    spark = "spark" in text.lower()
    return Source(name, (Part(text),), tuple(pieces), tuple(unread), program=True, spark=spark)


def _words(cell: object, number: int) -> str | None:
    """The text of a code cell; None for others. Raises ValueError if a code cell has no text."""
    if not isinstance(cell, dict) or cell.get("cell_type") != "code":
        return None
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    if not all(isinstance(line, str) for line in lines):
        raise ValueError(f"the source of cell {number} is not text")
    return "".join(lines)


def _languages(notebook: dict[str, Any]) -> list[str]:
    """The languages in a notebook's metadata, the effective one first."""
    metadata = _object(notebook, "metadata")
    stated = (
        _object(metadata, "language_info").get("name"),
        _object(metadata, "application/vnd.databricks.v1+notebook").get("language"),
        _object(metadata, "kernelspec").get("language"),
    )
    return [str(language).lower() for language in stated if language]


def _own_language(cell: dict[str, Any]) -> str:
    """The language that an editor has noted for a single cell, if any."""
    noted = _object(_object(cell, "metadata"), "vscode").get("languageId")
    return str(noted or "").lower()


def _object(parent: dict[str, Any], key: str) -> dict[str, Any]:
    found = parent.get(key)
    return found if isinstance(found, dict) else {}


def _others(cells: Sequence[tuple[int, str, str]], number: int) -> str:
    """The texts of all cells but one."""
    return "\n".join(text for n, text, _ in cells if n != number)


def _cell_sql(
    text: str, part: int, in_sql: bool, others: Callable[[], str], callables: Sequence[str] = ()
) -> tuple[list[Piece], list[Unread]]:
    """The SQL of a cell. other_cells: returns the other cells' texts, for a Python cell with SQL only."""
    at, magic = 0, _CELL_MAGIC.match(text)
    # Such magics may precede another one: `%%time`, then `%%sql`.
    while magic is not None and magic[1] in _AROUND:
        at = magic.end()
        magic = _CELL_MAGIC.match(text, at) or magic
        if magic.end() == at:
            break
    whole = _WHOLE_CELL.match(text, at) or _SPARK_MAGIC.match(text, at)
    if whole is not None:
        return [stretch(text, whole.end(), len(text), part)], []
    if magic is None and in_sql and not _is_program(text):
        return [stretch(text, 0, len(text), part)], []
    if magic is not None and magic[1] in SQL_MAGICS:
        if _RUNS_NOTHING.search(text, magic.start(), magic.end()):
            return [], []
        return [stretch(text, magic.end(), len(text), part)], []
    if magic is not None and magic[1] not in _PYTHON_MAGICS:
        return [], []
    lines = list(_line_magics(text, part))
    lines += [anything(found.start(), part) for found in _RUN.finditer(text)]
    calls = _CALLS.search(text) is not None or CASE_SENSITIVE.search(text) is not None
    if not calls and not callables and MENTIONED.search(text) is None:
        return lines, []
    pieces, unread = python_sql(text, part, _without_magics(text), others(), callables)
    in_order = sorted([*lines, *pieces], key=lambda piece: piece.starts[0])
    invalid = any(each.start == each.end for each in unread)
    if invalid and not calls:  # an unreadable cell, which may create any table
        return [*in_order, anything(len(text), part)], []
    return in_order, unread


def _is_program(text: str) -> bool:
    """True if a cell of a SQL notebook is a program: by its first line, or as valid Python with a call."""
    if _OTHER_CELL.match(text) is not None:
        return True
    return _CALLS.search(text) is not None and valid(text)


def _line_magics(text: str, part: int) -> Iterator[Piece]:
    for found in _LINE_MAGIC.finditer(text):
        statement = _STATEMENT.search(text, found.start(2), found.end(2))
        options = statement.start() if statement is not None else found.end(2)
        if statement is not None and not _RUNS_NOTHING.search(text, found.start(1), options):
            yield stretch(text, statement.start(), found.end(2), part)


def as_python(text: str) -> str:
    """A cell's program: the text, or if it is not valid Python, the text without the lines for IPython.

    These are replaced by expressions of the same length.
    """
    return text if valid(text) else _without_magics(text)


def _without_magics(text: str) -> str:
    return _NO_PYTHON.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    """A line for IPython, as a Python expression of the same length."""
    words = found.group()
    before = _BEFORE_STATEMENT.match(found[2]) if found[2] is not None else None
    if before is not None:  # two statements: `0; spark.sql(...)`
        return found[1] + "0;".ljust(before.end()) + found[2][before.end() :]
    keep = found[1] if found[2] is not None else words[: len(words) - len(words.lstrip())]
    return keep + "0".ljust(len(words) - len(keep))
