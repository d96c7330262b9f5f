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
from spark_iceberg_sql.files.globs import expand_glob
from spark_iceberg_sql.files.jvm.jvm_sql import JVM_SUFFIXES, jvm_sql, may_contain_jvm_sql
from spark_iceberg_sql.files.projects.project_readers import Projects, configures_models, with_models
from spark_iceberg_sql.files.source import ExtractionProblem, SourceFile, TextUnit, detect_engine
from spark_iceberg_sql.files.source_map import range_fragment
from spark_iceberg_sql.files.yaml_nodes import HELP as YAML_HELP
from spark_iceberg_sql.files.yaml_nodes import YAML_SUFFIXES, is_installed
from spark_iceberg_sql.files.yaml_sql import file_may_have_sql_values, may_have_sql_values, sql_values

_DOCUMENTS = frozenset({".md", ".markdown", ".mdx", ".rst"})
SUFFIXES = frozenset({".sql", ".hql", ".ddl", ".py", ".ipynb"}) | _DOCUMENTS | JVM_SUFFIXES
# Extensions of files that are read as SQL if they are named explicitly.
_SQL_SUFFIXES = frozenset({
    "", ".sql", ".hql", ".ddl", ".dml", ".q", ".hive", ".sqlx", ".spark", ".sparksql", ".psql",
    ".pgsql", ".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".template", ".in", ".txt", ".bak",
    ".orig", ".old", ".tmp",
})  # fmt: skip
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # a byte order mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def find_files(
    paths: Iterable[str],
    excluded: Callable[[Path], bool],
    ignored: Callable[[str], Set[str]] = lambda folder: frozenset(),
    admit: Callable[[str], None] = lambda path: None,
) -> Iterator[str]:
    """The files to check, each once, as the user would name them.

    paths: files, folders (searched for SQL, programs, notebooks and documents; hidden folders are skipped), globs and
    `-`. excluded: whether to skip a file or folder found in a search; it is not called for a file that is named.
    ignored: the full paths in a folder to search that are skipped as well. admit: raises an error for a file, or a
    folder to search, that may not be read. Raises FileError if a path does not exist.
    """
    visited: set[str] = set()
    for path in paths:
        for file in _files_of_path(path, excluded, ignored, admit):
            admit(file)
            if (key := os.path.realpath(file)) not in visited:
                visited.add(key)
                yield file


def _files_of_path(
    path: str, excluded: Callable[[Path], bool], ignored: Callable[[str], Set[str]], admit: Callable[[str], None]
) -> Iterator[str]:
    is_named = path == "-" or os.path.exists(path)
    matches = [path]
    if not is_named:
        from glob import has_magic

        matches = expand_glob(path, admit) if has_magic(path) else []
        if not matches:
            raise FileError(f"no such file or directory: `{path}`")
    for match in matches:
        if os.path.isdir(match) and match != "-":
            admit(match)
            yield from _walk(match, excluded, ignored(match))
        elif is_named or not excluded(Path(match)):
            yield match


def _walk(folder: str, excluded: Callable[[Path], bool], ignored: Set[str]) -> Iterator[str]:
    unreadable_folders: list[str] = []
    projects = Projects()

    def skipped(path: str) -> bool:
        return bool(ignored and os.path.abspath(path) in ignored) or excluded(Path(path))

    for root, folders, names in os.walk(folder, onerror=lambda e: unreadable_folders.append(str(e.filename))):
        folders[:] = sorted(
            name
            for name in folders
            if name not in _SKIPPED_FOLDERS and not name.startswith(".") and not skipped(os.path.join(root, name))
        )
        for name in sorted(names):
            suffix = os.path.splitext(name)[1].lower()
            if suffix not in SUFFIXES | YAML_SUFFIXES or name.startswith("."):
                continue
            path = os.path.normpath(os.path.join(root, name))
            # A pipe, a socket or a device may never end.
            may_block = os.path.exists(path) and not os.path.isfile(path)
            is_checked = suffix in SUFFIXES or configures_models(path, projects)
            is_checked = is_checked or not (may_block or skipped(path) or not file_may_have_sql_values(path))
            # Sites link documents that only a build makes; nobody keeps SQL that runs behind such a link.
            is_dangling = suffix in _DOCUMENTS and not os.path.exists(path)
            if is_checked and not skipped(path) and not may_block and not is_dangling:
                yield path
    yield from map(os.path.normpath, unreadable_folders)  # read_bytes raises the error


def read_bytes(path: str) -> bytes:
    """A file's content, or standard input's for `-`. Raises FileError."""
    if path == "-" and sys.stdin is None:
        raise FileError("cannot read standard input: it is closed")
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        reason = _read_error(path) if os.path.isdir(path) else error.strerror
        raise FileError(f"cannot read `{path}`: {reason}") from None


def _read_error(folder: str) -> str:
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
        raise FileError(f"cannot read `{path}`: it contains NUL characters, like UTF-16 without a byte order mark")
    return text, encoding, bom


