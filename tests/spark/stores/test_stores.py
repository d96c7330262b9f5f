"""Tables by path in real stores: S3 and Glue (moto), HDFS (MiniDFS), Azure (Azurite), REST, JDBC (SQLite)."""

from __future__ import annotations

import os
import re
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from faults import FaultyStore
from pyiceberg.table import StaticTable
from store_parts import S3, Remote, SqlFailed, client

from spark_iceberg_sql.spark.tables.locations import stores

IN_TIME = 60  # seconds, on a busy machine; without this package's limits the clients take minutes


def request(url: str, method: str = "GET", content: bytes | None = None) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, data=content, method=method), timeout=30) as answer:
        return bytes(answer.read())


# ------------------------------------------------------------------------------ S3


def test_s3_by_keys(remote: Remote, s3: S3) -> None:
    key = s3.table.removeprefix("s3://")
    for call in (
        f"icebergS3('{s3.endpoint}/{key}', {s3.keys})",
        f"icebergS3('{s3.endpoint}/{key}', {s3.keys}, 'parquet')",
        f"iceberg('{s3.table}', {s3.keys}, endpoint => '{s3.endpoint}')",
        f"iceberg_s3('{s3.table}', 'NOSIGN', endpoint => '{s3.endpoint}')",
        "icebergS3('moto', filename => 't')",
        f"icebergS3('{s3.table}', collection => 'moto', format => 'auto')",
    ):
        assert remote.sql(f"SELECT * FROM {call} ORDER BY id") == [[1, "a"], [2, "b"]]


def test_s3_virtual_columns(remote: Remote, s3: S3) -> None:
    call = f"iceberg('{s3.table}', collection => 'moto')"
    rows = remote.sql(f"SELECT _path, _file, _size, _time, _etag FROM {call}")
    assert len(rows) == 2
    for path, file, size, time, etag in rows:
        assert path.startswith("s3://lake/")
        assert path.endswith(file)
        assert size > 0
        assert time is not None
        assert len(etag) == 32
    call = f"iceberg_snapshots('{s3.table}', collection => 'moto')"
    assert len(remote.sql(f"SELECT * FROM {call}")) == 2


def test_s3_tables(remote: Remote, s3: S3) -> None:
    """A bucket, a folder, a pattern; each folder takes one listing, and no data file is listed."""
    names = "SELECT name, records, data_files, error FROM iceberg_tables"
    bucket, folder = s3.table.split("/")[2], s3.table.rpartition("/")[0]
    recorder = f"{s3.endpoint}/moto-api/recorder"
    request(f"{recorder}/reset-recording", "POST")
    request(f"{recorder}/start-recording", "POST")
    for path in (f"s3://{bucket}", f"s3://{bucket}/", folder, f"{folder}/*", f"s3a://{bucket}/{{ware*,x}}"):
        tables = remote.sql(f"{names}('{path}', collection => 'moto')")
        assert ["t", 2, 2, None] in tables
    request(f"{recorder}/stop-recording", "POST")
    listed = request(f"{recorder}/download-recording").decode()
    assert "/data/" not in listed
    assert "t/data%2F" not in listed
    ((location, uuid),) = remote.sql("SELECT location, table_uuid FROM iceberg_tables('moto', filename => 't')")
    assert location == s3.table
    described = dict(row[:2] for row in remote.sql("DESCRIBE EXTENDED icebergS3('moto', filename = 't')"))
    assert (described["Table UUID"], described["Location"]) == (uuid, s3.table)
    ((created,),) = remote.sql("SHOW CREATE TABLE icebergS3('moto', filename = 't')")
    assert created.startswith("CREATE TABLE t (\n  id INT,\n  name STRING\n) USING iceberg")
    with pytest.raises(SqlFailed, match="the tables in it are `t`: write icebergS3"):
        remote.sql(f"SELECT * FROM icebergS3('{folder}', collection => 'moto')")
    with pytest.raises(SqlFailed, match="is inside the folder of the table"):
        remote.sql(f"SELECT * FROM iceberg('{s3.table}/data', collection => 'moto')")


def test_s3_requests_saved_by_the_cache(remote: Remote, s3: S3) -> None:
    """A call lists the folder; with the cache it does not read metadata or manifests again."""
    recorder = f"{s3.endpoint}/moto-api/recorder"

    def requests(settings: str) -> int:
        request(f"{recorder}/reset-recording", "POST", b"")
        request(f"{recorder}/start-recording", "POST", b"")
        remote.sql(f"SELECT count(*) FROM iceberg('{s3.table}', collection => 'moto'{settings}) WHERE id > 5")
        request(f"{recorder}/stop-recording", "POST", b"")
        return len(request(f"{recorder}/download-recording").splitlines())

    requests("")
    again, off = requests(""), requests(", use_metadata_files_cache => false")
    assert again < off
    assert again <= 3


