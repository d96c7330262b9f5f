"""Statements that change tables, as other engines write them.

Where rows are removed or changed, the text to write takes the place of the other only if the statement has a WHERE.
"""

from __future__ import annotations

import re

from spark_iceberg_sql.syntax.lexer import STRINGS, Token
from spark_iceberg_sql.syntax.metadata_tables import metadata_table_name
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import Mistake, MistakeHelp, RefusedStatement
from spark_iceberg_sql.syntax.spark_mistakes.values import impossible_date, iso_date

_MERGE = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
_TIMES = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ")
_FILE = re.compile(r"\.(csv|parquet|json|orc|avro)(?:\.gz)?['\"]$", re.IGNORECASE)


def _delete(refused: RefusedStatement) -> MistakeHelp | None:
    """`DELETE t WHERE ...` and `DELETE * FROM t WHERE ...`."""
    words = refused.words
    if words[0] != "DELETE" or words[1:2] == ["FROM"] or len(words) < 2:
        return None
    if "WHERE" not in words:
        return MistakeHelp("write `DELETE FROM`")
    token = refused.tokens[1]
    edit = (token.start, refused.tokens[2].start, "") if token.text == "*" else (token.start, token.start, "FROM ")
    return MistakeHelp("write `DELETE FROM`", edit)


def _update(refused: RefusedStatement) -> MistakeHelp | None:
    """`UPDATE t a = 1`, and `UPDATE t SET ... FROM s`."""
    if refused.words[0] != "UPDATE":
        return None
    end = refused.name_end(1)
    if "SET" not in refused.words:
        equals = next((i for i in (end + 1, end + 2) if refused.words[i : i + 1] == ["="]), None)
        if equals is None:
            return None
        column = refused.tokens[equals - 1]
        edit = (column.start, column.start, "SET ") if "WHERE" in refused.words else None
        return MistakeHelp(f"write `SET` before `{column.text}`", edit)
    source, where = refused.clause("FROM"), refused.clause("WHERE")
    if source is None or where is None or where < source or "SET" not in refused.words[:source]:
        return None
    assignments = refused.source(refused.words.index("SET") + 1, source)
    target = refused.source(1, refused.words.index("SET"))
    merge = (
        f"MERGE INTO {target} USING {refused.source(source + 1, where)} "
        f"ON {refused.source(where + 1, len(refused.tokens))} WHEN MATCHED THEN UPDATE SET {assignments}"
    )
    return MistakeHelp(f"Spark has no UPDATE ... FROM: write {merge}", None, refused.tokens[source].span)


def _merge(refused: RefusedStatement) -> MistakeHelp | None:
    """MERGE without THEN."""
    words = refused.words
    if words[0] != "MERGE":
        return None
    actions = [
        refused.tokens[i].start
        for i in range(2, len(words))
        if words[i] in ("UPDATE", "DELETE", "INSERT") and words[i - 1] != "THEN" and "WHEN" in words[:i]
    ]
    if not actions:
        return None
    start, end = actions[0], actions[-1]
    text = refused.text[start:end]
    for action in reversed(actions[1:-1]):
        text = f"{text[: action - start]}THEN {text[action - start :]}"
    edit = (start, end, f"THEN {text}THEN " if len(actions) > 1 else "THEN ")
    return MistakeHelp("write `THEN` before UPDATE, DELETE and INSERT", edit)


def _upsert(refused: RefusedStatement) -> MistakeHelp | None:
    """UPSERT, REPLACE INTO, INSERT OR REPLACE, ON CONFLICT and ON DUPLICATE KEY."""
    words = refused.words
    is_insert = words[0] == "INSERT" and ("CONFLICT" in words or "DUPLICATE" in words or words[1:2] == ["OR"])
    if not (is_insert or words[0] == "UPSERT" or words[:2] == ["REPLACE", "INTO"]) or "INTO" not in words:
        return None
    start = words.index("INTO") + 1
    table = refused.source(start, refused.name_end(start))
    merge = f"MERGE INTO {table} AS t USING (SELECT ...) AS s ON t.id = s.id {_MERGE}"
    return MistakeHelp(f"rows are inserted or updated by MERGE: write {merge}, with the key in place of `id`")


def _copy(refused: RefusedStatement) -> MistakeHelp | None:
    """COPY and LOAD DATA."""
    words = refused.words
    path = next((t for t in refused.tokens if t.kind in STRINGS), None)
    if words[0] not in ("COPY", "LOAD") or path is None:
        return None
    start = words.index("TABLE") + 1 if words[0] == "LOAD" and "TABLE" in words else 1 + (words[1] == "INTO")
    table = refused.source(start, refused.name_end(start))
    file_format = _FILE.search(path.text)
    if "TO" in words and words[0] == "COPY":
        if file_format is None or file_format[1].lower() not in ("csv", "parquet"):
            return None
        magic = f"%%iceberg_sql --{file_format[1].lower()} {path.text[1:-1]}"
        return MistakeHelp(f"in a notebook, `{magic}` writes the rows of `SELECT * FROM {table}`")
    source = f"{file_format[1].lower()}.`{path.text[1:-1]}`" if file_format is not None else "parquet.`...`"
    help = f"write `INSERT INTO {table} SELECT * FROM {source}`"
    if file_format is not None and file_format[1].lower() == "csv":
        view = f"CREATE TEMPORARY VIEW csv_rows USING csv OPTIONS (path {path.text}, header true, inferSchema true)"
        help = f"{view}; then INSERT INTO {table} SELECT * FROM csv_rows"
    return MistakeHelp(help)


