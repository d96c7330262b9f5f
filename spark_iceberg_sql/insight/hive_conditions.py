"""The conditions on a table's columns in the text of a query: their positions, operators and constants.

Only those are returned of which the text leaves no doubt; there is no catalog that could resolve a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spark_iceberg_sql.insight.hive_partitions import Form
from spark_iceberg_sql.syntax.brackets import closing
from spark_iceberg_sql.syntax.lexer import STRINGS, TRIVIA, Kind, Token, tokenize
from spark_iceberg_sql.syntax.literals import unescape

_COMPARISONS = ("=", "==", "<", "<=", ">", ">=", "<>", "!=")
_OTHERWISE = (
    "stays as it is unless its condition is =, <>, <, <=, >, >=, IN, BETWEEN or LIKE with texts, whole "
    "numbers or dates alone"
)
_BEFORE = frozenset({"WHERE", "AND", "OR", "NOT", "ON", "("})
_ENDS = frozenset({
    "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "MINUS",
    "WINDOW", "SORT", "CLUSTER", "DISTRIBUTE", "QUALIFY",
})  # fmt: skip
_JOINS = frozenset(
    {"JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "SEMI", "ANTI", "LATERAL"}
)
_AFTER = _ENDS | _JOINS | {"AND", "OR", ")", "WHERE"}
_NO_ALIAS = (
    _ENDS | _JOINS | {"WHERE", "ON", "USING", "TABLESAMPLE", "FOR", "VERSION", "TIMESTAMP", "PIVOT"}
)
_RENAMING = ("PIVOT", "UNPIVOT", "TABLESAMPLE", "MATCH_RECOGNIZE")
_NAMES = (Kind.WORD, Kind.QUOTED)


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a partition column. first_index, last_index: its tokens. values: None if it is not with
    constants.
    """

    form: Form
    first: int
    last: int
    qualifier: str
    operator: str
    values: tuple[str, ...] | None


def constants(
    text: str, names: Sequence[tuple[str, ...]], columns: Sequence[str]
) -> dict[str, set[str]]:
    """The constants that a query compares with columns of a table, by column in lower case. names: the table's."""
    found: dict[str, set[str]] = {}
    tokens = tokens_of(text)
    for at, name, _ in mentions(tokens, names, columns):
        operator, values, _ = _compared(tokens, at)
        if not operator.endswith("LIKE"):  # a pattern is not a value
            found.setdefault(name, set()).update(values or ())
    return found


def tokens_of(text: str) -> list[Token]:
    """The tokens of a query, without blanks and comments."""
    return [token for token in tokenize(text) if token.kind not in TRIVIA]


def name_of(token: Token) -> str:
    """The identifier in a token, unquoted; empty for any other token."""
    if token.kind is Kind.QUOTED:
        return token.text[1:-1].replace("``", "`")
    return token.text if token.kind is Kind.WORD else ""


def is_call(tokens: Sequence[Token], at: int) -> bool:
    """True if the name at an index is that of a function call."""
    return at + 1 < len(tokens) and tokens[at + 1].text == "("


# ------------------------------------------------------------------------------------ whose column it is


def tables(tokens: Sequence[Token], last: str) -> list[tuple[int, tuple[str, ...]]]:
    """The tables in FROM or JOIN whose last part is this name: the index of that part, and all parts in lower
    case.
    """
    found = []
    for at, token in enumerate(tokens):
        if name_of(token).lower() != last.lower():
            continue
        if (
            at + 1 < len(tokens) and tokens[at + 1].text == "."
        ):  # of a table in it, such as `t.files`
            continue
        first = at
        while first > 1 and tokens[first - 1].text == "." and tokens[first - 2].kind in _NAMES:
            first -= 2
        if first > 0 and tokens[first - 1].word in ("FROM", "JOIN", ","):
            parts = (name_of(part).lower() for part in tokens[first : at + 1 : 2])
            found.append((at, tuple(parts)))
    return found


def unclear(tokens: Sequence[Token], last: str) -> str:
    """The reason why the table of a query's column names is ambiguous; empty if it is not.

    base_name: the last part of the table's name.
    """
    words = [token.word for token in tokens]
    odd = next((word for word in _RENAMING if word in words), None)
    if odd is not None:
        return f"after {odd}, columns may have other names"
    if "|>" in words or any(words[at : at + 2] == ["|", ">"] for at in range(len(words))):
        return "after |>, columns may have other names"
    for at, token in enumerate(tokens):
        if (
            at
            and name_of(token).lower() == last.lower()
            and words[at - 1] in ("WITH", "RECURSIVE", ",")
            and words[at + 1 : at + 2] in (["AS"], ["("])
            and "WITH" in words
        ):
            return f"it may define `{last}` itself, in WITH"
    return ""


