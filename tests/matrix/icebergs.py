"""The axis of Iceberg's versions: the pinned one of each Spark, and the others that are tested with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import extra_jars

from matrix.parts import UnavailableError
from matrix.sparks import SPARKS, Spark
from matrix.stores import unless_skipped
from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.spark.optimizer.iceberg_issues import PROBED_VERSIONS

PINNED = "pinned"
# The release of each tested minor version of Iceberg that is tried.
RELEASES = {versions.minor(version): version for version in reversed(PROBED_VERSIONS)}


@dataclass(frozen=True, slots=True)
class Iceberg:
    """A minor version of Iceberg, such as `1.7`, or the one that is pinned for a Spark."""

    name: str

    @property
    def title(self) -> str:
        """For the page."""
        return "the pinned Iceberg" if self.name == PINNED else f"Iceberg {self.name}"

    def version(self, spark: Spark) -> str:
        """The whole version for a Spark."""
        return spark.iceberg.version if self.name == PINNED else RELEASES[self.name]

    def runtime(self, spark: Spark) -> Path:
        """Its jar for a Spark. Raises UnavailableError."""
        if self.name == PINNED:
            return spark.runtime()
        if self.name not in tested_with(spark):
            raise UnavailableError(f"{self.title} is not tested with Spark {spark.minor}")
        artifact = f"iceberg-spark-runtime-{spark.minor}_{spark.scala}"
        jar: Path = unless_skipped(lambda: extra_jars.fetched("org.apache.iceberg", artifact, RELEASES[self.name]))
        return jar


def tested_with(spark: Spark) -> tuple[str, ...]:
    """The minor versions that are tested with a Spark."""
    return versions.spark_minor(f"{spark.minor}.0").iceberg


def part_of(spark: str, minor: str) -> str:
    """The name of the part that is a minor version for a Spark, since one of them is the pinned one."""
    return PINNED if versions.minor(SPARKS[spark].iceberg.version) == minor else minor


ICEBERGS = {name: Iceberg(name) for name in (PINNED, *RELEASES)}
