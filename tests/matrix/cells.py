"""The cells: which there are, and one after the other, each run in processes of its own."""

from __future__ import annotations

import itertools
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matrix.catalogs import CATALOGS
from matrix.icebergs import ICEBERGS, PINNED, part_of, tested_with
from matrix.javas import JAVAS
from matrix.layouts import LAYOUTS
from matrix.masters import MASTERS, Master
from matrix.parts import CATALOG, ROOT, Bench, UnavailableError
from matrix.processes import FailedError, Processes
from matrix.promises import PROMISES, Promise, faults, statements
from matrix.pythons import PYTHONS
from matrix.sparks import SPARKS
from matrix.stores import STORES
from matrix.ways import WAYS

# The order of the columns; the first part of each is the usual one.
AXES: Mapping[str, Mapping[str, Any]] = {
    "spark": SPARKS,
    "way": WAYS,
    "catalog": CATALOGS,
    "store": STORES,
    "master": MASTERS,
    "java": JAVAS,
    "python": PYTHONS,
    "iceberg": ICEBERGS,
    "layout": LAYOUTS,
}
Names = tuple[str, ...]  # of a cell's parts, in the order of the axes
USUAL: Names = tuple(next(iter(parts)) for parts in AXES.values())
# In these ways each Iceberg is tried.
ICEBERG_WAYS = ("python", "connect", "jar")
# The axes of which the page has a table.
PAIRS = (
    *(("spark", axis) for axis in list(AXES)[1:] if axis != "iceberg"),
    *(("way", axis) for axis in ("catalog", "store", "master")),
    ("catalog", "store"),
)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a cell. promises: the fault of each, None where it holds. reason: why it was not run."""

    cell: Names
    promises: Mapping[str, str | None] = field(default_factory=dict)
    reason: str | None = None
    seconds: float = 0
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def faults(self) -> Mapping[str, str]:
        """The promises that do not hold."""
        return {name: fault for name, fault in self.promises.items() if fault is not None}

    @property
    def holds(self) -> bool:
        """Whether it was run and every promise holds."""
        return self.reason is None and not self.faults


def chosen(only: Mapping[str, Sequence[str]], cells: Sequence[Names]) -> list[Names]:
    """The cells whose parts are among the named ones of each axis."""
    return [
        cell for cell in cells if all(part in only.get(axis, (part,)) for axis, part in zip(AXES, cell, strict=True))
    ]


def every_cell() -> list[Names]:
    """All ways, catalogs and stores on all versions of Spark; and each other part with all versions and ways.

    Each Iceberg is tried in three ways, and each lay-out in Python; first releases of Spark with one Iceberg.
    """
    full = itertools.product(*(parts_of(axis) for axis in list(AXES)[:4]))
    cells = [(*cell, *USUAL[4:]) for cell in full]
    few: Mapping[str, Sequence[str]] = {"iceberg": (), "layout": ("python",)}
    for axis in list(AXES)[4:]:
        for spark, way, part in itertools.product(parts_of("spark"), few.get(axis, tuple(WAYS)), list(AXES[axis])[1:]):
            cells.append(_cell(**{"spark": spark, "way": way, axis: part}))
    icebergs = [
        cell
        for name, spark in SPARKS.items()
        for minor in tested_with(spark)
        for cell in iceberg_cells(name, minor)
        if not spark.is_release or cell[-2] == PINNED
    ]
    return list(dict.fromkeys([*cells, *icebergs]))


def parts_of(axis: str) -> list[str]:
    """The parts of an axis but the first releases of Spark."""
    return [name for name in AXES[axis] if axis != "spark" or not SPARKS[name].is_release]


def iceberg_cells(spark: str, minor: str) -> list[Names]:
    """The cells of a minor version of Iceberg with a Spark, one for each of ICEBERG_WAYS."""
    client = "connect-3.5" if SPARKS[spark].minor == "3.5" else "connect-4.1"  # an older server takes no newer client
    ways = (client if way == "connect" else way for way in ICEBERG_WAYS)
    return [_cell(spark=spark, way=way, iceberg=part_of(spark, minor)) for way in ways]


def _cell(**parts: str) -> Names:
    """These parts, and the usual ones of the other axes."""
    return tuple((dict(zip(AXES, USUAL, strict=True)) | parts).values())


def pairs() -> list[Names]:
    """The pairs of parts that the page shows, with the usual parts of the other axes."""
    cells: dict[Names, None] = {}
    for first, second in PAIRS:
        for first_part, other in itertools.product(parts_of(first), parts_of(second)):
            cells[_cell(**{first: first_part, second: other})] = None
    return list(cells)


def run(cells: Sequence[Names]) -> Iterator[Result]:
    """Run cells, each when it is asked for."""
    with tempfile.TemporaryDirectory(prefix="matrix-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        remembered: dict[Any, Any] = {}
        with Processes(folder / "shared") as shared:
            for number, cell in enumerate(cells):
                start = time.monotonic()
                try:
                    result = _run(cell, folder / f"cell{number}", shared, remembered)
                except UnavailableError as reason:
                    result = Result(cell, reason=str(reason))
                except (FailedError, subprocess.TimeoutExpired) as error:
                    result = Result(cell, {"start": " ".join(str(error).split())[-600:]})
                yield Result(cell, result.promises, result.reason, time.monotonic() - start, result.versions)


def _run(cell: Names, folder: Path, shared: Processes, remembered: dict[Any, Any]) -> Result:
    spark, way, catalog, store, master, java, python, iceberg, layout = (
        parts[name] for parts, name in zip(AXES.values(), cell, strict=True)
    )
    _require_supported(spark, way, master, java)
    packages = spark.packages()
    home = packages / "pyspark"
    version = spark.version(packages)
    folder.mkdir(parents=True)
    with Processes(folder / "logs") as processes:
        bench = Bench(
            folder=folder, home=home, spark=version, scala=spark.scala, iceberg=iceberg.version(spark),
            runtime=iceberg.runtime(spark), python=python.session(spark.java == (17,)), java_home=java.for_spark(),
            python_path=(packages, ROOT), processes=processes, shared=shared, remembered=remembered,
            deploy_mode=master.deploy_mode,
        )  # fmt: skip
        storage = store.storage(bench)
        settings = catalog.settings(bench, storage)
        cluster = master.start(bench)
        bench.master = cluster.url
        bench.settings |= _settings(bench, {**storage.catalog, **settings.catalog})
        bench.settings |= {**storage.spark, **settings.spark, **cluster.settings}
        jars = ",".join(map(str, (*storage.jars, *settings.jars)))
        if jars:
            bench.settings["spark.jars"] = jars
        layout.prepare(bench)
        promises = _promises(way.with_python, master)
        location = f"{storage.root}/m/t"
        texts = statements(promises, CATALOG, location, storage.by_path.format(location))
        answers = way.answers(bench, python, texts, cluster.statement_started)
        outcome = {name: fault and fault.replace(str(folder), "…") for name, fault in faults(promises, answers).items()}
        if master.heavy:
            outcome["loss"] = outcome["loss"] or cluster.fault()
        return Result(cell, outcome, versions={"spark": version, "iceberg": bench.iceberg})


def _require_supported(spark: Any, way: Any, master: Master, java: Any) -> None:
    if int(java.name) not in spark.java:
        raise UnavailableError(f"{spark.title} is not supported on Java {java.name}")
    if master.deploy_mode == "cluster" and way.with_python:
        raise UnavailableError("Spark's standalone cluster runs no driver in Python")
    if master.heavy and not way.announces:
        raise UnavailableError(
            "only the programs in Python report when the query starts in which the executor is killed"
        )


def _promises(with_python: bool, master: Master) -> tuple[Promise, ...]:
    return tuple(
        promise
        for promise in PROMISES
        if (with_python or not promise.with_python) and (master.heavy or not promise.heavy)
    )


def _settings(bench: Bench, catalog: Mapping[str, str]) -> dict[str, str]:
    name = f"spark.sql.catalog.{CATALOG}"
    return {
        "spark.master": bench.master,
        "spark.driver.memory": "700m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.warehouse.dir": str(bench.folder / "spark-warehouse"),
        name: "org.apache.iceberg.spark.SparkCatalog",
        **{f"{name}.{key}": value for key, value in catalog.items()},
    }
