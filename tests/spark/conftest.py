"""One Spark session for all the tests in this folder; each of them carries the marker `spark`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import spark_iceberg_sql

HERE = Path(__file__).parent

# What keeps a test session small: two cores, a heap of 1 GB, few tasks.
SMALL = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}
# Most code of a test runs for seconds: compiled once and simply it leaves the cores to the tests.
QUICK = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.spark)


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """An installed session with the catalog `local` on a hadoop warehouse in a temporary folder."""
    folder = tmp_path_factory.mktemp("spark")
    config = {**SMALL, **QUICK, "spark.sql.warehouse.dir": str(folder / "spark_catalog")}
    session = spark_iceberg_sql.session(folder / "warehouse", config=config)
    yield session
    session.stop()
