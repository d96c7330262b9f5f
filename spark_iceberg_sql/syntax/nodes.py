"""What a statement says: one record per kind of statement that matters to partitioning; spans everywhere.

`ddl.read` makes them from tokens; rules, `check` and `plan` read them. Names are tuples of parts as the
user wrote them, backticks off. A span is a pair of offsets into the whole text, end excluded.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spark_iceberg_sql.model.types import Type

Offsets = tuple[int, int]
Name = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ref:
    """A name in the text: of a column, a field, a table. text: as written, backticks and all.

    computed: whether the name comes of an expression, as in `IDENTIFIER(v)`, and stands nowhere.
    """

    parts: Name
    span: Offsets
    text: str
    computed: bool = False


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant argument. kind: integer, decimal, string, typed (`DATE '...'`), parameter (`?`, `:n`).

    TRUE, FALSE and NULL are none: Spark takes them for columns there.

    value: the integer, for kind integer. suffix: `L`, `S`, `Y` or empty. text: as written.
    """

    kind: str
    text: str
    span: Offsets
    value: int | None = None
    suffix: str = ""


Argument = Ref | Literal


@dataclass(frozen=True, slots=True)
class Term:
    """A transform over a column, as written: `bucket(16, id)`; a bare column is identity.

    call: None for a bare column, else the transform's name as written. arguments: in order.
    name_span: of the transform's name (of the column, for a bare one).
    """

    call: str | None
    arguments: tuple[Argument, ...]
    span: Offsets
    name_span: Offsets

    @property
    def columns(self) -> tuple[Ref, ...]:
        """The arguments that are columns."""
        return tuple(a for a in self.arguments if isinstance(a, Ref))

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The arguments that are constants."""
        return tuple(a for a in self.arguments if isinstance(a, Literal))


@dataclass(frozen=True, slots=True)
class ColumnDef:
    """A column in a column list. type: None where Spark's runtime for Iceberg has no such type.

    type_text: the type as written. default, generated, constraint, position: spans of those clauses.
    after: the column of AFTER.
    """

    name: str
    span: Offsets
    type: Type | None
    type_text: str
    type_span: Offsets
    required: bool = False
    default: Offsets | None = None
    generated: Offsets | None = None
    constraint: Offsets | None = None
    position: Offsets | None = None
    after: Ref | None = None


@dataclass(frozen=True, slots=True)
class Property:
    """A key and value of TBLPROPERTIES or OPTIONS; value: the string's content."""

    key: str
    value: str
    key_span: Offsets
    value_span: Offsets


@dataclass(frozen=True, slots=True)
class Node:
    """A statement. span: from its first token to its last, the terminator excluded."""

    span: Offsets


@dataclass(frozen=True, slots=True)
class Create(Node):
    """CREATE, CREATE OR REPLACE or REPLACE TABLE, with or without AS SELECT.

    partitioning: None without PARTITIONED BY. typed_partitions: Hive's `PARTITIONED BY (dt string)`.
    query: the span of the query of AS SELECT. columns: None without a column list.
    provider: as written after USING, lower case. like: the table of CREATE TABLE ... LIKE.
    location: of LOCATION, the string's content and span. hive: whether STORED AS or ROW FORMAT stands there.
    """

    table: Ref
    create: bool = True
    replace: bool = False
    if_not_exists: bool = False
    external: bool = False
    columns: tuple[ColumnDef, ...] | None = None
    partitioning: tuple[Term, ...] | None = None
    partitioning_span: Offsets | None = None
    typed_partitions: tuple[ColumnDef, ...] = ()
    provider: str | None = None
    provider_span: Offsets | None = None
    properties: tuple[Property, ...] = ()
    options: tuple[Property, ...] = ()
    clustered_by: Offsets | None = None
    cluster_by: Offsets | None = None
    query: Offsets | None = None
    like: Ref | None = None
    location: tuple[str, Offsets] | None = None
    hive: bool = False


@dataclass(frozen=True, slots=True)
class AddField(Node):
    """ALTER TABLE t ADD PARTITION FIELD term [AS name]."""

    table: Ref
    term: Term
    name: Ref | None = None


@dataclass(frozen=True, slots=True)
class DropField(Node):
    """ALTER TABLE t DROP PARTITION FIELD term; a bare term may be a partition field's name."""

    table: Ref
    term: Term


@dataclass(frozen=True, slots=True)
class ReplaceField(Node):
    """ALTER TABLE t REPLACE PARTITION FIELD old WITH new [AS name]."""

    table: Ref
    old: Term
    new: Term
    name: Ref | None = None


@dataclass(frozen=True, slots=True)
class WriteOrder(Node):
    """ALTER TABLE t WRITE ...: how files are distributed and sorted; terms: of ORDERED BY, else none."""

    table: Ref
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class IdentifierFields(Node):
    """ALTER TABLE t SET / DROP IDENTIFIER FIELDS a, b.c."""

    table: Ref
    columns: tuple[Ref, ...]
    dropping: bool = False


@dataclass(frozen=True, slots=True)
class Reference(Node):
    """ALTER TABLE t CREATE / REPLACE / DROP BRANCH or TAG.

    what: `branch` or `tag`. verb: `create`, `replace`, `create or replace`, `drop`. lenient: IF EXISTS or IF
    NOT EXISTS. counts: the numbers of RETAIN and of SNAPSHOT RETENTION. version: the snapshot of AS OF VERSION.
    """

    table: Ref
    what: str
    verb: str
    name: Ref
    lenient: bool = False
    counts: tuple[Literal, ...] = ()
    version: Literal | None = None


