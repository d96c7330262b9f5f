"""The address of a Spark Connect session's server, which pyspark has no public attribute for. Imports no py4j."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def address(spark: SparkSession) -> tuple[str, int] | None:
    """Host and port of a session's server; None if its channel does not name them."""
    client = getattr(spark, "_client", None)
    endpoint = getattr(getattr(client, "_builder", None), "endpoint", None)
    host, _, port = str(endpoint or "").rpartition(":")
    return (host.strip("[]"), int(port)) if host and port.isdigit() else None
