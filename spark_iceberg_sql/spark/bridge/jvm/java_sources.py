"""The Java files of a package: which one is for this Spark, which ones for older Icebergs, and which use which.

They are in the package's folder `java`, and in folders of it by subject. A class that differs between minor versions
of Spark has a file in a folder named after the first version that it is for: `4.0/Invocation.java`. One that differs
between versions of Iceberg has other files in folders named after what the older versions lack:
`iceberg/without_format_models/RowWriters.java`. Of these, the first that compiles is the one (compiler.py): what is on
the class path decides, no table of versions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import shims

if TYPE_CHECKING:
    from importlib.abc import Traversable

PACKAGE = "spark_iceberg_sql.spark.bridge.jvm"
# Of this package, for all others, each after those that it uses: what one call of Iceberg's API is in its different
# versions, how manifests are read, which of them nothing may be read from, whether a plan groups rows, and what stands
# for an object of Iceberg's or Spark's.
SHARED = (
    "FileAddress", "SnapshotKey", "ReferencedFile", "ColumnDefault", "Outgoing", "TruncatedFile", "LiveFiles",
    "RowGroups", "Delegation",
)  # fmt: skip
_OLDER_ICEBERGS = "iceberg"
_NOT_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
# A name that a dot precedes is of another package, or within another class.
_NAME = re.compile(r"(?<![.\w])[A-Z]\w*")
_IMPORTED = re.compile(r"^import .*?(\w+);$", re.MULTILINE)
_SINCE = re.compile(r"@since Iceberg (\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class _JavaFile:
    """A Java file. spark: the first version that it is for; () if it is for all. lacks: the name of what the Iceberg
    lacks that it is for; empty for the newest Iceberg's.
    """

    file: Traversable
    spark: tuple[int, ...] = ()
    lacks: str = ""


@cache
def texts(package: str, name: str) -> tuple[str, ...]:
    """The sources of a class in a package's folder `java`: that of the newest Iceberg first."""
    sources = [source for source in _sources(package)[name] if source.spark <= shims.SPARK_VERSION]
    newest = max((source for source in sources if not source.lacks), key=lambda source: source.spark)
    older = sorted((source for source in sources if source.lacks), key=lambda source: source.lacks)
    return tuple(source.file.read_text("utf-8") for source in (newest, *older))


@cache
def _sources(package: str) -> Mapping[str, list[_JavaFile]]:
    """The Java files of a package, by class."""
    sources: dict[str, list[_JavaFile]] = {}
    for source in _walk(resources.files(package) / "java", _JavaFile):
        sources.setdefault(source.file.name.removesuffix(".java"), []).append(source)
    return sources


def _walk(folder: Traversable, new_source: Callable[..., _JavaFile]) -> Iterator[_JavaFile]:
    """The Java files in a folder. new_source: from a file to its record, with what the folder says of it."""
    for entry in folder.iterdir():
        if entry.name.endswith(".java"):
            yield new_source(entry)
        elif entry.name[0].isdigit():
            yield from _walk(entry, partial(new_source, spark=_number(entry.name)))
        elif folder.name == _OLDER_ICEBERGS:
            yield from _walk(entry, partial(new_source, lacks=entry.name))
        elif entry.is_dir():
            yield from _walk(entry, new_source)


def _number(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def in_order(package: str, names: Iterable[str]) -> list[str]:
    """Some classes of a package, and the others of it that these use, each after those that it uses itself.

    Raises ValueError for classes that use each other: no order compiles them.
    """
    order: dict[str, None] = {}

    def add(name: str, users: tuple[str, ...] = ()) -> None:
        if name in users:
            raise ValueError(f"Java files use each other: {' -> '.join((*users[users.index(name) :], name))}")
        if name not in order:
            for used in _used(package, name):
                add(used, (*users, name))
            order[name] = None

    for name in names:
        add(name)
    return list(order)


@cache
def _used(package: str, name: str) -> tuple[str, ...]:
    """The other classes of a package that a class uses, by the file for the newest Iceberg: others use none."""
    return tuple(used for used in uses(texts(package, name)[0], sorted(_sources(package))) if used != name)


def uses(text: str, names: Collection[str]) -> list[str]:
    """Which of some classes of this project a Java source uses, in their order."""
    if not names:
        return []
    code = _NOT_CODE.sub(" ", text)
    words = set(_NAME.findall(code)).difference(_IMPORTED.findall(code))
    return [name for name in names if name in words]


def since(text: str) -> str | None:
    """The first minor version of Iceberg that a Java source is for, `1.11`; None if it does not say."""
    match = _SINCE.search(text)
    return match[1] if match else None
