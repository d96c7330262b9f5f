"""A rule is one file: a copy of it under another code, from another package, behaves as the rule itself."""

from __future__ import annotations

import ast
import dataclasses
import re
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from operator import attrgetter
from pathlib import Path

import pytest
from cases import Case, file_cases, page_cases
from writers import FRAME, IMPORTS, PYICEBERG_IMPORTS, PYICEBERG_SCHEMA, SPECS, WRITERS

from spark_iceberg_sql.checker import directives, engine, reporting, rule_runner
from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.checker.files import host_suppressions
from spark_iceberg_sql.checker.files.add_suppressions import _needs_suppression
from spark_iceberg_sql.checker.files.api_messages import in_api_terms
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.checker.fixes import apply_fixes
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Lines, Report, Severity
from spark_iceberg_sql.files.discovery import extract_source
from spark_iceberg_sql.files.source_map import APPEND, MODELS, Branch, SqlFragment
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.rules.base import Category, Rule
from spark_iceberg_sql.rules.plugins import plugin_rules
from spark_iceberg_sql.rules.registry import BY_CODE, OURS

pytestmark = pytest.mark.tier("quick")  # many processes or many trials: `make fast` leaves them out

PACKAGE = Path(__file__).parents[1] / "spark_iceberg_sql"
LETTERS = "ACM"  # as many as those of the built-in codes, so that offsets stay the same
APIS = ("DataFrameWriterV2", "DataFrameWriter", APPEND, "pyiceberg", *MODELS)
_CREATED = re.compile(r"\bTABLE (?:IF NOT EXISTS )?([a-z]\w*)\b")
_CODE = re.compile(r"\bSIS\d")


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Rule]]:
    """The copies of all rules, loaded as those of an installed package, by the original's code."""
    site = tmp_path_factory.mktemp("site")
    package = site / "copied_rules"
    package.mkdir()
    lines = []
    for rule in OURS:
        name = rule.name.replace("-", "_")
        module = f"{rule.code.lower()}_{name}"
        copied = module.replace("sis", LETTERS.lower(), 1)
        shutil.copy(PACKAGE / "rules" / f"{module}.py", package / f"{copied}.py")
        lines.append(f"from copied_rules.{copied} import {name}\n")
    (package / "__init__.py").write_text("".join(lines))
    info = site / "copied_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: copied-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[spark_iceberg_sql.rules]\ncopied = copied_rules\n")
    sys.path.insert(0, str(site))
    try:
        loaded = {rule.code.replace(LETTERS, "SIS"): rule for rule in plugin_rules([r.code for r in OURS])}
        yield loaded
    finally:
        sys.path.remove(str(site))
        for name in [name for name in sys.modules if name.startswith("copied_rules")]:
            del sys.modules[name]


@cache
def cases_by_code() -> dict[str, list[Case]]:
    cases: dict[str, list[Case]] = {rule.code: [] for rule in OURS}
    for case in (*page_cases(), *file_cases()):
        cases[case.code or case.name.partition(":")[0]].append(case)
    return cases


@cache
def programs_by_code() -> dict[str, list[str]]:
    programs: dict[str, list[str]] = {rule.code: [] for rule in OURS}
    writers = [(IMPORTS + FRAME + c.call.format(t="local.db.t"), c.found) for c in WRITERS]
    catalog = 'catalog = load_catalog("prod")\n'
    head = PYICEBERG_IMPORTS + PYICEBERG_SCHEMA + catalog
    for program, findings in (*writers, *((head + c.call.replace("{t}", "db.t"), c.found) for c in SPECS)):
        for code in {code for code, _ in findings}:
            programs[code].append(program)
    return programs


def replaced(monkeypatch: pytest.MonkeyPatch, rule: Rule, copy: Rule) -> None:
    """Put a copy in the place of a rule."""
    monkeypatch.delitem(BY_CODE, rule.code)
    monkeypatch.setitem(BY_CODE, copy.code, copy)
    by_kind = {kind: tuple(copy if r is rule else r for r in rules) for kind, rules in rule_runner._RULES.items()}
    monkeypatch.setattr(rule_runner, "_RULES", by_kind)
    codes = frozenset(BY_CODE)
    for module in (rule_runner, reporting, engine, host_suppressions):
        monkeypatch.setattr(module, "EVERY_CODE", codes)
    monkeypatch.setattr(directives, "_CODES", codes)


_FIELDS = tuple(field.name for field in dataclasses.fields(Diagnostic))
_fields = attrgetter(*_FIELDS)
_COPIED = re.compile(rf"\b{LETTERS}(?=\d{{3}}\b)")


def written(diagnostics: list[Diagnostic]) -> list[str]:
    """Diagnostics with the letters of the built-in codes, in an order that does not depend on the others."""
    assert all(d.code in BY_CODE for d in diagnostics), "the checker reports a rule that is gone"
    skipped = (replace(d, skipped=tuple(sorted(d.skipped, key=lambda c: c[-3:]))) for d in diagnostics)
    return sorted(_COPIED.sub("SIS", repr(_fields(d))) for d in skipped)


