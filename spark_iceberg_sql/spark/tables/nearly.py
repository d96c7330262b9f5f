"""Suggestions for a path without a table: what is there instead, and what to write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from spark_iceberg_sql.model.globs import has_wildcards
from spark_iceberg_sql.model.metadata_functions import METADATA_FUNCTIONS
from spark_iceberg_sql.model.schema import similar_names
from spark_iceberg_sql.model.table_functions import Value
from spark_iceberg_sql.spark.bridge import relations
from spark_iceberg_sql.spark.bridge.errors import BRIDGE_ERRORS
from spark_iceberg_sql.spark.bridge.file_io import Files
from spark_iceberg_sql.spark.bridge.folders import Children, Tree, tree
from spark_iceberg_sql.spark.tables.arguments import invalid
from spark_iceberg_sql.syntax.identifiers import backticked

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){1,5}")
_HASH = re.compile(r"(.+)#(\w+)/?")
_DATA = (".parquet", ".orc", ".avro", ".csv", ".json")
_TRIED = 20  # the maximum number of folders searched for a table


def slip_in(text: str, values: Mapping[str, Value], *, missing: bool) -> str | None:
    """The mistake in the spelling of a path, and what to write; None if there is none.

    text: the path without a table. values: of the call. missing: whether nothing exists there. Looks into the
    session's catalogs, but not into folders.
    """
    if text != text.strip():
        where = "begins" if text != text.lstrip() else "ends"
        return f"`{text}` {where} with a space; write '{text.strip()}'"
    if text.startswith("~"):
        home = str(Path(text).expanduser())
        meant = f"; write '{home}'" if home != text else "; write the whole path"
        return f"`~` is not expanded in `{text}`{meant}"
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
    wanted = kind.lower()
    for function in METADATA_FUNCTIONS:
        if (
            wanted == (function.metadata_table or "").lower()
            or f"iceberg_{wanted}" in function.names
        ):
            return function.name
    return None


def _is_table(name: str) -> bool:
    try:
        relations.catalog_table(name)
    except BRIDGE_ERRORS:
        return False
    return True


def refuse(function: str, argument: str, path: str, files: Files, *, new: bool = False) -> None:
    """Raise Refusal with the content of a path that has no metadata files, if it can be identified.

    may_create: whether a table is to be created there: then an empty path is no mistake, even next to a
    folder with a similar name.
    """
    above = _table_around(path, files)
    if above is not None:
        words = f"`{path}` is inside the folder of the table `{above}`; pass the table's folder"
        raise invalid(function, argument, words)
    what = next(_there(function, path, files, new=new), None)
    if what is not None:
        raise invalid(function, argument, what)


def _table_around(path: str, files: Files) -> str | None:
    above = path.rstrip("/")
    for _ in range(3):  # a file in a partition folder
        above, _, part = above.rpartition("/")
        if part in ("metadata", "data") and files.metadata_files(f"{above}/metadata"):
            return above
    return None


def _there(function: str, path: str, files: Files, *, new: bool) -> Iterator[str]:
    store, folder = tree(files, path.rstrip("/") or "/")
    if not store.can_walk:
        return
    above, _, name = folder.rpartition("/")
    here = store.children(folder)
    if here is None or not (here.folders or here.files):
        if not new:
            yield from _beside(function, name, above, store)
        return
    if "_delta_log" in here.folders:
        yield f"`{path}` is a Delta Lake table, not an Iceberg table; read it with delta.{backticked(folder)}"
    if ".hoodie" in here.folders:
        yield f"`{path}` is a Hudi table, not an Iceberg table"
    yield from _above(function, path, folder, here, store)
    kind = _kind_of_files(store, folder, here)
    if kind is not None:
        yield (
            f"`{path}` has {kind} files, but no Iceberg metadata; read them with "
            f"{kind.lower()}.{backticked(folder)}"
        )


def _beside(function: str, name: str, above: str, store: Tree) -> Iterator[str]:
    """The suggestions for a path that does not exist: a file of that name, or folders with a similar name."""
    siblings = store.children(above) if above else None
    if siblings is None:
        return
    if name in siblings.files and name.endswith(_DATA):
        kind = name.rpartition(".")[2]
        yield f"`{above}/{name}` is a file, not a table; read it with {kind}.{backticked(f'{above}/{name}')}"
    for like in similar_names(name, siblings.folders):
        if store.metadata_files(f"{above}/{like}"):
            yield f"there is no `{above}/{name}`; write {function}('{above}/{like}')"


def _above(function: str, path: str, folder: str, here: Children, store: Tree) -> Iterator[str]:
    """The suggestion for a folder that contains tables."""
    names = sorted(name for name in here.folders if "=" not in name and name[0] not in "._")
    tables = [n for n in names[:_TRIED] if store.metadata_files(f"{folder}/{n}")]
    if tables:
        shown = ", ".join(f"`{name}`" for name in tables[:3])
        more = " and others" if len(tables) > 3 or len(names) > _TRIED else ""
        yield (
            f"`{path}` is not a table; the tables in it are {shown}{more}: write "
            f"{function}('{folder}/{tables[0]}'), or list all with iceberg_tables('{folder}')"
        )


def _kind_of_files(store: Tree, folder: str, here: Children) -> str | None:
    """The format of the files in a folder, or in its first partition, such as Parquet; None if it is not one of
    three.
    """
    for _ in range(4):
        for suffix in (".parquet", ".orc", ".avro"):
            if any(name.endswith(suffix) for name in here.files):
                return suffix[1:].capitalize() if suffix != ".orc" else "ORC"
        inner = next((name for name in sorted(here.folders) if "=" in name), None)
        if inner is None:
            return None
        folder = f"{folder}/{inner}"
        here = store.children(folder) or Children()
    return None
