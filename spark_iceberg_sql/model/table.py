"""A table as the checker knows it, and the kinds of relations that a name can refer to."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import Specs
from spark_iceberg_sql.records import field, record

Name = tuple[str, ...]

_PART = regex(r"`((?:[^`]|``)*)`|([^.`]+)")


def split_name(name: str) -> Name:
    """The parts of a dotted name in a string; backticks keep dots."""
    matches = _PART.findall(name)
    return tuple(quoted.replace("``", "`") or plain.strip() for quoted, plain in matches) or (name,)


class RelationKind(Enum):
    """The kind of relation that a name refers to."""

    ICEBERG = "an Iceberg table"
    OTHER = "not an Iceberg table"
    VIEW = "a view"
    METADATA = "an Iceberg metadata table"
    BRANCH = "a branch of an Iceberg table"


@record(frozen=True, slots=True)
class SortField:
    """A field of a sort order (spec: Sorting). direction, nulls: as DDL writes them: ASC, NULLS FIRST."""

    source_id: int
    transform: BoundTransform
    direction: str
    nulls: str


@record(frozen=True, slots=True)
class Table:
    """A table as far as it is known.

    name: fully qualified. schema: None if the columns are unknown. specs: None if the partitioning is
    unknown. format_version: None if unknown. provider: of a table that is not an Iceberg table.
    why_unknown: the reason for a None, for the user. is_certain: true if `kind` is certain. order: the
    default sort order; empty if it is unknown, too. sorted_by, identifiers: field ids of the columns of
    WRITE ORDERED BY and of SET IDENTIFIER FIELDS; None if unknown. references: branches and tags that
    statements have created (`branch`, `tag`) or dropped (empty), by name. no_snapshot_epoch:
    `Tables.others` at the time when the table was created without a snapshot; it has none while the two are
    equal. no_main_epoch: the same for a table whose branch `main` has no snapshot, as after CREATE OR
    REPLACE, which keeps the earlier snapshots. is_intended: true if its CREATE TABLE has an error, so that
    it is recorded as intended, and may be created again. is_partial: true if its specs lack fields that
    cannot be read.
    """

    name: Name
    schema: Schema | None = None
    specs: Specs | None = None
    kind: RelationKind = RelationKind.ICEBERG
    properties: Mapping[str, str] = field(default_factory=dict)
    provider: str | None = None
    last_column_id: int = 0
    why_unknown: str | None = None
    has_rows: bool = True
    is_certain: bool = True
    order: tuple[SortField, ...] = ()
    sorted_by: frozenset[int] | None = None
    identifiers: frozenset[int] | None = None
    references: Mapping[str, str] = field(default_factory=dict)
    no_snapshot_epoch: int | None = None
    no_main_epoch: int | None = None
    is_intended: bool = False
    is_partial: bool = False

    @property
    def format_version(self) -> int | None:
        """1, 2 or 3; None if unknown."""
        return self.specs.format_version if self.specs is not None else None

    @property
    def merges_on_read(self) -> bool:
        """True if DELETE, UPDATE or MERGE write delete files, which format version 1 does not have."""
        modes = (self.properties.get(f"write.{v}.mode") for v in ("delete", "update", "merge"))
        return self.format_version != 1 and "merge-on-read" in modes


@record(frozen=True, slots=True)
class MissingTable:
    """A name that is known not to exist; reason, help: in the user's terms."""

    name: Name
    reason: str
    help: str | None = None


def is_branch(name: str) -> bool:
    """True if the last part of a name is a branch or a tag, `t.branch_b`, if `t` is an Iceberg table."""
    return name.startswith(("branch_", "tag_"))
