"""Which addresses of a moved table are opened in its folder: all spellings of those below the location, no other."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.spark.tables.locations.location_mapping import map_location

# location in the metadata, folder asked for, address, where it is opened (None: where it says)
CASES: list[tuple[str, str, str, str | None]] = [
    # a local folder, in each spelling that writers use
    ("/w/t", "/c/t", "/w/t/data/a.parquet", "/c/t/data/a.parquet"),
    ("/w/t", "/c/t", "file:/w/t/data/a", "/c/t/data/a"),
    ("/w/t", "/c/t", "file:///w/t/data/a", "/c/t/data/a"),
    ("/w/t", "/c/t", "FILE:/w/t/data/a", "/c/t/data/a"),
    ("file:/w/t/", "file:/c/t/", "/w/t//data/a", "file:/c/t/data/a"),
    ("file:///w//t", "/c/t", "/w/./t/data/a", "/c/t/data/a"),
    ("file://localhost/w/t", "/c/t", "file:/w/t/x", "/c/t/x"),
    ("/w/t", "/c/t", "hdfs://nn/w/t/x", "/c/t/x"),
    # a relative path after file://, as pyiceberg accepts it
    ("file://w/t", "/c/t", "file://w/t/data/a", "/c/t/data/a"),
    ("file://w/t", "/c/t", "FILE://w//t/data/a", "/c/t/data/a"),
    ("file://w/t", "/c/t", "file:///t/data/a", None),
    ("file://w/t", "/c/t", "file://v/t/data/a", None),
    ("/", "/c/t", "/data/a", "/c/t/data/a"),
    # what only looks like it
    ("/w/t", "/c/t", "/w/t2/data/a", None),
    ("/w/t", "/c/t", "/w/T/data/a", None),
    ("/w/t", "/c/t", "/x/w/t/data/a", None),
    ("/w/t", "/c/t", "s3://b/w/t/data/a", None),
    ("file:/w/t", "/c/t", "s3://b/w/t/data/a", None),
    ("file:/w/t", "/c/t", "hdfs://nn/w/t/data/a", None),
    ("/w/t", "/c/t", "/w/t", None),
    ("/w/t", "/c/t", "/w/t/../other/a", None),
    ("/w/t", "/c/t", "/w/t/data/../../other/a", None),
    ("/w/t", "/c/t", "/w/t/data/..a", "/c/t/data/..a"),
    ("/w/t.x", "/c/t", "/w/tax/data/a", None),
    ("/w/a%20b", "/c/t", "/w/a b/data/a", None),
    ("/w/a b(1)+[c]", "/c/t", "file:/w/a b(1)+[c]/x", "/c/t/x"),
    ("/w/ü/t", "/c/$1\\t", "/w/ü/t/x", "/c/$1\\t/x"),
    # S3: one bucket, three schemes; keys are compared as they are
    ("s3://b/w/t", "s3://c/u/t", "s3://b/w/t/data/a", "s3://c/u/t/data/a"),
    ("s3://b/w/t", "s3://c/w/t", "s3a://b/w/t/data/a", "s3://c/w/t/data/a"),
    ("s3n://b/w/t/", "/c/t", "s3://b/w/t/data/a", "/c/t/data/a"),
    ("s3://b/w/t", "/c/t", "s3://b/w/t/a/../b", "/c/t/a/../b"),
    ("s3://b/w/t", "/c/t", "s3://b//w/t/a", None),
    ("s3://b/w/t", "/c/t", "s3://bb/w/t/a", None),
    ("s3://b/w/t", "/c/t", "s3://B/w/t/a", None),
    ("s3://b.x/w/t", "/c/t", "s3://bax/w/t/a", None),
    ("/w/t", "s3://b/t", "file:/w/t/data/a", "s3://b/t/data/a"),
    # Azure: one container of one account, four schemes, two hosts
    ("abfss://c@a.dfs.core.windows.net/w/t", "/c/t", "abfs://c@a.dfs.core.windows.net/w/t/x", "/c/t/x"),
    ("abfss://c@a.dfs.core.windows.net/w/t", "/c/t", "wasbs://c@a.blob.core.windows.net/w/t/x", "/c/t/x"),
    ("abfss://c@a.dfs.core.windows.net/w/t", "/c/t", "abfss://d@a.dfs.core.windows.net/w/t/x", None),
    ("abfss://c@a.dfs.core.windows.net/w/t", "/c/t", "abfss://c@b.dfs.core.windows.net/w/t/x", None),
    ("abfss://c@a.dfs.core.windows.net/w/t", "/c/t", "abfss://c@a.dfs.core.chinacloudapi.cn/w/t/x", None),
    # HDFS: the default port may be left out, and so may the name node
    ("hdfs://nn:8020/w/t", "hdfs://mm/w/t", "hdfs://nn/w/t/x", "hdfs://mm/w/t/x"),
    ("hdfs://nn/w/t", "hdfs://mm/w/t", "hdfs://nn:8020/w/t/x", "hdfs://mm/w/t/x"),
    ("hdfs://nn:9000/w/t", "/c/t", "/w/t/x", "/c/t/x"),
    ("hdfs://nn:9000/w/t", "/c/t", "hdfs:///w/t/x", "/c/t/x"),
    ("hdfs://nn:9000/w/t", "/c/t", "hdfs://nn/w/t/x", None),
    ("hdfs://nn/w/t", "/c/t", "hdfs://mm/w/t/x", None),
    # another store
    ("gs://b/w/t", "s3://b/w/t", "gs://b/w/t/x", "s3://b/w/t/x"),
    ("gs://b/w/t", "s3://b/w/t", "s3://b/w/t/x", None),
    # a copy in the original's folder, and the other way round
    ("/w/t", "/w/t/backup", "/w/t/data/a", "/w/t/backup/data/a"),
    ("/w/t", "/w/t/backup", "/w/t/backup/data/a", None),
    ("/w/t", "file:/w/t/backup", "/w/t/backup/data/a", None),
    ("/w/t/sub", "/w/t", "/w/t/sub/data/a", "/w/t/data/a"),
]  # fmt: skip


@pytest.mark.parametrize(("declared_location", "folder", "address", "opened"), CASES)
def test_an_address(declared_location: str, folder: str, address: str, opened: str | None) -> None:
    assert map_location(declared_location, folder).current_address(address) == (address if opened is None else opened)
