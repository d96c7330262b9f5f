"""The Iceberg of this JVM, and what it lacks in a user's words."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pyspark

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.jvm.gateway import class_exists, gateway, java_class

BUILD = "org.apache.iceberg.IcebergBuild"
PAGE = "https://spark-iceberg-sql.readthedocs.io/en/latest/setup/#iceberg"
_NUMBER = re.compile(r"\d+")
# Janino's messages about what a class path does not have -> what that is.
_MISSING = (
    (re.compile(r'[Cc]lass "([\w.$]+)" could not be (?:found|loaded)'), "class"),
    (re.compile(r'Cannot (?:load|determine simple) (?:class|type name) "(?!org"|com")([\w.$]+)"'), "class"),
    (re.compile(r'A method named "(\w+)" is not declared'), "method"),
    (
        re.compile(r'No applicable constructor/method found for .*candidates are: "(?:[\w.$<>\[\], ]+ )?([\w.$]+)\('),
        "such call of",
    ),
    (re.compile(r'"(\w+)" is neither a method, a field, nor a member class'), "name"),
    (re.compile(r'(?:Unknown variable or type|Expression) "([\w.$]+)"'), "name"),
    (re.compile(r'Unknown enum constant "(\w+)"|"(\w+)" is not (?:an enum constant|a constant)'), "name"),
)


class UnfitError(IcebergSqlError):
    """A Java class of this package does not fit the Spark and Iceberg of this session."""


def version() -> str:
    """The version of Iceberg, such as `1.8.1`; empty if there is none."""
    return _version(gateway())


@cache
def _version(py4j_gateway: Any) -> str:
    return str(java_class(BUILD).version()) if class_exists(BUILD) else ""


def number() -> tuple[int, ...]:
    """The minor version of Iceberg, (1, 8)."""
    return tuple(int(part) for part in _NUMBER.findall(version())[:2])


def both() -> str:
    """The versions of this session, `Spark 3.5.9 and Iceberg 1.8.1`."""
    return f"Spark {pyspark.__version__} and Iceberg {version() or 'of an unknown version'}"


def needs(minor: str) -> str:
    """That something needs a later version. minor: the first that has it, `1.11`."""
    return f"needs Iceberg {minor}; this session has {version()}"


def lacks(name: str, message: str, since: str | None) -> str:
    """Why a class of this package does not compile. name: of the class. message: of the compiler. since: see
    `java_sources.since`.
    """
    first = tuple(int(part) for part in since.split(".")) if since else ()
    if since and number() < first:
        return needs(since)
    for pattern, kind in _MISSING:
        if match := pattern.search(message):
            missing = next(group for group in match.groups() if group)
            return f"the class path of {both()} has no {kind} `{missing}`, which {name}.java uses"
    return f"{name}.java does not compile: {message}"
