"""The rule `writers`: rows are sorted by partition where a writer for each partition could fill the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_iceberg_sql.spark.bridge import lines

SWITCH = "spark.iceberg_sql.writers"
DB = "local.writers"
TABLES = {
    "by_value": "PARTITIONED BY (p)",
    "by_day": "PARTITIONED BY (days(ts))",
    "by_bucket": "PARTITIONED BY (bucket(16, id))",
    "by_many_buckets": "PARTITIONED BY (bucket(400, id), bucket(400, p))",
    "by_flag": "PARTITIONED BY (flag)",
    "by_flag_and_value": "PARTITIONED BY (flag, p)",
    "nowhere": "",
    "fanout": "PARTITIONED BY (p) TBLPROPERTIES ('write.spark.fanout.enabled' = 'true')",
}
SOURCE = (
    "SELECT id, id % 40 AS p, timestamp_seconds(id * 7200) AS ts, id % 2 = 0 AS flag FROM range({})"
)
MANY, FEW = SOURCE.format(50_000), SOURCE.format(10)


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {DB}")
    for name, clause in TABLES.items():
        spark.sql(
            f"CREATE TABLE {DB}.{name} (id BIGINT, p BIGINT, ts TIMESTAMP, flag BOOLEAN) USING iceberg {clause}"
        )
    yield
    for name in TABLES:
        spark.sql(f"DROP TABLE {DB}.{name} PURGE")


@pytest.fixture(autouse=True)
def switch(spark: SparkSession) -> Iterator[None]:
    spark.conf.set(SWITCH, "true")
    yield
    spark.conf.unset(SWITCH)


def test_it_is_off_unless_turned_on(spark: SparkSession) -> None:
    """It loses the order of a query, and some writes fail with it."""
    spark.conf.unset(SWITCH)
    assert not is_sorted(spark, f"INSERT INTO {DB}.by_value {MANY}")
    before = hits(spark)
    spark.sql(
        f"CREATE OR REPLACE TABLE {DB}.ordered USING iceberg PARTITIONED BY (p) AS {MANY} ORDER BY id DESC"
    )
    assert hits(spark) == before
    (file, *_) = spark.sql(f"SELECT file_path FROM {DB}.ordered.files").collect()
    ids = [row.id for row in spark.read.parquet(file.file_path).select("id").collect()]
    assert ids == sorted(ids, reverse=True)
    spark.sql(f"DROP TABLE {DB}.ordered PURGE")


def test_another_spec_is_written_by_default(spark: SparkSession) -> None:
    """With the rule, Iceberg refuses the rows, which are sorted by the table's own spec."""
    spark.conf.unset(SWITCH)
    table = f"{DB}.specs"
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, p BIGINT, q BIGINT) USING iceberg PARTITIONED BY (p)"
    )
    spark.sql(f"ALTER TABLE {table} REPLACE PARTITION FIELD p WITH q")
    rows = spark.sql("SELECT id, id % 7 AS p, id % 5 AS q FROM range(0, 50000, 1, 1)")
    rows.writeTo(table).option("output-spec-id", "0").append()
    assert spark.sql(f"SELECT DISTINCT spec_id, record_count > 0 FROM {table}.files").count() == 1
    assert spark.table(table).count() == 50_000
    spark.sql(f"DROP TABLE {table} PURGE")


def test_strings_that_are_not_utf_8_are_written_by_default(spark: SparkSession) -> None:
    """Two strings of other bytes are one partition to Iceberg, and a third sorts between them."""
    spark.conf.unset(SWITCH)
    table = f"{DB}.latin"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, c STRING) USING iceberg PARTITIONED BY (c)")
    values = "CAST(x'C341' AS STRING)", "'é'", "CAST(x'FF41' AS STRING)"
    cases = " ".join(f"WHEN {n} THEN {value}" for n, value in enumerate(values))
    spark.sql(f"INSERT INTO {table} SELECT id, CASE id % 3 {cases} END FROM range(0, 50000, 1, 1)")
    assert spark.table(table).count() == 50_000
    spark.sql(f"DROP TABLE {table} PURGE")


def is_sorted(spark: SparkSession, statement: str) -> bool:
    plan = str(spark.sql(f"EXPLAIN {statement}").collect()[0][0])
    assert "IcebergWrite" in plan or "WriteDelta" in plan, plan
    return "Sort [" in plan


def hits(spark: SparkSession) -> int:
    return int(
        spark.sql("SELECT hits FROM iceberg_rules() WHERE name = 'writers'").collect()[0].hits
    )


