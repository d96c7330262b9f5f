"""CREATE TABLE of engines whose syntax differs from Spark's in types, quotes and the clauses after the columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spark_iceberg_sql.model.bound_transform import bind_transform
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.transforms import BY_NAME, IDENTITY
from spark_iceberg_sql.model.types import Field
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.translation.definitions import FieldTerm, Name, TableDefinition, lose, unsupported
from spark_iceberg_sql.translation.queries import query_start, spark_query
from spark_iceberg_sql.translation.type_syntax import TypeSyntax

_BRACKETS = "()[]<>"
_LOST_CLAUSES = ("PRIMARY", "UNIQUE", "DEFAULT")
_NAME_KINDS = (TokenKind.WORD, TokenKind.QUOTED, TokenKind.DOUBLE)


@dataclass(frozen=True, slots=True)
class CreateClauses:
    """A CREATE TABLE up to its columns, and the tokens after them.

    left_out: the columns of types that Spark does not have. query: of CREATE TABLE ... AS SELECT, without columns.
    """

    table: Name
    schema: Schema
    comments: Mapping[str, str]
    replaces: bool
    if_not_exists: bool
    clauses: list[Token]
    left_out: frozenset[str] = frozenset()
    query: str | None = None

    def definition(
        self,
        terms: tuple[FieldTerm, ...],
        *,
        comment: str | None = None,
        location: str | None = None,
        properties: Mapping[str, str],
    ) -> TableDefinition:
        """The table, with what the clauses after the columns say; see TableDefinition."""
        for term in terms:
            if not self.has(term.source[0]):
                lose(f"the partition field of `{term.source[0]}` is left out with its column")
        return TableDefinition(
            self.table,
            self.schema,
            self.comments,
            tuple(term for term in terms if self.has(term.source[0])),
            self.replaces,
            self.if_not_exists,
            comment,
            location,
            properties,
            self.query,
        )

    def has(self, column: str) -> bool:
        """False for a column that is left out."""
        return column.lower() not in self.left_out


def is_create(statement: Statement) -> bool:
    """True for CREATE [OR REPLACE] TABLE."""
    words = [token.word for token in statement.opening(4)]
    return words[:2] == ["CREATE", "TABLE"] or words[:4] == ["CREATE", "OR", "REPLACE", "TABLE"]


def read_create(statement: Statement, types: TypeSyntax) -> CreateClauses:
    """A CREATE TABLE with columns. Raises IcebergSqlError for what is not translated."""
    tokens = statement.tokens
    replaces = tokens[1].word == "OR"
    start = 4 if replaces else 2
    if_not_exists = [t.word for t in tokens[start : start + 3]] == ["IF", "NOT", "EXISTS"]
    table, index = read_name(tokens, start + 3 * if_not_exists)
    if index >= len(tokens) or tokens[index].text != "(":
        clauses = tokens[index:]
        start = query_start(clauses)
        if start == len(clauses):
            raise unsupported("a CREATE TABLE without columns is not translated", "write the columns and their types")
        query = spark_query(statement.script, clauses[start + 1 :], types.engine)
        return CreateClauses(table, Schema(()), {}, replaces, if_not_exists, clauses[:start], query=query)
    end = closing_index(tokens, index)
    columns, comments, left_out = [], {}, set()
    for definition in between_commas(tokens[index + 1 : end], _BRACKETS):
        if _is_left_out(statement.script, definition, types):
            if definition[0].kind in _NAME_KINDS:
                left_out.add(plain_name(definition[0]).lower())
            continue
        column, comment = _column(statement.script, definition, types)
        columns.append(column)
        if comment is not None:
            comments[column.name] = comment
    return CreateClauses(
        table, Schema(tuple(columns)), comments, replaces, if_not_exists, tokens[end + 1 :], frozenset(left_out)
    )


def read_name(tokens: Sequence[Token], start: int) -> tuple[Name, int]:
    """A name of several parts, and the index after it. Raises IcebergSqlError if there is none."""
    parts = []
    index = start
    while index < len(tokens) and tokens[index].kind in _NAME_KINDS:
        parts.append(plain_name(tokens[index]))
        index += 1
        if index >= len(tokens) or tokens[index].text != ".":
            return tuple(parts), index
        index += 1
    raise unsupported("the name of the table is missing", "write the name after TABLE")


def plain_name(token: Token) -> str:
    """A name without its quotes."""
    if token.kind is TokenKind.WORD:
        return token.text
    quote = token.text[0]
    return token.text[1:-1].replace(quote * 2, quote)


def _is_left_out(script: str, tokens: list[Token], types: TypeSyntax) -> bool:
    """True for what stands between columns and is none, or is one of a type that Spark does not have."""
    words = [token.word for token in tokens[:3]]
    text = script[tokens[0].start : tokens[-1].end] if tokens else ""
    if words[:2] in (["PRIMARY", "KEY"], ["WATERMARK", "FOR"]) or words[:1] == ["CONSTRAINT"]:
        identifier = "; ALTER TABLE ... SET IDENTIFIER FIELDS names the key" if "PRIMARY" in words else ""
        lose(f"`{text}` is no clause of Spark{identifier}")
        return True
    if len(tokens) < 2 or tokens[0].kind not in _NAME_KINDS:
        return False
    end = next((i for i in range(1, len(tokens)) if tokens[i].word in ("NOT", "COMMENT")), len(tokens))
    if words[1] == "AS" or "METADATA" in words[1:]:
        lose(f"`{text}` is a column that is not stored")
        return True
    if end > 1 and types.is_absent(script[tokens[1].start : tokens[end - 1].end]):
        lose(f"the column `{text}` is left out: Spark has no such type")
        return True
    return False


def _column(script: str, tokens: list[Token], types: TypeSyntax) -> tuple[Field, str | None]:
    if len(tokens) < 2 or tokens[0].kind not in _NAME_KINDS:
        text = script[tokens[0].start : tokens[-1].end] if tokens else ""
        raise unsupported(f"`{text}` is not a column with a type", "write the columns and their types alone")
    name = plain_name(tokens[0])
    tokens = _without_lost_clauses(script, name, tokens)
    end = next((i for i in range(1, len(tokens)) if tokens[i].word in ("NOT", "COMMENT")), len(tokens))
    column_type = types.read(name, script[tokens[1].start : tokens[end - 1].end])
    remaining = tokens[end:]
    required = [t.word for t in remaining[:2]] == ["NOT", "NULL"]
    remaining = remaining[2:] if required else remaining
    comment = None
    if len(remaining) == 2 and remaining[0].word == "COMMENT" and remaining[1].kind in STRINGS:
        comment, remaining = string_value(remaining[1]), []
    if remaining:
        text = " ".join(token.text for token in remaining)
        raise unsupported(f"`{text}` of the column `{name}` is not translated", "leave it out")
    return Field(name, column_type, required), comment


def _without_lost_clauses(script: str, name: str, tokens: list[Token]) -> list[Token]:
    """A column without the constraints and the default that Spark's statement does not have."""
    depth, kept, index = 0, tokens[:1], 1
    while index < len(tokens):
        token = tokens[index]
        depth += (token.text in "(<[") - (token.text in ")>]")
        is_clause = depth == 0 and index > 1 and token.word in _LOST_CLAUSES
        if not is_clause:
            kept.append(token)
            index += 1
            continue
        end = index + 1
        while end < len(tokens) and tokens[end].word not in ("COMMENT", *_LOST_CLAUSES):
            if tokens[end].word == "NOT" and [t.word for t in tokens[end + 1 : end + 2]] == ["NULL"]:
                break
            end += 1
        lose(f"`{script[token.start : tokens[end - 1].end]}` of the column `{name}` is not translated")
        index = end
    return kept


