"""The rule API: a page, a severity, the statement types it checks, and one generator of findings.

A rule is one file, `sis202_type_not_accepted.py`. Code and name come from the file's name, the page is its docstring,
and the function below it takes a Context (the facts) and yields Findings.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from enum import Enum

from spark_iceberg_sql.diagnostics import Diagnostic, Fix, Severity
from spark_iceberg_sql.errors import PluginError
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.files.source_map import SqlFragment
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.nodes import Node
from spark_iceberg_sql.syntax.terms import Offsets

# Raised when a rule written for the version before would fail or behave differently.
API_VERSION = 1
_MODULE_NAME = regex(r"(?:^|\.)([a-z]+\d{3})_(\w+)$")
_EXAMPLE_BLOCK = regex(r"^```sql (bad|good)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Category(Enum):
    """The knowledge that a rule needs; the first digit of a built-in rule's code.

    CHECK: the check itself. SYNTAX: that a grammar accepts the statement. TEXT: one clause of the statement. COLUMNS:
    the columns and their types. FIELDS: the other partition fields. TABLE: the table's specs and format version.
    ADVICE: what partitions are good for. QUERY: the functions and filters of a query.

    Findings of TEXT, COLUMNS and FIELDS hold in a statement that a template completes elsewhere. Those of COLUMNS and
    QUERY depend on the query of a dbt model. A fix must not cause an error of SYNTAX.
    """

    CHECK = "check"
    SYNTAX = "syntax"
    TEXT = "text"
    COLUMNS = "columns"
    FIELDS = "fields"
    TABLE = "table"
    ADVICE = "advice"
    QUERY = "query"


class Event(Enum):
    """An occurrence that the checker itself reports, under the rule that has the event."""

    INTERNAL_ERROR = "a rule, the parser or the schema tracking failed"
    NOT_CHECKED = "a fact that rules need is unknown"
    UNUSED_IGNORE = "an ignore comment suppressed nothing"
    REFUSED_CALL = "a call in a program that Spark refuses or ignores before it looks at the table"


@record(frozen=True, slots=True)
class Finding:
    """One problem that a rule reports; the engine turns it into a Diagnostic.

    span: offsets of the exact tokens. message: the fact. help: the complete clause to write instead.
    fix: edits that correct it. severity: where it differs from the rule's own. early: whether Spark refuses the
    statement before it checks that the table exists, so that IF NOT EXISTS does not hide the error.
    """

    span: Offsets
    message: str
    help: str
    fix: Fix | None = None
    severity: Severity | None = None
    early: bool = False


@record(frozen=True, slots=True)
class Example:
    """A statement or a short script of a page. bad: this rule must fire, and no other; good: no rule may."""

    sql: str
    bad: bool


Findings = Iterator[Finding]
RuleFunction = Callable[[Context], Findings]
Precondition = Callable[[Context], bool]
InPrograms = Callable[[SqlFragment, Diagnostic], Diagnostic | None]


@record(frozen=True, slots=True)
class Rule:
    """One rule of the catalogue.

    code: `SIS` and three digits; other letters for rules from other packages. name: the problem in kebab-case.
    severity: of its findings, unless they set their own. on: the statement types it checks. check: the generator. page:
    Markdown. spec: the relevant section of the Iceberg spec.
    when: true if the rule can find anything in a statement; evaluated once for all rules that share it.
    """

    code: str
    name: str
    severity: Severity
    on: tuple[type[Node], ...]
    check: RuleFunction
    page: str
    spec: str | None = None
    when: Precondition | None = None
    category: Category = Category.ADVICE
    iceberg_only: bool = False
    spark_only: bool = False
    in_models: bool = True
    in_programs: InPrograms | None = None
    from_absence: bool = False
    needs_whole_text: bool = False
    removes_comments: bool = False
    suppressible: bool = True
    event: Event | None = None

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.split("\n", 1)[0]

    @property
    def examples(self) -> tuple[Example, ...]:
        """The bad and good SQL of the page, in order."""
        return tuple(Example(m[2], m[1] == "bad") for m in _EXAMPLE_BLOCK.finditer(self.page))


def rule(
    severity: Severity,
    *,
    on: tuple[type[Node], ...],
    spec: str | None = None,
    when: Precondition | None = None,
    category: Category = Category.ADVICE,
    iceberg_only: bool = False,
    spark_only: bool = False,
    in_models: bool = True,
    in_programs: InPrograms | None = None,
    from_absence: bool = False,
    needs_whole_text: bool = False,
    removes_comments: bool = False,
    suppressible: bool = True,
    event: Event | None = None,
    api: int = API_VERSION,
) -> Callable[[RuleFunction], Rule]:
    """Turn the function below into a rule, named after its file.

    severity: of its findings, unless they set their own. on: the statement types it checks. spec: the relevant
    section of the Iceberg spec. when: whether the rule can find anything in a statement; asked once for all rules
    that share it. category: what it needs to know.

    iceberg_only: a finding is true of Iceberg tables only; where nothing shows the table's format, a note says so
    instead. spark_only: pyiceberg accepts what it finds, so calls of pyiceberg have no such finding. in_models:
    whether models of dbt and SQLMesh can have such a finding; not if the tool's settings may decide it.
    in_programs: turns a finding in a call that is equivalent to SQL, or in a model, into the terms of that; None omits
    the finding. from_absence: it finds that something is missing, which a template may supply: after templates it is a
    note. needs_whole_text: a finding is a note if a template completes any part of its statement.
    removes_comments: comments are the fault, so a fix may remove them; other fixes that would are left out.
    suppressible: whether an ignore comment may silence it. event: what the checker itself reports under this rule.

    api: the version of this interface that the file is written for; another one is a PluginError.
    """
    if api != API_VERSION:
        raise PluginError(f"written for version {api} of the rules' API; this is version {API_VERSION}")

    def make(check: RuleFunction) -> Rule:
        match = _MODULE_NAME.search(check.__module__)
        if match is None:
            raise TypeError(
                f"a rule's file is named after its code and name, `acme101_no_identity.py`, not {check.__module__}"
            )
        return Rule(
            match[1].upper(),
            match[2].replace("_", "-"),
            severity,
            on,
            check,
            (sys.modules[check.__module__].__doc__ or "").strip(),
            spec,
            when,
            category,
            iceberg_only,
            spark_only,
            in_models,
            in_programs,
            from_absence,
            needs_whole_text,
            removes_comments,
            suppressible,
            event,
        )

    return make
