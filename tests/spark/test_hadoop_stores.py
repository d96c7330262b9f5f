"""Object stores that Hadoop's file systems open: `iceberg('s3a://...')` in a session without Iceberg's client.

Hadoop's own view file system answers for the schemes, and keeps the files on the local disk; tests/matrix writes with
s3a and wasb.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.io import hadoop_stores
from spark_iceberg_sql.spark.bridge.io.location import S3, Location

VIEW = "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"


@pytest.fixture
def warehouse(spark: SparkSession, tmp_path: Path) -> Iterator[Path]:
    """A folder that is `lake/w` for s3a and gs, with a table `t` of four rows."""
    name = re.sub(r"[^a-z0-9]", "_", tmp_path.name.lower())
    spark.sql(f"CREATE TABLE local.hadoop_stores.{name} (id INT) USING iceberg")
    spark.sql(f"INSERT INTO local.hadoop_stores.{name} VALUES (1), (2), (3), (4)")
    details = spark.sql(f"DESCRIBE EXTENDED local.hadoop_stores.{name}").where("col_name = 'Location'").collect()
    shutil.copytree(str(details[0].data_type).removeprefix("file:"), tmp_path / "t")
    settings = {
        "fs.viewfs.overload.scheme.target.file.impl": "org.apache.hadoop.fs.LocalFileSystem",
        **{f"fs.{scheme}.impl": VIEW for scheme in ("s3a", "gs")},
        **{f"fs.{scheme}.impl.disable.cache": "true" for scheme in ("s3a", "gs")},
        "fs.viewfs.mounttable.lake.link./w": f"file:{tmp_path}",
    }
    for setting, value in settings.items():
        spark.conf.set(setting, value)
    yield tmp_path
    spark.sql(f"DROP TABLE local.hadoop_stores.{name}")
    for setting in settings:
        spark.conf.unset(setting)


@pytest.mark.tier("quick", of="tables by path")
@pytest.mark.filterwarnings("ignore:.*is a copy, or was moved")
@pytest.mark.parametrize("root", ["s3a://lake/w", "gs://lake/w"])
def test_a_session_without_icebergs_client_reads_with_hadoop(spark: SparkSession, warehouse: Path, root: str) -> None:
    implementation = f"fs.{root.partition(':')[0]}.impl"
    spark.conf.set(implementation, "no.such.Class")  # what was opened before is not taken for what is set now
    with pytest.raises((AnalysisException, IcebergSqlError)):
        spark.sql(f"SELECT * FROM icebergHDFS('{root}/t')")
    spark.conf.set(implementation, VIEW)
    assert spark.sql(f"SELECT count(*), max(id) FROM iceberg('{root}/t')").collect() == [(4, 4)]
    assert [row.name for row in spark.sql(f"SELECT name FROM iceberg_tables('{root}')").collect()] == ["t"]
    assert spark.sql(f"SELECT count(*) FROM iceberg_history('{root}/t')").collect() == [(1,)]


@pytest.mark.filterwarnings("ignore:.*is in the statement's text")
@pytest.mark.parametrize(
    ("url", "arguments"),
    [
        ("s3a://lake/w/t", ", 'key', 'secret'"),
        ("s3a://lake/w/t", ", region => 'eu-west-1'"),
        ("s3://lake/w/t", ""),
        ("http://lake/w/t", ""),
        ("abfss://c@account.dfs.core.windows.net/w/t", ", account_key => 'a2V5'"),
    ],
)
def test_with_credentials_or_another_scheme_icebergs_client_is_needed(
    spark: SparkSession, warehouse: Path, url: str, arguments: str
) -> None:
    with pytest.raises(
        (AnalysisException, IcebergSqlError), match=r"does not have the classes.*spark\.jars\.packages="
    ):
        spark.sql(f"SELECT * FROM iceberg('{url}'{arguments})")


def test_where_both_are_there_hadoop_reads_what_it_has_credentials_for(
    spark: SparkSession, warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark._jvm.SparkSession.setActiveSession(spark._jsparkSession)  # a test before may have left its own
    location = Location("s3://lake/w/t", S3)
    monkeypatch.setitem(hadoop_stores.NEEDS, S3, (("java.lang.String",), ""))  # classes that this session has
    assert not hadoop_stores.is_read_by_hadoop("s3a://lake/w/t", location)
    spark.conf.set("fs.s3a.bucket.other.access.key", "k")
    assert not hadoop_stores.is_read_by_hadoop("s3a://lake/w/t", location)
    spark.conf.set("fs.s3a.bucket.lake.access.key", "k")
    assert hadoop_stores.is_read_by_hadoop("s3a://lake/w/t", location)
    spark.conf.unset("fs.s3a.bucket.lake.access.key")
    spark.conf.unset("fs.s3a.bucket.other.access.key")
    spark.conf.set("fs.s3a.endpoint", "http://127.0.0.1:9")
    assert hadoop_stores.is_read_by_hadoop("s3a://lake/w/t", location)
    spark.conf.unset("fs.s3a.endpoint")
