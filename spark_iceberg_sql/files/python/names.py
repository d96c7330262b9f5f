"""The symbol table of a program: the values of its names, by Python's scoping rules, if they are literals."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

_Place = tuple[int, int]


@dataclass(eq=False)
class _Scope:
    """A scope: a module, class or function; a lambda or comprehension is a function, too.

    bindings: for each name the positions that bind it, and its values there; None if these are unknown.
    outer_names: the names that belong to another scope, True for `global`. star_imports: the positions of
    `import *`.
    """

    outer: _Scope | None = None
    kind: str = "module"
    bound: dict[str, list[tuple[_Place, list[ast.expr] | None]]] = field(default_factory=dict)
    elsewhere: dict[str, bool] = field(default_factory=dict)
    stars: list[_Place] = field(default_factory=list)

    def owner(self, name: str) -> _Scope | None:
        """The scope that binds a name used in this one; None if no scope does."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.elsewhere:
                if scope.elsewhere[name]:
                    return scope.module()
            # Python: the names of a class body are not visible in its methods.
            elif name in scope.bound and (scope is self or scope.kind != "class"):
                return scope
            scope = scope.outer
        return None

    def module(self) -> _Scope:
        """The outermost scope."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope


class Names:
    """The names of a program. tree: the program."""

    def __init__(self, tree: ast.Module) -> None:
        self._used: dict[int, _Scope] = {}
        self._bound: list[tuple[_Scope, str, _Place, list[ast.expr] | None]] = []
        # The value that the enclosing statement assigns to a name, and the end of the statement.
        self._given: dict[int, tuple[_Place, list[ast.expr]]] = {}
        waiting: list[tuple[ast.AST, _Scope]] = [(tree, _Scope())]
        while waiting:  # no recursion: a program may be nested more deeply than Python's limit
            node, scope = waiting.pop()
            self._note(node, scope)
            waiting += _within(node, scope)
        # `global` and `nonlocal` need the bindings of the enclosing scopes, so these are read first.
        for scope, name, place, values in sorted(self._bound, key=lambda b: b[1] in b[0].elsewhere):
            owner = scope.owner(name) if name in scope.elsewhere else scope
            (owner or scope).bound.setdefault(name, []).append((place, values))

    def values(self, name: ast.Name) -> list[ast.expr]:
        """The possible values of a name; empty if they are unknown or the name is bound twice."""
        scope = self._used.get(id(name))
        owner = scope.owner(name.id) if scope is not None else None
        if owner is None or len(owner.bound.get(name.id, ())) != 1:
            return []
        ((place, values),) = owner.bound[name.id]
        # Before it is bound, a name in a class is that of the enclosing scope.
        around = owner.outer.owner(name.id) if owner.outer and owner.kind == "class" else None
        early = owner is scope and (name.lineno, name.col_offset) < place
        if values is None or early or around or any(star > place for star in owner.stars):
            return []
        return values

    def every(self, name: ast.Name) -> list[ast.expr]:
        """All possible values of a name, however often it is bound; empty if one is unknown."""
        scope = self._used.get(id(name))
        owner = scope.owner(name.id) if scope is not None else None
        bound = owner.bound.get(name.id, []) if owner is not None else []
        known = [values for _, values in bound if values is not None]
        return [value for values in known for value in values] if len(known) == len(bound) else []

    def same(self, one: ast.Name, other: ast.Name) -> bool:
        """True if two names with the same text belong to the same scope."""
        scopes = self._used.get(id(one)), self._used.get(id(other))
        first, second = (scope.owner(one.id) if scope is not None else None for scope in scopes)
        return one.id == other.id and first is second

    def _note(self, node: ast.AST, scope: _Scope) -> None:
        """Record the bindings of a node."""
        target: ast.expr | None = None
        values: list[ast.expr] = []
        if isinstance(node, ast.Name):
            self._used[id(node)] = scope
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, values = node.targets[0], [node.value]
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target, values = node.target, [node.value]
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.List | ast.Tuple):
            target, values = node.target, node.iter.elts
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Name):
            target, values = node.target, [_each(node.iter)]
        elif isinstance(node, ast.Global | ast.Nonlocal):
            scope.elsewhere |= dict.fromkeys(node.names, isinstance(node, ast.Global))
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            scope.stars.append(_end(node))
        if isinstance(target, ast.Name) and values:
            self._given[id(target)] = _end(values[-1]), values
        for name in _names_bound(node):
            place, known = self._given.get(id(node), ((0, 0), None))
            self._bound.append((scope, name, place, known))


def _names_bound(node: ast.AST) -> Iterator[str]:
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
        node,
        (
            ast.FunctionDef,
            ast.AsyncFunctionDef,
            ast.ClassDef,
            ast.ExceptHandler,
            ast.MatchAs,
            ast.MatchStar,
        ),
    ):
        yield from [node.name] if node.name else ()
    elif type(node).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple"):  # since Python 3.12
        yield node.name  # type: ignore[attr-defined]


def _within(node: ast.AST, scope: _Scope) -> Iterator[tuple[ast.AST, _Scope]]:
    """The child nodes of a node, each with its scope."""
    inner = scope
    inside: list[ast.AST] = []
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        given = node.args
        arguments = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
        inside = [argument for argument in arguments if argument is not None]
        inside += node.body if isinstance(node.body, list) else [node.body]
        inner = _Scope(scope, "function")
    elif isinstance(node, ast.ClassDef):
        inside = [*node.body]
        inner = _Scope(scope, "class")
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        # Python evaluates the first iterable of a comprehension in the enclosing scope, and the others in its
        # own.
        first = node.generators[0]
        inside = [child for child in ast.iter_child_nodes(node) if child is not first]
        inside += [child for child in ast.iter_child_nodes(first) if child is not first.iter]
        inner = _Scope(scope, "comprehension")
        yield first.iter, scope
    parameters = getattr(node, "type_params", [])
    apart = {id(child) for child in inside}
    for child in inside:
        yield child, inner
    if isinstance(node, ast.NamedExpr):
        # PEP 572: `:=` in a comprehension binds the name in the enclosing function or module.
        while scope.kind == "comprehension" and scope.outer is not None:
            scope = scope.outer
        yield node.target, scope
        yield node.value, inner
    elif not isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.arguments):
                for value in (*child.defaults, *child.kw_defaults):
                    if value is not None:
                        yield value, scope
            elif id(child) not in apart:
                yield child, inner if child in parameters else scope


def _each(listed: ast.Name) -> ast.expr:
    """The values of a named list."""
    return ast.copy_location(ast.Starred(listed, ast.Load()), listed)


def _end(node: ast.stmt | ast.expr) -> _Place:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
