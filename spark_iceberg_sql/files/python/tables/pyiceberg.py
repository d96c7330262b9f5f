"""Tables created and partitioned with pyiceberg, as SQL statements.

`create_table` becomes a CREATE TABLE and one ADD PARTITION FIELD for each field of the PartitionSpec, since pyiceberg
allows what ADD PARTITION FIELD allows; `update_spec().add_field(...)` and `remove_field(...)` become ALTER TABLE.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from spark_iceberg_sql.files.python.calls import argument, method_of, name_span
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.python.tables.dataframe_writers import WriterStatement
from spark_iceberg_sql.files.python.tables.partition_terms import add_name, string
from spark_iceberg_sql.files.python.tables.pyiceberg_schema import (
    column_by_name,
    partition_fields,
    schema_columns,
    table_name,
    transform_parts,
    unknown_id_override,
)
from spark_iceberg_sql.files.source import ExtractionProblem
from spark_iceberg_sql.files.source_map import (
    FragmentBuilder,
    MessageOverride,
    Offsets,
    SqlFragment,
    side_effect_marker,
)

API = "pyiceberg"
_CREATE_METHODS = ("create_table", "create_table_if_not_exists")
_LOAD_METHODS = frozenset({"load_table", *_CREATE_METHODS})
_CHANGE_METHODS = frozenset({"add_field", "add_identity", "remove_field"})
_MAX_BLOCKS = 50  # how many enclosing blocks and earlier bindings are considered
_SPEC_METHODS = _CHANGE_METHODS | {"commit"}
_IN_TRANSACTION = "create_table_transaction"
_NOT_LITERAL = "the program computes the table's name, schema or partition fields"
_ANY_CASE = "`update_spec` may ignore the case of column names here"
_HELP = "write the values in the call, or compare `table.spec()` with the intended spec"


def pyiceberg_statements(program: Program) -> list[WriterStatement | ExtractionProblem]:
    """The statements that are equivalent to a program's calls of pyiceberg, and the calls that cannot be read."""
    if "pyiceberg" not in program.full_text:
        return []
    results: list[WriterStatement | ExtractionProblem] = []
    for call in program.calls_of((*_CREATE_METHODS, _IN_TRANSACTION)):
        if not method_of(call):
            continue
        create_statements = list(_create_statements(program, call)) if method_of(call) in _CREATE_METHODS else []
        results += create_statements
        if not create_statements and _may_have_spec(call):
            results.append(_problem(program, call, _NOT_LITERAL))
    return [*results, *_SpecUpdates(program).statements()]


def _may_have_spec(call: ast.Call) -> bool:
    """True if a call that creates a table has a partition spec, or may have one by `*` or `**`."""
    spec = argument(call, 3, "partition_spec")
    if spec is not None:
        return not (isinstance(spec, ast.Constant) and spec.value is None)
    return any(isinstance(value, ast.Starred) for value in call.args) or any(k.arg is None for k in call.keywords)


def _problem(program: Program, call: ast.Call, reason: str) -> ExtractionProblem:
    return ExtractionProblem(program.part, *program.span(call), reason, _HELP)


def _create_statements(program: Program, call: ast.Call) -> Iterator[WriterStatement]:
    """CREATE TABLE and its partition fields; nothing if the schema is not a literal."""
    table, schema = argument(call, 0, "identifier"), argument(call, 1, "schema")
    columns = schema_columns(program, program.definition(schema)) if schema is not None else None
    name = table_name(program, table) if table is not None else None
    if table is None or columns is None or name is None or any(k.arg is None for k in call.keywords):
        return
    spec = argument(call, 3, "partition_spec")
    fields = partition_fields(program, program.definition(spec)) if spec is not None else []
    if fields is None:
        return
    table_span = program.span(table)
    builder = FragmentBuilder(program.part)
    builder.begin_literal(is_exclusive=False)
    builder.add("CREATE TABLE ", *name_span(program, call))
    builder.add(name, *table_span)
    builder.add(" (" + ", ".join(f"`{c}` {kind}" for c, kind in columns.columns) + ") USING iceberg", *table_span)
    _add_properties(program, argument(call, 5, "properties"), builder)
    overrides: list[MessageOverride] = []
    for field, field_parts in fields:
        builder.add("\n;\n", *([program.span(field)[0]] * 2))
        builder.add("ALTER TABLE ", *program.span(field.func))
        builder.add(name, *table_span)
        builder.add(" ADD PARTITION FIELD ", *([program.span(field)[0]] * 2))
        source, transform, field_name = field_parts
        definition = program.definition(source)
        path = columns.paths_by_id.get(definition.value) if isinstance(definition, ast.Constant) else None
        path = path or column_by_name(program, source)
        # A literal id without a field is an error of the program; an id that is computed is unknown.
        if path is None and not isinstance(definition, ast.Constant):
            return
        column_text = path or f"`{program.source(source)}`"
        if path is None:
            overrides.append(unknown_id_override(program, source, columns))
        transform_pair = transform_parts(program, transform, overrides)
        if transform_pair is None:
            return
        _add_term(builder, transform_pair, (column_text, source), program, transform)
        if field_name is not None and (transform_pair[0], program.string_value(field_name)) != (
            "identity",
            column_text,
        ):
            _add_field_name(program, field_name, builder)
    fragment = replace(builder.build(), api=API, overrides=tuple(overrides))
    if method_of(call) == "create_table":
        yield WriterStatement((call,), fragment)
        return
    names = (name,)  # it may exist, with other columns and fields
    yield WriterStatement((call,), replace(fragment, side_effects=names))
    yield WriterStatement((call,), side_effect_marker(program.span(call)[1], program.part, names))


