"""The files to check (paths, folders, globs, standard input), and the SQL that each contains.

In: paths as the user names them. Out: file names, and a SourceFile for the text of each file.
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from pathlib import Path

from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.files.globs import expanded
from spark_iceberg_sql.files.projects.tools import YAML, Projects, is_stated_in, with_models
from spark_iceberg_sql.files.source import Part, Source, Unread, engine
from spark_iceberg_sql.files.source_map import stretch, whole
from spark_iceberg_sql.lazy import regex

SUFFIXES = frozenset({".sql", ".hql", ".ddl", ".py", ".ipynb"})
# Programs with one of these words are checked even if they do not contain `sql`.
_CALLS = regex(r"execute|writeTo|saveAsTable|insertInto|create_table|update_spec|iceberg_")
# Extensions of files that are read as SQL if they are named explicitly.
_AS_SQL = frozenset({
    "", ".sql", ".hql", ".ddl", ".dml", ".q", ".hive", ".sqlx", ".spark", ".sparksql", ".psql",
    ".pgsql", ".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".template", ".in", ".txt", ".bak",
    ".orig", ".old", ".tmp",
})  # fmt: skip
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # a byte order mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def find(
    paths: Iterable[str],
    excluded: Callable[[Path], bool],
    ignored: Callable[[str], Set[str]] = lambda folder: frozenset(),
    admit: Callable[[str], None] = lambda path: None,
) -> Iterator[str]:
    """The files to check, each once, as the user would name them.

    paths: files, folders (searched for SQL, Python and notebooks; hidden folders are skipped), globs
    and `-`. excluded: whether to skip a file or folder found in a search; it is not called for a file
    that is named. ignored: the full paths in a folder to search that are skipped as well. admit: raises an
    error for a file, or a folder to search, that may not be read. Raises FileError if a path does not exist.
    """
    seen: set[str] = set()
    for path in paths:
        for found in _meant(path, excluded, ignored, admit):
            admit(found)
            key = os.path.realpath(found)
            if key not in seen:
                seen.add(key)
                yield found


def _meant(
    path: str,
    excluded: Callable[[Path], bool],
    ignored: Callable[[str], Set[str]],
    admit: Callable[[str], None],
) -> Iterator[str]:
    if path == "-" or os.path.isfile(path):
        yield path
    elif os.path.isdir(path):
        admit(path)
        yield from _walk(path, excluded, ignored(path))
    elif os.path.exists(path):  # a pipe, /dev/stdin
        yield path
    else:
        from glob import has_magic

        found = expanded(path, admit) if has_magic(path) else []
        if not found:
            raise FileError(f"no such file or directory: `{path}`")
        for each in found:
            if os.path.isdir(each):
                admit(each)
                yield from _walk(each, excluded, ignored(each))
            elif not excluded(Path(each)):
                yield each


def _walk(folder: str, excluded: Callable[[Path], bool], ignored: Set[str]) -> Iterator[str]:
    closed: list[str] = []
    projects = Projects()

    def skipped(path: str) -> bool:
        return bool(ignored and os.path.abspath(path) in ignored) or excluded(Path(path))

    for root, folders, names in os.walk(folder, onerror=lambda e: closed.append(str(e.filename))):
        folders[:] = sorted(
            name
            for name in folders
            if name not in _SKIPPED
            and not name.startswith(".")
            and not skipped(os.path.join(root, name))
        )
        for name in sorted(names):
            suffix = os.path.splitext(name)[1].lower()
            if suffix not in SUFFIXES | YAML or name.startswith("."):
                continue
            path = os.path.normpath(os.path.join(root, name))
            wanted = suffix in SUFFIXES or is_stated_in(path, projects)
            if wanted and not skipped(path) and not _waits(path):
                yield path
    yield from map(os.path.normpath, closed)  # read_bytes raises the error


def _waits(path: str) -> bool:
    """True for a pipe, a socket or a device, which may never end."""
    return os.path.exists(path) and not os.path.isfile(path)


def read_bytes(path: str) -> bytes:
    """A file's content, or standard input's for `-`. Raises FileError."""
    if path == "-" and sys.stdin is None:
        raise FileError("cannot read standard input: it is closed")
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        reason = _closed(path) if os.path.isdir(path) else error.strerror
        raise FileError(f"cannot read `{path}`: {reason}") from None


def _closed(folder: str) -> str:
    try:
        os.listdir(folder)
    except OSError as error:
        return f"{error.strerror} (a folder; its contents were not checked)"
    return "it is a folder"


def decode(content: bytes, path: str) -> tuple[str, str, bytes]:
    """The text without its byte order mark, its encoding, and the mark. Raises FileError."""
    bom, encoding = next(((b, e) for b, e in _BOMS if content.startswith(b)), (b"", "utf-8"))
    declared = None
    if path.endswith(".py") and not bom and b"coding" in content[:400]:
        declared = _declared(content)
        encoding = declared or encoding
    try:
        text = content[len(bom) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise FileError(
            f"cannot read `{path}`: it is not {encoding.upper()}"
            f" (byte 0x{content[len(bom) + error.start]:02x} at offset {len(bom) + error.start})"
        ) from None
    except (UnicodeError, LookupError):  # `# coding: hex`
        text = ""
    if declared is not None and "coding" not in text[:400]:  # `# coding: utf-16`, in ASCII
        raise FileError(f"cannot read `{path}`: it is not {encoding.upper()}, as it declares")
    if "\0" in text:
        raise FileError(
            f"cannot read `{path}`: it contains NUL characters, like UTF-16 without a byte order mark"
        )
    return text, encoding, bom


def _declared(content: bytes) -> str | None:
    import io
    import tokenize

    try:
        return tokenize.detect_encoding(io.BytesIO(content).readline)[0]
    except SyntaxError:
        return None


def source(
    name: str,
    text: str,
    projects: Projects | None = None,
    callables: Sequence[str] = (),
    manifest: Path | None = None,
) -> Source:
    """The text units and SQL fragments of a file.

    name: its path; its suffix decides between Python, notebook and SQL. text: its content.
    projects: the dbt projects read so far. callables: the functions that pass a program's SQL to Spark.
    manifest: dbt's `manifest.json`, if a setting names it. Raises FileError for an invalid notebook.
    """
    own = _of_suffix(name, text, callables)
    return with_models(own, text, projects or Projects(), manifest) or own


def _of_suffix(name: str, text: str, callables: Sequence[str]) -> Source:
    kind = os.path.splitext(name)[1].lower()
    if kind == ".ipynb":
        from spark_iceberg_sql.files.notebooks.cells import read_notebook

        try:
            return read_notebook(name, text, callables)
        except ValueError as error:
            raise FileError(f"`{name}` is not a valid notebook: {error}") from None
        except RecursionError:
            raise FileError(f"`{name}` is not a valid notebook: it is nested too deeply") from None
    part = Part(text)
    if kind == ".py":
        from spark_iceberg_sql.files.migrations.alembic import IN_ALEMBIC, alembic_sql

        if IN_ALEMBIC.search(text) is not None:
            pieces, unread, forward = alembic_sql(text)
            found = tuple(pieces), tuple(unread), True, "spark" in text.lower()
            return Source(name, (part,), *found, forward=forward)
        if not callables and "sql" not in text and _CALLS.search(text) is None:
            return Source(name, (part,), ())
        from spark_iceberg_sql.files.python.sql import python_sql

        pieces, unread = python_sql(text, callables=callables)
        return Source(name, (part,), tuple(pieces), tuple(unread), program=True, **engine(text))
    if kind not in _AS_SQL:
        why = f"`{kind}` files are not supported, only SQL, Python programs and notebooks"
        help_ = "put the SQL in a separate `.sql` file"
        return Source(name, (part,), (), (Unread(0, 0, 0, why, help_),))
    if any(mark in text for mark in ("COMMAND", "MAGIC", "endDelimiter", "%")):
        return _in_cells(name, text)
    from spark_iceberg_sql.files.migrations.order import going_back

    back = going_back(text)
    if back is not None:
        both = stretch(text, 0, back), stretch(text, back, len(text))
        return Source(name, (part,), both, forward=1)
    return Source(name, (part,), (whole(text),))


def _in_cells(name: str, text: str) -> Source:
    """The source file of a SQL file, which may consist of cells, some of them in Python."""
    from spark_iceberg_sql.files.databricks import python_cells, sql_cells

    # JupyterLab names the SQL of a notebook's cells `a.ipynb.python-sql.sql`.
    pieces, unread = sql_cells(text, joined=".ipynb." in os.path.basename(name))
    programs = [program for program in python_cells(text) if "sql" in program]
    for program in programs:
        from spark_iceberg_sql.files.python.sql import python_sql

        found, bad = python_sql(program)
        pieces += found
        unread += bad
    pieces.sort(key=lambda piece: piece.starts[0])
    spark = any("spark" in program.lower() for program in programs)
    return Source(name, (Part(text),), tuple(pieces), tuple(unread), bool(programs), spark)