def test_s3_patience() -> None:
    """A server that never answers fails in time, with the settings that these tests do not use."""
    milliseconds = {k: int(v) for k, v in stores._S3_PATIENCE.items()}
    tries = milliseconds["s3.retry.num-retries"] + 1
    attempt_limit = sum(v for k, v in milliseconds.items() if k.endswith(("timeout-ms", "max-wait-ms")))
    assert tries * attempt_limit <= IN_TIME * 1000


@pytest.mark.parametrize(
    ("call", "pattern"),
    [
        ("iceberg('s3://nosuchbucket/t', collection => 'moto')", "NoSuchBucket|bucket|PATH_NOT_FOUND"),
        ("iceberg('s3://lake/nothing', collection => 'moto')", "PATH_NOT_FOUND|does not exist"),
        ("icebergS3('http://127.0.0.1:{dead}/lake/t', 'sentinelkey', 'sentinelsecret')", "onnect|refused"),
        ("icebergS3('http://127.0.0.1:{silent}/lake/t', 'sentinelkey', 'sentinelsecret')", "time|Time|Unable"),
    ],
)
def test_s3_errors(remote: Remote, s3: S3, call: str, pattern: str) -> None:
    with socket.socket() as silent, socket.socket() as dead:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        dead.bind(("127.0.0.1", 0))
        text = call.format(dead=dead.getsockname()[1], silent=silent.getsockname()[1])
        with pytest.raises(SqlFailed, match=pattern) as failed:
            remote.sql(f"SELECT * FROM {text}")
    assert failed.value.kind == "AnalysisException"
    assert failed.value.seconds < IN_TIME
    assert "sentinel" not in str(failed.value)


def test_s3_wrong_credentials(remote: Remote, s3: S3) -> None:
    """A server that answers 403, as S3 does: moto itself accepts any key."""
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Forbidden(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = (
                b"<?xml version='1.0'?><Error><Code>InvalidAccessKeyId</Code>"
                b"<Message>The key does not exist</Message></Error>"
            )
            self.send_response(403)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Forbidden) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(SqlFailed, match=r"403|key does not exist") as failed:
            remote.sql(
                f"SELECT * FROM icebergS3('http://127.0.0.1:{server.server_port}/lake/t', "
                "'sentinelkey', 'sentinelsecret')"
            )
        server.shutdown()
    assert failed.value.kind == "AnalysisException"
    assert failed.value.seconds < IN_TIME
    assert "sentinel" not in str(failed.value)


def test_s3_truncated_metadata(remote: Remote, s3: S3) -> None:
    name = "00009-0c9b9d3e-7a43-4c4d-a5ef-6ad6d3a0ffab.metadata.json"
    key = f"{s3.table.removeprefix('s3://lake/')}/metadata/{name}"
    client(s3.endpoint).put_object(Bucket="lake", Key=key, Body=b'{"format-version": 2, "tab')
    pattern = f"{name}` cannot be read: .*other metadata files: 00002-"
    try:
        with pytest.raises(SqlFailed, match=pattern) as failed:
            remote.sql(f"SELECT * FROM iceberg('{s3.table}', collection => 'moto')")
        assert failed.value.kind == "AnalysisException"
    finally:
        client(s3.endpoint).delete_object(Bucket="lake", Key=key)