@pytest.mark.parametrize(
    ("table", "query", "is_ours"),
    [
        ("by_value", MANY, True),
        ("by_value", FEW, False),
        ("by_value", f"{MANY} LIMIT 5", False),
        ("by_value", f"SELECT * FROM {DB}.by_day", True),
        ("by_value", f"SELECT id, 7 AS p, ts, flag FROM ({MANY})", False),
        ("by_day", MANY, True),
        ("by_bucket", MANY, False),
        ("by_many_buckets", MANY, True),
        ("by_many_buckets", FEW, False),
        ("by_flag", MANY, False),
        ("by_flag_and_value", MANY, True),
        ("nowhere", MANY, False),
        ("fanout", MANY, False),
    ],
)
def test_which_writes_are_sorted(
    spark: SparkSession, table: str, query: str, is_ours: bool
) -> None:
    for verb in ("INTO", "OVERWRITE"):
        statement = f"INSERT {verb} {DB}.{table} {query}"
        assert is_sorted(spark, statement) == is_ours
        spark.conf.set(SWITCH, "false")
        assert not is_sorted(spark, statement)
        spark.conf.set(SWITCH, "true")


def test_a_static_partition_is_one(spark: SparkSession) -> None:
    rows = f"SELECT id, ts, flag FROM ({MANY})"
    assert not is_sorted(spark, f"INSERT OVERWRITE {DB}.by_value PARTITION (p = 3) {rows}")


def test_an_order_of_the_owner_s_stays(spark: SparkSession) -> None:
    spark.sql(f"ALTER TABLE {DB}.by_day WRITE ORDERED BY id")
    before = hits(spark)
    assert is_sorted(spark, f"INSERT INTO {DB}.by_day {MANY}")
    assert hits(spark) == before
    spark.sql(f"ALTER TABLE {DB}.by_day WRITE UNORDERED")


