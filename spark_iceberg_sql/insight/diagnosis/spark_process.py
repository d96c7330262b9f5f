"""What can be said without a session, and without pyspark: Python, packages, Java, the runtime that would be used."""

from __future__ import annotations

import platform
import re
import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.user_cache import cache_directory
from spark_iceberg_sql.insight.diagnosis.model import DiagnosedJar, Diagnosis
from spark_iceberg_sql.spark import runtime_jar, versions

# Of what some features need: the extras' packages, and what pyspark asks for at some calls.
_PACKAGES = ("pandas", "pyarrow", "filelock", "sqlparse", "ipython", "pyiceberg", "PyYAML", "lsprotocol")
_VERSION = re.compile(r"""__version__[^=\n]*= ["']([^"']+)""")


def diagnosis() -> Diagnosis:
    """The diagnosis of this Python, without a session."""
    problems: list[str] = []
    jars: tuple[DiagnosedJar, ...] = ()
    java = spark = iceberg = None
    try:
        executable = runtime_jar.java()
        java = f"{runtime_jar.java_version(executable)}, {executable}"
    except IcebergSqlError as error:
        problems.append(_one_line(error))
    pyspark_version = _pyspark_version()
    if pyspark_version is None:
        problems.append(
            "pyspark cannot be imported, so only the checker works; a platform's own is on PYTHONPATH in its sessions, "
            "otherwise pip install 'spark-iceberg-sql[spark]'"
        )
    else:
        spark = f"pyspark {pyspark_version}, no session"
        try:
            iceberg, jars = _iceberg(pyspark_version)
        except IcebergSqlError as error:
            problems.append(_one_line(error))
    return replace(without_spark(), java=java, spark=spark, iceberg=iceberg, jars=jars, problems=tuple(problems))


def _one_line(error: IcebergSqlError) -> str:
    return str(error).strip().replace("\nhelp: ", ": ")


def _iceberg(pyspark_version: str) -> tuple[str, tuple[DiagnosedJar, ...]]:
    """The Iceberg that `session` would start with."""
    if (jar := runtime_jar.users_jar()) is not None:
        return "the jar of SPARK_ICEBERG_SQL_JAR, for sis.session()", (DiagnosedJar(str(jar), "", None, is_used=True),)
    runtime = versions.runtime(pyspark_version, runtime_jar.scala())
    for folder in (versions.checkout_jars(), cache_directory()):
        jar = folder / runtime.filename
        if jar.is_file():
            return f"{runtime.version}, for sis.session()", (DiagnosedJar(str(jar), runtime.version, None, True),)
    return f"{runtime.version}, which the first sis.session() downloads", ()


def without_spark() -> Diagnosis:
    """What is known of this Python alone."""
    return Diagnosis(package(), python(), None, None, None, packages())


def package() -> str:
    """The version of this package; `unknown` where only its files are there."""
    return _installed_version("spark-iceberg-sql") or "unknown"


def python() -> str:
    """Python and the machine."""
    return f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {sys.executable}"


def packages() -> tuple[str, ...]:
    """The packages that some features need and that are there, with their versions."""
    there = ((name, _installed_version(name)) for name in _PACKAGES)
    return tuple(f"{name} {number}" for name, number in there if number is not None)


def _installed_version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _pyspark_version() -> str | None:
    """The version of pyspark, without importing it; None if there is none, or only a client's."""
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None or find_spec("py4j") is None:
        return None
    try:  # also in the zip that spark-submit puts on the path
        source = cast(Any, spec.loader).get_data(str(Path(spec.origin).with_name("version.py")))
    except (OSError, AttributeError):
        return "of an unknown version"
    match = _VERSION.search(source.decode("utf-8", "replace"))
    return match[1] if match else "of an unknown version"
