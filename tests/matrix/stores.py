"""The axis of stores: where a cell's tables are."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import store_parts
import store_servers

from matrix import hadoop_stores
from matrix.parts import Bench, Storage, UnavailableError
from matrix.processes import FailedError
from spark_iceberg_sql.spark.versions import Runtime

_KEY, _SECRET = "sentinelkey", "sentinelsecret"


@dataclass(frozen=True, slots=True)
class Store:
    """A store. storage: starts it where that is needed, and returns a folder for the cell."""

    name: str
    title: str
    storage: Callable[[Bench], Storage]


def _local(bench: Bench) -> Storage:
    return Storage(f"file:{bench.folder}/warehouse")  # as Spark writes the locations of tables


def _s3(bench: Bench) -> Storage:
    endpoint = bench.once("s3", lambda: _moto(bench))
    catalog = {
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "s3.endpoint": endpoint,
        "s3.path-style-access": "true",
        "s3.access-key-id": _KEY,
        "s3.secret-access-key": _SECRET,
        "client.region": "us-east-1",
    }
    collection = {"access_key_id": _KEY, "secret_access_key": _SECRET, "endpoint": endpoint, "url": "s3://lake"}
    spark = {f"spark.iceberg_sql.collection.moto.{key}": value for key, value in collection.items()}
    bundle = _aws_bundle(bench.iceberg)
    by_path = "icebergS3('{}', collection => 'moto')"
    return Storage(f"s3://lake/{bench.folder.name}", catalog, spark, (bundle,), _server_jars(), by_path)


def _server_jars() -> tuple[Path, ...]:
    """For the REST catalog, which has neither Iceberg's S3FileIO nor what it needs; in the version of that server."""
    coordinates = (("org.apache.iceberg", "iceberg-aws", "1.11.0"), ("dev.failsafe", "failsafe", "3.3.2"))
    file_io = store_parts.fetched("iceberg-aws-1.11.0-failsafe-3.3.2", coordinates, transitive=False)
    return (_aws_bundle("1.11.0"), *file_io)


def _moto(bench: Bench) -> str:
    port = store_parts.free_port()
    environment = {**os.environ, "MOTO_PORT": str(port)}
    folder = bench.shared.folder
    folder.mkdir(parents=True, exist_ok=True)
    bench.shared.start("moto", unless_skipped(lambda: store_servers.moto(port)), port, env=environment, cwd=folder)
    endpoint = f"http://127.0.0.1:{port}"
    store_parts.client(endpoint).create_bucket(Bucket="lake")
    return endpoint


def _aws_bundle(version: str) -> Any:
    coordinate = Runtime("org.apache.iceberg", "iceberg-aws-bundle", version, store_parts.AWS_SHA256[version])
    return unless_skipped(lambda: store_parts.jar(coordinate))


def _hdfs(bench: Bench) -> Storage:
    return Storage(f"{bench.once('hdfs', lambda: _name_node(bench))}/{bench.folder.name}")


def _name_node(bench: Bench) -> str:
    port = store_parts.free_port()
    details = bench.shared.folder / "hdfs-details"
    command = store_servers.name_node(port, store_parts.free_port(), details)
    if not command:
        raise UnavailableError("org.apache.hadoop:hadoop-client-minicluster:3.4.2 is not in Maven")
    bench.shared.start("hdfs", command, port, cwd=bench.shared.folder)
    deadline = time.monotonic() + 90
    while not details.is_file():
        if time.monotonic() > deadline:
            raise FailedError("HDFS did not start")
        time.sleep(0.2)
    return f"hdfs://127.0.0.1:{port}"


def _s3a(bench: Bench) -> Storage:
    return hadoop_stores.s3a(bench, bench.once("s3", lambda: _moto(bench)), (_KEY, _SECRET))


def _azure(bench: Bench) -> Storage:
    return unless_skipped(lambda: hadoop_stores.wasb(bench))


def unless_skipped(parts: Callable[[], Any]) -> Any:
    """What a function of the tests returns. Raises UnavailableError where it would skip a test."""
    try:
        return parts()
    except pytest.skip.Exception as reason:
        raise UnavailableError(str(reason)) from None


STORES = {
    store.name: store
    for store in (
        Store("local", "local folder", _local),
        Store("s3", "S3 (moto)", _s3),
        Store("s3a", "S3 (moto), by Hadoop's s3a", _s3a),
        Store("hdfs", "HDFS", _hdfs),
        Store("azure", "Azure (Azurite), by Hadoop's wasb", _azure),
    )
}