WRITERS: dict[str, tuple[Callable[[DataFrame, str], object], int]] = {
    "writeTo": (lambda df, t: df.writeTo(t).append(), 1),
    "writeTo, an option": (
        lambda df, t: df.writeTo(t).option("target-file-size-bytes", "1000000").append(),
        1,
    ),
    "save": (lambda df, t: df.write.format("iceberg").mode("append").save(t), 1),
    "save, an option": (
        lambda df, t: (
            df.write.format("iceberg").mode("append").option("write-format", "avro").save(t)
        ),
        1,
    ),
    "overwritePartitions": (
        lambda df, t: df.writeTo(t).option("write-format", "avro").overwritePartitions(),
        1,
    ),
    "fanout": (lambda df, t: df.writeTo(t).option("fanout-enabled", "true").append(), 0),
    "without the table's order": (
        lambda df, t: df.writeTo(t).option("use-table-distribution-and-ordering", "false").append(),
        0,
    ),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_dataframes(spark: SparkSession, writer: str) -> None:
    write, expected = WRITERS[writer]
    table = f"{DB}.by_value"
    spark.sql(f"DELETE FROM {table}")
    before = hits(spark)
    write(spark.sql(MANY), table)
    assert hits(spark) - before == expected
    assert spark.sql(f"SELECT * FROM {table} EXCEPT ALL {MANY}").isEmpty()
    assert spark.table(table).count() == 50_000


def test_create_table_as_select_and_its_files(spark: SparkSession) -> None:
    """Where the query has no order of its own, the files are those of a write with fanout."""
    files = []
    for switch in ("true", "false"):
        spark.conf.set(SWITCH, switch)
        before = hits(spark)
        spark.sql(
            f"CREATE OR REPLACE TABLE {DB}.ctas USING iceberg PARTITIONED BY (p) "
            f"TBLPROPERTIES ('write.target-file-size-bytes' = '4000') AS {MANY}"
        )
        assert hits(spark) - before == (switch == "true")
        columns = "record_count, file_size_in_bytes, readable_metrics.id"
        files.append(spark.sql(f"SELECT partition.p, {columns} FROM {DB}.ctas.files").collect())
    assert sorted(files[0]) == sorted(files[1])
    assert len(files[0]) > 40
    spark.sql(f"DROP TABLE {DB}.ctas PURGE")


STATEMENTS = {
    "update": "UPDATE {t} SET p = p + 1 WHERE id % 3 = 0",
    "delete": "DELETE FROM {t} WHERE id % 5 = 0",
    "merge": "MERGE INTO {t} USING (SELECT id + 7 AS id, p, ts, flag FROM {s}) s ON {t}.id = s.id "
    "WHEN MATCHED THEN UPDATE SET p = s.p WHEN NOT MATCHED THEN INSERT *",
}


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("kind", STATEMENTS)
def test_row_level_commands(spark: SparkSession, kind: str, mode: str) -> None:
    """Before Spark 4.0, Spark passes no options to these writes."""
    rows = []
    for switch in ("true", "false"):
        spark.conf.set(SWITCH, switch)
        table = f"{DB}.{kind}_{switch}"
        spark.sql(
            f"CREATE OR REPLACE TABLE {table} USING iceberg PARTITIONED BY (p) "
            f"TBLPROPERTIES ('write.{kind}.mode' = '{mode}') AS {SOURCE.format(2000)}"
        )
        statement = STATEMENTS[kind].format(t=table, s=table)
        before = hits(spark)
        spark.sql(statement)
        assert hits(spark) - before == (switch == "true" and lines.LINE >= (4, 0))
        rows.append(sorted(spark.table(table).collect()))
    assert rows[0] == rows[1]
    for switch in ("true", "false"):
        spark.sql(f"DROP TABLE {DB}.{kind}_{switch} PURGE")


EDGES = {
    "INT": (("-2147483648", "2147483647", "NULL", "0", "-1"), ("c", "truncate(10, c)")),
    "BIGINT": (
        ("-9223372036854775807", "9223372036854775807", "NULL", "-1"),
        ("c", "truncate(10, c)"),
    ),
    "FLOAT": (("'NaN'", "-0.0D", "0.0D", "NULL", "1.5"), ("c",)),
    "DOUBLE": (("'NaN'", "-0.0D", "0.0D", "NULL", "1.5"), ("c", "c, truncate(2, n)")),
    "DECIMAL(9, 2)": (("-9999.99", "9999.99", "0", "NULL", "-0.01"), ("c", "truncate(100, c)")),
    "DATE": (
        ("'0001-01-01'", "'1582-10-04'", "'1969-12-31'", "'1970-01-01'", "NULL", "'9999-12-31'"),
        ("c", "years(c)", "months(c)", "days(c)"),
    ),
    "TIMESTAMP": (
        (
            "'0001-01-01 00:00:01'",
            "'1582-10-04 23:59:59.999999'",
            "'1969-12-31 23:59:59.999999'",
            "NULL",
        ),
        ("c", "years(c)", "months(c)", "days(c)", "hours(c)"),
    ),
    "TIMESTAMP_NTZ": (
        (
            "'0001-01-01 00:00:01'",
            "'1582-10-04 23:59:59.999999'",
            "'1969-12-31 23:59:59.999999'",
            "NULL",
        ),
        ("c", "years(c)", "months(c)", "days(c)", "hours(c)"),
    ),
    "STRING": (
        ("''", "'a'", "'A'", "'a '", "NULL", "'\U0001f600x'", "'\ufffd'"),
        ("c", "truncate(1, c)"),
    ),
    "BINARY": (("x''", "x'00'", "x'FF'", "x'7F'", "NULL", "x'0001'"), ("c", "truncate(1, c)")),
    "STRUCT<f: DOUBLE, s: STRING>": (
        ("named_struct('f', -0.0D, 's', 'a')", "named_struct('f', 0.0D, 's', NULL)"),
        ("c.f", "c.s", "truncate(1, c.s)"),
    ),
}
BUCKETS = "bucket(400, c), bucket(400, n)"


@pytest.mark.filterwarnings("ignore::spark_iceberg_sql.errors.IcebergSqlWarning")  # of such specs
@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        (kind, spec)
        for kind, (_, specs) in EDGES.items()
        for spec in (*specs, *(() if kind in ("FLOAT", "DOUBLE") or "<" in kind else (BUCKETS,)))
    ],
)
def test_the_rows_of_a_partition_stay_together(spark: SparkSession, kind: str, spec: str) -> None:
    """Iceberg refuses rows of a partition that it has closed."""
    values = EDGES[kind][0]
    cases = " ".join(f"WHEN {n} THEN CAST({value} AS {kind})" for n, value in enumerate(values))
    rows = (
        f"SELECT id % 3 AS n, CASE id % {len(values)} {cases} END AS c FROM range(0, 20000, 1, 1)"
    )
    has_doubles = spec == "c.f" or kind in ("FLOAT", "DOUBLE")
    for mode in ("hash", "none"):
        spark.sql(
            f"CREATE OR REPLACE TABLE {DB}.edges (n BIGINT, c {kind}) USING iceberg PARTITIONED BY ({spec}) "
            f"TBLPROPERTIES ('write.distribution-mode' = '{mode}')"
        )
        before = hits(spark)
        spark.sql(f"INSERT INTO {DB}.edges {rows}")
        assert (hits(spark) == before) == has_doubles
        read, expected = (
            f"SELECT n, string(c) FROM {source}" for source in (f"{DB}.edges", f"({rows})")
        )
        assert spark.sql(f"{read} EXCEPT ALL {expected}").isEmpty()
        assert spark.table(f"{DB}.edges").count() == 20_000
    spark.sql(f"DROP TABLE {DB}.edges PURGE")


