"""The catalog of attached tables: FolderCatalog.java, on the class path of the driver.

Spark loads a catalog by its class name, so its class must be in a jar. Executors load none of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from secrets import token_hex
from tempfile import TemporaryDirectory

from py4j.protocol import Py4JError

from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm import gateway as jvm
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class

CLASS = "sparkicebergsql.FolderCatalog"
TOKEN = "attached"  # the catalog's property
_FOLDER = TemporaryDirectory()  # until Python exits


def new_token() -> str:
    """A value of the property TOKEN for a new catalog, which nobody can guess: it gives access to its
    tables.
    """
    _catalog_class(jvm.gateway())
    return token_hex(16)


def folder(token: str, parts: Sequence[str]) -> str | None:
    """The folder attached under a name of a catalog. parts: without the catalog."""
    path = _catalog_class(jvm.gateway()).folder(token, jvm.array("java.lang.String", parts))
    return None if path is None else str(path)


def attach(token: str, parts: Sequence[str], folder: str, io: Java, metadata: Java = None, version: int = 0) -> None:
    """Give a folder a name in a catalog.

    io: opens its files. metadata, version: of the table that is in the folder; None and 0 if there is none.
    """
    catalog = _catalog_class(jvm.gateway())
    declared_location, uuid = (None, None) if metadata is None else (metadata.location(), metadata.uuid())
    constructor = java_class("sparkicebergsql.FolderTable").AttachedTable
    catalog.attach(
        token, jvm.array("java.lang.String", parts), constructor(folder, io, declared_location, uuid, version)
    )


def refusal(io: Java, folder: str) -> str | None:
    """The reason why commits to a table in a folder would not be safe with two writers; None if they are."""
    _catalog_class(jvm.gateway())
    reason = java_class("sparkicebergsql.NewFile").refusal(io, folder)
    return None if reason is None else str(reason)


@lru_cache(maxsize=1)
def _catalog_class(gateway: Java) -> Java:
    """The class FolderCatalog. Raises ValueError if the driver's class loader takes no jar."""
    if not jvm.class_exists(CLASS):
        jar = f"{_FOLDER.name}/spark-iceberg-sql-folders.jar"
        compiler.write_jar(jar, compiler.classes(compiler.sources(__package__, "FolderCatalog")))
        try:
            compiler.context_loader().addURL(java_class("java.io.File")(jar).toURI().toURL())
        except Py4JError as error:
            raise ValueError(str(error).splitlines()[0]) from None
    return java_class(CLASS)
