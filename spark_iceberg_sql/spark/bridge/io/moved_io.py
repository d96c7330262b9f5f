"""The FileIO of tables that were moved, and the jar that brings its class to the executors.

Iceberg's readers open files on executors, which get the one class they need when the first moved table is
read.
"""

from __future__ import annotations

from functools import lru_cache

from spark_iceberg_sql.spark.bridge.jvm import compiler, executor_jars
from spark_iceberg_sql.spark.bridge.jvm import gateway as jvm
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java
from spark_iceberg_sql.spark.bridge.plans import relations

_CLASS = "MovedFileIO"
_passed: set[tuple[str, int, str, str]] = set()  # checks and the snapshots that passed them


@lru_cache(maxsize=256)
def file_io(io: Java, old: str, folder: str, allowed: str | None = None) -> Java:
    """A FileIO that maps addresses to another folder, and opens only what is allowed.

    io: opens the files there. old: a pattern, valid in Java and Python, of the prefixes to map. folder: replaces the
    prefix. allowed: a pattern of the addresses, with a `/` at the end, that it opens; None: all.
    """
    loader, jar = _compiled(jvm.gateway())
    executor_jars.ship(jar)
    arguments = jvm.array("java.lang.Object", (io, old, folder, allowed))
    return loader.loadClass(f"sparkicebergsql.{_CLASS}").getConstructors()[0].newInstance(arguments)


def unmatched_delete_path(operations: Java, snapshot: int, old: str, folder: str) -> str | None:
    """An address in a snapshot's position deletes that no data file has, although it maps to a data file.

    operations, snapshot: of the moved table. old, folder: as for `file_io`.
    """
    return _problem("unmatched", operations, (snapshot, old, folder), snapshot, old, folder)


def missing_file(operations: Java, snapshot: int, old: str, folder: str) -> str | None:
    """An address of a snapshot's manifests or data files that leads to no file; None if the first ones are there.

    operations, snapshot: of the moved table. old, folder: as for `file_io`.
    """
    return _problem("missing", operations, (snapshot, old, folder), snapshot)


def _problem(check: str, operations: Java, key: tuple[int, str, str], *arguments: int | str) -> str | None:
    """The address that a check in MovedChecks.java returns; it is not run again once there is none."""
    if (check, *key) in _passed:
        return None
    table = relations.base_table(operations, "")
    address: str | None = getattr(compiler.shared_instance(__package__, "MovedChecks"), check)(table, *arguments)
    if address is None:
        _passed.add((check, *key))
    return address


@lru_cache(maxsize=1)
def _compiled(gateway: Java) -> tuple[Java, str]:
    """The class loader of MovedFileIO.java, and a jar of its class."""
    return executor_jars.compiled("moved", [(_CLASS, compiler.source(__package__, _CLASS))])
