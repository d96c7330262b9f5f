"""The rules' life in sessions: switches, the list, a compiler that fails, stop() and a session after it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.optimizer.rule_records import RULES


def run(part: str, folder: Path, *arguments: str) -> dict[str, Any]:
    """In a separate process, since the JVM keeps compiled rules for its lifetime."""
    script = Path(__file__).with_name("rules_script.py")
    command = [sys.executable, str(script), part, str(folder / "warehouse"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def test_classes_that_do_not_compile_take_what_uses_them_and_rows_are_right(tmp_path: Path) -> None:
    answer = run("broken", tmp_path)
    [warning] = answer["warnings"]
    off = [name for name, state in answer["rules"].items() if state == [False, True]]
    assert off == ["guard", "prune", "limit", "topk"]  # of Guard.java and Intervals.java
    assert [name for name, state in answer["rules"].items() if state == [True, False]] == [
        rule.name for rule in RULES if rule.name not in off
    ]
    head, guard, range_rules, *consequences = warning.splitlines()
    assert head.startswith(f"4 of {len(RULES)} optimizer rules are off with Spark {pyspark.__version__} and Iceberg 1.")
    assert "iceberg_rules()" in head
    assert "https://" in head
    assert guard.startswith("`guard`: ")
    assert range_rules.startswith("`prune`, `limit`, `topk`: ")
    for line in (guard, range_rules):
        assert "has no class `org.apache.iceberg.Gone`, which " in line
        assert "Exception" not in line
    assert [line.partition(",")[0] for line in consequences] == [f"without `{name}`" for name in off]
    assert answer["rows"] == {"rows": [4], "pushed": False}
    assert answer["same"] == [4]


def test_the_rules_are_listed_where_none_can_be(tmp_path: Path) -> None:
    answer = run("no_registry", tmp_path)
    [warning] = answer["warnings"]
    assert warning.startswith(f"{len(RULES)} of {len(RULES)} optimizer rules are off")
    assert "\nwithout `bounds`, filters on a column with wrong bounds lose rows" in warning
    assert list(answer["rules"]) == [rule.name for rule in RULES]
    for is_enabled, fault in answer["rules"].values():
        assert not is_enabled
        assert "has no class `org.apache.iceberg.Gone`, which RuleRegistry.java uses" in fault
    assert answer["session"] == len(RULES)
    assert answer["rows"] == {"rows": [4], "pushed": False}


@pytest.fixture(scope="module")
def lone(spark: SparkSession) -> str:
    """The folder of a table with the rows 0 to 5."""
    spark.sql("CREATE TABLE local.default.lone USING iceberg AS SELECT CAST(id AS int) AS x FROM range(6)")
    location = spark.sql("DESCRIBE EXTENDED local.default.lone").where("col_name = 'Location'").head()
    assert location is not None
    return str(location.data_type)


def test_a_rule_whose_self_test_fails_is_off_before_the_first_query(tmp_path: Path, lone: str) -> None:
    answer = run("failing", tmp_path, lone)
    assert answer["rows"] == list(range(6))
    [warning] = answer["warnings"]
    assert warning.startswith("1 of ")
    assert "`limit`: its self-test has another result: 2" in warning
    off = {name: fault for name, (is_enabled, fault) in answer["rules"].items() if not is_enabled}
    assert off == {"limit": "its self-test has another result: 2"}


def test_a_session_that_stops_before_the_rules_are_tested(tmp_path: Path, lone: str) -> None:
    answer = run("stopped", tmp_path, lone)
    assert answer["rows"] == list(range(6))
    assert [state for state in answer["rules"].values() if state != [True, None]] == []


def test_stop_uninstall_and_sessions_that_nobody_installed(tmp_path: Path) -> None:
    answer = run("right", tmp_path)
    assert answer["warnings"] == []
    assert answer["rows"] == {"rows": [4], "pushed": False}
    assert answer["system"] == {"rows": [4], "pushed": False}
    assert answer["rules"]["guard"] == [True, True]
    assert answer["uninstalled"] == {"rows": [2], "pushed": True}  # Iceberg alone: the wrong row
    assert answer["again"] == {"rows": [4], "pushed": False}
    assert answer["later"] == {"rows": [4], "pushed": False}
    assert answer["later_same"] == 1


@pytest.fixture
def other(spark: SparkSession) -> SparkSession:
    return spark.newSession()


def test_the_list_of_rules(spark: SparkSession) -> None:
    listed = {row.name: row for row in spark.sql("SELECT * FROM iceberg_rules()").collect()}
    assert list(listed) == [rule.name for rule in RULES]
    for rule in RULES:
        row = listed[rule.name]
        assert (row.phase, row["switch"], row.description) == (rule.phase.value, rule.switch, rule.summary)
        assert row.fault is None
        assert row.enabled
    with pytest.raises(AnalysisException, match="WRONG_NUM_ARGS"):
        spark.sql("SELECT * FROM iceberg_rules(1)")


def test_a_switch_is_one_sessions(spark: SparkSession, other: SparkSession) -> None:
    enabled = "SELECT name FROM iceberg_rules() WHERE NOT enabled"
    other.sql("SET spark.iceberg_sql.guard = false")
    other.conf.set("spark.sql.optimizer.excludedRules", "sparkicebergsql.Fast")
    assert {row.name for row in other.sql(enabled).collect()} == {"guard", "fast"}
    assert spark.sql(enabled).collect() == []
    other.conf.unset("spark.iceberg_sql.guard")
    assert {row.name for row in other.sql(enabled).collect()} == {"fast"}


def test_the_guards_switch_gives_icebergs_own_rows(spark: SparkSession, other: SparkSession) -> None:
    spark.sql(
        "CREATE TABLE local.default.switched USING iceberg PARTITIONED BY (x) AS SELECT int(id) AS x FROM range(6)"
    )
    query = "SELECT x FROM local.default.switched WHERE {f}bucket(4, x) = 2"
    theirs, ours = query.format(f="local.system."), query.format(f="iceberg_")
    assert [row.x for row in other.sql(theirs).collect()] == [4]
    other.conf.set("spark.iceberg_sql.guard", "false")
    assert [row.x for row in other.sql(theirs).collect()] == [2]
    assert [row.x for row in other.sql(ours).collect()] == [4]  # nothing lets it into the scan
    assert [row.x for row in spark.sql(theirs).collect()] == [4]


def test_cost_for_a_query_that_has_none_of_it(spark: SparkSession) -> None:
    """The median time of all rules together is under a millisecond."""
    totals = []
    for _ in range(15):
        execution = spark.sql(
            "SELECT id, count(*) FROM range(9) WHERE id > 3 GROUP BY id ORDER BY 2"
        )._jdf.queryExecution()
        execution.optimizedPlan()
        rules = execution.tracker().rules()
        names = [rule.excluded for rule in RULES]
        totals.append(sum(rules.apply(n).totalTimeNs() for n in names if rules.contains(n)) / 1e6)
    assert sorted(totals)[7] < 1
