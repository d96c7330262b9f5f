"""The conditions on a table's columns in the text of a query: their positions, operators and constants.

Only those are returned of which the text leaves no doubt; there is no catalog that could resolve a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spark_iceberg_sql.insight.from_hive.hive_partitions import PartitionValueFormat
from spark_iceberg_sql.syntax.brackets import closing_index
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS, TRIVIA, Token, TokenKind, tokenize
from spark_iceberg_sql.syntax.literals import unescape

_COMPARISONS = ("=", "==", "<", "<=", ">", ">=", "<>", "!=")
_UNSUPPORTED_CONDITION = (
    "stays as it is unless its condition is =, <>, <, <=, >, >=, IN, BETWEEN or LIKE with texts, whole "
    "numbers or dates alone"
)
_PRECEDING = frozenset({"WHERE", "AND", "OR", "NOT", "ON", "("})
_BEFORE_COLUMNS = frozenset({"SELECT", "WHERE", "AND", "OR", "NOT", "ON", "BY"})
_ENDS = frozenset({
    "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "MINUS",
    "WINDOW", "SORT", "CLUSTER", "DISTRIBUTE", "QUALIFY",
})  # fmt: skip
_JOINS = frozenset({"JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "SEMI", "ANTI", "LATERAL"})
_FOLLOWING = _ENDS | _JOINS | {"AND", "OR", ")", "WHERE"}
_NO_ALIAS = _ENDS | _JOINS | {"WHERE", "ON", "USING", "TABLESAMPLE", "FOR", "VERSION", "TIMESTAMP", "PIVOT"}
_RENAMING = ("PIVOT", "UNPIVOT", "TABLESAMPLE", "MATCH_RECOGNIZE")
_NAMES = NAME_KINDS


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a partition column. first_index, last_index: its tokens. values: None if it is not with
    constants.
    """

    value_format: PartitionValueFormat
    first_index: int
    last_index: int
    qualifier: str
    operator: str
    values: tuple[str, ...] | None


def constants_by_column(text: str, names: Sequence[tuple[str, ...]], columns: Sequence[str]) -> dict[str, set[str]]:
    """The constants that a query compares with columns of a table, by column in lower case. names: the table's."""
    values_by_column: dict[str, set[str]] = {}
    tokens = tokens_of(text)
    for index, name, _ in column_references(tokens, names, columns):
        operator, values, _ = _comparison(tokens, index)
        if not operator.endswith("LIKE"):  # a pattern is not a value
            values_by_column.setdefault(name, set()).update(values or ())
    return values_by_column


def tokens_of(text: str) -> list[Token]:
    """The tokens of a query, without blanks and comments."""
    return [token for token in tokenize(text) if token.kind not in TRIVIA]


def name_of(token: Token) -> str:
    """The identifier in a token, unquoted; empty for any other token."""
    if token.kind is TokenKind.QUOTED:
        return token.text[1:-1].replace("``", "`")
    return token.text if token.kind is TokenKind.WORD else ""


def is_call(tokens: Sequence[Token], index: int) -> bool:
    """True if the name at an index is that of a function call."""
    return index + 1 < len(tokens) and tokens[index + 1].text == "("


def is_qualifier(tokens: Sequence[Token], index: int) -> bool:
    """True if a dot follows the name at an index."""
    return index + 1 < len(tokens) and tokens[index + 1].text == "."


# ------------------------------------------------------------------------------------ whose column it is


def table_references(tokens: Sequence[Token], base_name: str) -> list[tuple[int, tuple[str, ...]]]:
    """The tables in FROM or JOIN whose last part is this name: the index of that part, and all parts in lower case."""
    references = []
    for index, token in enumerate(tokens):
        # The name before a dot is a namespace, of `t.files`, for example.
        if is_qualifier(tokens, index) or name_of(token).lower() != base_name.lower():
            continue
        first = index
        while first > 1 and tokens[first - 1].text == "." and tokens[first - 2].kind in _NAMES:
            first -= 2
        if first > 0 and tokens[first - 1].word in ("FROM", "JOIN", ","):
            parts = (name_of(part).lower() for part in tokens[first : index + 1 : 2])
            references.append((index, tuple(parts)))
    return references


