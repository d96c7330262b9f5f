"""Queries, INSERT, MERGE, UPDATE and DELETE of a known table that Spark refuses: unknown columns.

Only certain cases are read: the table and all its columns are known, and no other relation can have the column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.hidden_fields import may_redefine, named_columns
from spark_iceberg_sql.facts.merge_sources import source_columns
from spark_iceberg_sql.model.schema import folded
from spark_iceberg_sql.model.table import RelationKind, Table
from spark_iceberg_sql.records import record
from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, Token, TokenKind
from spark_iceberg_sql.syntax.terms import Offsets

_NAMES = NAME_KINDS
_TOKENS = 2000  # of an INSERT that are read
# Words that are no columns where a column can be: literals, functions without brackets, units, quantifiers.
_NO_COLUMNS = frozenset({
    "NULL", "TRUE", "FALSE", "DEFAULT", "ALL", "DISTINCT", "CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_TIME",
    "CURRENT_USER", "SESSION_USER", "USER", "LOCALTIMESTAMP", "LOCALTIME", "UNBOUNDED", "CURRENT", "ROW", "CASE", "NOT",
    "EXISTS", "INTERVAL", "BOTH", "LEADING", "TRAILING", "SETS", "ROLLUP", "CUBE", "GROUPING", "ANY", "SOME", "TABLE",
    "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIME", "YEAR", "YEARS", "QUARTER", "QUARTERS", "MONTH",
    "MONTHS", "WEEK", "WEEKS", "DAY", "DAYS", "DAYOFYEAR", "HOUR", "HOURS", "MINUTE", "MINUTES", "SECOND", "SECONDS",
    "MILLISECOND", "MILLISECONDS", "MICROSECOND", "MICROSECONDS", "STREAM", "SELECT", "END", "ELSE", "WHEN", "THEN",
})  # fmt: skip
# What may follow a column in an expression.
_AFTER_COLUMN = frozenset({
    "", ";", ",", ")", "=", "==", "<", ">", "<=", ">=", "<>", "!=", "<=>", "+", "-", "*", "/", "%", "||",
    "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "AND", "OR", "IS", "IN", "NOT", "BETWEEN", "LIKE", "ILIKE",
    "RLIKE", "AS", "ASC", "DESC", "THEN", "ELSE", "END", "WHEN",
})  # fmt: skip
_UNSUPPORTED = frozenset({"OVER", "WINDOW", "TABLESAMPLE", "OF", "SCHEMA", "UNPIVOT", "EXTRACT"})
_METADATA_COLUMNS = frozenset({
    "_file", "_pos", "_deleted", "_spec_id", "_partition", "_row_id", "_last_updated_sequence_number",
    "_change_type", "_change_ordinal", "_commit_snapshot_id", "_metadata", "metadata",
})  # fmt: skip
_ANY_SCHEMA = "write.spark.accept-any-schema"


@record(frozen=True, slots=True)
class RefusedWord:
    """A word that Spark refuses. span, message, help: of the finding."""

    span: Offsets
    message: str
    help: str


def refused_words(context: Context) -> Iterator[RefusedWord]:
    """The words of a query, MERGE, UPDATE or DELETE that Spark refuses."""
    tokens = context.statement.tokens
    first = tokens[0].word if tokens else ""
    if first == "MERGE":
        yield from _merge_words(context, tokens)
    if first in ("SELECT", "DELETE", "UPDATE"):
        yield from _unknown_columns(context)


def refused_insert_columns(context: Context) -> Iterator[RefusedWord]:
    """The columns in the list of an INSERT that the table does not have."""
    table = context.table
    if not isinstance(table, Table) or not _is_known(table):
        return
    tokens = context.statement.opening(_TOKENS)
    index = next((i + 1 for i, token in enumerate(tokens) if token.end == context.target.span[1]), len(tokens))
    # With BY NAME, PARTITION or a template, other words follow.
    if [token.text for token in tokens[index : index + 1]] == ["("]:
        yield from _unknown_in_list(table, tokens, index)


def _unknown_in_list(table: Table, tokens: Sequence[Token], index: int) -> Iterator[RefusedWord]:
    end = closing_index(tokens, index)
    groups = between_commas(tokens[index + 1 : end])
    if end == len(tokens) or any(len(group) != 1 or group[0].kind not in _NAMES for group in groups):
        return  # a query in brackets, or names of nested fields
    if end + 1 >= len(tokens) or tokens[end + 1].word not in ("VALUES", "SELECT", "WITH", "TABLE", "("):
        return
    for (token,) in groups:
        yield from _unknown(table, token)


def _known_table(context: Context, tokens: Sequence[Token], index: int) -> tuple[Table | None, int]:
    """The known Iceberg table whose name begins at a token, and the index behind the name."""
    end = index + 1
    while end + 1 < len(tokens) and tokens[end].text == ".":
        end += 2
    path = tokens[index:end:2]
    if not path or any(token.kind not in _NAMES for token in path):
        return None, end
    table = context.catalog.get(tuple(token.text.strip("`") for token in path))
    return (table if isinstance(table, Table) and _is_known(table) else None), end


def _is_known(table: Table) -> bool:
    is_complete = table.schema is not None and table.is_certain and not table.is_partial and not table.is_intended
    any_schema = table.properties.get(_ANY_SCHEMA, "false").lower()
    return is_complete and table.kind is RelationKind.ICEBERG and any_schema == "false"


def _merge_words(context: Context, tokens: Sequence[Token]) -> Iterator[RefusedWord]:
    if [token.word for token in tokens[:2]] != ["MERGE", "INTO"]:
        return
    table, end = _known_table(context, tokens, 2)
    if table is None:
        return
    qualifiers = {folded(tokens[end - 1].text.strip("`"))}
    index = end + (end < len(tokens) and tokens[end].word == "AS")
    if index < len(tokens) and tokens[index].kind in _NAMES and tokens[index].word != "USING":
        qualifiers = {folded(tokens[index].text.strip("`"))}
    if "{" in context.statement.text:
        return
    yield from _missing_in_source(context, table, tokens, index)
    if not _UNSUPPORTED.isdisjoint(token.word for token in tokens):
        return
    for i in range(1, len(tokens) - 2):
        if tokens[i - 1].word == "THEN" and tokens[i].word == "UPDATE" and tokens[i + 1].word == "SET":
            yield from _unknown_assigned(table, tokens, i + 2, qualifiers)
        elif tokens[i - 1].word == "THEN" and tokens[i].word == "INSERT" and tokens[i + 1].text == "(":
            yield from _unknown_in_list(table, tokens, i + 1)


def _missing_in_source(context: Context, table: Table, tokens: Sequence[Token], index: int) -> Iterator[RefusedWord]:
    """`INSERT *` and `UPDATE SET *` from a source without a column of the table. index: at USING or the alias."""
    using = next((i for i in range(index, min(index + 2, len(tokens))) if tokens[i].word == "USING"), None)
    columns = None
    if using is not None:
        columns = source_columns(tokens, using + 1, lambda among, start: _known_table(context, among, start))
    if columns is None or table.schema is None:
        return
    missing = [field.name for field in table.schema.fields if folded(field.name) not in columns]
    for i in range(using or 0, len(tokens) if missing else 0):
        keywords = [token.word for token in tokens[i : i + 4]]
        length = next(
            (n for n in (3, 4) if keywords[:n] in (["THEN", "INSERT", "*"], ["THEN", "UPDATE", "SET", "*"])), 0
        )
        if length:
            action = " ".join(keywords[1:length])
            columns_text = ", ".join(f"`{name}`" for name in missing)
            message = f"`{action}` needs a column of the source for each one of the table: it has no {columns_text}"
            help_ = "add it to the source" if len(missing) == 1 else "add them to the source"
            form = "INSERT (...) VALUES (...)" if keywords[1] == "INSERT" else "UPDATE SET ... = ..."
            span = (tokens[i + 1].start, tokens[i + length - 1].end)
            yield RefusedWord(span, message, f"{help_}, or write `{form}` with the columns that it has")


def _unknown_assigned(table: Table, tokens: Sequence[Token], index: int, qualifiers: set[str]) -> Iterator[RefusedWord]:
    """The columns that UPDATE SET assigns and the table does not have."""
    depth, expects_column = 0, True
    while index < len(tokens) and (depth or tokens[index].word != "WHEN"):
        token = tokens[index]
        if expects_column and token.kind in _NAMES:
            following = [following_token.text for following_token in tokens[index + 1 : index + 4]]
            if following[:1] == ["="]:
                yield from _unknown(table, token)
            elif following[::2] == [".", "="] and folded(token.text.strip("`")) in qualifiers:
                yield from _unknown(table, tokens[index + 2])
        depth += {"(": 1, ")": -1, "CASE": 1, "END": -1}.get(token.word, 0)
        expects_column = token.text == "," and not depth
        index += 1


def _unknown_columns(context: Context) -> Iterator[RefusedWord]:
    tokens = context.statement.tokens
    if context.catalog.shared or not _UNSUPPORTED.isdisjoint(token.word for token in tokens):
        return
    columns = named_columns(context)
    table = context.catalog.get(columns.relation) if columns is not None else None
    if columns is None or not isinstance(table, Table) or not _is_known(table) or may_redefine(context.text):
        return
    fields = {folded(field.name) for field in table.specs.all_fields} if table.specs is not None else set()
    for index, name in columns.names.items():
        token = tokens[index]
        following = tokens[index + 1].word if index + 1 < len(tokens) else ""
        is_other = token.kind is TokenKind.WORD and token.word in _NO_COLUMNS
        if is_other or following not in _AFTER_COLUMN or folded(name) in columns.aliases | fields:
            continue
        yield from _unknown(table, token)


def _unknown(table: Table, token: Token) -> Iterator[RefusedWord]:
    """The finding for a name that is none of a table's columns."""
    name = token.text.strip("`")
    columns = [column.name for column in table.schema.columns] if table.schema is not None else []
    if folded(name) in {folded(column) for column in columns} or folded(name) in _METADATA_COLUMNS or "$" in name:
        return
    similar = similar_names(name, columns)
    help_ = f"write {' or '.join(f'`{column}`' for column in similar)}" if similar else f"it has {', '.join(columns)}"
    yield RefusedWord(token.span, f"`{'.'.join(table.name)}` has no column `{name}`", help_)
