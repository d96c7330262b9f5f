"""spark.iceberg_sql.allowed_locations: what the table functions open, on the driver and on executors."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from foreign import rewrite
from process import run
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import SparkSession

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.jvm import configuration
from spark_iceberg_sql.spark.tables.catalog_settings import catalog
from spark_iceberg_sql.spark.tables.locations import allowed_locations

OUTSIDE = "outside the locations that this Spark application allows"
REFUSED = (IcebergSqlError, PySparkException)
Allow = Callable[[str], None]


@pytest.fixture
def allow(spark: SparkSession) -> Iterator[Allow]:
    """Sets the allowed locations of the running application."""
    yield lambda text: configuration.set_process_setting(allowed_locations.SETTING, text)
    configuration.set_process_setting(allowed_locations.SETTING, "")


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> Path:
    """A table of three rows in the folder `lake`, which has a file beside it."""
    name = f"allowed_{re.sub(r'[^a-z0-9]', '_', tmp_path.name.lower())}"
    catalog(spark, name, "hadoop", warehouse=str(tmp_path / "lake"))
    spark.sql(f"CREATE TABLE {name}.db.t (id INT) USING iceberg")
    spark.sql(f"INSERT INTO {name}.db.t VALUES (1), (2), (3)")
    return tmp_path / "lake" / "db" / "t"


@pytest.mark.parametrize(
    ("allowed", "path", "opens"),
    [
        ("/data/lake", "/data/lake/t", True),
        ("/data/lake", "/data/lake", True),
        ("/data/lake/", "file:///data//lake/./t", True),
        ("/data/lake", "/data/lake2/t", False),
        ("/data/lake", "/data/lake/../secret", False),
        ("/data/lake", "/data/lake/{a,..}/t", False),
        ("/data/lake", "/data/lake/a..b/t", True),
        ("/data/lake", "hdfs://node/data/lake/t", False),
        ("s3://b/lake", "s3a://b/lake/t", True),
        ("s3://b/lake", "s3://b/lake/../other/t", False),
        ("s3://b/lake", "s3://bb/lake/t", False),
        ("s3://b/lake, /tmp/x  gs:", "gs://any/t", True),
        ("s3://b/lake, /tmp/x  gs:", "/tmp/x/t", True),
        ("s3://", "s3://any/t", True),
        ("s3:", "http://any/t", False),
        ("abfss://c@a.dfs.core.windows.net/l", "wasbs://c@a.blob.core.windows.net/l/t", True),
        ("/", "/etc/passwd", True),
        ("/", "http://h/etc", False),
    ],
)
def test_prefixes(spark: SparkSession, allow: Allow, allowed: str, path: str, opens: bool) -> None:
    allow(allowed)
    pattern = allowed_locations.pattern()
    assert pattern is not None
    assert (re.match(pattern, f"{path}/") is not None) == opens
    java = spark._jvm.java.util.regex.Pattern.compile(pattern)
    assert bool(java.matcher(f"{path}/").lookingAt()) == opens


def test_an_entry_that_is_no_location_refuses_everything(spark: SparkSession, allow: Allow, table: Path) -> None:
    allow(f"lake,{table}")
    with pytest.raises(AnalysisException, match="has `lake`, which is neither an absolute path"):
        spark.sql(f"SELECT * FROM iceberg('{table}')")


def test_functions_open_what_is_allowed(spark: SparkSession, allow: Allow, table: Path) -> None:
    lake, metadata = table.parents[1], f"{table}/metadata/v2.metadata.json"
    calls = (
        f"SELECT count(*) FROM iceberg('{table}') WHERE id > 0",
        f"SELECT count(*) FROM icebergLocal('{table}', virtual_columns => true) WHERE _size > 0",
        f"SELECT count(*) FROM iceberg('{metadata}')",
        f"SELECT count(*) FROM iceberg_snapshots('{table}')",
        f"SELECT count(*) FROM iceberg_tables('{lake}')",
        f"SELECT count(*) FROM iceberg('{table}', metadata_file_path => '{metadata}')",
    )
    before = [spark.sql(text).head()[0] for text in calls]
    allow(str(lake))
    assert [spark.sql(text).head()[0] for text in calls] == before == [3, 3, 3, 1, 1, 3]
    allow(f"{lake}/other, s3://lake")
    for text in calls:
        with pytest.raises(AnalysisException, match=OUTSIDE):
            spark.sql(text).collect()
    with pytest.raises(REFUSED, match=OUTSIDE):
        spark.sql(f"INSERT INTO FUNCTION iceberg('{table}') VALUES (4)")
    with pytest.raises(REFUSED, match=OUTSIDE):
        spark.sql(f"INSERT INTO FUNCTION iceberg('{lake}/new') SELECT 1 id")
    assert not (lake / "new").exists()


def test_a_metadata_file_outside(spark: SparkSession, allow: Allow, table: Path) -> None:
    other = table.parents[2] / "other"
    shutil.copytree(table, other)
    allow(str(table))
    for file in (f"{other}/metadata/v2.metadata.json", "../../../other/metadata/v2.metadata.json"):
        with pytest.raises(AnalysisException, match=OUTSIDE):
            spark.sql(f"SELECT * FROM iceberg('{table}', metadata_file_path => '{file}')")


def test_data_files_elsewhere(spark: SparkSession, allow: Allow, table: Path) -> None:
    away = table.parents[2] / "away"
    shutil.copytree(table / "data", away)

    def move(record: dict[str, Any]) -> None:
        data = record["data_file"]
        data["file_path"] = f"{away}/{Path(data['file_path']).name}"

    def measure(record: dict[str, Any]) -> None:
        record["manifest_length"] = Path(record["manifest_path"]).stat().st_size

    for pattern, change in (("*-m*.avro", move), ("snap-*.avro", measure)):
        for file in (table / "metadata").glob(pattern):
            rewrite(file, change)
    text = f"SELECT * FROM iceberg('{table}', use_metadata_files_cache => false)"
    assert spark.sql(text).count() == 3
    allow(str(table.parents[1]))
    with pytest.raises(REFUSED, match=OUTSIDE) as caught:
        spark.sql(text).collect()
    assert str(away) in str(caught.value)
    assert "\tat " not in str(caught.value)


def test_files_that_metadata_names_elsewhere(spark: SparkSession, allow: Allow, table: Path) -> None:
    file = table / "metadata" / "v2.metadata.json"
    content = json.loads(file.read_text())
    away = table.parents[2] / "away"
    shutil.copytree(table / "metadata", away)
    for snapshot in content["snapshots"]:
        snapshot["manifest-list"] = f"{away}/{Path(snapshot['manifest-list']).name}"
    file.write_text(json.dumps(content))
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    text = f"SELECT * FROM iceberg('{table}', use_metadata_files_cache => false)"
    assert spark.sql(text).count() == 3
    allow(str(table.parents[1]))
    with pytest.raises(REFUSED, match=OUTSIDE) as caught:
        spark.sql(text).collect()
    assert str(away) in str(caught.value)
    assert "\tat " not in str(caught.value)
    allow(f"{table} {away}")
    assert spark.sql(text).count() == 3


class Requests(BaseHTTPRequestHandler):
    """Answers nothing and remembers the paths."""

    paths: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.paths.append(self.path)
        self.send_error(404)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def web() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Requests)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Requests.paths.clear()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_metadata_has_nothing_fetched_from_the_web(spark: SparkSession, allow: Allow, table: Path, web: str) -> None:
    file = table / "metadata" / "v2.metadata.json"
    content = json.loads(file.read_text())
    for snapshot in content["snapshots"]:
        snapshot["manifest-list"] = f"{web}/list"
    file.write_text(json.dumps(content))
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    text = f"SELECT * FROM iceberg('{table}', use_metadata_files_cache => false)"
    with pytest.raises(REFUSED) as caught:
        spark.sql(text).collect()
    assert Requests.paths == []
    assert "spark.iceberg_sql.allowed_locations without http:" in str(caught.value)
    allow(str(table))
    with pytest.raises(REFUSED, match=OUTSIDE):
        spark.sql(text).collect()
    assert Requests.paths == []
    allow(f"{table}, {web}")
    with pytest.raises(REFUSED):
        spark.sql(text).collect()
    assert {*Requests.paths} == {"/list"}


def test_no_session_changes_it(spark: SparkSession) -> None:
    key = allowed_locations.SETTING
    for text in (f"SET {key} = /", f"RESET {key}"):
        with pytest.raises(AnalysisException, match="annot modify the value"):
            spark.sql(text)
    with pytest.raises(AnalysisException, match="annot modify the value"):
        spark.newSession().conf.set(key, "/")


def test_as_an_application_starts_with_it(tmp_path: Path) -> None:
    script = (
        f"spark = sis.session({str(tmp_path / 'lake')!r}, config={{**SMALL, 'spark.master': 'local-cluster[1,1,1024]', "
        f"'spark.iceberg_sql.allowed_locations': {str(tmp_path / 'lake')!r}}})\n"
        "spark.sql('CREATE TABLE local.db.t USING iceberg AS SELECT id FROM range(5)')\n"
        f"print(spark.sql(\"SELECT sum(id) FROM iceberg('{tmp_path}/lake/db/t')\").head()[0])\n"
        f"try:\n    spark.sql(\"SELECT * FROM iceberg('{tmp_path}/other')\")\n"
        "except Exception as error:\n    print(str(error).partition('\\n')[0])\n"
    )
    rows, refusal = run(tmp_path, script)[0].splitlines()
    assert rows == "10"
    assert OUTSIDE in refusal
