"""ClickHouse's spellings around its Iceberg functions -> statements that Spark has.

    iceberg('p', k = v)              iceberg('p', k => v)
    iceberg('p', SETTINGS k = v)     iceberg('p', k => v)
    icebergS3(conf, ...)             icebergS3('conf', ...) where `conf` is a named collection
    icebergS3('u', NOSIGN)           icebergS3('u', 'NOSIGN')
    SELECT ... SETTINGS k = v        k => v in each table function, or AS OF on the one table
    SETTINGS max_threads = 4         nothing: a setting of ClickHouse's engine is named as ignored
    ALTER TABLE t DELETE WHERE c     DELETE FROM t WHERE c
    INSERT INTO FUNCTION f('p') ...  INSERT INTO a table that must be attached to the path first (TABLE FUNCTION, too)
    DROP TABLE t SYNC                DROP TABLE t

What follows a call, and the statements that show and describe one, are in table_calls.py; CREATE TABLE in
clickhouse_tables.py, OPTIMIZE and EXECUTE in procedures.py, the other ALTERs in clickhouse_alter.py.
All of the left side are errors in Spark, so no statement that Spark takes changes its meaning.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.functions.metadata_functions import NAMES
from spark_iceberg_sql.model.functions.table_functions import BY_NAME, FUNCTIONS
from spark_iceberg_sql.syntax.brackets import closing_index, comma_ranges
from spark_iceberg_sql.syntax.clickhouse import table_calls
from spark_iceberg_sql.syntax.clickhouse.clickhouse_alter import translate_alter
from spark_iceberg_sql.syntax.clickhouse.clickhouse_settings import DELETES_DATA, is_settings, settings_edits
from spark_iceberg_sql.syntax.clickhouse.clickhouse_tables import name_end, translate_create
from spark_iceberg_sql.syntax.clickhouse.function_calls import call_brackets as function_calls
from spark_iceberg_sql.syntax.clickhouse.function_calls import is_call
from spark_iceberg_sql.syntax.clickhouse.literal_calls import LiteralCall, literal_call
from spark_iceberg_sql.syntax.clickhouse.procedures import execute_call, optimize_call
from spark_iceberg_sql.syntax.identifiers import dotted
from spark_iceberg_sql.syntax.lexer import Token, TokenKind
from spark_iceberg_sql.syntax.script import Statement, statements

# A statement without any of these needs no translation: most are judged by this alone.
_CANDIDATE = re.compile(
    rf"\b(?:{'|'.join(sorted(NAMES))})\s*\(|\bsettings\s|\boptimize\s|\bdelete\s+where\b|\bdrop\s+table\b.*\bsync\b|"
    r"\balter\s+table\b.*(?:\b(?:add|modify|alter)\s+column\b|\bupdate\s|\bdelete\b|\bdrop\s+partition\b|\bexecute\s)",
    re.IGNORECASE | re.DOTALL,
)
_KEYWORDS = ("iceberg", "settings", "optimize", "delete", "add", "modify", "update", "alter", "execute", "sync")
_EXPLAIN = frozenset({"EXTENDED", "CODEGEN", "COST", "FORMATTED"})


@dataclass(frozen=True, slots=True)
class Attachment:
    """A location that needs a table name before the translated statement can run.

    call: of a table function, with the location. name: of the table, catalog first. is_new: the statement creates the
    table. has_user_name: the user has chosen the name.
    """

    call: LiteralCall
    name: tuple[str, ...]
    is_new: bool = False
    has_user_name: bool = False


@dataclass(frozen=True, slots=True)
class Translation:
    """A statement translated to Spark's syntax.

    text: the statement. attach: the tables to attach first. changed_table: the table that it changes, as the statement
    names it, if it names one. ignored: sentences about clauses without effect. retyped: the column whose type changes,
    and whether its new type takes NULL.
    """

    text: str
    attach: tuple[Attachment, ...] = ()
    changed_table: str | None = None
    ignored: tuple[str, ...] = ()
    retyped: tuple[str, bool] | None = None


def may_need_translation(text: str) -> bool:
    """True if a statement has any keyword of these translations; cheap on long texts."""
    if text.isascii():
        lower_text = text.lower()
        if not any(word in lower_text for word in _KEYWORDS):
            return False
    return _CANDIDATE.search(text) is not None


# The prefix of the names of catalogs that are made for a folder.
PATH_CATALOG_PREFIX = "path_"
PATH_TABLE = re.compile(rf"`?({PATH_CATALOG_PREFIX}[0-9a-f]{{12}})`?\.`?([^`\s;,]+?)`?(?=[\s;,.:]|$)")
# A function from where a table is to its name, catalog first.
Naming = Callable[[LiteralCall], tuple[str, ...]]


def path_table_name(folder: str) -> tuple[str, ...]:
    """A table's name in a catalog for the folder above it."""
    parent, _, table = folder.rstrip("/").rpartition("/")
    return PATH_CATALOG_PREFIX + hashlib.sha256(parent.encode()).hexdigest()[:12], table


