"""Statement nodes: one record per kind of statement that matters to partitioning.

`parser.parse` makes them from tokens; rules, `check` and `plan` read them.
"""

from __future__ import annotations

from spark_iceberg_sql.model.types import Type
from spark_iceberg_sql.records import field, record
from spark_iceberg_sql.syntax.terms import ColumnDef, Literal, Name, NamePath, Offsets, Property, Term


@record(frozen=True, slots=True)
class Node:
    """A statement. span: from its first token to its last, the terminator excluded."""

    span: Offsets


@record(frozen=True, slots=True)
class OnTable(Node):
    """A statement about one table."""

    table: NamePath


@record(frozen=True, slots=True)
class Create(OnTable):
    """CREATE, CREATE OR REPLACE or REPLACE TABLE, with or without AS SELECT.

    partitioning: None without PARTITIONED BY. typed_partitions: Hive's `PARTITIONED BY (dt string)`.
    query: the span of the query of AS SELECT. columns: None without a column list.
    provider: as written after USING, lower case. like_table: the table of CREATE TABLE ... LIKE.
    location: of LOCATION, the string's content and span. hive: the statement has STORED AS or ROW FORMAT.
    """

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
    like_table: NamePath | None = None
    location: tuple[str, Offsets] | None = None
    hive: bool = False


@record(frozen=True, slots=True)
class AddField(OnTable):
    """ALTER TABLE t ADD PARTITION FIELD term [AS name]."""

    term: Term
    name: NamePath | None = None


@record(frozen=True, slots=True)
class DropField(OnTable):
    """ALTER TABLE t DROP PARTITION FIELD term; a bare term may be a partition field's name."""

    term: Term


@record(frozen=True, slots=True)
class ReplaceField(OnTable):
    """ALTER TABLE t REPLACE PARTITION FIELD old WITH new [AS name]."""

    old: Term
    new: Term
    name: NamePath | None = None


@record(frozen=True, slots=True)
class WriteOrder(OnTable):
    """ALTER TABLE t WRITE ...: how files are distributed and sorted; terms: of ORDERED BY, else none."""

    terms: tuple[Term, ...] = ()


@record(frozen=True, slots=True)
class IdentifierFields(OnTable):
    """ALTER TABLE t SET / DROP IDENTIFIER FIELDS a, b.c."""

    columns: tuple[NamePath, ...]
    dropping: bool = False


@record(frozen=True, slots=True)
class ChangeSnapshotRef(OnTable):
    """ALTER TABLE t CREATE / REPLACE / DROP BRANCH or TAG.

    ref_type: `branch` or `tag`. verb: `create`, `replace`, `create or replace`, `drop`. lenient: IF EXISTS or IF NOT
    EXISTS. counts: the numbers of RETAIN and of SNAPSHOT RETENTION. version: the snapshot of AS OF VERSION.
    """

    ref_type: str
    verb: str
    name: NamePath
    lenient: bool = False
    counts: tuple[Literal, ...] = ()
    version: Literal | None = None


@record(frozen=True, slots=True)
class AddColumns(OnTable):
    """ALTER TABLE t ADD COLUMN(S): paths may be nested (`point.z`)."""

    columns: tuple[tuple[NamePath, ColumnDef], ...]


@record(frozen=True, slots=True)
class DropColumns(OnTable):
    """ALTER TABLE t DROP COLUMN(S) [IF EXISTS]."""

    columns: tuple[NamePath, ...]
    if_exists: bool = False


@record(frozen=True, slots=True)
class RenameColumn(OnTable):
    """ALTER TABLE t RENAME COLUMN old TO new."""

    column: NamePath
    new_name: NamePath


@record(frozen=True, slots=True)
class AlterColumn(OnTable):
    """ALTER TABLE t ALTER / CHANGE COLUMN: type None if only comment, position or NOT NULL change.

    required: True for SET NOT NULL, False for DROP NOT NULL, None unchanged. new_name: Hive's CHANGE.
    default: the span of SET or DROP DEFAULT. position: the span of FIRST or AFTER; after_column: its column.
    other_changes: the other columns of `ALTER COLUMN a ..., b ...`.
    """

    column: NamePath
    type: Type | None = None
    type_text: str = ""
    type_span: Offsets | None = None
    required: bool | None = None
    new_name: NamePath | None = None
    default: Offsets | None = None
    position: Offsets | None = None
    after_column: NamePath | None = None
    other_changes: tuple[AlterColumn, ...] = ()


@record(frozen=True, slots=True)
class ReplaceColumns(OnTable):
    """ALTER TABLE t REPLACE COLUMNS (...)."""

    columns: tuple[ColumnDef, ...]


@record(frozen=True, slots=True)
class AlterConstraint(OnTable):
    """ALTER TABLE t ADD / DROP a constraint; clause: its span, from the verb on."""

    clause: Offsets
    verb: str


