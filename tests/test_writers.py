"""Partitioning that a program states in calls: DataFrame writers and pyiceberg."""

from __future__ import annotations

import pytest
from writers import FRAME, IMPORTS, PYICEBERG_IMPORTS, PYICEBERG_SCHEMA, SPECS, WRITERS, Case

from spark_iceberg_sql.checker.files import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Diagnostic
from spark_iceberg_sql.files.discovery import source

CATALOG = 'catalog = load_catalog("prod")\n'


def lint(text: str, name: str = "job.py") -> list[tuple[Diagnostic, str]]:
    """Each finding, and the text that it is at."""
    return [
        (d, report.text[d.span.start : d.span.end])
        for report in Linter().lint(source(name, text), Settings())
        for d in report
    ]


def found(text: str, name: str = "job.py") -> list[tuple[str, str]]:
    """Code and place of all findings that are no notes."""
    return [(d.code, at) for d, at in lint(text, name) if str(d.severity) != "note"]


@pytest.mark.parametrize("case", WRITERS, ids=lambda case: case.call)
def test_dataframe_writers(case: Case) -> None:
    program = IMPORTS + FRAME + case.call.format(t="local.db.t")
    assert found(program) == list(case.found)


@pytest.mark.parametrize("case", SPECS, ids=lambda case: case.call)
def test_pyiceberg(case: Case) -> None:
    program = PYICEBERG_IMPORTS + PYICEBERG_SCHEMA + CATALOG + case.call.replace("{t}", "db.t")
    assert found(program) == list(case.found)
