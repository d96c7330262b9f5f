"""One Spark session for all tests in this folder; each has the marker `spark`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pyspark
import pytest
from class_archive import ClassArchive
from py4j import java_gateway
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import spark_iceberg_sql
from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.spark.bridge.jvm import compiler

HERE = Path(__file__).parent
# A Spark that is not in the table yet is taken for the newest that is, as `install` does.
LINE = versions.tested_line(pyspark.__version__) or versions.SPARK_MINORS[0]

# Keeps a test session small: two cores, a heap of 1 GB, few tasks.
SMALL = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.scripting.enabled": "true",  # the default in Spark 4.1
}
# Most test code runs for seconds: with only the first JIT tier, the cores are free for the tests. This applies to every
# JVM that pyspark starts here, including in other processes, and prints nothing on standard error. This tier may keep
# 48 MB of code unless told: Spark's generated code fills it, and compiled code is thrown away and compiled again.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"
for name in ("SPARK_SUBMIT_OPTS", "SPARK_LAUNCHER_OPTS"):
    os.environ[name] = f"{QUICK} {os.environ.get(name, '')}".rstrip()


def _once(lookup: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    def looked_up(owner: Any, name: str) -> Any:
        return owner.__dict__.setdefault(name, lookup(owner, name))

    return looked_up


# py4j asks the JVM for each part of a name each time, and the JVM looks for what is no class in 300 jars: pyspark names
# 36 parts for each of Spark's errors, and a tenth of the tests' CPU time was this.
for kind in (java_gateway.JVMView, java_gateway.JavaPackage):
    kind.__getattr__ = _once(kind.__getattr__)

if LINE.number < (4, 0):  # renamed in Spark 4.0
    PySparkException.getCondition = lambda error: error.getErrorClass()


def pytest_configure(config: pytest.Config) -> None:
    if (cache := getattr(config, "cache", None)) is not None:  # None with -p no:cacheprovider
        worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
        archive = ClassArchive(cache.mkdir("java-classes"), makes=worker == "gw0")
        config.pluginmanager.register(archive, "class-archive")


# Requirements of the statements among a test's parameters.
WORDS = {
    "variants": re.compile(r"\bvariant\b", re.IGNORECASE),
    "collations": re.compile(r"\bcollate\b", re.IGNORECASE),
    "EXECUTE IMMEDIATE": re.compile(r"\bEXECUTE IMMEDIATE\b"),
    "pipes": re.compile(r"\|>"),
    "scripts": re.compile(r"^BEGIN\b", re.MULTILINE),
    "expressions in CALL": re.compile(r"\bCALL\b.*(?:older_than => (?:\w+\(|')|older_than => cutoff\))"),
}


def needs(item: pytest.Item) -> set[str]:
    """Features that a test needs and that not every line of Spark has."""
    marked = {name for marker in item.iter_markers("needs") for name in marker.args}
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    text = "\n".join(str(getattr(value, "text", value)) for value in values)
    return marked | {name for name, word in WORDS.items() if word.search(text)}


def is_sampled(item: pytest.Item) -> bool:
    return all(marker.kwargs.get("sampled", True) for marker in item.iter_markers("tier"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    mine = [item for item in items if HERE in item.path.parents]
    for item in mine:
        for needed in needs(item):
            assert any(needed in line.limitations for line in versions.SPARK_MINORS), needed
            if lacking := LINE.limitations.get(needed):
                item.add_marker(pytest.mark.skip(reason=f"Spark {LINE.spark}: {lacking}"))
    stride = config.getoption("--every")
    left_out = [item for item in mine if crc32(item.nodeid.encode()) % stride and is_sampled(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """An installed session with the catalog `local` on a hadoop warehouse in a temporary folder."""
    folder = tmp_path_factory.mktemp("spark")
    config = {**SMALL, "spark.sql.warehouse.dir": str(folder / "spark_catalog")}
    config["spark.sql.defaultCatalog"] = "spark_catalog"  # tests of other tables than Iceberg's create them there
    session = spark_iceberg_sql.session(folder / "warehouse", config=config)
    write_without_processes(session)
    yield session
    session.stop()


def write_without_processes(session: SparkSession) -> None:
    """Write files without a process for each: LocalFiles.java."""
    text = (HERE / "LocalFiles.java").read_text("utf-8")
    loader = compiler.compile_java(text, "LocalFiles.java", compiler.context_loader())
    files = compiler.instance(loader, "sparkicebergsql.tests.LocalFiles")
    files.use(session._jsc.hadoopConfiguration())
