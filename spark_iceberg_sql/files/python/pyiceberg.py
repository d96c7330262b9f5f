"""Tables created and partitioned with pyiceberg, as SQL statements.

`create_table` becomes a CREATE TABLE and one ADD PARTITION FIELD for each field of the PartitionSpec, since pyiceberg
allows what ADD PARTITION FIELD allows; `update_spec().add_field(...)` and `remove_field(...)` become ALTER TABLE.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from spark_iceberg_sql.files.python.calls import argument, method_of, name_place
from spark_iceberg_sql.files.python.dataframe_writers import Written
from spark_iceberg_sql.files.python.partition_terms import add_name, string
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.python.pyiceberg_schema import (
    columns_of,
    fields_of,
    found_by_name,
    identifier,
    no_such_id,
    transform_of,
)
from spark_iceberg_sql.files.source import Unread
from spark_iceberg_sql.files.source_map import Offsets, Piece, PieceMaker, Said, anything

API = "pyiceberg"
_CREATES = ("create_table", "create_table_if_not_exists")
_LOADS = frozenset({"load_table", *_CREATES})
_CHANGES = frozenset({"add_field", "add_identity", "remove_field"})
_RECENT = 50  # how many enclosing blocks and earlier bindings are considered
_KNOWN = _CHANGES | {"commit"}
_IN_TRANSACTION = "create_table_transaction"
_NOT_LITERAL = "the program computes the table's name, schema or partition fields"
_ANY_CASE = "`update_spec` may ignore the case of column names here"
_HELP = "write the values in the call, or compare `table.spec()` with the intended spec"


def pyiceberg_statements(program: Program) -> list[Written | Unread]:
    """The statements that are equivalent to a program's calls of pyiceberg, and the calls that cannot be read."""
    if "pyiceberg" not in program.everything:
        return []
    found: list[Written | Unread] = []
    for call in program.nodes:
        if not isinstance(call, ast.Call) or method_of(call) not in (*_CREATES, _IN_TRANSACTION):
            continue
        created = list(_created(program, call)) if method_of(call) in _CREATES else []
        found += created
        if not created and _may_have_spec(call):
            found.append(_unread(program, call, _NOT_LITERAL))
    return [*found, *_Updates(program).written()]


def _may_have_spec(call: ast.Call) -> bool:
    """True if a call that creates a table has a partition spec, or may have one by `*` or `**`."""
    spec = argument(call, 3, "partition_spec")
    if spec is not None:
        return not (isinstance(spec, ast.Constant) and spec.value is None)
    return any(isinstance(value, ast.Starred) for value in call.args) or any(
        k.arg is None for k in call.keywords
    )


def _unread(program: Program, call: ast.Call, why: str) -> Unread:
    return Unread(program.part, *program.place(call), why, _HELP)


def _created(program: Program, call: ast.Call) -> Iterator[Written]:
    """CREATE TABLE and its partition fields; nothing if the schema is not a literal."""
    table, schema = argument(call, 0, "identifier"), argument(call, 1, "schema")
    columns = columns_of(program, program.bound(schema)) if schema is not None else None
    name = identifier(program, table) if table is not None else None
    if (
        table is None
        or columns is None
        or name is None
        or any(k.arg is None for k in call.keywords)
    ):
        return
    spec = argument(call, 3, "partition_spec")
    fields = fields_of(program, program.bound(spec)) if spec is not None else []
    if fields is None:
        return
    at = program.place(table)
    maker = PieceMaker(program.part)
    maker.literal(own=False)
    maker.add("CREATE TABLE ", *name_place(program, call))
    maker.add(name, *at)
    maker.add(" (" + ", ".join(f"`{c}` {kind}" for c, kind in columns.top) + ") USING iceberg", *at)
    _properties(program, argument(call, 5, "properties"), maker)
    said: list[Said] = []
    for field, parts in fields:
        maker.add("\n;\n", *([program.place(field)[0]] * 2))
        maker.add("ALTER TABLE ", *program.place(field.func))
        maker.add(name, *at)
        maker.add(" ADD PARTITION FIELD ", *([program.place(field)[0]] * 2))
        source, transform, named = parts
        meant = program.bound(source)
        path = columns.by_id.get(meant.value) if isinstance(meant, ast.Constant) else None
        path = path or found_by_name(program, source)
        # A literal id without a field is an error of the program; an id that is computed is unknown.
        if path is None and not isinstance(meant, ast.Constant):
            return
        text = path or f"`{program.source(source)}`"
        if path is None:
            said.append(no_such_id(program, source, columns))
        spelt = transform_of(program, transform, said)
        if spelt is None:
            return
        _term(maker, spelt, (text, source), program, transform)
        if named is not None and (spelt[0], program.words(named)) != ("identity", text):
            _named(program, named, maker)
    piece = replace(maker.piece(), api=API, said=tuple(said))
    if method_of(call) == "create_table":
        yield Written((call,), piece)
        return
    names = (name,)  # it may exist, with other columns and fields
    yield Written((call,), replace(piece, made=names))
    yield Written((call,), anything(program.place(call)[1], program.part, names))


