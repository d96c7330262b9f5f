"""Records: for their users and for `dataclasses`, no different from dataclasses."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from spark_iceberg_sql import records

MAKERS = {"record": (records.record, records.field), "dataclass": (dataclasses.dataclass, dataclasses.field)}
both = pytest.mark.parametrize("factories", MAKERS.values(), ids=MAKERS)


def point(factories: Any) -> Any:
    make, field = factories

    @make(frozen=True, slots=True)
    class Base:
        """A base."""

        x: int

    @make(frozen=True, slots=True, order=True)
    class Point(Base):
        """A point."""

        y: int = 2
        tags: list[str] = field(default_factory=list, compare=False)
        hidden: object = field(default=None, compare=False, repr=False)

        @property
        def sum(self) -> int:
            return self.x + self.y

    return Point


@records.record(frozen=True, slots=True)
class Kept:
    """A class that pickle can import."""

    name: str
    more: tuple[int, ...] = ()


@both
def test_values_defaults_and_methods(factories: Any) -> None:
    kind = point(factories)
    instance, other = kind(1), kind(x=1, tags=["a"], hidden=5)
    assert (instance.x, instance.y, instance.tags, instance.hidden, instance.sum) == (1, 2, [], None, 3)
    assert kind(3).tags is not kind(3).tags
    assert instance == other
    assert hash(instance) == hash(other)
    assert instance != kind(2)
    assert instance != (1, 2)
    assert instance < kind(1, 3) <= kind(2)
    assert kind(2) >= kind(1) > kind(0)
    assert repr(other).endswith("Point(x=1, y=2, tags=['a'])")
    assert not hasattr(instance, "__dict__")
    match instance:
        case kind(1, y):
            assert y == 2


@both
def test_what_it_refuses(factories: Any) -> None:
    kind = point(factories)
    instance = kind(1)
    for change in (lambda: setattr(instance, "x", 2), lambda: delattr(instance, "x")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    for wrong in (lambda: kind(), lambda: kind(1, z=2), lambda: kind(1, 2, [], None, 5), lambda: kind(1, x=1)):
        with pytest.raises(TypeError, match="__init__"):
            wrong()
    with pytest.raises(TypeError):
        _ = instance < 1


@both
def test_dataclasses_knows_its_fields(factories: Any) -> None:
    kind = point(factories)
    instance = dataclasses.replace(kind(1), y=7)
    assert (instance.x, instance.y) == (1, 7)
    assert records.replace(instance, x=3) == kind(3, 7)
    assert dataclasses.asdict(instance) == {"x": 1, "y": 7, "tags": [], "hidden": None}
    assert [(f.name, f.compare, f.repr) for f in dataclasses.fields(kind)] == [
        ("x", True, True),
        ("y", True, True),
        ("tags", False, True),
        ("hidden", False, False),
    ]


@both
def test_one_that_can_change_has_no_hash(factories: Any) -> None:
    make, field = factories

    @make(slots=True)
    class Tally:
        """Counts."""

        count: int = 0
        names: set[str] = field(default_factory=set)

    tally = Tally()
    tally.count += 1
    assert tally == Tally(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(tally)

    @make(frozen=True, eq=False)
    class Facts:
        """By identity."""

        text: str

    assert Facts("a") != Facts("a")
    assert hash(Facts("a"))


def test_copies() -> None:
    kept = Kept("a", (1,))
    assert pickle.loads(pickle.dumps(kept)) == copy.deepcopy(kept) == copy.copy(kept) == kept


@both
def test_a_class_that_would_go_wrong_later_is_refused_when_it_is_made(factories: Any) -> None:
    make, field = factories
    for fields, defaults, error in (
        ({"items": "list[int]"}, {"items": []}, ValueError),
        ({"items": "dict[str, int]"}, {"items": field(default={})}, ValueError),
        ({"first": "int", "second": "int"}, {"first": 1}, TypeError),
        ({"first": "list[int]", "second": "int"}, {"first": field(default_factory=list)}, TypeError),
    ):
        namespace = {"__annotations__": fields, "__module__": __name__, **defaults}
        with pytest.raises(error):
            make(frozen=True)(type("Wrong", (), namespace))


@pytest.mark.parametrize("annotation", ["ClassVar[int]", "typing.ClassVar[int]", "dataclasses.InitVar[int]", "KW_ONLY"])
def test_what_only_dataclasses_can_do_is_refused(annotation: str) -> None:
    namespace = {"__annotations__": {"shared": annotation}, "__module__": __name__, "shared": 1}
    with pytest.raises(TypeError, match="a record cannot have"):
        records.record()(type("Wrong", (), namespace))
