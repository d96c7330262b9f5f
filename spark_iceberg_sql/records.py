"""`@record`: a dataclass that is created in a tenth of the time, for the classes that each start of the command needs.

`dataclasses` compiles up to six functions for each class. Here a class's `__init__` is compiled when its
first
instance is created, and the other methods are shared. For type checkers a record is a dataclass; for
`dataclasses` too
(`fields`, `replace`, `asdict`). Not supported: `init=False`, `kw_only`, `ClassVar`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter, ge, gt, le, lt
from operator import eq as eq_
from typing import TYPE_CHECKING, Any

__all__ = ["field", "record", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass as record
    from dataclasses import field, replace
else:
    _MISSING: Any = type("_Missing", (), {"__repr__": lambda _: "<default>"})()

    # As annotations read in a module with `from __future__ import annotations`.
    _UNSUPPORTED = tuple(
        f"{module}{name}" for name in ("ClassVar", "InitVar", "KW_ONLY") for module in ("", "typing.", "dataclasses.")
    )

    class field:  # noqa: N801
        """The part of `dataclasses.field` that records need."""

        __slots__ = ("compare", "default", "default_factory", "repr")

        def __init__(
            self, *, default: Any = _MISSING, default_factory: Any = None, compare: bool = True, repr: bool = True
        ) -> None:
            self.default, self.default_factory = default, default_factory
            self.compare, self.repr = compare, repr

    def replace(instance: Any, /, **changes: Any) -> Any:
        """The same record or dataclass with other values for some fields."""
        cls = type(instance)
        read = _READERS.get(cls)
        if read is None:
            read = _READERS[cls] = _values(cls.__match_args__)
        values = dict(zip(cls.__match_args__, read(instance), strict=True))
        values.update(changes)
        return cls(**values)

    def record(*, frozen: bool = False, slots: bool = False, eq: bool = True, order: bool = False) -> Any:
        """Make the class below a record; the arguments are those of `dataclasses.dataclass`."""

        def make(cls: type) -> type:
            namespace = dict(vars(cls))
            fields = dict(getattr(cls, "_record_fields", ()))
            for name in cls.__annotations__:
                default = namespace.pop(name, _MISSING)
                fields[name] = default if isinstance(default, field) else field(default=default)
            _refuse_unsupported(cls, fields)
            namespace.pop("__dict__", None)
            namespace.pop("__weakref__", None)
            if slots:
                namespace["__slots__"] = tuple(cls.__annotations__)

            def first(self: Any, *args: Any, **kwargs: Any) -> None:
                record_class.__init__ = _init(record_class, frozen=frozen)
                record_class.__init__(self, *args, **kwargs)

            namespace.update(
                _record_fields=fields,
                __match_args__=tuple(fields),
                __dataclass_fields__=_Fields(),
                __init__=first,
                __reduce__=_reduce,
            )
            namespace.setdefault("__repr__", _repr)
            if eq:
                compared_names = [name for name, record_field in fields.items() if record_field.compare]
                namespace.setdefault("__eq__", _compared(compared_names, eq_))
                if namespace.get("__hash__") is None:
                    namespace["__hash__"] = _hash(compared_names) if frozen else None
            if order:
                namespace.update(_order(compared_names))
            if frozen:
                namespace.update(__setattr__=_frozen, __delattr__=_frozen)
            record_class = type(cls)(cls.__name__, cls.__bases__, namespace)
            return record_class

        return make

    def _refuse_unsupported(cls: type, fields: dict[str, field]) -> None:
        """Raise what `dataclasses` raises, or TypeError for what only `dataclasses` can do."""
        optional = None
        for name, spec in fields.items():
            annotation = str(cls.__annotations__.get(name, ""))
            if annotation.startswith(_UNSUPPORTED):
                raise TypeError(f"{cls.__qualname__}.{name}: a record cannot have a {annotation}")
            if type(spec.default).__hash__ is None:
                raise ValueError(
                    f"mutable default {type(spec.default)} for field {name} is not allowed: use default_factory"
                )
            if spec.default is not _MISSING or spec.default_factory is not None:
                optional = name
            elif optional is not None:
                raise TypeError(f"non-default argument {name!r} follows default argument {optional!r}")

    def _init(cls: type, *, frozen: bool) -> Callable[..., None]:
        """The `__init__` that `dataclasses` would write."""
        namespace = {"_set": object.__setattr__, "_missing": _MISSING}
        parameters, body = ["self"], ["pass"]
        for name, record_field in cls._record_fields.items():
            value = name
            if record_field.default_factory is not None:
                namespace[f"_{name}"] = record_field.default_factory
                parameters.append(f"{name}=_missing")
                value = f"_{name}() if {name} is _missing else {name}"
            elif record_field.default is not _MISSING:
                namespace[f"_{name}"] = record_field.default
                parameters.append(f"{name}=_{name}")
            else:
                parameters.append(name)
            body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        compiled: dict[str, Any] = {}
        exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(body), namespace, compiled)
        init = compiled["__init__"]
        init.__qualname__ = f"{cls.__qualname__}.__init__"
        return init

    def _values(names: Sequence[str]) -> Callable[[Any], Any]:
        """A function that returns the values of some fields of a record as a tuple, by which records are compared."""
        if len(names) == 1:
            return lambda self, name=names[0]: (getattr(self, name),)
        return attrgetter(*names) if names else lambda _: ()

    _READERS: dict[type, Callable[[Any], Any]] = {}

    def _compared(names: list[str], comparison: Callable[[Any, Any], bool]) -> Callable[..., bool]:
        values = _values(names)

        def compared(self: Any, other: object) -> bool:
            if type(other) is not type(self):
                return NotImplemented
            return comparison(values(self), values(other))

        return compared

    def _order(names: list[str]) -> dict[str, Callable[..., bool]]:
        return {f"__{comparison.__name__}__": _compared(names, comparison) for comparison in (lt, le, gt, ge)}

    def _hash(names: list[str]) -> Callable[[Any], int]:
        values = _values(names)
        return lambda self: hash(values(self))

    def _repr(self: Any) -> str:
        names = (name for name, record_field in self._record_fields.items() if record_field.repr)
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    def _reduce(self: Any) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)

    def _frozen(self: Any, name: str, *_: object) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    class _Fields:
        """The fields of a record's class in the form of `dataclasses`, created on first access."""

        def __get__(self, instance: Any, owner: type) -> Any:
            import dataclasses

            rows = []
            for name, record_field in vars(owner)["_record_fields"].items():
                options = {"compare": record_field.compare, "repr": record_field.repr}
                if record_field.default_factory is not None:
                    options["default_factory"] = record_field.default_factory
                elif record_field.default is not _MISSING:
                    options["default"] = record_field.default
                rows.append((name, Any, dataclasses.field(**options)))
            fields = dataclasses.make_dataclass(owner.__name__, rows).__dataclass_fields__
            owner.__dataclass_fields__ = fields
            return fields
