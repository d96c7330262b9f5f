"""Columns without nulls by the metadata of files: a preview does not read them for their bytes, which stay the same."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.insight.hypothetical.spark_rows import group_number, groups
from spark_iceberg_sql.insight.hypothetical.spark_source import Source, resolve_source
from spark_iceberg_sql.insight.specs import candidate_spec
from spark_iceberg_sql.model.spec import Spec
from spark_iceberg_sql.spark.bridge.tables.null_counts import columns_without_nulls

TABLE = "local.preview.null_counts"


def null_free(source: Source) -> set[str]:
    """The names of the columns without nulls."""
    ids = columns_without_nulls(source.iceberg_table)
    return {column.name for field_id in ids if (column := source.schema.by_id(field_id)) is not None}


def spec_of(source: Source, spec: str) -> Spec:
    """A spec of the source."""
    return candidate_spec(spec, source.schema, case_sensitive=False, table=source.sql_name).spec


@pytest.fixture
def table(spark: SparkSession) -> str:
    """A table of two files: one without nulls, one with nulls in `amount` and in a struct."""
    spark.sql(f"DROP TABLE IF EXISTS {TABLE}")
    spark.sql(f"CREATE TABLE {TABLE} (id BIGINT, amount DOUBLE, at STRUCT<day: INT>, kind STRING) USING iceberg")
    spark.sql(f"INSERT INTO {TABLE} SELECT id, id / 7, named_struct('day', id % 9), 'buy' FROM range(3000)")
    assert null_free(resolve_source(spark, TABLE)) == {"id", "amount", "at.day", "kind"}
    spark.sql(f"INSERT INTO {TABLE} SELECT id, null, if(id = 5, null, named_struct('day', 1)), 'view' FROM range(3000)")
    return TABLE


@pytest.mark.tier("quick", of="preview")
def test_a_null_in_any_file_counts(spark: SparkSession, table: str) -> None:
    assert null_free(resolve_source(spark, table)) == {"id", "kind"}
    spark.sql(f"ALTER TABLE {table} ADD COLUMN later INT")
    spark.sql(f"INSERT INTO {table} VALUES (1, 2.0, named_struct('day', 3), 'buy', 4)")
    assert "later" not in null_free(resolve_source(spark, table))


def test_counts_that_are_not_kept_are_not_known(spark: SparkSession, table: str) -> None:
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.metadata.metrics.column.id' = 'none')")
    spark.sql(f"INSERT INTO {table} VALUES (1, 2.0, named_struct('day', 3), 'buy')")
    assert null_free(resolve_source(spark, table)) == {"kind"}


def test_the_bytes_are_the_same_with_and_without_the_counts(spark: SparkSession, table: str) -> None:
    source = resolve_source(spark, table)
    spec = spec_of(source, "kind")
    null_free_ids = columns_without_nulls(source.iceberg_table)
    by_counts, by_rows = (
        {group.values: group.output for group in groups(source.frame, spec, source.schema, null_free=ids)}
        for ids in (null_free_ids, frozenset())
    )
    assert by_counts == by_rows
    assert by_counts["buy",].raw_bytes == 3000 * (8 + 8 + 4)
    assert by_counts["view",].raw_bytes == 3000 * (8 + 4) - 4


def test_keys_that_differ_only_in_which_is_null_are_two_groups(spark: SparkSession) -> None:
    rows = spark.sql("SELECT * FROM VALUES (null, 'a'), ('a', null), ('a', null), (null, null) AS t (x, y)")
    source = resolve_source(spark, rows)
    counted = groups(source.frame, spec_of(source, "x, y"), source.schema)
    assert {group.values: group.output.rows for group in counted} == {(None, "a"): 1, ("a", None): 2, (None, None): 1}
    number = group_number(spec_of(source, "x, y"), source.schema, counted, by_task=False)
    numbered = source.frame.select("x", "y", number.alias("n")).collect()
    assert all(counted[row["n"] - 1].values == (row["x"], row["y"]) for row in numbered)
    assert sis.preview(spark, rows, "x, y").notes == ()
