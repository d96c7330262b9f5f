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
from spark_iceberg_sql.files.jvm.jvm_sql import jvm_sql, may_contain_jvm_sql
from spark_iceberg_sql.files.python.parsing import parse_python
from spark_iceberg_sql.files.python.prefilter import CASE_SENSITIVE
from spark_iceberg_sql.files.python.sql_extraction import python_sql
from spark_iceberg_sql.files.python.tables.table_side_effects import SIDE_EFFECT_WORDS
from spark_iceberg_sql.files.source import ExtractionProblem, SourceFile, TextUnit, detect_engine
from spark_iceberg_sql.files.source_map import SqlFragment, range_fragment, side_effect_marker
from spark_iceberg_sql.records import replace

# Comments may precede a magic: some editors leave them out.
_LEADING_COMMENTS = r"\s*(?:(?:#|--|//)[^\n]*\n\s*)*"
_CELL_MAGIC = re.compile(_LEADING_COMMENTS + r"%%(\w+)[^\n]*\n?")
_LINE_MAGIC = re.compile(
    r"^[ \t]*(?:[\w, \t]+=[ \t]*)?(?:%(?:time|timeit|prun|memit)\b[^\n%]*)?(%(?:sql|sparksql|iceberg_sql)[ \t]+(.*))$",
    re.MULTILINE,
)
# In Databricks, a line magic at the beginning of a cell applies to the whole cell.
_WHOLE_CELL = re.compile(_LEADING_COMMENTS + r"%(?:sql|sparksql|iceberg_sql)[ \t]*\r?\n")
_FIRST_LINE = re.compile(_LEADING_COMMENTS + r"%(?:sql|sparksql)[ \t]+([A-Za-z][^\n]*\n)")
_OTHER_CELL = re.compile(_LEADING_COMMENTS + r"%(?:python|pyspark|py|scala|r)[ \t]*\r?\n")
_SCALA_CELL = re.compile(_LEADING_COMMENTS + r"%%?scala\b[^\n]*\n")
_SPARK_MAGIC = re.compile(
    _LEADING_COMMENTS + r"%%(?:spark|sparkmagic)\b[^\n]*?(?:-c|--context)(?:[ \t]*=?[ \t]*)['\"]?sql\b[^\n]*\n?"
)
_CALLS = re.compile(r"\. *sql *\(|\brun_(?:line|cell)_magic\b")
_RUN = re.compile(r"^[ \t]*%run\b", re.MULTILINE)
_IPYTHON_LINE = re.compile(
    r"^([ \t]*(?:[\w.,\[\] \t]+=[ \t]*)?)([%!?][^\r\n]*)|^[ \t]*[\w.]+\?{1,2}[ \t]*$", re.MULTILINE
)
# The beginning of the SQL in a line magic, after its options.
_STATEMENT = re.compile(
    r"\b(?:create|replace|alter|drop|insert|merge|select|with|use|delete|update|call|show|describe|desc"
    r"|explain|truncate|set|cache|refresh|values|from|table|begin)\b",
    re.IGNORECASE,
)
# With these, our own magic shows something of its statements.
_RUNS_NOTHING = re.compile(r"%iceberg_sql\b[^\n]*?[ \t]--(?:plan|check|explain|fix|next|previous|copy)\b")
_ONE_LANGUAGE = "name the language of the kernel that runs it, in all of them"
# These magics run the cell unchanged.
_WRAPPER_MAGICS = frozenset({"time", "timeit", "capture", "prun", "memit"})
_PYTHON_MAGICS = _WRAPPER_MAGICS | {"pyspark", "spark", "local", "python", "python3", "py", "scala"}
# A line magic before a statement, with its options.
_BEFORE_STATEMENT = re.compile(
    r"%(?:time|timeit|prun|memit)\b[ \t]*"
    r"(?:(?:-[lsTD][ \t]+\S+|-[nrp][ \t]*\d+|--?[A-Za-z][\w-]*)[ \t]+)*(?=[^\s%!])"
)


