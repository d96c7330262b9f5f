from pathlib import Path

import pytest
from acme_rules import no_identity

import spark_iceberg_sql as sis
from spark_iceberg_sql.rules.cases import Case, cases_of, findings_of

CASES = Path(__file__).parents[1] / "cases" / "ACME101.sql"


def check(sql: str) -> sis.Report:
    return sis.check(sql, sis.Tables(catalog="local", namespace=("db",), complete=True))


@pytest.mark.parametrize("case", cases_of(CASES.read_text()), ids=lambda case: case.title)
def test_cases(case: Case) -> None:
    assert findings_of(check(case.sql)) == case.findings


@pytest.mark.parametrize("example", no_identity.examples)
def test_page(example) -> None:
    assert {d.code for d in check(example.sql)} == ({"ACME101"} if example.bad else set())
