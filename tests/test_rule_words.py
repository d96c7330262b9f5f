"""What the rules say, word by word and place by place, on each case: held against tests/golden/rules.

After a deliberate change of words: pytest tests/test_rule_words.py --update-goldens, and read the difference.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import goldens
import pytest
from cases import Case, checked, file_cases, page_cases

from spark_iceberg_sql.rules.registry import OURS
from spark_iceberg_sql.syntax.script import statements

GOLDEN = Path(__file__).parent / "golden" / "rules"
MISTAKES = Path(__file__).parent / "corpus" / "mistakes.sql"
CASES = {code: list(cases) for code, cases in groupby(file_cases(), lambda case: case.name.split(":")[0])}
CASES["pages"] = page_cases()
CASES["mistakes"] = [
    Case(f"mistakes: {' '.join(statement.text.split())}", statement.text)
    for statement in statements(MISTAKES.read_text(encoding="utf-8"))
]


def words(case: Case) -> str:
    lines = [case.name.split(": ", 1)[-1]]
    for d in checked(case):
        marked = case.text[d.span.start : d.span.end]
        lines.append(f"  {d.span.row}:{d.span.column} {d.code} {d.severity}: {d.message}")
        lines.append(f"      at: {marked!r}")
        lines.append(f"      help: {d.help}")
        if d.fix is not None:
            edits = ", ".join(f"{case.text[e.start : e.end]!r} -> {e.text!r}" for e in d.fix.edits)
            lines.append(f"      fix: {d.fix.title}: {edits}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("code", CASES)
def test_words(code: str) -> None:
    text = "".join(words(case) for case in CASES[code])
    goldens.hold(text, GOLDEN / f"{code}.txt")


def test_the_sections_of_the_spec() -> None:
    text = "".join(f"{rule.code}: {rule.spec}\n" for rule in OURS if rule.spec)
    goldens.hold(text, GOLDEN / "sections.txt")
