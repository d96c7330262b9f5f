"""Compiled Java classes, kept between sessions in the user's cache: compiling takes a tenth of a session's start.

Those of an installation are kept in one file, others in a file each. A class that cannot be read or kept costs time
only: it is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from py4j.protocol import Py4JJavaError

from spark_iceberg_sql.files.user_cache import cache_directory, is_private, make_private_folder
from spark_iceberg_sql.spark.bridge.jvm import java_rows
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, class_exists, gateway, java_class, scala_object
from spark_iceberg_sql.spark.bridge.jvm.iceberg_version import BUILD

if TYPE_CHECKING:
    from importlib.abc import Traversable

_DAYS = 30  # classes of other versions are deleted after this
_CHECKSUM = 32  # bytes, at the start of a file
# A null character in a path; a user without a home; a disk that is full when the JVM writes.
_NO_FILE = (OSError, ValueError, RuntimeError, Py4JJavaError)


_INSTALLATION = "installation"  # the text under which the classes of one are kept


@dataclass(slots=True)
class _KeptClasses:
    """What is read from one file, at its first use, and written to it."""

    read: Java | None = None
    has_more: bool = False

    def classes(self) -> Java:
        """A Java map of the maps that `find` returns, by the digest of a source."""
        if self.read is None:
            self.read = java_class("java.util.concurrent.ConcurrentHashMap")()
            if (kept := _read(_INSTALLATION)) is not None:
                self.read.putAll(kept)
        return self.read


class _Groups(threading.local):
    """By JVM, i.e. by gateway, the group of an installation that goes on in this thread."""

    def __init__(self) -> None:
        self.by_gateway: WeakKeyDictionary[Any, _KeptClasses] = WeakKeyDictionary()


_GROUPS = _Groups()


@contextmanager
def together() -> Iterator[None]:
    """Within it, all classes come from one file, which is written once, at the end.

    Some two hundred files take a second to write, and a third of one to read.
    """
    py4j_gateway = gateway()
    groups = _GROUPS.by_gateway
    if py4j_gateway in groups:  # the outer one writes
        yield
        return
    group = groups[py4j_gateway] = _KeptClasses()
    try:
        yield
    finally:
        del groups[py4j_gateway]
        if group.has_more:
            _write(_INSTALLATION, group.classes())


def is_together() -> bool:
    """True within `together`."""
    return gateway() in _GROUPS.by_gateway


def find(text: str) -> Java | None:
    """What is kept for a Java source: a Java map of class files by full class name; None if there is nothing.

    text: the Java source.
    """
    if (group := _GROUPS.by_gateway.get(gateway())) is not None:
        return group.classes().get(_digest(text))
    return _read(text)


def keep(text: str, classes: Java | None = None) -> None:
    """Keep the class files of a Java source, a serializable Java map; without one, that there has been this text."""
    kept = java_class("java.util.HashMap")() if classes is None else classes
    if (group := _GROUPS.by_gateway.get(gateway())) is not None:
        group.classes().put(_digest(text), kept)
        group.has_more = True
    else:
        _write(text, kept)


def private_folder(kind: str) -> Path | None:
    """The folder for what this JVM's versions keep of a kind, such as `classes`; None if it is not the user's alone."""
    try:
        classes = _folder(gateway())
        folder = classes.parent.parent / kind / classes.name
        if not folder.is_dir():
            make_private_folder(folder.parent)
            make_private_folder(folder)
            _delete_old(folder)
        return folder if all(map(is_private, (folder.parent, folder))) else None
    except _NO_FILE:
        return None


def _read(text: str) -> Java | None:
    """The Java map that is kept in a file under a text; None if there is nothing."""
    try:
        folder = _folder(gateway())
        file = _file(folder, text)
        # Classes from the cache run in the driver: nobody else may be able to write them.
        if not all(map(is_private, (folder.parent, folder, file))):
            return None
        content = file.read_bytes()
        checksum, classes = content[:_CHECKSUM], content[_CHECKSUM:]
        if hashlib.sha256(classes).digest() != checksum:
            return None
        return java_class("java.io.ObjectInputStream")(java_class("java.io.ByteArrayInputStream")(classes)).readObject()
    except _NO_FILE:
        return None


def _write(text: str, classes: Java) -> None:
    """Keep a serializable Java map in a file under a text.

    The JVM writes them: py4j takes 40 ms for each answer of a few kilobytes.
    """
    temp_path = None
    try:
        if (folder := private_folder("classes")) is None:
            return
        handle, temp_path = tempfile.mkstemp(dir=folder)
        os.close(handle)
        stream = java_class("java.io.ObjectOutputStream")(java_class("java.io.FileOutputStream")(temp_path))
        stream.writeObject(classes)
        stream.close()
        content = Path(temp_path).read_bytes()
        Path(temp_path).write_bytes(hashlib.sha256(content).digest() + content)
        Path(temp_path).replace(_file(folder, text))  # other processes see all of it or nothing
    except _NO_FILE:
        if temp_path is not None:
            with suppress(OSError):
                Path(temp_path).unlink()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _file(folder: Path, text: str) -> Path:
    return folder / _digest(text)


@cache
def _folder(py4j_gateway: Any) -> Path:
    """The folder for this JVM's classes: each file refers to classes of Spark, Iceberg, Java and this package."""
    package, scala = scala_object("org.apache.spark.package"), scala_object("scala.util.Properties")
    versions = (package.SPARK_VERSION(), package.SPARK_REVISION(), scala.versionNumberString())
    names = ["Spark", *map(str, versions)]
    if class_exists(BUILD):
        build = java_class(BUILD)
        names += ["Iceberg", str(build.fullVersion()), str(build.gitCommitId())]
    names += ["Java", str(py4j_gateway.jvm.System.getProperty("java.vm.version"))]
    names.append("a serialized map")  # what a file is
    digest = hashlib.sha256("\n".join(names).encode())
    _hash_java_files(digest, resources.files("spark_iceberg_sql.spark"))
    digest.update(java_rows.declarations().encode())
    return cache_directory() / "classes" / digest.hexdigest()[:32]


def _hash_java_files(digest: Any, folder: Traversable) -> None:
    """Add all Java files below a folder: they refer to one another."""
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.is_dir():
            _hash_java_files(digest, entry)
        elif entry.name.endswith(".java"):
            digest.update(entry.read_bytes())


def _delete_old(folder: Path) -> None:
    """Delete the folders of other versions to which nothing has been added for long."""
    for other in folder.parent.iterdir():
        if other != folder and time.time() - other.stat().st_mtime > _DAYS * 86400:
            for file in other.iterdir():
                file.unlink(missing_ok=True)
            other.rmdir()