def _add_term(
    builder: FragmentBuilder,
    transform_pair: tuple[str, str],
    column: tuple[str, ast.expr],
    program: Program,
    transform: ast.expr,
) -> None:
    """`bucket(16, id)`: name and number at the transform's position, the column at its own."""
    name, number = transform_pair
    span = program.span(transform)
    if name != "identity":
        builder.add(name, *span)
        builder.add("(", span[0], span[0])
        if number:
            builder.add(number, *span)
            builder.add(", ", span[0], span[0])
    text, column_node = column
    if program.string_value(column_node) == text:
        add_name(program, column_node, builder)
    else:
        builder.add(text, *program.span(column_node))
    if name != "identity":
        builder.add(")", span[1], span[1])


def _add_field_name(program: Program, name: ast.expr | None, builder: FragmentBuilder) -> None:
    """The name of a field."""
    if name is None or (isinstance(name, ast.Constant) and name.value is None):
        return
    builder.add(" AS ", *([program.span(name)[0]] * 2))
    text = program.string_value(name)
    if text is None:
        builder.add_placeholder(*program.span(name), program.source(name))
    else:
        quoted = text if text.isidentifier() and text.isascii() else "`" + text.replace("`", "``") + "`"
        builder.add(quoted, *program.span(name))


def _add_properties(program: Program, value: ast.expr | None, builder: FragmentBuilder) -> None:
    """TBLPROPERTIES, from a dictionary literal."""
    definition = program.definition(value) if value is not None else None
    if not isinstance(definition, ast.Dict):
        return
    pairs = []
    for key, item in zip(definition.keys, definition.values, strict=True):
        name = program.string_value(key) if key is not None else None
        content = program.string_value(item)
        if isinstance(item, ast.Constant) and type(item.value) is int:
            content = str(item.value)
        if key is not None and name is not None and content is not None:
            pairs.append((key, name, item, content))
    for number, (key, name, item, content) in enumerate(pairs):
        builder.add(", " if number else " TBLPROPERTIES (", *([program.span(key)[0]] * 2))
        builder.add(string(name), *program.span(key))
        builder.add(" = ", *([program.span(item)[0]] * 2))
        builder.add(string(content), *program.span(item))
    if pairs:
        builder.add(")", *([program.span(pairs[-1][2])[1]] * 2))


