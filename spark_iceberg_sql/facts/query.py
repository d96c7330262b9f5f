"""The columns of a query's result, as far as they follow from its text and from the tables that it reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from spark_iceberg_sql.facts.query_types import least_rounded
from spark_iceberg_sql.facts.query_values import (
    MAX_DEPTH,
    Relation,
    SelectedValue,
    UnsupportedQueryError,
    closing_index_or_raise,
    ends_value,
    is_name,
    top_level_tokens,
    value_of,
    without_brackets,
)
from spark_iceberg_sql.model.schema import Schema, folded
from spark_iceberg_sql.model.types import UNKNOWN, Field, Type
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.syntax.brackets import between_commas
from spark_iceberg_sql.syntax.lexer import TRIVIA, Token, tokenize
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError, TooDeep
from spark_iceberg_sql.syntax.terms import Name

SchemaLookup = Callable[[Name], Schema | None]

_CLAUSES_AFTER_FROM = frozenset({
    "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET",
    "WINDOW", "QUALIFY",
})  # fmt: skip
# Clauses on relations that are not supported here.
_UNSUPPORTED_KEYWORDS = frozenset({
    "LATERAL", "PIVOT", "UNPIVOT", "SEMI", "ANTI", "NATURAL", "USING", "TABLESAMPLE", "OF",
    "VALUES", "VERSION", "TIMESTAMP", "SYSTEM_VERSION", "SYSTEM_TIME", "STREAM", "|>",
})  # fmt: skip
_MAX_COLUMNS = 10_000  # stars of stars can double them with each CTE
_SET_OPERATORS = frozenset({"UNION", "EXCEPT", "MINUS", "INTERSECT"})


def columns_of(query: str, find: SchemaLookup) -> Schema | None:
    """The columns of a query's result, of type UNKNOWN if it cannot be inferred; None if the names cannot.

    query: the query's text. find: returns the columns of a table, by name.
    """
    tokens = [token for token in tokenize(query) if token.kind not in TRIVIA]
    try:
        fields = _QueryReader(query, find).query(tokens, 0)
    except (UnsupportedQueryError, ParseError, TooDeep):
        return None
    names = {folded(item.name) for item in fields}  # empty if Spark generates one
    has_unique_names = "" not in names and len(names) == len(fields)
    return Schema(tuple(fields)) if fields and has_unique_names else None


def type_resolver(tokens: Sequence[Token], script: str, find: SchemaLookup) -> Callable[[Sequence[Token]], Type | None]:
    """A function that returns the type of an expression in a SELECT, or None if it cannot be inferred.

    tokens: the SELECT, starting with that keyword. script: the text that contains them. find: as for `columns_of`.
    """
    try:
        relations = _QueryReader(script, find).relations(tokens)
    except (UnsupportedQueryError, ParseError, TooDeep):
        relations = []

    def type_of(expression: Sequence[Token]) -> Type | None:
        try:
            data_type = value_of(script, expression, relations, 0).type
        except (UnsupportedQueryError, ParseError, TooDeep):
            return None
        return data_type if data_type != UNKNOWN else None

    return type_of


class _QueryReader:
    def __init__(self, script: str, find: SchemaLookup) -> None:
        self._script = script
        self._find = find
        self._ctes: dict[str, Schema | None] = {}

    def relations(self, tokens: Sequence[Token]) -> list[Relation]:
        """The relations in the FROM clause of a SELECT."""
        from_index = next((i for i, _, word in top_level_tokens(tokens) if word == "FROM"), None)
        if from_index is None:
            return []
        clause_indices = [
            i
            for i, _, word in top_level_tokens(tokens)
            if word in _CLAUSES_AFTER_FROM | _SET_OPERATORS and i > from_index
        ]
        return self._relations(tokens[from_index + 1 : min(clause_indices, default=len(tokens))], 0)

    def query(self, tokens: Sequence[Token], depth: int) -> list[Field]:
        """The columns of a query, set operations and WITH included."""
        if depth > MAX_DEPTH:
            raise UnsupportedQueryError
        tokens = self._with(tokens, depth)
        if (inner := without_brackets(tokens)) is not None:
            return self.query(inner, depth + 1)
        operator_indices = [i for i, _, word in top_level_tokens(tokens) if word in _SET_OPERATORS]
        bounds = pairwise([-1, *operator_indices, len(tokens)])
        branches = [self._branch(tokens[before + 1 : end], depth) for before, end in bounds]
        if any(len(other) != len(branches[0]) for other in branches):
            raise UnsupportedQueryError
        return [
            replace(field, type=least_rounded([field.type, *(other.type for other in other_fields)]))
            if all(other.type == field.type for other in other_fields)
            else Field(field.name, UNKNOWN)
            for field, *other_fields in zip(*branches, strict=True)  # a common type
        ]

    def _branch(self, tokens: Sequence[Token], depth: int) -> list[Field]:
        if tokens and tokens[0].word in ("ALL", "DISTINCT"):
            tokens = tokens[1:]
        inner = without_brackets(tokens)
        return self.query(inner, depth + 1) if inner is not None else self._select(tokens, depth)

    def _with(self, tokens: Sequence[Token], depth: int) -> Sequence[Token]:
        """Read the common table expressions of WITH, and return the query after them."""
        if not tokens or tokens[0].word != "WITH":
            return tokens
        i = 1
        while True:
            if i + 2 >= len(tokens) or tokens[i + 1].word != "AS" or tokens[i + 2].text != "(":
                raise UnsupportedQueryError  # RECURSIVE, or a column list
            end = closing_index_or_raise(tokens, i + 2)
            name = folded(tokens[i].text.strip("`"))
            try:
                self._ctes[name] = Schema(tuple(self.query(tokens[i + 3 : end], depth + 1)))
            except (UnsupportedQueryError, ParseError, TooDeep):
                # Its columns are unknown, but the name still hides a table of that name.
                self._ctes[name] = None
            if end + 1 >= len(tokens) or tokens[end + 1].text != ",":
                return tokens[end + 1 :]
            i = end + 2

    def _select(self, tokens: Sequence[Token], depth: int) -> list[Field]:
        if not tokens or tokens[0].word != "SELECT" or any(t.text == "/*+" for t in tokens):
            raise UnsupportedQueryError
        start = 2 if len(tokens) > 1 and tokens[1].word in ("ALL", "DISTINCT") else 1
        keyword_indices = {word: i for i, _, word in reversed(list(top_level_tokens(tokens))) if word == "FROM"}
        clause_indices = [i for i, _, word in top_level_tokens(tokens) if word in _CLAUSES_AFTER_FROM and i > start]
        from_index = keyword_indices.get("FROM", min(clause_indices, default=len(tokens)))
        end = min((i for i in clause_indices if i > from_index), default=len(tokens))
        relations = self._relations(tokens[from_index + 1 : end], depth) if "FROM" in keyword_indices else []
        fields: list[Field] = []
        for item in between_commas(tokens[start:from_index]):
            fields += self._select_item(item, relations)
            if len(fields) > _MAX_COLUMNS:
                raise UnsupportedQueryError
        return fields

    def _relations(self, tokens: Sequence[Token], depth: int) -> list[Relation]:
        if any(word in _UNSUPPORTED_KEYWORDS for _, _, word in top_level_tokens(tokens)):
            raise UnsupportedQueryError
        relations: list[Relation] = []
        relation_tokens: list[Token] = []
        in_condition = False
        for i, token, word in [*top_level_tokens(tokens), (len(tokens), None, ",")]:
            if word in (",", "JOIN"):
                relations.append(self._relation(_without_join_keywords(relation_tokens), depth))
                relation_tokens, in_condition = [], False
            elif word == "ON":
                in_condition = True
            elif not in_condition and token is not None:
                relation_tokens += tokens[i : closing_index_or_raise(tokens, i) + 1] if token.text == "(" else [token]
        return relations

    def _relation(self, tokens: list[Token], depth: int) -> Relation:
        alias: Name = ()
        if not tokens:
            raise UnsupportedQueryError
        if tokens[0].text == "(":
            end = closing_index_or_raise(tokens, 0)
            alias_tokens = [t for t in tokens[end + 1 :] if t.word != "AS"]
            if len(alias_tokens) > 1:
                raise UnsupportedQueryError
            if alias_tokens:
                alias = (alias_tokens[0].text.strip("`"),)
            return Relation(alias, Schema(tuple(self.query(tokens[1:end], depth + 1))))
        cursor = Cursor(self._script, tokens, tokens[-1].end)
        name = cursor.path("a table's name").parts
        cursor.take("AS")
        alias = name[-1:]
        if not cursor.done:
            alias = (cursor.name(),)
        if not cursor.done:
            raise UnsupportedQueryError
        is_cte = folded(name[0]) in self._ctes and len(name) == 1
        schema = self._ctes[folded(name[0])] if is_cte else self._find(name)
        return Relation(alias, schema)

    def _select_item(self, tokens: Sequence[Token], relations: list[Relation]) -> list[Field]:
        if not tokens:
            raise UnsupportedQueryError
        if tokens[-1].text == "*":
            qualifier = tokens[0].text.strip("`") if len(tokens) == 3 else None
            if len(tokens) not in (1, 3):
                raise UnsupportedQueryError
            sources = [r for r in relations if qualifier is None or r.name == (qualifier,)]
            if not sources or any(r.schema is None for r in sources):
                raise UnsupportedQueryError
            return [item for r in sources if r.schema is not None for item in r.schema.fields]
        name = None
        if len(tokens) > 2 and tokens[-2].word == "AS" and tokens[-1].text != ")":
            name, tokens = tokens[-1].text.strip("`"), tokens[:-2]
        elif len(tokens) > 1 and is_name(tokens[-1]) and ends_value(tokens[-2]):
            name, tokens = tokens[-1].text.strip("`"), tokens[:-1]
        try:
            value = value_of(self._script, tokens, relations, 0)
        except (UnsupportedQueryError, ParseError):
            value = SelectedValue(UNKNOWN, _last_name(tokens))
        return [Field(name if name is not None else value.name or "", value.type)]


def _last_name(tokens: Sequence[Token]) -> str | None:
    """The name that a column has without AS, in whatever table it is; None for other expressions."""
    names, dots = tokens[::2], tokens[1::2]
    is_path = all(map(is_name, names)) and all(token.text == "." for token in dots)
    return names[-1].text.strip("`") if is_path and len(names) == len(dots) + 1 else None


def _without_join_keywords(tokens: list[Token]) -> list[Token]:
    """A relation without its join keywords."""
    while tokens and tokens[-1].word in ("INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS"):
        tokens = tokens[:-1]
    return tokens
