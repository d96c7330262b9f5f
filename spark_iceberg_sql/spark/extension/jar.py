"""write_jar(): the functions and optimizer rules as a jar, compiled by the target Spark's own Janino."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pyspark

from spark_iceberg_sql.errors import FileError, IcebergSqlError
from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway, iceberg_version, plain_jvm
from spark_iceberg_sql.spark.bridge.jvm.java_records import constants_source
from spark_iceberg_sql.spark.bridge.jvm.java_rows import ReleaseRow
from spark_iceberg_sql.spark.optimizer import rule_classes
from spark_iceberg_sql.spark.runtime_jar import java, runtime_jar, scala
from spark_iceberg_sql.spark.transforms import functions
from spark_iceberg_sql.spark.versions import SPARK_MINORS, minor, runtime, spark_minor, tested_line

_SERVICE = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"
_ENTRY_TIME = (1980, 1, 1, 0, 0, 0)  # fixed, for reproducible jars


def write_jar(target: Path, ivy_settings: str | None = None) -> int:
    """Write the jar for the minor version of Spark that pyspark is installed for; returns its size in bytes.

    Iceberg's runtime must also be on the class path. Every session of the application then has the functions, with
    their errors, and all optimizer rules, without any setting; but not the check of partition DDL, which needs Python.
    It is for the minor version of Iceberg whose runtime is used, which SPARK_ICEBERG_SQL_JAR may name.

    target: the file; an existing one is replaced. ivy_settings: an Ivy settings file, for a mirror. Raises FileError if
    it cannot be written, IcebergSqlError if a class cannot be compiled for this Spark, JavaError and JarError.
    """
    line = spark_minor(pyspark.__version__)
    java(line.java)
    plain_jvm.start(runtime_jar(runtime(pyspark.__version__, scala()), ivy_settings))
    try:
        classes = compiler.classes(sources())
    except ValueError as error:
        raise IcebergSqlError(f"the jar cannot be compiled for Spark {line.spark}: {error}") from None
    manifest = f"Manifest-Version: 1.0\r\nSpark: {line.spark}\r\nScala: {scala()}\r\n\r\n"
    files = {
        "META-INF/MANIFEST.MF": manifest.encode(),
        _SERVICE: f"{compiler.EXTENSION}\n".encode(),
        **{f"{name.replace('.', '/')}.class": code for name, code in sorted(classes.items())},
    }
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as jar:
            for name, content in files.items():
                jar.writestr(zipfile.ZipInfo(name, _ENTRY_TIME), content, zipfile.ZIP_DEFLATED)
        return target.stat().st_size
    except OSError as error:
        raise FileError(f"cannot write {target}: {error.strerror or error}") from None


def sources() -> list[tuple[str, str]]:
    """All Java files of the jar, name and text, in compilation order."""
    rule_files, function_files = rule_classes.sources(), functions.sources()
    line = tested_line(pyspark.__version__) or SPARK_MINORS[0]
    release = ReleaseRow(
        spark=minor(pyspark.__version__),
        scala=scala() or "",
        iceberg=minor(iceberg_version.version() if gateway.has_gateway() else runtime(f"{line.spark}.0").version),
        rules_digest=compiler.digest(rule_files),
        functions_digest=compiler.digest(function_files),
    )
    rule_names = {name for name, _ in rule_files}
    return [
        *rule_files,
        *(file for file in function_files if file[0] not in rule_names),
        ("ReleaseRow", constants_source(ReleaseRow, [release])),
        ("Extension", compiler.source(__package__ or "", "Extension")),
    ]
