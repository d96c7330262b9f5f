"""Cases as data: the examples of the rules' pages, and tests/rules/*.sql, which `rules/cases.py` reads.

Each case is a script that starts in an empty catalog.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.rules import cases
from spark_iceberg_sql.rules.registry import ALL

HERE = Path(__file__).parent
Found = tuple[int, str, str]  # row, severity, code


@dataclass(frozen=True)
class Case:
    """A script and what must be found in it. found: None where a rule's page says only whether it fires."""

    name: str
    text: str
    found: tuple[Found, ...] | None = None
    code: str | None = None
    bad: bool = False

    def known(self) -> Tables:
        """What is known before the script: an empty catalog; for SIS002, nothing at all."""
        if self.code == "SIS002":
            return Tables()
        return Tables(catalog="local", namespace=("db",), complete=True)


@cache
def checked(case: Case) -> Report:
    """The checker's report on a case; several tests use it."""
    return check(case.text, case.known())


def cases_of(text: str, name: str) -> Iterator[Case]:
    """The cases of a file's text."""
    for case in cases.cases_of(text):
        yield Case(f"{name}: {case.title}", case.sql, case.findings)


def file_cases() -> list[Case]:
    """All cases of tests/rules."""
    return [case for path in sorted((HERE / "rules").glob("*.sql")) for case in cases_of(path.read_text(), path.stem)]


def page_cases() -> list[Case]:
    """All examples of the rules' pages."""
    return [
        Case(f"{r.code} page, example {i}", e.sql, None, r.code, e.bad)
        for r in ALL
        for i, e in enumerate(r.examples, 1)
    ]


def said(report: Report) -> tuple[Found, ...]:
    """What a report says, in the words of the marks; one finding a row, severity and code."""
    return cases.findings_of(report)
