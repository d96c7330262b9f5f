"""Iceberg's and Spark's tables in the JVM, and logical plans that read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.bridge.jvm import compiler, shims
from spark_iceberg_sql.spark.bridge.jvm import gateway as jvm
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class, scala_object
from spark_iceberg_sql.spark.bridge.plans import read_branches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_INTEGER = re.compile(r"-?[0-9]{1,19}")
_CATALYST = "org.apache.spark.sql.catalyst"


def data_frame(plan: Java) -> Java:
    """The JVM's DataFrame of a logical plan, analysed in the active session."""
    return scala_object("org.apache.spark.sql.classic.Dataset").ofRows(jvm.active_session(), plan)


def statement_text() -> str | None:
    """The text of the statement (or view) that is being analysed, if it has one."""
    origin = java_class(f"{_CATALYST}.trees.CurrentOrigin").get()
    text = jvm.from_option(origin.sqlText())
    return None if text is None else str(text)


@contextmanager
def separate_origin() -> Iterator[None]:
    """Let the statements parsed on this thread keep their own text while another statement is being analysed.

    If that one has parameters, Spark would give every expression parsed here its text.
    """
    current = java_class(f"{_CATALYST}.trees.CurrentOrigin")
    previous = current.get()
    current.reset()
    try:
        yield
    finally:
        current.set(previous)


def operations(metadata: Java, io: Java) -> Java:
    """Iceberg's read-only TableOperations on one metadata file."""
    return java_class("org.apache.iceberg.StaticTableOperations")(metadata, io)


def base_table(operations: Java, name: str) -> Java:
    """Iceberg's table. name: shown in plans; Spark recognizes the same table by it."""
    return java_class("org.apache.iceberg.BaseTable")(operations, name)


def metadata_table(operations: Java, name: str, table_type: str) -> Java:
    """One of Iceberg's metadata tables. table_type: such as SNAPSHOTS."""
    types = java_class("org.apache.iceberg.MetadataTableType")
    return java_class("org.apache.iceberg.MetadataTableUtils").createMetadataTableInstance(
        operations, name, f"{name}#{table_type.lower()}", getattr(types, table_type)
    )


def catalog_table(name: str) -> Java:
    """The Iceberg table of a name in the active session's catalogs."""
    return java_class("org.apache.iceberg.spark.Spark3Util").loadIcebergTable(jvm.active_session(), name)


def named_table(name: str) -> Java:
    """Spark's table of a name in the active session's catalogs: an Iceberg table, or a branch or snapshot of one."""
    catalog_and_identifier = java_class("org.apache.iceberg.spark.Spark3Util").catalogAndIdentifier(
        jvm.active_session(), name
    )
    return catalog_and_identifier.catalog().loadTable(catalog_and_identifier.identifier())


def hadoop_table(folder: str) -> Java:
    """The table in a folder as a Hadoop catalog reads it, by its version hint."""
    conf = jvm.active_session().sessionState().newHadoopConf()
    return java_class("org.apache.iceberg.hadoop.HadoopTables")(conf).load(folder)


def spark_table(table: Java, *, snapshot: int | None = None, micros: int | None = None) -> Java:
    """Spark's table for an Iceberg table, as of a snapshot, a time or now, with the schema at that time."""
    return shims.spark_table(java_class, table, snapshot, micros)


def spark_table_at_ref(table: Java, ref: str) -> Java:
    """Spark's table for an Iceberg table, as of a branch or tag. Raises KeyError with the existing names."""
    snapshot_ref = table.refs().get(ref)
    if snapshot_ref is None:
        raise KeyError(*ref_names(table))
    if snapshot_ref.isBranch():
        return shims.branch_table(java_class, table, ref)
    return spark_table(table, snapshot=snapshot_ref.snapshotId())


def ref_names(table: Java) -> list[str]:
    """The names of a table's branches and tags."""
    names = java_class("java.lang.String").join("\n", table.refs().keySet())
    return sorted(str(names).split("\n") if names else [])


def spark_table_at_version(table: Java, version: str) -> Java:
    """Spark's table for an Iceberg table, as VERSION AS OF reads it: a snapshot ID, a branch or a tag.

    Raises KeyError with the branches and tags if it is none of these.
    """
    if not _INTEGER.fullmatch(version) and table.refs().get(version) is None:
        raise KeyError(*ref_names(table))
    return shims.version_table(java_class, table, version)


def changelog_table(table: Java) -> Java:
    """Spark's table over the changes of an Iceberg table."""
    return shims.changelog_table(java_class, table)


