"""`iceberg-sql connect-server` and a client in a process without this package: the same statements are refused."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from typing import Any

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
def fields(table):
    query = f"SELECT field_name FROM iceberg_partition_specs('{table}') WHERE is_current AND field_name IS NOT NULL"
    return [row[0] for row in spark.sql(query).collect()]

def form(text, args=None):
    spark.sql("CREATE OR REPLACE TABLE local.db.p (id BIGINT, ts TIMESTAMP) USING iceberg")
    shown = spark.sql(text, args) if args else spark.sql(text)
    plan = shown.collect()
    return [fields("local.db.p"), str(plan[0][0]) if "EXPLAIN" in text else ""]

answers = {"forms": {}, "functions": {}}
for name, (text, args) in json.loads(sys.argv[2]).items():
    try:
        answers["forms"][name] = form(text, args)
    except Exception as error:
        answers["forms"][name] = [str(error), fields("local.db.p")]
FUNCTIONS = [
    "CREATE TABLE local.db.f (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))",
    "INSERT INTO local.db.f SELECT id, TIMESTAMP '2024-01-01' + make_dt_interval(CAST(id AS INT)) FROM range(9)",
    "CREATE TEMPORARY FUNCTION day_of(t TIMESTAMP) RETURNS DATE RETURN iceberg_days(t)",
    "CREATE TEMPORARY VIEW by_day AS SELECT day_of(ts) AS day, id FROM local.db.f",
    "CREATE TEMPORARY FUNCTION of_day(d DATE) RETURNS TABLE (id BIGINT) "
    "RETURN SELECT id FROM local.db.f WHERE iceberg_days(ts) = d",
    "SELECT count(*) FROM local.db.f WHERE day_of(ts) = DATE'2024-01-03'",
    "SELECT count(*) FROM by_day WHERE day = DATE'2024-01-03'",
    "SELECT count(*) FROM of_day(DATE'2024-01-03')",
    "EXPLAIN SELECT * FROM local.db.f WHERE day_of(ts) = DATE'2024-01-03'",
    "EXPLAIN SELECT * FROM by_day WHERE day = DATE'2024-01-03'",
    "EXPLAIN SELECT * FROM of_day(DATE'2024-01-03')",
]
for text in FUNCTIONS:
    try:
        answers["functions"][text] = [str(value) for row in spark.sql(text).collect() for value in row]
    except Exception as error:
        answers["functions"][text] = "it failed: " + str(error)
for name, call in calls.items():
    try:
        call()
        answers[name] = None
    except Exception as error:
        answers[name] = [type(error).__name__, str(error), error.getCondition(), error.getSqlState()]
print(json.dumps(answers))
"""