@record(frozen=True, slots=True)
class SetProperties(OnTable):
    """ALTER TABLE t SET / UNSET TBLPROPERTIES; `removed` for UNSET."""

    properties: tuple[Property, ...] = ()
    removed: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class RenameTable(OnTable):
    """ALTER TABLE / VIEW t RENAME TO u."""

    new_name: NamePath


@record(frozen=True, slots=True)
class HivePartition(OnTable):
    """ALTER TABLE t ADD / DROP / RENAME / RECOVER PARTITION(S): Hive's statements, not Iceberg's.

    So are MSCK REPAIR TABLE, SHOW PARTITIONS and TRUNCATE TABLE ... PARTITION.
    """

    verb: str
    verb_span: Offsets


@record(frozen=True, slots=True)
class DropTable(OnTable):
    """DROP TABLE [IF EXISTS] t [PURGE]."""

    if_exists: bool = False


@record(frozen=True, slots=True)
class DropNamespace(Node):
    """DROP NAMESPACE [IF EXISTS] n [CASCADE]."""

    namespace: NamePath
    cascade: bool = False


@record(frozen=True, slots=True)
class CallArgument:
    """An argument of a CALL. name: before `=>`, in lower case; empty without one. span: of the name, or of the value.

    value: if it is a string literal. value_span: of the value.
    """

    name: str
    span: Offsets
    value: str | None = None
    value_span: Offsets = (0, 0)


@record(frozen=True, slots=True)
class Call(Node):
    """CALL of a procedure in `system`; catalog: the parts before `system`.

    procedure: its name, in lower case. name_span: of the name. tables: the names, each as its parts, of the tables
    that it creates or changes; None if one of them is not a literal.
    """

    procedure: str
    name_span: Offsets
    catalog: Name = ()
    arguments: tuple[CallArgument, ...] = ()
    tables: tuple[Name, ...] | None = ()


@record(frozen=True, slots=True)
class CreateView(Node):
    """CREATE [OR REPLACE] [TEMPORARY] VIEW v."""

    view: NamePath
    temporary: bool = False


@record(frozen=True, slots=True)
class TemporaryTable(Node):
    """CREATE TEMPORARY TABLE, which makes a temporary view over files.

    columns, partitioning: spans of those clauses. has_location: the statement has LOCATION or a path.
    """

    view: NamePath
    provider: str
    columns: Offsets | None = None
    partitioning: Offsets | None = None
    has_location: bool = False


@record(frozen=True, slots=True)
class DropView(Node):
    """DROP VIEW [IF EXISTS] v."""

    view: NamePath


@record(frozen=True, slots=True)
class Use(Node):
    """USE [CATALOG | NAMESPACE | DATABASE | SCHEMA] name; keyword: in lower case, or empty."""

    name: NamePath
    keyword: str = ""


@record(frozen=True, slots=True)
class Insert(OnTable):
    """INSERT INTO / OVERWRITE t [WITH (...)] [PARTITION (...)]; partition: the columns named there, with spans.

    options: of the writer, in WITH.
    """

    overwrite: bool = False
    partition: tuple[NamePath, ...] = ()
    options: tuple[Property, ...] = ()


@record(frozen=True, slots=True)
class InvalidStatement(Node):
    """A statement that Spark's or Iceberg's grammar refuses: partition DDL, or a change of columns.

    error_span: the offending token. token_text, expected: for the message. error_kind: its key in SYNTAX_ERRORS, empty
    for any other error. table: if it was readable. partial_create: of a CREATE TABLE, the part read before the error.
    """

    error_span: Offsets
    token_text: str
    expected: str
    error_kind: str = ""
    table: NamePath | None = None
    partial_create: Create | None = None


@record(frozen=True, slots=True)
class Templated(Node):
    """Partition DDL with a template or parameter in place of a word (`{{ }}`, `${}`).

    may_be_any: it may be any statement, as EXECUTE IMMEDIATE of a variable. is_too_deep: it is instead a statement with
    a type that is nested too deep to be read.
    """

    template_span: Offsets
    inside: Node | None = field(default=None)
    may_be_any: bool = False
    is_too_deep: bool = False


@record(frozen=True, slots=True)
class Explain(Node):
    """EXPLAIN and the statement that it does not run."""

    inside: Node


@record(frozen=True, slots=True)
class Immediate(Node):
    """EXECUTE IMMEDIATE of a string literal; inside: the statement in it."""

    inside: Node


@record(frozen=True, slots=True)
class Compound(Node):
    """A BEGIN ... END block of SQL scripting; inside: its statements that are not Other, in order."""

    inside: tuple[Node, ...] = ()


@record(frozen=True, slots=True)
class SetConfig(Node):
    """SET key = value, and SET TIME ZONE as its key; value: quotes off."""

    key: str
    value: str
    value_span: Offsets


@record(frozen=True, slots=True)
class Expressions(Node):
    """The functions and filters in a statement of any kind."""


@record(frozen=True, slots=True)
class SparkText(Node):
    """The text of a statement that Spark's own grammar reads."""


@record(frozen=True, slots=True)
class Other(Node):
    """A statement that does not change any table's partitioning: it passes unchanged."""