def _maintenance(refused: RefusedStatement) -> MistakeHelp | None:
    """OPTIMIZE, VACUUM, RESTORE, UNDROP: Iceberg's procedures."""
    words = refused.words
    start = 2 if words[1:2] == ["TABLE"] else 1
    table = refused.source(start, refused.name_end(start)).replace("`", "")
    match words[0]:
        case "OPTIMIZE":
            order = re.search(r"\bZORDER\s+BY\s*\(?([^()]*)\)?", refused.source(start, len(words)), re.IGNORECASE)
            arguments = f"table => '{table}'"
            if order is not None:
                arguments += f", strategy => 'sort', sort_order => 'zorder({order[1].strip().rstrip(';')})'"
            return MistakeHelp(f"write `CALL system.rewrite_data_files({arguments})`")
        case "VACUUM":
            call = f"CALL system.expire_snapshots(table => '{table}', older_than => TIMESTAMP '...')"
            return MistakeHelp(
                f"`{call}` removes old snapshots and the files that only they need; "
                "there is no time travel to them any more"
            )
        case "RESTORE":
            number = refused.tokens[-1].text if refused.tokens[-1].text.isdigit() else "..."
            snapshots = metadata_table_name(tuple(table.split(".")), "snapshots", refused.full_name)
            return MistakeHelp(
                f"`CALL system.rollback_to_snapshot('{table}', {number})` goes back to a snapshot; "
                f"`SELECT * FROM {snapshots}` lists the ids"
            )
        case "UNDROP":
            return MistakeHelp(
                "a dropped table is not in the catalog any more; if its files are still there, "
                f"`CALL system.register_table('{table}', '...metadata.json')` makes a table of its metadata file"
            )
    return None


def _truncate(refused: RefusedStatement) -> MistakeHelp | None:
    if refused.words[0] != "TRUNCATE" or refused.words[1:2] == ["TABLE"]:
        return None
    return MistakeHelp("`TRUNCATE TABLE` and a table's name remove all its rows")


def _transaction(refused: RefusedStatement) -> MistakeHelp | None:
    words = refused.words
    begins = (["START", "TRANSACTION"], ["BEGIN", "TRANSACTION"], ["BEGIN"])
    if words[0] not in ("COMMIT", "ROLLBACK") and words[:2] not in begins:
        return None
    return MistakeHelp(
        "there are no transactions: each statement commits by itself; "
        "`CALL system.rollback_to_snapshot('table', id)` undoes what was committed to a table"
    )


def _explain_analyze(refused: RefusedStatement) -> MistakeHelp | None:
    if refused.words[:2] != ["EXPLAIN", "ANALYZE"]:
        return None
    token = refused.tokens[1]
    help = "leave out ANALYZE; what a query has read is in the line below its rows"
    edit = (token.start, refused.tokens[2].start, "") if len(refused.tokens) > 2 else None
    return MistakeHelp(help, edit, token.span)


def _index(refused: RefusedStatement) -> MistakeHelp | None:
    statement = refused.source(0, len(refused.tokens))
    match = re.search(r"\bON\s+(?:TABLE\s+)?([\w.`]+)\s*\(([^()]*)\)", statement, re.IGNORECASE)
    if refused.words[0] != "CREATE" or "INDEX" not in refused.words[:3] or match is None:
        return None
    return MistakeHelp(
        f"Iceberg has no indexes: `ALTER TABLE {match[1]} WRITE ORDERED BY {match[2]}` sorts the rows of new files, "
        "so that fewer are read for a value; `CALL system.rewrite_data_files` sorts those of existing files"
    )


def _view(refused: RefusedStatement) -> MistakeHelp | None:
    tokens = refused.tokens
    at = next((i for i, token in enumerate(tokens[:4]) if token.word == "VIEW"), None)
    if tokens[0].word != "CREATE" or at is None:
        return None
    start = tokens[at].start
    return MistakeHelp(
        "this catalog has no views: write `CREATE TEMPORARY VIEW`, or begin the name with `spark_catalog.default.`",
        (start, start, "TEMPORARY "),
    )


def _existing_schema(refused: RefusedStatement) -> MistakeHelp | None:
    if refused.words[0] != "CREATE" or refused.words[2:3] == ["IF"]:
        return None
    start = refused.tokens[2].start
    return MistakeHelp(f"write `CREATE {refused.words[1]} IF NOT EXISTS`", (start, start, "IF NOT EXISTS "))