def test_s3_moved(remote: Remote, s3: S3, tmp_path: Path) -> None:
    """From the local disk to S3, from there to another bucket, from there to the local disk; without the original."""
    properties = "'format-version' = '2', 'write.delete.mode' = 'merge-on-read'"
    remote.sql(f"CREATE TABLE local.db.goes (id INT) USING iceberg TBLPROPERTIES ({properties})")
    remote.sql("INSERT INTO local.db.goes SELECT /*+ COALESCE(1) */ CAST(id AS INT) FROM range(9)")
    remote.sql("DELETE FROM local.db.goes WHERE id = 4")
    local_location = next(r[1] for r in remote.sql("DESCRIBE EXTENDED local.db.goes") if r[0] == "Location")
    original = Path(local_location.removeprefix("file:"))
    client(s3.endpoint).create_bucket(Bucket="attic")
    for file in original.rglob("*"):
        if file.is_file() and not file.name.endswith(".crc"):
            key = f"moved/{file.relative_to(original)}"
            client(s3.endpoint).upload_file(str(file), "lake", key)
            client(s3.endpoint).upload_file(str(file), "attic", f"b%20 c/{key}")
    remote.sql("DROP TABLE local.db.goes PURGE")
    rows = [[n] for n in range(9) if n != 4]
    for location in ("s3://lake/moved", "s3a://lake/moved", "s3://attic/b%20 c/moved"):
        call = f"iceberg('{location}', collection => 'moto')"
        assert remote.sql(f"SELECT id FROM {call} ORDER BY id") == rows
        file_rows = remote.sql(f"SELECT DISTINCT _path, _size > 0, _time IS NULL, length(_etag) FROM {call}")
        assert all(path.startswith(f"{location}/data/".replace("s3a:", "s3:")) for path, *_ in file_rows)
        assert {tuple(columns) for _, *columns in file_rows} == {(True, False, 32)}

    # A table that has always been in S3, in another bucket and on the local disk.
    theirs = s3.table.removeprefix("s3://lake/")
    listed = client(s3.endpoint).list_objects_v2(Bucket="lake", Prefix=f"{theirs}/")["Contents"]
    for key in (o["Key"] for o in listed):
        source = {"Bucket": "lake", "Key": key}
        client(s3.endpoint).copy_object(Bucket="attic", Key=key, CopySource=source)
        target = tmp_path / key.removeprefix(f"{theirs}/")
        target.parent.mkdir(parents=True, exist_ok=True)
        client(s3.endpoint).download_file("lake", key, str(target))
    for call in (f"iceberg('s3://attic/{theirs}', collection => 'moto')", f"icebergLocal('{tmp_path}')"):
        assert remote.sql(f"SELECT * FROM {call} ORDER BY id") == [[1, "a"], [2, "b"]]
        paths = remote.sql(f"SELECT _path FROM {call}")
        assert not any(path.startswith("s3://lake") for (path,) in paths)


CATALOGS = "spark_iceberg_sql.spark.attach"


def test_s3_written(remote: Remote, s3: S3) -> None:
    """Made, attached, written by path and by name, by two writers at once; the keys are nowhere in the session."""
    location = "s3a://lake/written/a%20 b/t"
    engine = f"IcebergS3('{location}', {s3.keys}, endpoint = '{s3.endpoint}')"
    remote.sql(
        f"CREATE TABLE written.db.t (id Int64, s Nullable(String)) ENGINE = {engine} PARTITION BY icebergBucket(2, id)"
    )
    remote.sql("INSERT INTO written.db.t VALUES (1, 'a')")
    remote.sql(f"INSERT INTO FUNCTION icebergS3('{location}', collection = 'moto') VALUES (2, 'b')")
    remote.sql(f"INSERT INTO FUNCTION iceberg('{location}', collection => 'moto') SELECT 3, 'c'")
    name = remote.call(CATALOGS, "attach", location, "other.db.`t.2`", collection="moto")
    remote.sql(f"DELETE FROM {name} WHERE id = 2")
    remote.sql(f"UPDATE {name} SET s = 'z' WHERE id = 3")
    remote.sql(f"ALTER TABLE {name} ADD COLUMN n Nullable(Int32)")
    call = f"iceberg('{location}', collection => 'moto')"
    rows = [[1, "a", None], [3, "z", None]]
    assert remote.sql(f"SELECT * FROM {call} ORDER BY id") == rows
    assert remote.sql("SELECT * FROM written.db.t ORDER BY id") == rows
    listed = client(s3.endpoint).list_objects_v2(Bucket="lake", Prefix="written/")["Contents"]
    assert not any("conditional" in o["Key"] for o in listed)
    remote.call("at_once", "inserts", ["written.db.t", name], 8)
    assert remote.sql(f"SELECT count(*), count(DISTINCT id) FROM {call} WHERE id >= 100") == [[8, 8]]
    output_rows = [
        *remote.sql("SET"),
        *remote.sql(f"SHOW CREATE TABLE {name}"),
        *remote.sql(f"DESCRIBE EXTENDED {name}"),
    ]
    output_rows += remote.sql(f"EXPLAIN EXTENDED SELECT * FROM {name}")
    output_rows += remote.sql(f"EXPLAIN EXTENDED INSERT INTO FUNCTION {engine} SELECT 1, 'a', 2")
    collections = "spark.iceberg_sql.collection."
    assert "sentinel" not in str([row for row in output_rows if not str(row[0]).startswith(collections)])
    with pytest.raises(SqlFailed, match=r"PATH_NOT_FOUND|does not exist") as failed:
        remote.sql(
            f"INSERT INTO FUNCTION icebergS3('{location}/none', {s3.keys}, endpoint = '{s3.endpoint}') VALUES (1)"
        )
    assert "sentinel" not in str(failed.value)
    with pytest.raises(SqlFailed, match="both required"):
        remote.call(CATALOGS, "attach", location, "other.db.u", access_key_id="sentinelkey")
    with pytest.raises(SqlFailed, match="written through a catalog"):
        remote.sql(f"INSERT INTO FUNCTION iceberg('{s3.table}', collection => 'moto') VALUES (3, 'c')")


