"""The jars with Iceberg on this JVM's class path: that there is one alone, and that it is for this Spark.

A jar tells by its name for which Spark and Scala it is, unless a platform has renamed it. What decides is its classes:
those of Spark and of Scala that they use are there, or the jar is for another one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from zipfile import BadZipFile, ZipFile

from py4j.protocol import Py4JJavaError

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.spark.bridge.jvm import class_cache, iceberg_version
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, gateway, java_class, scala_object
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS

_CLASS = f"{iceberg_version.BUILD.replace('.', '/')}.class"
_PROPERTIES = "iceberg-build.properties"
_RUNTIME = re.compile(r"iceberg-spark-(?:runtime-)?(\d+\.\d+)_(\d+\.\d+)-.+\.jar$")
_USERS = ("org/apache/iceberg/spark/", "org/apache/spark/")  # of Spark's classes, in a runtime
_USED = re.compile(rb"(?:org/apache/spark|scala)/(?:[\w$]+/)*[A-Z][\w$]*")
_FITS = "the runtime fits"


@dataclass(frozen=True, slots=True)
class IcebergJar:
    """A jar, or folder, with Iceberg's classes.

    location: its path. version, commit: of its build; empty if it has no properties. spark, scala: the versions that
    its name says it is for; None if it does not say.
    """

    location: str
    version: str
    commit: str
    spark: str | None
    scala: str | None

    @property
    def build(self) -> str:
        """What tells two builds apart."""
        return f"{self.version} {self.commit} {self.spark} {self.scala}"


def jars() -> tuple[IcebergJar, ...]:
    """The jars with Iceberg on the class path, in the order in which they are searched."""
    return _jars(gateway())


@cache
def _jars(py4j_gateway: Any) -> tuple[IcebergJar, ...]:
    urls = _loader().getResources(_CLASS)
    by_location: dict[str, IcebergJar] = {}
    while urls.hasMoreElements():
        prefix = str(urls.nextElement()).removesuffix(_CLASS)
        jar = _jar(prefix)
        by_location.setdefault(jar.location, jar)
    return tuple(by_location.values())


def _loader() -> Java:
    return java_class("org.apache.spark.util.Utils").getContextOrSparkClassLoader()


def _jar(prefix: str) -> IcebergJar:
    """A jar by the prefix of its classes' addresses, `jar:file:/folder/a.jar!/`."""
    url = prefix.removeprefix("jar:").removesuffix("!/")
    location = unquote(urlsplit(url).path) if url.startswith("file:") else url
    properties = java_class("java.util.Properties")()
    try:
        stream = java_class("java.net.URL")(prefix + _PROPERTIES).openStream()
    except Py4JJavaError:
        stream = None
    if stream is not None:
        try:
            properties.load(stream)
        finally:
            stream.close()
    version, commit = (str(properties.getProperty(f"git.{key}", "")) for key in ("build.version", "commit.id.abbrev"))
    name = _RUNTIME.search(location)
    return IcebergJar(location, version, commit, *(name.groups() if name else (None, None)))


def several() -> str | None:
    """That more than one build of Iceberg is on the class path, in a sentence; None if one is."""
    builds: dict[str, IcebergJar] = {}
    for jar in jars():
        builds.setdefault(jar.build, jar)
    if len(builds) < 2:
        return None
    first, *others = (f"{_text(jar)} in {jar.location}" for jar in builds.values())
    return (
        f"{len(builds)} builds of Iceberg are on the class path, {first}, which Spark uses, and {', '.join(others)}, "
        "from which come the classes that the first lacks: leave one"
    )


def _text(jar: IcebergJar) -> str:
    return jar.version or "of an unknown version"


def require_usable(session: Java) -> None:
    """Raise IcebergSqlError if the Iceberg that Spark uses is for another Scala, or for another Spark so that not even
    the session can be used.

    session: the JVM's.
    """
    jar = _misfitting()
    if jar is None:
        return
    if is_usable(session) and not any(name.startswith("scala/") for name in _missing_classes(jar)):
        return
    raise IcebergSqlError(misfit() or "", help=remedy())


def remedy() -> str:
    """What to do about a misfit."""
    spark, scala = spark_version(), scala_version()
    try:
        return f"start Spark with spark.jars.packages={versions.runtime(spark, scala).coordinate} instead"
    except IcebergSqlError:  # no runtime is pinned for this Spark
        return f"start Spark with iceberg-spark-runtime-{versions.minor(spark)}_{scala} instead, if there is one"


def is_usable(session: Java) -> bool:
    """Whether a session of the JVM can parse a statement: Iceberg's extensions for another Spark make it impossible."""
    try:
        session.sessionState().sqlParser()
    except JVM_ERRORS:
        return False
    return True


def misfit() -> str | None:
    """Why the Iceberg that Spark uses is not for this Spark and Scala, in a sentence; None if it is."""
    jar = _misfitting()
    if jar is None:
        return None
    first, *others = sorted(_missing_classes(jar))
    lacks = first.replace("/", ".") + (f" and {len(others)} others" if others else "")
    made_for = f"is for Spark {jar.spark} with Scala {jar.scala}" if jar.spark else "is for another Spark or Scala"
    return (
        f"The Iceberg on the class path, {_text(jar)} in {jar.location}, {made_for}, and this is Spark "
        f"{spark_version()} with Scala {scala_version()}, which lacks what it uses: {lacks}"
    )


def _misfitting() -> IcebergJar | None:
    """The jar that Spark uses, if it uses classes that are not there."""
    jar = next(iter(jars()), None)
    if jar is None or (jar.spark, jar.scala) == (versions.minor(spark_version()), scala_version()):
        return None
    return jar if _missing_classes(jar) else None


def spark_version() -> str:
    """The version of the JVM's Spark, such as `4.1.4`."""
    return str(scala_object("org.apache.spark.package").SPARK_VERSION())


def scala_version() -> str:
    """The minor version of the JVM's Scala, such as `2.13`."""
    return versions.minor(str(scala_object("scala.util.Properties").versionNumberString()))


@cache
def _missing_classes(jar: IcebergJar) -> frozenset[str]:
    """The classes of Spark and Scala that a jar uses and that this JVM lacks; none if the jar cannot be read."""
    path = Path(jar.location)
    try:
        status = path.stat()
        key = f"{_FITS}: {path} {status.st_size} {status.st_mtime_ns}"
        if class_cache.find(key) is not None:
            return frozenset()
        with ZipFile(path) as archive:
            names = [n for n in archive.namelist() if n.startswith(_USERS) and n.endswith(".class")]
            used = {name for file in names for name in _USED.findall(archive.read(file))}
    except (OSError, BadZipFile):
        return frozenset()
    loader = _loader()
    missing = frozenset(n.decode() for n in used if loader.getResource(f"{n.decode()}.class") is None)
    if not missing:
        class_cache.keep(key)
    return missing
