"""Functions of other engines: the function of Spark, where the call has the same meaning."""

from __future__ import annotations

import re

from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.lexer import STRINGS
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import Mistake, MistakeHelp, RefusedStatement

# Functions with the same arguments in the same order, and as many of them.
_SAME_ARGUMENTS = {
    "approx_distinct": "approx_count_distinct",
    "approx_quantile": "approx_percentile",
    "arbitrary": "any_value",
    "array_length": "array_size",
    "epoch": "unix_timestamp",
    "generate_series": "sequence",
    "getdate": "current_timestamp",
    "iff": "if",
    "json_extract": "get_json_object",
    "json_extract_scalar": "get_json_object",
    "json_extract_string": "get_json_object",
    "json_value": "get_json_object",
    "list": "collect_list",
    "list_contains": "array_contains",
    "list_value": "array",
    "logical_and": "bool_and",
    "logical_or": "bool_or",
    "quantile_cont": "percentile",
    "regexp_matches": "regexp_like",
    "strpos": "instr",
    "sysdate": "current_timestamp",
    "timestamp_diff": "timestampdiff",
    "to_json_string": "to_json",
    "uniq": "approx_count_distinct",
}
_PERCENT = {
    "%Y": "yyyy", "%y": "yy", "%m": "MM", "%d": "dd", "%H": "HH", "%I": "hh", "%M": "mm", "%S": "ss", "%p": "a",
    "%b": "MMM", "%B": "MMMM", "%a": "E", "%A": "EEEE", "%j": "DDD", "%F": "yyyy-MM-dd", "%T": "HH:mm:ss",
}  # fmt: skip
# Functions of a time and a pattern with percent signs, in either order.
_FORMATTING = {
    "strftime": "date_format", "format_date": "date_format", "format_timestamp": "date_format",
    "format_datetime": "date_format", "strptime": "to_timestamp",
    "parse_timestamp": "to_timestamp", "parse_date": "to_date",
}  # fmt: skip
_JOINING = frozenset({"group_concat"})


def spark_pattern(pattern: str) -> str | None:
    """A pattern with percent signs, such as `%Y-%m`, as Spark's; None if a part of it has no counterpart."""
    result = re.sub(r"%[A-Za-z]", lambda match: _PERCENT.get(match[0], match[0]), pattern)
    plain = re.sub(r"%[A-Za-z]", "", pattern)
    return None if "%" in result or re.search(r"[A-Za-z]", plain) else result


def foreign_function(refused: RefusedStatement) -> MistakeHelp | None:
    """A call of a function that Spark has under another name."""
    name = str(refused.parameters.get("routineName", "")).replace("`", "").rpartition(".")[2].lower()
    index = next((i for i, token in enumerate(refused.tokens) if token.start == refused.span[0]), None)
    if index is None or refused.tokens[index].text.lower() != name or index + 1 >= len(refused.tokens):
        return None
    closing = closing_index(refused.tokens, index + 1)
    if refused.tokens[index + 1].text != "(" or closing >= len(refused.tokens):
        return None
    groups = [group for group in between_commas(refused.tokens[index + 2 : closing]) if group]
    arguments = [refused.text[group[0].start : group[-1].end] for group in groups]
    call = None
    if name in _SAME_ARGUMENTS:
        call = f"{_SAME_ARGUMENTS[name]}({', '.join(arguments)})"
    elif name in _FORMATTING and len(groups) == 2:
        literals = [i for i, group in enumerate(groups) if len(group) == 1 and group[0].kind in STRINGS]
        pattern = spark_pattern(arguments[literals[-1]][1:-1]) if literals else None
        if pattern is not None:
            call = f"{_FORMATTING[name]}({arguments[1 - literals[-1]]}, '{pattern}')"
    elif name in _JOINING and len(groups) in (1, 2):
        call = f"listagg({arguments[0]}, {arguments[1] if len(groups) == 2 else repr(',')})"
    if call is None:
        return None
    return MistakeHelp(f"write `{call}`", (refused.tokens[index].start, refused.tokens[closing].end, call))


def _argument_count(refused: RefusedStatement) -> MistakeHelp | None:
    """`isnull(a, b)`, which in SQL Server and MySQL is a value for null."""
    start, end = refused.span
    call = re.fullmatch(r"isnull\((.*)\)", refused.text[start:end], re.IGNORECASE | re.DOTALL)
    if call is None or "," not in call[1]:
        return None
    return MistakeHelp(f"write `ifnull({call[1]})`", (start, end, f"ifnull({call[1]})"))


def _arrow(refused: RefusedStatement) -> MistakeHelp | None:
    """`value ->> 'field'`."""
    tokens = refused.tokens
    for i in range(1, len(tokens) - 2):
        if (tokens[i].text, tokens[i + 1].text) != ("->", ">") or tokens[i + 2].kind not in STRINGS:
            continue
        field = tokens[i + 2].text[1:-1]
        call = f"get_json_object({tokens[i - 1].text}, '$.{field}')"
        is_plain = re.fullmatch(r"[A-Za-z_]\w*", field) is not None and (i < 2 or tokens[i - 2].text != ".")
        return MistakeHelp(
            f"write `{call}`" if is_plain else "write `get_json_object(value, '$.field')`",
            (tokens[i - 1].start, tokens[i + 2].end, call) if is_plain and tokens[i - 1].text != ")" else None,
        )
    return None


SYNTAX: tuple[Mistake, ...] = (_arrow,)
FUNCTIONS: dict[str, tuple[Mistake, ...]] = {
    "UNRESOLVED_ROUTINE": (foreign_function,),
    "ROUTINE_NOT_FOUND": (foreign_function,),
    "WRONG_NUM_ARGS": (_argument_count,),
}
