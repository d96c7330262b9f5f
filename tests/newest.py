"""`python -m tests.newest`: what Spark and Iceberg have released since the table of versions was written, tried.

New minor versions of pyspark: the Java files are compiled on their jars, with Iceberg's newest runtime if there is
none for them yet. New minor versions of Iceberg, for each Spark: the program of tests/spark/iceberg_version.py. Prints
a page in Markdown; the exit code is 1 if something new is there that does not work.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "spark")]

import maven  # noqa: E402
import spark_line  # noqa: E402

from spark_iceberg_sql.spark import versions  # noqa: E402

ROOT = Path(__file__).parents[1]
_GROUP, _NEWEST = "org.apache.iceberg", "latest.release"
_JAVA = "tests/spark/test_java.py::test_javac_has_nothing_to_say"


def new_sparks() -> list[str]:
    """The minor versions of pyspark that are newer than the newest in the table, the oldest first."""
    command = [sys.executable, "-m", "pip", "index", "versions", "pyspark", "--disable-pip-version-check"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    minors = {tuple(map(int, match)) for match in re.findall(r"\b(\d+)\.(\d+)\.\d+", listed)}
    newest = versions.SPARK_MINORS[0].number
    return [f"{major}.{minor}" for major, minor in sorted(minors) if (major, minor) > newest]


def newest_iceberg(line: str, scala: str) -> Path | None:
    """Iceberg's newest released runtime for a Spark; None if there is none."""
    artifact = f"iceberg-spark-runtime-{line}_{scala}"
    folder = Path(tempfile.mkdtemp(prefix="newest-"))
    maven.retrieve(_GROUP, artifact, _NEWEST, folder)
    return next(folder.glob(f"{artifact}-*.jar"), None)


def _tried_iceberg(line: str, jar: Path) -> list[str]:
    """What does not work with a runtime: the lines that the program prints about it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.pathsep.join((str(ROOT), str(spark_line.provided(line))))
        command = [sys.executable, str(ROOT / "tests/spark/iceberg_version.py"), str(jar), folder]
        environment = {**os.environ, "PYTHONPATH": path, "SPARK_ICEBERG_SQL_CACHE": f"{folder}/cache"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1800, check=False)
    steps = [text for text in done.stdout.splitlines() if text.startswith('{"step"')]
    # It is not a plain installation here, and the versions are not in the table: that much is known.
    expected = ('"nothing_else_is_installed"', '"install"', '"doctor"')
    wrong = [text for text in steps if not text.endswith('"wrong": null}') and not any(e in text for e in expected)]
    return wrong if done.returncode == 0 else [*wrong, done.stderr[-2000:]]


def _tried_java(line: str) -> list[str]:
    """What javac says of the Java files on a new Spark's jars."""
    command = [sys.executable, "-m", "pytest", "-q", _JAVA]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, spark_line.NAME: line}, capture_output=True, text=True, check=False
    )
    return [] if done.returncode == 0 else [(done.stdout + done.stderr)[-4000:]]


def report() -> Iterator[tuple[str, list[str]]]:
    """What is new, each with what does not work with it."""
    for line in new_sparks():
        yield f"Spark {line}: the Java files on its jars", _tried_java(line)
        if (jar := newest_iceberg(line, "2.13")) is None:
            yield f"Iceberg has no runtime for Spark {line} yet", []
        else:
            yield f"Spark {line} with {jar.name}", _tried_iceberg(line, jar)
    for name in versions.runtimes():
        line, _, scala = name.partition("_")
        jar = newest_iceberg(line, scala)
        tested = versions.spark_minor(f"{line}.0").iceberg
        if jar is not None and versions.minor(jar.stem.rpartition("-")[2]) not in tested:
            yield f"Spark {line} with {jar.name}", _tried_iceberg(line, jar)


def main() -> int:
    """Print the page; returns the exit code."""
    is_wrong = False
    print("# New versions\n")
    for title, wrong in report():
        is_wrong |= bool(wrong)
        print(f"- {title}: {'does not work' if wrong else 'nothing is wrong'}", flush=True)
        for text in wrong:
            print(f"\n```text\n{text}\n```\n")
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
