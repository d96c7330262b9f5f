"""Shared by `iceberg-sql connect-server` and `iceberg-sql thrift-server`."""

from __future__ import annotations

import argparse
import signal
import sys
from types import FrameType

from spark_iceberg_sql.cli import CLEAN
from spark_iceberg_sql.cli.session_options import add_session, session
from spark_iceberg_sql.optional_dependencies import load
from spark_iceberg_sql.safe_output import write_message


def add_server(parser: argparse.ArgumentParser, port: int) -> None:
    """Declare the options of a server. port: the default."""
    parser.add_argument(
        "--host", metavar="ADDRESS", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument("--port", type=_port, default=port, help=f"port; 0: any free one (default: {port})")
    parser.add_argument(
        "--ddl",
        choices=("error", "warn", "off"),
        default="error",
        help="what happens on an error in partition DDL (default: error)",
    )
    add_session(parser)


def serve(args: argparse.Namespace, function: str, name: str) -> int:
    """Serve until Ctrl-C or SIGTERM; returns the exit code. function: starts the server. name: to display."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with session(args, args.ddl, serves=True) as spark:
            start = getattr(load("sessions.servers"), function)
            with start(spark, host=args.host, port=args.port, ddl=args.ddl) as server:
                sys.stdout.write(f"{name} server at {server.url}; Ctrl-C stops it\n")
                sys.stdout.flush()
                server.wait()
    except KeyboardInterrupt:
        write_message("stopped")
    return CLEAN


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) >= 1 << 16:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number from 0 to 65535")
    return int(text)
