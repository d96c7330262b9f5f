"""What Spark's grammar takes of a table's name only -> the same of a call of a table function.

    SHOW CREATE TABLE f('p')               SELECT createtab_stmt FROM iceberg_ddl('p')
    SHOW COLUMNS IN f('p')                 SELECT col_name FROM iceberg_columns('p')
    SHOW PARTITIONS f('p')                 SELECT * FROM iceberg_partitions('p')
    SHOW TBLPROPERTIES f('p') [('k')]      SELECT * FROM iceberg_properties('p') [WHERE key = 'k']
    DESCRIBE EXTENDED f('p')               SELECT * FROM iceberg_describe('p')
    DESCRIBE f('p')                        DESCRIBE QUERY SELECT * FROM f('p')
    DESCRIBE [EXTENDED] f('p') c           DESCRIBE QUERY SELECT c FROM f('p')
    f('p') VERSION AS OF v                 f('p', version => v)
    f('p') TIMESTAMP AS OF t               f('p', timestamp => t)
    f('p') TABLESAMPLE (1 PERCENT)         (f('p')) TABLESAMPLE (1 PERCENT)

All of the left side are errors in Spark, so no statement that Spark takes changes its meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spark_iceberg_sql.syntax.brackets import closing
from spark_iceberg_sql.syntax.function_calls import Edit, added, is_call
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind, Token

# The words before the call -> the query whose FROM has the function.
_STATEMENTS: Mapping[tuple[str, ...], str] = {
    ("SHOW", "CREATE", "TABLE"): "SELECT createtab_stmt FROM iceberg_ddl",
    ("SHOW", "COLUMNS", "IN"): "SELECT col_name FROM iceberg_columns",
    ("SHOW", "COLUMNS", "FROM"): "SELECT col_name FROM iceberg_columns",
    ("SHOW", "PARTITIONS"): "SELECT * FROM iceberg_partitions",
    ("SHOW", "TBLPROPERTIES"): "SELECT * FROM iceberg_properties",
    **{
        (verb, *table, how): "SELECT * FROM iceberg_describe"
        for verb in ("DESCRIBE", "DESC")
        for table in ((), ("TABLE",))
        for how in ("EXTENDED", "FORMATTED")
    },
}
_READER = ("iceberg", "iceberg_scan")
_TRAVEL = {
    "VERSION": "version",
    "SYSTEM_VERSION": "version",
    "TIMESTAMP": "timestamp",
    "SYSTEM_TIME": "timestamp",
}
_OPERATORS = frozenset({"+", "-", "*", "/", "%", "||"})
_UNITS = frozenset(
    f"{unit}{s}"
    for unit in (
        "YEAR",
        "QUARTER",
        "MONTH",
        "WEEK",
        "DAY",
        "DAYOFYEAR",
        "HOUR",
        "MINUTE",
        "SECOND",
        "MILLISECOND",
        "MICROSECOND",
    )
    for s in ("", "S")
)


def whole(tokens: list[Token]) -> Iterator[Edit]:
    """The edits of a statement that shows or describes a call."""
    words = tuple(token.word for token in tokens[:4])
    if words[:1] in (("DESCRIBE",), ("DESC",)):
        at = 2 if words[1:2] == ("TABLE",) else 1
        if at < len(tokens) and tokens[at].word in ("EXTENDED", "FORMATTED"):
            at += 1
        close = closing(tokens, at + 1) if is_call(tokens, at) else len(tokens)
        if close == len(tokens) - 2 and tokens[-1].kind in (Kind.WORD, Kind.QUOTED):
            yield Edit(tokens[1].start, tokens[at].start, f"QUERY SELECT {tokens[-1].text} FROM ")
            yield Edit(tokens[close].end, tokens[-1].end, "")
            return
    for head, query in _STATEMENTS.items():
        at = len(head)
        if words[:at] == head and is_call(tokens, at):
            yield from _shown(tokens, at, query)
            return
    at = 2 if words[1:2] == ("TABLE",) else 1
    if words[:1] in (("DESCRIBE",), ("DESC",)) and is_call(tokens, at):
        yield Edit(tokens[1].start, tokens[at].start, "QUERY SELECT * FROM ")


def _shown(tokens: list[Token], at: int, query: str) -> Iterator[Edit]:
    close = closing(tokens, at + 1)
    rest = tokens[close + 1 :]
    key = len(rest) == 3 and (rest[0].text, rest[2].text) == ("(", ")") and rest[1].kind in STRINGS
    if close == len(tokens) or (rest and not (key and query.endswith("iceberg_properties"))):
        return  # Spark's own error says what it does not expect
    yield Edit(tokens[0].start, tokens[at].end, query)
    if tokens[at].text.lower() not in _READER:
        yield added(tokens, at + 1, close, f"store => '{tokens[at].text}'")
    if rest:
        yield Edit(rest[0].start, rest[2].end, f" WHERE key = {rest[1].text}")


def behind(text: str, tokens: list[Token], opened: int, closed: int) -> Iterator[Edit]:
    """The edits for the clauses after one call. text: of the statement. opened, closed: its brackets."""
    at = closed + 1
    start = at + 1 if _word(tokens, at) == "FOR" else at
    name = _TRAVEL.get(_word(tokens, start))
    end = at
    if name and [_word(tokens, start + 1), _word(tokens, start + 2)] == ["AS", "OF"]:
        value = start + 3
        end = _expression_end(tokens, value)
        if end == value:
            return
        when = text[tokens[value].start : tokens[end - 1].end]
        yield added(tokens, opened, closed, f"{name} => {when}")
    sampled = _word(tokens, end) == "TABLESAMPLE"
    if sampled:
        yield Edit(tokens[opened - 1].start, tokens[opened - 1].start, "(")
    if sampled or end > at:
        yield Edit(tokens[closed].end, tokens[end - 1].end, ")" if sampled else "")


def _word(tokens: list[Token], at: int) -> str:
    return tokens[at].word if at < len(tokens) else ""


def _expression_end(tokens: list[Token], at: int) -> int:
    """The index after an expression of literals, calls, intervals and arithmetic; `index` for any other."""
    end = _operand_end(tokens, at)
    while at < end < len(tokens):
        if tokens[end].text == "::":
            end = _bracketed(tokens, end + 2)
        elif tokens[end].text in _OPERATORS:
            after = _operand_end(tokens, end + 1)
            if after == end + 1:
                return at
            end = after
        else:
            break
    return end


def _operand_end(tokens: list[Token], at: int) -> int:
    if at >= len(tokens):
        return at
    token = tokens[at]
    if token.text in ("-", "+"):
        end = _operand_end(tokens, at + 1)
        return at if end == at + 1 else end
    if token.text == "(":
        return _bracketed(tokens, at)
    if token.text == "?" or token.kind in (Kind.STRING, Kind.DOUBLE, Kind.NUMBER):
        return at + 1
    if token.text == ":":
        return at + 2
    if token.word == "INTERVAL":
        return _interval_end(tokens, at + 1)
    if token.kind not in (Kind.WORD, Kind.QUOTED) or token.word == "CASE":
        return at
    if token.kind is Kind.WORD and at + 1 < len(tokens) and tokens[at + 1].kind in STRINGS:
        return at + 2  # TIMESTAMP '2024-01-01'
    end = at + 1
    while _word(tokens, end) == "." and end + 1 < len(tokens):
        end += 2
    return _bracketed(tokens, end)


def _bracketed(tokens: list[Token], at: int) -> int:
    """The index after the brackets that open here; the same index if none do."""
    if _word(tokens, at) != "(":
        return min(at, len(tokens))
    return min(closing(tokens, at) + 1, len(tokens))


def _interval_end(tokens: list[Token], at: int) -> int:
    end = at
    while end < len(tokens):
        sign = end + 1 if tokens[end].text in ("-", "+") else end
        if sign >= len(tokens) or tokens[sign].kind not in (*STRINGS, Kind.NUMBER):
            break
        end = sign + 1
        if _word(tokens, end) not in _UNITS:
            break
        end += 1
        if _word(tokens, end) == "TO" and _word(tokens, end + 1) in _UNITS:
            end += 2
    return end