def read_notebook(name: str, text: str, callables: Sequence[str] = ()) -> SourceFile:
    """The code cells of a notebook, each a text unit with its own line numbers.

    name: the file's. text: its JSON. callables: as `python_sql` takes them. Raises ValueError if it is not a
    notebook.
    """
    notebook = json.loads(text)
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise ValueError("it has no list of cells")
    languages = _languages(notebook)
    language = "sql" if languages and "sql" in languages[0] else "scala" if languages[:1] == ["scala"] else "python"
    code_cells = []
    for number, cell in enumerate(cells, start=1):
        if (cell_text := _cell_text(cell, number)) is not None:
            code_cells.append((number, cell_text, "sql" if "sql" in _cell_language(cell) else language))
    source_file = read_cells(name, code_cells, text, callables)
    if source_file.units and len({"sql" in language_name for language_name in languages}) > 1:
        reason = f"the metadata of the notebook names several languages: {', '.join(languages)}"
        source_file = replace(
            source_file, problems=(ExtractionProblem(0, 0, 0, reason, _ONE_LANGUAGE), *source_file.problems)
        )
    return source_file


def read_cells(
    name: str, cells: Sequence[tuple[int, str, str]], full_text: str | None = None, callables: Sequence[str] = ()
) -> SourceFile:
    """The code cells of a notebook, each a text unit with its own line numbers.

    name: the file's. cells: number (from 1), text and language of each; SQL, Python and Scala are read.
    full_text: the notebook's text, if it contains more than these. callables: as `python_sql` takes them.
    """
    units: list[TextUnit] = []
    fragments: list[SqlFragment] = []
    problems: list[ExtractionProblem] = []
    for number, cell_text, language in cells:
        if language == "scala" or _SCALA_CELL.match(cell_text):
            cell_fragments, cell_problems = _scala_sql(cell_text, len(units))
            fragments += cell_fragments
            problems += cell_problems
        elif "sql" in language or language == "python":
            other_cells = partial(_other_cells_text, cells, number)
            cell_fragments, cell_problems = _cell_sql(cell_text, len(units), "sql" in language, other_cells, callables)
            fragments += cell_fragments
            problems += cell_problems
        units.append(TextUnit(cell_text, number))
    if full_text is None:
        full_text = "\n".join(cell_text for _, cell_text, _ in cells)
    return SourceFile(
        name, tuple(units), tuple(fragments), tuple(problems), is_program=True, **detect_engine(full_text)
    )


def read_cell(name: str, text: str, language: str, callables: Sequence[str] = ()) -> SourceFile:
    """A single code cell. name: the notebook's file. language: the cell's; only SQL and Python are read.

    callables: as `python_sql` takes them.
    """
    fragments, problems = list[SqlFragment](), list[ExtractionProblem]()
    if "sql" in language or language == "python":
        # The other cells are unknown: any name may be used there.
        fragments, problems = _cell_sql(text, 0, "sql" in language, lambda: text, callables)
    return SourceFile(name, (TextUnit(text),), tuple(fragments), tuple(problems), True, "spark" in text.lower())


def _cell_text(cell: object, number: int) -> str | None:
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
    metadata = _mapping_of(notebook, "metadata")
    names = (
        _mapping_of(metadata, "language_info").get("name"),
        _mapping_of(metadata, "application/vnd.databricks.v1+notebook").get("language"),
        _mapping_of(metadata, "kernelspec").get("language"),
    )
    return [str(language).lower() for language in names if language]


def _cell_language(cell: dict[str, Any]) -> str:
    """The language that an editor has noted for a single cell, if any."""
    return str(_mapping_of(_mapping_of(cell, "metadata"), "vscode").get("languageId") or "").lower()


def _mapping_of(parent: dict[str, Any], key: str) -> dict[str, Any]:
    value = parent.get(key)
    return value if isinstance(value, dict) else {}


def _other_cells_text(cells: Sequence[tuple[int, str, str]], number: int) -> str:
    """The texts of all cells but one."""
    return "\n".join(text for n, text, _ in cells if n != number)