class _SpecUpdates:
    """The changes of partition specs in a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._blocks_by_name: dict[str, list[tuple[Offsets, ast.Name, ast.expr]]] = {}
        for node in program.nodes:
            for item in node.items if isinstance(node, ast.With) else ():
                if isinstance(item.optional_vars, ast.Name) and isinstance(node, ast.With):
                    block = program.span(node), item.optional_vars, item.context_expr
                    self._blocks_by_name.setdefault(item.optional_vars.id, []).append(block)
        for blocks in self._blocks_by_name.values():
            blocks.sort(key=lambda block: block[0])

    def statements(self) -> Iterator[WriterStatement | ExtractionProblem]:
        """Each `add_field` and `remove_field` as its ALTER TABLE, and those that cannot be read."""
        calls_by_update: dict[int, tuple[ast.Call, list[ast.Call]]] = {}
        unread_updates: set[int] = set()
        for call in self._program.calls:
            if not isinstance(call.func, ast.Attribute):
                continue
            update = self._update_call(call.func.value)
            if update is None:
                continue
            if method_of(call) in _CHANGE_METHODS:
                calls_by_update.setdefault(id(update), (update, []))[1].append(call)
            elif method_of(call) not in _SPEC_METHODS:
                unread_updates.add(id(update))
        for update, calls in calls_by_update.values():
            calls.sort(key=lambda call: self._program.span(call)[1])
            statements = [(call, self._statement(update, call)) for call in calls]
            # Only if every change is read, the call of update_spec() itself is no unknown change of the table.
            is_complete = id(update) not in unread_updates and all(fragment is not None for _, fragment in statements)
            for call, fragment in statements:
                if fragment is not None:
                    yield WriterStatement((update, call) if is_complete else (call,), fragment)
                else:
                    reason = _NOT_LITERAL if _is_case_sensitive(update) else _ANY_CASE
                    yield _problem(self._program, call, reason)

    def _update_call(self, value: ast.expr, depth: int = 0) -> ast.Call | None:
        """The call of `update_spec` that returned the value of an expression."""
        if depth > 50:
            return None
        if isinstance(value, ast.Name):
            owner = self._context_value(value) or self._program.definition(value)
            return self._update_call(owner, depth + 1) if owner is not None else None
        method = method_of(value)
        if method == "update_spec" and isinstance(value, ast.Call):
            return value
        if method in _CHANGE_METHODS | {"rename_field"} and isinstance(value, ast.Call):
            owner = value.func.value if isinstance(value.func, ast.Attribute) else None
            return self._update_call(owner, depth + 1) if owner is not None else None
        return None

    def _context_value(self, name: ast.Name) -> ast.expr | None:
        """The expression that the innermost `with ... as name` around a name binds it to."""
        span = self._program.span(name)
        blocks = self._blocks_by_name.get(name.id, [])
        index = bisect_left(blocks, span[0], key=lambda block: block[0][0])
        recent = reversed(blocks[max(index - _MAX_BLOCKS, 0) : index])
        enclosing_blocks = (block for block in recent if span[1] <= block[0][1])
        return next((v for _, target, v in enclosing_blocks if self._program.symbols.is_same_name(name, target)), None)

    def _table_name(self, value: ast.expr) -> str | None:
        """The name of the table that an expression refers to."""
        if isinstance(value, ast.Name):
            owner = self._program.definition(value)
            owners = [owner] if owner is not None else self._program.symbols.all_values(value)
            if len(owners) > _MAX_BLOCKS or any(isinstance(owner, ast.Name) for owner in owners):
                return None
            names = {self._table_name(owner) for owner in owners}
            return names.pop() if len(names) == 1 else None
        if isinstance(value, ast.Call) and method_of(value) in _LOAD_METHODS:
            table = argument(value, 0, "identifier")
            return table_name(self._program, table) if table is not None else None
        return None

    def _statement(self, update: ast.Call, call: ast.Call) -> SqlFragment | None:
        program = self._program
        builder = FragmentBuilder(program.part)
        builder.begin_literal(is_exclusive=False)
        builder.add("ALTER TABLE ", *name_span(program, call))
        owner = update.func.value if isinstance(update.func, ast.Attribute) else update
        name = self._table_name(owner)
        if name is not None:
            builder.add(name, *program.span(owner))
        else:
            builder.add_placeholder(*program.span(owner), program.source(owner))
        method = method_of(call)
        if method == "remove_field":
            dropped = argument(call, 0, "name")
            if dropped is None or program.string_value(dropped) is None:
                return None
            builder.add(" DROP PARTITION FIELD ", *name_span(program, call))
            add_name(program, dropped, builder)
            return replace(builder.build(), api=API)
        if not _is_case_sensitive(update):
            return None
        column = argument(call, 0, "source_column_name")
        transform = argument(call, 1, "transform")
        overrides: list[MessageOverride] = []
        transform_pair = ("identity", "") if method == "add_identity" else None
        if method == "add_field" and transform is not None:
            transform_pair = transform_parts(program, transform, overrides)
        if (
            column is None
            or transform_pair is None
            or (text := program.string_value(column)) is None
            or (not all(part.isidentifier() and part.isascii() for part in text.split(".")))
        ):
            return None
        builder.add(" ADD PARTITION FIELD ", *name_span(program, call))
        _add_term(builder, transform_pair, (text, column), program, transform or column)
        if method == "add_field":
            _add_field_name(program, argument(call, 2, "partition_field_name"), builder)
        return replace(builder.build(), api=API, overrides=tuple(overrides))


def _is_case_sensitive(update: ast.Call) -> bool:
    """True if `update_spec(case_sensitive=True)` certainly compares column names case-sensitively."""
    arguments = [*update.args, *(k.value for k in update.keywords)]
    return all(isinstance(value, ast.Constant) and value.value is True for value in arguments)