def _name_by_path(call: LiteralCall) -> tuple[str, ...]:
    return path_table_name(call.first)


def translate(
    text: str, collections: Collection[str] = (), naming: Naming = _name_by_path, catalogs: Collection[str] = ()
) -> Translation | None:
    """A statement in Spark's syntax; None if it needs no translation.

    text: one statement. collections: the named collections, which may be the unquoted first argument of a function.
    naming: returns the name of a table that is written by path. catalogs: the session's, one of which may be the first
    of two parts of a name. Raises IcebergSqlError for ClickHouse syntax without an equivalent.
    """
    if not may_need_translation(text):
        return None
    statement_list = statements(text)
    if len(statement_list) != 1 or statement_list[0].compound:
        return None
    statement = statement_list[0]
    tokens = statement.tokens
    edits: list[Edit] = []
    ignored: list[str] = []
    if tokens[_after_explain(tokens)].word in ("OPTIMIZE", "ALTER"):
        removal = list(settings_edits(tokens, [], ignored))
        if removal:  # what is left may end in a clause that is translated
            remaining = _apply(text, removal)
            result = translate(remaining, collections, naming, catalogs) or Translation(remaining)
            return replace(result, ignored=(*ignored, *result.ignored))
    if (creation := translate_create(tokens, collections)) is not None:
        attachment = Attachment(creation.call, creation.name, creation.has_columns, has_user_name=True)
        edit = Edit(tokens[0].start, tokens[-1].end, creation.text)
        return Translation(_apply(text, [edit]), (attachment,), None, creation.ignored)
    attachments: list[Attachment] = []
    changed_tables: list[str] = []
    edits += _statement_edits(statement, tokens, attachments, changed_tables, naming, collections, catalogs)
    start_index = _after_explain(tokens)
    alteration = translate_alter(tokens[start_index:], text)
    if alteration is not None:
        changed_tables.append(alteration.changed_table)
        edits.append(Edit(alteration.start, tokens[-1].end, alteration.text))
    calls = list(function_calls(tokens))
    # The call of INSERT INTO FUNCTION has been replaced by a table name: its arguments need no edits.
    attached_ends = {edit.end for edit in edits} if attachments else set()
    calls = [(start, end) for start, end in calls if tokens[end].end not in attached_ends]
    for start, end in calls:
        edits += _call_edits(tokens, start, end, collections)
        edits += table_calls.trailing_edits(text, tokens, start, end)
    edits += settings_edits(tokens, calls, ignored)
    ignored += [text for attachment in attachments for text in _ignored_formats(attachment.call)]
    if not edits:
        return None
    retyped = None if alteration is None or alteration.column is None else (alteration.column, alteration.nullable)
    changed_table = changed_tables[0] if changed_tables else None
    return Translation(_apply(text, edits), tuple(attachments), changed_table, tuple(ignored), retyped)