def _declared(content: bytes) -> str | None:
    import io
    import re
    import tokenize

    try:
        return tokenize.detect_encoding(io.BytesIO(content).readline)[0]
    except (SyntaxError, LookupError):  # from Python 3.14 on, also for a codec in which the line is no text
        named = re.search(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", content[:400], re.MULTILINE)
    try:
        return codecs.lookup(named[1].decode()).name if named else None
    except LookupError:
        return None


def extract_source(
    name: str, text: str, projects: Projects | None = None, callables: Sequence[str] = (), manifest: Path | None = None
) -> SourceFile:
    """The text units and SQL fragments of a file.

    name: its path; its suffix decides between program, notebook, document and SQL. text: its content.
    projects: the dbt projects read so far. callables: the functions that pass a program's SQL to Spark.
    manifest: dbt's `manifest.json`, if a setting names it. Raises FileError for an invalid notebook.
    """
    source_file = _source_by_suffix(name, text, callables)
    return with_models(source_file, text, projects or Projects(), manifest) or source_file


def _source_by_suffix(name: str, text: str, callables: Sequence[str]) -> SourceFile:
    suffix = os.path.splitext(name)[1].lower()
    if suffix == ".ipynb":
        from spark_iceberg_sql.files.notebooks.cells import read_notebook

        try:
            return read_notebook(name, text, callables)
        except ValueError as error:
            raise FileError(f"`{name}` is not a valid notebook: {error}") from None
        except RecursionError:
            raise FileError(f"`{name}` is not a valid notebook: it is nested too deeply") from None
    unit = TextUnit(text)
    if suffix == ".py":
        from spark_iceberg_sql.files.migrations.alembic import ALEMBIC_REVISION, alembic_sql

        if "down_revision" in text and ALEMBIC_REVISION.search(text) is not None:
            fragments, problems, upgrade_count = alembic_sql(text)
            uses_spark = "spark" in text.lower()
            return SourceFile(name, (unit,), tuple(fragments), tuple(problems), True, uses_spark, False, upgrade_count)
        from spark_iceberg_sql.files.python.prefilter import may_contain_sql

        if not may_contain_sql(text, callables):
            return SourceFile(name, (unit,), ())
        from spark_iceberg_sql.files.python.sql_extraction import python_sql

        fragments, problems = python_sql(text, callables=callables)
        return SourceFile(name, (unit,), tuple(fragments), tuple(problems), is_program=True, **detect_engine(text))
    if suffix in JVM_SUFFIXES:
        return _source_of_jvm(name, text, is_scala=suffix != ".java")
    if suffix in YAML_SUFFIXES and may_have_sql_values(text.encode("utf-8", "replace")):
        if not is_installed():
            problem = ExtractionProblem(0, 0, 0, "the SQL in this YAML file cannot be read", YAML_HELP)
            return SourceFile(name, (unit,), (), (problem,))
        return SourceFile(name, (unit,), tuple(sql_values(text)))
    if suffix in _DOCUMENTS:
        from spark_iceberg_sql.files.documents.sql_blocks import read_document  # the command starts sooner

        return read_document(name, text, suffix)
    if suffix not in _SQL_SUFFIXES:
        reason = (
            f"`{suffix}` files are not supported, only SQL, programs in Python, Scala and Java, notebooks and documents"
        )
        problem = ExtractionProblem(0, 0, 0, reason, "put the SQL in a separate `.sql` file")
        return SourceFile(name, (unit,), (), (problem,))
    if any(marker in text for marker in ("COMMAND", "MAGIC", "endDelimiter", "%")):
        return _source_of_cells(name, text)
    from spark_iceberg_sql.files.migrations.order import downgrade_offset

    downgrade_start = downgrade_offset(text)
    if downgrade_start is not None:
        halves = (range_fragment(text, 0, downgrade_start), range_fragment(text, downgrade_start, len(text)))
        return SourceFile(name, (unit,), halves, upgrade_count=1)
    return SourceFile(name, (unit,), (range_fragment(text, 0, len(text)),))


def _source_of_jvm(name: str, text: str, *, is_scala: bool) -> SourceFile:
    """The source file of a program in Scala or Java, which may be a Databricks notebook."""
    from spark_iceberg_sql.files.databricks import magic_cells

    unit = TextUnit(text)
    fragments = list(magic_cells(text, 0)) if "MAGIC" in text else []
    if not fragments and not may_contain_jvm_sql(text):
        return SourceFile(name, (unit,), ())
    program_fragments, problems = jvm_sql(text, is_scala=is_scala)
    fragments = [*fragments, *program_fragments]
    if len(fragments) > len(program_fragments):
        fragments.sort(key=lambda fragment: fragment.starts[0])
    return SourceFile(name, (unit,), tuple(fragments), tuple(problems), is_program=True, uses_spark=True)


def _source_of_cells(name: str, text: str) -> SourceFile:
    """The source file of a SQL file, which may consist of cells, some of them in Python."""
    from spark_iceberg_sql.files.databricks import python_cells, sql_cells

    # JupyterLab names the SQL of a notebook's cells `a.ipynb.python-sql.sql`.
    fragments, problems = sql_cells(text, is_joined=".ipynb." in os.path.basename(name))
    programs = [program for program in python_cells(text) if "sql" in program]
    for program in programs:
        from spark_iceberg_sql.files.python.sql_extraction import python_sql

        cell_fragments, cell_problems = python_sql(program)
        fragments += cell_fragments
        problems += cell_problems
    fragments.sort(key=lambda fragment: fragment.starts[0])
    uses_spark = any("spark" in program.lower() for program in programs)
    return SourceFile(name, (TextUnit(text),), tuple(fragments), tuple(problems), bool(programs), uses_spark)
