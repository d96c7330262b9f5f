"""Spark's own servers, Connect and Thrift, which listen in the JVM of this process."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.jvm import compiler, configuration, gateway, process, shims
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.session_settings import PREFIX, SESSION_SETTINGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CONNECT = "org.apache.spark.sql.connect.service.SparkConnectService"
_THRIFT = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
_LOADER = "org.apache.spark.sql.internal.NonClosableMutableURLClassLoader"
_SQL_CONF = "org.apache.spark.sql.internal.SQLConf"
_STACK = "spark.sql.connect.serverStacktrace.enabled"
# Settings that can switch off the check of partition DDL or of copies; one of them is Spark's own.
_FIXED = (
    f"{PREFIX}copies",
    *(setting.key for setting in SESSION_SETTINGS if setting.is_fixed),
    "spark.sql.optimizer.excludedRules",
)


class InitialSettings:
    """Makes one session's settings the initial settings of the JVM's new sessions, and fixes those of the checks.

    Clients do not see the server's Java stack, unless that session's settings ask for it.
    """

    def __init__(self, spark: SparkSession) -> None:
        session = gateway.java_session(spark)
        self._conf = session.sharedState().conf()
        entries = gateway.from_seq(session.sessionState().conf().getAllConfs().toSeq())
        session_settings = {_STACK: "false"} | {str(entry._1()): str(entry._2()) for entry in entries}
        self._previous = {
            key: gateway.from_option(self._conf.getOption(key))
            for key, value in session_settings.items()
            if not self._conf.contains(key) or self._conf.get(key) != value
        }
        for key in self._previous:
            self._conf.set(key, session_settings[key])
        self._fixed = _fix(_FIXED)

    def restore(self) -> None:
        """Restore the previous initial settings; the last server's end also makes the fixed ones changeable."""
        _release(self._fixed)
        for key, value in self._previous.items():
            if value is None:
                self._conf.remove(key)
            else:
                self._conf.set(key, value)


def _fix(keys: Iterable[str]) -> Counter[str]:
    """Make settings static for all sessions of the JVM, which Spark then refuses to SET or RESET."""
    conf = gateway.scala_object(_SQL_CONF)
    fixed = Counter(key for key in keys if key in _fixed_counts or not conf.isStaticConfigKey(key))
    for key in fixed:
        configuration.make_static(key)
    _fixed_counts.update(fixed)
    return fixed


def _release(fixed: Counter[str]) -> None:
    """Undo `_fix`, for the settings that no other server holds. Spark itself can only add static settings."""
    _fixed_counts.subtract(fixed)
    ended = [key for key in fixed if _fixed_counts[key] <= 0]
    fixed.clear()
    for key in ended:
        del _fixed_counts[key]
    conf = gateway.scala_object(_SQL_CONF)
    # Reflection: SQLConf has no method that removes a static key.
    field = conf.getClass().getDeclaredField("staticConfKeys")
    field.setAccessible(True)
    keys = gateway.java_class("java.util.HashSet")(field.get(conf))
    for key in ended:
        keys.remove(key)
    field.set(conf, keys)


_fixed_counts: Counter[str] = Counter()  # servers by the settings that they fix
Stop = Callable[[], None]


def start_connect(spark: SparkSession, host: str, port: int) -> tuple[int, Stop]:
    """Start the Spark Connect server; its sessions are in the same family as the process's own.

    Returns its port, and a function that ends it and its sessions. Raises IcebergSqlError if Spark Connect is not on
    the class path, if the server is running already, or if it cannot listen there.
    """
    _require(spark, _CONNECT, "Spark Connect's server", "spark-connect")
    service = gateway.scala_object(_CONNECT)
    if shims.connect_runs(service):
        raise IcebergSqlError(
            f"a Spark Connect server is running in this process, on port {service.localPort()}",
            help="use that one, or stop it first",
        )
    settings = gateway.java_class("org.apache.spark.SparkEnv").get().conf()
    settings.set("spark.connect.grpc.binding.address", host)
    settings.set("spark.connect.grpc.binding.port", str(port))
    try:
        service.start(spark.sparkContext._jsc.sc())
    except JVM_ERRORS as error:
        raise _cannot_listen("Spark Connect", host, port, error) from None
    return int(service.localPort()), lambda: service.stop(gateway.to_option(), gateway.to_option())


def start_thrift(spark: SparkSession, host: str, port: int) -> tuple[int, Stop]:
    """Start Spark's Thrift server; its sessions are in this session's family; otherwise like `start_connect`."""
    _require(spark, _THRIFT, "Spark's Thrift server", "spark-hive-thriftserver")
    port = port or _free_port(host)
    if (bind_error := _bind_error(host, port)) is not None:  # Hive reports it only in its log
        raise _cannot_listen("Thrift", host, port, bind_error)
    settings = spark.sparkContext._jsc.hadoopConfiguration()
    settings.set("hive.server2.thrift.bind.host", host)
    settings.set("hive.server2.thrift.port", str(port))
    try:
        _keep_jars(spark)
        server = shims.thrift_server(gateway.java_class(_THRIFT), gateway.java_session(spark))
    except JVM_ERRORS as error:
        raise _cannot_listen("Thrift", host, port, error) from None
    return port, server.stop


def _keep_jars(spark: SparkSession) -> None:
    """Give Spark a class loader for its servers' statements whose parents Hive cannot close (KeptJars.java)."""
    shared = gateway.java_session(spark).sharedState()
    before = shared.jarClassLoader()
    parent = before.getParent()
    if parent.getClass().getName().startswith("sparkicebergsql."):
        return
    kept = compiler.shared_instance(__package__, "KeptJars").over(parent)
    loader = gateway.java_class(_LOADER)(kept)
    for url in before.getURLs():  # of ADD JAR
        loader.addURL(url)
    field = shared.getClass().getDeclaredField("jarClassLoader")
    field.setAccessible(True)
    field.set(shared, loader)


def _require(spark: SparkSession, name: str, server_name: str, artifact: str) -> None:
    if not gateway.class_exists(name):
        scala = str(gateway.scala_object("scala.util.Properties").versionNumberString())
        raise IcebergSqlError(
            f"{server_name} is not on this session's class path",
            help="start the session with spark.jars.packages="
            f"org.apache.spark:{artifact}_{scala.rpartition('.')[0]}:{spark.version}",
        )


def _cannot_listen(server: str, host: str, port: int, error: Exception | str) -> IcebergSqlError:
    why = error if isinstance(error, str) else _bind_error(host, port) or message(error)
    return IcebergSqlError(
        f"the {server} server cannot listen on {host}:{port}: {why}", help="choose another port, or 0 for any free one"
    )


def _bind_error(host: str, port: int) -> str | None:
    """The operating system's reason why nothing can listen there; Spark only gives a suggestion."""
    try:
        _free_port(host, port)
    except OSError as error:
        return error.strerror or str(error)
    return None


def _free_port(host: str, port: int = 0) -> int:
    family, socket_type, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, socket_type, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
        probe.listen()
        return int(probe.getsockname()[1])


def has_ended() -> bool:
    """True if this process's JVM, or its Spark context, has ended."""
    return not gateway.is_running() or process.has_ended()