def possible_columns(tokens: Sequence[Token], base_name: str, columns: Iterable[str]) -> list[int]:
    """The indexes of names that may be these columns: no call, no name of the table or its alias, and no qualifier,
    since partition columns have no fields. base_name: the last part of the table's name.
    """
    column_names = {column.lower() for column in columns}
    table_names = _table_name_indexes(tokens, base_name)
    return [
        index
        for index, token in enumerate(tokens)
        if name_of(token).lower() in column_names
        and not (is_call(tokens, index) or is_qualifier(tokens, index) or index in table_names)
    ]


def _table_name_indexes(tokens: Sequence[Token], base_name: str) -> frozenset[int]:
    """The indexes of the tokens that name a table in FROM or JOIN, or its alias there."""
    return frozenset(
        position
        for index, parts in table_references(tokens, base_name)
        for position in range(index - 2 * (len(parts) - 1), _alias(tokens, index)[1])
    )


def ambiguity(tokens: Sequence[Token], base_name: str) -> str:
    """The reason why the table of a query's column names is ambiguous; empty if it is not.

    base_name: the last part of the table's name.
    """
    keywords = [token.word for token in tokens]
    renaming_clause = next((word for word in _RENAMING if word in keywords), None)
    if renaming_clause is not None:
        return f"after {renaming_clause}, columns may have other names"
    if "|>" in keywords or any(keywords[index : index + 2] == ["|", ">"] for index in range(len(keywords))):
        return "after |>, columns may have other names"
    for index, token in enumerate(tokens):
        if (
            index
            and name_of(token).lower() == base_name.lower()
            and keywords[index - 1] in ("WITH", "RECURSIVE", ",")
            and keywords[index + 1 : index + 2] in (["AS"], ["("])
            and "WITH" in keywords
        ):
            return f"it may define `{base_name}` itself, in WITH"
    return ""


def column_references(
    tokens: Sequence[Token], names: Sequence[tuple[str, ...]], columns: Iterable[str]
) -> Iterator[tuple[int, str, str]]:
    """The names that certainly are columns of the table: index, name in lower case, qualifier with its dot.

    names: the names of the table in queries, the parts of each in lower case.
    """
    table_mentions = table_references(tokens, names[0][-1])
    if len(table_mentions) != 1 or table_mentions[0][1] not in names or ambiguity(tokens, names[0][-1]):
        return
    # The parameter of a lambda may have the name of a column.
    if any(token.text == "->" for token in tokens):
        return
    alias, end = _alias(tokens, table_mentions[0][0])
    keywords = [token.word for token in tokens]
    if keywords[end : end + 1] == ["("]:  # other names for its columns
        return
    is_only_table = keywords.count("FROM") == 1 and not _JOINS & set(keywords) and keywords[end : end + 1] != [","]
    table_names = _table_name_indexes(tokens, names[0][-1])
    is_alias_unique = not any(
        _may_define(tokens, index, alias) for index in range(len(tokens)) if index not in table_names
    )
    for index in possible_columns(tokens, names[0][-1], columns):
        name = name_of(tokens[index]).lower()
        if index < 2 or keywords[index - 1] != ".":
            if is_only_table and keywords[index - 1 : index] != ["AS"]:
                yield index, name, ""
        elif (
            name_of(tokens[index - 2]).lower() == alias and is_alias_unique and keywords[index - 3 : index - 2] != ["."]
        ):
            yield index, name, f"{tokens[index - 2].text}."


def _may_define(tokens: Sequence[Token], index: int, alias: str) -> bool:
    """True if the token at an index may give the alias to another table: it is its name, and may be no column."""
    if name_of(tokens[index]).lower() != alias or is_qualifier(tokens, index):
        return False
    previous = tokens[index - 1].word if index else ""
    is_column_of_alias = previous == "." and name_of(tokens[index - 2]).lower() == alias
    return not is_column_of_alias and previous not in _BEFORE_COLUMNS


def _alias(tokens: Sequence[Token], index: int) -> tuple[str, int]:
    """The alias of the table in the query, in lower case, and the index after it."""
    end = index + 1
    if end < len(tokens) and tokens[end].word == "AS":
        end += 1
    if end < len(tokens) and tokens[end].kind in _NAMES and tokens[end].word not in _NO_ALIAS:
        return name_of(tokens[end]).lower(), end + 1
    return name_of(tokens[index]).lower(), index + 1


# ------------------------------------------------------------------------------------ conditions


