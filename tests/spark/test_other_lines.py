"""The other lines of Spark: a sample of tests that must pass on all of them, with the line's own pyspark."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
import spark_line
from samples import FULL, swept

from spark_iceberg_sql.spark import versions

HERE = Path(__file__).parent
OTHERS = [line.spark for line in versions.SPARK_MINORS if line != versions.spark_minor(pyspark.__version__)]
# A tenth of the tests: all of the first four files, whose tests are marked, and some of the functions' values, the
# guard's rows, the checker against the runtime, and the adversary.
FILES = [
    *("test_gate.py", "test_gate_ways.py", "test_functions.py", "test_functions_refused.py"),
    *("test_functions_values.py", "test_guard.py", "test_oracle.py", "test_adversary.py"),
]
EVERY, AT_LEAST = 90, 80
if FULL:  # more of them, and tables by path and their metadata
    FILES += ["test_gate_attacks.py", "test_gate_clients.py"]
    FILES += ["test_explain.py", "test_metadata_functions.py"]
    EVERY, AT_LEAST = 16, 210


@pytest.mark.skipif(spark_line.NAME in os.environ, reason="this is the run on another line")
@pytest.mark.parametrize("line", swept(reversed(OTHERS), 2))  # the oldest differs most
def test_a_sample(line: str, tmp_path: Path) -> None:
    try:
        spark_line.provided(line)
    except spark_line.UnavailableError as error:
        pytest.skip(str(error))
    # Without the environment that xdist or pytest passes to child processes.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
            *("--every", str(EVERY), "--basetemp", str(tmp_path / "line")),
            *(str(HERE / name) for name in FILES),
        ],
        cwd=HERE.parents[1],
        env={**environment, spark_line.NAME: line},
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    ran = re.search(r"(\d+) passed", done.stdout)
    assert ran, done.stdout
    assert int(ran[1]) > AT_LEAST
