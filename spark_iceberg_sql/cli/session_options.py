"""The options of the commands that start Spark."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.optional_dependencies import load


def add_session(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the session."""
    group = parser.add_argument_group("session")
    group.add_argument("--catalog", metavar="NAME", default="local", help="the Iceberg catalog (default: local)")
    group.add_argument(
        "--warehouse", metavar="DIR", default="iceberg-warehouse", help="warehouse folder of the embedded catalog"
    )
    group.add_argument(
        "--conf", metavar="KEY=VALUE", action="append", help="Spark setting (spark.sql.catalog.NAME.type=rest ...)"
    )


@contextmanager
def session(args: argparse.Namespace, ddl: str = "error", *, serves: bool = False) -> Iterator[Any]:
    """The session for the options, which is stopped at the end. Raises IcebergSqlError.

    serves: whether a server's clients share its catalogs.
    """
    conf = pairs("--conf", args.conf)
    if serves:
        conf = load("sessions.servers").shared_settings(conf, args.catalog)
    spark_session = load("sessions.session").session(args.warehouse, catalog=args.catalog, config=conf, ddl=ddl)
    try:
        # What fails a statement is printed in a sentence.
        load("spark.bridge.jvm.gateway").log_tasks(False)
        yield spark_session
    finally:
        spark_session.stop()


def pairs(option: str, items: Iterable[str] | None) -> dict[str, str]:
    """The values of a repeatable option NAME=VALUE."""
    values_by_name = {}
    for item in items or ():
        key, equals, value = item.partition("=")
        if not key or not equals:
            raise IcebergSqlError(f"{option} takes NAME=VALUE, not `{item}`")
        values_by_name[key] = value
    return values_by_name
