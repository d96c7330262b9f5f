"""`iceberg-sql connect-server` and a client in a process without this package: the same statements are refused."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import connect_client
import pytest

pytestmark = pytest.mark.needs("connect")
SMALL = (
    "spark.master=local[2]",
    "spark.driver.memory=700m",
    "spark.driver.bindAddress=127.0.0.1",
    "spark.driver.host=127.0.0.1",
)
READY = re.compile(r"Spark Connect server at (sc://127\.0\.0\.1:\d+); Ctrl-C stops it\n")

CLIENT = """
import importlib.util, json, sys
from pyspark.sql import SparkSession
try:
    from pyspark.sql.functions import partitioning
except ImportError:  # before Spark 4.0
    from pyspark.sql import functions as partitioning
assert importlib.util.find_spec("spark_iceberg_sql") is None
spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
other = SparkSession.builder.remote(sys.argv[1]).create()
# Called as the client for Scala and Java calls itself, which knows only Spark's own error conditions.
scala = SparkSession.builder.remote(sys.argv[1] + "/;user_agent=_SPARK_CONNECT_SCALA").create()
frame = spark.createDataFrame([(1, "a")], "id BIGINT, s STRING")
spark.sql("CREATE NAMESPACE local.db")
spark.sql("CREATE TABLE local.db.t (id BIGINT, s STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (bucket(4, id))")
damaging = "CREATE OR REPLACE TABLE local.db.t (id BIGINT) USING iceberg PARTITIONED BY (bucket(8, id))"
calls = {
    "sql": lambda: spark.sql(damaging),
    "new session": lambda: other.sql(damaging),
    "scala": lambda: scala.sql(damaging),
    "immediate": lambda: spark.sql(f"EXECUTE IMMEDIATE '{damaging}'"),
    "script": lambda: spark.sql(f"BEGIN {damaging}; END"),
    "arguments": lambda: spark.sql("ALTER TABLE local.db.t ADD PARTITION FIELD days(s)", args={}),
    "select": lambda: spark.sql(
        "CREATE TABLE local.db.c USING iceberg PARTITIONED BY (days(s)) AS SELECT * FROM local.db.t WHERE id < :m",
        {"m": 1},
    ),
    "writer": lambda: frame.writeTo("local.db.t").using("iceberg").partitionedBy(
        partitioning.bucket(8, "id")).createOrReplace(),
    "good": lambda: spark.sql("ALTER TABLE local.db.t ADD PARTITION FIELD days(ts);"),
    "clickhouse": lambda: spark.sql("OPTIMIZE TABLE local.db.t").collect(),
    "query": lambda: spark.sql("SELECT iceberg_bucket(16, 1L) AS b").collect(),
    "files": lambda: spark.table("local.db.t.files").collect(),
}
answers = {}
for name, call in calls.items():
    try:
        call()
        answers[name] = None
    except Exception as error:
        answers[name] = [type(error).__name__, str(error), error.getCondition(), error.getSqlState()]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str] | None]:
    """The client's error for each of its calls; null if the call succeeded."""
    interpreter = connect_client.python()
    folder = tmp_path_factory.mktemp("connect")
    command = [sys.executable, "-m", "spark_iceberg_sql", "connect-server", "--port", "0"]
    for setting in SMALL:
        command += ["--conf", setting]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with (folder / "log").open("w") as log, subprocess.Popen(command, cwd=folder, stderr=log, **pipes) as server:
        found = READY.fullmatch(server.stdout.readline())
        assert found is not None, (folder / "log").read_text()
        done = subprocess.run(
            [str(interpreter), "-c", CLIENT, found[1]],
            cwd=folder,
            env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
    said = (folder / "log").read_text()
    assert said.endswith("stopped\n")
    assert "Traceback" not in said
    assert done.returncode == 0, done.stderr + (folder / "log").read_text()
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("sql", "SIS404"),
        ("new session", "SIS404"),
        ("immediate", "SIS404"),
        ("script", "SIS404"),
        ("arguments", "SIS202"),
        ("select", "SIS202"),
        ("writer", "SIS404"),
    ],
)
def test_refused(answers: dict[str, list[str] | None], call: str, code: str) -> None:
    found = answers[call]
    assert found is not None, "it ran"
    kind, text, condition, state = found
    assert kind == "AnalysisException"
    assert f"error[{code}]" in text
    assert "help: write" in text
    assert (condition, state) == ("PARTITION_DDL_REFUSED", "42000")
    assert "\tat " not in text
    assert "Traceback" not in text


def test_the_client_for_scala_receives_no_condition_that_it_does_not_know(answers: dict[str, list[str] | None]) -> None:
    assert answers["scala"] is not None
    kind, text, condition, _ = answers["scala"]
    assert kind == "AnalysisException"
    assert "error[SIS404]" in text
    assert condition is None


@pytest.mark.parametrize("call", ["good", "clickhouse", "query", "files"])
def test_let_through(answers: dict[str, list[str] | None], call: str) -> None:
    assert answers[call] is None