def string_value(token: Token) -> str:
    """The content of a string: quotes are doubled in every engine, and Flink, Trino and ClickHouse keep backslashes."""
    return token.text[1:-1].replace("''", "'") if token.text[0] == "'" else unescape(token.text)


def read_properties(tokens: Sequence[Token]) -> dict[str, list[Token]]:
    """`(key = value, ...)` as the tokens of each value by key. Raises IcebergSqlError for any other syntax."""
    properties: dict[str, list[Token]] = {}
    if len(tokens) > 2 and (tokens[0].text, tokens[-1].text) == ("(", ")"):
        for pair in between_commas(tokens[1:-1]):
            if len(pair) < 3 or pair[1].text != "=":
                break
            key = string_value(pair[0]) if pair[0].kind in STRINGS else pair[0].text.lower()
            properties[key] = pair[2:]
        else:
            return properties
    raise unsupported("the properties of the table cannot be read", "write them as (key = value, ...)")


def read_term(tokens: Sequence[Token], *, number_first: bool) -> FieldTerm | None:
    """A term such as `day(ts)`, by the transform's name in Iceberg's metadata; None for any other text.

    number_first: whether the number of a bucket or truncate comes before its column.
    """
    if len(tokens) == 1 and tokens[0].kind in _NAME_KINDS:
        return FieldTerm(bind_transform(IDENTITY.name, None), (plain_name(tokens[0]),))
    transform = BY_NAME.get(tokens[0].text.lower()) if tokens else None
    if transform is None or not transform.in_ddl or len(tokens) < 4:
        return None
    arguments = between_commas(tokens[2:-1])
    numbers = [argument[0].text for argument in arguments if len(argument) == 1 and argument[0].text.isdecimal()]
    is_whole = tokens[1].text == "(" and closing_index(tokens, 1) == len(tokens) - 1
    if not is_whole or any(len(argument) != 1 for argument in arguments):
        return None
    if transform.parameter is None:
        return None if len(arguments) != 1 else FieldTerm(bind_transform(transform.name, None), (_source(arguments),))
    number_index = 0 if number_first else 1
    if len(arguments) != 2 or len(numbers) != 1 or not arguments[number_index][0].text.isdecimal():
        return None
    source = plain_name(arguments[1 - number_index][0])
    return FieldTerm(bind_transform(transform.name, int(numbers[0])), (source,))


def _source(arguments: Sequence[Sequence[Token]]) -> str:
    return plain_name(arguments[0][0])
