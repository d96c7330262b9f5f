"""Filters on a known table from which no range of partitions can be derived.

Only certain cases are reported: one table, conditions joined by AND, and a function from which neither Iceberg nor the
optimizer rule `prune` derives a range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.table import RelationKind as TableKind
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.brackets import closing_index
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError
from spark_iceberg_sql.syntax.terms import Offsets

_CLAUSES_AFTER_WHERE = frozenset({
    "GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY",
})  # fmt: skip
# Anything that makes a statement more than AND-ed conditions on one table.
_UNSUPPORTED_TOKENS = frozenset(
    {
        "SELECT",
        "WITH",
        "HAVING",  # on a column of GROUP BY it is one more filter
        "JOIN",
        "LATERAL",
        "PIVOT",
        "UNPIVOT",
        "VALUES",
        "UNION",
        "EXCEPT",
        "MINUS",
        "INTERSECT",
        "OR",
        "NOT",
        "CASE",
        "EXISTS",
        "IF",
        "||",
        "->",
        "|>",
        "{",
        "$",
        "?",
        ":",
        "VERSION",
        "TIMESTAMP",
        "TABLESAMPLE",
        "STREAM",
    }
)
_COMPARISONS = frozenset({"=", "==", "<", ">", "<=", ">=", "<=>"})
# Periodic parts of a date or time.
_PERIODIC = frozenset({
    "MONTH", "DAY", "DAYOFMONTH", "DAYOFWEEK", "WEEKDAY", "DAYOFYEAR", "HOUR", "MINUTE", "SECOND",
    "QUARTER", "WEEKOFYEAR",
})  # fmt: skip
_STRING_FUNCTIONS = frozenset(
    {"LOWER", "UPPER", "LCASE", "UCASE", "TRIM", "LTRIM", "RTRIM", "REVERSE", "LENGTH", "INITCAP"}
)
_FUNCTIONS = _PERIODIC | _STRING_FUNCTIONS | {"DATE_FORMAT"}
# The fields of `date_part(field, ts)` and `extract(field FROM ts)` that recur, by the function of the same meaning.
_PERIODIC_FIELDS = {
    **dict.fromkeys(("MONTH", "MON", "MONS", "MONTHS"), "MONTH"),
    **dict.fromkeys(("DAY", "D", "DAYS"), "DAY"),
    **dict.fromkeys(("DAYOFWEEK", "DOW", "DAYOFWEEK_ISO", "DOW_ISO"), "DAYOFWEEK"),
    "DOY": "DAYOFYEAR",
    **dict.fromkeys(("HOUR", "H", "HOURS", "HR", "HRS"), "HOUR"),
    **dict.fromkeys(("MINUTE", "M", "MIN", "MINS", "MINUTES"), "MINUTE"),
    **dict.fromkeys(("QUARTER", "QTR"), "QUARTER"),
    **dict.fromkeys(("WEEK", "W", "WEEKS"), "WEEKOFYEAR"),
}
_PART_FUNCTIONS = frozenset({"DATE_PART", "DATEPART", "EXTRACT"})
# A substring of each function's name; `day` covers all names that begin or end with it.
_FUNCTION_SUBSTRINGS = ("day", "extract", "part", *(n.lower() for n in sorted(_FUNCTIONS) if "DAY" not in n))
_TIME_TYPES = frozenset({"date", "timestamp", "timestamptz"})


@record(frozen=True, slots=True)
class NonPruningPredicate:
    """A conjunct that does not prune. span: its offsets. function, column: the call and its argument.

    field: the partition field. data_type: the column's type.
    """

    span: Offsets
    function: str
    column: str
    field: PartitionField
    data_type: Primitive


def non_pruning_predicates(context: Context) -> Iterator[NonPruningPredicate]:
    """Yield the conjunct that does not prune, unless another conjunct may prune."""
    statement = context.statement
    # A program may filter the rows once more.
    if statement.first not in ("SELECT", "DELETE") or context.catalog.shared:
        return
    # A cheap substring test, before the text is tokenized.
    if statement.text.isascii() and not any(map(statement.may_contain, _FUNCTION_SUBSTRINGS)):
        return
    clauses = _table_and_conditions(_parts_as_functions(statement.tokens))
    if clauses is None:
        return
    name, where_tokens = clauses
    conjuncts = _split_conjuncts(where_tokens)
    has_call = any(call_match is not None and call_match[0] in _FUNCTIONS for call_match in map(_parse_call, conjuncts))
    # A constant is perhaps never true, and nothing is read.
    if not has_call or any(map(_is_constant, conjuncts)):
        return
    try:
        cursor = Cursor(context.text, list(name), name[-1].end)
        parts = cursor.path("a table's name").parts
    except ParseError:
        return
    table = context.catalog.get(parts)
    if not cursor.done or not isinstance(table, Table) or table.kind is not TableKind.ICEBERG:
        return
    schema, specs = table.schema, table.specs
    if schema is None or specs is None or not table.is_certain or table.is_partial or len(specs.all_specs) != 1:
        return
    sources: dict[int, tuple[Column, PartitionField]] = {}
    for field in specs.spec.fields:
        column = schema.by_id(field.source_id)
        if column is None or column.parents:
            return
        if not field.transform.is_void:
            sources.setdefault(field.source_id, (column, field))
    sources_by_name = {column.name.lower(): (column, field) for column, field in sources.values()}
    source_tokens = [
        [t for t in conjunct if t.text.strip("`").lower() in sources_by_name and t.kind in NAME_KINDS]
        for conjunct in conjuncts
    ]
    source_conjuncts = [(c, m) for c, m in zip(conjuncts, source_tokens, strict=True) if m]
    if len(source_conjuncts) != 1 or len(source_conjuncts[0][1]) != 1:
        return  # another condition may prune
    ((conjunct, _),) = source_conjuncts
    call_match = _parse_call(conjunct)
    if call_match is None:
        return
    function, column_token, other_args = call_match
    source = sources_by_name.get(column_token.text.strip("`").lower())
    # Over the values themselves, a session with this package evaluates any predicate of a query: the rule `values`.
    if source is not None and source[1].transform.transform.is_identity and statement.first == "SELECT":
        return
    data_type = source[0].field.type if source is not None else None
    if source is not None and isinstance(data_type, Primitive) and _is_non_pruning(function, data_type, other_args):
        span = conjunct[0].start, conjunct[-1].end
        yield NonPruningPredicate(span, function, column_token.text, source[1], data_type)


def _table_and_conditions(tokens: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """The tokens of the table's name and of the WHERE clause; None if there is more than one FROM or WHERE."""
    keywords = [token.word for token in tokens]
    # Spark reads nothing for LIMIT 0.
    is_unsupported = not _UNSUPPORTED_TOKENS.isdisjoint(keywords[1:]) or keywords[-2:] == ["LIMIT", "0"]
    if is_unsupported or keywords.count("FROM") != 1 or keywords.count("WHERE") != 1:
        return None
    from_index, where_index = keywords.index("FROM"), keywords.index("WHERE")
    name = tokens[from_index + 1 : where_index]
    end = next((i for i in range(where_index, len(keywords)) if keywords[i] in _CLAUSES_AFTER_WHERE), len(keywords))
    # A name has an odd number of tokens, `a.b.c`; one more is an alias.
    alias = None
    if len(name) > 2 and name[-2].word == "AS":
        alias, name = name[-1], name[:-2]
    elif len(name) > 1 and len(name) % 2 == 0:
        alias, name = name[-1], name[:-1]
    is_name_path = all(t.text == "." or t.kind in NAME_KINDS for t in name)
    if not name or not is_name_path or len(name) % 2 == 0:
        return None  # a function, several tables
    return name, _unqualified(tokens[where_index + 1 : end], alias or name[-1])


