"""In: the tokens of a statement, as names of Spark's grammar. Out: how far it is one.

A rule is a function of its first token and of the least precedence of operators in it: the places where it may end.
Each is computed once: the time never grows with the number of readings. Spark's parser (ANTLR's ALL(*)) takes the first
of several readings; whether there is one is the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

from spark_iceberg_sql.model.runtime import minor_version
from spark_iceberg_sql.model.runtime.minor_version import Version


class Transition(NamedTuple):
    """What a state does at a token. rule: the number of the one to follow first; -1 if the token itself is taken.

    target: the state afterwards. precedence: the least one of the operators in the rule. behind: the precedence of the
    operator that this belongs to; a number above all if it belongs to none.
    """

    rule: int
    target: int
    precedence: int
    behind: int


_NO_OPERATOR: Final = 1000
END: Final = "EOF"
_ANY: Final = ["*"]


class Grammar:
    """The grammar of one version."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.texts: dict[str, str] = data["tokens"]
        names = list(data["rules"])
        self._numbers = {name: number for number, name in enumerate(names)}
        self._rules: list[list[list[Any]]] = list(data["rules"].values())
        self.start = self._numbers[data["start"]]
        self.keywords = tuple(text for text in self.texts if text.isalpha())
        self.marks = frozenset(self.texts).difference(self.keywords)
        self._firsts: dict[int, frozenset[str]] = {}
        self._transitions: dict[tuple[int, int, str], tuple[Transition, ...]] = {}

    def text_of(self, name: str) -> str | None:
        """How a token is written; None if it has no text of its own, as names and numbers."""
        return next((text for text, of_text in self.texts.items() if of_text == name), None)

    def may_end(self, rule: int, state: int) -> bool:
        """Whether a rule may end in a state."""
        return bool(self._rules[rule][state][0])

    def transitions(self, rule: int, state: int, token: str) -> tuple[Transition, ...]:
        """What a rule can do in a state at a token."""
        key = rule, state, token
        transitions = self._transitions.get(key)
        if transitions is None:
            transitions = self._transitions[key] = tuple(self._new_transitions(rule, state, token))
        return transitions

    def _new_transitions(self, rule: int, state: int, token: str) -> list[Transition]:
        transitions = []
        for target, symbols, *numbers in self._rules[rule][state][1:]:
            if isinstance(symbols, list):
                if token in symbols or (symbols == _ANY and token != END):
                    transitions.append(Transition(-1, target, 0, *(numbers or [_NO_OPERATOR])))
                continue
            called = self._numbers[symbols]
            if token in self._first(called) or self._may_be_empty(called):
                transitions.append(Transition(called, target, numbers[0], *(numbers[1:] or [_NO_OPERATOR])))
        return transitions

    def _may_be_empty(self, rule: int) -> bool:
        return self.may_end(rule, 0) or "" in self._first(rule)

    def _first(self, rule: int) -> frozenset[str]:
        """The tokens with which a rule may begin; an empty text if it may be empty."""
        if rule not in self._firsts:
            first: set[str] = set()
            states, reached = [0], {0}
            while states:
                may_end, *arcs = self._rules[rule][states.pop()]
                first.update([""] if may_end else [])
                for target, symbols, *_ in arcs:
                    tokens = symbols if isinstance(symbols, list) else self._first(self._numbers[symbols])
                    first.update(token for token in tokens if token)
                    if "" in tokens and target not in reached:
                        reached.add(target)
                        states.append(target)
            self._firsts[rule] = frozenset(first)
        return self._firsts[rule]

    def expected(self, rule: int, state: int) -> set[str]:
        """The tokens that a rule can go on with in a state, those of what calls it left out."""
        tokens: set[str] = set()
        for _, symbols, *_ in self._rules[rule][state][1:]:
            tokens.update(symbols if isinstance(symbols, list) else self._first(self._numbers[symbols]))
        return tokens - {""}


@cache
def grammar(version: Version) -> Grammar:
    """The grammar of a version. Raises FileNotFoundError for a version without a file."""
    file = resources.files(__package__ or "").joinpath(f"{minor_version.text(version)}.json")
    return Grammar(json.loads(file.read_text(encoding="utf-8")))


class Stop(NamedTuple):
    """Where no reading of a statement goes on. token: its index. expected: the tokens that could be there."""

    token: int
    expected: frozenset[str]


class TooDeepError(Exception):
    """A statement with more brackets in brackets than this reads."""


class Recognizer:
    """One statement."""

    def __init__(self, grammar: Grammar, tokens: Sequence[str]) -> None:
        self._grammar = grammar
        self._tokens = (*tokens, END)
        self._ends: dict[tuple[int, int, int], frozenset[int]] = {}
        self._farthest = 0
        self._expected: set[tuple[int, int]] = set()

    def stop(self) -> Stop | None:
        """Where no reading goes on; None if the grammar has the statement. Raises TooDeepError."""
        try:
            ends = self._ends_of(self._grammar.start, 0, 0)
        except RecursionError:
            raise TooDeepError from None
        if len(self._tokens) in ends:
            return None
        expected = (self._grammar.expected(rule, state) for rule, state in self._expected)
        return Stop(self._farthest, frozenset().union(*expected))

    def _ends_of(self, rule: int, begin: int, precedence: int) -> frozenset[int]:
        """Where a rule may end that begins at a token: the numbers of the tokens that come next."""
        key = rule, begin, precedence
        if key in self._ends:
            return self._ends[key]
        transitions, may_end, tokens = self._grammar.transitions, self._grammar.may_end, self._tokens
        ends: set[int] = set()
        positions = [(0, begin)]
        reached = {(0, begin)}
        for state, index in positions:  # grows meanwhile
            if may_end(rule, state):
                ends.add(index)
            if index >= len(tokens):
                continue
            if index >= self._farthest:
                if index > self._farthest:
                    self._farthest = index
                    self._expected.clear()
                self._expected.add((rule, state))
            for called, target, at_least, behind in transitions(rule, state, tokens[index]):
                if behind < precedence:
                    continue
                for end in (index + 1,) if called < 0 else self._ends_of(called, index, at_least):
                    position = target, end
                    if position not in reached:
                        reached.add(position)
                        positions.append(position)
        self._ends[key] = frozenset(ends)
        return self._ends[key]
