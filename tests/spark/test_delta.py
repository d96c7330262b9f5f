"""A session with Delta's extensions too, in either order: what Delta takes runs as it does without the check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import maven
import process
import pyspark
import pytest
from filelock import FileLock
from samples import swept

from spark_iceberg_sql.files.user_cache import cache_directory
from spark_iceberg_sql.spark.bridge.jvm import shims
from spark_iceberg_sql.spark.runtime_jar import runtime_jar
from spark_iceberg_sql.spark.versions import runtime

_VERSION = "4.4.0"
_ORDERS = {
    "Delta's extensions first": ("io.delta.sql.DeltaSparkSessionExtension", "Iceberg's"),
    "Iceberg's extensions first": ("Iceberg's", "io.delta.sql.DeltaSparkSessionExtension"),
}
# {0} is a prefix of names. Delta refuses some of them itself.
STATEMENTS = (
    "CREATE TABLE {0}d (id BIGINT, v INT, ts TIMESTAMP) USING delta TBLPROPERTIES (delta.enableDeletionVectors = true)",
    "INSERT INTO {0}d VALUES (1, 2, TIMESTAMP'2024-01-01')",
    "CREATE TABLE {0}c SHALLOW CLONE {0}d",
    "CREATE OR REPLACE TABLE {0}c SHALLOW CLONE {0}d VERSION AS OF 1",
    "CREATE TABLE IF NOT EXISTS {0}c SHALLOW CLONE {0}d TBLPROPERTIES ('a' = 'b')",
    "CREATE TABLE {0}e (id BIGINT) USING delta CLUSTER BY (id)",
    "CREATE OR REPLACE TABLE {0}e USING delta CLUSTER BY (id) AS SELECT 1L AS id",
    "ALTER TABLE {0}e CLUSTER BY (id)",
    "ALTER TABLE {0}d ADD CONSTRAINT positive CHECK (id > 0)",
    "ALTER TABLE {0}d DROP FEATURE deletionVectors",
    "CREATE TABLE {0}g (ts TIMESTAMP, d DATE GENERATED ALWAYS AS (CAST(ts AS DATE))) USING delta PARTITIONED BY (d)",
    "CREATE TABLE {0}t (id BIGINT) USING delta PARTITIONED BY (bucket(4, id))",
    "CREATE TABLE {0}p (id BIGINT) USING parquet PARTITIONED BY (bucket(4, id))",
    "CREATE TABLE {0}y (id BIGINT, ts TIMESTAMP) USING parquet PARTITIONED BY (days(ts))",
    "INSERT INTO {0}d REPLACE WHERE id = 1 VALUES (1, 3, TIMESTAMP'2024-01-01')",
    "ALTER TABLE {0}d REPLACE COLUMNS (id BIGINT, v BIGINT, ts TIMESTAMP)",
    "ALTER TABLE {0}d ADD PARTITION FIELD days(ts)",
    "ALTER TABLE {0}d ADD PARTITION (ts = 'x')",
)
REFUSED = {
    "ALTER TABLE local.n.t ADD PARTITION FIELD weeks(ts)": "SIS101",
    "BEGIN ALTER TABLE local.n.t ADD PARTITION FIELD weeks(ts); END": "SIS101",
    "CREATE TABLE local.n.u (id BIGINT) USING iceberg PARTITION BY (id)": "SIS001",
    "CREATE TABLE local.n.u (id BIGINT) USING iceberg CLUSTER BY (id)": "SIS413",
    "CREATE TABLE local.n.u (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(t))": "SIS201",
}
_SCRIPT = """
import json, re, warnings
from pyspark.errors import PySparkException
spark = theirs(**json.loads(os.environ["SETTINGS"]))
spark.sparkContext.setLogLevel("OFF")
def outcome(text):
    said = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            spark.sql(text).collect()
            end = "it ran"
        except sis.IcebergSqlError as error:
            end = [d.code for d in error.report or ()] or "it failed: " + str(error)
        except Exception as error:
            end = "it failed: " + str(isinstance(error, PySparkException) and error.getCondition() or error)
        said = [str(w.message) for w in caught if issubclass(w.category, sis.errors.IcebergSqlWarning)]
    return [end, said]
