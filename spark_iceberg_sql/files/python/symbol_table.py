"""The symbol table of a program: the values of its names, by Python's scoping rules, if they are literals."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from spark_iceberg_sql.files.python.walking import children

_Position = tuple[int, int]
_TYPE_PARAMETERS = ("TypeVar", "ParamSpec", "TypeVarTuple")  # since Python 3.12
# The nodes that may bind a name, or that say to which scope one belongs.
_BINDING_KINDS = frozenset({
    ast.Name, ast.Assign, ast.AnnAssign, ast.For, ast.Global, ast.Nonlocal, ast.ImportFrom, ast.arg, ast.alias,
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar,
    ast.MatchMapping, *(getattr(ast, name) for name in _TYPE_PARAMETERS if hasattr(ast, name)),
})  # fmt: skip
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# The nodes that have a scope of their own, or that bind a name in an enclosing one.
_SCOPE_KINDS = frozenset({
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.NamedExpr, *_COMPREHENSIONS
})  # fmt: skip


@dataclass(eq=False)
class _Scope:
    """A scope: a module, class or function; a lambda or comprehension is a function, too.

    bindings: for each name the positions that bind it, and its values there; None if these are unknown.
    outer_names: the names that belong to another scope, True for `global`. star_imports: the positions of
    `import *`.
    """

    outer: _Scope | None = None
    kind: str = "module"
    bindings: dict[str, list[tuple[_Position, list[ast.expr] | None]]] = field(default_factory=dict)
    outer_names: dict[str, bool] = field(default_factory=dict)
    star_imports: list[_Position] = field(default_factory=list)

    def owner(self, name: str) -> _Scope | None:
        """The scope that binds a name used in this one; None if no scope does."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.outer_names:
                if scope.outer_names[name]:
                    return scope.module()
            # Python: the names of a class body are not visible in its methods.
            elif name in scope.bindings and (scope is self or scope.kind != "class"):
                return scope
            scope = scope.outer
        return None

    def module(self) -> _Scope:
        """The outermost scope."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope


class SymbolTable:
    """The names of a program. tree: the program."""

    def __init__(self, tree: ast.Module) -> None:
        self._scopes: dict[int, _Scope] = {}
        self._bindings: list[tuple[_Scope, str, _Position, list[ast.expr] | None]] = []
        # The value that the enclosing statement assigns to a name, and the end of the statement.
        self._assigned_values: dict[int, tuple[_Position, list[ast.expr]]] = {}
        stack: list[tuple[ast.AST, _Scope]] = [(tree, _Scope())]
        while stack:  # no recursion: a program may be nested more deeply than Python's limit
            node, scope = stack.pop()
            kind = type(node)
            if kind is ast.Name:
                self._scopes[id(node)] = scope
            if kind in _BINDING_KINDS:
                self._record(node, scope)
            if kind in _SCOPE_KINDS:
                stack += _scoped_children(node, scope)
            elif kind is not ast.Name:
                stack += [(child, scope) for child in children(node) if type(child) is not ast.Constant]
        # `global` and `nonlocal` need the bindings of the enclosing scopes, so these are read first.
        for scope, name, position, values in sorted(self._bindings, key=lambda b: b[1] in b[0].outer_names):
            owner = scope.owner(name) if name in scope.outer_names else scope
            (owner or scope).bindings.setdefault(name, []).append((position, values))

    def values(self, name: ast.Name) -> list[ast.expr]:
        """The possible values of a name; empty if they are unknown or the name is bound twice."""
        scope = self._scopes.get(id(name))
        owner = scope.owner(name.id) if scope is not None else None
        if owner is None or len(owner.bindings.get(name.id, ())) != 1:
            return []
        ((position, values),) = owner.bindings[name.id]
        # Before it is bound, a name in a class is that of the enclosing scope.
        enclosing = owner.outer.owner(name.id) if owner.outer and owner.kind == "class" else None
        is_before_binding = owner is scope and (name.lineno, name.col_offset) < position
        if values is None or is_before_binding or enclosing or any(star > position for star in owner.star_imports):
            return []
        return values

    def all_values(self, name: ast.Name) -> list[ast.expr]:
        """All possible values of a name, however often it is bound; empty if one is unknown."""
        scope = self._scopes.get(id(name))
        owner = scope.owner(name.id) if scope is not None else None
        bindings = owner.bindings.get(name.id, []) if owner is not None else []
        known_values = [values for _, values in bindings if values is not None]
        return [value for values in known_values for value in values] if len(known_values) == len(bindings) else []

    def is_same_name(self, name: ast.Name, other_name: ast.Name) -> bool:
        """True if two names with the same text belong to the same scope."""
        scopes = self._scopes.get(id(name)), self._scopes.get(id(other_name))
        first, second = (scope.owner(name.id) if scope is not None else None for scope in scopes)
        return name.id == other_name.id and first is second

    def _record(self, node: ast.AST, scope: _Scope) -> None:
        """Record the bindings of a node."""
        target: ast.expr | None = None
        values: list[ast.expr] = []
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, values = node.targets[0], [node.value]
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target, values = node.target, [node.value]
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.List | ast.Tuple):
            target, values = node.target, node.iter.elts
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Name):  # the values of a named list
            target, values = node.target, [ast.copy_location(ast.Starred(node.iter, ast.Load()), node.iter)]
        elif isinstance(node, ast.Global | ast.Nonlocal):
            scope.outer_names |= dict.fromkeys(node.names, isinstance(node, ast.Global))
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            scope.star_imports.append(_end(node))
        if isinstance(target, ast.Name) and values:
            self._assigned_values[id(target)] = _end(values[-1]), values
        for name in _bound_names(node):
            position, bound_values = self._assigned_values.get(id(node), ((0, 0), None))
            self._bindings.append((scope, name, position, bound_values))


def _bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a node binds."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, ast.MatchMapping):
        yield from [node.rest] if node.rest else ()
    elif isinstance(
        node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
    ):
        yield from [node.name] if node.name else ()
    elif type(node).__name__ in _TYPE_PARAMETERS:
        yield node.name  # type: ignore[attr-defined]


def _scoped_children(node: ast.AST, scope: _Scope) -> Iterator[tuple[ast.AST, _Scope]]:
    """The child nodes of a node of `_SCOPE_KINDS`, each with its scope."""
    inner_scope = scope
    inner_nodes: list[ast.AST] = []
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        function_args = node.args
        arguments = [
            *function_args.posonlyargs,
            *function_args.args,
            function_args.vararg,
            *function_args.kwonlyargs,
            function_args.kwarg,
        ]
        inner_nodes = [argument for argument in arguments if argument is not None]
        inner_nodes += node.body if isinstance(node.body, list) else [node.body]
        inner_scope = _Scope(scope, "function")
    elif isinstance(node, ast.ClassDef):
        inner_nodes = [*node.body]
        inner_scope = _Scope(scope, "class")
    elif isinstance(node, _COMPREHENSIONS):
        # Python evaluates the first iterable of a comprehension in the enclosing scope, and the others in its own.
        first = node.generators[0]
        inner_nodes = [child for child in children(node) if child is not first]
        inner_nodes += [child for child in children(first) if child is not first.iter]
        inner_scope = _Scope(scope, "comprehension")
        yield first.iter, scope
    parameters = getattr(node, "type_params", [])
    inner_ids = {id(child) for child in inner_nodes}
    for child in inner_nodes:
        yield child, inner_scope
    if isinstance(node, ast.NamedExpr):
        # PEP 572: `:=` in a comprehension binds the name in the enclosing function or module.
        while scope.kind == "comprehension" and scope.outer is not None:
            scope = scope.outer
        yield node.target, scope
        yield node.value, inner_scope
    elif not isinstance(node, _COMPREHENSIONS):
        for child in children(node):
            if isinstance(child, ast.arguments):
                for value in (*child.defaults, *child.kw_defaults):
                    if value is not None:
                        yield value, scope
            elif id(child) not in inner_ids:
                yield child, inner_scope if child in parameters else scope


def _end(node: ast.stmt | ast.expr) -> _Position:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
