"""iceberg_tables, and paths that are almost those of a table."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

pytestmark = pytest.mark.filterwarnings("ignore:the table at .* is a copy, or was moved")


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """sales/{orders,items}, audit/log, a broken table, and folders that are not Iceberg tables."""
    folder = tmp_path_factory.mktemp("lake")
    spark.sql(
        "CREATE TABLE local.discovered.orders (id BIGINT NOT NULL, `on` DATE COMMENT 'day') USING iceberg "
        "PARTITIONED BY (months(`on`), bucket(4, id)) TBLPROPERTIES ('format-version' = '3')"
    )
    spark.sql("INSERT INTO local.discovered.orders VALUES (1, DATE '2024-01-01'), (2, NULL)")
    spark.sql("CREATE TABLE local.discovered.items (id INT) USING iceberg")
    spark.sql("CREATE TABLE local.discovered.log (m STRING) USING iceberg")
    rows = spark.sql("DESCRIBE EXTENDED local.discovered.orders").where("col_name = 'Location'")
    source = Path(rows.collect()[0].data_type.removeprefix("file:")).parent
    for path in ("sales/orders", "sales/items", "audit/log"):
        shutil.copytree(source / path.rpartition("/")[2], folder / path)
    broken = folder / "audit" / "broken" / "metadata"
    broken.mkdir(parents=True)
    (broken / "v1.metadata.json").write_text("{nonsense")
    files = spark.range(4).selectExpr("id", "id % 2 AS part")
    files.write.parquet(str(folder / "plain"))
    files.write.partitionBy("part").orc(str(folder / "parts"))
    (folder / "delta" / "_delta_log").mkdir(parents=True)
    (folder / "empty").mkdir()
    yield folder
    for name in ("orders", "items", "log"):
        spark.sql(f"DROP TABLE local.discovered.{name} PURGE")


def found(spark: SparkSession, path: object, settings: str = "") -> list[str]:
    rows = spark.sql(f"SELECT location FROM iceberg_tables('{path}'{settings})").collect()
    return [row.location.rpartition("/")[2] for row in rows]


@pytest.mark.tier("quick", of="discovery")
@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("", ["broken", "log", "items", "orders"]),
        ("/sales", ["items", "orders"]),
        ("/sales/", ["items", "orders"]),
        ("/sales/orders", ["orders"]),
        ("/s*", ["items", "orders"]),
        ("/*/o*", ["orders"]),
        ("/{sales,audit}/[lo]*", ["orders", "log"]),
        ("/{sales,nowhere}", ["items", "orders"]),
        ("/sales/{orders,orders}", ["orders"]),
        ("/s*/metadata", []),
        ("/empty", []),
        ("/plain", []),
    ],
)
def test_patterns(spark: SparkSession, lake: Path, pattern: str, names: list[str]) -> None:
    assert found(spark, f"{lake}{pattern}") == names


def test_names_with_brackets(spark: SparkSession, lake: Path, tmp_path: Path) -> None:
    for name in ("[x]", "{y}", "b[k", "{bk", "x"):
        shutil.copytree(lake / "sales" / "items", tmp_path / name)
    for name in ("[x]", "{y}", "b[k", "{bk"):
        ours = found(spark, tmp_path / name)
        assert ours == ([name, "x"] if name == "[x]" else [name])  # as a pattern it is x, too
    assert found(spark, tmp_path / "{[x],b[k}") == ["x", "b[k"]
    with pytest.raises(AnalysisException, match="PATH_NOT_FOUND"):
        found(spark, tmp_path / "a{b")


def test_a_table_without_snapshots_has_no_refs(spark: SparkSession, lake: Path) -> None:
    for setting, kinds in (("ref", "branch or tag"), ("version", "snapshot, branch or tag")):
        expected = f"there is no {kinds} `main`; the table has no branches and no tags"
        with pytest.raises(AnalysisException, match=expected):
            spark.sql(f"SELECT * FROM iceberg('{lake}/sales/items', {setting} => 'main')")


def test_bounds(spark: SparkSession, lake: Path) -> None:
    assert found(spark, lake, ", limit => 2") == ["broken", "log"]
    assert found(spark, lake, ", depth => 1") == []
    assert len(found(spark, f"file:{lake}", ", depth => 2")) == 4
    for settings in ("depth => 0", "limit => -1"):
        with pytest.raises(AnalysisException, match="is not a positive number"):
            found(spark, lake, f", {settings}")
    with pytest.raises(AnalysisException, match="PATH_NOT_FOUND"):
        found(spark, f"{lake}/nowhere")


@pytest.mark.tier("quick", of="discovery")
def test_a_row(spark: SparkSession, lake: Path) -> None:
    """Its figures for a table equal those in the table's metadata."""
    rows = spark.sql(f"SELECT * FROM iceberg_tables('{lake}/sales') ORDER BY name")
    assert rows.columns == [
        *("location", "name", "table_uuid", "format_version", "columns", "partitioning"),
        *("last_updated_at", "snapshot_id", "snapshot_at", "records", "data_files"),
        *("delete_files", "bytes", "metadata_file", "error"),
    ]
    items, orders = rows.collect()
    assert (orders.name, orders.format_version, orders.error) == ("orders", 3, None)
    assert orders.columns == "id BIGINT NOT NULL, on DATE COMMENT 'day'"
    assert orders.partitioning == "months(on), bucket(4, id)"
    (snapshot,) = spark.sql("SELECT * FROM local.discovered.orders.snapshots").collect()
    assert (orders.snapshot_id, orders.snapshot_at) == (snapshot.snapshot_id, snapshot.committed_at)
    (size,) = spark.sql(
        "SELECT sum(file_size_in_bytes), sum(record_count), count(*) FROM local.discovered.orders.files"
    ).collect()
    assert (orders.bytes, orders.records, orders.data_files) == tuple(size)
    assert (items.records, items.data_files, items.bytes, items.snapshot_id) == (0, 0, 0, None)
    described = spark.sql(f"SELECT * FROM iceberg_describe('{orders.location}')").collect()
    facts = {row.col_name: row.data_type for row in described}
    assert facts["Table UUID"] == orders.table_uuid
    assert facts["Metadata File"].removeprefix("file:") == orders.metadata_file.removeprefix("file:")


