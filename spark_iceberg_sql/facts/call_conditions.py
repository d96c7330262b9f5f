"""The condition of a CALL, `where => '...'`: forms that no condition has, and names that are not columns."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.facts.hidden_fields import hidden_field
from spark_iceberg_sql.model.runtime.minor_version import Version
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.model.types import Struct
from spark_iceberg_sql.records import record
from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.syntax.brackets import between_commas
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS, TRIVIA, Token, TokenKind, tokenize
from spark_iceberg_sql.syntax.literals import unescape

# A name stands beside one of these: other words are functions, keywords or parts of a name.
_COMPARISONS = frozenset({"=", "==", "<", ">", "<=", ">=", "<>", "!=", "<=>", "IN", "IS", "BETWEEN", "LIKE"})
_NOT_NAMES = frozenset({
    "AND", "OR", "NOT", "NULL", "TRUE", "FALSE", "END", "THEN", "ELSE", "WHEN", "CASE", "IS", "CURRENT_DATE",
    "CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "CURDATE",
})  # fmt: skip

# Functions of a column that no filter of Iceberg has, in any version.
_UNKNOWN_FUNCTIONS = frozenset(
    {"LOWER", "UPPER", "LENGTH", "RAND", "SUBSTRING", "SUBSTR", "TRIM", "CONCAT", "COALESCE"}
)
_AGGREGATES = frozenset({"COUNT", "SUM", "AVG", "MIN", "MAX"})
_COLUMNS = 20  # that are named


@record(frozen=True, slots=True)
class WrongCondition:
    """A part of a condition that Spark refuses. message: the end of a sentence about it. help: what to write."""

    message: str
    help: str


def unknown_names(
    condition: str, schema: Schema, specs: Specs | None, *, may_be_variables: bool
) -> Iterator[WrongCondition]:
    """Names compared in a condition that are partition fields, or no columns.

    condition: the string's content. specs: None if the partitioning is unknown. may_be_variables: a name that is not
    similar to a column may be a variable of the session.
    """
    tokens = _tokens(condition)
    yield from _no_condition(tokens, schema)
    yield from _unknown_nested(tokens, schema)
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
        elif not may_be_variables:
            yield WrongCondition(f"names `{name}`, which is no column of its table", missing_column(schema, name))


def _no_condition(tokens: list[Token], schema: Schema) -> Iterator[WrongCondition]:
    """A column or a number alone that is not a boolean."""
    if len(tokens) == 1:
        columns = schema.find_all((tokens[0].text.strip("`"),))
        is_other = bool(columns) and str(columns[0].field.type) != "boolean"
        if is_other or tokens[0].kind is TokenKind.NUMBER:
            yield WrongCondition("compares nothing", f"write a comparison, such as `{tokens[0].text} = 1`")


def _unknown_nested(tokens: list[Token], schema: Schema) -> Iterator[WrongCondition]:
    """Paths that begin with a struct and have no such field."""
    for index, token in enumerate(tokens[:-2]):
        is_start = token.kind in NAME_KINDS and (not index or tokens[index - 1].text != ".")
        if not is_start or tokens[index + 1].text != "." or tokens[index + 2].kind not in NAME_KINDS:
            continue
        struct, name = token.text.strip("`"), tokens[index + 2].text.strip("`")
        columns = schema.find_all((struct,))
        if not columns or not isinstance(columns[0].field.type, Struct) or schema.find_all((struct, name)):
            continue
        fields = [field.name for field in columns[0].field.type.fields]
        paths = ", ".join(f"`{struct}.{field}`" for field in fields[:_COLUMNS])
        yield WrongCondition(f"names `{struct}.{name}`, which `{struct}` does not have", f"write one of {paths}")


def not_evaluated(condition: str) -> WrongCondition | None:
    """Why Iceberg cannot evaluate a condition, so that the procedure refuses it; None if it may."""
    tokens = _tokens(condition)
    keywords = [token.word for token in tokens]
    if any(keywords[i : i + 3] == ["IN", "(", "SELECT"] for i in range(len(keywords))):
        return WrongCondition("has a query, which the procedure does not run", "write the values: `IN (1, 2)`")
    for index, token in enumerate(tokens[:-1]):
        following, before = tokens[index + 1], tokens[index - 1].text if index else ""
        word = ""
        if token.word in _UNKNOWN_FUNCTIONS and following.text == "(" and before != ".":
            word = f"{token.text}(...)"
        elif token.text == "%" or token.word in ("RLIKE", "REGEXP", "ILIKE"):
            word = token.text
        elif token.word == "LIKE" and following.kind in STRINGS and unescape(following.text)[:1] in ("%", "_"):
            word = f"LIKE {following.text}"
        if word:
            return WrongCondition(
                f"has `{word}`, which Iceberg alone cannot evaluate",
                "compare columns with constants, by =, <, >, IN, BETWEEN, IS NULL or LIKE 'prefix%'",
            )
    return None


def wrong_form(condition: str, spark: Version | None = None) -> WrongCondition | None:
    """Why a text is no condition at all; None if it may be one. spark: whose grammar; None for any."""
    tokens = _tokens(condition)
    if not tokens:
        return WrongCondition("is empty", "leave it out to rewrite all files")
    if tokens[0].word == "WHERE":
        return WrongCondition(
            "begins with WHERE", f"write `{condition[tokens[1].start :]}`" if tokens[1:] else "leave it out"
        )
    if tokens[-1].text == ";":
        return WrongCondition("ends with `;`", "leave the `;` out")
    if len(between_commas(tokens)) > 1:
        return WrongCondition("has a comma between conditions", "join them by AND")
    for before, token, following in zip([None, *tokens], tokens, tokens[1:], strict=False):
        if token.word in _AGGREGATES and following.text == "(" and (before is None or before.text != "."):
            return WrongCondition(f"has the aggregate `{token.text}(...)`", "compare columns of one row")
    # Spark reads it as a column of a SELECT, which may have an alias behind it: `id = 1 and`.
    texts = [f"SELECT ({condition}\n)"]
    if tokens[-1].kind in NAME_KINDS and len(tokens) > 1:
        texts.append(f"SELECT ({condition[: tokens[-1].start]}\n)")
    from spark_iceberg_sql.facts.refused_syntax import is_refused_by_grammar  # the command starts sooner

    if all(is_refused_by_grammar(text, spark) for text in texts):
        return WrongCondition("is none that Spark's parser reads", "write one as behind WHERE, such as `id = 1`")
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
        if token.kind not in NAME_KINDS or token.word in _NOT_NAMES or not words:
            continue
        before = tokens[index - 1].text if index else ""
        is_compared = words[0] in _COMPARISONS or (words[0] == "NOT" and words[1:] and words[1] in _COMPARISONS)
        if before != "." and is_compared:
            yield token.text.strip("`")
    for index, token in enumerate(tokens):  # a name in backticks is none of Spark's words
        is_alone = all(t.text not in (".", "(") for t in tokens[index + 1 : index + 2])
        if token.kind is TokenKind.QUOTED and is_alone and (not index or tokens[index - 1].text not in (".", "AS")):
            yield token.text.strip("`")


def _column_to_write(field: PartitionField) -> str:
    """A condition on the field's column that selects whole partitions."""
    if field.transform.transform.granularity is not None:  # of time
        clause = f"{field.source} >= ... AND {field.source} < ..."
        return f"filter on `{field.source}`, over a whole {field.transform.text}: `{clause}`"
    return f"filter on `{field.source}`, from which Iceberg derives it"
