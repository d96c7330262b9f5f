"""Programs of a newer Python than the one that checks: the SQL in their f-strings is read."""

from __future__ import annotations

import ast
import sys

import pytest

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import extract_source
from spark_iceberg_sql.files.python.newer_fstrings import with_older_fstrings

TAIL = " (id BIGINT) USING iceberg PARTITIONED BY (bucket(id, 16))"
PROGRAMS = {
    "the same quotes": 'c = {"t": "x"}\nspark.sql(f"CREATE TABLE {c["t"]}' + TAIL + '")\n',
    "nested f-strings": 'x = "a"\nspark.sql(f"CREATE TABLE {f"{x}_{f"{x}"}"}' + TAIL + '")\n',
    "a backslash": 'x = []\nspark.sql(f\'CREATE TABLE {"\\\\n".join(x)}' + TAIL + "')\n",
    "quotes in a triple one": 'c = {"t": "x"}\nspark.sql(f"""CREATE TABLE {c["""t"""]}' + TAIL + '""")\n',
    "a conversion": 'c = {"t": "x"}\nspark.sql(f"CREATE TABLE {c["t"]!s:>10}' + TAIL + '")\n',
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_fstrings_of_newer_versions(program: str) -> None:
    reports = Linter().lint(extract_source("job.py", "spark = get()\n" + program), Settings())
    findings = [(d.code, d.span.row, report.text[d.span.start : d.span.end]) for report in reports for d in report]
    assert ("SIS104", 3, "id, 16") in findings
    assert not any(code == "SIS001" for code, _, _ in findings)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_offsets_stay(program: str) -> None:
    older = with_older_fstrings(program)
    assert len(older) == len(program)
    assert older != program
    ast.parse(older)


@pytest.mark.parametrize(
    "program",
    [
        "x = f'{a}' 'b' # f\"{c[\"d\"]}\"",
        'x = "f\\"{a}" + f"{{"}}"' if sys.version_info >= (3, 12) else 'x = "f\\"{a}"',
        "x = rb'\\' + f'{a!r:{width}}'",
        "x = f'\\N{BULLET} {a[\"b\"]}'",
    ],
)
def test_what_every_python_reads_stays(program: str) -> None:
    assert with_older_fstrings(program) == program


def test_template_strings_are_read_as_fstrings() -> None:
    assert with_older_fstrings("x = t'{a}' + Tr'{b}'") == "x = f'{a}' + Fr'{b}'"


def test_an_invalid_program_is_still_reported() -> None:
    program = 'spark.sql(f"CREATE TABLE {c["t"]} (id INT) USING iceberg PARTITIONED BY (id)"\n'
    reports = Linter().lint(extract_source("job.py", program), Settings())
    assert any("not valid Python" in d.message for report in reports for d in report)
