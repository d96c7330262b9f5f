"""Statements that Spark allows on a table's name only, rewritten for a call of a table function.

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

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.syntax.brackets import closing_index
from spark_iceberg_sql.syntax.clickhouse.function_calls import argument_edit, is_call
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS, Token, TokenKind

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
_TRAVEL = {"VERSION": "version", "SYSTEM_VERSION": "version", "TIMESTAMP": "timestamp", "SYSTEM_TIME": "timestamp"}
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


def statement_edits(tokens: list[Token]) -> Iterator[Edit]:
    """The edits of a statement that shows or describes a call."""
    keywords = tuple(token.word for token in tokens[:4])
    if keywords[:1] in (("DESCRIBE",), ("DESC",)):
        index = 2 if keywords[1:2] == ("TABLE",) else 1
        if index < len(tokens) and tokens[index].word in ("EXTENDED", "FORMATTED"):
            index += 1
        closing_bracket = closing_index(tokens, index + 1) if is_call(tokens, index) else len(tokens)
        if closing_bracket == len(tokens) - 2 and tokens[-1].kind in NAME_KINDS:
            yield Edit(tokens[1].start, tokens[index].start, f"QUERY SELECT {tokens[-1].text} FROM ")
            yield Edit(tokens[closing_bracket].end, tokens[-1].end, "")
            return
    for prefix, query in _STATEMENTS.items():
        index = len(prefix)
        if keywords[:index] == prefix and is_call(tokens, index):
            yield from _show_edits(tokens, index, query)
            return
    index = 2 if keywords[1:2] == ("TABLE",) else 1
    if keywords[:1] in (("DESCRIBE",), ("DESC",)) and is_call(tokens, index):
        yield Edit(tokens[1].start, tokens[index].start, "QUERY SELECT * FROM ")


def _show_edits(tokens: list[Token], index: int, query: str) -> Iterator[Edit]:
    closing_bracket = closing_index(tokens, index + 1)
    remaining = tokens[closing_bracket + 1 :]
    has_key = (
        len(remaining) == 3 and (remaining[0].text, remaining[2].text) == ("(", ")") and remaining[1].kind in STRINGS
    )
    if closing_bracket == len(tokens) or (remaining and not (has_key and query.endswith("iceberg_properties"))):
        return  # Spark's own error says what it does not expect
    yield Edit(tokens[0].start, tokens[index].end, query)
    if tokens[index].text.lower() not in _READER:
        yield argument_edit(tokens, index + 1, closing_bracket, f"store => '{tokens[index].text}'")
    if remaining:
        yield Edit(remaining[0].start, remaining[2].end, f" WHERE key = {remaining[1].text}")


def trailing_edits(text: str, tokens: list[Token], opened: int, closed: int) -> Iterator[Edit]:
    """The edits for the clauses after one call. text: of the statement. opened, closed: its brackets."""
    index = closed + 1
    start = index + 1 if _word(tokens, index) == "FOR" else index
    parameter = _TRAVEL.get(_word(tokens, start))
    end = index
    if parameter and [_word(tokens, start + 1), _word(tokens, start + 2)] == ["AS", "OF"]:
        value = start + 3
        end = _expression_end(tokens, value)
        if end == value:
            return
        moment = text[tokens[value].start : tokens[end - 1].end]
        yield argument_edit(tokens, opened, closed, f"{parameter} => {moment}")
    is_sampled = _word(tokens, end) == "TABLESAMPLE"
    if is_sampled:
        yield Edit(tokens[opened - 1].start, tokens[opened - 1].start, "(")
    if is_sampled or end > index:
        yield Edit(tokens[closed].end, tokens[end - 1].end, ")" if is_sampled else "")


def _word(tokens: list[Token], index: int) -> str:
    return tokens[index].word if index < len(tokens) else ""


def _expression_end(tokens: list[Token], index: int) -> int:
    """The index after an expression of literals, calls, intervals and arithmetic; `index` for any other."""
    end = _operand_end(tokens, index)
    while index < end < len(tokens):
        if tokens[end].text == "::":
            end = _bracketed(tokens, end + 2)
        elif tokens[end].text in _OPERATORS:
            operand_end = _operand_end(tokens, end + 1)
            if operand_end == end + 1:
                return index
            end = operand_end
        else:
            break
    return end


def _operand_end(tokens: list[Token], index: int) -> int:
    if index >= len(tokens):
        return index
    token = tokens[index]
    if token.text in ("-", "+"):
        end = _operand_end(tokens, index + 1)
        return index if end == index + 1 else end
    if token.text == "(":
        return _bracketed(tokens, index)
    if token.text == "?" or token.kind in (TokenKind.STRING, TokenKind.DOUBLE, TokenKind.NUMBER):
        return index + 1
    if token.text == ":":
        return index + 2
    if token.word == "INTERVAL":
        return _interval_end(tokens, index + 1)
    if token.kind not in NAME_KINDS or token.word == "CASE":
        return index
    if token.kind is TokenKind.WORD and index + 1 < len(tokens) and tokens[index + 1].kind in STRINGS:
        return index + 2  # TIMESTAMP '2024-01-01'
    end = index + 1
    while _word(tokens, end) == "." and end + 1 < len(tokens):
        end += 2
    return _bracketed(tokens, end)


def _bracketed(tokens: list[Token], index: int) -> int:
    """The index after the brackets that open here; the same index if none do."""
    if _word(tokens, index) != "(":
        return min(index, len(tokens))
    return min(closing_index(tokens, index) + 1, len(tokens))


def _interval_end(tokens: list[Token], index: int) -> int:
    end = index
    while end < len(tokens):
        number_index = end + 1 if tokens[end].text in ("-", "+") else end
        if number_index >= len(tokens) or tokens[number_index].kind not in (*STRINGS, TokenKind.NUMBER):
            break
        end = number_index + 1
        if _word(tokens, end) not in _UNITS:
            break
        end += 1
        if _word(tokens, end) == "TO" and _word(tokens, end + 1) in _UNITS:
            end += 2
    return end
