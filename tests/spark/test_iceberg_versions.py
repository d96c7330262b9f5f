"""The versions of Iceberg that people have, each in a session that somebody else started, with nothing else installed:
no pandas, no filelock, none of this package's own requirements, pyspark only on PYTHONPATH.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import extra_jars
import pyspark
import pytest
import spark_line

from spark_iceberg_sql.spark import versions

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("iceberg_version.py")
# The newest release of each tested minor version of Iceberg that Maven has.
RELEASES = {
    "1.12": "1.12.0",
    "1.11": "1.11.0",
    "1.10": "1.10.1",
    "1.9": "1.9.2",
    "1.8": "1.8.1",
    "1.7": "1.7.1",
    "1.6": "1.6.1",
    "1.5": "1.5.2",
}
SCALA = {"3.5": "2.12"}
# The oldest in each run: it differs most.
ALWAYS = ("3.5", "1.5")
CELLS = [(line.spark, minor) for line in versions.SPARK_MINORS for minor in line.iceberg]


def _parameters() -> list[object]:
    swept = [pytest.mark.swept]
    return [pytest.param(*cell, id="-".join(cell), marks=[] if cell == ALWAYS else swept) for cell in CELLS]


def _packages(line: str, folder: Path) -> Path:
    """A folder with pyspark and py4j of a line, and nothing else. Skips the test if it cannot be had."""
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


def _outcomes(line: str, minor: str, folder: Path) -> Mapping[str, object]:
    """What is wrong with each step of the program; None for a step that does what it should."""
    artifact = f"iceberg-spark-runtime-{line}_{SCALA.get(line, '2.13')}"
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
        },
        capture_output=True,
        text=True,
        timeout=900,  # on a machine that does much else
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    print(done.stdout)
    rows = (json.loads(text) for text in done.stdout.splitlines() if text.startswith('{"step"'))
    return {row["step"]: row["wrong"] for row in rows}


@pytest.mark.parametrize(("line", "minor"), _parameters())
def test_everything_works(line: str, minor: str, tmp_path: Path) -> None:
    outcomes = _outcomes(line, minor, tmp_path)
    assert len(outcomes) > 20
    assert {step: wrong for step, wrong in outcomes.items() if wrong is not None} == {}


def test_each_file_for_older_versions_has_one_for_the_newest() -> None:
    older = list((ROOT / "spark_iceberg_sql").rglob("java/iceberg/*/*.java"))
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
