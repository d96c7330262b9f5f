"""Compiled Java classes, kept between sessions in the user's cache: compiling takes a tenth of a session's start.

A class that cannot be read or kept costs time only: it is compiled again.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import time
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.files.user_cache import cache_directory, is_private, make_private_folder
from spark_iceberg_sql.spark.bridge.jvm import java_rows
from spark_iceberg_sql.spark.bridge.jvm.gateway import class_exists, gateway, java_class, scala_object
from spark_iceberg_sql.spark.bridge.jvm.iceberg_version import BUILD

if TYPE_CHECKING:
    from importlib.abc import Traversable

_DAYS = 30  # classes of other versions are deleted after this
_CHECKSUM = 32  # bytes, at the start of a file
_NO_FILE = (OSError, ValueError, RuntimeError)  # a null character in a path; a user without a home


def find(text: str) -> dict[str, bytes] | None:
    """The cached class files of a Java source by full class name; None if there are none. text: the Java
    source.
    """
    try:
        folder = _folder(gateway())
        file = _file(folder, text)
        # Classes from the cache run in the driver: nobody else may be able to write them.
        if not all(map(is_private, (folder.parent, folder, file))):
            return None
        content = file.read_bytes()
    except _NO_FILE:
        return None
    checksum, jar = content[:_CHECKSUM], content[_CHECKSUM:]
    if hashlib.sha256(jar).digest() != checksum:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(jar)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except zipfile.BadZipFile:  # such as an empty one, with its right checksum
        return None


def keep(text: str, classes: Mapping[str, bytes]) -> None:
    """Cache the class files of a Java source."""
    jar, temp_path = io.BytesIO(), None
    with zipfile.ZipFile(jar, "w") as archive:
        for name, content in classes.items():
            archive.writestr(name, content)
    try:
        folder = _folder(gateway())
        if not folder.is_dir():
            make_private_folder(folder.parent)
            make_private_folder(folder)
            _delete_old(folder)
        if not all(map(is_private, (folder.parent, folder))):
            return
        handle, temp_path = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(jar.getvalue()).digest() + jar.getvalue())
        Path(temp_path).replace(_file(folder, text))  # other processes see all of it or nothing
    except _NO_FILE:
        if temp_path is not None:
            with suppress(OSError):
                Path(temp_path).unlink()


def _file(folder: Path, text: str) -> Path:
    return folder / hashlib.sha256(text.encode()).hexdigest()


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
