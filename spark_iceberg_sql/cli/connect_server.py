"""`iceberg-sql connect-server`: serve Spark Connect; clients have everything that an installed session has."""

from __future__ import annotations

import argparse

from spark_iceberg_sql.cli.serving import add_server, serve


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_server(parser, 15002)


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM; returns the exit code."""
    return serve(args, "connect_server", "Spark Connect")