def relation(table: Java, options: Mapping[str, str] | None = None) -> Java:
    """The leaf of a logical plan that reads a Spark table.

    It has a catalog object but no identifier: through the catalog Spark finds the partition transforms
    (for joins without a shuffle); without an identifier it keeps the snapshot of the analysis.
    """
    relation_class = java_class("org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation")
    read_options = _case_insensitive({**(options or {}), **read_branches.read_options(table)})
    # Through the catalog Spark finds the partition transforms: without one, joins of such tables shuffle.
    # With an identifier, Spark 4.1 loads the table again at each execution. A catalog of the session's
    # configuration fails inside permanent views, so this one is not registered.
    return shims.relation(relation_class, table, jvm.to_option(functions_catalog()), jvm.to_option(), read_options)


def _case_insensitive(options: Mapping[str, str]) -> Java:
    return java_class("org.apache.spark.sql.util.CaseInsensitiveStringMap")(dict(options))


def functions_catalog() -> Java:
    """A catalog that is not registered in any session, for its transform functions."""
    return _new_functions_catalog(jvm.gateway())


@lru_cache(maxsize=1)
def _new_functions_catalog(gateway: Java) -> Java:
    catalog = java_class("org.apache.iceberg.spark.SparkCatalog")()
    properties = {"type": "hadoop", "warehouse": "file:///", "cache-enabled": "false"}
    catalog.initialize("iceberg_path_functions", _case_insensitive(properties))
    return catalog


# True of every row, and not deterministic.
NO_PUSH_DOWN_PREDICATE = "monotonically_increasing_id() >= 0"


def without_push_down(plan: Java) -> Java:
    """The same rows without push-down: Spark pushes no predicate below a nondeterministic one."""
    parser = jvm.active_session().sessionState().sqlParser()
    predicate = parser.parseExpression(NO_PUSH_DOWN_PREDICATE)
    return java_class(f"{_CATALYST}.plans.logical.Filter")(predicate, plan)


def column_names(relation: Java) -> list[str]:
    """The names of a relation's columns."""
    return _names(relation.output())


def hidden_column_names(relation: Java) -> list[str]:
    """The names of a relation's metadata columns."""
    return _names(relation.metadataOutput())


def _names(attributes: Java) -> list[str]:
    return [str(attribute.name()) for attribute in jvm.from_seq(attributes)]


def text_frame(rows: Sequence[str]) -> Java:
    """A DataFrame with a string column `value`; plans do not show the values."""
    encoder = java_class("org.apache.spark.sql.Encoders").STRING()
    return jvm.active_session().createDataset(list(rows), encoder).toDF()


def string_values(frame: Java) -> list[str]:
    """The values of a DataFrame's only column, a string."""
    return [str(row.get(0)) for row in frame.collectAsList()]


def with_hidden(visible: Java, inner: Java, count: int) -> Java:
    """The plan of a DataFrame with the first `count` columns of another, and that one's other columns hidden."""
    plan = visible.queryExecution().analyzed()
    output = jvm.from_seq(inner.queryExecution().analyzed().output())
    tag = scala_object(f"{_CATALYST}.plans.logical.Project").hiddenOutputTag()
    plan.setTagValue(tag, jvm.to_seq(output[count:]))
    return _with_alias(plan, "VirtualColumns")


def without_file(plan: Java) -> Java:
    """The plan of a relation without Iceberg's own hidden `_file`."""
    return _with_alias(plan, "WithoutFile")


def _with_alias(plan: Java, class_name: str) -> Java:
    arguments = jvm.gateway().new_array(java_class("java.lang.Object"), 2)
    arguments[0] = java_class(f"{_CATALYST}.AliasIdentifier")("iceberg")
    arguments[1] = plan
    return _alias(jvm.gateway(), class_name).newInstance(arguments)


@lru_cache(maxsize=2)
def _alias(gateway: Java, name: str) -> Java:
    """The constructor of VirtualColumns.java or WithoutFile.java."""
    loader = compiler.compiled(__package__, name, compiler.base_loader())
    return loader.loadClass(f"sparkicebergsql.{name}").getConstructors()[0]


def name_parts(spark: SparkSession, name: str) -> tuple[str, ...]:
    """The parts of a dotted name, as the session's parser reads it. Raises ParseException."""
    parser = jvm.java_session(spark).sessionState().sqlParser()
    return tuple(map(str, jvm.from_seq(parser.parseMultipartIdentifier(name))))


def full_name(name: str) -> list[str]:
    """The parts of an Iceberg table's name with its catalog, as the active session resolves it."""
    catalog_and_identifier = java_class("org.apache.iceberg.spark.Spark3Util").catalogAndIdentifier(
        jvm.active_session(), name
    )
    identifier = catalog_and_identifier.identifier()
    return [str(catalog_and_identifier.catalog().name()), *map(str, identifier.namespace()), str(identifier.name())]
