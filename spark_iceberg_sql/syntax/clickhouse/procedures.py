"""Maintenance in other engines' words as a CALL of Iceberg's procedure in Spark.

OPTIMIZE TABLE t [FINAL]                              CALL system.rewrite_data_files(table => 't', ...)
OPTIMIZE TABLE t MANIFEST                             CALL system.rewrite_manifests(table => 't')
ALTER TABLE t EXECUTE expire_snapshots('2026-01-01 00:00:00')
                                                      CALL system.expire_snapshots(table => 't', older_than => ...)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.syntax.brackets import between_commas, closing_index
from spark_iceberg_sql.syntax.identifiers import string_literal
from spark_iceberg_sql.syntax.lexer import STRINGS, Token
from spark_iceberg_sql.syntax.literals import unescape

# Iceberg's procedures in Spark, by the words of other engines.
PROCEDURES = {
    "add_files_from_table": "add_files",
    "compact": "rewrite_data_files",
    "optimize": "rewrite_data_files",
    "optimize_manifests": "rewrite_manifests",
}
_REWRITE_ALL_OPTIONS = "map('rewrite-all', 'true')"
_DELETE_OPTIONS = "map('delete-file-threshold', '1', 'min-input-files', '2')"
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?)?")
# What a procedure is to be called with where the arguments of a statement are not known to mean the same: it then
# deletes nothing, or nothing that was not asked for.
_SAFE_ARGUMENTS = {"expire_snapshots": {"older_than": "TIMESTAMP '...'"}, "remove_orphan_files": {"dry_run": "true"}}


class UnknownArgumentError(Exception):
    """A procedure has no such argument in Spark.

    procedure: Iceberg's. argument: as written. safe_arguments: those of a call to write instead.
    """

    def __init__(self, procedure: str, argument: str) -> None:
        super().__init__(argument)
        self.procedure, self.argument = procedure, argument
        self.safe_arguments = _SAFE_ARGUMENTS.get(procedure, {})


def table_procedure(
    table: Sequence[str], catalogs: Collection[str], procedure: str, arguments: Mapping[str, str]
) -> str:
    """The CALL of a procedure for a table.

    table: the parts of its name as written. catalogs: the session's, one of which may be the first of two parts.
    arguments: in SQL, by name, besides the table.
    """
    has_catalog = len(table) > 2 or (len(table) == 2 and table[0].strip("`") in catalogs)
    catalog = f"{table[0]}." if has_catalog else ""
    pairs = {"table": string_literal(".".join(table)), **arguments}
    return f"CALL {catalog}system.{procedure}({', '.join(f'{name} => {value}' for name, value in pairs.items())})"


def optimize_call(table: Sequence[str], catalogs: Collection[str], option: str) -> str | None:
    """The CALL for OPTIMIZE TABLE; None for other syntax. option: the words after the table's name."""
    if option == "MANIFEST":
        return table_procedure(table, catalogs, "rewrite_manifests", {})
    options = {"": _DELETE_OPTIONS, "FINAL": _REWRITE_ALL_OPTIONS}.get(option)
    return None if options is None else table_procedure(table, catalogs, "rewrite_data_files", {"options": options})


def execute_call(table: Sequence[str], catalogs: Collection[str], tokens: Sequence[Token]) -> str | None:
    """The CALL for ALTER TABLE ... EXECUTE; None for a procedure of another kind.

    tokens: after EXECUTE. Raises IcebergSqlError for an argument that does not mean the same in Spark.
    """
    try:
        procedure_arguments = execute_arguments(tokens)
    except UnknownArgumentError as error:
        raise IcebergSqlError(
            f"`{error.argument}` is no argument of Iceberg's procedure {error.procedure} in Spark",
            help=f"write {table_procedure(table, catalogs, error.procedure, error.safe_arguments)}",
        ) from None
    return None if procedure_arguments is None else table_procedure(table, catalogs, *procedure_arguments)


def execute_arguments(tokens: Sequence[Token]) -> tuple[str, dict[str, str]] | None:
    """Iceberg's procedure and its arguments for what follows EXECUTE; None for a procedure with other arguments.

    tokens: from the procedure's name on. Raises UnknownArgumentError for an argument that does not mean the same in
    Spark.
    """
    word = tokens[0].text.lower()
    procedure = PROCEDURES.get(word, word)
    readers = _ARGUMENTS.get(procedure)
    if readers is None:
        return None
    groups = _groups(tokens)
    if groups is None:
        return None
    arguments = {}
    for position, group in enumerate(groups):
        has_name = len(group) > 2 and group[1].text in ("=", "=>")
        name = group[0].text.lower() if has_name else _POSITIONAL.get(procedure) if position == 0 else None
        value = group[2:] if has_name else group
        reader = readers.get(name or "")
        argument = None if reader is None or name in arguments else reader(value)
        if argument is None:
            raise UnknownArgumentError(procedure, " ".join(token.text for token in group))
        if argument:
            arguments[name or ""] = argument
    return procedure, arguments


def _groups(tokens: Sequence[Token]) -> list[list[Token]] | None:
    """The arguments in brackets after a name; None for any other syntax."""
    if len(tokens) == 1:
        return []
    if tokens[1].text != "(" or closing_index(tokens, 1) != len(tokens) - 1:
        return None
    groups = between_commas(tokens[2:-1])
    return [] if groups == [[]] else groups if all(groups) else None


def _time(value: Sequence[Token]) -> str | None:
    if len(value) != 1 or value[0].kind not in STRINGS or not _TIME.fullmatch(unescape(value[0].text)):
        return None
    return f"TIMESTAMP {string_literal(unescape(value[0].text))}"


def _number(value: Sequence[Token]) -> str | None:
    return value[0].text if len(value) == 1 and value[0].text.isdecimal() else None


def _numbers(value: Sequence[Token]) -> str | None:
    """A list of integers in brackets as an array."""
    is_list = len(value) > 2 and (value[0].text, value[-1].text) == ("[", "]")
    numbers = [_number(group) for group in between_commas(value[1:-1])] if is_list else []
    return f"array({', '.join(n for n in numbers if n)})" if numbers and None not in numbers else None


def _true(value: Sequence[Token]) -> str | None:
    """`true`; empty for false; None for anything else."""
    text = value[0].text.lower() if len(value) == 1 else ""
    return "true" if text in ("1", "true") else "" if text in ("0", "false") else None


def _false(value: Sequence[Token]) -> str | None:
    """Empty for false; None for anything else: a procedure that cannot be tried without effect."""
    return "" if _true(value) == "" else None


_Reader = Callable[[Sequence[Token]], str | None]
# The arguments of each procedure that mean the same in ClickHouse and Spark.
_ARGUMENTS: Mapping[str, Mapping[str, _Reader]] = {
    "expire_snapshots": {"older_than": _time, "retain_last": _number, "snapshot_ids": _numbers, "dry_run": _false},
    "remove_orphan_files": {"older_than": _time, "dry_run": _true},
    "rewrite_data_files": {},
    "rewrite_manifests": {},
}
_POSITIONAL = {"expire_snapshots": "older_than", "remove_orphan_files": "older_than"}
