"""ClickHouse's spellings around its Iceberg functions -> statements that Spark has.

    iceberg('p', k = v)              iceberg('p', k => v)
    iceberg('p', SETTINGS k = v)     iceberg('p', k => v)
    icebergS3(conf, ...)             icebergS3('conf', ...) where `conf` is a named collection
    icebergS3('u', NOSIGN)           icebergS3('u', 'NOSIGN')
    SELECT ... SETTINGS k = v        k => v in each table function, or AS OF on the one table
    SETTINGS max_threads = 4         nothing: a setting of ClickHouse's engine is named as ignored
    OPTIMIZE TABLE t [FINAL]         CALL system.rewrite_data_files(table => 't', ...)
    ALTER TABLE t DELETE WHERE c     DELETE FROM t WHERE c
    INSERT INTO FUNCTION f('p') ...  INSERT INTO a table that must be attached to the path first (TABLE FUNCTION, too)

What follows a call, and the statements that show and describe one, are in table_calls.py; CREATE TABLE in
clickhouse_tables.py, the other ALTERs in clickhouse_alter.py.
All of the left side are errors in Spark, so no statement that Spark takes changes its meaning.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from spark_iceberg_sql.model.metadata_functions import NAMES
from spark_iceberg_sql.model.table_functions import FUNCTIONS
from spark_iceberg_sql.syntax import table_calls
from spark_iceberg_sql.syntax.brackets import closing
from spark_iceberg_sql.syntax.clickhouse_alter import altered
from spark_iceberg_sql.syntax.clickhouse_settings import arguments, is_settings, settings
from spark_iceberg_sql.syntax.clickhouse_tables import created, name_end
from spark_iceberg_sql.syntax.function_calls import Edit, is_call
from spark_iceberg_sql.syntax.function_calls import calls as function_calls
from spark_iceberg_sql.syntax.identifiers import dotted
from spark_iceberg_sql.syntax.lexer import Kind, Token
from spark_iceberg_sql.syntax.literal_calls import Call, literal_call
from spark_iceberg_sql.syntax.script import Statement, statements

# A statement without any of these needs no translation: most are judged by this alone.
_CANDIDATE = re.compile(
    rf"\b(?:{'|'.join(sorted(NAMES))})\s*\(|\bsettings\s|\boptimize\s|\bdelete\s+where\b|"
    r"\balter\s+table\b.*(?:\b(?:add|modify|alter)\s+column\b|\bupdate\s|\bdelete\b|\bdrop\s+partition\b)",
    re.IGNORECASE | re.DOTALL,
)
_WORDS = ("iceberg", "settings", "optimize", "delete", "add", "modify", "update", "alter")
_EXPLAIN = frozenset({"EXTENDED", "CODEGEN", "COST", "FORMATTED"})
_ALL = "map('rewrite-all', 'true')"
_DELETES = "map('delete-file-threshold', '1', 'min-input-files', '2')"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A location that needs a table name before the translated statement can run.

    call: of a table function, with the location. name: of the table, catalog first. is_new: the statement
    creates the table. has_user_name: the user has chosen the name.
    """

    call: Call
    name: tuple[str, ...]
    new: bool = False
    named: bool = False


@dataclass(frozen=True, slots=True)
class Translation:
    """A statement translated to Spark's syntax.

    text: the statement. attach: the tables to attach first. changed_table: the table that it changes, as the
    statement names it, if it names one. ignored: sentences about clauses without effect. retyped: the column
    whose type changes, and whether its new type takes NULL.
    """

    text: str
    attach: tuple[Attachment, ...] = ()
    writes: str | None = None
    ignored: tuple[str, ...] = ()
    retyped: tuple[str, bool] | None = None


def may_need_translation(text: str) -> bool:
    """True if a statement has any keyword of these translations; cheap on long texts."""
    if text.isascii():
        low = text.lower()
        if not any(word in low for word in _WORDS):
            return False
    return _CANDIDATE.search(text) is not None


