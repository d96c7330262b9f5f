"""A client of the session in the JVM, without Python: `JvmClient.java`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from spark_iceberg_sql.spark.bridge.jvm import compiler


@cache  # py4j identifies classes by name: it would confuse a second class of the same name with the first
def _loader() -> Any:
    text = Path(__file__).with_name("JvmClient.java").read_text("utf-8")
    return compiler.compile_java(text, "JvmClient.java", compiler.context_loader())


def client() -> Any:
    """A new client: `run(jvm session, text, milliseconds before it)`, `outcome()`, `waitFor()`."""
    return compiler.instance(_loader(), "sparkicebergsql.tests.JvmClient")
