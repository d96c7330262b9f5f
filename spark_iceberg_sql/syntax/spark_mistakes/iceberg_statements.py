"""Statements about Iceberg tables as other engines have them: metadata tables with `$`, DELETE ... USING, MERGE."""

from __future__ import annotations

import re
from itertools import pairwise

from spark_iceberg_sql.syntax.brackets import closing_index
from spark_iceberg_sql.syntax.lexer import NAME_KINDS
from spark_iceberg_sql.syntax.metadata_tables import METADATA_TABLES, metadata_table_name
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import Mistake, MistakeHelp, RefusedStatement

_RANDOM_CALL = re.compile(
    r"^(?:uuid|rand|randn|random|shuffle|input_file_name|monotonically_increasing_id)$", re.IGNORECASE
)


def metadata_table(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM db.t$files` of Trino, also in backticks."""
    tokens = refused.tokens
    for index, token in enumerate(tokens):
        is_qualified = index > 0 and tokens[index - 1].text == "."
        if token.text == "$" and 0 < index < len(tokens) - 1:
            name, suffix = tokens[index - 1], tokens[index + 1]
            is_path = name.end == token.start and token.end == suffix.start and name.kind in NAME_KINDS
            if is_path and suffix.text.lower() in METADATA_TABLES:
                is_qualified = index > 1 and tokens[index - 2].text == "."
                return _dotted(name.text, suffix.text.lower(), (name.start, suffix.end), is_qualified=is_qualified)
        table, sign, suffix_text = token.text.strip('`"').rpartition("$")
        if sign and table and token.kind in NAME_KINDS and suffix_text.lower() in METADATA_TABLES:
            return _dotted(table, suffix_text.lower(), token.span, is_qualified=is_qualified)
    return None


def _dotted(table: str, suffix: str, span: tuple[int, int], *, is_qualified: bool) -> MistakeHelp:
    """The name of a metadata table with a dot. Without the namespace it is not certain."""
    if is_qualified:
        path = f"{table}.{suffix}"
        return MistakeHelp(f"Spark has the metadata tables after a dot: write `{path}`", (*span, path), span)
    path = metadata_table_name((table.strip("`"),), suffix)
    help_ = f"Spark has the metadata tables after a dot, and needs the namespace before it: write `{path}`"
    return MistakeHelp(help_, None, span)


def _metadata_table_without_namespace(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM t.files` after `USE db`."""
    for index, token in enumerate(refused.tokens[:-3]):
        table, dot, suffix = refused.tokens[index + 1 : index + 4]
        is_name = token.word in ("FROM", "JOIN") and refused.name_end(index + 1) == index + 4 and dot.text == "."
        if is_name and suffix.text.strip("`").lower() in METADATA_TABLES:
            name = refused.full_name((table.text.strip("`"),))
            path = metadata_table_name(name, suffix.text.strip("`").lower())
            help_ = f"Spark takes `{name[-1]}` for a namespace; if it is a table, write its full name: `{path}`"
            edit = (table.start, suffix.end, path) if len(name) > 1 else None
            return MistakeHelp(help_, edit, (table.start, suffix.end))
    return None


def delete_using(refused: RefusedStatement) -> MistakeHelp | None:
    """`DELETE FROM t USING s WHERE t.id = s.id` of PostgreSQL."""
    words = refused.words
    if words[:2] != ["DELETE", "FROM"]:
        return None
    using, where = refused.clause("USING"), refused.clause("WHERE")
    if using is None or where is None or where < using:
        return None
    target, source = refused.source(2, using), refused.source(using + 1, where)
    if "," in words[using:where] or "JOIN" in words[using:where]:
        source = f"(SELECT ... FROM {source}) AS s"
    condition = refused.source(where + 1, len(refused.tokens))
    statement = f"MERGE INTO {target} USING {source} ON {condition} WHEN MATCHED THEN DELETE"
    help_ = f"Spark has no DELETE ... USING: write {statement}"
    is_plain = "..." not in statement
    edit = (refused.tokens[0].start, refused.tokens[-1].end, statement) if is_plain else None
    return MistakeHelp(help_, edit, refused.tokens[using].span)


def merge_aliases(refused: RefusedStatement) -> MistakeHelp | None:
    """`MERGE INTO t USING (VALUES ...) s(a, b)`: a list of names after the source's alias."""
    words = refused.words
    using = refused.clause("USING")
    if words[0] != "MERGE" or using is None or words[using + 1 : using + 2] != ["("]:
        return None
    closing = closing_index(refused.tokens, using + 1)
    alias = closing + (2 if words[closing + 1 : closing + 2] == ["AS"] else 1)
    if words[alias + 1 : alias + 2] != ["("]:
        return None
    last = closing_index(refused.tokens, alias + 1)
    if last >= len(refused.tokens) or refused.tokens[alias].kind not in NAME_KINDS:
        return None
    name, columns = refused.tokens[alias].text, refused.source(alias + 1, last + 1)
    query = refused.source(using + 2, closing)
    table = query if words[using + 2] == "VALUES" else f"({query})"
    clause = f"(SELECT * FROM {table} AS {name}{columns}) AS {name}"
    edit = (refused.tokens[using + 1].start, refused.tokens[last].end, clause)
    return MistakeHelp(
        f"MERGE takes no names of columns after an alias: write `USING {clause}`", edit,
        (refused.tokens[alias + 1].start, refused.tokens[last].end),
    )  # fmt: skip


def _random_merge(refused: RefusedStatement) -> MistakeHelp | None:
    """uuid(), rand() or input_file_name() in a MERGE, whose source and condition Spark reads twice."""
    tokens, using = refused.tokens, refused.clause("USING")
    if refused.words[0] != "MERGE" or using is None:
        return None
    call = next((t for t, after in pairwise(tokens) if after.text == "(" and _RANDOM_CALL.match(t.text)), None)
    if call is None:
        return None
    target = refused.source(2, refused.name_end(2))
    is_query = refused.words[using + 1 : using + 2] == ["("]
    end = closing_index(tokens, using + 1) if is_query else refused.name_end(using + 1)
    source = refused.source(using + 2, end) if is_query else ""
    is_inside = is_query and tokens[using + 1].start < call.start < tokens[end].start
    relation = f"({source})" if is_query else refused.source(using + 1, end)
    query = source if is_inside else f"SELECT *, {call.text}() AS v FROM {relation}"
    return MistakeHelp(
        f"write the rows to a table first, and merge from it: CREATE TABLE {target}_source USING iceberg AS {query}",
        None,
        call.span,
        f"MERGE takes no `{call.text}()`, which has another value each time that it is computed",
    )


def _replace_where(refused: RefusedStatement) -> MistakeHelp | None:
    """`INSERT INTO t REPLACE WHERE f(a) = 1 ...`: Spark passes the condition to Iceberg, or fails."""
    words = refused.words
    where = refused.clause("WHERE")
    if words[0] != "INSERT" or where is None or words[where - 1] != "REPLACE":
        return None
    end = refused.clause_end(where, ("SELECT", "VALUES", "TABLE", "FROM", "WITH"))
    return MistakeHelp(
        "write it as such, for example `ts >= TIMESTAMP '...' AND ts < TIMESTAMP '...'` or `k IN (1, 2)`; nothing has "
        "been written",
        None,
        (refused.tokens[where + 1].start, refused.tokens[end - 1].end) if end > where + 1 else None,
        f"REPLACE WHERE needs comparisons of columns with values, and `{refused.source(where + 1, end)}` is none",
    )


SYNTAX: tuple[Mistake, ...] = (metadata_table, delete_using)
ICEBERG: dict[str, tuple[Mistake, ...]] = {
    "TABLE_OR_VIEW_NOT_FOUND": (metadata_table, _metadata_table_without_namespace),
    "COLUMN_ALIASES_NOT_ALLOWED": (merge_aliases,),
    "INVALID_NON_DETERMINISTIC_EXPRESSIONS": (_random_merge,),
    "UNSUPPORTED_MERGE_CONDITION": (_random_merge,),
    "_LEGACY_ERROR_TEMP_1109": (_replace_where,),  # no translation to a filter of the source
}
