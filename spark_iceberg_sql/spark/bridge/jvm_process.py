"""The process of the JVM that pyspark has started: whether it has ended, and how pyspark forgets one that has."""

from __future__ import annotations

from contextlib import suppress

from pyspark import SparkContext
from pyspark.sql import SparkSession


def has_ended() -> bool:
    """Whether this process's JVM has ended, killed or out of memory; False if there is none."""
    process = getattr(SparkContext._gateway, "proc", None)
    return process is not None and process.poll() is not None


def forget_ended() -> None:
    """Forget a JVM that has ended: pyspark would go on using the closed connection."""
    gateway = SparkContext._gateway
    if gateway is None or not has_ended():
        return
    with suppress(Exception):  # it closes sockets that may be closed
        gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None
    for name in ("_activeSession", "_default_session"):
        if hasattr(SparkSession, name):
            setattr(SparkSession, name, None)