def mentions(
    tokens: Sequence[Token], names: Sequence[tuple[str, ...]], columns: Iterable[str]
) -> Iterator[tuple[int, str, str]]:
    """The names that certainly are columns of the table: index, name in lower case, qualifier with its dot.

    names: the names of the table in queries, the parts of each in lower case.
    """
    wanted = {column.lower() for column in columns}
    places = tables(tokens, names[0][-1])
    if len(places) != 1 or places[0][1] not in names or unclear(tokens, names[0][-1]):
        return
    # The parameter of a lambda may have the name of a column.
    if any(token.text == "->" for token in tokens):
        return
    alias, end = _alias(tokens, places[0][0])
    words = [token.word for token in tokens]
    if words[end : end + 1] == ["("]:  # other names for its columns
        return
    alone = words.count("FROM") == 1 and not _JOINS & set(words) and words[end : end + 1] != [","]
    uses = [at for at, token in enumerate(tokens) if alias and name_of(token).lower() == alias]
    # Uses that are no qualifier: the definition of the alias; a second one may define it for another table.
    defined = [at for at in uses if words[at + 1 : at + 2] != ["."]]
    for at, token in enumerate(tokens):
        name = name_of(token).lower()
        if name not in wanted or is_call(tokens, at) or words[at + 1 : at + 2] == ["."]:
            continue
        if at < 2 or words[at - 1] != ".":
            if alone and words[at - 1 : at] != ["AS"]:
                yield at, name, ""
        elif (
            name_of(tokens[at - 2]).lower() == alias
            and len(defined) == 1
            and words[at - 3 : at - 2] != ["."]
        ):
            yield at, name, f"{tokens[at - 2].text}."


def _alias(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """The alias of the table in the query, in lower case, and the index after it."""
    end = at + 1
    if end < len(tokens) and tokens[end].word == "AS":
        end += 1
    if end < len(tokens) and tokens[end].kind in _NAMES and tokens[end].word not in _NO_ALIAS:
        return name_of(tokens[end]).lower(), end + 1
    return name_of(tokens[at]).lower(), at + 1


# ------------------------------------------------------------------------------------ conditions


def _in_where(tokens: Sequence[Token], at: int) -> bool:
    """True if a token is part of a WHERE or ON clause: there, every column of the table may be used."""
    inner = 0
    for i in range(at - 1, -1, -1):
        text = tokens[i].word
        if text == ")":
            inner += 1
        elif text == "(" and inner:
            inner -= 1
        if inner or text in ("(", ")"):
            continue
        if text in ("WHERE", "ON"):
            return True
        if text in _ENDS or text in ("SELECT", "FROM"):
            return False
    return False


def _compared(tokens: Sequence[Token], at: int) -> tuple[str, tuple[str, ...] | None, int]:
    """The operator after a column, empty if there is none, the constants, and the index of the last token."""
    words = [token.word for token in tokens[at + 1 : at + 6]]
    negated = "NOT " if words[:1] == ["NOT"] else ""
    step = at + 2 if negated else at + 1
    operator = tokens[step].word if step < len(tokens) else ""
    if operator in _COMPARISONS and not negated:
        value, last = _constant(tokens, step + 1)
        return operator, None if value is None else (value,), last
    if operator == "LIKE":
        value, last = _constant(tokens, step + 1)
        return f"{negated}LIKE", None if value is None else (value,), last
    if operator == "BETWEEN":
        low, last = _constant(tokens, step + 1)
        if low is None or last + 1 >= len(tokens) or tokens[last + 1].word != "AND":
            return f"{negated}BETWEEN", None, last
        high, last = _constant(tokens, last + 2)
        return f"{negated}BETWEEN", None if high is None else (low, high), last
    if operator == "IN" and step + 1 < len(tokens) and tokens[step + 1].text == "(":
        close = closing(tokens, step + 1)
        inner = [_constant(tokens, i) for i in range(step + 2, close, 2)]
        plain = all(
            value is not None and last == i
            for (value, last), i in zip(inner, range(step + 2, close, 2), strict=True)
        ) and all(tokens[i].text == "," for i in range(step + 3, close, 2))
        values = tuple(value for value, _ in inner if value is not None)
        return f"{negated}IN", values if plain and values else None, min(close, len(tokens) - 1)
    return "", None, at


def _constant(tokens: Sequence[Token], at: int) -> tuple[str | None, int]:
    """A string, a number or a DATE literal, and the index of its last token."""
    if at + 1 < len(tokens) and tokens[at].word == "DATE" and tokens[at + 1].kind in STRINGS:
        at += 1
    if at >= len(tokens):
        return None, len(tokens) - 1
    token = tokens[at]
    follows = at + 1 < len(tokens) and tokens[at + 1].kind in STRINGS  # 'a' 'b' is one string
    if token.kind in STRINGS and not follows:
        return unescape(token.text), at
    if token.kind is Kind.NUMBER and token.text.isdigit():
        return token.text, at
    return None, at


def condition_at(
    tokens: Sequence[Token], at: int, form: Form, qualifier: str
) -> tuple[Condition | None, str]:
    """The condition that a column begins; or the reason why it stays, if the user should see it."""
    if not _in_where(tokens, at):
        return None, "in the SELECT list or another clause stays as it is"
    first = at - 2 if qualifier else at
    operator, values, last = _compared(tokens, at)
    if tokens[first - 1].word in _COMPARISONS and _constant(tokens, first - 2)[0] is not None:
        return (
            None,
            f"stays as it is where a constant comes first: write `{form.column.name}` first",
        )
    if not operator or values is None:
        return None, _OTHERWISE
    before = tokens[first - 1].word if first else ""
    behind = tokens[last + 1].word if last + 1 < len(tokens) else ")"
    if before not in _BEFORE or behind not in _AFTER or _of_between(tokens, first - 1):
        return None, "stays as it is inside an expression"
    return Condition(form, first, last, qualifier, operator, values), ""


def _of_between(tokens: Sequence[Token], at: int) -> bool:
    """True if an AND belongs to a BETWEEN."""
    if tokens[at].word != "AND":
        return False
    for i in range(at - 1, max(-1, at - 12), -1):
        if tokens[i].word in ("AND", "OR", "WHERE", "(", ")"):
            return False
        if tokens[i].word == "BETWEEN":
            return True
    return False