def _in_where(tokens: Sequence[Token], index: int) -> bool:
    """True if a token is part of a WHERE or ON clause: there, every column of the table may be used."""
    depth = 0
    for i in range(index - 1, -1, -1):
        keyword = tokens[i].word
        if keyword == ")":
            depth += 1
        elif keyword == "(" and depth:
            depth -= 1
        if not depth and (keyword in _ENDS or keyword in ("SELECT", "FROM", "WHERE", "ON")):
            return keyword in ("WHERE", "ON")
    return False


def _comparison(tokens: Sequence[Token], index: int) -> tuple[str, tuple[str, ...] | None, int]:
    """The operator after a column, empty if there is none, the constants, and the index of the last token."""
    negation = "NOT " if [token.word for token in tokens[index + 1 : index + 2]] == ["NOT"] else ""
    operator_index = index + 2 if negation else index + 1
    operator = tokens[operator_index].word if operator_index < len(tokens) else ""
    if operator == "LIKE" or (operator in _COMPARISONS and not negation):
        value, last = _constant(tokens, operator_index + 1)
        return negation + operator, None if value is None else (value,), last
    if operator == "BETWEEN":
        low, last = _constant(tokens, operator_index + 1)
        if low is None or last + 1 >= len(tokens) or tokens[last + 1].word != "AND":
            return f"{negation}BETWEEN", None, last
        high, last = _constant(tokens, last + 2)
        return f"{negation}BETWEEN", None if high is None else (low, high), last
    if operator == "IN" and operator_index + 1 < len(tokens) and tokens[operator_index + 1].text == "(":
        close = closing_index(tokens, operator_index + 1)
        items = [_constant(tokens, i) for i in range(operator_index + 2, close, 2)]
        are_constants = all(
            value is not None and last == i
            for (value, last), i in zip(items, range(operator_index + 2, close, 2), strict=True)
        ) and all(tokens[i].text == "," for i in range(operator_index + 3, close, 2))
        values = tuple(value for value, _ in items if value is not None)
        return (f"{negation}IN", values if are_constants and values else None, min(close, len(tokens) - 1))
    return "", None, index


def _constant(tokens: Sequence[Token], index: int) -> tuple[str | None, int]:
    """A string, a number or a DATE literal, and the index of its last token."""
    if index + 1 < len(tokens) and tokens[index].word == "DATE" and tokens[index + 1].kind in STRINGS:
        index += 1
    if index >= len(tokens):
        return None, len(tokens) - 1
    token = tokens[index]
    is_continued = index + 1 < len(tokens) and tokens[index + 1].kind in STRINGS  # 'a' 'b' is one string
    if token.kind in STRINGS and not is_continued:
        return unescape(token.text), index
    if token.kind is TokenKind.NUMBER and token.text.isdigit():
        return token.text, index
    return None, index


def condition_at(
    tokens: Sequence[Token], index: int, value_format: PartitionValueFormat, qualifier: str
) -> tuple[Condition | None, str]:
    """The condition that a column begins; or the reason why it stays, if the user should see it."""
    if not _in_where(tokens, index):
        return None, "in the SELECT list or another clause stays as it is"
    first = index - 2 if qualifier else index
    operator, values, last = _comparison(tokens, index)
    if tokens[first - 1].word in _COMPARISONS and _constant(tokens, first - 2)[0] is not None:
        return (None, f"stays as it is where a constant comes first: write `{value_format.column.name}` first")
    if not operator or values is None:
        return None, _UNSUPPORTED_CONDITION
    previous_keyword = tokens[first - 1].word if first else ""
    next_keyword = tokens[last + 1].word if last + 1 < len(tokens) else ")"
    if previous_keyword not in _PRECEDING or next_keyword not in _FOLLOWING or _is_between_and(tokens, first - 1):
        return None, "stays as it is inside an expression"
    return Condition(value_format, first, last, qualifier, operator, values), ""


def _is_between_and(tokens: Sequence[Token], index: int) -> bool:
    """True if an AND belongs to a BETWEEN."""
    preceding = reversed([token.word for token in tokens[max(0, index - 11) : index]])
    nearest = next((word for word in preceding if word in ("BETWEEN", "AND", "OR", "WHERE", "(", ")")), "")
    return tokens[index].word == "AND" and nearest == "BETWEEN"