FIRST = ("days(ts)", "bucket(4, id)", "truncate(2, name)", "bucket(5, name)", "truncate(10, id)")
SECOND = ("hours(ts)", "bucket(8, id)", "truncate(4, name)", "bucket(6, name)", "truncate(100, id)")


def test_two_processes(remote: Remote, second: Remote, s3: S3, tmp_path: Path) -> None:
    """They write the same tables at once: in a folder, in S3, in a JDBC catalog. Nothing is lost."""
    location, both = "s3://lake/raced/t", (remote, second)
    second.conf({f"spark.iceberg_sql.collection.moto.{k}": v for k, v in s3.settings.items()})
    engines = {
        f"icebergLocal('{tmp_path}/t')": f"IcebergLocal('{tmp_path}/t')",
        f"iceberg('{location}', collection => 'moto')": f"IcebergS3('{location}', collection = 'moto')",
    }
    for number, engine in enumerate(engines.values()):
        # Each attaches it; in Hadoop layout, v<N>.metadata.json, the second finds the first's table.
        remote.sql(f"CREATE TABLE raced.db.t{number} (id Int64) ENGINE = {engine}")
        remote.sql(
            f"ALTER TABLE raced.db.t{number} SET TBLPROPERTIES ("
            "'commit.retry.num-retries' = '50', 'commit.retry.max-wait-ms' = '500')"
        )
        second.sql(f"CREATE TABLE theirs.x.t{number} ENGINE = {engine}")
    prefix = "spark.sql.catalog.shared"
    for process in both:
        process.conf(
            {
                f"{prefix}.type": "jdbc",
                f"{prefix}.uri": f"jdbc:sqlite:{tmp_path}/catalog.db?busy_timeout=20000",
                f"{prefix}.jdbc.schema-version": "V1",
                f"{prefix}.warehouse": str(tmp_path / "warehouse"),
                prefix: "org.apache.iceberg.spark.SparkCatalog",
            }
        )
    remote.sql("CREATE NAMESPACE shared.db")
    remote.sql("CREATE TABLE shared.db.t (id bigint, name string, ts timestamp) USING iceberg")

    def write(process: Remote, names: str, first: int, terms: Sequence[str]) -> None:
        for number, term in enumerate(terms, first):
            for table, call in enumerate(engines):
                # By name and by path: the second of them attaches the table under its own name.
                into = f"FUNCTION {call}" if number % 2 else f"{names}.t{table}"
                process.sql(f"INSERT INTO {into} VALUES ({number})")
            process.sql(f"ALTER TABLE shared.db.t ADD PARTITION FIELD {term}")

    with ThreadPoolExecutor() as pool:
        jobs = [pool.submit(write, remote, "raced.db", 0, FIRST), pool.submit(write, second, "theirs.x", 100, SECOND)]
        for job in jobs:
            job.result()
    ids = [[n] for n in (*range(5), *range(100, 105))]
    for process, names in zip(both, ("raced.db", "theirs.x"), strict=True):
        for number, call in enumerate(engines):
            for table in (call, f"{names}.t{number}"):
                assert process.sql(f"SELECT id FROM {table} ORDER BY id") == ids, table
    assert len(remote.sql(f"SELECT * FROM iceberg_snapshots('{tmp_path}/t')")) == 10
    versions = sorted(int(f.name[1:].split(".")[0]) for f in (tmp_path / "t/metadata").glob("v*.json"))
    assert versions == list(range(1, 13))
    # A serial outcome: each process's fields in its own order, no ID twice.
    with closing(sqlite3.connect(tmp_path / "catalog.db")) as catalog:
        newest = catalog.execute("SELECT metadata_location FROM iceberg_tables").fetchone()[0]
    table = StaticTable.from_metadata(newest.removeprefix("file:"))
    names = {field.field_id: field.name for field in table.schema().fields}
    fields = table.spec().fields
    added = [clause(str(field.transform), names[field.source_id]) for field in fields]
    assert [term for term in added if term in FIRST] == list(FIRST)
    assert [term for term in added if term in SECOND] == list(SECOND)
    assert [field.field_id for field in fields] == list(range(1000, 1010))
    assert len(table.specs()) == 11


