"""Suggestions for a path without a table: what is there instead, and what to write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from spark_iceberg_sql.model.functions.metadata_functions import METADATA_FUNCTIONS
from spark_iceberg_sql.model.functions.table_functions import Value
from spark_iceberg_sql.model.globs import has_wildcards
from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.spark.bridge.io.file_io import Files
from spark_iceberg_sql.spark.bridge.io.folders import Children, Tree, tree
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS
from spark_iceberg_sql.spark.bridge.plans import relations
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.syntax.identifiers import backticked

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){1,5}")
_HASH = re.compile(r"(.+)#(\w+)/?")
_DATA_SUFFIXES = (".parquet", ".orc", ".avro", ".csv", ".json")
_MAX_SEARCHED = 20  # the maximum number of folders searched for a table


def explain_path(text: str, values: Mapping[str, Value], *, missing: bool) -> str | None:
    """The mistake in the spelling of a path, and what to write; None if there is none.

    text: the path without a table. values: of the call. missing: whether nothing exists there. Looks into the
    session's catalogs, but not into folders.
    """
    if text != text.strip():
        where = "begins" if text != text.lstrip() else "ends"
        return f"`{text}` {where} with a space; write '{text.strip()}'"
    if text.startswith("~"):
        home = str(Path(text).expanduser())
        suggestion = f"; write '{home}'" if home != text else "; write the whole path"
        return f"`~` is not expanded in `{text}`{suggestion}"
    match = _HASH.fullmatch(text)
    if match and (function := _function_of(match[2])):
        return f"`#{match[2]}` is not part of a path; write {function}('{match[1]}')"
    if not missing:
        return None
    if has_wildcards(text):
        return f"`{text}` is a pattern, but this reads one table; list the matching ones with iceberg_tables('{text}')"
    if _NAME.fullmatch(text) and "table" not in values and _is_table(text):
        return f"`{text}` is a table's name, not a path; write {text} without the function"
    return None


def _function_of(kind: str) -> str | None:
    lower_kind = kind.lower()
    return next(
        (
            function.name
            for function in METADATA_FUNCTIONS
            if lower_kind == (function.metadata_table or "").lower() or f"iceberg_{lower_kind}" in function.names
        ),
        None,
    )


def _is_table(name: str) -> bool:
    try:
        relations.catalog_table(name)
    except BRIDGE_ERRORS:
        return False
    return True


def refuse(function: str, argument: str, path: str, files: Files, *, may_create: bool = False) -> None:
    """Raise Refusal with the content of a path that has no metadata files, if it can be identified.

    may_create: whether a table is to be created there: then an empty path is no mistake, even next to a folder with a
    similar name.
    """
    if (table_folder := _enclosing_table(path, files)) is not None:
        raise invalid(
            function, argument, f"`{path}` is inside the folder of the table `{table_folder}`; pass the table's folder"
        )
    reason = next(_content_reasons(function, path, files, may_create=may_create), None)
    if reason is not None:
        raise invalid(function, argument, reason)


def _enclosing_table(path: str, files: Files) -> str | None:
    parent = path.rstrip("/")
    for _ in range(3):  # a file in a partition folder
        parent, _, part = parent.rpartition("/")
        if part in ("metadata", "data") and files.metadata_files(f"{parent}/metadata"):
            return parent
    return None


def _content_reasons(function: str, path: str, files: Files, *, may_create: bool) -> Iterator[str]:
    store, folder = tree(files, path.rstrip("/") or "/")
    if not store.can_walk:
        return
    parent, _, name = folder.rpartition("/")
    children = store.children(folder)
    if children is None or not (children.folders or children.files):
        if not may_create:
            yield from _similar_names(function, name, parent, store)
        return
    if "_delta_log" in children.folders:
        yield f"`{path}` is a Delta Lake table, not an Iceberg table; read it with delta.{backticked(folder)}"
    if ".hoodie" in children.folders:
        yield f"`{path}` is a Hudi table, not an Iceberg table"
    yield from _tables_inside(function, path, folder, children, store)
    if (file_format := _file_format(store, folder, children)) is not None:
        yield (
            f"`{path}` has {file_format} files, but no Iceberg metadata; read them with "
            f"{file_format.lower()}.{backticked(folder)}"
        )


def _similar_names(function: str, name: str, parent: str, store: Tree) -> Iterator[str]:
    """The suggestions for a path that does not exist: a file of that name, or folders with a similar name."""
    siblings = store.children(parent) if parent else None
    if siblings is None:
        return
    if name in siblings.files and name.endswith(_DATA_SUFFIXES):
        extension = name.rpartition(".")[2]
        yield f"`{parent}/{name}` is a file, not a table; read it with {extension}.{backticked(f'{parent}/{name}')}"
    for similar_name in similar_names(name, siblings.folders):
        if store.metadata_files(f"{parent}/{similar_name}"):
            yield f"there is no `{parent}/{name}`; write {function}('{parent}/{similar_name}')"


def _tables_inside(function: str, path: str, folder: str, children: Children, store: Tree) -> Iterator[str]:
    """The suggestion for a folder that contains tables."""
    names = sorted(name for name in children.folders if "=" not in name and name[0] not in "._")
    tables = [n for n in names[:_MAX_SEARCHED] if store.metadata_files(f"{folder}/{n}")]
    if tables:
        listed_names = ", ".join(f"`{name}`" for name in tables[:3])
        suffix = " and others" if len(tables) > 3 or len(names) > _MAX_SEARCHED else ""
        yield (
            f"`{path}` is not a table; the tables in it are {listed_names}{suffix}: write "
            f"{function}('{folder}/{tables[0]}'), or list all with iceberg_tables('{folder}')"
        )


def _file_format(store: Tree, folder: str, children: Children) -> str | None:
    """The format of the files in a folder, or in its first partition, such as Parquet; None if it is not one of
    three.
    """
    for _ in range(4):
        for suffix in (".parquet", ".orc", ".avro"):
            if any(name.endswith(suffix) for name in children.files):
                return suffix[1:].capitalize() if suffix != ".orc" else "ORC"
        partition_folder = next((name for name in sorted(children.folders) if "=" in name), None)
        if partition_folder is None:
            return None
        folder = f"{folder}/{partition_folder}"
        children = store.children(folder) or Children()
    return None
