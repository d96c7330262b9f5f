"""Spark's event logs, which it compresses by default, as plain files."""

from __future__ import annotations

from pathlib import Path

from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.spark.bridge.jvm.gateway import gateway, java_class
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS


def plain_copy(file: Path, folder: Path) -> Path:
    """A copy of a compressed log, decompressed by Spark itself. Raises FileError if it cannot be read."""
    target = folder / f"{len(list(folder.iterdir()))}.json"
    files = java_class("java.nio.file.Files")
    name = java_class("org.apache.hadoop.fs.Path")(file.resolve().as_uri())
    try:
        disk = name.getFileSystem(java_class("org.apache.hadoop.conf.Configuration")())
        stream = java_class("org.apache.spark.deploy.history.EventLogFileReader").openEventLog(name, disk)
        try:
            none = gateway().new_array(java_class("java.nio.file.CopyOption"), 0)
            files.copy(stream, java_class("java.io.File")(str(target)).toPath(), none)
        finally:
            stream.close()
    except BRIDGE_ERRORS:
        raise FileError(f"the event log {file} cannot be decompressed") from None
    return target
