"""What a rule is: a page, a severity, the statements it looks at, and one generator of findings.

A rule is one file, `sis202_type_not_accepted.py`. Code and name come from the file's name, the page is its
docstring, and the function below it takes a Context (the facts) and yields Findings.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from spark_iceberg_sql.diagnostics import Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.syntax.nodes import Node, Offsets

_FILE = re.compile(r"(?:^|\.)([a-z]+\d{3})_(\w+)$")
_BLOCK = re.compile(r"^```sql (bad|good)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule has to say about one place; the engine makes the Diagnostic.

    span: offsets of the exact words. message: the fact. help: the whole clause to write instead.
    fix: edits that cure it. severity: where it is not the rule's own. early: whether Spark refuses
    it before it looks whether the table is there already, so that IF NOT EXISTS does not hide it.
    """

    span: Offsets
    message: str
    help: str
    fix: Fix | None = None
    severity: Severity | None = None
    early: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A statement or a short script of a page. bad: the rule must fire, and no other; good: none may."""

    sql: str
    bad: bool


Judge = Callable[[Context], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the catalogue.

    code: `SIS` and three digits; other letters for the rules of other packages. name: the fault in
    kebab-case. severity: of its findings, unless they say otherwise. on: the kinds of statement it looks
    at. judge: the generator. page: Markdown. spec: the section of the Iceberg spec behind it.
    """

    code: str
    name: str
    severity: Severity
    on: tuple[type[Node], ...]
    judge: Judge
    page: str
    spec: str | None = None

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.split("\n", 1)[0]

    @property
    def examples(self) -> tuple[Example, ...]:
        """The bad and good SQL of the page, in order."""
        return tuple(Example(m[2], m[1] == "bad") for m in _BLOCK.finditer(self.page))


def rule(
    severity: Severity, *, on: tuple[type[Node], ...], spec: str | None = None
) -> Callable[[Judge], Rule]:
    """Make a rule of the function below, named by the file it stands in."""

    def make(judge: Judge) -> Rule:
        match = _FILE.search(judge.__module__)
        if match is None:
            raise TypeError(
                f"a rule's file is named by its code and name, `acme101_no_identity.py`, not {judge.__module__}"
            )
        page = (sys.modules[judge.__module__].__doc__ or "").strip()
        name = match[2].replace("_", "-")
        return Rule(match[1].upper(), name, severity, on, judge, page, spec)

    return make
