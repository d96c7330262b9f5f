"""The versions of Iceberg that people have, each in a session that somebody else started, with nothing else installed:
no pandas, no filelock, none of this package's own requirements, pyspark only on PYTHONPATH.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import extra_jars
import iceberg_results
import pyspark
import pytest
import spark_line
from matrix.icebergs import RELEASES

from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.spark.optimizer.iceberg_issues import ISSUES, PROBED_VERSIONS

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("iceberg_version.py")
SCALA = {"3.5": "2.12"}
# The oldest in each run: it differs most.
ALWAYS = ("3.5", "1.5")
CELLS = [(line.spark, minor) for line in versions.SPARK_MINORS for minor in line.iceberg]


def _parameters() -> list[object]:
    swept = [pytest.mark.tier("sweep")]
    cells = [*CELLS, *iceberg_results.OTHERS]
    return [pytest.param(*cell, id="-".join(cell), marks=[] if cell == ALWAYS else swept) for cell in cells]


def _packages(line: str, folder: Path) -> Path:
    """A folder with pyspark and py4j of a line, a version, or a line with another Scala, and nothing else. Skips the
    test if it cannot be had.
    """
    if "_" in line:
        from matrix.parts import UnavailableError
        from matrix.sparks import SPARKS

        try:
            return SPARKS[line.replace("_", "-scala")].packages()
        except UnavailableError as error:
            pytest.skip(str(error))
    if versions.minor(pyspark.__version__) == line:
        import py4j

        for package in (pyspark, py4j):
            source = Path(package.__file__).parent
            (folder / source.name).symlink_to(source)
        return folder
    try:
        return spark_line.provided(line)
    except spark_line.UnavailableError as error:
        pytest.skip(str(error))


def _zipped(target: Path) -> Path:
    """This package as a wheel has it, for `--py-files`."""
    with zipfile.ZipFile(target, "w") as archive:
        for file in sorted((ROOT / "spark_iceberg_sql").rglob("*")):
            if file.is_file() and file.suffix not in (".pyc", ".so"):
                archive.write(file, file.relative_to(ROOT))
        archive.write(ROOT / "jars/runtime.lock.json", "spark_iceberg_sql/spark/runtime.lock.json")
    return target


def _outcomes(line: str, minor: str, folder: Path) -> tuple[Mapping[str, object], Mapping[str, Any]]:
    """What is wrong with each step of the program, None for a step that does what it should; and its facts."""
    built_for = line if "_" in line else f"{versions.minor(line)}_{SCALA.get(versions.minor(line), '2.13')}"
    artifact = f"iceberg-spark-runtime-{built_for}"
    jar = extra_jars.fetched("org.apache.iceberg", artifact, RELEASES[minor])
    (folder / "packages").mkdir()
    path = [_zipped(folder / "package.zip"), _packages(line, folder / "packages")]
    # Without the environment of this process's own pyspark, and of pytest.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "SPARK_HOME", spark_line.NAME))}
    done = subprocess.run(
        [sys.executable, "-S", str(PROGRAM), str(jar), str(folder)],
        cwd=folder,
        env={
            **environment,
            "PYTHONPATH": os.pathsep.join(map(str, path)),
            "SPARK_ICEBERG_SQL_CACHE": str(folder / "cache"),
            "NOTEBOOK_PACKAGES": sysconfig.get_path("purelib"),
        },
        capture_output=True,
        text=True,
        timeout=900,  # on a machine that does much else
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    rows = [json.loads(text) for text in done.stdout.splitlines() if text.startswith(('{"step"', '{"facts"'))]
    print(f"{line} {minor}: seconds of the first and the second installation, of the clock and the processors:")
    print(rows[-1]["facts"]["seconds"])
    return {row["step"]: row["wrong"] for row in rows[:-1]}, rows[-1]["facts"]


@pytest.mark.parametrize(("line", "minor"), _parameters())
def test_everything_works(line: str, minor: str, tmp_path: Path) -> None:
    outcomes, facts = _outcomes(line, minor, tmp_path)
    assert len(outcomes) > 20
    off = {step: wrong for step, wrong in outcomes.items() if wrong is not None}
    scala = f" (Scala {line.partition('_')[2]})" if "_" in line else ""
    iceberg_results.hold(f"{line}-{minor}", facts["spark"] + scala, facts["iceberg"], off)
    version = facts["iceberg"]
    assert version in PROBED_VERSIONS
    listed = {issue.reference: "present" if version in issue.present_in else "absent" for issue in ISSUES}
    assert {issue.reference for issue in ISSUES if issue.is_probed} <= set(facts["faults"])
    assert facts["faults"] == {reference: listed[reference] for reference in facts["faults"]}


def test_each_file_for_older_versions_has_one_for_the_newest() -> None:
    older = list((ROOT / "spark_iceberg_sql").rglob("iceberg/*/*.java"))
    assert len(older) > 5
    for file in older:
        folder = file.parents[2]
        assert (folder / file.name).is_file() or list(folder.glob(f"[0-9]*/{file.name}")), file


def test_each_tested_version_has_a_release_and_the_pinned_one_is_tested() -> None:
    assert {minor for _, minor in CELLS} == set(RELEASES)
    for name, row in versions.runtimes().items():
        line = versions.spark_minor(f"{name.partition('_')[0]}.0")
        assert versions.minor(row.version) in line.iceberg
    assert ALWAYS in CELLS


# What is said of class paths that are not right, or not tested: the line, its jars, of which one may have got another
# version as its build's, and a part of the sentence.
CLASS_PATHS = {
    "two builds": (
        "3.5",
        ["3.5_2.12-1.5.2", "3.5_2.12-1.9.2"],
        "warning: 2 builds of Iceberg are on the class path, 1.5.2 in ",
    ),
    "another Spark": ("4.1", ["4.0_2.13-1.11.0"], ", is for Spark 4.0 with Scala 2.13, and this is Spark 4.1."),
    "a newer Spark": ("4.0", ["4.1_2.13-1.11.0"], "error: The Iceberg on the class path, 1.11.0 in "),
    "another Scala": ("4.1", ["3.5_2.12-1.11.0"], "error: The Iceberg on the class path, 1.11.0 in "),
    "none": ("4.1", [], "error: Iceberg's runtime is not on this session's class path"),
    "a vendor's build": (
        "3.5",
        ["3.5_2.12-1.6.1 as 1.6.1-amzn-2"],
        "warning: Iceberg 1.6.1-amzn-2 is not tested with Spark 3.5, only its releases 1.5 to 1.12",
    ),
    "an unreleased build": (
        "4.1",
        ["4.1_2.13-1.12.0 as 1.13.0-SNAPSHOT"],
        "warning: Iceberg 1.13.0-SNAPSHOT is not tested with Spark 4.1, only its releases 1.11 to 1.12",
    ),
}
SAID = """
import sys, warnings
from pyspark.sql import SparkSession
import spark_iceberg_sql as sis
settings = {"spark.driver.memory": "1g", "spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1", "spark.jars": sys.argv[1], "spark.sql.shuffle.partitions": "2",
            "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"}