def _unsafe_cast(refused: RefusedStatement) -> MistakeHelp | None:
    """A value of another type than its column, in UPDATE or INSERT."""
    column = str(refused.parameters.get("colName", "")).strip("`")
    types = [str(refused.parameters.get(key, "")).strip('"') for key in ("srcType", "targetType")]
    is_named = column and all(types)
    fact = f"`{column}` is {types[1]}, and Spark does not convert {types[0]} to it by itself"
    message = fact if is_named else None
    words = refused.words
    if words[0] == "INSERT" and "SELECT" in words and "VALUES" not in words and words[1:2] == ["INTO"]:
        start = 2 + (words[2] == "TABLE")
        end = refused.name_end(start)
        table = refused.source(start, end)
        help = f"convert it with CAST; INSERT takes columns by position, `INSERT INTO {table} BY NAME` by their names"
        return MistakeHelp(help, None, None, message)
    # Strings; `DATE '2024-01-31'` is none.
    literals = [
        token
        for token, word in zip(refused.tokens, ["", *words], strict=False)
        if token.kind in STRINGS and word not in _TIMES
    ]
    for i, token in enumerate(refused.tokens[:-2]):
        value = refused.tokens[i + 2]
        is_column = token.text.strip("`").lower() == column.lower() and refused.tokens[i + 1].text == "="
        if words[0] == "UPDATE" and is_column:
            span = (token.start, value.end)
            if value.kind not in STRINGS:
                return MistakeHelp(
                    f"convert it: `{token.text} = CAST({value.text} AS {types[1]})`", None, span, message
                )
            return _converted(value, types[1], span, message)
    if len(literals) > 1 and types[1] in _TIMES:
        literals = [literal for literal in literals if re.match(r"\d", literal.text[1:-1])]
    if words[0] == "INSERT" and len(literals) == 1:
        return _converted(literals[0], types[1], literals[0].span, message)
    return MistakeHelp("convert it with CAST", None, None, message)


def _converted(literal: Token, data_type: str, span: tuple[int, int], message: str | None) -> MistakeHelp:
    """A string literal as a literal of another type."""
    value = literal.text[1:-1]
    if data_type in _TIMES:
        if (fact := impossible_date(value)) is not None:
            return MistakeHelp(f"{fact}: write a date that exists", None, span, message)
        iso = value if re.match(r"\d{4}-\d{1,2}-\d{1,2}", value) else iso_date(value)
        if iso is not None:
            clause = f"{data_type} '{iso}'"
            return MistakeHelp(f"write `{clause}`", (*literal.span, clause), span, message)
    elif re.fullmatch(r"-?\d+(\.\d+)?", value):
        return MistakeHelp(f"write `{value}`, without quotes", (*literal.span, value), span, message)
    return MistakeHelp(f"write a value of the type {data_type}, or NULL", None, span, message)


def _several_matches(refused: RefusedStatement) -> MistakeHelp | None:
    """MERGE whose source has several rows for a row of the table."""
    on = refused.clause("ON")
    if refused.words[0] != "MERGE" or on is None:
        return None
    condition = refused.source(on + 1, refused.clause_end(on, ("WHEN",)))
    return MistakeHelp(
        f"the source has several rows for which `{condition}` is true of one row of the table: let ON compare a key, "
        "or take one row for each key, as in USING (SELECT id, max(...) AS ... GROUP BY id)",
        None,
        (refused.tokens[on + 1].start, refused.tokens[refused.clause_end(on, ("WHEN",)) - 1].end),
    )


def _use_catalog(refused: RefusedStatement) -> MistakeHelp | None:
    """`USE CATALOG lake`, of Databricks."""
    if refused.words[:2] != ["USE", "CATALOG"] or len(refused.tokens) < 3:
        return None
    return MistakeHelp(f"write `SET CATALOG {refused.tokens[2].text}`", None, refused.tokens[1].span)


SYNTAX: tuple[Mistake, ...] = (
    _use_catalog, _delete, _update, _merge, _upsert, _copy, _maintenance, _truncate, _transaction, _explain_analyze,
)  # fmt: skip
REFUSED: dict[str, tuple[Mistake, ...]] = {
    "AnalysisException": (_index,),
    "INCOMPATIBLE_DATA_FOR_TABLE": (_unsafe_cast,),
    "INVALID_STATEMENT_OR_CLAUSE": (_transaction,),
    "MERGE_CARDINALITY_VIOLATION": (_several_matches,),
    "MISSING_CATALOG_ABILITY": (_view,),
    "NOT_SUPPORTED_COMMAND_FOR_V2_TABLE": (_copy,),
    "SCHEMA_ALREADY_EXISTS": (_existing_schema,),
    "UnsupportedOperationException": (_view,),
}
