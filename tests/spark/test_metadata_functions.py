"""The functions over a table's metadata: equal to the catalog's own tables, and those without such a table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Row, SparkSession
from samples import partly

from spark_iceberg_sql.model.functions.metadata_functions import METADATA_FUNCTIONS
from spark_iceberg_sql.spark.bridge.jvm import shims
from spark_iceberg_sql.spark.tables.functions.metadata_rows import ROW_BUILDERS
from spark_iceberg_sql.syntax.script import statements

TABLE = "local.meta_functions.evolved"
KINDS = [f for f in METADATA_FUNCTIONS if f.metadata_table is not None]


def make(spark: SparkSession, table: str, version: int) -> None:
    """Three snapshots, two specs and two schemas, a branch, a tag and, after format 1, deleted rows."""
    spark.sql(f"DROP TABLE IF EXISTS {table} PURGE")
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT NOT NULL COMMENT 'it\\'s the key', name STRING, ts TIMESTAMP, "
        "amount DECIMAL(9, 2), raw BINARY, f DOUBLE, s STRUCT<x: INT COMMENT 'inside', `y z`: ARRAY<INT>>) "
        "USING iceberg PARTITIONED BY (days(ts)) TBLPROPERTIES "
        f"('format-version' = '{version}', 'write.delete.mode' = 'merge-on-read', 'odd' = 'a\\\\b\\'c')"
    )
    rows = (
        "SELECT id, concat('n', id), timestamp'2024-01-01' + make_dt_interval(int(id % 2)), "
        "CAST(id AS DECIMAL(9, 2)) / 4, CAST(string(id) AS BINARY), IF(id = 3, double('NaN'), double(id)), "
        "named_struct('x', int(id), 'y z', array(int(id)))"
    )
    spark.sql(f"INSERT INTO {table} {rows} FROM range(4)")
    spark.sql(f"ALTER TABLE {table} CREATE TAG first")
    spark.sql(f"ALTER TABLE {table} REPLACE PARTITION FIELD ts_day WITH bucket(4, id) AS shard")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN extra INT")
    spark.sql(f"INSERT INTO {table} {rows}, 7 FROM range(10, 14)")
    spark.sql(f"ALTER TABLE {table} CREATE BRANCH side")
    spark.sql(f"INSERT INTO {table}.branch_side {rows}, 8 FROM range(20, 22)")
    if version > 1:
        spark.sql(f"DELETE FROM {table} WHERE id IN (1, 11)")
    spark.sql(f"ALTER TABLE {table} WRITE ORDERED BY bucket(8, id), name DESC")
    spark.sql(f"ALTER TABLE {table} SET IDENTIFIER FIELDS id")


def test_each_function_without_a_metadata_table_has_its_rows() -> None:
    assert {f.name for f in METADATA_FUNCTIONS if f.metadata_table is None} == set(ROW_BUILDERS)


@pytest.fixture(scope="module")
def paths(spark: SparkSession) -> Iterator[dict[int, str]]:
    """The paths of the tables `evolved1` to `evolved3` by their format version."""
    for version in (1, 2, 3):
        make(spark, f"{TABLE}{version}", version)
    yield {version: location(spark, f"{TABLE}{version}") for version in (1, 2, 3)}
    for version in (1, 2, 3):
        spark.sql(f"DROP TABLE {TABLE}{version} PURGE")


def location(spark: SparkSession, table: str) -> str:
    rows = spark.sql(f"DESCRIBE EXTENDED {table}").where("col_name = 'Location'").collect()
    return str(rows[0].data_type).removeprefix("file:")


def rows(spark: SparkSession, source: str) -> list[str]:
    """All rows of a source with all columns, in a stable order; a path is the same with a scheme."""
    frame = spark.sql(f"SELECT * FROM {source}")
    return sorted(f"{frame.columns}{str(row).replace('file:/', '/')}" for row in frame.collect())


@pytest.mark.parametrize(
    "function", partly(pytest.mark.tier("quick", of="metadata functions"), KINDS, 4), ids=lambda f: f.name
)
def test_equal_to_the_catalog(spark: SparkSession, paths: dict[int, str], function: object) -> None:
    name, kind = function.name, function.metadata_table.lower()  # type: ignore[attr-defined]
    versions = (1, 2, 3) if kind in ("entries", "position_deletes", "partitions") else (2,)
    for version in versions:
        theirs = rows(spark, f"{TABLE}{version}.{kind}")
        assert rows(spark, f"{name}('{paths[version]}')") == theirs
        assert theirs or version == 1
    assert rows(spark, f"{name}('{TABLE}2')") == rows(spark, f"{TABLE}2.{kind}")


@pytest.mark.parametrize("function", [f for f in KINDS if f.has_time_travel], ids=lambda f: f.name)
def test_time_travel_is_the_catalog_s(spark: SparkSession, paths: dict[int, str], function: object) -> None:
    name, kind = function.name, f"{TABLE}2.{function.metadata_table.lower()}"  # type: ignore[attr-defined]
    (first,) = spark.sql(f"SELECT snapshot_id FROM {TABLE}2.refs WHERE name = 'first'").first()  # type: ignore[misc]
    theirs = rows(spark, f"{kind} VERSION AS OF {first}")
    assert theirs == rows(spark, f"{name}('{paths[2]}', snapshot_id => {first})")
    assert theirs == rows(spark, f"{name}('{TABLE}2', version => '{first}')")
    assert rows(spark, f"{name}('{paths[2]}', ref => 'side')") == rows(spark, f"{kind} VERSION AS OF 'side'")
    assert theirs != rows(spark, f"{name}('{paths[2]}')")


def test_a_snapshot_that_is_not_there(spark: SparkSession, paths: dict[int, str]) -> None:
    """Iceberg's own tables return no rows for such a snapshot."""
    for call, message in (
        ("iceberg_files('{}', snapshot_id => 5)", "Cannot find snapshot with ID 5"),
        ("iceberg_files('{}', version => '5')", "Cannot find snapshot with ID 5"),
        ("iceberg('{}', version => 'no')", "no snapshot, branch or tag `no`, only first, main, side"),
        ("iceberg_ddl('{}', ref => 'first')", "UNRECOGNIZED_PARAMETER_NAME"),
        ("iceberg_columns('{}', ref => 'no')", "no branch or tag `no`, only first, main, side"),
        (f"iceberg_files('{TABLE}2', endpoint => 'http://h:1')", "it only applies to a path"),
        ("iceberg_files('{}', store => 'nowhere')", "is not one of iceberg, icebergS3"),
        ("iceberg_column_stats('{}', column => 'nmae')", "write name"),
    ):
        with pytest.raises(AnalysisException, match=message):
            spark.sql(f"SELECT * FROM {call.format(paths[2])}")