# The prefix of the names of catalogs that are made for a folder.
OWN = "path_"
OWN_NAME = re.compile(rf"`?({OWN}[0-9a-f]{{12}})`?\.`?([^`\s;,]+?)`?(?=[\s;,.:]|$)")
# A function from where a table is to its name, catalog first.
Naming = Callable[[Call], tuple[str, ...]]


def own_name(folder: str) -> tuple[str, ...]:
    """A table's name in a catalog for the folder above it."""
    above, _, table = folder.rstrip("/").rpartition("/")
    return OWN + hashlib.sha256(above.encode()).hexdigest()[:12], table


def _own_name(call: Call) -> tuple[str, ...]:
    return own_name(call.first)


def translate(
    text: str,
    collections: Collection[str] = (),
    naming: Naming = _own_name,
    catalogs: Collection[str] = (),
) -> Translation | None:
    """A statement in Spark's syntax; None if it needs no translation.

    text: one statement. collections: the named collections, which may be the unquoted first argument of a
    function. naming: returns the name of a table that is written by path. catalogs: the session's, one of
    which may be the first of two parts of a name. Raises IcebergSqlError for ClickHouse syntax without an
    equivalent.
    """
    if not may_need_translation(text):
        return None
    found = statements(text)
    if len(found) != 1 or found[0].compound:
        return None
    statement = found[0]
    tokens = statement.tokens
    edits: list[Edit] = []
    made = created(tokens, collections)
    if made is not None:
        attachment = Attachment(made.call, made.name, made.new, named=True)
        edit = Edit(tokens[0].start, tokens[-1].end, made.text)
        return Translation(_applied(text, [edit]), (attachment,), None, made.ignored)
    attach: list[Attachment] = []
    writes: list[str] = []
    ignored: list[str] = []
    edits += _whole(statement, tokens, attach, writes, naming, collections, catalogs)
    begin = _begin(tokens)
    changed = altered(tokens[begin:], text)
    if changed is not None:
        writes.append(changed.writes)
        edits.append(Edit(changed.start, tokens[-1].end, changed.text))
    calls = list(function_calls(tokens))
    # The call of INSERT INTO FUNCTION has been replaced by a table name: its arguments need no edits.
    into = {edit.end for edit in edits} if attach else set()
    calls = [(start, end) for start, end in calls if tokens[end].end not in into]
    for start, end in calls:
        edits += _call(tokens, start, end, collections)
        edits += table_calls.behind(text, tokens, start, end)
    edits += settings(tokens, calls, ignored)
    if not edits:
        return None
    retyped = (
        None if changed is None or changed.column is None else (changed.column, changed.nullable)
    )
    wrote = writes[0] if writes else None
    return Translation(_applied(text, edits), tuple(attach), wrote, tuple(ignored), retyped)


def _applied(text: str, edits: list[Edit]) -> str:
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


# ------------------------------------------------------------------------------ whole statements


def _begin(tokens: list[Token]) -> int:
    """The index after EXPLAIN."""
    if tokens[0].word != "EXPLAIN":
        return 0
    return 2 if len(tokens) > 1 and tokens[1].word in _EXPLAIN else 1


def _whole(
    statement: Statement,
    tokens: list[Token],
    attach: list[Attachment],
    writes: list[str],
    naming: Naming,
    collections: Collection[str],
    catalogs: Collection[str],
) -> Iterator[Edit]:
    begin = _begin(tokens)
    words = [token.word for token in tokens[begin : begin + 4]]
    rest = tokens[begin:]
    if words[:1] in (["DESCRIBE"], ["DESC"], ["SHOW"]):
        yield from table_calls.whole(rest)
    elif words[:2] == ["OPTIMIZE", "TABLE"]:
        yield from _optimize(statement, rest, writes, catalogs)
    elif words[:2] == ["ALTER", "TABLE"]:
        yield from _delete(statement, rest, writes)
    elif words[:3] == ["INSERT", "INTO", "FUNCTION"]:
        yield from _insert(rest, 3, attach, naming, collections)
    elif words == ["INSERT", "INTO", "TABLE", "FUNCTION"]:
        yield from _insert(rest, 4, attach, naming, collections)


