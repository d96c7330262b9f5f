"""The catalogue: pages, codes, examples, and the cases of tests/rules."""

from __future__ import annotations

import dataclasses
import gc
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from cases import Case, checked, file_cases, page_cases, said
from changing_scripts import script

from spark_iceberg_sql import lazy
from spark_iceberg_sql.checker import rule_runner
from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.diagnostics import Diagnostic
from spark_iceberg_sql.model import tables
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.rules.base import Rule
from spark_iceberg_sql.rules.registry import ALL
from spark_iceberg_sql.syntax.identifiers import quoted

FOLDER = Path(__file__).parent.parent / "spark_iceberg_sql" / "rules"


def names(value: object) -> str:
    return value.code if isinstance(value, Rule) else ""


def by_file(cases: Iterable[Case]) -> Any:
    """One test for all the cases of a file or page: a test for each would cost more than most checks."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(re.split("[: ]", case.name, maxsplit=1)[0], []).append(case)
    return pytest.mark.parametrize("cases", groups.values(), ids=groups)


def each(cases: Iterable[Case], look: Callable[[Case], None]) -> None:
    """Look at all of them, and name the wrong ones."""
    faults = [fault for case in cases if (fault := fault_of(case, look))]
    assert not faults, "\n\n".join(faults)


def fault_of(case: Case, look: Callable[[Case], None]) -> str:
    try:
        look(case)
    except AssertionError as error:
        return f"{case.name}\n{case.text}\n{error}"
    return ""


def test_every_rule_file_has_its_line() -> None:
    files = {path.stem for path in FOLDER.glob("sis*.py")}
    listed = {f"{rule.code.lower()}_{rule.name.replace('-', '_')}" for rule in ALL}
    assert files == listed


def test_codes_are_unique_and_in_order() -> None:
    codes = [rule.code for rule in ALL]
    assert codes == sorted(set(codes))


# The headings of the Iceberg table spec that rules point at.
SECTIONS = {
    *("Partitioning", "Partition Transforms", "Partition Evolution", "Partition Specs"),
    *("Schemas and Data Types", "Schema Evolution", "Column Projection", "Reserved Field IDs"),
    *("Format Versioning", "Sorting", "Identifier Field IDs", "Snapshot References"),
}


def test_a_rule_points_at_a_section_of_the_spec() -> None:
    """Or is only about the engine."""
    assert {rule.spec for rule in ALL if rule.spec is not None} <= SECTIONS


@pytest.mark.parametrize("rule", ALL, ids=names)
def test_page_is_complete(rule: Rule) -> None:
    assert rule.summary.endswith(".")
    assert len(rule.summary) < 110
    headings = re.findall(r"^## (.+)$", rule.page, re.MULTILINE)
    assert headings == ["Why", "Instead", "Examples"]
    assert any(example.bad for example in rule.examples) is (rule.code != "SIS000")
    assert any(not example.bad for example in rule.examples)
    outside = re.sub(r"```.*?```", "", rule.page, flags=re.DOTALL)
    assert "```" not in outside
    assert "What goes wrong, on the runtime" not in rule.page, "the text of `make rule`"


@by_file(page_cases())
def test_page_examples(cases: list[Case]) -> None:
    each(cases, page_example)


def page_example(case: Case) -> None:
    report = checked(case)
    assert {d.code for d in report} == ({case.code} if case.bad else set()), report.diagnostics
    rule = next(rule for rule in ALL if rule.code == case.code)
    if case.bad and not any(d.severity is rule.severity for d in report):
        # A page may show a milder form of its fault, but not only milder ones.
        reports = [checked(c) for c in page_cases() if c.code == case.code and c.bad]
        assert any(d.severity is rule.severity for other in reports for d in other)


@by_file(file_cases())
def test_cases(cases: list[Case]) -> None:
    each(cases, found)


def found(case: Case) -> None:
    report = checked(case)
    assert said(report) == case.found, "\n".join(f"{d.code}: {d.message}" for d in report)


def every_bad_one() -> list[Case]:
    cases = [case for case in file_cases() if case.found]
    return cases + [case for case in page_cases() if case.bad]


@by_file(every_bad_one())
def test_what_is_said_is_well_said(cases: list[Case]) -> None:
    each(cases, well_said)


def well_said(case: Case) -> None:
    for d in checked(case):
        assert d.help, d
        assert not d.message.endswith("."), d
        assert not d.help.endswith("."), d
        assert re.match(r"[`a-z0-9]|[A-Z]{2,}|Iceberg|Parquet|Spark", d.message), d
        assert d.message.count("`") % 2 == 0 or "``" in case.text, d
        assert 0 <= d.span.start <= d.span.end <= len(case.text), d


@by_file(every_bad_one())
def test_fixes_cure(cases: list[Case]) -> None:
    """A fix, applied, takes its finding away, and the statement stays readable."""
    each(cases, cured)


def cured(case: Case) -> None:
    report = checked(case)
    for d in report:
        if d.fix is None:
            continue
        fixed = apply(case.text, d)
        after = check(fixed, case.known())
        rows = [x.span.row for x in after if x.code == d.code]
        before = [x.span.row for x in report if x.code == d.code]
        assert rows.count(d.span.row) < before.count(d.span.row), (d, fixed, after.diagnostics)
        assert not any(x.code == "SIS001" for x in after), (d, fixed, after.diagnostics)


@pytest.mark.parametrize(("name", "written"), [("id", "id"), ("a b", "`a b`"), ("1", "`1`"), ("a`b", "`a``b`")])
def test_names_are_quoted_where_they_must_be(name: str, written: str) -> None:
    assert quoted(name) == written


def apply(text: str, diagnostic: Diagnostic) -> str:
    assert diagnostic.fix is not None
    for edit in reversed(diagnostic.fix.edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def test_known_is_not_changed_by_a_check() -> None:
    catalog = Tables(catalog="local", namespace=("db",), complete=True)
    check("CREATE TABLE t (id BIGINT) USING iceberg", catalog)
    assert check("CREATE TABLE t (id BIGINT) USING iceberg", catalog).ok


@pytest.mark.tier("rest")  # five seconds
def test_what_rules_share_hides_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """`when` spares rules statements in which they find nothing, and no others."""
    cases = [*file_cases(), *page_cases()]
    scripts = [script(seed) for seed in range(600)]
    # Anew each time: `checked` keeps what it found.
    spared = [checked.__wrapped__(case).diagnostics for case in cases]
    of_scripts = [check(text).diagnostics for text in scripts]
    assert len({diagnostic.code for grouped in of_scripts for diagnostic in grouped}) > 25
    grouped = {
        kind: tuple(dataclasses.replace(rule, when=None) if rule.when else rule for rule in rules)
        for kind, rules in rule_runner._RULES.items()
    }
    monkeypatch.setattr(rule_runner, "_RULES", grouped)
    assert any(rule.when for rule in ALL)
    assert [checked.__wrapped__(case).diagnostics for case in cases] == spared
    assert [check(text).diagnostics for text in scripts] == of_scripts


@pytest.mark.tier("rest")  # five seconds
def test_what_is_computed_anew_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Specs and columns hand on what is known of them; a long script lets go of it and computes it anew."""
    compared = 0

    def anew(part: Any) -> None:
        nonlocal compared
        before = {k: v for k, v in vars(part).items() if k not in part.__match_args__}
        lazy.forget(part)
        assert vars(part).keys() == set(part.__match_args__)
        for name, value in before.items():
            now = getattr(part, name)
            assert now == value
            assert not isinstance(value, dict) or list(now) == list(value)
            compared += 1

    monkeypatch.setattr(tables, "forget", anew)
    monkeypatch.setattr(tables, "_RECENT", 0)
    for case in [*file_cases(), *page_cases()]:
        assert not checked.__wrapped__(case).failed, case.name
    assert compared > 1000


@pytest.mark.tier("quick")
def test_a_check_leaves_nothing_to_garbage_collection() -> None:
    """A statement and its facts are freed once it is judged: otherwise memory would grow with the script."""
    text = (
        "CREATE TABLE t{0} (id BIGINT, s STRUCT<a: INT>, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));"
        "ALTER TABLE t{0} ADD PARTITION FIELD bucket(4, id); ALTER TABLE t{0} DROP PARTITION FIELD ts_day;"
        "SELECT * FROM t{0} WHERE iceberg_days(ts) = DATE '2024-01-01';"
    )
    script = "".join(map(text.format, range(20)))
    check(script)
    gc.collect()
    gc.disable()
    try:
        check(script)
        assert gc.collect() < 20
    finally:
        gc.enable()
