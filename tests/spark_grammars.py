"""Spark's grammars as data of the package: `python -m tests.spark_grammars` writes them, one file for each version.

GrammarTables.java reads the automaton of each version's own parser (ANTLR's ATN). Here it becomes one automaton without
empty steps for each rule of the grammar, as small as it can be; `syntax/spark_grammar` says what a file has.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))  # as pytest has it

from iceberg_procedures import spark_jars

from spark_iceberg_sql.model.runtime import minor_version, spark_versions
from spark_iceberg_sql.model.runtime.minor_version import Version
from spark_iceberg_sql.spark import runtime_jar

FOLDER = Path(__file__).parents[1] / "spark_iceberg_sql" / "syntax" / "spark_grammar"
READER = Path(__file__).with_name("GrammarTables.java")
VERSIONS: tuple[Version, ...] = (*spark_versions.WITH_RUNTIME, *spark_versions.LATER)
_STARTS = ("compoundOrSingleStatement", "singleStatement")  # the first that the grammar has
# Tokens without a literal in the grammar, since two texts are one; others are kinds of texts, such as IDENTIFIER.
_TEXTS = {
    "EQ": ("=", "=="),
    "LTE": ("<=", "!>"),
    "GTE": (">=", "!<"),
    "NOT": ("NOT", "!"),
    "RLIKE": ("RLIKE", "REGEXP"),
    "TEMPORARY": ("TEMPORARY", "TEMP"),
}
# Hive's statements, such as GRANT: what comes after is any text, and Spark says that the operation is not allowed.
_REFUSED = ("unsupportedHiveNativeCommands",)
# A literal of several tokens that is one of `syntax/lexer`.
_CODE, _CODE_BEGIN = "codeLiteral", "BEGIN_DOLLAR_QUOTED_STRING"


class Step(NamedTuple):
    """What an arc takes: a token, or a rule with the least precedence of its operators.

    behind: the precedence of the operator that the arc belongs to; None if it belongs to none.
    """

    behind: int | None
    token: str
    rule: str = ""
    least: int = 0


class Atn:
    """What GrammarTables.java prints."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.literals: dict[str, str] = {}
        self.rules: dict[str, tuple[int, int]] = {}
        self.arcs: dict[int, list[tuple[int, list[str]]]] = defaultdict(list)
        for line in lines:
            kind, *arguments = line.split("\t")
            if kind == "token":
                self.literals[arguments[0]] = arguments[1].strip("'") if arguments[1] != "null" else ""
            elif kind == "rule":
                self.rules[arguments[0]] = int(arguments[1]), int(arguments[2])
            else:
                self.arcs[int(arguments[0])].append((int(arguments[1]), arguments[2:]))

    def steps(self, states: frozenset[tuple[int, int | None]]) -> dict[Step, set[tuple[int, int | None]]]:
        """Where the arcs lead that leave any of these states. A state stands beside the operator before it."""
        targets: dict[Step, set[tuple[int, int | None]]] = defaultdict(set)
        for state, behind in sorted(states, key=str):  # in one order, so that the file is the same each time
            for target, (kind, *arguments) in self.arcs[state]:
                if kind == "token":
                    targets[Step(behind, arguments[0])].add((target, None))
                elif kind == "rule":
                    targets[Step(behind, "", arguments[0], int(arguments[1]))].add((target, None))
        return targets

    def closed(self, states: Iterable[tuple[int, int | None]]) -> frozenset[tuple[int, int | None]]:
        """States, with those that nothing but empty arcs lead to."""
        closure, open_states = set(states), list(states)
        while open_states:
            state, behind = open_states.pop()
            for target, (kind, *arguments) in self.arcs[state]:
                if kind == "nothing" or kind == "least":
                    assert kind == "nothing" or behind is None
                    reached = (target, int(arguments[0]) if kind == "least" else behind)
                    if reached not in closure:
                        closure.add(reached)
                        open_states.append(reached)
        return frozenset(closure)


# A state of a rule's automaton: whether the rule may end there, and its arcs.
State = tuple[bool, dict[Step, int]]


