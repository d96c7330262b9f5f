"""The axis of Spark's versions: a version in the package's table, with each Scala that Iceberg has a runtime for; and
first releases of such versions.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pyspark
import spark_line
import store_parts

from matrix.parts import UnavailableError, cache
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark import runtime_jar, versions

# Tried with one Iceberg alone: the parts of their minor versions are the last releases.
FIRST_RELEASES = ("4.1.0", "4.0.0")


@dataclass(frozen=True, slots=True)
class Spark:
    """A version of Spark. minor: `4.1`. scala: `2.13`. name: `4.1`, `3.5-scala2.13`, or a release, `4.1.0`."""

    minor: str
    scala: str
    name: str

    @property
    def title(self) -> str:
        """For the page."""
        return f"Spark {self.name if self.is_release else self.minor}, Scala {self.scala}"

    @property
    def is_release(self) -> bool:
        """Whether it is one release, and not the last one of its minor version."""
        return self.name in FIRST_RELEASES

    def packages(self) -> Path:
        """A folder of Python packages with pyspark and py4j alone. Raises UnavailableError."""
        if self.name.startswith(f"{self.minor}-"):
            return _with_scala(self.minor, self.scala, SPARKS[self.minor].packages())
        if self.is_release or not pyspark.__version__.startswith(f"{self.minor}."):
            try:
                return spark_line.provided(self.name)
            except spark_line.UnavailableError as error:
                raise UnavailableError(str(error)) from None
        return _linked(cache() / "tests" / "matrix" / f"pyspark-{pyspark.__version__}", _installed)

    def version(self, packages: Path) -> str:
        """The whole version, such as `4.1.4`, of pyspark in a folder."""
        match = re.search(
            r"""__version__[^=]*= ["']([^"']+)""", (packages / "pyspark" / "version.py").read_text("utf-8")
        )
        assert match
        return match[1]

    def runtime(self) -> Path:
        """Iceberg's jar for it. Raises UnavailableError."""
        try:
            return runtime_jar.runtime_jar(self.iceberg)
        except IcebergSqlError as error:
            raise UnavailableError(str(error)) from None

    @property
    def iceberg(self) -> versions.Runtime:
        """The pinned runtime."""
        return versions.runtimes()[f"{self.minor}_{self.scala}"]

    @property
    def java(self) -> tuple[int, ...]:
        """The Java versions that it supports."""
        return versions.spark_minor(f"{self.minor}.0").java


def _records() -> dict[str, Spark]:
    records: dict[str, Spark] = {}
    for key in versions.runtimes():
        minor, scala = key.split("_")
        name = minor if minor not in records else f"{minor}-scala{scala}"
        records[name] = Spark(minor, scala, name)
    return records | {release: Spark(versions.minor(release), "2.13", release) for release in FIRST_RELEASES}


SPARKS = _records()


def _installed(folder: Path) -> None:
    for name in ("pyspark", "py4j"):
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        (folder / name).symlink_to(Path(spec.origin).parent)


def _with_scala(minor: str, scala: str, packages: Path) -> Path:
    """pip's pyspark with the jars of another Scala, from Maven: pip has only one of them."""
    version = SPARKS[minor].version(packages)
    downloads = cache() / "tests" / "matrix" / f"spark-{version}-{scala}"
    downloads.mkdir(parents=True, exist_ok=True)
    everything = ("sql", "hive", "hive-thriftserver")
    if not any(_downloaded(downloads, version, scala, modules) for modules in (everything, ("sql",))):
        raise UnavailableError(f"Spark {version} with Scala {scala} is not in pip, and its jars are not in Maven")
    jars = [jar for jar in downloads.glob("*.jar") if not jar.stem.endswith(("-sources", "-javadoc", "-tests"))]

    def fill(folder: Path) -> None:
        (folder / "py4j").symlink_to(packages / "py4j")
        shutil.copytree(packages / "pyspark", folder / "pyspark", ignore=shutil.ignore_patterns("jars", "__pycache__"))
        target = folder / "pyspark" / "jars"
        target.mkdir()
        for jar in jars:
            (target / jar.name).symlink_to(jar)
        for ivy in (packages / "pyspark" / "jars").glob("ivy-*.jar"):
            if not (target / ivy.name).exists():
                (target / ivy.name).symlink_to(ivy)

    return _linked(cache() / "tests" / "matrix" / f"pyspark-{version}-scala{scala}", fill)


def _downloaded(folder: Path, version: str, scala: str, modules: tuple[str, ...]) -> bool:
    """Whether a folder has the jars of some of Spark's modules, with all that they need."""
    names = "".join(
        f'<dependency org="org.apache.spark" name="spark-{name}_{scala}" rev="{version}"/>' for name in modules
    )
    ivy = folder / "ivy.xml"
    ivy.write_text(
        '<ivy-module version="2.0"><info organisation="tests" module="spark"/><configurations><conf name="default"/>'
        f'</configurations><dependencies defaultconfmapping="default->master,runtime(*)">{names}</dependencies>'
        "</ivy-module>",
        "utf-8",
    )
    return store_parts.retrieved(folder, f"spark-{modules[-1]}_{scala}-{version}", ["-ivy", str(ivy)], seconds=900)


def _linked(folder: Path, fill: Callable[[Path], None]) -> Path:
    if folder.is_dir() and not all(entry.exists() for entry in folder.iterdir()):
        shutil.rmtree(folder)  # its links are to an environment that is gone
    if not folder.is_dir():
        part = folder.with_suffix(f".{os.getpid()}")
        part.mkdir(parents=True)
        fill(part)
        part.rename(folder)
    return folder
