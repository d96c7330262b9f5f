"""Puts a local Iceberg table into Azure's blob store, with its addresses rewritten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


def _service(spark: SparkSession, connection: str) -> Any:
    jvm = spark._jvm
    assert jvm is not None
    builder = jvm.com.azure.storage.blob.BlobServiceClientBuilder()
    return builder.connectionString(connection).buildClient()


def container(spark: SparkSession, connection: str, name: str) -> None:
    """Create a container."""
    _service(spark, connection).createBlobContainerIfNotExists(name)


def copy(spark: SparkSession, connection: str, name: str, local: str, folder: str, target: str) -> None:
    """Copy a table; Iceberg's own procedure rewrites the addresses in its metadata."""
    staging = f"{local}-staging"
    parts = local.rstrip("/").split("/")
    spark.sql(
        f"CALL local.system.rewrite_table_path(table => '{parts[-2]}.{parts[-1]}', "
        f"source_prefix => '{local}', target_prefix => '{target}', staging_location => '{staging}')"
    ).collect()
    client = _service(spark, connection).getBlobContainerClient(name)
    for root in (Path(local), Path(staging)):
        for file in root.rglob("*"):
            kept = file.is_file() and not file.name.startswith(".") and file.suffix != ".text"
            if kept and (root != Path(local) or "data" in file.parts):
                relative = str(file.relative_to(root))
                blob_path = relative if relative.startswith(("data/", "metadata/")) else f"metadata/{file.name}"
                client.getBlobClient(f"{folder}/{blob_path}").uploadFromFile(str(file), True)