def _cell_sql(
    text: str, unit_index: int, is_sql: bool, other_cells: Callable[[], str], callables: Sequence[str] = ()
) -> tuple[list[SqlFragment], list[ExtractionProblem]]:
    """The SQL of a cell. other_cells: returns the other cells' texts, for a Python cell with SQL only."""
    offset, magic = 0, _CELL_MAGIC.match(text)
    # Such magics may precede another one: `%%time`, then `%%sql`.
    while magic is not None and magic[1] in _WRAPPER_MAGICS:
        offset = magic.end()
        magic = _CELL_MAGIC.match(text, offset) or magic
        if magic.end() == offset:
            break
    sql_magic = _WHOLE_CELL.match(text, offset) or _SPARK_MAGIC.match(text, offset)
    if sql_magic is not None:
        return [range_fragment(text, sql_magic.end(), len(text), unit_index)], []
    if magic is None and (magic_end := _databricks_cell(text)) is not None:
        return [range_fragment(text, magic_end, len(text), unit_index)], []
    if magic is None and is_sql and not _is_program(text):
        return [range_fragment(text, 0, len(text), unit_index)], []
    if magic is not None and magic[1] not in _PYTHON_MAGICS:
        runs_sql = magic[1] in SQL_MAGICS and not _RUNS_NOTHING.search(text, magic.start(), magic.end())
        return [range_fragment(text, magic.end(), len(text), unit_index)] if runs_sql else [], []
    line_fragments = list(_line_magics(text, unit_index))
    line_fragments += [side_effect_marker(match.start(), unit_index) for match in _RUN.finditer(text)]
    has_calls = _CALLS.search(text) is not None or CASE_SENSITIVE.search(text) is not None
    if not has_calls and not callables and SIDE_EFFECT_WORDS.search(text) is None:
        return line_fragments, []
    fragments, problems = python_sql(text, unit_index, _without_magics(text), other_cells(), callables)
    ordered_fragments = sorted([*line_fragments, *fragments], key=lambda fragment: fragment.starts[0])
    is_invalid = any(problem.start == problem.end for problem in problems)
    if is_invalid and not has_calls:  # an unreadable cell, which may create any table
        return [*ordered_fragments, side_effect_marker(len(text), unit_index)], []
    return ordered_fragments, problems


def _scala_sql(text: str, unit_index: int) -> tuple[list[SqlFragment], list[ExtractionProblem]]:
    """The SQL of a cell of a notebook in Scala."""
    magic = _SCALA_CELL.match(text)
    if magic is not None:  # the magic's line as blanks, so that positions stay
        text = " " * magic.end() + text[magic.end() :]
    elif text.lstrip().startswith("%"):
        return _cell_sql(text, unit_index, False, lambda: "")
    if not may_contain_jvm_sql(text):
        return [], []
    return jvm_sql(text, is_scala=True, unit_index=unit_index)


def _databricks_cell(text: str) -> int | None:
    """Where the SQL begins of a cell whose first line has a line magic and the first line of a longer statement."""
    first = _FIRST_LINE.match(text)
    # Jupyter's line magics end with their line, and the rest of the cell is Python.
    rest = text[first.end() :] if first is not None else ""
    if first is None or not rest.strip() or parse_python(_without_magics(rest)) is not None:
        return None
    return first.start(1)


def _is_program(text: str) -> bool:
    """True if a cell of a SQL notebook is a program: by its first line, or as valid Python with a call."""
    is_valid_call = _CALLS.search(text) is not None and parse_python(text) is not None
    return is_valid_call or _OTHER_CELL.match(text) is not None


def _line_magics(text: str, unit_index: int) -> Iterator[SqlFragment]:
    for match in _LINE_MAGIC.finditer(text):
        statement = _STATEMENT.search(text, match.start(2), match.end(2))
        options = statement.start() if statement is not None else match.end(2)
        if statement is not None and not _RUNS_NOTHING.search(text, match.start(1), options):
            yield range_fragment(text, statement.start(), match.end(2), unit_index)


def as_python(text: str) -> str:
    """A cell's program: the text, or if it is not valid Python, the text without the lines for IPython.

    These are replaced by expressions of the same length.
    """
    return text if parse_python(text) is not None else _without_magics(text)


def _without_magics(text: str) -> str:
    return _IPYTHON_LINE.sub(_magic_as_expression, text)


def _magic_as_expression(match: re.Match[str]) -> str:
    """A line for IPython, as a Python expression of the same length."""
    line = match.group()
    prefix_magic = _BEFORE_STATEMENT.match(match[2]) if match[2] is not None else None
    if prefix_magic is not None:  # two statements: `0; spark.sql(...)`
        return match[1] + "0;".ljust(prefix_magic.end()) + match[2][prefix_magic.end() :]
    indentation = match[1] if match[2] is not None else line[: len(line) - len(line.lstrip())]
    return indentation + "0".ljust(len(line) - len(indentation))
