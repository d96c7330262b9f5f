"""Filters on a known table from which no range of partitions can be derived.

Only certain cases are reported: one table, conditions joined by AND, and a function from which neither
Iceberg nor the optimizer rule `prune` derives a range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.table import Kind as TableKind
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.brackets import closing
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind, Token
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop
from spark_iceberg_sql.syntax.terms import Offsets

_ENDS = frozenset({
    "GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY",
})  # fmt: skip
# Anything that makes a statement more than AND-ed conditions on one table.
_STRANGE = frozenset(
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
_OF_TEXTS = frozenset(
    {"LOWER", "UPPER", "LCASE", "UCASE", "TRIM", "LTRIM", "RTRIM", "REVERSE", "LENGTH", "INITCAP"}
)
_NAMED = _PERIODIC | _OF_TEXTS | {"DATE_FORMAT"}
# The fields of `date_part(field, ts)` and `extract(field FROM ts)` that recur, by the function of the same meaning.
_FIELDS = {
    **dict.fromkeys(("MONTH", "MON", "MONS", "MONTHS"), "MONTH"),
    **dict.fromkeys(("DAY", "D", "DAYS"), "DAY"),
    **dict.fromkeys(("DAYOFWEEK", "DOW", "DAYOFWEEK_ISO", "DOW_ISO"), "DAYOFWEEK"),
    "DOY": "DAYOFYEAR",
    **dict.fromkeys(("HOUR", "H", "HOURS", "HR", "HRS"), "HOUR"),
    **dict.fromkeys(("MINUTE", "M", "MIN", "MINS", "MINUTES"), "MINUTE"),
    **dict.fromkeys(("QUARTER", "QTR"), "QUARTER"),
    **dict.fromkeys(("WEEK", "W", "WEEKS"), "WEEKOFYEAR"),
}
_PARTS = frozenset({"DATE_PART", "DATEPART", "EXTRACT"})
# A substring of each function's name; `day` covers all names that begin or end with it.
_LETTERS = ("day", "extract", "part", *(n.lower() for n in sorted(_NAMED) if "DAY" not in n))
_TIMES = frozenset({"date", "timestamp", "timestamptz"})


@record(frozen=True, slots=True)
class UnprunedFilter:
    """A conjunct that does not prune. span: its offsets. function, column: the call and its argument.

    field: the partition field. data_type: the column's type.
    """

    span: Offsets
    call: str
    column: str
    field: PartitionField
    kind: Primitive


def unpruned(context: Context) -> Iterator[UnprunedFilter]:
    """Yield the conjunct that does not prune, unless another conjunct may prune."""
    statement = context.statement
    if statement.first not in ("SELECT", "DELETE"):
        return
    if context.known.shared:  # a program may filter the rows once more
        return
    # A cheap substring test, before the text is tokenized.
    if statement.text.isascii() and not any(map(statement.says, _LETTERS)):
        return
    found = _table_and_conditions(_parts_as_functions(statement.tokens))
    if found is None:
        return
    name, condition = found
    conditions = _split(condition)
    if any(map(_is_constant, conditions)):
        return  # perhaps it is never true, and nothing is read
    if not any(read is not None and read[0] in _NAMED for read in map(_function_of, conditions)):
        return  # without looking up the table
    try:
        cursor = Cursor(context.text, list(name), name[-1].end)
        parts = cursor.path("a table's name").parts
    except Stop:
        return
    table = context.known.get(parts)
    if not cursor.done or not isinstance(table, Table) or table.kind is not TableKind.ICEBERG:
        return
    schema, specs = table.schema, table.specs
    if schema is None or specs is None or not table.sure or table.partial or len(specs.every) != 1:
        return
    sources: dict[int, tuple[Column, PartitionField]] = {}
    for field in specs.spec.fields:
        column = schema.by_id(field.source_id)
        if column is None or column.parents:
            return
        if not field.transform.is_void:
            sources.setdefault(field.source_id, (column, field))
    by_name = {column.name.lower(): (column, field) for column, field in sources.values()}
    mentioned = [
        [
            t
            for t in each
            if t.text.strip("`").lower() in by_name and t.kind in (Kind.WORD, Kind.QUOTED)
        ]
        for each in conditions
    ]
    about = [(c, m) for c, m in zip(conditions, mentioned, strict=True) if m]
    if len(about) != 1 or len(about[0][1]) != 1:
        return  # another condition may prune
    ((each, _),) = about
    read = _function_of(each)
    if read is None:
        return
    call, column_token, rest = read
    source = by_name.get(column_token.text.strip("`").lower())
    kind = source[0].field.type if source is not None else None
    if source is not None and isinstance(kind, Primitive) and _prunes_nothing(call, kind, rest):
        span = each[0].start, each[-1].end
        yield UnprunedFilter(span, call, column_token.text, source[1], kind)


def _table_and_conditions(
    tokens: Sequence[Token],
) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """The tokens of the table's name and of the WHERE clause; None if there is more than one FROM or WHERE."""
    words = [token.word for token in tokens]
    if words.count("FROM") != 1 or words.count("WHERE") != 1:
        return None
    if any(word in _STRANGE for word in words[1:]):
        return None
    at, where = words.index("FROM"), words.index("WHERE")
    name = tokens[at + 1 : where]
    end = next((i for i in range(where, len(words)) if words[i] in _ENDS), len(words))
    # Spark reads nothing for LIMIT 0.
    if words[-2:] == ["LIMIT", "0"]:
        return None
    # A name has an odd number of tokens, `a.b.c`; one more is an alias.
    alias = None
    if len(name) > 2 and name[-2].word == "AS":
        alias, name = name[-1], name[:-2]
    elif len(name) > 1 and len(name) % 2 == 0:
        alias, name = name[-1], name[:-1]
    marks = all(t.text == "." or t.kind in (Kind.WORD, Kind.QUOTED) for t in name)
    if not name or not marks or len(name) % 2 == 0:
        return None  # a function, several tables
    return name, _unqualified(tokens[where + 1 : end], alias or name[-1])


