"""The columns of a query's result, as far as they follow from its text and from the tables that it reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spark_iceberg_sql.facts.query_types import (
    finest,
)
from spark_iceberg_sql.facts.query_values import (
    DEEPEST,
    Relation,
    UnknownError,
    Value,
    closing_at,
    ends_value,
    is_name,
    top,
    unwrapped,
    value_of,
)
from spark_iceberg_sql.model.schema import Schema, folded
from spark_iceberg_sql.model.types import UNKNOWN, Field, Type
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.syntax.brackets import between_commas
from spark_iceberg_sql.syntax.lexer import TRIVIA, Token, tokenize
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop, TooDeep
from spark_iceberg_sql.syntax.terms import Name

Find = Callable[[Name], Schema | None]

_ENDS = frozenset({
    "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET",
    "WINDOW", "QUALIFY",
})  # fmt: skip
# Clauses on relations that are not supported here.
_STRANGE = frozenset({
    "LATERAL", "PIVOT", "UNPIVOT", "SEMI", "ANTI", "NATURAL", "USING", "TABLESAMPLE", "OF",
    "VALUES", "VERSION", "TIMESTAMP", "SYSTEM_VERSION", "SYSTEM_TIME", "STREAM", "|>",
})  # fmt: skip
_COLUMNS = 10_000  # stars of stars can double them with each CTE
_SETS = frozenset({"UNION", "EXCEPT", "MINUS", "INTERSECT"})


def columns_of(query: str, find: Find) -> Schema | None:
    """The columns of a query's result, of type UNKNOWN if it cannot be inferred; None if the names cannot.

    query: the query's text. find: returns the columns of a table, by name.
    """
    tokens = [token for token in tokenize(query) if token.kind not in TRIVIA]
    try:
        fields = _Reader(query, find).query(tokens, 0)
    except (UnknownError, Stop, TooDeep):
        return None
    names = {folded(item.name) for item in fields}  # empty if Spark generates one
    sure = "" not in names and len(names) == len(fields)
    return Schema(tuple(fields)) if fields and sure else None


def type_in(
    tokens: Sequence[Token], script: str, find: Find
) -> Callable[[Sequence[Token]], Type | None]:
    """A function that returns the type of an expression in a SELECT, or None if it cannot be inferred.

    tokens: the SELECT, starting with that keyword. script: the text that contains them. find: as for `columns_of`.
    """
    try:
        relations = _Reader(script, find).relations(tokens)
    except (UnknownError, Stop, TooDeep):
        relations = []

    def type_of(expression: Sequence[Token]) -> Type | None:
        try:
            found = value_of(script, expression, relations, 0).type
        except (UnknownError, Stop, TooDeep):
            return None
        return found if found != UNKNOWN else None

    return type_of


class _Reader:
    def __init__(self, script: str, find: Find) -> None:
        self._script = script
        self._find = find
        self._named: dict[str, Schema | None] = {}

    def relations(self, tokens: Sequence[Token]) -> list[Relation]:
        """The relations in the FROM clause of a SELECT."""
        marks = {word: i for i, _, word in reversed(list(top(tokens))) if word == "FROM"}
        if "FROM" not in marks:
            return []
        at = marks["FROM"]
        stops = [i for i, _, word in top(tokens) if word in _ENDS | _SETS and i > at]
        return self._relations(tokens[at + 1 : min(stops, default=len(tokens))], 0)

    def query(self, tokens: Sequence[Token], depth: int) -> list[Field]:
        """The columns of a query, set operations and WITH included."""
        if depth > DEEPEST:
            raise UnknownError
        tokens = self._with(tokens, depth)
        inner = unwrapped(tokens)
        if inner is not None:
            return self.query(inner, depth + 1)
        cuts = [i for i, _, word in top(tokens) if word in _SETS]
        parts = [
            tokens[start:end]
            for start, end in zip([0, *[c + 1 for c in cuts]], [*cuts, len(tokens)], strict=True)
        ]
        found = [self._branch(part, depth) for part in parts]
        if any(len(other) != len(found[0]) for other in found):
            raise UnknownError
        return [
            replace(field, type=finest([field.type, *(other.type for other in others)]))
            if all(other.type == field.type for other in others)
            else Field(field.name, UNKNOWN)
            for field, *others in zip(*found, strict=True)  # a common type
        ]

    def _branch(self, tokens: Sequence[Token], depth: int) -> list[Field]:
        if tokens and tokens[0].word in ("ALL", "DISTINCT"):
            tokens = tokens[1:]
        inner = unwrapped(tokens)
        return self.query(inner, depth + 1) if inner is not None else self._select(tokens, depth)

    def _with(self, tokens: Sequence[Token], depth: int) -> Sequence[Token]:
        """Read the common table expressions of WITH, and return the query after them."""
        if not tokens or tokens[0].word != "WITH":
            return tokens
        i = 1
        while True:
            if i + 2 >= len(tokens) or tokens[i + 1].word != "AS" or tokens[i + 2].text != "(":
                raise UnknownError  # RECURSIVE, or a column list
            end = closing_at(tokens, i + 2)
            name = folded(tokens[i].text.strip("`"))
            try:
                fields = tuple(self.query(tokens[i + 3 : end], depth + 1))
                self._named[name] = Schema(fields)
            except (UnknownError, Stop, TooDeep):
                # Its columns are unknown, but the name still hides a table of that name.
                self._named[name] = None
            if end + 1 >= len(tokens) or tokens[end + 1].text != ",":
                return tokens[end + 1 :]
            i = end + 2

    def _select(self, tokens: Sequence[Token], depth: int) -> list[Field]:
        if not tokens or tokens[0].word != "SELECT" or any(t.text == "/*+" for t in tokens):
            raise UnknownError
        start = 2 if len(tokens) > 1 and tokens[1].word in ("ALL", "DISTINCT") else 1
        marks = {word: i for i, _, word in reversed(list(top(tokens))) if word == "FROM"}
        stops = [i for i, _, word in top(tokens) if word in _ENDS and i > start]
        at = marks.get("FROM", min(stops, default=len(tokens)))
        end = min((i for i in stops if i > at), default=len(tokens))
        relations = self._relations(tokens[at + 1 : end], depth) if "FROM" in marks else []
        fields: list[Field] = []
        for item in between_commas(tokens[start:at]):
            fields += self._item(item, relations)
            if len(fields) > _COLUMNS:
                raise UnknownError
        return fields

    def _relations(self, tokens: Sequence[Token], depth: int) -> list[Relation]:
        if any(word in _STRANGE for _, _, word in top(tokens)):
            raise UnknownError
        found: list[Relation] = []
        piece: list[Token] = []
        condition = False
        for i, token, word in [*top(tokens), (len(tokens), None, ",")]:
            if word in (",", "JOIN"):
                found.append(self._relation(_trimmed(piece), depth))
                piece, condition = [], False
            elif word == "ON":
                condition = True
            elif not condition and token is not None:
                piece += tokens[i : closing_at(tokens, i) + 1] if token.text == "(" else [token]
        return found

    def _relation(self, tokens: list[Token], depth: int) -> Relation:
        alias: Name = ()
        if not tokens:
            raise UnknownError
        if tokens[0].text == "(":
            end = closing_at(tokens, 0)
            rest = [t for t in tokens[end + 1 :] if t.word != "AS"]
            if len(rest) > 1:
                raise UnknownError
            if rest:
                alias = (rest[0].text.strip("`"),)
            return Relation(alias, Schema(tuple(self.query(tokens[1:end], depth + 1))))
        cursor = Cursor(self._script, tokens, tokens[-1].end)
        name = cursor.path("a table's name").parts
        cursor.take("AS")
        alias = name[-1:]
        if not cursor.done:
            alias = (cursor.name(),)
        if not cursor.done:
            raise UnknownError
        known = folded(name[0]) in self._named and len(name) == 1
        schema = self._named[folded(name[0])] if known else self._find(name)
        return Relation(alias, schema)

    def _item(self, tokens: Sequence[Token], relations: list[Relation]) -> list[Field]:
        if not tokens:
            raise UnknownError
        if tokens[-1].text == "*":
            owner = tokens[0].text.strip("`") if len(tokens) == 3 else None
            if len(tokens) not in (1, 3):
                raise UnknownError
            chosen = [r for r in relations if owner is None or r.name == (owner,)]
            if not chosen or any(r.schema is None for r in chosen):
                raise UnknownError
            return [item for r in chosen if r.schema is not None for item in r.schema.fields]
        name = None
        if len(tokens) > 2 and tokens[-2].word == "AS" and tokens[-1].text != ")":
            name, tokens = tokens[-1].text.strip("`"), tokens[:-2]
        elif len(tokens) > 1 and is_name(tokens[-1]) and ends_value(tokens[-2]):
            name, tokens = tokens[-1].text.strip("`"), tokens[:-1]
        try:
            value = value_of(self._script, tokens, relations, 0)
        except (UnknownError, Stop):
            value = Value(UNKNOWN, _last_name(tokens))
        return [Field(name if name is not None else value.name or "", value.type)]


def _last_name(tokens: Sequence[Token]) -> str | None:
    """The name that a column has without AS, in whatever table it is; None for other expressions."""
    names, dots = tokens[::2], tokens[1::2]
    path = all(map(is_name, names)) and all(token.text == "." for token in dots)
    return names[-1].text.strip("`") if path and len(names) == len(dots) + 1 else None


def _trimmed(tokens: list[Token]) -> list[Token]:
    """A relation without its join keywords."""
    while tokens and tokens[-1].word in ("INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS"):
        tokens = tokens[:-1]
    return tokens
