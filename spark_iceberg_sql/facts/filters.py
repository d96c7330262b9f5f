"""Filters on a known table from which no range of partitions can be derived.

Only certain cases: one table, conditions joined by AND, and a function from which neither Iceberg nor the optimizer
rule `prune` derives a range.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import Column
from spark_iceberg_sql.model.spec import PartitionField
from spark_iceberg_sql.model.table import Kind as TableKind
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.syntax.brackets import closing
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind, Token
from spark_iceberg_sql.syntax.parser.cursor import Cursor, Stop
from spark_iceberg_sql.syntax.terms import Offsets

_ENDS = frozenset(
    {
        *("GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW"),
        *("QUALIFY",),
    }
)
# Anything that makes a statement more than AND-ed conditions on one table.
_STRANGE = frozenset(
    {
        *(
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
        ),
        *(
            "INTERSECT",
            "OR",
            "NOT",
            "CASE",
            "BETWEEN",
            "EXISTS",
            "IF",
            "||",
            "->",
            "|>",
            "{",
            "$",
            "?",
            ":",
        ),
        *("VERSION", "TIMESTAMP", "TABLESAMPLE", "STREAM"),
    }
)
_COMPARISONS = frozenset({"=", "==", "<", ">", "<=", ">=", "<=>"})
# Periodic parts of a date or time.
_PERIODIC = frozenset(
    {
        *("MONTH", "DAY", "DAYOFMONTH", "DAYOFWEEK", "WEEKDAY", "DAYOFYEAR", "HOUR", "MINUTE"),
        *("SECOND", "QUARTER", "WEEKOFYEAR"),
    }
)
_OF_TEXTS = frozenset(
    {"LOWER", "UPPER", "LCASE", "UCASE", "TRIM", "LTRIM", "RTRIM", "REVERSE", "LENGTH", "INITCAP"}
)
_NAMED = _PERIODIC | _OF_TEXTS | {"DATE_FORMAT"}
# What the names of these functions contain: DAY stands for all that end or begin with it.
_LETTERS = ("day", *(n.lower() for n in sorted(_NAMED) if "DAY" not in n))
_TIMES = frozenset({"date", "timestamp", "timestamptz"})


@dataclass(frozen=True, slots=True)
class UnprunedFilter:
    """A condition. span: its offsets. call, column: the function and its argument. field: the partition field.

    kind: the column's type.
    """

    span: Offsets
    call: str
    column: str
    field: PartitionField
    kind: Primitive


def unpruned(context: Context) -> Iterator[UnprunedFilter]:
    """The conditions that do not prune, if no other condition may."""
    statement = context.statement
    if statement.first not in ("SELECT", "DELETE"):
        return
    if context.known.shared:  # a program may filter the rows once more
        return
    # A look at the letters, before tokens are made.
    if statement.text.isascii() and not any(map(statement.says, _LETTERS)):
        return
    found = _table_and_conditions(statement.tokens)
    if found is None:
        return
    name, condition = found
    conditions = _split(condition)
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
    marks = all(t.text == "." or t.kind in (Kind.WORD, Kind.QUOTED) for t in name)
    if not name or not marks or len(name) % 2 == 0:
        return None  # an alias, a function, several tables
    return name, tokens[where + 1 : end]


def _split(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if token.word == "AND" and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return [each for each in found if each]


def _function_of(tokens: Sequence[Token]) -> tuple[str, Token, Sequence[Token]] | None:
    """Function, column and other arguments of `month(ts) = 2`; None for other conditions."""
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
    else:
        constant = rest[0].text in _COMPARISONS and len(values) == 1
    if not constant or not all(t.kind in STRINGS or t.kind is Kind.NUMBER for t in values):
        return None
    return tokens[0].word, inside[0], inside[2:]


def _prunes_nothing(call: str, kind: Primitive, rest: Sequence[Token]) -> bool:
    """Whether no range can be derived from a function on a column of this type. rest: its other arguments."""
    if kind.name in _TIMES:
        if call == "DATE_FORMAT" and len(rest) == 1 and rest[0].kind in STRINGS:
            return rest[0].text[1:-1][:2] in ("dd", "MM", "HH", "mm")
        return call in _PERIODIC and not rest
    return kind.name == "string" and call in _OF_TEXTS and not rest