@dataclass(frozen=True, slots=True)
class AddColumns(Node):
    """ALTER TABLE t ADD COLUMN(S): paths may be nested (`point.z`)."""

    table: Ref
    columns: tuple[tuple[Ref, ColumnDef], ...]


@dataclass(frozen=True, slots=True)
class DropColumns(Node):
    """ALTER TABLE t DROP COLUMN(S) [IF EXISTS]."""

    table: Ref
    columns: tuple[Ref, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn(Node):
    """ALTER TABLE t RENAME COLUMN old TO new."""

    table: Ref
    column: Ref
    new_name: Ref


@dataclass(frozen=True, slots=True)
class AlterColumn(Node):
    """ALTER TABLE t ALTER / CHANGE COLUMN: type None where only comment, place or NOT NULL change.

    required: True for SET NOT NULL, False for DROP NOT NULL, None unchanged. new_name: Hive's CHANGE.
    default: the span of SET or DROP DEFAULT. position: the span of FIRST or AFTER; after: its column.
    more: the other columns of `ALTER COLUMN a ..., b ...`.
    """

    table: Ref
    column: Ref
    type: Type | None = None
    type_text: str = ""
    type_span: Offsets | None = None
    required: bool | None = None
    new_name: Ref | None = None
    default: Offsets | None = None
    position: Offsets | None = None
    after: Ref | None = None
    more: tuple[AlterColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplaceColumns(Node):
    """ALTER TABLE t REPLACE COLUMNS (...)."""

    table: Ref
    columns: tuple[ColumnDef, ...]


@dataclass(frozen=True, slots=True)
class AlterConstraint(Node):
    """ALTER TABLE t ADD / DROP a constraint; clause: its span, from the verb on."""

    table: Ref
    clause: Offsets
    verb: str


@dataclass(frozen=True, slots=True)
class SetProperties(Node):
    """ALTER TABLE t SET / UNSET TBLPROPERTIES; `removed` for UNSET."""

    table: Ref
    properties: tuple[Property, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RenameTable(Node):
    """ALTER TABLE / VIEW t RENAME TO u."""

    table: Ref
    new_name: Ref


@dataclass(frozen=True, slots=True)
class HivePartition(Node):
    """ALTER TABLE t ADD / DROP / RENAME / RECOVER PARTITION(S): Hive's statements, not Iceberg's.

    So are MSCK REPAIR TABLE, SHOW PARTITIONS and TRUNCATE TABLE ... PARTITION.
    """

    table: Ref
    verb: str
    verb_span: Offsets


@dataclass(frozen=True, slots=True)
class DropTable(Node):
    """DROP TABLE [IF EXISTS] t [PURGE]."""

    table: Ref
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropNamespace(Node):
    """DROP NAMESPACE [IF EXISTS] n [CASCADE]."""

    namespace: Ref
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class Call(Node):
    """CALL of a procedure that makes or changes tables; catalog: the parts before `system`.

    tables: the names that it is given, each as its parts; None where one of them stands nowhere.
    """

    procedure: str
    catalog: Name = ()
    tables: tuple[Name, ...] | None = None


@dataclass(frozen=True, slots=True)
class CreateView(Node):
    """CREATE [OR REPLACE] [TEMPORARY] VIEW v."""

    view: Ref
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class TemporaryTable(Node):
    """CREATE TEMPORARY TABLE, which makes a temporary view over files.

    columns, partitioning: spans of those clauses. place: whether LOCATION or a path is given.
    """

    view: Ref
    provider: str
    columns: Offsets | None = None
    partitioning: Offsets | None = None
    place: bool = False


@dataclass(frozen=True, slots=True)
class DropView(Node):
    """DROP VIEW [IF EXISTS] v."""

    view: Ref


@dataclass(frozen=True, slots=True)
class Use(Node):
    """USE [CATALOG | NAMESPACE | DATABASE | SCHEMA] name; what: the keyword, lower case, or empty."""

    name: Ref
    what: str = ""


@dataclass(frozen=True, slots=True)
class Insert(Node):
    """INSERT INTO / OVERWRITE t [PARTITION (...)]; partition: the columns named there, with spans."""

    table: Ref
    overwrite: bool = False
    partition: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable(Node):
    """A statement that Spark's or Iceberg's grammar refuses: partition DDL, or a change of columns.

    at: the offending token. found, expected: for the message. like: the mistake's name in MISTAKES, empty
    where it is none of those. table: where it was readable. begun: of a CREATE TABLE, what was read before
    the stop.
    """

    at: Offsets
    found: str
    expected: str
    like: str = ""
    table: Ref | None = None
    begun: Create | None = None


@dataclass(frozen=True, slots=True)
class Templated(Node):
    """Partition DDL in which a template or parameter stands where a word is needed (`{{ }}`, `${}`).

    anything: whether it may be any statement, as EXECUTE IMMEDIATE of a variable may.
    """

    at: Offsets
    inside: Node | None = field(default=None)
    anything: bool = False


@dataclass(frozen=True, slots=True)
class Explain(Node):
    """EXPLAIN and the statement that it does not run."""

    inside: Node


@dataclass(frozen=True, slots=True)
class Immediate(Node):
    """EXECUTE IMMEDIATE of a text that stands in the statement; inside: the statement in it."""

    inside: Node


@dataclass(frozen=True, slots=True)
class Compound(Node):
    """A BEGIN ... END block of SQL scripting; inside: its statements that are not Other, in order."""

    inside: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class SetConfig(Node):
    """SET key = value, and SET TIME ZONE as its key; value: quotes off."""

    key: str
    value: str
    value_span: Offsets


@dataclass(frozen=True, slots=True)
class Other(Node):
    """A statement that does not change any table's partitioning: passes as it is."""