def _term(
    maker: PieceMaker,
    spelt: tuple[str, str],
    column: tuple[str, ast.expr],
    program: Program,
    transform: ast.expr,
) -> None:
    """`bucket(16, id)`: name and number at the transform's position, the column at its own."""
    name, number = spelt
    at = program.place(transform)
    if name != "identity":
        maker.add(name, *at)
        maker.add("(", at[0], at[0])
        if number:
            maker.add(number, *at)
            maker.add(", ", at[0], at[0])
    text, place = column
    if program.words(place) == text:
        add_name(program, place, maker)
    else:
        maker.add(text, *program.place(place))
    if name != "identity":
        maker.add(")", at[1], at[1])


def _named(program: Program, name: ast.expr | None, maker: PieceMaker) -> None:
    """The name of a field."""
    if name is None or (isinstance(name, ast.Constant) and name.value is None):
        return
    maker.add(" AS ", *([program.place(name)[0]] * 2))
    text = program.words(name)
    if text is None:
        maker.hole(*program.place(name), program.source(name))
    else:
        plain = text.isidentifier() and text.isascii()
        quoted = text if plain else "`" + text.replace("`", "``") + "`"
        maker.add(quoted, *program.place(name))


def _properties(program: Program, value: ast.expr | None, maker: PieceMaker) -> None:
    """TBLPROPERTIES, from a dictionary literal."""
    meant = program.bound(value) if value is not None else None
    if not isinstance(meant, ast.Dict):
        return
    found = []
    for key, item in zip(meant.keys, meant.values, strict=True):
        name = program.words(key) if key is not None else None
        content = program.words(item)
        if isinstance(item, ast.Constant) and type(item.value) is int:
            content = str(item.value)
        if key is not None and name is not None and content is not None:
            found.append((key, name, item, content))
    for number, (key, name, item, content) in enumerate(found):
        maker.add(", " if number else " TBLPROPERTIES (", *([program.place(key)[0]] * 2))
        maker.add(string(name), *program.place(key))
        maker.add(" = ", *([program.place(item)[0]] * 2))
        maker.add(string(content), *program.place(item))
    if found:
        maker.add(")", *([program.place(found[-1][2])[1]] * 2))