def test_uuid_and_fixed_columns(spark: SparkSession) -> None:
    """A uuid's bucket is one of its bytes to Iceberg, of its text to Spark."""
    jvm = spark._jvm
    assert jvm
    types = jvm.org.apache.iceberg.types.Types
    fields = jvm.java.util.ArrayList()
    fields.add(types.NestedField.optional(1, "u", types.UUIDType.get()))
    fields.add(types.NestedField.optional(2, "f", types.FixedType.ofLength(16)))
    schema = jvm.org.apache.iceberg.Schema(fields)
    catalog = jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergCatalog(
        spark._jsparkSession, "local"
    )
    spec = (
        jvm.org.apache.iceberg.PartitionSpec.builderFor(schema)
        .bucket("u", 400)
        .bucket("f", 400)
        .build()
    )
    catalog.createTable(
        jvm.org.apache.iceberg.catalog.TableIdentifier.parse("writers.uuids"), schema, spec
    )
    text = "concat('f79c3e09-677c-4bbd-a479-3f349cb7', lpad(hex(id % 2000), 4, '0'))"
    spark.sql(
        f"INSERT INTO {DB}.uuids SELECT {text}, unhex(replace({text}, '-', '')) FROM range(0, 9000, 1, 1)"
    )
    assert spark.table(f"{DB}.uuids").count() == 9000
    spark.sql(f"DROP TABLE {DB}.uuids PURGE")


@pytest.mark.skipif(lines.LINE < (4, 0), reason="no collations before Spark 4.0")
def test_a_collation_does_not_scatter_rows(spark: SparkSession) -> None:
    """To a collation, a and A are one value; to the table, they are two."""
    spark.sql(f"CREATE OR REPLACE TABLE {DB}.edges (c STRING) USING iceberg PARTITIONED BY (c)")
    texts = "SELECT CASE id % 2 WHEN 0 THEN 'a' ELSE 'A' END COLLATE UTF8_LCASE AS c FROM range(0, 20000, 1, 1)"
    before = hits(spark)
    spark.sql(f"INSERT INTO {DB}.edges {texts}")
    assert hits(spark) > before
    assert spark.table(f"{DB}.edges").count() == 20_000
    spark.sql(f"DROP TABLE {DB}.edges PURGE")


@pytest.mark.filterwarnings("ignore::spark_iceberg_sql.errors.IcebergSqlWarning")
def test_a_void_field_is_one_value(spark: SparkSession) -> None:
    table = f"{DB}.void"
    clause = "PARTITIONED BY (q, bucket(4, id)) TBLPROPERTIES ('format-version' = '1')"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, q DOUBLE) USING iceberg {clause}")
    spark.sql(f"ALTER TABLE {table} DROP PARTITION FIELD q")
    rows = "SELECT id, CAST(id AS DOUBLE) AS q FROM range(50000)"
    assert not is_sorted(spark, f"INSERT INTO {table} {rows}")
    spark.sql(f"ALTER TABLE {table} ADD PARTITION FIELD truncate(10, id)")
    assert is_sorted(spark, f"INSERT INTO {table} {rows}")
    spark.sql(f"DROP TABLE {table} PURGE")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("output-spec-id", "99", "not a valid spec"),
        ("distribution-mode", "odd", "Invalid distribution mode"),
    ],
)
def test_what_is_wrong_with_an_option_is_iceberg_s_to_say(
    spark: SparkSession, option: str, value: str, words: str
) -> None:
    for switch in ("true", "false"):
        spark.conf.set(SWITCH, switch)
        with pytest.raises(Exception, match=words):
            spark.sql(MANY).writeTo(f"{DB}.by_value").option(option, value).append()


def test_a_cached_table_is_refreshed(spark: SparkSession) -> None:
    table = f"{DB}.by_value"
    spark.sql(f"CACHE TABLE {table}")
    before = spark.table(table).count()
    spark.sql(f"INSERT INTO {table} {MANY}")
    assert spark.table(table).count() == before + 50_000
    spark.sql(f"UNCACHE TABLE {table}")


def test_a_rewrite_keeps_its_own_order(spark: SparkSession) -> None:
    before = hits(spark)
    spark.sql(
        "CALL local.system.rewrite_data_files(table => 'writers.by_value', options => map('rewrite-all', 'true'))"
    )
    assert hits(spark) == before