def clause(transform: str, column: str) -> str:
    """A partition field in SQL."""
    name, _, number = transform.rstrip("]").partition("[")
    return f"{name}({number}, {column})" if number else f"{name}s({column})"


@pytest.fixture
def faulty(remote: Remote, s3: S3) -> Iterator[FaultyStore]:
    """A proxy in front of moto, which the collection `faulty` reads through."""
    proxy = FaultyStore(s3.endpoint)
    settings = {**s3.settings, "endpoint": proxy.url}
    remote.conf({f"spark.iceberg_sql.collection.faulty.{k}": v for k, v in settings.items()})
    yield proxy
    proxy.close()


def test_s3_faults(remote: Remote, s3: S3, faulty: FaultyStore) -> None:
    """Within a time limit either all rows or an error: before anything runs, one sentence that names the file."""
    settings = "collection => 'faulty', use_metadata_files_cache => false"
    query = f"SELECT * FROM iceberg('{s3.table}', {settings}) WHERE id > 0 ORDER BY id"
    rows = [[1, "a"], [2, "b"]]
    folder = s3.table.removeprefix("s3:/")
    listing, metadata = "GET /lake?list-type", f"GET {folder}/metadata/0000"
    for kind in ("403", "404", "503", "truncated", "reset"):
        for where in (listing, metadata):
            with faulty.fault(kind, where), pytest.raises(SqlFailed) as failed:
                remote.sql(query)
            message = str(failed.value)
            assert failed.value.kind == "AnalysisException", (kind, where)
            assert f"`{s3.table}/metadata" in message
            assert "cannot be" in message
            assert "\n" not in message
            assert "sentinel" not in message
            assert failed.value.seconds < IN_TIME
        for where in ("GET " + folder + "/metadata/snap-", "-m0.avro", f"GET {folder}/data"):
            with faulty.fault(kind, where), pytest.raises(SqlFailed) as failed:
                remote.sql(query)
            message = str(failed.value)
            assert failed.value.kind == "ReadError", (kind, where, message[-2000:])
            assert re.match(rf"`{s3.table}` \(snapshot \d+\) cannot be read: .+; the query has", message)
            assert "\n" not in message
            assert "sentinel" not in message
            assert failed.value.seconds < IN_TIME
    # Passing faults: the client tries again, and no row is read twice or left out.
    for kind in ("503", "reset", "slow"):
        for where in (listing, metadata, "-m0.avro", f"GET {folder}/data"):
            with faulty.fault(kind, where, times=1, seconds=0.5):
                assert remote.sql(query) == rows
    with faulty.fault("truncated", f"GET {folder}/data", times=1), suppress(SqlFailed):
        assert remote.sql(query) == rows


def test_s3_faults_of_commits(remote: Remote, s3: S3, faulty: FaultyStore) -> None:
    """A commit is done once, or not at all, and an error says which or that it is not known."""
    location = "s3://lake/faults/t"
    remote.sql(
        f"CREATE TABLE faults.t (id Int64) ENGINE = IcebergS3('{location}', {s3.keys}, endpoint = '{faulty.url}')"
    )

    def count(id: int) -> int:
        call = f"iceberg('{location}', collection => 'moto')"
        return int(remote.sql(f"SELECT count(*) FROM {call} WHERE id = {id}")[0][0])

    commit = "PUT /lake/faults/t/metadata/v"
    for number, kind in enumerate(("503", "reset", "lost")):
        with faulty.fault(kind, commit, times=1):
            remote.sql(f"INSERT INTO faults.t VALUES ({number})")
        assert count(number) == 1, kind
    with faulty.fault("403", commit), pytest.raises(SqlFailed, match=r"403|AccessDenied"):
        remote.sql("INSERT INTO faults.t VALUES (10)")
    assert count(10) == 0
    with faulty.fault("503", commit), pytest.raises(SqlFailed, match=r"503|SlowDown"):
        remote.sql("INSERT INTO faults.t VALUES (11)")
    assert count(11) == 0
    with faulty.fault("lost", commit):
        remote.sql("INSERT INTO faults.t VALUES (12)")  # found to be done
    assert count(12) == 1
    with faulty.fault("501", commit), pytest.raises(SqlFailed, match="nothing was committed"):
        remote.sql("INSERT INTO faults.t VALUES (13)")
    assert count(13) == 0
    # A store that ignores the condition.
    with faulty.fault("unconditional", "PUT"), pytest.raises(SqlFailed, match="ignores the condition"):
        remote.sql(f"CREATE TABLE faults.u (id Int64) ENGINE = IcebergS3('{location}u', collection = 'faulty')")
    assert "Contents" not in client(s3.endpoint).list_objects_v2(Bucket="lake", Prefix="faults/tu/metadata")


