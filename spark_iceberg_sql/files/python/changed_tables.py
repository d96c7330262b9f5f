"""Tables that a program creates, changes or drops without SQL: `df.writeTo("db.t").create()` and the like."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

# A program without any of these words has no such call, and none that Spark refuses (`insertInto`).
MENTIONED = re.compile(
    r"writeTo|saveAsTable|insertInto|toTable|create_?[tT]able|createExternalTable|register_table"
    r"|drop_table|purge_table|rename_table|update_schema|update_spec|transaction|notebook\.run|iceberg_|\.system\."
)
# Methods whose first argument names a table that they create, replace or drop.
_NAMING = frozenset({
    "saveAsTable", "toTable", "createTable", "createExternalTable", "create_table",
    "create_table_if_not_exists", "create_table_transaction", "register_table", "drop_table",
    "purge_table", "rename_table",
})  # fmt: skip
# Methods that may change any table.
_ANY = frozenset({"update_schema", "update_spec", "transaction"})
# Methods of `df.writeTo(...)` that do not change the table's definition.
_WRITING = frozenset({"append", "overwrite", "overwritePartitions"})

Names = Callable[[ast.expr], str | None]


def makers(
    nodes: Iterable[ast.AST], text_of: Names
) -> Iterator[tuple[ast.Call, tuple[str, ...] | None]]:
    """The calls that create, change or drop tables, with the names of these tables; None: any table.

    nodes: those of the program's tree. text_of: returns the value of a string literal.
    """
    calls = [
        node
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    harmless = {
        id(inner)
        for call in calls
        if _method(call) in _WRITING
        for inner in ast.walk(call.func)
        if isinstance(inner, ast.Call) and _method(inner) == "writeTo"
    }
    for call in calls:
        method = _method(call)
        if method in _ANY or (method == "run" and ast.unparse(call.func).endswith("notebook.run")):
            yield call, None
        elif method in _NAMING or (method == "writeTo" and id(call) not in harmless):
            count = 2 if method == "rename_table" else 1
            given = [*call.args[:count], *(k.value for k in call.keywords if _names(k.arg))]
            found = [text_of(value) for value in given[:count]]
            known = tuple(name for name in found if name is not None)
            yield call, known if known and len(known) == len(found) else None


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _names(keyword: str | None) -> bool:
    """True if a keyword argument is a table's name."""
    return keyword in (
        "name",
        "tableName",
        "table",
        "identifier",
        "from_identifier",
        "to_identifier",
    )