def _optimize(
    statement: Statement, tokens: list[Token], writes: list[str], catalogs: Collection[str]
) -> Iterator[Edit]:
    end = name_end(tokens, 2)
    final = [token.word for token in tokens[end:]] == ["FINAL"]
    if end == 2 or not (final or end == len(tokens)):
        return
    parts = [token.text for token in tokens[2:end] if token.text != "."]
    begins = len(parts) > 2 or (len(parts) == 2 and parts[0].strip("`") in catalogs)
    catalog = f"{parts[0]}." if begins else ""
    writes.append(statement.script[tokens[2].start : tokens[end - 1].end])
    name = writes[0].replace("'", "\\'")
    options = _ALL if final else _DELETES
    text = f"CALL {catalog}system.rewrite_data_files(table => '{name}', options => {options})"
    yield Edit(tokens[0].start, tokens[-1].end, text)


def _delete(statement: Statement, tokens: list[Token], writes: list[str]) -> Iterator[Edit]:
    end = name_end(tokens, 2)
    if [token.word for token in tokens[end : end + 2]] == ["DELETE", "WHERE"]:
        writes.append(statement.script[tokens[2].start : tokens[end - 1].end])
        yield Edit(tokens[0].start, tokens[end].end, f"DELETE FROM {writes[0]}")
        if [token.text for token in tokens[end + 2 :]] == ["1"]:
            yield Edit(tokens[-1].start, tokens[-1].end, "true")


def _insert(
    tokens: list[Token],
    at: int,
    attach: list[Attachment],
    naming: Naming,
    collections: Collection[str],
) -> Iterator[Edit]:
    """INSERT INTO [TABLE] FUNCTION icebergLocal('/lake/t').

    index: that of the function's token.
    """
    if not is_call(tokens, at) or tokens[at].text.lower() not in _WRITABLE:
        return
    close = closing(tokens, at + 1)
    call = literal_call(tokens, at, collections) if close < len(tokens) else None
    if call is None or not (call.positional or call.named):
        return
    name = naming(call)
    if not name[-1]:
        return
    attach.append(Attachment(call, name))
    yield Edit(tokens[2].start, tokens[close].end, dotted(name))


_WRITABLE = frozenset(name.lower() for function in FUNCTIONS for name in function.names)
INTO_FUNCTION = (
    f"INSERT INTO FUNCTION takes {', '.join(function.name for function in FUNCTIONS)}, with literals as "
    "arguments: INSERT INTO FUNCTION icebergLocal('/lake/db/t') ..."
)


# ------------------------------------------------------------------------------ calls


def _call(
    tokens: list[Token], opened: int, closed: int, collections: Collection[str]
) -> Iterator[Edit]:
    for number, (start, end) in enumerate(arguments(tokens, opened + 1, closed)):
        marker = next((i for i in range(start, end) if is_settings(tokens, i, end)), None)
        if marker is not None:
            after = tokens[marker + 1].start
            yield Edit(tokens[marker].start, after, "" if marker == start else ", ")
        name = start if marker is None else marker + 1
        if end - name >= 3 and tokens[name].kind is Kind.WORD and tokens[name + 1].text == "=":
            yield Edit(tokens[name + 1].start, tokens[name + 1].end, "=>")
        elif end - start == 1 and tokens[start].kind is Kind.WORD:
            bare = tokens[start]
            if bare.word == "NOSIGN" or (number == 0 and bare.text in collections):
                text = bare.word if bare.word == "NOSIGN" else bare.text
                yield Edit(bare.start, bare.end, f"'{text}'")