def test_version_is_a_snapshot_a_branch_or_a_tag(spark: SparkSession, paths: dict[int, str]) -> None:
    (first,) = spark.sql(f"SELECT snapshot_id FROM {TABLE}2.refs WHERE name = 'first'").first()  # type: ignore[misc]
    for version in (str(first), "first", "side", "main"):
        written = version if version.isdigit() else f"'{version}'"
        theirs = rows(spark, f"{TABLE}2 VERSION AS OF {written}")
        assert rows(spark, f"iceberg('{paths[2]}', version => {written})") == theirs


def test_specs_schemas_orders(spark: SparkSession, paths: dict[int, str]) -> None:
    path = paths[2]
    specs = spark.sql(f"SELECT * FROM iceberg_partition_specs('{path}') ORDER BY 1, 3").collect()
    assert [tuple(row) for row in specs] == [
        (0, False, 0, 1000, "ts_day", "ts", "day"),
        (1, True, 0, 1001, "shard", "id", "bucket[4]"),
    ]
    fields = spark.sql(
        f"SELECT * FROM iceberg_schemas('{path}') WHERE column_name IN ('id', 's.x', 's.y z.element', 'extra')"
        " AND (is_current OR schema_id = 0) ORDER BY schema_id, position"
    ).collect()
    current = fields[-1].schema_id
    assert [tuple(row) for row in fields] == [
        (0, False, 0, 1, "id", "bigint", True, False, "it's the key", None, None),
        (0, False, 7, 8, "s.x", "int", False, False, "inside", None, None),
        (0, False, 9, 10, "s.y z.element", "int", False, False, None, None, None),
        (current, True, 0, 1, "id", "bigint", True, True, "it's the key", None, None),
        (current, True, 7, 8, "s.x", "int", False, False, "inside", None, None),
        (current, True, 9, 10, "s.y z.element", "int", False, False, None, None, None),
        (current, True, 10, 11, "extra", "int", False, False, None, None, None),
    ]
    orders = spark.sql(f"SELECT * FROM iceberg_sort_orders('{path}') ORDER BY 1, 3").collect()
    assert [tuple(row) for row in orders] == [
        (0, False, None, None, None, None, None),
        (1, True, 0, "id", "bucket[8]", "asc", "nulls-first"),
        (1, True, 1, "name", "identity", "desc", "nulls-last"),
    ]