def _unqualified(tokens: Sequence[Token], table: Token) -> Sequence[Token]:
    """The tokens without the table's name, or its alias, before column names."""
    qualifier = table.text.strip("`").lower()
    unqualified_tokens: list[Token] = []
    for token in tokens:
        if token.text == "." and unqualified_tokens and unqualified_tokens[-1].text.strip("`").lower() == qualifier:
            unqualified_tokens.pop()
        else:
            unqualified_tokens.append(token)
    return unqualified_tokens


def _parts_as_functions(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens with `month(ts)` in place of `date_part('month', ts)` and `extract(MONTH FROM ts)`."""
    if not any(token.word in _PART_FUNCTIONS for token in tokens):
        return tokens
    rewritten_tokens: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.word in _PART_FUNCTIONS and [t.text for t in tokens[index + 1 : index + 2]] == ["("]:
            separator = "FROM" if token.word == "EXTRACT" else ","
            field = tokens[index + 2].text.strip("'\"").upper() if index + 3 < len(tokens) else ""
            if field in _PERIODIC_FIELDS and tokens[index + 3].word == separator:
                rewritten_tokens += [token._replace(text=_PERIODIC_FIELDS[field]), tokens[index + 1]]
                index += 4
                continue
        rewritten_tokens.append(token)
        index += 1
    return rewritten_tokens


def _is_constant(tokens: Sequence[Token]) -> bool:
    """True if a condition refers to no column or is never true, except for `1 = 1` and `TRUE`."""
    texts = [token.word for token in tokens]
    if texts == ["TRUE"] or (len(texts) == 3 and texts[0] == texts[2] and texts[1] in ("=", "==")):
        return False
    if "NULL" in texts and "IS" not in texts:
        return True
    names = (t for t in tokens if t.kind in NAME_KINDS)
    return not any(token.word not in ("TRUE", "FALSE", "NULL", "DATE", "AND") for token in names)


def _split_conjuncts(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """The conjuncts: the parts between AND, except for the AND of BETWEEN."""
    conjuncts: list[list[Token]] = [[]]
    depth = 0
    in_between = False
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        word = token.word if depth == 0 else ""
        in_between = in_between or word == "BETWEEN"
        if word == "AND" and not in_between:
            conjuncts.append([])
        else:
            in_between = in_between and word != "AND"
            conjuncts[-1].append(token)
    return [conjunct for conjunct in conjuncts if conjunct]


def _parse_call(tokens: Sequence[Token]) -> tuple[str, Token, Sequence[Token]] | None:
    """Function, column and other arguments of `month(ts) = 2` or `BETWEEN 2 AND 3`; None for other conditions."""
    if len(tokens) < 6 or tokens[1].text != "(" or tokens[0].kind is not TokenKind.WORD:
        return None
    end = closing_index(tokens, 1)
    call_tokens, comparison = tokens[2:end], tokens[end + 1 :]
    has_column = bool(call_tokens) and call_tokens[0].kind in NAME_KINDS
    if not has_column or len(comparison) < 2 or (len(call_tokens) > 1 and call_tokens[1].text != ","):
        return None
    values = comparison[1:]
    if comparison[0].word == "IN":
        is_constant = comparison[1].text == "(" and comparison[-1].text == ")" and len(comparison) > 3
        values = [t for t in comparison[2:-1] if t.text != ","]
    elif comparison[0].word == "BETWEEN":
        is_constant = len(comparison) == 4 and comparison[2].word == "AND"
        values = comparison[1::2]
    else:
        is_constant = comparison[0].text in _COMPARISONS and len(values) == 1
    if not is_constant or not all(t.kind in STRINGS or t.kind is TokenKind.NUMBER for t in values):
        return None
    return tokens[0].word, call_tokens[0], call_tokens[2:]


def _is_non_pruning(function: str, data_type: Primitive, other_args: Sequence[Token]) -> bool:
    """True if no range follows from a function on a column of this type. other_args: its other arguments."""
    if data_type.name in _TIME_TYPES:
        if function == "DATE_FORMAT" and len(other_args) == 1 and other_args[0].kind in STRINGS:
            return other_args[0].text[1:-1][:2] in ("dd", "MM", "HH", "mm")
        return function in _PERIODIC and not other_args
    return data_type.name == "string" and function in _STRING_FUNCTIONS and not other_args
