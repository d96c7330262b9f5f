"""`iceberg-sql server`: the language server, over standard input and output."""

from __future__ import annotations

import argparse

from spark_iceberg_sql.cli import CLEAN
from spark_iceberg_sql.diagnostics import IcebergSqlError


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""


def run(given: argparse.Namespace) -> int:
    """Serve until the editor says goodbye; the exit code."""
    try:
        from spark_iceberg_sql.lsp import server
    except ImportError:
        raise IcebergSqlError(
            "the language server needs pygls: pip install 'spark-iceberg-sql[lsp]'"
        ) from None
    server().start_io()
    return CLEAN
