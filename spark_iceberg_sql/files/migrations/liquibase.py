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

from spark_iceberg_sql.files.inside import is_file_inside, is_inside, repository

_SUFFIXES = (".xml", ".yaml", ".yml", ".json")
_ITEM = re.compile(r"^([ \t]*)-[ \t]*(\w+)[ \t]*:", re.MULTILINE)
_VALUE = r"""\b{0}[ \t]*:[ \t]*(["']?)([^\r\n"']+)\1"""
_ABOVE = 4  # number of parent folders in which a file's changelog is searched
_MOST = 1000  # changelogs that are read
_UNREADABLE = (
    OSError,
    ValueError,
    RecursionError,
    ElementTree.ParseError,
    AttributeError,
    TypeError,
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of a changelog: a file, a folder, or another change. is_relative: to the changelog's folder."""

    file: str | None = None
    folder: str | None = None
    near: bool = False


def changelog(folder: Path, files: Sequence[str]) -> list[str | None] | None:
    """The files that a changelog includes, in order, as full paths; an item None represents any other change.

    folder: where to search for changelogs, and in its parents. files: the changelog must include one of them.
    None if there is no such changelog.
    """
    best: list[str | None] | None = None
    searched = [folder, *folder.parents][:_ABOVE]
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
        included: list[str | None] = []
        # No recursion: changelogs may include each other, and a chain may exceed Python's limit.
        seen: set[Path] = set()
        waiting: list[str | Path | None] = [path]  # the next one last
        while waiting:
            item = waiting.pop()
            if not isinstance(item, Path):
                included.append(item)
            elif len(seen) == _MOST:
                included.append(None)
            elif item not in seen:
                seen.add(item)
                waiting += reversed(self._items_of(item))
        return included

    def _items_of(self, path: Path) -> list[str | Path | None]:
        """The direct items of a changelog, in order: SQL files as strings, changelogs as paths."""
        if path not in self._items:
            try:
                entries = list(_entries(path)) if is_file_inside(path, self.tree) else None
            except _UNREADABLE:
                entries = None
            self._items[path] = (
                [None]
                if entries is None
                else [item for entry in entries for item in self._of_entry(path, entry)]
            )
        return self._items[path]

    def _of_entry(self, path: Path, entry: _Entry) -> Iterator[str | Path | None]:
        named = entry.file or entry.folder
        target = _resolved(path, named, near=entry.near) if named is not None else None
        if target is None or not is_inside(target, self.tree):
            yield None
            return
        for file in sorted(target.rglob("*")) if entry.folder is not None else (target,):
            if file.suffix in _SUFFIXES:
                yield file
            elif file.suffix == ".sql":
                yield str(file) if is_file_inside(file, self.tree) else None


def _resolved(changelog: Path, name: str, *, near: bool) -> Path | None:
    """A path in a changelog: relative to its folder, or to the search path, a folder above it."""
    name = name.removeprefix("classpath:").lstrip("/")
    for above in [changelog.parent] if near else changelog.parents:
        path = Path(os.path.normpath(above / name))
        if os.path.exists(path):
            return path
    return None


def _entries(path: Path) -> Iterator[_Entry]:
    text = path.read_text("utf-8-sig")
    if path.suffix == ".xml":
        yield from _of_xml(ElementTree.fromstring(text))
    elif path.suffix == ".json":
        for item in json.loads(text)["databaseChangeLog"]:
            for kind, value in item.items():
                yield from _of_tree(kind, value)
    else:
        yield from _of_yaml(text)


def _of_xml(root: ElementTree.Element) -> Iterator[_Entry]:
    for element in root:
        kind = element.tag.rpartition("}")[2]
        near = element.get("relativeToChangelogFile", "").lower() == "true"
        if kind == "include":
            yield _Entry(file=element.get("file"), near=near)
        elif kind == "includeAll":
            yield _Entry(folder=element.get("path"), near=near)
        elif kind == "changeSet":
            yield from _of_change_set(element)


def _of_change_set(element: ElementTree.Element) -> Iterator[_Entry]:
    for change in element:
        kind = change.tag.rpartition("}")[2]
        near = change.get("relativeToChangelogFile", "").lower() == "true"
        if kind not in ("comment", "rollback", "preConditions", "tagDatabase", "validCheckSum"):
            yield _Entry(file=change.get("path") if kind == "sqlFile" else None, near=near)


def _of_tree(kind: str, value: Any) -> Iterator[_Entry]:
    if kind == "include":
        yield _Entry(file=value["file"], near=_true(value))
    elif kind == "includeAll":
        yield _Entry(folder=value["path"], near=_true(value))
    elif kind == "changeSet":
        for change in value.get("changes", ()):
            for name, said in change.items():
                path = said["path"] if name == "sqlFile" else None
                yield _Entry(file=path, near=path is not None and _true(said))


def _true(value: Any) -> bool:
    return str(value.get("relativeToChangelogFile", "")).lower() == "true"


def _of_yaml(text: str) -> Iterator[_Entry]:
    """The items of the top-level list; nested text is searched, not parsed."""
    text = re.sub(r"(?m)(?:^|[ \t])#.*$", "", text)
    items = list(_ITEM.finditer(text))
    if "databaseChangeLog" not in text or not items:
        raise ValueError
    top = min(len(item[1]) for item in items)
    items = [item for item in items if len(item[1]) == top]
    for item, end in zip(items, [*(i.start() for i in items[1:]), len(text)], strict=True):
        body = text[item.end() : end]
        near = (
            re.search(r"\brelativeToChangelogFile[ \t]*:[ \t]*[\"']?true", body, re.IGNORECASE)
            is not None
        )
        if item[2] == "include":
            yield _Entry(file=_said(body, "file"), near=near)
        elif item[2] == "includeAll":
            yield _Entry(folder=_said(body, "path"), near=near)
        elif item[2] == "changeSet":
            yield _Entry(file=_said(body, "path") if "sqlFile" in body else None, near=near)


def _said(body: str, key: str) -> str | None:
    found = re.search(_VALUE.format(key), body)
    return found[2].strip() if found is not None else None
