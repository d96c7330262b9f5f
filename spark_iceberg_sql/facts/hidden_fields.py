"""Partition fields named in a query, DELETE or UPDATE as if they were columns of the table.

Only certain cases are read: one SELECT or none, one table, and a name where only a column can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.schema import folded
from spark_iceberg_sql.model.spec import PartitionField, Specs
from spark_iceberg_sql.model.table import Name, RelationKind, Table
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.identifiers import qualified_name
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, Token
from spark_iceberg_sql.syntax.terms import Offsets

_FIRST_WORDS = frozenset({"SELECT", "DELETE", "UPDATE", "INSERT"})
_UNSUPPORTED = frozenset({
    "WITH", "JOIN", "LATERAL", "PIVOT", "UNPIVOT", "UNION", "EXCEPT", "MINUS", "INTERSECT", "VALUES", "TRANSFORM",
    "|>", "{", "$", "?", "->", "EXISTS", "USING",
})  # fmt: skip
_AFTER_RELATION = frozenset({
    "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW", "QUALIFY",
    "SET", "TABLESAMPLE", "VERSION", "TIMESTAMP", "FOR", "",
})  # fmt: skip
# A name after one of these is an expression: neither an alias nor the name of anything else.
_BEFORE_EXPRESSION = frozenset({
    "(", ",", "=", "==", "<", ">", "<=", ">=", "<>", "!=", "<=>", "+", "-", "*", "/", "%", "||",
    "SELECT", "DISTINCT", "WHERE", "AND", "OR", "NOT", "BY", "BETWEEN", "HAVING", "WHEN", "THEN", "ELSE", "CASE", "SET",
})  # fmt: skip
# The metadata tables with a column `partition`, and their other columns.
PARTITION_TABLES = frozenset({
    "partitions", "files", "data_files", "delete_files", "all_files", "all_data_files", "all_delete_files",
})  # fmt: skip
_METADATA_COLUMNS = frozenset({
    "partition", "spec_id", "record_count", "file_count", "total_data_file_size_in_bytes", "last_updated_at",
    "position_delete_record_count", "position_delete_file_count", "equality_delete_record_count",
    "equality_delete_file_count", "dv_count", "last_updated_snapshot_id", "content", "file_path", "file_format",
    "file_size_in_bytes", "column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds",
    "upper_bounds", "key_metadata", "split_offsets", "equality_ids", "sort_order_id", "first_row_id",
    "referenced_data_file", "content_offset", "content_size_in_bytes", "readable_metrics",
})  # fmt: skip
# These may make the name a variable of the session.
_REDEFINITION = regex(r"\b(?:declare|variable)\b")


@record(frozen=True, slots=True)
class HiddenFieldUse:
    """A name that means a partition field. span: of the name. field: what it names.

    metadata_table: the metadata table that is read, `partitions`; None for the table itself.
    """

    name: str
    span: Offsets
    field: PartitionField
    metadata_table: str | None


def hidden_field(specs: Specs | None, name: str) -> PartitionField | None:
    """The partition field of a name; None if there is none. specs: None if the partitioning is unknown."""
    fields = specs.all_fields if specs is not None else ()
    return next((f for f in fields if f.name.lower() == name.lower() and not f.transform.is_void), None)


def value_call(field: PartitionField) -> str:
    """The call that returns a partition field's values: `iceberg_days(ts)`."""
    transform, parameter = field.transform.transform, field.transform.parameter
    column = qualified_name(field.source.split("."))
    if transform.is_identity or not transform.functions:
        return column
    return f"{transform.functions[-1]}({column if parameter is None else f'{parameter}, {column}'})"


def hidden_field_help(field: PartitionField) -> str:
    """What to write instead of a partition field's name, as one sentence with the column and the call."""
    return f"filter on `{field.source}`, which also prunes; its values are `{value_call(field)}`"


@record(frozen=True, slots=True)
class NamedColumns:
    """The names that stand where only a column can be, in a statement over one relation.

    relation: its name. names: by the index of their token. aliases: folded names that the statement may define.
    """

    relation: Name
    names: Mapping[int, str]
    aliases: frozenset[str]


