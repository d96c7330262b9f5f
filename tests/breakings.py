"""Scripts broken on purpose: histories of a table in which slips were made whose meaning is beyond doubt.

Beside each broken script stands what its author asked for, so that a fix can be held against it. A history
has faults of its own, which are asked for; some slips can only be guessed at, and these too are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from evolutions import history

_CALL = re.compile(r"\b(bucket|truncate)\((\d+), ([\w.]+)\)")
_TIME = re.compile(r"\b(years|months|days|hours)\(([\w.]+)\)")
_NAME = re.compile(r"(?<=DROP PARTITION FIELD )(\w{4,})$")


@dataclass(frozen=True)
class Broken:
    """asked: the statements as meant, guesses aside. broken: as they stand, in the same order."""

    asked: tuple[str, ...]
    broken: tuple[str, ...]

    @property
    def text(self) -> str:
        return ";\n".join(self.broken)


# Slips that leave no doubt: the runtime refuses them, or takes them for the same.
_SURE: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_CALL, lambda m: f"{m[1]}({m[3]}, {m[2]})"),
    (_CALL, lambda m: f"{m[1]}({m[2]}Y, {m[3]})"),
    (_CALL, lambda m: f"{m[1]}('{m[2]}', {m[3]})"),
    (_CALL, lambda m: f"{m[1]}({m[2]}.0, {m[3]})"),
    (_CALL, lambda m: f"iceberg_{m[1]}({m[2]}, {m[3]})"),
    (_TIME, lambda m: f"iceberg_{m[1]}({m[2]})"),
    (_CALL, lambda m: f"{m[1]}({m[2]}, {m[3].upper()})"),
    (re.compile(r"(?<=ADD) (?=PARTITION FIELD)"), lambda m: "\u00a0"),
)
# Slips after which one can only guess.
_UNSURE: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_CALL, lambda m: f"{m[1]}x({m[2]}, {m[3]})"),
    (_TIME, lambda m: f"{m[1][:-1]}z({m[2]})"),
    (_NAME, lambda m: m[1] + "x"),
    (re.compile(r"(?<=ADD) (?=PARTITION FIELD)"), lambda m: " /* why */ "),
    (re.compile(r"USING iceberg"), lambda m: "USING icebreg"),
)


def broken(seed: int) -> Broken:
    """The broken script for a seed."""
    random = Random(seed)
    intended, broken_statements = [], []
    for statement in history(seed):
        unsure, changed = random.random() < 0.1, random.random() < 0.5
        if unsure:
            statement = _slipped(random, statement, _UNSURE)
        intended.append(statement)
        broken_statements.append(_slipped(random, statement, _SURE) if changed else statement)
    return Broken(tuple(intended), tuple(broken_statements))


def _slipped(
    random: Random, statement: str, slips: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]
) -> str:
    fitting = [(pattern, slip) for pattern, slip in slips if pattern.search(statement)]
    if not fitting:
        return statement
    pattern, slip = random.choice(fitting)
    return pattern.sub(slip, statement, count=1)
