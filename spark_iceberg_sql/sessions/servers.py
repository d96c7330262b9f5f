"""connect_server(), thrift_server(): Spark's servers in this process; their clients have everything that a session has.

A client's session is in the same family as the process's own: it gets the functions from Spark's built-in registry,
and the optimizer rules and the check of partition DDL from the family's shared extensions.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.sessions import session
from spark_iceberg_sql.spark.bridge.jvm import server_processes
from spark_iceberg_sql.spark.gate import intercept

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
_TOKEN = "spark.connect.authenticate.token"
_ANY_HOSTS = ("0.0.0.0", "::", "")
_POLL_SECONDS = 0.5  # between two checks whether the JVM is running


class Server:
    """A running server; as a context manager, it is stopped on exit.

    spark: the session that it was started with. scheme: of its address. host, port: where it listens.
    """

    def __init__(self, spark: SparkSession, scheme: str, host: str, port: int, stop: server_processes.Stop) -> None:
        self.spark = spark
        self.scheme = scheme
        self.host = host
        self.port = port
        self._stop = stop
        self._stopped = threading.Event()

    @property
    def url(self) -> str:
        """The address for clients: `sc://127.0.0.1:15002`, `jdbc:hive2://127.0.0.1:10000`."""
        host = socket.gethostname() if self.host in _ANY_HOSTS else self.host
        return f"{self.scheme}://{f'[{host}]' if ':' in host else host}:{self.port}"

    def wait(self) -> None:
        """Block until the server is stopped. Raises IcebergSqlError if Spark ends first."""
        while not self._stopped.wait(_POLL_SECONDS):
            if server_processes.has_ended():
                raise IcebergSqlError("Spark has ended, and with it the server")

    def stop(self) -> None:
        """Stop listening and end the clients' sessions; the session `spark` keeps running."""
        if not self._stopped.is_set():
            self._stopped.set()
            if not server_processes.has_ended():
                self._stop()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Server({self.url!r})"


def connect_server(
    spark: SparkSession | None = None, *, host: str = "127.0.0.1", port: int = 15002, ddl: str = "error"
) -> Server:
    """Serve Spark Connect from this process; clients need only `pyspark-client`, not this package.

    A client of a Spark server runs commands as the server's user, and reads its files and environment.

    spark: a session of this process; None: `session()`, whose clients see each other's commits at once. Everything is
    installed in it. host: the address to listen on; Spark Connect does not authenticate clients, so the default is
    localhost, and any other needs a token: the setting spark.connect.authenticate.token. port: a TCP port; 0: any free
    one. ddl: as for `install`, for all clients. Their sessions start with the current settings of `spark`, including
    catalogs of `attach` and named collections.

    Returns the server, already listening. Raises IcebergSqlError if the port is in use or Spark Connect is not
    available, and what `session` and `install` raise.
    """
    _require_token(spark, host)
    return _start_server("sc", server_processes.start_connect, spark, host, port, ddl)


def _require_token(spark: SparkSession | None, host: str) -> None:
    """Raise IcebergSqlError for a server that anybody on the network could run commands with."""
    if host in _LOCAL_HOSTS or os.environ.get("SPARK_CONNECT_AUTHENTICATE_TOKEN"):
        return
    config = spark.sparkContext.getConf() if spark is not None else None
    if config is None or not config.get(_TOKEN):
        raise IcebergSqlError(
            f"a Connect server on `{host}` without a token lets anybody who reaches it run commands as you: "
            f"set `{_TOKEN}`, or listen on 127.0.0.1",
            argument="host",
        )


def thrift_server(
    spark: SparkSession | None = None, *, host: str = "127.0.0.1", port: int = 10000, ddl: str = "error"
) -> Server:
    """Serve JDBC and other clients of Hive's Thrift protocol from this process; otherwise like `connect_server`."""
    return _start_server("jdbc:hive2", _start_thrift, spark, host, port, ddl)


def _start_thrift(spark: SparkSession, host: str, port: int) -> tuple[int, server_processes.Stop]:
    intercept.ensure(spark)  # with which a client can connect, whatever the default catalog is
    return server_processes.start_thrift(spark, host, port)


def shared_settings(config: Mapping[str, str], catalog: str = "local") -> dict[str, str]:
    """Settings with which each client sees the others' commits at once, as in one session.

    Iceberg caches tables for each session, and a session that keeps reading one never sees what another has written.
    config: settings, which override these. catalog: the embedded one.
    """
    names = {catalog}
    for key, value in config.items():
        name = key.removeprefix("spark.sql.catalog.")
        if name != key and "." not in name and ".iceberg." in value:
            names.add(name)
    return {f"spark.sql.catalog.{name}.cache-enabled": "false" for name in names} | dict(config)


def _start_server(
    scheme: str,
    start: Callable[[SparkSession, str, int], tuple[int, server_processes.Stop]],
    user_session: SparkSession | None,
    host: str,
    port: int,
    ddl: str,
) -> Server:
    if user_session is None:
        spark = session.session(ddl=ddl, config=shared_settings({}))
    else:
        spark = session.install(user_session, ddl)
    # Before the start: a client may connect as soon as the server listens.
    initial_settings = server_processes.InitialSettings(spark)
    try:
        port, stop = start(spark, host, port)
    except Exception:
        initial_settings.restore()
        raise

    def stopped() -> None:
        stop()
        initial_settings.restore()

    return Server(spark, scheme, host, port, stopped)
