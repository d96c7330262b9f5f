"""Expressions of a statement that are NULL for every row: comparisons with NULL, and truncations to unknown units.

Read are conditions (WHERE, HAVING, ON, WHEN, QUALIFY) for comparisons, since `=` assigns in SET and in options.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.facts.query_types import TRUNCATION_UNITS, UNIT_ABBREVIATIONS
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.brackets import closing_index, comma_ranges
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind

_CONDITIONS = frozenset({"WHERE", "HAVING", "ON", "WHEN", "QUALIFY"})
# Words after which `=` may assign or name something.
_OTHER_CLAUSES = frozenset({
    "SELECT", "SET", "UPDATE", "THEN", "ELSE", "FROM", "USING", "GROUP", "ORDER", "PARTITION", "VALUES", "OPTIONS",
    "TBLPROPERTIES", "LIMIT", "WITH", "CALL", "VALUE", "DECLARE", "DEFAULT",
})  # fmt: skip
_EQUALITIES = frozenset({"=", "=="})
_OPERATORS = _EQUALITIES | {"<>", "!=", "<", ">", "<=", ">="}


@record(frozen=True, slots=True)
class NullComparison:
    """A comparison with NULL. operator, null: the two tokens. is_equality: whether it asks for equal values."""

    operator: Token
    null: Token
    is_equality: bool


@record(frozen=True, slots=True)
class UnknownUnit:
    """A call of date_trunc or trunc with a unit that Spark does not know.

    function: its token. unit: the literal. known_units: the function's. intended_unit: the one that is probably meant;
    None if there is none.
    """

    function: Token
    unit: Token
    known_units: Sequence[str]
    intended_unit: str | None


def null_comparisons(tokens: Sequence[Token]) -> Iterator[NullComparison]:
    """The comparisons of a statement's conditions with the word NULL on the right."""
    is_condition = [False]  # for each open bracket
    for index, token in enumerate(tokens):
        word = token.word
        if word == "(":
            is_condition.append(is_condition[-1])
        elif word == ")" and len(is_condition) > 1:
            is_condition.pop()
        elif word in _CONDITIONS or word in _OTHER_CLAUSES:
            is_condition[-1] = word in _CONDITIONS
        elif word == "NULL" and is_condition[-1] and index and token.kind is TokenKind.WORD:
            operator = tokens[index - 1]
            if operator.text in _OPERATORS and _ends(tokens, index + 1):
                yield NullComparison(operator, token, operator.text in _EQUALITIES)


def unknown_units(tokens: Sequence[Token]) -> Iterator[UnknownUnit]:
    """The truncations of times to a unit that is a literal which Spark does not know."""
    for index, token in enumerate(tokens[:-1]):
        units = TRUNCATION_UNITS.get(token.word)
        if units is None or token.kind is not TokenKind.WORD or tokens[index + 1].text != "(":
            continue
        end = closing_index(tokens, index + 1)
        arguments = [tokens[start:stop] for start, stop in comma_ranges(tokens, index + 2, end)]
        if end == len(tokens) or len(arguments) != 2:
            continue
        unit = arguments[0 if token.word == "DATE_TRUNC" else 1]
        if len(unit) == 1 and unit[0].kind in STRINGS:
            name = unit[0].text[1:-1].upper()
            if name.isalpha() and name not in (*units, *UNIT_ABBREVIATIONS[token.word]):
                yield UnknownUnit(token, unit[0], units, _intended_unit(name, units))


def _intended_unit(name: str, units: Sequence[str]) -> str | None:
    """The unit of which a name is the plural, or the beginning; None if there is none, or several."""
    matches = [unit for unit in units if name == f"{unit}S" or unit.startswith(name)]
    return matches[0] if len(matches) == 1 else None


def _ends(tokens: Sequence[Token], index: int) -> bool:
    """True if an operand ends before a token."""
    return index >= len(tokens) or tokens[index].kind is TokenKind.WORD or tokens[index].text in (")", ",", ";")