# ------------------------------------------------------------------------------ catalogs


def test_glue(remote: Remote, s3: S3) -> None:
    """Written through Glue, immediately readable by path."""
    remote.sql("CREATE TABLE glue.db.grows USING iceberg AS SELECT 1 AS id")
    location = s3.table.rsplit("/", 1)[0] + "/grows"
    call = f"iceberg('{location}', collection => 'moto')"
    assert remote.sql(f"SELECT id FROM {call}") == [[1]]
    remote.sql("INSERT INTO glue.db.grows VALUES (2)")
    assert remote.sql(f"SELECT id FROM {call} ORDER BY id") == [[1], [2]]


def test_jdbc(remote: Remote, tmp_path: Path) -> None:
    """A catalog-written table is attached to a JDBC catalog, written, compacted, read by path."""
    module = CATALOGS
    for name in ("one", "two"):
        remote.call(
            "spark_iceberg_sql.spark.tables.catalog_settings",
            "catalog",
            f"{name}_{tmp_path.name}",
            "jdbc",
            uri=f"jdbc:sqlite:{tmp_path}/{name}.db",
            warehouse=str(tmp_path / "lake"),
        )
    remote.sql(f"CREATE NAMESPACE one_{tmp_path.name}.db")
    remote.sql(f"CREATE TABLE one_{tmp_path.name}.db.t USING iceberg AS SELECT 1 AS id")
    path = str(tmp_path / "lake" / "db" / "t")
    assert remote.sql(f"SELECT id FROM icebergLocal('{path}')") == [[1]]
    name = remote.call(module, "attach", path, f"two_{tmp_path.name}.db.mine")
    remote.sql(f"INSERT INTO {name} VALUES (2)")
    remote.sql(f"MERGE INTO {name} t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
    remote.sql(f"INSERT INTO {name} VALUES (3)")
    compaction = "spark_iceberg_sql.spark.tables.compaction"
    assert remote.call(compaction, "optimize", name)["rewritten_data_files"] == 2
    assert remote.sql(f"SELECT id FROM icebergLocal('{path}') ORDER BY id") == [[2], [3]]
    # The first catalog does not know the other's commits, and its own would lose them.
    with pytest.raises(SqlFailed, match=r"newer .*another catalog has written to the table"):
        remote.call(module, "attach", path, f"one_{tmp_path.name}.db.t")
    assert remote.call(module, "attach", path, f"two_{tmp_path.name}.db.mine") == name


@pytest.fixture
def table(remote: Remote, rest: str, request: pytest.FixtureRequest) -> str:
    name = f"rest.db.{request.node.name}"
    remote.sql(f"CREATE TABLE {name} (id INT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))")
    remote.sql(f"INSERT INTO {name} VALUES (1, TIMESTAMP'2024-01-01'), (2, TIMESTAMP'2024-01-02')")
    return name


def test_rest(remote: Remote, table: str) -> None:
    """Written through the catalog, read by name and by path, compacted."""
    rows = remote.sql(f"DESCRIBE EXTENDED {table}")
    path = next(row[1] for row in rows if row[0] == "Location")
    assert remote.sql(f"SELECT id FROM iceberg('{path}') WHERE iceberg_days(ts) > '2024-01-01'") == [[2]]
    remote.sql(f"INSERT INTO {table} VALUES (3, TIMESTAMP'2024-01-02')")
    assert remote.sql(f"SELECT id FROM iceberg('{path}') ORDER BY id") == [[1], [2], [3]]
    assert len(remote.sql(f"SELECT * FROM iceberg_snapshots('{table}')")) == 2
    assert remote.call("spark_iceberg_sql.spark.tables.compaction", "optimize", table)["rewritten_data_files"] == 2
    assert remote.sql(f"SELECT id FROM {table} ORDER BY id") == [[1], [2], [3]]


def test_rest_gate(remote: Remote, table: str) -> None:
    """The gate and the plan use the catalog's current state."""
    with pytest.raises(SqlFailed, match="SIS201") as failed:
        remote.sql(f"ALTER TABLE {table} ADD PARTITION FIELD bucket(8, idd)")
    assert failed.value.kind == "IcebergSqlError"
    with pytest.raises(SqlFailed, match="SIS402"):
        remote.sql(f"ALTER TABLE {table} ADD PARTITION FIELD days(ts)")
    add = f"ALTER TABLE {table} ADD PARTITION FIELD bucket(8, id)"
    planned = remote.sql(f"SELECT * FROM iceberg_plan('{add}')")
    assert ["change", 1, 1001, "id_bucket_8", "id", "bucket[8]"] in [row[:6] for row in planned]
    remote.sql(add)
    specs = remote.sql(f"SELECT spec_id, field_id, field_name FROM iceberg_partition_specs('{table}')")
    assert specs == [[0, 1000, "ts_day"], [1, 1000, "ts_day"], [1, 1001, "id_bucket_8"]]


def test_rest_is_asked_once_a_table(remote: Remote, rest: str, table: str) -> None:
    """Without Iceberg's cache of tables; a name that does not exist may be a view."""
    proxy = FaultyStore(rest)
    remote.conf(
        {
            "spark.sql.catalog.asked": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.asked.type": "rest",
            "spark.sql.catalog.asked.uri": proxy.url,
            "spark.sql.catalog.asked.cache-enabled": "false",
        }
    )
    name = table.replace("rest.", "asked.", 1)
    last = name.rpartition(".")[2]
    module = "spark_iceberg_sql.spark.gate.live_plan"
    add = f"ALTER TABLE {name} ADD PARTITION FIELD bucket(8, id)"
    remote.call(module, "plan", add)  # the first request reads the server's settings
    proxy.requests.clear()
    remote.call(module, "plan", add)
    with pytest.raises(SqlFailed, match="SIS402"):
        remote.sql(f"ALTER TABLE {name} ADD PARTITION FIELD days(ts)")
    load = f"GET /v1/namespaces/db/tables/{last}?snapshots=all"
    assert proxy.requests == [load, load]
    proxy.requests.clear()
    remote.call(module, "plan", f"CREATE TABLE {name}2 (id INT) USING iceberg")
    assert proxy.requests == [load.replace("?", "2?"), f"GET /v1/namespaces/db/views/{last}2"]
    proxy.close()


def test_rest_offline(rest: str, table: str, tmp_path: Path) -> None:
    """`iceberg-sql check --catalog`: the schema comes from the catalog, through pyiceberg."""
    script = tmp_path / "migration.sql"
    script.write_text(f"ALTER TABLE {table} ADD PARTITION FIELD bucket(8, idd);")
    command = [sys.executable, "-m", "spark_iceberg_sql", "check", "--catalog", "rest", str(script)]
    done = subprocess.run(
        command,
        env={**os.environ, "PYICEBERG_CATALOG__REST__URI": rest},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "SIS201" in done.stdout
    assert "bucket(8, id)" in done.stdout


# ------------------------------------------------------------------------------ HDFS


def test_hdfs(remote: Remote, hdfs: str) -> None:
    remote.call("spark_iceberg_sql.spark.tables.catalog_settings", "catalog", "dfs", "hadoop", warehouse=f"{hdfs}/lake")
    remote.sql("CREATE TABLE dfs.db.t USING iceberg AS SELECT id FROM range(5)")
    for call in (f"icebergHDFS('{hdfs}/lake/db/t')", f"iceberg('{hdfs}/lake/db/t')"):
        assert remote.sql(f"SELECT count(*) FROM {call}") == [[5]]
    name = remote.call("spark_iceberg_sql.spark.attach", "attach", f"{hdfs}/lake/db/t", "dfs.db.t")
    remote.sql(f"INSERT INTO {name} VALUES (9)")
    rows = remote.sql(f"SELECT _path, _size, _time FROM icebergHDFS('{hdfs}/lake/db/t') WHERE id = 9")
    assert rows[0][0].startswith(f"{hdfs}/lake/db/t/data/")
    assert rows[0][1] > 0
    assert rows[0][2] is not None
    with pytest.raises(SqlFailed, match="PATH_NOT_FOUND"):
        remote.sql(f"SELECT * FROM icebergHDFS('{hdfs}/lake/db/none')")
    for path in (hdfs, f"{hdfs}/lake", f"{hdfs}/l*/db/[s-z]"):
        tables = remote.sql(f"SELECT location, records FROM iceberg_tables('{path}')")
        assert tables == [[f"{hdfs}/lake/db/t", 6]]
    with pytest.raises(SqlFailed, match="the tables in it are `t`"):
        remote.sql(f"SELECT * FROM iceberg('{hdfs}/lake/db')")
    # Not through Iceberg's Hadoop catalog.
    remote.sql(f"CREATE TABLE hd.x.y (id Int64) ENGINE = IcebergHDFS('{hdfs}/attached/t')")
    again = remote.call(CATALOGS, "attach", f"{hdfs}/attached/t", "hd.z")
    remote.call("at_once", "inserts", ["hd.x.y", again], 4)
    remote.sql(f"INSERT INTO FUNCTION icebergHDFS('{hdfs}/attached/t') VALUES (1)")
    assert remote.sql(f"SELECT count(*) FROM icebergHDFS('{hdfs}/attached/t')") == [[5]]


def test_a_dead_name_node(remote: Remote) -> None:
    with socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))
        uri = f"hdfs://127.0.0.1:{dead.getsockname()[1]}"
        with pytest.raises(SqlFailed, match="onnect") as failed:
            remote.sql(f"SELECT * FROM icebergHDFS('{uri}/t')")
    assert failed.value.kind == "AnalysisException"
    assert failed.value.seconds < IN_TIME


