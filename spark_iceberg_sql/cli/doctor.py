"""`iceberg-sql doctor`: what this package works with, in one screen, and what is wrong."""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from importlib.util import find_spec

from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN, FINDINGS
from spark_iceberg_sql.cli.session_options import add_session, session
from spark_iceberg_sql.cli.statement_results import add_format, write_result
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.insight.diagnosis import spark_process
from spark_iceberg_sql.optional_dependencies import load


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_format(parser)
    add_session(parser)


def run(args: argparse.Namespace) -> int:
    """Print the diagnosis of a session, or of this Python where none starts; returns the exit code."""
    could_run = False
    diagnosis = spark_process.diagnosis()
    if find_spec("pyspark") is not None and not diagnosis.problems:
        try:
            with warnings.catch_warnings(record=True):  # what they say is in the diagnosis
                warnings.simplefilter("always")
                with session(args) as spark:
                    diagnosis = load("insight.diagnosis.spark").diagnosis(spark)
            could_run = True
        except IcebergSqlError as error:
            problem = f"no session starts: {' '.join(str(error).split())}"
            diagnosis = replace(diagnosis, problems=(*diagnosis.problems, problem))
    write_result(diagnosis, args)
    if not could_run:
        return COULD_NOT_RUN
    return CLEAN if diagnosis.ok else FINDINGS
