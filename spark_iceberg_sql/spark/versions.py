"""The supported minor versions of Spark, newest first, with the Java versions and the limitations of each; and the
Iceberg runtimes that jars/runtime.lock.json pins for them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from spark_iceberg_sql.errors import IcebergSqlError


@dataclass(frozen=True, slots=True)
class SparkMinor:
    """A minor version of Spark.

    spark: `4.1`. java: the Java versions it supports. iceberg: the minor versions of Iceberg that are tested with it,
    newest first. limitations: features that do not work, unlike in the newest version: a name for the tests -> a
    description for users.
    """

    spark: str
    java: tuple[int, ...]
    iceberg: tuple[str, ...]
    limitations: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> tuple[int, ...]:
        """The version as numbers, (4, 1)."""
        return tuple(int(part) for part in self.spark.split("."))


_BEFORE_4_1 = {
    "parameters in CALL": "parameter markers in `CALL`",
    "parameters in CTAS": "the check of `CREATE TABLE ... AS SELECT` with parameter markers",
    "doubled quotes": "a doubled quote as an escaped quote",
    "parts by IDENTIFIER": "`IDENTIFIER(...)` as a part of a name",
    "computed statements": "an expression after `EXECUTE IMMEDIATE`",
    "paths in a variant": "paths in a variant, `v:a`",
    "changes up to": "`changes => true` with `end_snapshot_id` alone",
    "names after USE": "the name to write for an unknown table function, after `USE` of another catalog",
}
_ON_4_0 = {"geometry": "values of geometry and geography columns, which Iceberg 1.11 cannot read"}
_BEFORE_4_0 = {
    "SQL functions": "SQL functions, `CREATE FUNCTION ... RETURN`",
    "spec functions": "the functions of the catalog `iceberg_functions`; the error has the function to write",
    "EXECUTE IMMEDIATE": "`EXECUTE IMMEDIATE`",
    "scripts": "`BEGIN ... END`",
    "expressions in CALL": "expressions in `CALL`",
    "variants": "the type VARIANT",
    "collations": "collations",
    "variables": "session variables",
    "pipes": "queries with `|>`",
    "compatible transforms": "storage-partitioned joins of tables with different partitionings",
    "connect": "Spark Connect's server, unless its package is added",
}

_RELEASE = re.compile(r"\d+\.\d+\.\d+")

# Newest first.
SPARK_MINORS = (
    SparkMinor("4.1", (17, 21), ("1.12", "1.11")),
    SparkMinor("4.0", (17, 21), ("1.11", "1.10"), _BEFORE_4_1 | _ON_4_0),
    SparkMinor("3.5", (17,), ("1.12", "1.11", "1.10", "1.9", "1.8", "1.7", "1.6", "1.5"), _BEFORE_4_1 | _BEFORE_4_0),
)
JAVA = tuple(sorted({java for line in SPARK_MINORS for java in line.java}))


@dataclass(frozen=True, slots=True)
class Runtime:
    """An entry of the lock file: a Maven coordinate and the jar's sha256 (hex)."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def coordinate(self) -> str:
        """`group:artifact:version`."""
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def filename(self) -> str:
        """The jar's file name in a Maven repository."""
        return f"{self.artifact}-{self.version}.jar"


def _lock_text() -> str:
    packaged = resources.files("spark_iceberg_sql.spark") / "runtime.lock.json"
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (checkout_jars() / "runtime.lock.json").read_text(encoding="utf-8")


def checkout_jars() -> Path:
    """The folder `jars/` of a source checkout; in an installed wheel it does not exist."""
    return Path(__file__).resolve().parents[2] / "jars"


def spark_minor(spark_version: str) -> SparkMinor:
    """The supported minor version of a Spark version such as `4.1.4`. Raises IcebergSqlError if there is none."""
    tested = tested_line(spark_version)
    if tested is None:
        raise IcebergSqlError(
            f"Spark {minor(spark_version)} is not supported, only Spark {tested_versions()}",
            help=f"pip install 'pyspark~={SPARK_MINORS[0].spark}.0'",
        )
    return tested


def tested_line(spark_version: str) -> SparkMinor | None:
    """The line of a Spark version such as `4.1.4`; None if it is not in the table."""
    return next((line for line in SPARK_MINORS if line.spark == minor(spark_version)), None)


def untested(spark_version: str, iceberg_version: str) -> str | None:
    """What is not tested of a Spark with an Iceberg, and what is, in a sentence; None if both are tested together.

    iceberg_version: such as `1.8.1`; one with another ending is a build of somebody else's.
    """
    line = tested_line(spark_version)
    if line is None:
        return f"Spark {minor(spark_version)} is not tested, only Spark {tested_versions()}"
    if _RELEASE.fullmatch(iceberg_version) and minor(iceberg_version) in line.iceberg:
        return None
    span = f"{line.iceberg[-1]} to {line.iceberg[0]}"
    version = iceberg_version or "of an unknown version"
    return f"Iceberg {version} is not tested with Spark {line.spark}, only its releases {span}"


def minor(spark_version: str) -> str:
    """The minor version of a Spark version: `4.1` of `4.1.4`."""
    return ".".join(spark_version.split(".")[:2])


def tested_versions() -> str:
    """The minor versions as text: `4.1, 4.0 and 3.5`."""
    *newer, oldest = (line.spark for line in SPARK_MINORS)
    return f"{', '.join(newer)} and {oldest}" if newer else oldest


def missing_runtime(spark_version: str, scala: str | None) -> IcebergSqlError:
    """The error on a Spark that is not in the table if Iceberg's runtime is not on the class path either."""
    spark = minor(spark_version)
    return IcebergSqlError(
        f"Spark {spark} is not tested, only Spark {tested_versions()}, and to try it Iceberg's runtime for "
        f"Spark {spark} is missing on the class path",
        help=f"start Spark with spark.jars=<path of iceberg-spark-runtime-{spark}_{scala or '2.13'}>, if Iceberg has "
        f"released one, or use Spark {tested_versions()}",
    )


def runtimes() -> dict[str, Runtime]:
    """The pinned runtimes by Spark and Scala version, such as `4.1_2.13`; a Spark version's default Scala first."""
    return {name: Runtime(**row) for name, row in json.loads(_lock_text()).items()}


def runtime(spark_version: str, scala: str | None = None) -> Runtime:
    """The pinned Iceberg runtime for a Spark version such as `4.1.4`.

    scala: the Scala version of this Spark, such as `2.13`; None for that of pip's pyspark.
    Raises IcebergSqlError if Spark or its Scala is not supported.
    """
    minor_version = spark_minor(spark_version).spark
    candidates = {name: row for name, row in runtimes().items() if name.startswith(f"{minor_version}_")}
    pinned_runtime = candidates.get(f"{minor_version}_{scala}") if scala else next(iter(candidates.values()))
    if pinned_runtime is None:
        scala_versions = " and ".join(name.partition("_")[2] for name in candidates)
        raise IcebergSqlError(
            f"Iceberg has no runtime for Spark {minor_version} with Scala {scala}, only with {scala_versions}"
        )
    return pinned_runtime
