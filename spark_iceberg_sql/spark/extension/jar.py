"""write_jar(): the functions and optimizer rules as a jar, compiled by the target Spark's own Janino."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pyspark

from spark_iceberg_sql.errors import FileError, IcebergSqlError
from spark_iceberg_sql.spark.bridge import compiler, plain_jvm
from spark_iceberg_sql.spark.bridge.java_records import constants_source
from spark_iceberg_sql.spark.bridge.java_rows import ReleaseRow
from spark_iceberg_sql.spark.optimizer import injection
from spark_iceberg_sql.spark.runtime_jar import java, runtime_jar, scala
from spark_iceberg_sql.spark.transforms import functions
from spark_iceberg_sql.spark.versions import line, runtime

_SERVICE = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"
_MADE = (1980, 1, 1, 0, 0, 0)  # fixed, for reproducible jars


def write_jar(target: Path, ivy_settings: str | None = None) -> int:
    """Write the jar for the minor version of Spark that pyspark is installed for; returns its size in bytes.

    Iceberg's runtime must also be on the class path. Every session of the application then has the functions,
    with their errors, and all optimizer rules, without any setting; but not the check of partition DDL, which
    needs Python.

    target: the file; an existing one is replaced. ivy_settings: an Ivy settings file, for a mirror. Raises
    FileError if it cannot be written, IcebergSqlError if a class cannot be compiled for this Spark, JavaError
    and JarError.
    """
    wanted = line(pyspark.__version__)
    java(wanted.java)
    plain_jvm.start(runtime_jar(runtime(pyspark.__version__, scala()), ivy_settings))
    try:
        classes = compiler.classes(sources())
    except ValueError as error:
        raise IcebergSqlError(
            f"the jar cannot be compiled for Spark {wanted.spark}: {error}"
        ) from None
    manifest = f"Manifest-Version: 1.0\r\nSpark: {wanted.spark}\r\nScala: {scala()}\r\n\r\n"
    files = {
        "META-INF/MANIFEST.MF": manifest.encode(),
        _SERVICE: f"{compiler.EXTENSION}\n".encode(),
        **{f"{name.replace('.', '/')}.class": code for name, code in sorted(classes.items())},
    }
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as jar:
            for name, content in files.items():
                jar.writestr(zipfile.ZipInfo(name, _MADE), content, zipfile.ZIP_DEFLATED)
        return target.stat().st_size
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror or error}") from None


def sources() -> list[tuple[str, str]]:
    """All Java files of the jar, name and text, in compilation order."""
    rules, own = injection.sources(), functions.sources()
    release = ReleaseRow(
        spark=line(pyspark.__version__).spark,
        scala=scala() or "",
        rules_digest=compiler.digest(rules),
        functions_digest=compiler.digest(own),
    )
    known = {name for name, _ in rules}
    return [
        *rules,
        *(file for file in own if file[0] not in known),
        ("ReleaseRow", constants_source(ReleaseRow, [release])),
        ("Extension", compiler.source(__package__ or "", "Extension")),
    ]
