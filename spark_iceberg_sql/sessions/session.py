"""session(), install(spark), uninstall(spark), register(spark): the entry points for Spark."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from importlib import resources
from pathlib import Path
from typing import Any

import pyspark
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from spark_iceberg_sql.errors import IcebergSqlError, JavaError
from spark_iceberg_sql.sessions import dry_run_functions, statement_functions, untested
from spark_iceberg_sql.spark.bridge.functions import python_table_functions
from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway, iceberg_jars, process
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.optimizer import injection
from spark_iceberg_sql.spark.runtime_jar import java, runtime_jar, scala, users_jar
from spark_iceberg_sql.spark.tables import credentials
from spark_iceberg_sql.spark.tables.functions import by_path, discovery, metadata_functions
from spark_iceberg_sql.spark.transforms import functions
from spark_iceberg_sql.spark.versions import SPARK_MINORS, missing_runtime, runtime, tested_line

_MEMORY_KEY = "spark.driver.memory"
_CLIENT_VARIABLES = {"SPARK_CONNECT_MODE_ENABLED", "SPARK_REMOTE"}  # with which pyspark starts no JVM
_FILES = ExitStack()
atexit.register(_FILES.close)
_MB, _GB = 2**20, 2**30
_EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"


def session(
    warehouse: str | Path = "iceberg-warehouse",
    *,
    catalog: str = "local",
    timezone: str = "UTC",
    config: Mapping[str, str] | None = None,
    ddl: str = "error",
) -> SparkSession:
    """A Spark session of this process with an embedded Iceberg catalog, installed and quiet.

    warehouse: a folder or a URI for the tables. catalog: its name in SQL: `local.db.t`; in a session that is new, it
    is the default catalog, so `CREATE TABLE t` makes the Iceberg table `local.default.t`. timezone: the session time
    zone; Iceberg's time transforms are in UTC. config: Spark settings, which override all defaults. ddl: as for
    `install`.

    The driver has half of the machine's memory, up to 8 GB, unless `spark.driver.memory` is set here or where Spark
    reads it (spark-defaults.conf, SPARK_DRIVER_MEMORY).

    If a session is already running, that session is returned, with the settings that can still be changed.

    Raises JavaError, JarError, or IcebergSqlError if the running session lacks Iceberg, or if this process is a client
    of Spark Connect.
    """
    if client_variables := _CLIENT_VARIABLES.intersection(os.environ):
        raise IcebergSqlError(
            "sis.session needs its own process, and this one is a client of Spark Connect: "
            f"the environment has {' and '.join(sorted(client_variables))}",
            help="use the client's session, such as sis.install(spark), or stop it and unset the variable",
        )
    settings = {**_settings(warehouse, catalog, timezone), **(config or {})}
    if config:
        _join(settings, config, "spark.sql.extensions", _EXTENSIONS, ",")
        _join(settings, config, "spark.driver.extraJavaOptions", _log_option(), " ")
        settings |= credentials.redaction(config.get("spark.redaction.regex"))
    process.forget_ended()
    if not gateway.is_running():
        settings |= _memory(config or {})
        settings.setdefault("spark.sql.defaultCatalog", catalog)
        _create_namespace(settings, catalog)
        # For UDFs; otherwise Spark uses `python3` on PATH.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        _provide_runtime(settings)
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    return install(_started(builder), ddl=ddl)


def _create_namespace(settings: Mapping[str, str], catalog: str) -> None:
    """The folder of the namespace `default`, if the catalog is one of folders on this machine: it is all that it is."""
    warehouse = settings.get(f"spark.sql.catalog.{catalog}.warehouse", "")
    if settings.get(f"spark.sql.catalog.{catalog}.type") == "hadoop" and Path(warehouse).is_absolute():
        with suppress(OSError):  # the first write says why it cannot
            Path(warehouse, "default").mkdir(parents=True, exist_ok=True)


def _started(builder: Any) -> SparkSession:
    try:
        session: SparkSession = builder.getOrCreate()
    except PySparkRuntimeError as error:
        if "JAVA_GATEWAY_EXITED" not in str(error):
            raise
        raise JavaError(
            f"{java()} ended before Spark had started; its own message is above",
            help="check the settings spark.driver.memory and spark.driver.extraJavaOptions, and the environment "
            "variables SPARK_SUBMIT_OPTS and JAVA_TOOL_OPTIONS",
        ) from None
    return session


def _provide_runtime(settings: dict[str, str]) -> None:
    """Check that Java is installed, and add the runtime jar to `spark.jars` unless the caller provides one."""
    tested = tested_line(pyspark.__version__)
    java((tested or SPARK_MINORS[0]).java)
    jar_settings = settings.get("spark.jars", ""), settings.get("spark.jars.packages", "")
    # A jar that the caller provides is used: a machine without network access may have no other.
    if not any("iceberg-spark-runtime" in jars for jars in jar_settings):
        if tested is not None:
            pinned = runtime(pyspark.__version__, scala())
            jar = runtime_jar(pinned, settings.get("spark.jars.ivySettings"))
        elif (users := users_jar()) is not None:
            jar = users
        else:
            raise missing_runtime(pyspark.__version__, scala())
        settings["spark.jars"] = ",".join(filter(None, (str(jar), jar_settings[0])))


def _memory(config: Mapping[str, str]) -> dict[str, str]:
    """Half of the machine's memory for the driver, up to 8 GB, unless the user has set it.

    config: settings of the call. Spark's own default, 1 GB, is too little for a write to some hundreds of partitions:
    Iceberg keeps a writer open for each.
    """
    submit_args = os.environ.get("PYSPARK_SUBMIT_ARGS", "")
    is_set = "SPARK_DRIVER_MEMORY" in os.environ or "driver-memory" in submit_args or _MEMORY_KEY in submit_args
    if is_set or _MEMORY_KEY in config or _MEMORY_KEY in _defaults():
        return {}
    size = memory_size()
    return {_MEMORY_KEY: f"{min(size // 2, 8 * _GB) // _MB}m"} if size > 2 * _GB else {}


def _defaults() -> str:
    """The text of the user's spark-defaults.conf."""
    spark = os.environ.get("SPARK_HOME") or os.path.dirname(pyspark.__file__)
    home = os.environ.get("SPARK_CONF_DIR") or os.path.join(spark, "conf")
    try:
        return Path(home, "spark-defaults.conf").read_text("utf-8", "replace")
    except OSError:
        return ""