# ------------------------------------------------------------------------------ Azure


def test_azure(remote: Remote, azurite: str, tmp_path: Path) -> None:
    """Written by Iceberg's own FileIO through a Hadoop-layout copy of a local table."""
    parts = dict(part.split("=", 1) for part in azurite.strip(";").split(";"))
    remote.call("azure_upload", "container", azurite, "lake")
    remote.sql("CREATE TABLE local.db.azure USING iceberg AS SELECT 1 AS id, 'a' AS name")
    local = next(r[1] for r in remote.sql("DESCRIBE EXTENDED local.db.azure") if r[0] == "Location")
    location = "abfss://lake@devstoreaccount1.dfs.core.windows.net/db/t"
    remote.call("azure_upload", "copy", azurite, "lake", local.removeprefix("file:"), "db/t", location)
    remote.conf({"spark.iceberg_sql.collection.azurite.connection_string": azurite})
    key = parts["AccountKey"]
    for call in (
        f"icebergAzure('{azurite}', 'lake', 'db/t')",
        "icebergAzure('azurite', container_name => 'lake', blobpath => 'db/t')",
        f"iceberg_azure('{parts['BlobEndpoint']}', 'lake', 'db/t', 'devstoreaccount1', '{key}')",
    ):
        assert remote.sql(f"SELECT * FROM {call}") == [[1, "a"]]
    call = "icebergAzure('azurite', container_name => 'lake', blobpath => 'db/t')"
    ((path, size, time, etag),) = remote.sql(f"SELECT _path, _size, _time, _etag FROM {call}")
    assert path.startswith(location)
    assert size > 0
    assert time
    assert etag
    call = "iceberg_tables('azurite', container_name => 'lake', blobpath => '{}', store => 'icebergAzure')"
    for blob in ("db", "*", "d*/t"):
        tables = remote.sql(f"SELECT location, records, error FROM {call.format(blob)}")
        assert tables == [[location, 1, None]]
    files = f"iceberg_files('{azurite}', 'lake', 'db/t', store => 'icebergAzure')"
    assert remote.sql(f"SELECT record_count FROM {files}") == [[1]]
    into = "icebergAzure('azurite', container_name = 'lake', blobpath = 'db/made')"
    remote.sql(f"CREATE TABLE az.db.made (id Int64) ENGINE = {into}")
    where = {"container_name": "lake", "collection": "azurite", "store": "icebergAzure"}
    name = remote.call(CATALOGS, "attach", "db/made", "az.other", **where)
    remote.call("at_once", "inserts", ["az.db.made", name], 4)
    remote.sql(f"INSERT INTO FUNCTION {into} VALUES (1)")
    assert remote.sql(f"SELECT count(*), sum(id) FROM {into}") == [[5, 407]]
    assert key not in str([remote.sql("SET"), remote.sql(f"SHOW CREATE TABLE {name}")])
    with pytest.raises(SqlFailed, match="PATH_NOT_FOUND") as failed:
        remote.sql("SELECT * FROM icebergAzure('azurite', container_name => 'lake', blobpath => 'no')")
    assert key not in str(failed.value)


def test_a_dead_azure(remote: Remote, azurite: str) -> None:
    with socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))
        account = f"AccountName=a;AccountKey=c2VudGluZWw=;BlobEndpoint=http://127.0.0.1:{dead.getsockname()[1]}/a"
        with pytest.raises(SqlFailed, match="onnect") as failed:
            remote.sql(f"SELECT * FROM icebergAzure('{account}', 'lake', 'db/t')")
    assert failed.value.kind == "AnalysisException"
    assert failed.value.seconds < IN_TIME
    assert "c2VudGluZWw=" not in str(failed.value)
