"""Real stores on 127.0.0.1, each started once, and one Spark process with the jars for all of them.

If something is not available (no network, no node, no moto), the tests that need it are skipped with that reason.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import store_servers
from store_parts import AWS, S3, SQLITE, Remote, azure_jars, client, end, free_port, jar
from store_settings import SHORT


@pytest.fixture(scope="session")
def servers() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a process and waits until its port answers; stops all processes at the end."""
    started: list[subprocess.Popen[bytes]] = []

    def start(command: list[str], port: int, seconds: int = 90, **options: Any) -> Any:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        started.append(process)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return process
            if process.poll() is not None:
                break
            time.sleep(0.2)
        pytest.skip(f"{Path(command[0]).name} did not start on 127.0.0.1")

    yield start
    for process in started:
        process.terminate()
    for process in started:
        end(process)


@pytest.fixture(scope="session")
def starting(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Remote]]]:
    """The Spark processes, which start at once; the second only if a test needs it."""
    jars = [str(jar(coordinate)) for coordinate in (AWS, SQLITE)]
    jars += [str(file) for file in azure_jars()]
    names = ["remote", *(["second"] if wanted(request, "second") else [])]
    with ThreadPoolExecutor() as pool:
        futures = {}
        for name in names:
            settings = {
                "warehouse": str(tmp_path_factory.mktemp(name) / "warehouse"),
                "spark.master": "local[2]",
                "spark.driver.memory": "1g",
                "spark.sql.shuffle.partitions": "2",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.driver.host": "127.0.0.1",
                "spark.jars": ",".join(jars),
            }
            futures[name] = pool.submit(Remote, settings)
        yield futures
    for future in futures.values():
        if future.exception() is None:
            future.result().close()


def wanted(request: pytest.FixtureRequest, fixture: str) -> bool:
    """Whether a test of this run uses a fixture."""
    return any(fixture in getattr(item, "fixturenames", ()) for item in request.session.items)


@pytest.fixture(scope="session")
def remote(starting: dict[str, Future[Remote]], name_node: object) -> Remote:
    """A Spark process. The stores do not answer slowly here, so that waiting for them is cut short."""
    process = starting["remote"].result()
    process.call("store_settings", "patience", SHORT)
    return process


@pytest.fixture(scope="session")
def second(starting: dict[str, Future[Remote]]) -> Remote:
    """Another Spark process."""
    return starting["second"].result()


@pytest.fixture(scope="session")
def s3(servers: Any, remote: Remote, tmp_path_factory: pytest.TempPathFactory) -> S3:
    port = free_port()
    endpoint = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "MOTO_PORT": str(port)}
    servers(
        store_servers.moto(port),
        port,
        env=environment,
        cwd=tmp_path_factory.mktemp("moto"),  # it writes recordings to its working directory
    )
    client(endpoint).create_bucket(Bucket="lake", ACL="public-read")
    keys = {"access_key_id": "sentinelkey", "secret_access_key": "sentinelsecret"}
    remote.call(
        "spark_iceberg_sql.spark.tables.catalog_settings",
        "catalog",
        "glue",
        "glue",
        warehouse="s3://lake/warehouse",
        glue_endpoint=endpoint,
        s3_endpoint=endpoint,
        s3_path_style_access="true",
        client_region="us-east-1",
        s3_access_key_id=keys["access_key_id"],
        s3_secret_access_key=keys["secret_access_key"],
        s3_acl="public-read",
        io_impl="org.apache.iceberg.aws.s3.S3FileIO",
    )
    remote.sql("CREATE NAMESPACE glue.db")
    remote.sql("CREATE TABLE glue.db.t (id INT, name STRING) USING iceberg")
    remote.sql("INSERT INTO glue.db.t VALUES (1, 'a')")
    remote.sql("INSERT INTO glue.db.t VALUES (2, 'b')")
    location = remote.sql("DESCRIBE EXTENDED glue.db.t")
    table = next(row[1] for row in location if row[0] == "Location")
    store = S3(endpoint, table)
    settings = {**store.settings, "url": table.rsplit("/", 1)[0]}
    remote.conf({f"spark.iceberg_sql.collection.moto.{k}": v for k, v in settings.items()})
    return store


@pytest.fixture(scope="session")
def name_node(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[subprocess.Popen[bytes], int, Path] | None]:
    """A one-node HDFS that is still starting, its port and the file that it writes then; None if no test needs it."""
    folder = tmp_path_factory.mktemp("hdfs")
    port = free_port()
    command = wanted(request, "hdfs") and store_servers.name_node(port, free_port(), folder / "details")
    if not command:
        yield None
        return
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield process, port, folder / "details"
    process.terminate()
    end(process)


@pytest.fixture(scope="session")
def hdfs(name_node: tuple[subprocess.Popen[bytes], int, Path] | None) -> str:
    """The URI of a one-node HDFS."""
    if name_node is None:
        pytest.skip("needs org.apache.hadoop:hadoop-client-minicluster:3.4.2")
    process, port, details = name_node
    deadline = time.monotonic() + 120
    while not details.is_file() and time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.skip("HDFS did not start on 127.0.0.1")
        time.sleep(0.2)
    return f"hdfs://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def azurite(servers: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A connection string."""
    if not azure_jars():
        pytest.skip("needs com.azure:azure-storage-file-datalake")
    port = free_port()
    servers(store_servers.azurite(port, tmp_path_factory.mktemp("azurite")), port)
    return (
        f"DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey={store_servers.AZURE_KEY};"
        f"BlobEndpoint=http://127.0.0.1:{port}/devstoreaccount1;"
    )


@pytest.fixture(scope="session")
def rest(servers: Any, remote: Remote, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URI of Iceberg's own REST catalog, named `rest` in the Spark process."""
    port, warehouse = free_port(), tmp_path_factory.mktemp("rest")
    servers(store_servers.rest_catalog(port, str(warehouse), warehouse), port)
    uri = f"http://127.0.0.1:{port}"
    remote.call("spark_iceberg_sql.spark.tables.catalog_settings", "catalog", "rest", "rest", uri=uri)
    remote.sql("CREATE NAMESPACE rest.db")
    return uri