def memory_size() -> int:
    """The memory in bytes of this machine, or of the container, which may have less; 0 if it is not known."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return 0
    return min([size, *_limits()])


def _limits() -> Iterator[int]:
    """The limits of control groups in bytes, of versions 2 and 1, where there are any."""
    for limit in ("memory.max", "memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):  # there is no such file, or it has `max`
            yield int(Path("/sys/fs/cgroup", limit).read_text("ascii"))


def _join(settings: dict[str, str], config: Mapping[str, str], key: str, default: str, separator: str) -> None:
    """Set a list setting: the default value, followed by the caller's."""
    user_value = config.get(key, "")
    settings[key] = user_value if default in user_value else separator.join(filter(None, (default, user_value)))


def _log_option() -> str:
    log4j = resources.files("spark_iceberg_sql.spark") / "log4j2-quiet.properties"
    # A package that is imported from a zip has it as a temporary file until Python exits.
    return f"-Dlog4j2.configurationFile={_FILES.enter_context(resources.as_file(log4j))}"


def _settings(warehouse: str | Path, catalog: str, timezone: str) -> dict[str, str]:
    location = str(warehouse)
    if "://" not in location and not location.startswith("file:"):
        location = str(Path(location).expanduser().absolute())
    return {
        "spark.master": "local[*]",
        "spark.app.name": "spark-iceberg-sql",
        "spark.driver.extraJavaOptions": _log_option(),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.extensions": _EXTENSIONS,
        f"spark.sql.catalog.{catalog}": "org.apache.iceberg.spark.SparkCatalog",
        f"spark.sql.catalog.{catalog}.type": "hadoop",
        f"spark.sql.catalog.{catalog}.warehouse": location,
        f"spark.sql.catalog.{catalog}.default-namespace": "default",
        "spark.sql.session.timeZone": timezone,
        **credentials.redaction(),
    }


def install(spark: SparkSession, ddl: str = "error") -> SparkSession:
    """Install everything in this package in any session; returns the session.

    Calling it again is harmless. ddl: what happens on an error in partition DDL: "error", "warn", "off".
    On a minor version of Spark, or with an Iceberg, that is not tested, it installs what passes a self-test, and an
    IcebergSqlWarning names the rest.

    Raises IcebergSqlError if Iceberg's runtime is not on the session's class path or is for another Scala, or if it
    is a Spark Connect session.
    """
    _require_runtime(spark)
    if untested.reason(spark) is not None:
        return untested.install(spark, ddl)
    try:
        with compiler.together():
            injection.start(spark)
            functions.register(spark)
            _register_tables(spark)
            return intercept.install(spark, ddl)
    finally:
        injection.complete()


def register(spark: SparkSession) -> None:
    """Register only the functions and table functions.

    They are then available in this session, its newSession(), and all sessions that this process starts later.

    Raises IcebergSqlError, as `install` does.
    """
    _require_runtime(spark)
    if untested.reason(spark) is not None:
        untested.register(spark)
        return
    with compiler.together():
        functions.register(spark)
        _register_tables(spark)


def _require_runtime(spark: SparkSession) -> None:
    session = gateway.java_session(spark)
    if gateway.class_exists("org.apache.iceberg.spark.functions.SparkFunctions"):
        iceberg_jars.require_usable(session)
        return
    if tested_line(spark.version) is None:
        raise missing_runtime(spark.version, scala())
    raise IcebergSqlError(
        "Iceberg's runtime is not on this session's class path",
        help=f"start it with spark.jars.packages={runtime(spark.version, scala()).coordinate}, "
        "or stop it and call spark_iceberg_sql.session() in a new process",
    )


def _register_tables(spark: SparkSession) -> None:
    by_path.register(spark)
    metadata_functions.register(spark)
    discovery.register(spark)
    python_table_functions.register(spark, (*statement_functions.STATEMENT_FUNCTIONS, *dry_run_functions.ANSWERS))


def uninstall(spark: SparkSession) -> None:
    """Remove what `install` added to a session."""
    intercept.uninstall(spark)
    injection.uninstall(spark)
    functions.unregister(spark)
    by_path.unregister(spark)
    metadata_functions.unregister(spark)
    discovery.unregister(spark)
    python_table_functions.unregister(spark, (*statement_functions.STATEMENT_FUNCTIONS, *dry_run_functions.ANSWERS))
