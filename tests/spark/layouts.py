"""Run by test_layouts in separate processes: sessions created elsewhere, with other catalogs.

Prints one JSON object: the outcome of each statement.
"""

from __future__ import annotations

import json
import sys
import warnings
from itertools import product

import pyspark
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.runtime_jar import runtime_jar
from spark_iceberg_sql.spark.versions import runtime

AGREES = "SELECT iceberg_bucket(4, id) = (SELECT first(partition.id_bucket_4) FROM default.ice.files) FROM ice"
PLAN = "SELECT count(*) FROM iceberg_plan('ALTER TABLE j DROP PARTITION FIELD ts_hour') WHERE part = 'change'"
EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"


def session(folder, jars, **config):
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.jars", ",".join([str(runtime_jar(runtime(pyspark.__version__))), *jars]))
    builder = builder.config("spark.sql.warehouse.dir", f"{folder}/spark")
    for key, value in config.items():
        builder = builder.config(key.replace("__", "."), value)
    return sis.install(builder.getOrCreate())


def outcomes(spark, statements):
    records = {}
    for statement in statements:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                rows = spark.sql(statement).collect()
                records[statement] = {"ok": [list(map(str, row)) for row in rows]}
            except sis.IcebergSqlError as error:
                codes = [d.code for d in error.report] if error.report is not None else None
                records[statement] = {"codes": codes, "text": str(error)}
            except Exception as error:
                records[statement] = {"error": type(error).__name__, "text": str(error)}
            records[statement]["warnings"] = [str(w.message) for w in caught]
    return records


def session_catalog(folder, jar):
    spark = session(
        folder,
        [jar],
        spark__sql__extensions=EXTENSIONS,
        spark__sql__catalog__spark_catalog="org.apache.iceberg.spark.SparkSessionCatalog",
        spark__sql__catalog__spark_catalog__type="hadoop",
        spark__sql__catalog__spark_catalog__warehouse=f"{folder}/session",
        spark__sql__catalog__db="org.apache.iceberg.spark.SparkCatalog",
        spark__sql__catalog__db__type="jdbc",
        spark__sql__catalog__db__uri=f"jdbc:sqlite:{folder}/catalog.db",
        spark__sql__catalog__db__warehouse=f"{folder}/jdbc",
        **{"spark__sql__catalog__db__jdbc.schema-version": "V1"},
    )
    return outcomes(
        spark,
        [
            "CREATE TABLE ice (id bigint, name string, ts timestamp) USING iceberg",
            "ALTER TABLE ice ADD PARTITION FIELD bucket(4, id)",
            "ALTER TABLE ice ADD PARTITION FIELD days(name)",
            "ALTER TABLE default.ice ADD PARTITION FIELD days(ts)",
            "ALTER TABLE spark_catalog.default.ice ADD PARTITION FIELD days(ts)",
            "INSERT INTO ice VALUES (1, 'a', timestamp'2024-01-01')",
            AGREES,
            "CREATE TABLE par (id int, dt string) USING parquet PARTITIONED BY (dt)",
            "ALTER TABLE par ADD PARTITION FIELD bucket(4, id)",
            "CREATE TABLE par2 (id int) USING parquet PARTITIONED BY (bucket(4, id))",
            "CREATE VIEW see AS SELECT 1 AS id",
            "ALTER TABLE see ADD PARTITION FIELD bucket(4, id)",
            "USE db",
            "CREATE NAMESPACE n",
            "USE n",
            "CREATE TABLE j (id bigint, ts timestamp) USING iceberg PARTITIONED BY (days(ts))",
            "ALTER TABLE j ADD PARTITION FIELD bucket(4, nope)",
            "ALTER TABLE j REPLACE PARTITION FIELD ts_day WITH hours(ts)",
            PLAN,
        ],
    )


def bare(folder, jar):
    """No extensions, no Iceberg catalog: only the functions work, and errors are explained."""
    spark = session(folder, [])
    return outcomes(
        spark,
        [
            "SELECT iceberg_bucket(16, 34)",
            "CREATE TABLE par (id int) USING parquet",
            "ALTER TABLE par ADD PARTITION FIELD bucket(4, id)",
            "ALTER TABLE nope ADD PARTITION FIELD bucket(4, id)",
        ],
    )


def no_extensions(folder, jar):
    spark = session(
        folder,
        [],
        spark__sql__catalog__local="org.apache.iceberg.spark.SparkCatalog",
        spark__sql__catalog__local__type="hadoop",
        spark__sql__catalog__local__warehouse=f"{folder}/wh",
    )
    records = outcomes(
        spark,
        [
            "CREATE TABLE local.db.t (id bigint) USING iceberg",
            "ALTER TABLE local.db.t ADD PARTITION FIELD bucket(4, id)",
        ],
    )
    return {**records, "filters": filters(spark)}


VALUES = {  # of a call and of another one of the same function
    "bucket(4, x)": ("2", "0"),
    "truncate(5, x)": ("5", "-5"),
    "days(ts)": ("DATE '1970-01-03'", "DATE '1969-12-28'"),
    "truncate(2, n)": ("'n1'", "'n4'"),
}
FILTERS = [
    *("{0} = {1}", "{0} <> {1}", "NOT ({0} = {1})", "{0} IN ({1}, {2})", "{0} NOT IN ({1}, {2})"),
    *("{0} > {1}", "{0} IS NULL", "{1} <= {0}", "{0} <=> {1}", "{0} = {1} OR x = 3"),
    "NOT ({0} IN ({1}) AND x > 0)",
]


def filters(spark):
    """Of filters over tables of every spec: the rows without Iceberg, and with it; the files read, and all."""
    rows = (
        "SELECT CAST(IF(id % 7 = 0, NULL, id % 23 - 5) AS INT) x, IF(id % 5 = 0, NULL, "
        "timestamp_seconds((id % 40 - 20) * 40000)) ts, IF(id % 6 = 0, NULL, concat('n', id % 13)) n FROM range(60)"
    )
    frame = spark.sql(rows)
    plain = spark.createDataFrame(frame.collect(), frame.schema)
    records = {}
    for i, (spec, values) in enumerate(VALUES.items()):
        table = f"local.db.f{i}"
        spark.sql(f"CREATE TABLE {table} (x INT, ts TIMESTAMP, n STRING) USING iceberg PARTITIONED BY ({spec})")
        plain.writeTo(table).append()
        for j, (form, prefix) in enumerate(product(FILTERS, ("iceberg_", "local.system."))):
            if (i + j) % 5:
                continue
            condition = form.format(prefix + spec, *values)
            want = sorted(map(repr, plain.where(condition).collect()))
            actual = sorted(map(repr, spark.table(table).where(condition).collect()))
            (scan,) = sis.explain(spark, f"SELECT * FROM {table} WHERE {condition}").scans
            records[condition] = [want, actual, scan.files, scan.total_files]
    return records


def no_iceberg_catalog(folder, jar):
    """Extensions, but no Iceberg catalog; the gate only warns, so Spark's own error comes through."""
    spark = sis.install(session(folder, [], spark__sql__extensions=EXTENSIONS), ddl="warn")
    return outcomes(
        spark, ["CREATE TABLE par (id int) USING parquet", "ALTER TABLE par ADD PARTITION FIELD bucket(4, id)"]
    )


json.dump(globals()[sys.argv[1]](sys.argv[2], sys.argv[3]), sys.stdout)
