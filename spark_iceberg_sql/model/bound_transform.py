"""A transform with its parameter, as a partition field of table metadata has it."""

from __future__ import annotations

from functools import lru_cache

from spark_iceberg_sql.lazy import cached_property, regex
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import BY_NAME, IDENTITY, TRANSFORMS
from spark_iceberg_sql.records import record

_METADATA = regex(r"^([a-z_]+)\[(\d+)\]$")


@record(frozen=True)
class BoundTransform:
    """A transform with its parameter, as a partition field has it: `bucket[16]`, `day`."""

    transform: Transform
    parameter: int | None = None

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """As metadata has it: `bucket[16]`."""
        name = self.transform.name
        return name if self.parameter is None else f"{name}[{self.parameter}]"

    @property
    def is_void(self) -> bool:
        """True for the transform that v1 leaves in place of a dropped field."""
        return self.transform.is_void

    def clause(self, source: str) -> str:
        """The DDL clause over a source column's text."""
        return self.transform.clause(source, self.parameter)


def from_metadata(text: str) -> BoundTransform:
    """The transform of a partition field in metadata.json, `bucket[16]`.

    One without a record (from a later spec) keeps its name and accepts any source: its limits are unknown, so no rule
    reports it.
    """
    match = _METADATA.match(text)
    name, parameter = (match.group(1), int(match.group(2))) if match else (text, None)
    transform = BY_NAME.get(name)
    if transform is None or (transform.parameter is None) != (parameter is None):
        transform = Transform(
            text, (text,), (), IDENTITY.sources, "any column", "not in this version of the spec", in_ddl=False
        )
        parameter = None
    return BoundTransform(transform, parameter)


@lru_cache(maxsize=256)
def bind_transform(name: str, parameter: int | None) -> BoundTransform:
    """The transform of that name with a parameter; cached, because the fields of many tables share it."""
    return BoundTransform(BY_NAME[name], parameter)


VOID = BoundTransform(next(t for t in TRANSFORMS if t.is_void))