def _unqualified(tokens: Sequence[Token], table: Token) -> Sequence[Token]:
    """The tokens without the table's name, or its alias, before column names."""
    own = table.text.strip("`").lower()
    found: list[Token] = []
    for token in tokens:
        if token.text == "." and found and found[-1].text.strip("`").lower() == own:
            found.pop()
        else:
            found.append(token)
    return found


def _parts_as_functions(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens with `month(ts)` in place of `date_part('month', ts)` and `extract(MONTH FROM ts)`."""
    if not any(token.word in _PARTS for token in tokens):
        return tokens
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.word in _PARTS and [t.text for t in tokens[at + 1 : at + 2]] == ["("]:
            between = "FROM" if token.word == "EXTRACT" else ","
            field = tokens[at + 2].text.strip("'\"").upper() if at + 3 < len(tokens) else ""
            if field in _FIELDS and tokens[at + 3].word == between:
                found += [token._replace(text=_FIELDS[field]), tokens[at + 1]]
                at += 4
                continue
        found.append(token)
        at += 1
    return found


def _is_constant(tokens: Sequence[Token]) -> bool:
    """True if a condition refers to no column or is never true, except for `1 = 1` and `TRUE`."""
    texts = [token.word for token in tokens]
    if texts == ["TRUE"] or (len(texts) == 3 and texts[0] == texts[2] and texts[1] in ("=", "==")):
        return False
    if "NULL" in texts and "IS" not in texts:
        return True
    names = (t for t in tokens if t.kind in (Kind.WORD, Kind.QUOTED))
    return not any(token.word not in ("TRUE", "FALSE", "NULL", "DATE", "AND") for token in names)


def _split(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """The conjuncts: the parts between AND, except for the AND of BETWEEN."""
    found: list[list[Token]] = [[]]
    depth = 0
    between = False
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        word = token.word if depth == 0 else ""
        between = between or word == "BETWEEN"
        if word == "AND" and not between:
            found.append([])
        else:
            between = between and word != "AND"
            found[-1].append(token)
    return [each for each in found if each]


def _function_of(tokens: Sequence[Token]) -> tuple[str, Token, Sequence[Token]] | None:
    """Function, column and other arguments of `month(ts) = 2` or `BETWEEN 2 AND 3`; None for other conditions."""
    if len(tokens) < 6 or tokens[1].text != "(" or tokens[0].kind is not Kind.WORD:
        return None
    end = closing(tokens, 1)
    inside, rest = tokens[2:end], tokens[end + 1 :]
    if not inside or len(rest) < 2 or inside[0].kind not in (Kind.WORD, Kind.QUOTED):
        return None
    if len(inside) > 1 and inside[1].text != ",":
        return None
    values = rest[1:]
    if rest[0].word == "IN":
        constant = rest[1].text == "(" and rest[-1].text == ")" and len(rest) > 3
        values = [t for t in rest[2:-1] if t.text != ","]
    elif rest[0].word == "BETWEEN":
        constant = len(rest) == 4 and rest[2].word == "AND"
        values = rest[1::2]
    else:
        constant = rest[0].text in _COMPARISONS and len(values) == 1
    if not constant or not all(t.kind in STRINGS or t.kind is Kind.NUMBER for t in values):
        return None
    return tokens[0].word, inside[0], inside[2:]


def _prunes_nothing(call: str, kind: Primitive, rest: Sequence[Token]) -> bool:
    """True if no range follows from a function on a column of this type. other_args: its other arguments."""
    if kind.name in _TIMES:
        if call == "DATE_FORMAT" and len(rest) == 1 and rest[0].kind in STRINGS:
            return rest[0].text[1:-1][:2] in ("dd", "MM", "HH", "mm")
        return call in _PERIODIC and not rest
    return kind.name == "string" and call in _OF_TEXTS and not rest
