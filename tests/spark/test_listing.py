"""sis.tables and sis.describe: what they say is what the metadata tables say, and no Spark job runs for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis

T = "local.listing.`my visits`"


@pytest.fixture(scope="module")
def catalog(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sql(
        f"CREATE OR REPLACE TABLE {T} (id BIGINT NOT NULL, ts TIMESTAMP COMMENT 'when', "
        "p STRUCT<a: INT COMMENT 'inner'>) USING iceberg PARTITIONED BY (days(ts)) COMMENT 'visits of pages'"
    )
    rows = "SELECT id, TIMESTAMP '2024-01-01' + make_dt_interval(CAST(id % 3 AS INT)), NULL FROM range(9)"
    spark.sql(f"INSERT INTO {T} {rows}")
    spark.sql(f"ALTER TABLE {T} REPLACE PARTITION FIELD ts_day WITH bucket(4, id) AS shard")
    spark.sql(f"INSERT INTO {T} {rows}")
    spark.sql(f"ALTER TABLE {T} CREATE TAG checked")
    spark.sql("CREATE TABLE IF NOT EXISTS local.listing.deep.users (id BIGINT) USING iceberg")
    yield spark
    for table in (T, "local.listing.deep.users"):
        spark.sql(f"DROP TABLE {table}")


@pytest.mark.tier("quick", of="listing")
def test_the_tables_of_a_namespace_and_one_of_them(catalog: SparkSession) -> None:
    jobs = catalog._jsc.sc().dagScheduler().numTotalJobs()
    listing = sis.tables(catalog, "local.listing")
    description = sis.describe(catalog, T)
    assert catalog._jsc.sc().dagScheduler().numTotalJobs() == jobs
    visits, users = listing.tables
    assert (users.name, users.spec, users.rows, users.files) == ("local.listing.deep.users", "", 0, 0)
    files = catalog.sql(f"SELECT count(*) AS files, sum(file_size_in_bytes) AS bytes FROM {T}.files").first()
    assert files is not None
    assert (visits.name, visits.spec, visits.rows) == (T, "bucket(4, id)", 18)
    assert (visits.files, visits.bytes) == tuple(files)
    assert (description.files, description.bytes, description.rows) == (visits.files, visits.bytes, 18)
    by_spec = {
        r[0]: tuple(r)[1:]
        for r in catalog.sql(
            f"SELECT spec_id, count(*), sum(file_size_in_bytes) FROM {T}.files GROUP BY spec_id"
        ).collect()
    }
    assert {s.spec_id: (s.files, s.bytes) for s in description.specs} == by_spec
    assert [(s.is_current, s.added, s.dropped) for s in description.specs] == [
        (False, (), ()),
        (True, ("bucket(4, id)",), ("days(ts)",)),
    ]
    assert [field.name for field in description.specs[1].fields] == ["shard"]
    assert [(c.name, c.type, c.required, c.comment, c.partition_fields) for c in description.columns] == [
        ("id", "BIGINT", True, None, ("bucket(4, id)",)),
        ("ts", "TIMESTAMP", False, "when", ()),
        ("p", "STRUCT<a: INT COMMENT 'inner'>", False, None, ()),
        ("p.a", "INT", False, "inner", ()),
    ]
    history = catalog.sql(f"SELECT snapshot_id, operation FROM {T}.snapshots ORDER BY committed_at DESC").collect()
    assert [(s.snapshot_id, s.operation) for s in description.snapshots] == [tuple(row) for row in history]
    newest = description.snapshots[0]
    assert (newest.is_current, newest.references, description.comment) == (True, ("checked",), "visits of pages")
    assert newest.change.startswith("wrote 9 rows, ")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("local.listing", ["local.listing.deep.users", T]),
        ("local.list*", ["local.listing.deep.users", T]),
        ("listing", ["local.listing.deep.users", T]),
        ("local.listing.my*", [T]),
        (T, [T]),
        ("local.listing.*.u[r-t]ers", ["local.listing.deep.users"]),
        ("local.*.deep", ["local.listing.deep.users"]),
    ],
)
def test_a_pattern(catalog: SparkSession, pattern: str, names: list[str]) -> None:
    catalog.sql("USE local.listing")
    try:
        assert sorted(table.name for table in sis.tables(catalog, pattern).tables) == sorted(names)
    finally:
        catalog.sql("USE spark_catalog.default")


def test_the_current_namespace(catalog: SparkSession) -> None:
    catalog.sql("USE local.listing.deep")
    catalog.range(1).createOrReplaceTempView("listed_rows")
    try:
        listing = sis.tables(catalog)
        assert listing.scope == "local.listing.deep"
        kinds = {table.name: table.kind for table in listing.tables}
        assert (kinds["local.listing.deep.users"], kinds["listed_rows"]) == ("iceberg", "temporary view")
        assert [t.name for t in sis.tables(catalog, "us*").tables] == ["local.listing.deep.users"]
        (note,) = sis.tables(catalog, "local.listing", limit=1).notes
        assert note == "there may be more: at most 1 are listed"
    finally:
        catalog.catalog.dropTempView("listed_rows")
        catalog.sql("USE spark_catalog.default")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("local.listing.`my visit`", "help: did you mean local.listing.`my visits`?"),
        ("local.listin", "help: did you mean `local.listing`?"),
        ("nowhere.at.all", "there is no table or view `nowhere.at.all`\nhelp: the catalogs of this session are "),
        ("local.listin*.nope", "no table, view or namespace matches `local.listin*.nope`"),
    ],
)
def test_a_name_that_there_is_not(catalog: SparkSession, name: str, message: str) -> None:
    with pytest.raises(sis.IcebergSqlError) as refused:
        sis.tables(catalog, name)
    assert message in str(refused.value)
    if name.count(".") > 1 and "*" not in name:
        with pytest.raises(sis.IcebergSqlError) as refused:
            sis.describe(catalog, name)
        assert "py4j" not in str(refused.value)


def test_what_is_not_an_iceberg_table(catalog: SparkSession, tmp_path: Path) -> None:
    catalog.sql(f"CREATE TABLE spark_catalog.default.listed_other USING parquet LOCATION '{tmp_path}' AS SELECT 1 AS a")
    try:
        (table,) = sis.tables(catalog, "spark_catalog.default.listed*").tables
        assert (table.kind, table.note, table.files) == ("other", "not Iceberg: parquet", None)
        with pytest.raises(sis.IcebergSqlError, match="help: write DESCRIBE TABLE EXTENDED"):
            sis.describe(catalog, "spark_catalog.default.listed_other")
    finally:
        catalog.sql("DROP TABLE spark_catalog.default.listed_other")


def test_a_path_is_described_like_the_table_in_it(catalog: SparkSession) -> None:
    by_name = sis.describe(catalog, T)
    by_path = sis.describe(catalog, by_name.location)
    assert {**by_path.to_dict(), "table": ""} == {**by_name.to_dict(), "table": ""}


def test_a_table_that_cannot_be_read_is_listed_with_the_reason(catalog: SparkSession) -> None:
    catalog.sql("CREATE TABLE local.listing_broken.t (id BIGINT) USING iceberg")
    folder = Path(sis.describe(catalog, "local.listing_broken.t").location.removeprefix("file:"))
    for file in (folder / "metadata").glob("*.metadata.json"):
        file.write_text("{}", "utf-8")
        (file.parent / f".{file.name}.crc").unlink(missing_ok=True)
    catalog.sql("REFRESH TABLE local.listing_broken.t")
    (table,) = sis.tables(catalog, "local.listing_broken").tables
    assert (table.name, table.rows) == ("local.listing_broken.t", None)
    assert str(table.note).startswith("cannot be read: ")
    with pytest.raises(sis.IcebergSqlError, match=r"`local\.listing_broken\.t` cannot be read"):
        sis.describe(catalog, "local.listing_broken.t")