def test_a_catalog_and_a_namespace(spark: SparkSession, lake: Path) -> None:
    columns = "table_uuid, format_version, columns, partitioning, snapshot_id, snapshot_at, records, bytes"
    by_name = spark.sql(f"SELECT name, {columns} FROM iceberg_tables('local.discovered')").collect()
    assert sorted(row.name for row in by_name) == [f"local.discovered.{name}" for name in ("items", "log", "orders")]
    call = f"iceberg_tables('{lake}/{{sales,audit}}/[ilo]*')"
    by_path = spark.sql(f"SELECT concat('local.discovered.', name) AS name, {columns} FROM {call}").collect()
    assert sorted(by_name) == sorted(by_path)
    everything = spark.sql("SELECT name FROM iceberg_tables('local')").collect()
    assert {row.name for row in by_name} <= {row.name for row in everything}
    assert spark.sql("SELECT * FROM iceberg_tables('local.discovered', limit => 2)").count() == 2


def test_a_table_that_cannot_be_read(spark: SparkSession, lake: Path) -> None:
    (row,) = spark.sql(f"SELECT * FROM iceberg_tables('{lake}/audit/broken')").collect()
    assert row.table_uuid is None
    assert "Expecting" in row.error


def test_totals_that_are_no_numbers_are_unknown(spark: SparkSession, lake: Path, tmp_path: Path) -> None:
    """Another writer's summary: the table is listed, without them."""
    shutil.copytree(lake / "sales" / "orders", tmp_path / "odd")
    for path in (tmp_path / "odd" / "metadata").glob("*.metadata.json"):
        path.write_text(re.sub(r'("total-records" *: *)"2"', r'\1"two"', path.read_text()))
        (path.parent / f".{path.name}.crc").unlink(missing_ok=True)
    row = spark.sql(f"SELECT records, data_files, error FROM iceberg_tables('{tmp_path}')").first()
    assert row is not None
    assert (row.records, row.data_files, row.error) == (None, 2, None)