builder = SparkSession.builder.master("local[2]")
for key, value in settings.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        sis.install(spark)
    except sis.IcebergSqlError as error:
        print("error:", str(error).replace("\\n", " "))
for warning in caught:
    if issubclass(warning.category, (sis.IcebergSqlWarning, RuntimeWarning)):
        print("warning:", str(warning.message).replace("\\n", " "))
print("problems:", sis.doctor(spark).problems)
"""


def _jar(artifact: str, folder: Path) -> Path:
    """A runtime, `3.5_2.12-1.6.1`; or a copy that says it is another version, and whose name says nothing."""
    release, _, version = artifact.partition(" as ")
    name, _, number = release.rpartition("-")
    jar: Path = extra_jars.fetched("org.apache.iceberg", f"iceberg-spark-runtime-{name}", number)
    if not version:
        return jar
    with (
        zipfile.ZipFile(jar) as source,
        zipfile.ZipFile(folder / "iceberg.jar", "w", zipfile.ZIP_DEFLATED, True, 1) as copy,
    ):
        for entry in {entry.filename: entry for entry in source.infolist()}.values():  # 1.6.1 has LICENSE twice
            content = source.read(entry)
            if entry.filename == "iceberg-build.properties":
                content = content.replace(
                    f"git.build.version={number}".encode(), f"git.build.version={version}".encode()
                )
            copy.writestr(entry, content)
    return folder / "iceberg.jar"


@pytest.mark.tier("sweep")
@pytest.mark.parametrize("name", CLASS_PATHS)
def test_a_class_path_that_is_not_right(name: str, tmp_path: Path) -> None:
    line, artifacts, sentence = CLASS_PATHS[name]
    jars = [_jar(artifact, tmp_path) for artifact in artifacts]
    (tmp_path / "packages").mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "SPARK_HOME", spark_line.NAME))}
    done = subprocess.run(
        [sys.executable, "-c", SAID, ",".join(map(str, jars))],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": os.pathsep.join([str(ROOT), str(_packages(line, tmp_path / "packages"))])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    message, problems = done.stdout.splitlines()
    assert sentence in message, message
    assert message.split(": ")[0] in ("error", "warning")
    assert sentence.removeprefix("warning: ").removeprefix("error: ") in problems
