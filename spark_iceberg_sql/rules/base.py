"""What a rule is: a page, a severity, the statement types it checks, and one generator of findings.

A rule is one file, `sis202_type_not_accepted.py`. Code and name come from the file's name, the page is its
docstring, and the function below it takes a Context (the facts) and yields Findings.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator

from spark_iceberg_sql.diagnostics import Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.nodes import Node
from spark_iceberg_sql.syntax.terms import Offsets

_FILE = regex(r"(?:^|\.)([a-z]+\d{3})_(\w+)$")
_BLOCK = regex(r"^```sql (bad|good)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@record(frozen=True, slots=True)
class Finding:
    """One problem that a rule reports; the engine turns it into a Diagnostic.

    span: offsets of the exact tokens. message: the fact. help: the complete clause to write instead.
    fix: edits that correct it. severity: where it differs from the rule's own. early: whether Spark refuses
    the statement before it checks that the table exists, so that IF NOT EXISTS does not hide the error.
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


Judge = Callable[[Context], Iterator[Finding]]
When = Callable[[Context], bool]


@record(frozen=True, slots=True)
class Rule:
    """One rule of the catalogue.

    code: `SIS` and three digits; other letters for rules from other packages. name: the fault in
    kebab-case. severity: of its findings, unless they set their own. on: the statement types it
    checks. judge: the generator. page: Markdown. spec: the relevant section of the Iceberg spec.
    when: whether the rule can find anything in a statement; asked once for all rules that share it.
    """

    code: str
    name: str
    severity: Severity
    on: tuple[type[Node], ...]
    judge: Judge
    page: str
    spec: str | None = None
    when: When | None = None

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.split("\n", 1)[0]

    @property
    def examples(self) -> tuple[Example, ...]:
        """The bad and good SQL of the page, in order."""
        return tuple(Example(m[2], m[1] == "bad") for m in _BLOCK.finditer(self.page))


def rule(
    severity: Severity,
    *,
    on: tuple[type[Node], ...],
    spec: str | None = None,
    when: When | None = None,
) -> Callable[[Judge], Rule]:
    """Turn the function below into a rule, named after its file."""

    def make(judge: Judge) -> Rule:
        match = _FILE.search(judge.__module__)
        if match is None:
            raise TypeError(
                f"a rule's file is named after its code and name, `acme101_no_identity.py`, not {judge.__module__}"
            )
        page = (sys.modules[judge.__module__].__doc__ or "").strip()
        name = match[2].replace("_", "-")
        return Rule(match[1].upper(), name, severity, on, judge, page, spec, when)

    return make
