"""The mutants of a Python and of a Java file."""

from __future__ import annotations

import pytest
from mutants import mutants

PYTHON = """@lru_cache(maxsize=256)  # a < b
def f(a: int | None, b: int) -> bool:
    return a is not None and a < b - 10 or "a == b" == str(a)
"""
JAVA = """/** a &lt; b */
static boolean f(List<String> a, int b) { return a.size() < b && !a.isEmpty() || b - 1 == 10L; } // a < b
"""


@pytest.mark.parametrize(
    ("text", "suffix", "line", "changes"),
    [
        (PYTHON, ".py", 3, ["not -> ", "and -> or", "< -> <=", "- -> +", "10 -> 11", "or -> and", "== -> !="]),
        (JAVA, ".java", 2, ["< -> <=", "&& -> ||", "! -> ", "|| -> &&", "- -> +", "1 -> 2", "== -> !="]),
    ],
)
def test_each_changes_one_token_of_the_code(text: str, suffix: str, line: int, changes: list[str]) -> None:
    mutations = list(mutants(text, suffix))
    assert [f"{mutant.old} -> {mutant.new}" for mutant in mutations] == changes
    assert {mutant.line for mutant in mutations} == {line}
    assert len({mutant.text for mutant in mutations} | {text}) == len(changes) + 1