# Each on a table (id BIGINT, ts TIMESTAMP) without partition fields, and the fields afterwards.
FORMS = {
    "comments": ("ALTER /* a */ TABLE -- b\r\n local.db.p ADD /* c */ PARTITION /* d */ FIELD days(ts)", None),
    "a hint": ("ALTER TABLE /*+ x */ local.db.p ADD PARTITION FIELD days(ts)", None),
    "IDENTIFIER": ("ALTER TABLE IDENTIFIER('local.' || 'db.p') ADD PARTITION FIELD days(ts)", None),
    "explained": ("EXPLAIN ALTER TABLE local.db.p ADD PARTITION FIELD days(ts)", None),
    "in a property": ("ALTER TABLE local.db.p SET TBLPROPERTIES ('note' = 'add partition field')", None),
}
IMMEDIATE = {
    "immediate": ("EXECUTE IMMEDIATE 'ALTER TABLE local.db.p /* c */ ADD /* c */ PARTITION FIELD days(ts)'", None)
}
BLOCKS = {
    "a block": ("BEGIN\n ALTER TABLE local.db.p ADD PARTITION FIELD days(ts); -- c\n SELECT 1;\nEND", None),
    "IF": ("BEGIN IF 1 = 1 THEN ALTER TABLE local.db.p ADD PARTITION FIELD days(ts); END IF; END", None),
    "a handler": (
        """BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ALTER TABLE local.db.p ADD PARTITION FIELD days(ts); END;
        SELECT raise_error('x'); END""",
        None,
    ),
    "a wrong block": (
        """BEGIN ALTER TABLE local.db.p ADD PARTITION FIELD days(ts);
        ALTER TABLE local.db.p ADD PARTITION FIELD weeks(ts); END""",
        None,
    ),
}
PARAMETERS = {
    "parameters": (
        "ALTER TABLE IDENTIFIER(:t) ADD PARTITION FIELD bucket(:n, IDENTIFIER(:c))",
        {"t": "local.db.p", "n": 8, "c": "id"},
    ),
    "a question mark": ("ALTER TABLE local.db.p ADD PARTITION FIELD bucket(?, id)", [8]),
    "a local variable": (
        "BEGIN DECLARE name STRING = 'local.db.p'; ALTER TABLE IDENTIFIER(name) ADD PARTITION FIELD days(ts); END",
        None,
    ),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The client's error for each of its calls; null if the call succeeded."""
    interpreter = connect_client.python()
    folder = tmp_path_factory.mktemp("connect")
    command = [sys.executable, "-m", "spark_iceberg_sql", "connect-server", "--port", "0"]
    for setting in SMALL:
        command += ["--conf", setting]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with (folder / "log").open("w") as log, subprocess.Popen(command, cwd=folder, stderr=log, **pipes) as server:
        ready = READY.fullmatch(server.stdout.readline())
        assert ready is not None, (folder / "log").read_text()
        done = subprocess.run(
            [str(interpreter), "-c", CLIENT, ready[1], json.dumps(FORMS | IMMEDIATE | BLOCKS | PARAMETERS)],
            cwd=folder,
            env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
    log_text = (folder / "log").read_text()
    assert log_text.endswith("stopped\n")
    assert "Traceback" not in log_text
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
def test_refused(answers: dict[str, Any], call: str, code: str) -> None:
    refusal = answers[call]
    assert refusal is not None, "it ran"
    kind, text, condition, state = refusal
    assert kind == "AnalysisException"
    assert f"error[{code}]" in text
    assert "help: write" in text
    assert (condition, state) == ("PARTITION_DDL_REFUSED", "42000")
    assert "\tat " not in text
    assert "Traceback" not in text


def test_the_client_for_scala_receives_no_condition_that_it_does_not_know(answers: dict[str, Any]) -> None:
    assert answers["scala"] is not None
    kind, text, condition, _ = answers["scala"]
    assert kind == "AnalysisException"
    assert "error[SIS404]" in text
    assert condition is None


@pytest.mark.parametrize("call", ["good", "clickhouse", "query", "files"])
def test_let_through(answers: dict[str, Any], call: str) -> None:
    assert answers[call] is None


def _fields_after(answers: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    return {name: answers["forms"][name][0] for name in names}


def test_forms_of_partition_ddl(answers: dict[str, Any]) -> None:
    expected = {**{name: ["ts_day"] for name in FORMS}, "explained": [], "in a property": []}
    assert _fields_after(answers, FORMS) == expected
    assert "+ 1000  ts_day  days(ts)  added" in answers["forms"]["explained"][1]


@pytest.mark.needs("EXECUTE IMMEDIATE")
def test_forms_in_execute_immediate(answers: dict[str, Any]) -> None:
    assert _fields_after(answers, IMMEDIATE) == {name: ["ts_day"] for name in IMMEDIATE}


@pytest.mark.needs("scripts")
def test_forms_in_blocks(answers: dict[str, Any]) -> None:
    outcomes = _fields_after(answers, BLOCKS)
    assert "error[SIS101]" in outcomes.pop("a wrong block")
    assert outcomes == {name: ["ts_day"] for name in BLOCKS if name != "a wrong block"}
    assert answers["forms"]["a wrong block"][1] == []  # nothing of it ran


@pytest.mark.needs("parameters in CALL")
def test_forms_with_parameters(answers: dict[str, Any]) -> None:
    assert _fields_after(answers, PARAMETERS) == {
        "parameters": ["id_bucket_8"],
        "a question mark": ["id_bucket_8"],
        "a local variable": ["ts_day"],
    }


@pytest.mark.needs("SQL functions")
def test_sql_functions_prune_as_their_bodies(answers: dict[str, Any]) -> None:
    outcomes = answers["functions"]
    assert {text: result for text, result in outcomes.items() if str(result).startswith("it failed")} == {}
    counts = [result for text, result in outcomes.items() if text.startswith("SELECT count")]
    assert counts == [["1"]] * 3
    plans = ["".join(result) for text, result in outcomes.items() if text.startswith("EXPLAIN")]
    # As a range of the column, or as Iceberg's own function.
    assert [re.search(r"filters=.*(?:ts >= |day\(ts\) = )", plan) is not None for plan in plans] == [True] * 3, plans