def _apply(text: str, edits: list[Edit]) -> str:
    for edit in sorted(edits, key=lambda edit_key: (edit_key.start, edit_key.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


# ------------------------------------------------------------------------------ whole statements


def _after_explain(tokens: list[Token]) -> int:
    """The index after EXPLAIN."""
    if tokens[0].word != "EXPLAIN":
        return 0
    return 2 if len(tokens) > 1 and tokens[1].word in _EXPLAIN else 1


def _statement_edits(
    statement: Statement,
    tokens: list[Token],
    attachments: list[Attachment],
    changed_tables: list[str],
    naming: Naming,
    collections: Collection[str],
    catalogs: Collection[str],
) -> Iterator[Edit]:
    start_index = _after_explain(tokens)
    keywords = [token.word for token in tokens[start_index : start_index + 4]]
    statement_tokens = tokens[start_index:]
    if keywords[:1] in (["DESCRIBE"], ["DESC"], ["SHOW"]):
        yield from table_calls.statement_edits(statement_tokens)
    elif keywords[:2] == ["OPTIMIZE", "TABLE"]:
        yield from _optimize_edits(statement, statement_tokens, changed_tables, catalogs)
    elif keywords[:2] == ["ALTER", "TABLE"]:
        yield from _delete_edits(statement, statement_tokens, changed_tables)
        yield from _execute_edits(statement_tokens, changed_tables, catalogs)
    elif keywords[:2] == ["DROP", "TABLE"]:
        yield from _drop_edits(statement_tokens)
    elif keywords[:3] == ["INSERT", "INTO", "FUNCTION"]:
        yield from _insert_edits(statement_tokens, 3, attachments, naming, collections)
    elif keywords == ["INSERT", "INTO", "TABLE", "FUNCTION"]:
        yield from _insert_edits(statement_tokens, 4, attachments, naming, collections)


def _optimize_edits(
    statement: Statement, tokens: list[Token], changed_tables: list[str], catalogs: Collection[str]
) -> Iterator[Edit]:
    end = name_end(tokens, 2)
    call = optimize_call(_parts(tokens[2:end]), catalogs, " ".join(token.word for token in tokens[end:]))
    if end > 2 and call is not None:
        changed_tables.append(statement.script[tokens[2].start : tokens[end - 1].end])
        yield Edit(tokens[0].start, tokens[-1].end, call)


def _execute_edits(tokens: list[Token], changed_tables: list[str], catalogs: Collection[str]) -> Iterator[Edit]:
    end = name_end(tokens, 2)
    if 2 < end < len(tokens) - 1 and tokens[end].word == "EXECUTE":
        parts = _parts(tokens[2:end])
        if (call := execute_call(parts, catalogs, tokens[end + 1 :])) is not None:
            changed_tables.append(".".join(parts))
            yield Edit(tokens[0].start, tokens[-1].end, call)


def _parts(name: list[Token]) -> list[str]:
    return [token.text for token in name if token.text != "."]


def _delete_edits(statement: Statement, tokens: list[Token], changed_tables: list[str]) -> Iterator[Edit]:
    end = name_end(tokens, 2)
    if [token.word for token in tokens[end : end + 2]] == ["DELETE", "WHERE"]:
        changed_tables.append(statement.script[tokens[2].start : tokens[end - 1].end])
        yield Edit(tokens[0].start, tokens[end].end, f"DELETE FROM {changed_tables[0]}")
        if [token.text for token in tokens[end + 2 :]] == ["1"]:
            yield Edit(tokens[-1].start, tokens[-1].end, "true")


def _drop_edits(tokens: list[Token]) -> Iterator[Edit]:
    """DROP TABLE t SYNC. Raises IcebergSqlError for the setting that deletes the files."""
    start = 4 if [token.word for token in tokens[2:4]] == ["IF", "EXISTS"] else 2
    end = name_end(tokens, start)
    for setting, equals, value in zip(tokens[end:], tokens[end + 1 :], tokens[end + 2 :], strict=False):
        if setting.text.lower() in DELETES_DATA and equals.text == "=" and value.text.lower() not in ("0", "false"):
            name = "".join(token.text for token in tokens[start:end])
            statement = f"DROP TABLE {'IF EXISTS ' if start == 4 else ''}{name}"
            raise IcebergSqlError(
                f"`SETTINGS {setting.text}` is not supported",
                help=f"write {statement} to keep the files, or {statement} PURGE to delete them, too",
            )
    if start < end < len(tokens) and tokens[end].word == "SYNC":
        yield Edit(tokens[end - 1].end, tokens[end].end, "")


def _insert_edits(
    tokens: list[Token], index: int, attachments: list[Attachment], naming: Naming, collections: Collection[str]
) -> Iterator[Edit]:
    """INSERT INTO [TABLE] FUNCTION icebergLocal('/lake/t').

    index: that of the function's token.
    """
    if not is_call(tokens, index) or tokens[index].text.lower() not in BY_NAME:
        return
    closing_bracket = closing_index(tokens, index + 1)
    call = literal_call(tokens, index, collections) if closing_bracket < len(tokens) else None
    if call is None or not (call.positional or call.keywords):
        return
    name = naming(call)
    if not name[-1]:
        return
    attachments.append(Attachment(call, name))
    yield Edit(tokens[2].start, tokens[closing_bracket].end, dotted(name))


def _ignored_formats(call: LiteralCall) -> Iterator[str]:
    """A sentence if a call that is written to names a format of files: the table's property decides."""
    positional = [str(value) for _, value in call.positional[1:]]
    for file_format in (*positional, *(str(value) for name, value in call.keywords if name.lower() == "format")):
        if file_format.lower() in ("orc", "avro"):
            yield f"the format {file_format} is ignored: that of new files is the table's property write.format.default"


INTO_FUNCTION = (
    f"INSERT INTO FUNCTION takes {', '.join(function.name for function in FUNCTIONS)}, with literals as "
    "arguments: INSERT INTO FUNCTION icebergLocal('/lake/db/t') ..."
)


# ------------------------------------------------------------------------------ calls


def _call_edits(tokens: list[Token], opened: int, closed: int, collections: Collection[str]) -> Iterator[Edit]:
    function = BY_NAME.get(tokens[opened - 1].text.lower())
    location_position = 0 if function is None else function.location_position
    for number, (start, end) in enumerate(comma_ranges(tokens, opened + 1, closed)):
        marker = next((i for i in range(start, end) if is_settings(tokens, i, end)), None)
        if marker is not None:
            yield Edit(tokens[marker].start, tokens[marker + 1].start, "" if marker == start else ", ")
        name = start if marker is None else marker + 1
        if end - name >= 3 and tokens[name].kind is TokenKind.WORD and tokens[name + 1].text == "=":
            yield Edit(tokens[name + 1].start, tokens[name + 1].end, "=>")
        elif end - start == 1 and tokens[start].kind is TokenKind.WORD:
            word_token = tokens[start]
            is_collection = number == location_position and word_token.text in collections
            if word_token.word == "NOSIGN" or is_collection or number < location_position:
                text = word_token.word if word_token.word == "NOSIGN" else word_token.text
                yield Edit(word_token.start, word_token.end, f"'{text}'")
