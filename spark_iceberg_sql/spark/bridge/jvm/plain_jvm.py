"""A JVM with Spark's classes and without a session."""

from __future__ import annotations

from pathlib import Path

from pyspark import SparkConf, SparkContext


def start(jar: Path) -> None:
    """Start this process's JVM, with a jar on its class path, unless it has one; no session is created."""
    conf = SparkConf(loadDefaults=False).set("spark.jars", str(jar)).set("spark.ui.enabled", "false")
    SparkContext._ensure_initialized(conf=conf)
