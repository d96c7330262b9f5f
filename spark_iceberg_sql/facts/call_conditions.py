"""The names in the condition of a CALL, `where => '...'`, that are not columns of its table."""

from __future__ import annotations

from collections.abc import Iterator

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


@record(frozen=True, slots=True)
class UnknownName:
    """A name that Spark does not resolve. message: the end of a sentence about the condition. help: what to write."""

    message: str
    help: str


def unknown_names(condition: str, schema: Schema, specs: Specs | None) -> Iterator[UnknownName]:
    """Names compared in a condition that are partition fields, or are similar to columns.

    condition: the string's content. specs: None if the partitioning is unknown.
    """
    tokens = [token for token in tokenize(condition) if token.kind not in TRIVIA]
    lower_names = {column.name.lower() for column in schema.columns}
    reported: set[str] = set()
    for name in _compared(tokens):
        if name.lower() in lower_names or name.lower() in reported:
            continue
        reported.add(name.lower())
        fields = specs.all_fields if specs is not None else ()
        field = next((field for field in fields if field.name.lower() == name.lower()), None)
        if field is not None:
            yield UnknownName(f"names the partition field `{name}`, which is no column", _column_to_write(field))
        elif similar := similar_names(name, [column.name for column in schema.columns]):
            yield UnknownName(f"names `{name}`, which is no column of its table", f"write `{similar[0]}`")


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
