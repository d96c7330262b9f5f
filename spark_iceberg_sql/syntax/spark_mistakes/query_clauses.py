"""Clauses of queries that Spark does not have, or has at another place or in other words."""

from __future__ import annotations

import re
from itertools import pairwise

from spark_iceberg_sql.syntax.identifiers import backticked
from spark_iceberg_sql.syntax.lexer import TokenKind
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import Mistake, MistakeHelp, RefusedStatement

# The help for a column beside an aggregate.
GROUP_BY_ALL = "write `GROUP BY ALL` after FROM and WHERE: it groups by every column that is not aggregated"
_AFTER_WHERE = ("GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "WINDOW", "UNION", ";")
_AFTER_QUALIFY = ("ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "UNION", ";")
_COMPARISONS = frozenset({"=", "==", "<", "<=", ">", ">="})


def top(refused: RefusedStatement) -> MistakeHelp | None:
    """`SELECT TOP 10`."""
    for i, token in enumerate(refused.tokens[:-2]):
        number = refused.tokens[i + 2]
        if (token.word, refused.tokens[i + 1].word) == ("SELECT", "TOP") and number.kind is TokenKind.NUMBER:
            return MistakeHelp(f"leave out `TOP {number.text}`, and write `LIMIT {number.text}` at the end")
    return None


def _comma_limit(refused: RefusedStatement) -> MistakeHelp | None:
    """`LIMIT 20, 10`."""
    for i, token in enumerate(refused.tokens[:-3]):
        offset, comma, count = refused.tokens[i + 1 : i + 4]
        is_pair = (offset.kind, count.kind) == (TokenKind.NUMBER, TokenKind.NUMBER) and comma.text == ","
        if token.word == "LIMIT" and is_pair:
            clause = f"LIMIT {count.text} OFFSET {offset.text}"
            return MistakeHelp(f"write `{clause}`", (token.start, count.end, clause))
    return None


def _fetch(refused: RefusedStatement) -> MistakeHelp | None:
    """`FETCH FIRST 10 ROWS ONLY`."""
    start = refused.clause("FETCH")
    match = None
    if start is not None:
        pattern = r"FETCH\s+(?:FIRST|NEXT)\s+(\d+)\s+ROWS?\s+ONLY"
        match = re.match(pattern, refused.text[refused.tokens[start].start :], re.IGNORECASE)
    if start is None or match is None:
        return None
    offset = refused.tokens[start].start
    return MistakeHelp(f"write `LIMIT {match[1]}`", (offset, offset + match.end(), f"LIMIT {match[1]}"))


def _filter(refused: RefusedStatement) -> MistakeHelp | None:
    """`count(*) FILTER (a > 1)`."""
    for i, token in enumerate(refused.tokens[1:-2], 1):
        opening, following = refused.tokens[i + 1 : i + 3]
        is_clause = refused.tokens[i - 1].text == ")" and token.word == "FILTER" and opening.text == "("
        if is_clause and following.word != "WHERE":
            return MistakeHelp("write `FILTER (WHERE ...)`", (opening.end, opening.end, "WHERE "))
    return None


def _exclude(refused: RefusedStatement) -> MistakeHelp | None:
    """`SELECT * EXCLUDE (a)`."""
    for i, token in enumerate(refused.tokens[1:-1], 1):
        if refused.tokens[i - 1].text != "*" or token.word != "EXCLUDE":
            continue
        column = refused.tokens[i + 1]
        if column.text == "(":
            return MistakeHelp("write `EXCEPT`", (token.start, token.end, "EXCEPT"))
        clause = f"EXCEPT ({column.text})"
        return MistakeHelp(f"write `{clause}`", (token.start, column.end, clause))
    return None


def _star_replace(refused: RefusedStatement) -> MistakeHelp | None:
    """`SELECT * REPLACE (a * 2 AS a)`."""
    for i, token in enumerate(refused.tokens[1:-1], 1):
        if refused.tokens[i - 1].text not in ("*", ")") or token.word != "REPLACE" or refused.tokens[i + 1].text != "(":
            continue
        end = refused.clause_end(i + 1, ("FROM",))
        expression = re.fullmatch(r"\((.*?)\s+AS\s+(\S+)\s*\)", refused.source(i + 1, end), re.IGNORECASE | re.DOTALL)
        if expression is not None and refused.tokens[i - 1].text == "*":
            clause = f"EXCEPT ({expression[2]}), {expression[1]} AS {expression[2]}"
            return MistakeHelp(f"write `* {clause}`", (token.start, refused.tokens[end - 1].end, clause))
        return MistakeHelp("leave the columns out with `EXCEPT (...)`, and write their new values after a comma")
    return None


def _between_to(refused: RefusedStatement) -> MistakeHelp | None:
    """`BETWEEN 1 TO 2`."""
    words = refused.words
    start = words.index("BETWEEN") if "BETWEEN" in words else len(words)
    index = next((i for i in range(start, len(words)) if words[i] in ("AND", "TO")), None)
    if index is None or words[index] == "AND":
        return None
    return MistakeHelp("write `AND` between the two bounds", (*refused.tokens[index].span, "AND"))


def _comma_before(refused: RefusedStatement) -> MistakeHelp | None:
    """`WITH a AS (...), SELECT`, and `SELECT a, FROM`, whose FROM Spark reads as a column."""
    for before, (comma, word) in zip(refused.tokens, pairwise(refused.tokens[1:]), strict=False):
        ends_list = word.word == "FROM" or (word.word == "SELECT" and before.text == ")" and refused.words[0] == "WITH")
        if comma.text == "," and ends_list and word.start <= refused.span[1]:
            return MistakeHelp(
                f"leave out the `,` before {word.word}", (comma.start, comma.end, ""), (comma.start, comma.end)
            )
    return None


def _bracketed_names(refused: RefusedStatement) -> MistakeHelp | None:
    """`SELECT [Ship Mode]`: names as SQL Server quotes them."""
    columns = {column.lower(): column for column in refused.columns()}
    spans = [
        (match.start(), match.end(), backticked(columns[match[1].lower()]))
        for match in re.finditer(r"\[([^\[\]]+)\]", refused.text[: refused.tokens[-1].end])
        if match.start() >= refused.tokens[0].start and match[1].lower() in columns
    ]
    if not spans:
        return None
    start, end = spans[0][0], spans[-1][1]
    replacement = refused.text[start:end]
    for span_start, span_end, name in reversed(spans):
        replacement = f"{replacement[: span_start - start]}{name}{replacement[span_end - start :]}"
    return MistakeHelp(f"names are quoted in backticks: write `` {spans[0][2]} ``", (start, end, replacement))


def _qualify(refused: RefusedStatement) -> MistakeHelp | None:
    """`QUALIFY row_number() OVER (...) = 1`."""
    qualify = refused.clause("QUALIFY")
    if qualify is None:
        return None
    help = "Spark before 4.2 has no QUALIFY: select the window function in a subquery, and filter by its alias outside"
    span = refused.tokens[qualify].span
    end = refused.clause_end(qualify, _AFTER_QUALIFY)
    source_start = refused.clause("FROM")
    operators = [i for i in range(qualify + 1, end) if refused.tokens[i].text in _COMPARISONS]
    is_simple = refused.words[0] == "SELECT" and refused.words[1] != "DISTINCT" and refused.words.count("SELECT") == 1
    if not is_simple or source_start is None or source_start > qualify or len(operators) != 1:
        return MistakeHelp(help, None, span)
    value, condition = refused.source(qualify + 1, operators[0]), refused.source(operators[0], end)
    items, source = refused.source(1, source_start), refused.source(source_start, qualify)
    tail = refused.source(end, len(refused.tokens))
    if "OVER" not in refused.words[qualify:end]:  # an alias of the list
        statement = f"SELECT * FROM (SELECT {items} {source}) WHERE {value} {condition}"
    else:
        inner = f"SELECT {items}, {value} AS window_value {source}"
        statement = f"SELECT * EXCEPT (window_value) FROM ({inner}) WHERE window_value {condition}"
    statement = f"{statement} {tail}".rstrip()
    return MistakeHelp(help, (refused.tokens[0].start, refused.tokens[-1].end, statement), span)


def _aggregate_in_where(refused: RefusedStatement) -> MistakeHelp | None:
    """`WHERE count(*) > 5`."""
    where = refused.clause("WHERE")
    if where is None:
        return None
    end = refused.clause_end(where, _AFTER_WHERE)
    condition, start = refused.source(where + 1, end), refused.tokens[where].start
    span = start, refused.tokens[end - 1].end
    message = "WHERE filters rows before they are grouped, so it takes no aggregate"
    help = "write the condition on the aggregate after GROUP BY, as HAVING"
    if end == len(refused.tokens) or refused.words[end] != "GROUP" or "AND" in refused.words[where:end]:
        return MistakeHelp(help, None, span, message)
    group_end = refused.clause_end(end, _AFTER_WHERE[1:])
    clause = f"{refused.source(end, group_end)} HAVING {condition}"
    return MistakeHelp(f"write `{clause}`", (start, refused.tokens[group_end - 1].end, clause), span, message)


def _late_where(refused: RefusedStatement) -> MistakeHelp | None:
    """`GROUP BY a HAVING b WHERE c`."""
    where = refused.clause("WHERE")
    earlier = [i for word in _AFTER_WHERE[:-2] if where is not None and (i := refused.clause(word)) is not None]
    if where is None or not earlier or min(earlier) > where or refused.words.count("SELECT") != 1:
        return None
    first = min(earlier)
    end = refused.clause_end(where, ("GROUP", "HAVING", "ORDER", "LIMIT", ";"))
    moved, passed = refused.source(where, end), refused.source(first, where)
    edit = (refused.tokens[first].start, refused.tokens[end - 1].end, f"{moved} {passed}")
    span = refused.tokens[where].start, refused.tokens[end - 1].end
    return MistakeHelp(f"WHERE comes before {refused.words[first]}: write `{moved}` there", edit, span)


def _pivot(refused: RefusedStatement) -> MistakeHelp | None:
    """PIVOT without its values, and the statement PIVOT of DuckDB."""
    if refused.words[0] == "PIVOT":
        end = refused.name_end(1)
        clause = refused.source(end, len(refused.tokens))
        match = re.match(r"ON\s+(\S+)\s+USING\s+(.+)", clause, re.IGNORECASE | re.DOTALL)
        if match is None:
            return None
        pivot = f"PIVOT ({match[2].strip()} FOR {match[1]} IN ('value', ...))"
        query = f"SELECT * FROM {refused.source(1, end)} {pivot}"
        return MistakeHelp(f"write `{query}`, with the values that become columns")
    pivot_index = refused.clause("PIVOT")
    if pivot_index is None or "IN" in refused.words[pivot_index:] or "FOR" not in refused.words[pivot_index:]:
        return None
    column = refused.tokens[min(refused.words.index("FOR", pivot_index) + 1, len(refused.tokens) - 1)]
    return MistakeHelp(
        f"name the values that become columns: write `FOR {column.text} IN ('value', ...)`; "
        f"SELECT DISTINCT {column.text} lists them"
    )


def _missing_group(refused: RefusedStatement) -> MistakeHelp | None:
    return MistakeHelp(GROUP_BY_ALL)


def _missing_in_group(refused: RefusedStatement) -> MistakeHelp | None:
    """A column that GROUP BY lacks."""
    start = refused.clause("GROUP")
    column = str(refused.parameters.get("expression", "")).strip('"')
    if start is None or not re.fullmatch(r"[A-Za-z_]\w*", column) or refused.words.count("GROUP") != 1:
        return None
    end = refused.clause_end(start + 1, _AFTER_WHERE[1:])
    if "(" in refused.source(start, end) or refused.words[start + 2 : start + 3] == ["ALL"]:
        return None
    spans = [t.span for t in refused.tokens[: refused.clause_end(0, ("FROM",))] if t.text.lower() == column.lower()]
    clause = f"{refused.source(start, end)}, {column}"
    edit = (refused.tokens[start].start, refused.tokens[end - 1].end, clause)
    help = f"write `{clause}`, or one value for each group: `max({column})`"
    return MistakeHelp(help, edit if len(spans) == 1 else None, spans[0] if len(spans) == 1 else None)


SYNTAX: tuple[Mistake, ...] = (
    top, _comma_limit, _fetch, _filter, _exclude, _star_replace, _between_to, _comma_before, _bracketed_names,
    _qualify, _late_where, _pivot,
)  # fmt: skip
GROUPING: dict[str, tuple[Mistake, ...]] = {
    "MISSING_GROUP_BY": (_missing_group,),
    "MISSING_AGGREGATION": (_missing_in_group,),
    "INVALID_WHERE_CONDITION": (_aggregate_in_where,),
}
