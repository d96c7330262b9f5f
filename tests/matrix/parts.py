"""What the axes share: what a part is, and what is known while a cell runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from matrix.processes import Processes

ROOT = Path(__file__).parents[2]
CATALOG = "lake"  # the catalog of each cell


class UnavailableError(Exception):
    """A part cannot be had on this machine, or is not supported with another one: the reason."""


class Part(Protocol):
    """A value of an axis: its name in `--only`, and its title on the page."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Storage:
    """A store that runs: where a cell's tables are, and what Spark needs for it.

    root: a folder or a URI. catalog: settings of the catalog, without its prefix. spark: of Spark. jars: for Spark.
    server_jars: for the server of a REST catalog. by_path: the call of the table function, with `{}` for a location.
    """

    root: str
    catalog: Mapping[str, str] = field(default_factory=dict)
    spark: Mapping[str, str] = field(default_factory=dict)
    jars: tuple[Path, ...] = ()
    server_jars: tuple[Path, ...] = ()
    by_path: str = "iceberg('{}')"


@dataclass(frozen=True, slots=True)
class CatalogSettings:
    """A catalog that runs: its settings without their prefix, Spark's, and the jars for Spark."""

    catalog: Mapping[str, str]
    spark: Mapping[str, str] = field(default_factory=dict)
    jars: tuple[Path, ...] = ()


@dataclass
class Bench:
    """What a cell runs with.

    folder: for its files. home: Spark's folder. spark: Spark's version, such as `4.1.4`. iceberg: the version of its
    runtime. runtime: the jar. python, java_home: of the processes. python_path: of those with Spark. processes:
    those of this cell; shared: those that all cells use, with `remembered` for what they answer.
    Of a lay-out: job: for its program; program: of the folder `programs`; prefix: of its command; submit: the options
    of the spark-submit that starts it, if one does; variables, omitted: of its environment.
    """

    folder: Path
    home: Path
    spark: str
    scala: str
    iceberg: str
    runtime: Path
    python: Path
    java_home: Path
    python_path: tuple[Path, ...]
    processes: Processes
    shared: Processes
    remembered: dict[Any, Any]
    settings: dict[str, str] = field(default_factory=dict)
    master: str = "local[2]"
    deploy_mode: str = "client"
    job: dict[str, str] = field(default_factory=dict)
    program: str = "in_process.py"
    prefix: tuple[str, ...] = ()
    submit: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    omitted: tuple[str, ...] = ()

    @property
    def java(self) -> str:
        """The java command."""
        return str(self.java_home / "bin" / "java")

    @property
    def environment(self) -> dict[str, str]:
        """Of processes with Spark."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "AWS_", "SPARK_", "JAVA_TOOL"))}
        kept |= {k: v for k, v in os.environ.items() if k.startswith("SPARK_ICEBERG_SQL_CACHE")}
        everything = {
            **kept,
            "JAVA_HOME": str(self.java_home),
            "PATH": f"{self.java_home / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(map(str, self.python_path)),
            "PYSPARK_PYTHON": str(self.python),
            "SPARK_HOME": str(self.home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LAUNCHER_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_REGION": "us-east-1",
            "HOME": str(self.folder),
            "SPARK_ICEBERG_SQL_CACHE": str(cache()),
            "SPARK_ICEBERG_SQL_JAR": str(self.runtime),
            **self.variables,
        }
        return {key: value for key, value in everything.items() if key not in self.omitted}

    def require_jar(self, name: str) -> None:
        """Raise UnavailableError if Spark comes without a jar whose name begins like this."""
        if not any((self.home / "jars").glob(f"{name}*.jar")):
            raise UnavailableError(
                f"the registry had no {name.rstrip('_')} for Spark {self.spark} with Scala {self.scala}"
            )

    def once(self, key: Any, start: Callable[[], Any]) -> Any:
        """What `start` returned for this key, in this cell or an earlier one."""
        if key not in self.remembered:
            try:
                self.remembered[key] = start()
            except UnavailableError as error:
                self.remembered[key] = error
        if isinstance(self.remembered[key], UnavailableError):
            raise self.remembered[key]
        return self.remembered[key]


def cache() -> Path:
    """The folder in which what is downloaded is kept."""
    from spark_iceberg_sql.files.user_cache import cache_directory

    return cache_directory()