def named_columns(context: Context) -> NamedColumns | None:
    """The columns that a statement names; None if it is not of the form that is read."""
    tokens = context.statement.tokens
    words = [token.word for token in tokens]
    start = _relation_start(words)
    if start is None or not _UNSUPPORTED.isdisjoint(words):
        return None
    end = start + 1
    while end + 1 < len(tokens) and tokens[end].text == ".":
        end += 2
    path = tokens[start:end:2]
    if not path or any(token.kind not in NAME_KINDS for token in path):
        return None
    parts = tuple(token.text.strip("`") for token in path)
    after, qualifiers = _alias(tokens, end, parts[-1])
    if after is None:
        return None
    names = {index: name for index, name in column_names(tokens, qualifiers) if not start <= index < after}
    aliases = frozenset(folded(t.text.strip("`")) for i, t in enumerate(tokens) if i and _names_an_alias(tokens, i))
    return NamedColumns(parts, names, aliases)


def hidden_field_uses(context: Context) -> Iterator[HiddenFieldUse]:
    """The partition fields that a statement names as columns."""
    columns = named_columns(context)
    if columns is None:
        return
    fields, metadata_table = _fields(context, columns.relation)
    if not fields:
        return
    tokens = context.statement.tokens
    uses = [
        HiddenFieldUse(name, (tokens[index].start, tokens[index].end), fields[folded(name)], metadata_table)
        for index, name in columns.names.items()
        if folded(name) in fields and folded(name) not in columns.aliases
    ]
    if uses and not may_redefine(context.text):
        yield from uses


@lru_cache(maxsize=1)  # a script is asked for once for each of its statements
def may_redefine(script: str) -> bool:
    """True if a script may declare a variable of any name. script: its text."""
    return _REDEFINITION.search(script.lower()) is not None


def _relation_start(words: Sequence[str]) -> int | None:
    """The index at which the only table's name begins; None if the statement is of another form."""
    first = words[0] if words else ""
    selects = words.count("SELECT")
    if first not in _FIRST_WORDS or selects != (first in ("SELECT", "INSERT")):
        return None
    if first == "UPDATE":
        return 1
    select = words.index("SELECT") if selects else 0
    from_indices = [index for index, word in enumerate(words) if word == "FROM"]
    # `extract(YEAR FROM ts)` has a FROM as well.
    return (
        from_indices[0] + 1
        if len(from_indices) == 1 and from_indices[0] > select and from_indices[0] + 1 < len(words)
        else None
    )


def _alias(tokens: Sequence[Token], end: int, table: str) -> tuple[int | None, frozenset[str]]:
    """The index after the relation, and what may qualify its columns; None if another relation follows."""
    names = {folded(table)}
    index = end + (end < len(tokens) and tokens[end].word == "AS")
    has_alias = index < len(tokens) and tokens[index].kind in NAME_KINDS and tokens[index].word not in _AFTER_RELATION
    if has_alias:
        names = {folded(tokens[index].text.strip("`"))}
        index += 1
    is_last = index >= len(tokens) or tokens[index].word in _AFTER_RELATION or tokens[index].text == ";"
    return (index if is_last else None), frozenset(names)


def _fields(context: Context, parts: Name) -> tuple[Mapping[str, PartitionField], str | None]:
    """The partition fields that are no columns of a relation, by folded name; the metadata table that it is."""
    metadata_table = parts[-1].lower() if len(parts) > 1 and parts[-1].lower() in PARTITION_TABLES else None
    table = context.catalog.get(parts[:-1] if metadata_table is not None else parts)
    if not isinstance(table, Table) or table.kind is not RelationKind.ICEBERG or not table.is_certain:
        return {}, None
    if table.schema is None or table.specs is None or table.is_partial:
        return {}, None
    columns = _METADATA_COLUMNS if metadata_table is not None else {folded(c.name) for c in table.schema.columns}
    fields = (field for field in table.specs.all_fields if not field.transform.is_void)
    return {folded(f.name): f for f in fields if folded(f.name) not in columns}, metadata_table


def column_names(tokens: Sequence[Token], qualifiers: frozenset[str]) -> Iterator[tuple[int, str]]:
    """The index and the text of each name that stands where a column does, by itself or after the table's name."""
    for index, token in enumerate(tokens):
        if token.kind not in NAME_KINDS or index == 0:
            continue
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        before = index - 1
        if tokens[before].text == "." and index >= 3:
            if folded(tokens[index - 2].text.strip("`")) not in qualifiers:
                continue
            before = index - 3
        if tokens[before].word in _BEFORE_EXPRESSION and following not in (".", "(", "=>", "["):
            yield index, token.text.strip("`")


def _names_an_alias(tokens: Sequence[Token], index: int) -> bool:
    """True if a name may be the alias of an expression, which later clauses can use."""
    before = tokens[index - 1]
    return tokens[index].kind in NAME_KINDS and before.text != "." and before.word not in _BEFORE_EXPRESSION
