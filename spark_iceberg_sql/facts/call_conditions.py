"""The condition of a CALL, `where => '...'`: forms that no condition has, and names that are not columns."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.facts.hidden_fields import hidden_field
from spark_iceberg_sql.model.schema import Schema, similar_names
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.lexer import TRIVIA, Token, TokenKind, tokenize

# A name stands beside one of these: other words are functions, keywords or parts of a name.
_COMPARISONS = frozenset({"=", "==", "<", ">", "<=", ">=", "<>", "!=", "<=>", "IN", "IS", "BETWEEN", "LIKE"})
_NOT_NAMES = frozenset({
    "AND", "OR", "NOT", "NULL", "TRUE", "FALSE", "END", "THEN", "ELSE", "WHEN", "CASE", "IS", "CURRENT_DATE",
    "CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "CURDATE",
})  # fmt: skip

_COLUMNS = 20  # that are named


@record(frozen=True, slots=True)
class WrongCondition:
    """A part of a condition that Spark refuses. message: the end of a sentence about it. help: what to write."""

    message: str
    help: str


def unknown_names(condition: str, schema: Schema, specs: Specs | None) -> Iterator[WrongCondition]:
    """Names compared in a condition that are partition fields, or are similar to columns.

    condition: the string's content. specs: None if the partitioning is unknown.
    """
    tokens = _tokens(condition)
    lower_names = {column.name.lower() for column in schema.columns}
    reported: set[str] = set()
    for name in _compared(tokens):
        if name.lower() in lower_names or name.lower() in reported:
            continue
        reported.add(name.lower())
        field = hidden_field(specs, name)
        if field is not None:
            yield WrongCondition(f"names the partition field `{name}`, which is no column", _column_to_write(field))
        elif similar := similar_names(name, [column.name for column in schema.columns]):
            yield WrongCondition(f"names `{name}`, which is no column of its table", f"write `{similar[0]}`")


def wrong_form(condition: str) -> WrongCondition | None:
    """Why a text is no condition at all; None if it may be one."""
    tokens = _tokens(condition)
    if not tokens:
        return WrongCondition("is empty", "leave it out to rewrite all files")
    if tokens[0].word == "WHERE":
        return WrongCondition(
            "begins with WHERE", f"write `{condition[tokens[1].start :]}`" if tokens[1:] else "leave it out"
        )
    if tokens[-1].text == ";":
        return WrongCondition("ends with `;`", "leave the `;` out")
    return None


def missing_column(schema: Schema, name: str) -> str:
    """What to write in place of a name that is no column: a similar one, or one of all."""
    columns = [column.name for column in schema.columns]
    similar = similar_names(name, columns)
    return f"write `{similar[0]}`" if similar else f"its columns are {', '.join(f'`{c}`' for c in columns[:_COLUMNS])}"


def _tokens(condition: str) -> list[Token]:
    return [token for token in tokenize(condition) if token.kind not in TRIVIA]


def _compared(tokens: list[Token]) -> Iterator[str]:
    """The names of one part before a comparison."""
    for index, token in enumerate(tokens):
        following = tokens[index + 1 : index + 3]
        words = [other.word for other in following]
        if token.kind not in (TokenKind.WORD, TokenKind.QUOTED) or token.word in _NOT_NAMES or not words:
            continue
        before = tokens[index - 1].text if index else ""
        is_compared = words[0] in _COMPARISONS or (words[0] == "NOT" and words[1:] and words[1] in _COMPARISONS)
        if before != "." and is_compared:
            yield token.text.strip("`")


def _column_to_write(field: PartitionField) -> str:
    """A condition on the field's column that selects whole partitions."""
    if field.transform.transform.granularity is not None:  # of time
        clause = f"{field.source} >= ... AND {field.source} < ..."
        return f"filter on `{field.source}`, over a whole {field.transform.text}: `{clause}`"
    return f"filter on `{field.source}`, from which Iceberg derives it"