def test_a_thousand_tables_are_read_once_each(spark: SparkSession, lake: Path, tmp_path: Path) -> None:
    """No folder below a table is listed, nor any partition folder."""
    source = lake / "sales" / "items" / "metadata"
    newest = max(source.glob("v*.metadata.json"))
    for number in range(1000):
        folder = tmp_path / f"n{number % 10}" / f"t{number}" / "metadata"
        folder.mkdir(parents=True)
        shutil.copy(newest, folder / newest.name)
    (tmp_path / "day=1" / "hidden").mkdir(parents=True)
    shutil.copytree(source, tmp_path / "day=1" / "hidden" / "metadata")
    shutil.copytree(source, tmp_path / "n0" / "t0" / "data" / "inner" / "metadata")
    names = found(spark, tmp_path)
    assert len(names) == len(set(names)) == 1000
    assert "hidden" not in names


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("{lake}/sales", r"the tables in it are `items`, `orders`: write iceberg\('{lake}/sales/items'\)"),
        ("{lake}/sales/orders/metadata", r"is inside the folder of the table `.*/orders`; pass the table's folder"),
        ("{lake}/sales/orders/data", r"is inside the folder of the table `.*/orders`; pass the table's folder"),
        ("{lake}/sales/orders/metadata/version-hint.text", r"is inside the folder of the table"),
        ("{lake}/sales/order", r"write iceberg\('.*/sales/orders'\)"),
        ("{lake}/sales/orders ", r"`.*/orders ` ends with a space; write '{lake}/sales/orders'"),
        (" {lake}/sales/orders", r"begins with a space; write '{lake}/sales/orders'"),
        ("~/t", r"`~` is not expanded in `~/t`; write '/.*/t'"),
        ("{lake}/sales/orders#history", r"write iceberg_history\('{lake}/sales/orders'\)"),
        ("{lake}/sales/orders#METADATA_LOG_ENTRIES", r"write iceberg_metadata_log\('"),
        ("{lake}/s*/orders", r"list the matching ones with iceberg_tables\('{lake}/s\*/orders'\)"),
        ("{lake}/plain", r"has Parquet files, but no Iceberg metadata; read them with parquet\.`"),
        ("{lake}/parts", r"has ORC files, but no Iceberg metadata; read them with orc\.`"),
        ("{lake}/delta", r"is a Delta Lake table, not an Iceberg table; read it with delta\.`"),
        ("{lake}/empty", r"PATH_NOT_FOUND.*{lake}/empty/metadata"),
        ("{lake}/nowhere", r"PATH_NOT_FOUND.*{lake}/nowhere/metadata"),
        ("local.discovered.orders", r"is a table's name, not a path; write local.discovered.orders"),
        ("local.discovered.nothing", r"PATH_NOT_FOUND"),
    ],
)
def test_nearly_right_paths(spark: SparkSession, lake: Path, path: str, message: str) -> None:
    with pytest.raises(AnalysisException, match=message.replace("{lake}", str(lake))):
        spark.sql(f"SELECT * FROM iceberg('{path.replace('{lake}', str(lake))}')")


def test_what_is_advised_can_be_read(spark: SparkSession, lake: Path) -> None:
    assert spark.sql(f"SELECT * FROM parquet.`{lake}/plain`").count() == 4
    assert spark.sql(f"SELECT * FROM orc.`file:{lake}/parts`").count() == 4
    with pytest.raises(AnalysisException, match=r"write iceberg_files\('.*/sales/items'\)"):
        spark.sql(f"SELECT * FROM iceberg_files('{lake}/sales')")


def test_a_parquet_file(spark: SparkSession, lake: Path) -> None:
    file = next((lake / "plain").glob("*.parquet"))
    with pytest.raises(AnalysisException, match=r"is a file, not a table; read it with parquet\.`"):
        spark.sql(f"SELECT * FROM iceberg('{file}')")


@pytest.mark.parametrize("how", ["deep", "large", "deep head"])
def test_metadata_beyond_all_measure(spark: SparkSession, lake: Path, tmp_path: Path, how: str) -> None:
    """It is named in one sentence, and the other tables are listed."""
    shutil.copytree(lake / "audit", tmp_path / "audit")
    folder = tmp_path / "audit" / "hostile" / "metadata"
    folder.mkdir(parents=True)
    file = folder / "v1.metadata.json"
    source = max((lake / "sales" / "items" / "metadata").glob("*.metadata.json"))
    text = source.read_text()
    deep = "[" * 200_000 + "]" * 200_000
    if how == "deep":
        file.write_text(f'{text.rstrip().removesuffix("}")},"x":{deep}}}')
    elif how == "deep head":
        file.write_text(f'{{"x":{deep},{text.lstrip().removeprefix("{")}')
    else:
        file.write_text("{")
        os.truncate(file, 300 << 20)
    rows = spark.sql(f"SELECT name, error FROM iceberg_tables('{tmp_path}')").collect()
    errors = {row.name: row.error for row in rows}
    assert len(errors) == 3
    expected = "MB, which is no table's metadata" if how == "large" else "nested too deeply"
    assert expected in errors["hostile"], errors
    with pytest.raises(Exception) as error:
        spark.sql(f"SELECT * FROM iceberg('{folder.parent}')").collect()
    first = str(error.value).splitlines()[0]
    assert "INTERNAL_ERROR" not in first
    assert "heap" not in first
    assert "spark_iceberg_sql failed" not in first
