"""Reports as text: for people, for scripts, and in the formats that code hosts read.

To add an output format, add one function of reports to text and its name in FORMATS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol

from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.report.terminal import concise_reports, full, full_reports, grouped_reports, summary

__all__ = ["FORMATS", "HUMAN_FORMATS", "Format", "full", "summary"]


class Format(Protocol):
    """An output format.

    reports: one for each file, or for each cell of a notebook. color: whether colours may be used; only formats for
    people have any. Returns the whole output, which ends with a newline.
    """

    def __call__(self, reports: Sequence[Report], *, color: bool = False) -> str:
        """The reports as text."""


def _loaded(module: str, function: str) -> Format:
    """A machine-readable format, loaded on first use: a run that prints to a terminal loads none of them."""

    def render(reports: Sequence[Report], *, color: bool = False) -> str:
        text: str = getattr(import_module(f"{__name__}.{module}"), function)(reports)
        return text

    return render


FORMATS: Mapping[str, Format] = {
    "full": full_reports,
    "concise": concise_reports,
    "grouped": grouped_reports,
    "json": _loaded("json_objects", "json_reports"),
    "github": _loaded("code_hosts", "github_reports"),
    "gitlab": _loaded("code_hosts", "gitlab_reports"),
    "azure": _loaded("code_hosts", "azure_reports"),
    "junit": _loaded("junit", "junit_reports"),
    "rdjson": _loaded("rdjson", "rdjson_reports"),
    "sarif": _loaded("sarif", "sarif_reports"),
}

# The formats for people, which a summary ends.
HUMAN_FORMATS = frozenset({"full", "concise", "grouped"})
