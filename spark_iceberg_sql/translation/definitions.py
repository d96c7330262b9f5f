"""What a statement of partition DDL says, in no engine's syntax, and why an engine cannot say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.syntax.lexer import Token

Name = tuple[str, ...]
FILE_FORMAT = "write.format.default"
_FILE_FORMATS = ("parquet", "orc", "avro")


@dataclass(frozen=True, slots=True)
class FieldTerm:
    """A partition field: a transform of a source column, which is the parts of its name.

    name: the field's own name; None if it is unknown, or the default one.
    """

    transform: BoundTransform
    source: Name
    name: str | None = None


@dataclass(frozen=True, slots=True)
class TableDefinition:
    """A CREATE TABLE.

    table: the parts of its name. comments: of columns, by name. terms: the partition fields, in order. location: of its
    files; None if the catalog decides. properties: Iceberg's, by key. query: of CREATE TABLE ... AS SELECT, for Spark;
    the schema is empty then.
    """

    table: Name
    schema: Schema
    comments: Mapping[str, str]
    terms: tuple[FieldTerm, ...]
    replaces: bool = False
    if_not_exists: bool = False
    comment: str | None = None
    location: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    query: str | None = None


@dataclass(frozen=True, slots=True)
class SpecChange:
    """An ALTER TABLE that changes the partition spec.

    dropped, added: partition fields. remaining: all fields after it; None if the table is not known.
    """

    table: Name
    dropped: tuple[FieldTerm, ...]
    added: tuple[FieldTerm, ...]
    remaining: tuple[FieldTerm, ...] | None


Definition = TableDefinition | SpecChange


def unsupported(fact: str, help_text: str, line: int | None = None) -> IcebergSqlError:
    """The refusal of what an engine cannot say. line: where it is in a program; None for a statement."""
    error = IcebergSqlError(fact, help=help_text)
    if line is not None:
        vars(error)["line"] = line
    return error


_LOSSES: ContextVar[list[str] | None] = ContextVar("losses", default=None)


@contextmanager
def losses() -> Iterator[list[str]]:
    """What the statement that is read in the block says and Spark cannot say, one sentence for each."""
    lost: list[str] = []
    token = _LOSSES.set(lost)
    try:
        yield lost
    finally:
        _LOSSES.reset(token)


def lose(fact: str) -> None:
    """Leave out a part of the statement that is read. fact: what, and why. Raises IcebergSqlError outside `losses`."""
    lost = _LOSSES.get()
    if lost is None:
        raise unsupported(fact, "leave it out")
    if fact not in lost:
        lost.append(fact)


def no_partition_ddl(tokens: Sequence[Token], engine: str, help_text: str) -> IcebergSqlError:
    """The refusal of a statement of an engine that is none of those translated. tokens: its own."""
    return unsupported(
        f"`{' '.join(token.text for token in tokens[:3])} ...` is no partition DDL of {engine}", help_text
    )


def refuse_parts(
    definition: TableDefinition, engine: str, *, replaces: bool, comment: bool, properties: Set[str] | None
) -> None:
    """Refuse the parts of a CREATE TABLE that an engine does not have.

    replaces, comment: whether it has CREATE OR REPLACE, and a comment of the table. properties: Iceberg's that it has;
    None for all.
    """
    if definition.replaces and not replaces:
        raise unsupported(f"{engine} has no CREATE OR REPLACE TABLE", "write CREATE TABLE")
    if definition.comment is not None and not comment:
        raise unsupported(f"{engine} has no comment of an Iceberg table", "leave out COMMENT after the columns")
    unknown = [key for key in definition.properties if properties is not None and key not in properties]
    if unknown:
        (key, *_) = unknown
        raise unsupported(f"{engine} has no table property `{key}`", f"leave out '{key}'")


def refuse_upper_case(definition: TableDefinition, engine: str) -> None:
    """Refuse names of columns that an engine would store in lower case."""
    for column in definition.schema.columns:
        if column.field.name != column.field.name.lower():
            raise unsupported(
                f"{engine} stores names in lower case, so that `{column.name}` would be another name",
                f"write `{column.name.lower()}`",
            )


def top_level(term: FieldTerm, engine: str) -> str:
    """The name of a field's source column. Raises IcebergSqlError if the column is inside a struct."""
    if len(term.source) != 1:
        raise unsupported(
            f"`{'.'.join(term.source)}` is inside a struct, and whether {engine} partitions by it is not certain",
            "partition by a column of the table",
        )
    return term.source[0]


def default_named(term: FieldTerm, engine: str) -> FieldTerm:
    """The field. Raises IcebergSqlError if its name is not one that an engine gives by default."""
    source, transform = ".".join(term.source), term.transform
    defaults = (transform.transform.create_name(source), transform.transform.alter_name(source, transform.parameter))
    if term.name is not None and term.name not in defaults:
        raise unsupported(f"{engine} cannot name a partition field `{term.name}`", f"leave out AS {term.name}")
    return term


def file_format_properties(file_format: str) -> dict[str, str]:
    """Iceberg's property for a file format. Raises IcebergSqlError for one that Iceberg does not write."""
    if file_format.lower() not in _FILE_FORMATS:
        raise unsupported(f"Iceberg has no file format `{file_format}`", "write PARQUET, ORC or AVRO")
    return {FILE_FORMAT: file_format.lower()}
