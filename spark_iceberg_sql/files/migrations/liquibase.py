"""Liquibase changelogs: the order in which they include formatted SQL files.

In: the folder of SQL files. Out: their paths in the order of the changelog; None for any other change.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from spark_iceberg_sql.files.repository_paths import is_file_inside, is_inside, repository

_SUFFIXES = (".xml", ".yaml", ".yml", ".json")
_ITEM = re.compile(r"^([ \t]*)-[ \t]*(\w+)[ \t]*:", re.MULTILINE)
_VALUE = r"""\b{0}[ \t]*:[ \t]*(["']?)([^\r\n"']+)\1"""
_MAX_PARENTS = 4  # number of parent folders in which a file's changelog is searched
_MAX_CHANGELOGS = 1000  # changelogs that are read
_READ_ERRORS = (OSError, ValueError, RecursionError, ElementTree.ParseError, AttributeError, TypeError)


@dataclass(frozen=True, slots=True)
class _ChangelogEntry:
    """An entry of a changelog: a file, a folder, or another change. is_relative: to the changelog's folder."""

    file: str | None = None
    folder: str | None = None
    is_relative: bool = False


def changelog(folder: Path, files: Sequence[str]) -> list[str | None] | None:
    """The files that a changelog includes, in order, as full paths; an item None represents any other change.

    folder: where to search for changelogs, and in its parents. files: the changelog must include one of them.
    None if there is no such changelog.
    """
    best: list[str | None] | None = None
    searched = [folder, *folder.parents][:_MAX_PARENTS]
    changelogs = _Changelogs(repository(folder) or searched[-1])
    for above in searched:
        for path in sorted(above.iterdir()):
            if path.suffix in _SUFFIXES and "changelog" in path.name.lower():
                included = changelogs.included(path)
                if set(files) & set(included) and len(included) > len(best or ()):
                    best = included
        if (above / ".git").exists() or above == changelogs.tree:
            break
    return best


class _Changelogs:
    """The changelogs in a folder. Each is read once, however many others include it."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self._items: dict[Path, list[str | Path | None]] = {}

    def included(self, path: Path) -> list[str | None]:
        """The files that a changelog includes, directly or not; None for a file outside of the folder."""
        files: list[str | None] = []
        # No recursion: changelogs may include each other, and a chain may exceed Python's limit.
        visited: set[Path] = set()
        stack: list[str | Path | None] = [path]  # the next one last
        while stack:
            item = stack.pop()
            if not isinstance(item, Path):
                files.append(item)
            elif len(visited) == _MAX_CHANGELOGS:
                files.append(None)
            elif item not in visited:
                visited.add(item)
                stack += reversed(self._items_of(item))
        return files

    def _items_of(self, path: Path) -> list[str | Path | None]:
        """The direct items of a changelog, in order: SQL files as strings, changelogs as paths."""
        if path not in self._items:
            try:
                entries = list(_entries(path)) if is_file_inside(path, self.tree) else None
            except _READ_ERRORS:
                entries = None
            self._items[path] = (
                [None] if entries is None else [item for entry in entries for item in self._of_entry(path, entry)]
            )
        return self._items[path]

    def _of_entry(self, path: Path, entry: _ChangelogEntry) -> Iterator[str | Path | None]:
        name = entry.file or entry.folder
        target = _resolved(path, name, is_relative=entry.is_relative) if name is not None else None
        if target is None or not is_inside(target, self.tree):
            yield None
            return
        for file in sorted(target.rglob("*")) if entry.folder is not None else (target,):
            if file.suffix in _SUFFIXES:
                yield file
            elif file.suffix == ".sql":
                yield str(file) if is_file_inside(file, self.tree) else None


def _resolved(changelog: Path, name: str, *, is_relative: bool) -> Path | None:
    """A path in a changelog: relative to its folder, or to the search path, a folder above it."""
    name = name.removeprefix("classpath:").lstrip("/")
    for above in [changelog.parent] if is_relative else changelog.parents:
        path = Path(os.path.normpath(above / name))
        if os.path.exists(path):
            return path
    return None


def _entries(path: Path) -> Iterator[_ChangelogEntry]:
    text = path.read_text("utf-8-sig")
    if path.suffix == ".xml":
        yield from _of_xml(ElementTree.fromstring(text))
    elif path.suffix == ".json":
        for item in json.loads(text)["databaseChangeLog"]:
            for entry_type, value in item.items():
                yield from _of_tree(entry_type, value)
    else:
        yield from _of_yaml(text)


def _of_xml(root: ElementTree.Element) -> Iterator[_ChangelogEntry]:
    for element in root:
        tag = element.tag.rpartition("}")[2]
        if tag == "include":
            yield _ChangelogEntry(file=element.get("file"), is_relative=_is_relative(element))
        elif tag == "includeAll":
            yield _ChangelogEntry(folder=element.get("path"), is_relative=_is_relative(element))
        elif tag == "changeSet":
            yield from _of_change_set(element)


def _of_change_set(element: ElementTree.Element) -> Iterator[_ChangelogEntry]:
    for change in element:
        tag = change.tag.rpartition("}")[2]
        if tag not in ("comment", "rollback", "preConditions", "tagDatabase", "validCheckSum"):
            yield _ChangelogEntry(
                file=change.get("path") if tag == "sqlFile" else None, is_relative=_is_relative(change)
            )


def _of_tree(entry_type: str, value: Any) -> Iterator[_ChangelogEntry]:
    if entry_type == "include":
        yield _ChangelogEntry(file=value["file"], is_relative=_is_relative(value))
    elif entry_type == "includeAll":
        yield _ChangelogEntry(folder=value["path"], is_relative=_is_relative(value))
    elif entry_type == "changeSet":
        for change in value.get("changes", ()):
            for name, properties in change.items():
                path = properties["path"] if name == "sqlFile" else None
                yield _ChangelogEntry(file=path, is_relative=path is not None and _is_relative(properties))


def _is_relative(value: Any) -> bool:
    return str(value.get("relativeToChangelogFile", "")).lower() == "true"


def _of_yaml(text: str) -> Iterator[_ChangelogEntry]:
    """The items of the top-level list; nested text is searched, not parsed."""
    text = re.sub(r"(?m)(?:^|[ \t])#.*$", "", text)
    items = list(_ITEM.finditer(text))
    if "databaseChangeLog" not in text or not items:
        raise ValueError
    top = min(len(item[1]) for item in items)
    items = [item for item in items if len(item[1]) == top]
    for item, end in zip(items, [*(i.start() for i in items[1:]), len(text)], strict=True):
        body = text[item.end() : end]
        is_relative = re.search(r"\brelativeToChangelogFile[ \t]*:[ \t]*[\"']?true", body, re.IGNORECASE) is not None
        if item[2] == "include":
            yield _ChangelogEntry(file=_value_of(body, "file"), is_relative=is_relative)
        elif item[2] == "includeAll":
            yield _ChangelogEntry(folder=_value_of(body, "path"), is_relative=is_relative)
        elif item[2] == "changeSet":
            yield _ChangelogEntry(file=_value_of(body, "path") if "sqlFile" in body else None, is_relative=is_relative)


def _value_of(body: str, key: str) -> str | None:
    match = re.search(_VALUE.format(key), body)
    return match[2].strip() if match is not None else None
