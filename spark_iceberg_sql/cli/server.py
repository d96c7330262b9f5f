"""`iceberg-sql server`: the language server, over standard input and output."""

from __future__ import annotations

import argparse

from spark_iceberg_sql.cli import CLEAN
from spark_iceberg_sql.errors import MissingExtraError

_NO_SHUTDOWN = 1  # as the protocol requires


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command takes no arguments."""


def run(args: argparse.Namespace) -> int:
    """Serve until the editor exits; returns the exit code, 1 if the editor did not request a shutdown first."""
    try:
        from spark_iceberg_sql.editor.server import serve
    except ImportError:
        raise MissingExtraError("pygls", "lsp") from None
    return CLEAN if serve() else _NO_SHUTDOWN
