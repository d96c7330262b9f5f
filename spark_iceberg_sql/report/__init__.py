"""Reports as text: for people, for scripts, and in the formats that code hosts read.

To add an output format, add one function of reports to text and its name in FORMATS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.report.terminal import concise_reports, full, full_reports, grouped_reports, summary

__all__ = ["FORMATS", "HUMAN_FORMATS", "Format", "full", "summary"]


class Format(Protocol):
    """An output format.

    reports: one for each file, or for each cell of a notebook. color: whether colours may be used; only
    formats for people have any. Returns the whole output, which ends with a newline.
    """

    def __call__(self, reports: Sequence[Report], *, color: bool = False) -> str:
        """The reports as text."""


def _json(reports: Sequence[Report], *, color: bool = False) -> str:
    from spark_iceberg_sql.report.json_objects import json_reports

    return json_reports(reports)


def _github(reports: Sequence[Report], *, color: bool = False) -> str:
    from spark_iceberg_sql.report.code_hosts import github_reports

    return github_reports(reports)


def _gitlab(reports: Sequence[Report], *, color: bool = False) -> str:
    from spark_iceberg_sql.report.code_hosts import gitlab_reports

    return gitlab_reports(reports)


def _azure(reports: Sequence[Report], *, color: bool = False) -> str:
    from spark_iceberg_sql.report.code_hosts import azure_reports

    return azure_reports(reports)


def _junit(reports: Sequence[Report], *, color: bool = False) -> str:
    from spark_iceberg_sql.report.junit import junit_reports

    return junit_reports(reports)


def _rdjson(reports: Sequence[Report], *, color: bool = False) -> str:
    from spark_iceberg_sql.report.rdjson import rdjson_reports

    return rdjson_reports(reports)


def _sarif(reports: Sequence[Report], *, color: bool = False) -> str:
    from spark_iceberg_sql.report.sarif import sarif_reports

    return sarif_reports(reports)


# The machine-readable formats load on first use, so a run that prints to a terminal loads none of them.
FORMATS: Mapping[str, Format] = {
    "full": full_reports,
    "concise": concise_reports,
    "grouped": grouped_reports,
    "json": _json,
    "github": _github,
    "gitlab": _gitlab,
    "azure": _azure,
    "junit": _junit,
    "rdjson": _rdjson,
    "sarif": _sarif,
}

# The formats for people, which a summary ends.
HUMAN_FORMATS = frozenset({"full", "concise", "grouped"})
