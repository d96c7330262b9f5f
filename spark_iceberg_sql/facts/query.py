"""The columns that a query has, as far as its text and the tables that it reads say them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from spark_iceberg_sql.facts.query_types import (
    BARE,
    OF_STRINGS,
    RETURNS,
    SAME,
    TYPED,
    finest,
    is_coarse,
    literal,
    rounded,
)
from spark_iceberg_sql.model.schema import Column, Schema, folded
from spark_iceberg_sql.model.types import UNKNOWN, Field, Primitive, Type
from spark_iceberg_sql.syntax.brackets import between_commas, closing
from spark_iceberg_sql.syntax.lexer import STRINGS, TRIVIA, Kind, Token, tokenize
from spark_iceberg_sql.syntax.nodes import Name
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop, TooDeep
from spark_iceberg_sql.syntax.parser.data_types import data_type

Find = Callable[[Name], Schema | None]

_ENDS = frozenset(
    {
        *("WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET"),
        *("WINDOW", "QUALIFY"),
    }
)
# What makes of relations something that is not followed here.
_STRANGE = frozenset(
    {
        *("LATERAL", "PIVOT", "UNPIVOT", "SEMI", "ANTI", "NATURAL", "USING", "TABLESAMPLE", "OF"),
        *("VALUES", "VERSION", "TIMESTAMP", "SYSTEM_VERSION", "SYSTEM_TIME", "STREAM", "|>"),
    }
)
_SETS = frozenset({"UNION", "EXCEPT", "MINUS", "INTERSECT"})
_DEEPEST = 30


class _UnknownError(Exception):
    """Something of the query that nobody here follows."""


@dataclass(frozen=True, slots=True)
class _Relation:
    """A table or a sub-query of FROM: what its columns may be qualified with, and the columns."""

    name: Name
    schema: Schema | None


@dataclass(frozen=True, slots=True)
class _Value:
    """An expression: its type, and the name that its column has without AS."""

    type: Type
    name: str | None = None


def columns_of(query: str, find: Find) -> Schema | None:
    """The columns of a query's result, of type UNKNOWN where it is not known; None without their names.

    query: its text. find: the columns of a table, by its name.
    """
    tokens = [token for token in tokenize(query) if token.kind not in TRIVIA]
    try:
        fields = _Reader(query, find).query(tokens, 0)
    except (_UnknownError, Stop, TooDeep):
        return None
    names = {folded(item.name) for item in fields}  # empty where Spark makes one up
    sure = "" not in names and len(names) == len(fields)
    return Schema(tuple(fields)) if fields and sure else None


class _Reader:
    def __init__(self, script: str, find: Find) -> None:
        self._script = script
        self._find = find
        self._named: dict[str, Schema | None] = {}

    def query(self, tokens: Sequence[Token], depth: int) -> list[Field]:
        """The columns of a query, set operations and WITH included."""
        if depth > _DEEPEST:
            raise _UnknownError
        tokens = self._with(tokens, depth)
        inner = _unwrapped(tokens)
        if inner is not None:
            return self.query(inner, depth + 1)
        cuts = [i for i, _, word in _top(tokens) if word in _SETS]
        parts = [
            tokens[start:end]
            for start, end in zip([0, *[c + 1 for c in cuts]], [*cuts, len(tokens)], strict=True)
        ]
        found = [self._branch(part, depth) for part in parts]
        if any(len(other) != len(found[0]) for other in found):
            raise _UnknownError
        return [
            replace(field, type=finest([field.type, *(other.type for other in others)]))
            if all(other.type == field.type for other in others)
            else Field(field.name, UNKNOWN)
            for field, *others in zip(*found, strict=True)  # Spark looks for a common type
        ]

    def _branch(self, tokens: Sequence[Token], depth: int) -> list[Field]:
        if tokens and tokens[0].word in ("ALL", "DISTINCT"):
            tokens = tokens[1:]
        inner = _unwrapped(tokens)
        return self.query(inner, depth + 1) if inner is not None else self._select(tokens, depth)

    def _with(self, tokens: Sequence[Token], depth: int) -> Sequence[Token]:
        """Read the sub-queries of WITH; the query behind them."""
        if not tokens or tokens[0].word != "WITH":
            return tokens
        i = 1
        while True:
            if i + 2 >= len(tokens) or tokens[i + 1].word != "AS" or tokens[i + 2].text != "(":
                raise _UnknownError  # RECURSIVE, or names for the columns
            end = _closing(tokens, i + 2)
            name = folded(tokens[i].text.strip("`"))
            try:
                fields = tuple(self.query(tokens[i + 3 : end], depth + 1))
                self._named[name] = Schema(fields)
            except (_UnknownError, Stop, TooDeep):
                self._named[name] = None
            if end + 1 >= len(tokens) or tokens[end + 1].text != ",":
                return tokens[end + 1 :]
            i = end + 2

    def _select(self, tokens: Sequence[Token], depth: int) -> list[Field]:
        if not tokens or tokens[0].word != "SELECT" or any(t.text == "/*+" for t in tokens):
            raise _UnknownError
        start = 2 if len(tokens) > 1 and tokens[1].word in ("ALL", "DISTINCT") else 1
        marks = {word: i for i, _, word in reversed(list(_top(tokens))) if word == "FROM"}
        stops = [i for i, _, word in _top(tokens) if word in _ENDS and i > start]
        at = marks.get("FROM", min(stops, default=len(tokens)))
        end = min((i for i in stops if i > at), default=len(tokens))
        relations = self._relations(tokens[at + 1 : end], depth) if "FROM" in marks else []
        fields: list[Field] = []
        for item in between_commas(tokens[start:at]):
            fields += self._item(item, relations)
        return fields

    def _relations(self, tokens: Sequence[Token], depth: int) -> list[_Relation]:
        if any(word in _STRANGE for _, _, word in _top(tokens)):
            raise _UnknownError
        found: list[_Relation] = []
        piece: list[Token] = []
        condition = False
        for i, token, word in [*_top(tokens), (len(tokens), None, ",")]:
            if word in (",", "JOIN"):
                found.append(self._relation(_trimmed(piece), depth))
                piece, condition = [], False
            elif word == "ON":
                condition = True
            elif not condition and token is not None:
                piece += tokens[i : _closing(tokens, i) + 1] if token.text == "(" else [token]
        return found

    def _relation(self, tokens: list[Token], depth: int) -> _Relation:
        alias: Name = ()
        if not tokens:
            raise _UnknownError
        if tokens[0].text == "(":
            end = _closing(tokens, 0)
            rest = [t for t in tokens[end + 1 :] if t.word != "AS"]
            if len(rest) > 1:
                raise _UnknownError
            if rest:
                alias = (rest[0].text.strip("`"),)
            return _Relation(alias, Schema(tuple(self.query(tokens[1:end], depth + 1))))
        cursor = Cursor(self._script, tokens, tokens[-1].end)
        name = cursor.path("a table's name").parts
        cursor.take("AS")
        alias = name[-1:]
        if not cursor.done:
            alias = (cursor.name(),)
        if not cursor.done:
            raise _UnknownError
        known = folded(name[0]) in self._named and len(name) == 1
        schema = self._named[folded(name[0])] if known else self._find(name)
        return _Relation(alias, schema)

    def _item(self, tokens: Sequence[Token], relations: list[_Relation]) -> list[Field]:
        if not tokens:
            raise _UnknownError
        if tokens[-1].text == "*":
            owner = tokens[0].text.strip("`") if len(tokens) == 3 else None
            if len(tokens) not in (1, 3):
                raise _UnknownError
            chosen = [r for r in relations if owner is None or r.name == (owner,)]
            if not chosen or any(r.schema is None for r in chosen):
                raise _UnknownError
            return [item for r in chosen if r.schema is not None for item in r.schema.fields]
        name = None
        if len(tokens) > 2 and tokens[-2].word == "AS" and tokens[-1].text != ")":
            name, tokens = tokens[-1].text.strip("`"), tokens[:-2]
        elif len(tokens) > 1 and _is_name(tokens[-1]) and _ends_value(tokens[-2]):
            name, tokens = tokens[-1].text.strip("`"), tokens[:-1]
        try:
            value = self._value(tokens, relations, 0)
        except (_UnknownError, Stop):
            value = _Value(UNKNOWN)
        return [Field(name if name is not None else value.name or "", value.type)]

    def _value(self, tokens: Sequence[Token], relations: list[_Relation], depth: int) -> _Value:
        if not tokens or depth > _DEEPEST:
            raise _UnknownError
        inner = _unwrapped(tokens)
        if inner is not None:
            return self._value(inner, relations, depth + 1)
        if len(tokens) > 2 and any(t.text == "::" for _, t, _ in _top(tokens)):
            cut = max(i for i, t, _ in _top(tokens) if t.text == "::")
            value = self._value(tokens[:cut], relations, depth + 1)
            return _Value(self._type(tokens[cut + 1 :]), value.name)
        first = tokens[0]
        if len(tokens) == 1 and first.kind in (*STRINGS, Kind.NUMBER):
            return _Value(_sure(literal(first)))
        if len(tokens) == 2 and first.text == "-" and tokens[1].kind is Kind.NUMBER:
            return _Value(_sure(literal(tokens[1])))
        if len(tokens) == 2 and tokens[1].kind in STRINGS and first.word in TYPED:
            return _Value(TYPED[first.word])
        if len(tokens) == 1 and first.word in ("TRUE", "FALSE"):
            return _Value(Primitive("boolean"))
        if len(tokens) == 1 and first.word in BARE:
            return _Value(RETURNS[first.word])
        if len(tokens) > 2 and tokens[1].text == "(" and first.kind is Kind.WORD:
            return self._call(tokens, relations, depth)
        return self._column(tokens, relations)

    def _call(self, tokens: Sequence[Token], relations: list[_Relation], depth: int) -> _Value:
        name = tokens[0].word
        end = _closing(tokens, 1)
        rest = tokens[end + 1 :]
        if rest and (rest[0].word not in ("OVER", "FILTER") or rest[-1].text != ")"):
            raise _UnknownError
        arguments = between_commas(tokens[2:end])
        if name in ("CAST", "TRY_CAST"):
            cut = max((i for i, _, word in _top(tokens[2:end]) if word == "AS"), default=-1)
            if cut < 1:
                raise _UnknownError
            named = None
            try:
                named = self._column(tokens[2 : 2 + cut], relations).name
            except (_UnknownError, Stop):
                named = None
            kind = self._type(tokens[2 + cut + 1 : end])
            with suppress(_UnknownError, Stop):
                operand = self._value(tokens[2 : 2 + cut], relations, depth + 1).type
                return _Value(rounded(kind, operand), named)
            return _Value(kind, named)
        if name in RETURNS:
            whole = name == "DATE_TRUNC" and bool(arguments) and is_coarse(arguments[0])
            return _Value(rounded(RETURNS[name], RETURNS["DATE"]) if whole else RETURNS[name])
        if name in OF_STRINGS:
            kinds = [self._value(item, relations, depth + 1).type for item in arguments[:1]]
            if kinds == [Primitive("string")]:
                return _Value(kinds[0])
        if name in SAME and arguments:
            kinds = [self._value(item, relations, depth + 1).type for item in arguments]
            if all(kind == kinds[0] for kind in kinds) and kinds[0] != UNKNOWN:
                return _Value(finest(kinds))
        raise _UnknownError

    def _type(self, tokens: Sequence[Token]) -> Type:
        if not tokens:
            raise _UnknownError
        cursor = Cursor(self._script, list(tokens), tokens[-1].end)
        kind = data_type(cursor)
        if kind is None or not cursor.done or (isinstance(kind, Primitive) and kind.spark):
            raise _UnknownError
        return kind

    def _column(self, tokens: Sequence[Token], relations: list[_Relation]) -> _Value:
        cursor = Cursor(self._script, list(tokens), tokens[-1].end)
        if not _is_name(tokens[0]):
            raise _UnknownError
        parts = cursor.path("a column's name").parts
        if not cursor.done or any(relation.schema is None for relation in relations):
            raise _UnknownError
        found: list[Column] = []
        for relation in relations:
            paths = [parts]
            if relation.name and folded(parts[0]) == folded(relation.name[-1]) and len(parts) > 1:
                paths.append(parts[1:])
            for path in paths:
                found += relation.schema.find_all(path) if relation.schema is not None else ()
        if len(found) != 1:
            raise _UnknownError
        return _Value(found[0].field.type, parts[-1])


def _top(tokens: Sequence[Token]) -> list[tuple[int, Token, str]]:
    """The tokens outside of all brackets, an opening one included: place, token, word."""
    found = []
    depth = 0
    for i, token in enumerate(tokens):
        closing = token.text in (")", "]")
        depth -= closing
        if not depth and not closing:
            found.append((i, token, token.word))
        depth += token.text in ("(", "[")
    return found


def _closing(tokens: Sequence[Token], opening: int) -> int:
    found = closing(tokens, opening)
    if found == len(tokens):
        raise _UnknownError
    return found


def _unwrapped(tokens: Sequence[Token]) -> Sequence[Token] | None:
    """What stands in the brackets that are around all; None where there are none."""
    if tokens and tokens[0].text == "(" and _closing(tokens, 0) == len(tokens) - 1:
        return tokens[1:-1]
    return None


def _trimmed(tokens: list[Token]) -> list[Token]:
    """A relation without the words that say how it is joined."""
    while tokens and tokens[-1].word in ("INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS"):
        tokens = tokens[:-1]
    return tokens


def _is_name(token: Token) -> bool:
    return token.kind is Kind.QUOTED or (
        token.kind is Kind.WORD and token.word not in ("END", "NULL", "TRUE", "FALSE", *BARE)
    )


def _ends_value(token: Token) -> bool:
    return token.text == ")" or token.kind in (*STRINGS, Kind.NUMBER, Kind.WORD, Kind.QUOTED)


def _sure(kind: Type | None) -> Type:
    if kind is None:
        raise _UnknownError
    return kind