def test_properties_and_columns_are_as_the_catalog_shows_them(spark: SparkSession, paths: dict[int, str]) -> None:
    theirs = spark.sql(f"SHOW TBLPROPERTIES {TABLE}2").collect()
    assert spark.sql(f"SELECT * FROM iceberg_properties('{paths[2]}')").collect() == theirs
    assert spark.sql(f"SELECT * FROM iceberg_table_properties('{TABLE}2')").collect() == theirs
    columns = spark.sql(f"SELECT col_name FROM iceberg_columns('{paths[2]}')").collect()
    assert [row.col_name for row in columns] == spark.table(f"{TABLE}2").columns
    if shims.SPARK_VERSION >= (4, 0):  # before, Spark refuses it
        assert columns == spark.sql(f"SHOW COLUMNS IN {TABLE}2").collect()
    old = spark.sql(f"SELECT col_name FROM iceberg_columns('{paths[2]}', ref => 'first')").collect()
    assert columns == [*old, Row(col_name="extra")]
    described = spark.sql(f"SELECT * FROM iceberg_describe('{paths[2]}')").collect()
    theirs = spark.sql(f"DESCRIBE EXTENDED {TABLE}2").collect()
    expected = [row for row in theirs if row.col_name != "Name"]
    assert [row for row in described if row.col_name != "Name"][: len(expected)] == expected
    more = {row.col_name: row.data_type for row in described[len(theirs) :]}
    assert more["Format Version"] == "2"
    assert more["Metadata File"].startswith(f"file:{paths[2]}/metadata/v")
    assert len(more["Table UUID"]) == 36


def test_column_stats(spark: SparkSession, paths: dict[int, str]) -> None:
    """The bounds are the minimum and maximum of each file."""
    amount_rows = spark.sql(
        f"SELECT * FROM iceberg_column_stats('{paths[2]}') WHERE content = 0 AND column_name = 'amount'"
    ).collect()
    (column_type,) = {row.column_type for row in amount_rows}
    assert column_type == "decimal(9,2)"
    for column in ("id", "name", "ts", "amount", "raw", "s.x"):
        quoted = ".".join(f"`{part}`" for part in column.split("."))
        theirs = spark.sql(
            f"SELECT _file, min({quoted}), max({quoted}), count(*) FROM {TABLE}1 GROUP BY _file"
        ).collect()
        ours = spark.sql(
            "SELECT file_path, lower_bound, upper_bound, value_count "
            f"FROM iceberg_column_stats('{paths[1]}', column => '{column.upper()}')"
        ).collect()
        assert sorted(map(tuple, ours)) == sorted(map(tuple, theirs))
    (nans,) = spark.sql(f"SELECT sum(nan_value_count) FROM iceberg_column_stats('{paths[1]}', column => 'f')").collect()
    assert nans[0] == 1


def test_column_stats_without_partitions(spark: SparkSession) -> None:
    table = "local.meta_functions.unpartitioned"
    spark.sql(f"CREATE OR REPLACE TABLE {table} USING iceberg AS SELECT id FROM range(3, 9, 1, 1)")
    try:
        (row,) = spark.sql(f"SELECT * FROM iceberg_column_stats('{table}')").collect()
        assert (row.column_name, row.lower_bound, row.upper_bound) == ("id", "3", "8")
    finally:
        spark.sql(f"DROP TABLE {table} PURGE")


