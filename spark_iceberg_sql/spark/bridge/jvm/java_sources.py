"""The Java files of a package: which one is for this Spark, which ones for older Icebergs, and which use which.

A class that differs between minor versions of Spark has a file in a folder named after the first version that it is
for: `java/4.0/Invocation.java`. One that differs between versions of Iceberg has other files in folders named after
what the older versions lack: `java/iceberg/without_format_models/RowWriters.java`. Of these, the first that compiles
is the one (compiler.py): what is on the class path decides, no table of versions.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import shims

if TYPE_CHECKING:
    from importlib.abc import Traversable

PACKAGE = "spark_iceberg_sql.spark.bridge.jvm"
# Of this package, for all others: what one call of Iceberg's API is in its different versions. Each needs none of ours.
ICEBERG_CALLS = ("FileAddress", "SnapshotKey", "ReferencedFile", "ColumnDefault")
_OLDER_ICEBERGS = "iceberg"
_NOT_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
_NAME = re.compile(r"\b[A-Z]\w*")
_SINCE = re.compile(r"@since Iceberg (\d+\.\d+)")


@cache
def texts(package: str, name: str) -> tuple[str, ...]:
    """The sources of a class in a package's folder `java`: that of the newest Iceberg first."""
    folder = resources.files(package) / "java"
    file = f"{name}.java"
    older = folder / _OLDER_ICEBERGS
    lacks = sorted((entry for entry in older.iterdir() if entry.is_dir()), key=_folder_name) if older.is_dir() else ()
    candidates = (entry / file for entry in _of_this_spark(package))
    of_this_spark = next((candidate for candidate in candidates if candidate.is_file()), folder / file)
    files = [of_this_spark, *(entry / file for entry in lacks if (entry / file).is_file())]
    return tuple(entry.read_text("utf-8") for entry in files)


def _folder_name(folder: Traversable) -> str:
    return folder.name


@cache
def _of_this_spark(package: str) -> tuple[Traversable, ...]:
    """The folders of versions of Spark up to this one, the newest first."""
    folder = resources.files(package) / "java"
    versions = {_number(entry.name): entry for entry in folder.iterdir() if entry.name[0].isdigit()}
    return tuple(versions[number] for number in sorted(versions, reverse=True) if number <= shims.SPARK_VERSION)


def _number(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def uses(text: str, names: Collection[str]) -> list[str]:
    """Which of some classes a Java source uses, in their order."""
    if not names:
        return []
    words = set(_NAME.findall(_NOT_CODE.sub(" ", text)))
    return [name for name in names if name in words]


def since(text: str) -> str | None:
    """The first minor version of Iceberg that a Java source is for, `1.11`; None if it does not say."""
    match = _SINCE.search(text)
    return match[1] if match else None