task = json.loads(os.environ["TASK"])
answer = {"plain": [outcome(text.format("a_")) for text in task["statements"]]}
sis.install(spark)
answer["checked"] = [outcome(text.format("b_")) for text in task["statements"]]
spark.sql("CREATE TABLE local.n.t (id BIGINT, ts TIMESTAMP) USING iceberg")
spark.sql("BEGIN ALTER TABLE local.n.t ADD PARTITION FIELD days(ts); END")
spark.sql("ALTER TABLE IDENTIFIER('local.n.t') ADD PARTITION FIELD bucket(4, id)")
spark.sql("CREATE TEMPORARY FUNCTION day_of(t TIMESTAMP) RETURNS DATE RETURN iceberg_days(t)")
answer["fields"] = [row[0] for row in spark.sql("SELECT field_name FROM iceberg_partition_specs('local.n.t') "
    "WHERE is_current").collect()]
answer["function"] = str(spark.sql("SELECT day_of(TIMESTAMP'2024-01-01 10:00:00')").first()[0])
answer["refused"] = [outcome(text) for text in task["refused"]]
print("\\n" + json.dumps(answer))
"""


def _jars() -> list[Path]:
    folder = cache_directory() / "tests" / f"delta-{_VERSION}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            maven.retrieve("io.delta", "delta-spark_4.1_2.13", _VERSION, folder, transitive=True)
    # The others are Spark's, too.
    jars = [jar for jar in folder.glob("*.jar") if jar.name.startswith(("delta-", "unitycatalog-"))]
    if not jars:
        pytest.skip(f"io.delta:delta-spark_4.1_2.13:{_VERSION} cannot be fetched")
    return jars


@pytest.fixture(scope="module", params=swept(list(_ORDERS), 1))
def answer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if shims.SPARK_VERSION[:2] != (4, 1):
        pytest.skip("Delta's jar is for Spark 4.1")
    folder = tmp_path_factory.mktemp("delta")
    icebergs = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
    settings = {
        "spark.jars": ",".join([str(runtime_jar(runtime(pyspark.__version__))), *map(str, _jars())]),
        "spark.sql.extensions": ",".join(_ORDERS[request.param]).replace("Iceberg's", icebergs),
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.local": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.local.type": "hadoop",
        "spark.sql.catalog.local.warehouse": str(folder / "iceberg"),
        "spark.sql.warehouse.dir": str(folder / "delta"),
        "spark.driver.memory": "1g",
        "spark.databricks.delta.snapshotPartitions": "1",
    }
    task = {"statements": STATEMENTS, "refused": list(REFUSED)}
    printed, _ = process.run(folder, _SCRIPT, seconds=500, TASK=json.dumps(task), SETTINGS=json.dumps(settings))
    result: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return result


def test_what_delta_takes_runs_here_too(answer: dict[str, Any]) -> None:
    outcomes = zip(STATEMENTS, answer["plain"], answer["checked"], strict=True)
    assert {
        text: (plain, checked)
        for text, (plain, _), (checked, _) in outcomes
        if (plain == "it ran") != (checked == "it ran")
    } == {}


def test_nothing_is_said_of_it_but_of_transforms_that_pruning_does_not_use(answer: dict[str, Any]) -> None:
    warned = {text for text, (_, messages) in zip(STATEMENTS, answer["checked"], strict=True) if messages}
    assert warned == {text for text in STATEMENTS if "BY (bucket" in text or "BY (days" in text}


def test_delta_works_here(answer: dict[str, Any]) -> None:
    ran = {text for text, (end, _) in zip(STATEMENTS, answer["checked"], strict=True) if end == "it ran"}
    assert len(ran) > len(STATEMENTS) / 2


def test_icebergs_statements(answer: dict[str, Any]) -> None:
    assert answer["fields"] == ["ts_day", "id_bucket_4"]
    assert answer["function"] == "2024-01-01"


def test_wrong_ones_of_iceberg_are_refused(answer: dict[str, Any]) -> None:
    assert [end for end, _ in answer["refused"]] == [[code] for code in REFUSED.values()]