def test_duckdb_s_metadata(spark: SparkSession, paths: dict[int, str]) -> None:
    ours = spark.sql(f"SELECT * FROM iceberg_metadata('{paths[2]}')")
    assert ours.columns == [
        *("manifest_path", "manifest_sequence_number", "manifest_content", "status"),
        *("content", "file_path", "file_format", "record_count"),
    ]
    manifests = {
        row.path: ("DATA", "DELETE")[row.content]
        for row in spark.sql(f"SELECT path, content FROM {TABLE}2.manifests").collect()
    }
    entries = ours.collect()
    assert {row.manifest_path: row.manifest_content for row in entries} == manifests
    theirs = spark.sql(f"SELECT data_file.file_path, sequence_number FROM {TABLE}2.entries").collect()
    assert sorted((r.file_path, r.manifest_sequence_number) for r in entries) == sorted(map(tuple, theirs))
    deletes = [row for row in entries if row.manifest_content == "DELETE"]
    assert {row.content for row in deletes} == {"POSITION_DELETES"}
    assert {row.status for row in entries} == {"ADDED"}


def test_statistics(spark: SparkSession, paths: dict[int, str]) -> None:
    spark.sql(f"CALL local.system.compute_table_stats(table => '{TABLE.split('.', 1)[1]}3')")
    statistics = spark.sql(
        f"SELECT field_ids[0] AS id, blob_type, properties['ndv'] AS ndv, path FROM iceberg_statistics('{paths[3]}')"
    ).collect()
    by_column = {row.id: row for row in statistics}
    assert by_column[1].ndv == "6"
    assert {row.blob_type for row in statistics} == {"apache-datasketches-theta-v1"}
    assert all(row.path.endswith(".stats") for row in statistics)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_ddl_makes_an_equal_table(spark: SparkSession, paths: dict[int, str], version: int) -> None:
    copy = f"{TABLE}_again"
    (row,) = spark.sql(f"SELECT * FROM iceberg_ddl('{paths[version]}', name => '{copy}')").collect()
    spark.sql(f"DROP TABLE IF EXISTS {copy} PURGE")
    try:
        for statement in statements(row.createtab_stmt):
            spark.sql(statement.text)
        original, other = f"{TABLE}{version}", copy
        for function, columns in (
            ("iceberg_schemas", "position, column_name, data_type, required, is_identifier, comment"),
            ("iceberg_partition_specs", "position, field_name, source_column, transform"),
            ("iceberg_sort_orders", "position, source_column, transform, direction, null_order"),
            ("iceberg_properties", "key, value"),
        ):
            where = {
                "iceberg_schemas": "is_current",
                "iceberg_partition_specs": "is_current AND transform <> 'void'",
                "iceberg_sort_orders": "is_default",
                "iceberg_properties": "key <> 'current-snapshot-id'",
            }[function]
            same = [
                spark.sql(f"SELECT {columns} FROM {function}('{name}') WHERE {where}").collect()
                for name in (original, other)
            ]
            if version == 1 and function == "iceberg_partition_specs":
                same = [[row[1:] for row in records] for records in same]  # void fields remain in format version 1
            assert same[0] == same[1]
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {copy} PURGE")


def test_ddl_names_the_table(spark: SparkSession, paths: dict[int, str]) -> None:
    for call, name in (
        (f"iceberg_ddl('{paths[2]}')", "evolved2"),
        (f"iceberg_ddl('{TABLE}2')", f"{TABLE}2"),
        (f"iceberg_ddl('{paths[2]}/metadata/v1.metadata.json')", "evolved2"),
        (f"iceberg_ddl('{paths[2]}', name => 'c.`my.db`.`a``b`')", "c.`my.db`.`a``b`"),
    ):
        (row,) = spark.sql(f"SELECT * FROM {call}").collect()
        assert row.createtab_stmt.startswith(f"CREATE TABLE {name} (\n")