class _Updates:
    """The changes of partition specs in a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._within: dict[str, list[tuple[Offsets, ast.Name, ast.expr]]] = {}
        for node in program.nodes:
            for item in node.items if isinstance(node, ast.With) else ():
                if isinstance(item.optional_vars, ast.Name) and isinstance(node, ast.With):
                    block = program.place(node), item.optional_vars, item.context_expr
                    self._within.setdefault(item.optional_vars.id, []).append(block)
        for blocks in self._within.values():
            blocks.sort(key=lambda block: block[0])

    def written(self) -> Iterator[Written | Unread]:
        """Each `add_field` and `remove_field` as its ALTER TABLE, and those that cannot be read."""
        found: dict[int, tuple[ast.Call, list[ast.Call]]] = {}
        other: set[int] = set()
        for call in self._program.nodes:
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            update = self._update(call.func.value)
            if update is None:
                continue
            if method_of(call) in _CHANGES:
                found.setdefault(id(update), (update, []))[1].append(call)
            elif method_of(call) not in _KNOWN:
                other.add(id(update))
        for update, calls in found.values():
            calls.sort(key=lambda call: self._program.place(call)[1])
            pieces = [(call, self._statement(update, call)) for call in calls]
            # Only if every change is read, the call of update_spec() itself is no unknown change of the
            # table.
            read = id(update) not in other and all(piece is not None for _, piece in pieces)
            for call, piece in pieces:
                if piece is not None:
                    yield Written((update, call) if read else (call,), piece)
                else:
                    why = _NOT_LITERAL if _minds_case(update) else _ANY_CASE
                    yield _unread(self._program, call, why)

    def _update(self, value: ast.expr, depth: int = 0) -> ast.Call | None:
        """The call of `update_spec` that returned the value of an expression."""
        if depth > 50:
            return None
        if isinstance(value, ast.Name):
            owner = self._opened(value) or self._program.bound(value)
            return self._update(owner, depth + 1) if owner is not None else None
        method = method_of(value)
        if method == "update_spec" and isinstance(value, ast.Call):
            return value
        if method in _CHANGES | {"rename_field"} and isinstance(value, ast.Call):
            owner = value.func.value if isinstance(value.func, ast.Attribute) else None
            return self._update(owner, depth + 1) if owner is not None else None
        return None

    def _opened(self, name: ast.Name) -> ast.expr | None:
        """The expression that the innermost `with ... as name` around a name binds it to."""
        at = self._program.place(name)
        blocks = self._within.get(name.id, [])
        before = bisect_left(blocks, at[0], key=lambda block: block[0][0])
        recent = reversed(blocks[max(before - _RECENT, 0) : before])
        around = (block for block in recent if at[1] <= block[0][1])
        return next((v for _, target, v in around if self._program.same(name, target)), None)

    def _table(self, value: ast.expr) -> str | None:
        """The name of the table that an expression refers to."""
        if isinstance(value, ast.Name):
            owner = self._program.bound(value)
            owners = [owner] if owner is not None else self._program.every(value)
            if len(owners) > _RECENT or any(isinstance(owner, ast.Name) for owner in owners):
                return None
            names = {self._table(owner) for owner in owners}
            return names.pop() if len(names) == 1 else None
        if isinstance(value, ast.Call) and method_of(value) in _LOADS:
            table = argument(value, 0, "identifier")
            return identifier(self._program, table) if table is not None else None
        return None

    def _statement(self, update: ast.Call, call: ast.Call) -> Piece | None:
        program = self._program
        maker = PieceMaker(program.part)
        maker.literal(own=False)
        maker.add("ALTER TABLE ", *name_place(program, call))
        owner = update.func.value if isinstance(update.func, ast.Attribute) else update
        name = self._table(owner)
        if name is not None:
            maker.add(name, *program.place(owner))
        else:
            maker.hole(*program.place(owner), program.source(owner))
        method = method_of(call)
        if method == "remove_field":
            dropped = argument(call, 0, "name")
            if dropped is None or program.words(dropped) is None:
                return None
            maker.add(" DROP PARTITION FIELD ", *name_place(program, call))
            add_name(program, dropped, maker)
            return replace(maker.piece(), api=API)
        if not _minds_case(update):
            return None
        column = argument(call, 0, "source_column_name")
        transform = argument(call, 1, "transform")
        said: list[Said] = []
        spelt = ("identity", "") if method == "add_identity" else None
        if method == "add_field" and transform is not None:
            spelt = transform_of(program, transform, said)
        if column is None or spelt is None or (text := program.words(column)) is None:
            return None
        if not all(part.isidentifier() and part.isascii() for part in text.split(".")):
            return None
        maker.add(" ADD PARTITION FIELD ", *name_place(program, call))
        _term(maker, spelt, (text, column), program, transform or column)
        if method == "add_field":
            _named(program, argument(call, 2, "partition_field_name"), maker)
        return replace(maker.piece(), api=API, said=tuple(said))


def _minds_case(update: ast.Call) -> bool:
    """True if `update_spec(case_sensitive=True)` certainly compares column names case-sensitively."""
    given = [*update.args, *(k.value for k in update.keywords)]
    return all(isinstance(value, ast.Constant) and value.value is True for value in given)