def findings_of(code: str, copied: str) -> list[list[str]]:
    """All findings in the cases of a rule: as SQL, in a template, in calls of each API, in programs.

    copied: the code that the rule has now, which comments name.
    """
    findings, reported = [], {}
    for case in cases_by_code()[code]:
        text = case.text.replace(code, copied)
        report = check(text, case.known())
        findings.append(written(list(report)))
        findings.append(written([d for d in report if _needs_suppression(d)]))
        reported.update({(d.code, d.help): (report, d) for d in report if d.code == copied})
        if case.bad:
            findings.append(written(list(check(text, Tables()))))
            unsure = text.replace(" USING iceberg", "")
            findings.append(written(list(check(unsure, Tables()))))
            findings += [written(linted(variant, "a.sql")) for variant in templated(text)]
            cured = apply_fixes(text, lambda changed, case=case: check(changed, case.known()), unsafe=True)  # fmt: skip
            findings.append([cured.text, *map(str, map(len, (cured.applied_codes, cured.rejected_findings)))])
    findings += [written(list(of_calls(*pair, api))) for pair in reported.values() for api in APIS]
    findings += [written(linted(program, "a.py")) for program in programs_by_code()[code]]
    return findings


def of_calls(report: Report, diagnostic: Diagnostic, api: str) -> Iterator[Diagnostic]:
    """A finding as one of calls: that create a table, that need not, and in a branch of the program."""
    text = report.text
    offsets = range(len(text) + 1)
    branch_range = (0, len(text), Branch(0, 0, len(text)))
    for sql, branch_ranges in ((text, ()), ("CREATE TABLE IF NOT EXISTS", ()), ("CREATE", (branch_range,))):
        worded = in_api_terms(SqlFragment(sql, offsets, offsets, api=api, branch_ranges=branch_ranges), diagnostic)
        if worded is not None:
            yield worded


def templated(text: str) -> Iterator[str]:
    """A script in which a template completes the names of the tables that it creates, or adds a partition field."""
    script = text
    for name in dict.fromkeys(_CREATED.findall(text)):
        script = re.sub(rf"\b{name}\b", f"{name}_{{{{ suffix }}}}", script)
    yield script
    yield text.replace("PARTITIONED BY (", "PARTITIONED BY ({{ field }}, ")


def linted(text: str, name: str) -> list[Diagnostic]:
    reports = Linter().lint(extract_source(name, text), Settings())
    return [diagnostic for report in reports for diagnostic in report]


@pytest.mark.tier("rest")  # ten seconds
@pytest.mark.parametrize("rule", OURS, ids=lambda rule: rule.code)
def test_a_copy_behaves_as_the_rule(rule: Rule, copies: dict[str, Rule], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = findings_of(rule.code, rule.code)
    assert rule.code in str(expected) or rule.category is Category.CHECK
    copy = copies[rule.code]
    assert copy.code == rule.code.replace("SIS", LETTERS)
    replaced(monkeypatch, rule, copy)
    assert findings_of(rule.code, copy.code) == expected


def test_copies_of_all_rules_at_once(copies: dict[str, Rule], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [written(linted(c.text, "a.sql")) for c in page_cases()]
    for rule in OURS:
        replaced(monkeypatch, rule, copies[rule.code])
    copied = [written(linted(c.text.replace("SIS", LETTERS), "a.sql")) for c in page_cases()]
    assert copied == expected


@pytest.mark.parametrize("code", ["SIS001", "SIS004"])
def test_no_fix_causes_an_error_of_a_copy(code: str, copies: dict[str, Rule], monkeypatch: pytest.MonkeyPatch) -> None:
    copy = copies[code]
    replaced(monkeypatch, next(rule for rule in OURS if rule.code == code), copy)

    def report(text: str) -> Report:
        span = Lines(text).span(0, 1)
        if text == "b":
            unread = Diagnostic(copy.code, copy.name, copy.severity, "cannot be read", span)
            return Report(text, (unread,))
        guess = Fix("guess", (Edit(0, 1, "b"),))
        wrong = Diagnostic("SIS101", "unknown-transform", Severity.ERROR, "wrong", span, fix=guess)
        return Report(text, (wrong,))

    assert apply_fixes("a", report, unsafe=True).text == "a"


# Examples in help texts, the code of internal errors, which the reports themselves know, and the two that a session
# decides otherwise than a file: a form that only the gate brings to Iceberg's parser, and another format's statement.
NAMED_IN = {
    *("diagnostics.py", "config/settings.py", "config/value_types.py", "cli/explain.py"),
    *("spark/gate/scripts.py", "spark/gate/admission.py"),
}


def literals(tree: ast.Module) -> Iterator[str]:
    """The string literals of a module that are not docstrings."""
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.value


def test_no_code_stands_outside_the_rules() -> None:
    file_names = set()
    for path in PACKAGE.rglob("*.py"):
        relative = path.relative_to(PACKAGE).as_posix()
        if relative.startswith("rules/"):
            continue
        text = path.read_text("utf-8")
        if "SIS" in text and any(map(_CODE.search, literals(ast.parse(text)))):
            file_names.add(relative)
    assert file_names == NAMED_IN


def test_no_module_outside_the_rules_imports_one() -> None:
    names = {rule.name.replace("-", "_") for rule in OURS}
    imported = {
        (path.name, alias.name)
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "rules" and "rules.sis" in path.read_text("utf-8")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spark_iceberg_sql.rules.sis")
        for alias in node.names
    }
    assert not [pair for pair in imported if pair[1] in names]


def test_the_first_digit_of_a_code_is_its_category() -> None:
    digits = {category: str(max(0, at - 1)) for at, category in enumerate(Category)}
    assert [rule.code for rule in OURS if rule.code[3] != digits[rule.category]] == []
