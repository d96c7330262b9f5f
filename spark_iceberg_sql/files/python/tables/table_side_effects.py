"""Tables that a program creates, changes or drops without SQL: `df.writeTo("db.t").create()` and the like."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from spark_iceberg_sql.files.python.calls import method_of

# A program without any of these words has no such call, and none that Spark refuses or ignores (`insertInto`).
SIDE_EFFECT_WORDS = re.compile(
    r"writeTo|saveAsTable|insertInto|partitionedBy|toTable|create_?[tT]able|createExternalTable|register_table"
    r"|drop_table|purge_table|rename_table|update_schema|update_spec|transaction|notebook\.run|iceberg_|\.system\."
)
# Methods whose first argument names a table that they create, replace or drop.
_TABLE_METHODS = frozenset({
    "saveAsTable", "toTable", "createTable", "createExternalTable", "create_table",
    "create_table_if_not_exists", "create_table_transaction", "register_table", "drop_table",
    "purge_table", "rename_table",
})  # fmt: skip
# Methods that may change any table.
_ANY_TABLE_METHODS = frozenset({"update_schema", "update_spec", "transaction"})
# Methods of `df.writeTo(...)` that do not change the table's definition.
_ROW_METHODS = frozenset({"append", "overwrite", "overwritePartitions"})
# All methods that tell of a change of a table.
SIDE_EFFECT_METHODS = frozenset({"run", "writeTo", *_TABLE_METHODS, *_ANY_TABLE_METHODS, *_ROW_METHODS})
# Their keyword arguments that name a table.
_TABLE_KEYWORDS = frozenset({"name", "tableName", "table", "identifier", "from_identifier", "to_identifier"})

StringOf = Callable[[ast.expr], str | None]


def side_effect_calls(
    calls: Iterable[ast.Call], text_of: StringOf
) -> Iterator[tuple[ast.Call, tuple[str, ...] | None]]:
    """The calls that create, change or drop tables, with the names of these tables; None: any table.

    calls: those of SIDE_EFFECT_METHODS in the program. text_of: returns the value of a string literal.
    """
    method_calls = [call for call in calls if isinstance(call.func, ast.Attribute)]
    harmless = {
        id(inner)
        for call in method_calls
        if method_of(call) in _ROW_METHODS
        for inner in ast.walk(call.func)
        if isinstance(inner, ast.Call) and method_of(inner) == "writeTo"
    }
    for call in method_calls:
        method = method_of(call)
        if method in _ANY_TABLE_METHODS or (method == "run" and ast.unparse(call.func).endswith("notebook.run")):
            yield call, None
        elif method in _TABLE_METHODS or (method == "writeTo" and id(call) not in harmless):
            count = 2 if method == "rename_table" else 1
            table_arguments = [*call.args[:count], *(k.value for k in call.keywords if k.arg in _TABLE_KEYWORDS)]
            names = [text_of(value) for value in table_arguments[:count]]
            literal_names = tuple(name for name in names if name is not None)
            yield (call, literal_names if literal_names and len(literal_names) == len(names) else None)
