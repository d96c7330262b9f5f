"""Faults of Iceberg as reports that can be sent: `python -m tests.upstream NAME` prints one, with a script to run.

A report is a file in `reports/`: a title, what is wrong, a program over `spark` and `rows`, and what it prints. The
program is plain PySpark, so that whoever reads the report needs nothing but Spark and Iceberg. To add one, write its
file; `tests/spark/test_upstream.py` runs all of them in one session without this package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

REPORTS = Path(__file__).parent / "reports"

# What each program runs in; WAREHOUSE is a folder.
SESSION = """\
from pyspark.sql import SparkSession

spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.jars.packages", "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0")
    .config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
    .config("spark.sql.catalog.local", "org.apache.iceberg.spark.SparkCatalog")
    .config("spark.sql.catalog.local.type", "hadoop")
    .config("spark.sql.catalog.local.warehouse", "warehouse")
    .config("spark.sql.session.timeZone", "UTC")
    .getOrCreate()
)


def rows(query):
    return [tuple(row) for row in spark.sql(query).collect()]


"""

_BLOCKS = re.compile(r"```(python|text)\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Report:
    """A report: its name, its text, the program in it, and what the program prints."""

    name: str
    text: str
    program: str
    output: str

    def with_session(self) -> str:
        """The report as it is sent: its program starts a session of its own."""
        return self.text.replace(self.program, SESSION + self.program)


def reports() -> list[Report]:
    """All of them, by name."""
    return [_report(path) for path in sorted(REPORTS.glob("*.md"))]


def _report(path: Path) -> Report:
    text = path.read_text("utf-8")
    blocks = dict(_BLOCKS.findall(text))
    return Report(path.stem, text, blocks["python"], blocks["text"])