def automaton(atn: Atn, rule: str) -> list[State]:
    """The smallest automaton of a rule; it begins in the first state."""
    begin, end = atn.rules[rule]
    start = atn.closed([(begin, None)])
    numbers = {start: 0}
    states: list[State] = []
    waiting = [start]
    for subset in waiting:  # grows meanwhile
        arcs = {}
        for step, targets in atn.steps(subset).items():
            target = atn.closed(targets)
            if target not in numbers:
                numbers[target] = len(numbers)
                waiting.append(target)
            arcs[step] = numbers[target]
        states.append((any(state == end for state, _ in subset), arcs))
    return _smallest(states)


def _smallest(states: list[State]) -> list[State]:
    """The states with those merged that the same follows, by Moore's refinement of a partition."""
    classes = [int(may_end) for may_end, _ in states]
    while True:
        signatures = [
            (classes[i], frozenset((step, classes[target]) for step, target in arcs.items()))
            for i, (_, arcs) in enumerate(states)
        ]
        numbers: dict[object, int] = {}
        refined = [numbers.setdefault(signature, len(numbers)) for signature in signatures]
        if len(numbers) == len(set(classes)):
            break
        classes = refined
    merged: dict[int, State] = {}
    for i, (may_end, arcs) in enumerate(states):
        merged.setdefault(refined[i], (may_end, {step: refined[target] for step, target in arcs.items()}))
    return [merged[i] for i in range(len(merged))]


def _own(states: list[State]) -> list[State]:
    """An automaton without what Spark's grammar has only to refuse it in words of its own."""
    return [
        (may_end, {step: target for step, target in arcs.items() if step.rule not in _REFUSED})
        for may_end, arcs in states
    ]


def reachable(automata: dict[str, list[State]], start: str) -> list[str]:
    """The rules that a rule needs, itself first."""
    rules = [start]
    for rule in rules:  # grows meanwhile
        used = {step.rule for _, arcs in automata[rule] for step in arcs if step.rule}
        rules += sorted(used.difference(rules))
    return rules


def _row(state: State) -> list[object]:
    may_end, arcs = state
    tokens: dict[tuple[int, int | None], list[str]] = defaultdict(list)
    row: list[object] = [int(may_end)]
    for step, target in arcs.items():
        if step.rule:
            row.append([target, step.rule, step.least, *([] if step.behind is None else [step.behind])])
        else:
            tokens[target, step.behind].append(step.token)
    for (target, behind), names in tokens.items():
        row.append([target, sorted(names), *([] if behind is None else [behind])])
    return row


def class_path(folder: Path) -> str:
    """What Spark's parser needs of a folder of jars."""
    names = ("spark-sql-api_2.1?", "antlr4-runtime", "scala-library")
    return os.pathsep.join(str(next(folder.glob(f"{name}-*.jar"))) for name in names)


def file_text(version: Version) -> str:
    """The file of a version."""
    command = [runtime_jar.java(), "-cp", class_path(spark_jars(minor_version.text(version))), str(READER)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    atn = Atn(done.stdout.splitlines())
    automata = {rule: _own(automaton(atn, rule)) for rule in atn.rules}
    if _CODE in automata:
        automata[_CODE] = [(False, {Step(None, _CODE_BEGIN): 1}), (True, {})]
    start = next(rule for rule in _STARTS if rule in automata)
    texts = {name: (literal,) if literal else _TEXTS.get(name, ()) for name, literal in atn.literals.items()}
    rows = [
        f"{json.dumps(rule)}: {json.dumps([_row(state) for state in automata[rule]], separators=(',', ':'))}"
        for rule in reachable(automata, start)
    ]
    tokens = json.dumps({text: name for name, of_token in sorted(texts.items()) for text in of_token})
    return f'{{"start": "{start}",\n"tokens": {tokens},\n"rules": {{\n' + ",\n".join(rows) + "}}\n"


def write() -> None:
    """Write the files of all versions."""
    for version in VERSIONS:
        (FOLDER / f"{minor_version.text(version)}.json").write_text(file_text(version), encoding="utf-8")


if __name__ == "__main__":
    write()
