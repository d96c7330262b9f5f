"""Classes that executors need: compiled into a jar, which SparkContext.addJar distributes to them."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from tempfile import TemporaryDirectory

from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, scala_object

_FOLDER = TemporaryDirectory()  # on the driver, until Python exits
_lock = threading.Lock()
# Spark applications, their Connect sessions, jars.
_shipped: set[tuple[str, str | None, str]] = set()


def compiled(name: str, sources: Iterable[tuple[str, str]]) -> tuple[Java, str]:
    """The class loader of Java files, and a jar of their classes.

    name: of the jar. sources: name and text; each may use the ones before it. Raises ValueError with the compiler's
    message.
    """
    loader, classes = compiler.loaded_classes(sources)
    jar = f"{_FOLDER.name}/spark-iceberg-sql-{name}.jar"
    compiler.write_jar(jar, classes)
    return loader, jar


def ship(jar: str) -> None:
    """Distribute a jar to this application's executors; tasks of a Connect session only see that session's jars."""
    context = gateway.active_session().sparkContext()
    state = gateway.from_option(scala_object("org.apache.spark.JobArtifactSet").getCurrentJobArtifactState())
    key = (str(context.applicationId()), None if state is None else str(state.uuid()), jar)
    with _lock:
        if key not in _shipped:
            context.addJar(jar)
            _shipped.add(key)
