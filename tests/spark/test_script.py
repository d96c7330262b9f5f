"""Scripts: checked as a whole before the first statement runs; a failure says what ran and what did not."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import spark_iceberg_sql as sis
from spark_iceberg_sql.errors import ScriptFailedError


@pytest.fixture
def namespace(spark):
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.script")
    for row in spark.sql("SHOW TABLES IN local.script").collect():
        spark.sql(f"DROP TABLE local.script.{row.tableName}")
    return "local.script"


@pytest.mark.tier("quick", of="gate")
def test_a_fault_in_the_last_statement_stops_the_first(spark, namespace):
    with pytest.raises(sis.IcebergSqlError) as error:
        sis.run(
            spark,
            "CREATE TABLE local.script.a (id bigint, name string) USING iceberg;\n"
            "INSERT INTO local.script.a VALUES (1, 'x');\n"
            "ALTER TABLE local.script.a ADD PARTITION FIELD days(name);",
            filename="m.sql",
        )
    assert [d.code for d in error.value.report] == ["SIS202"]
    assert "m.sql:3:" in str(error.value)
    assert not spark.catalog.tableExists("local.script.a")


@pytest.mark.tier("quick", of="gate")
def test_statements_run_in_order_with_progress_and_values(spark, namespace):
    lines, result_columns = [], []
    ran = sis.run(
        spark,
        "CREATE TABLE ${ns}.b (id bigint, name string) USING iceberg PARTITIONED BY (bucket(4, id));"
        "INSERT INTO ${ns}.b VALUES (1, 'a;b'), (2, :name);"
        "ALTER TABLE ${ns}.b ADD PARTITION FIELD truncate(2, name);"
        "SELECT name FROM ${ns}.b WHERE id = 2",
        {"name": "it's"},
        variables={"ns": namespace},
        progress=lines.append,
        on_result=lambda df: result_columns.append(df.columns),
    )
    assert len(ran) == 4
    assert ran[-1].result.collect()[0].name == "it's"
    assert result_columns[-1] == ["name"]
    assert next(line for line in lines if line.startswith("[4/4]")).endswith("id = 2")


def test_a_failure_says_which_ran_and_which_did_not(spark, namespace):
    with pytest.raises(ScriptFailedError) as error:
        sis.run(
            spark,
            "CREATE TABLE local.script.c (id bigint) USING iceberg; SELECT f(id) FROM local.script.c; "
            "DROP TABLE local.script.c",
        )
    text = str(error.value)
    assert text.startswith("statement 2 of 3 failed: SELECT f(id)")
    assert "statement 1 has run; 1 after it did not run" in text
    assert "UNRESOLVED_ROUTINE" in text
    assert "Traceback" not in text
    assert error.value.not_run == ("DROP TABLE local.script.c",)
    assert spark.catalog.tableExists("local.script.c")


def test_check_only(spark, namespace):
    ran = sis.run(spark, "CREATE TABLE local.script.d (id bigint) USING iceberg", check_only=True)
    assert ran == ()
    assert not spark.catalog.tableExists("local.script.d")


def test_the_command_in_a_process_of_its_own(tmp_path):
    """Exit codes and output of `iceberg-sql run`, which starts a session itself."""
    script = tmp_path / "m.sql"
    script.write_text(
        "CREATE TABLE local.db.t (id bigint, ts timestamp) USING iceberg PARTITIONED BY (days(ts));\n"
        "INSERT INTO local.db.t VALUES (${one}, timestamp'2024-01-01');\n"
        "SELECT id + :plus AS answer FROM local.db.t;\n"
        "SELECT raise_error('stop here');\n"
        "DROP TABLE local.db.t;\n"
    )
    command = [sys.executable, "-m", "spark_iceberg_sql", "run", str(script)]
    command += ["--warehouse", str(tmp_path / "wh"), "--var", "one=41", "--param", "plus=1"]
    command += ["--conf", "spark.master=local[1]", "--conf", "spark.driver.memory=1g"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2, done.stderr
    assert re.search(r"\|\s*42(\.0)?\|", done.stdout)  # before Spark 4.0, a number and a text make a double
    assert "statement 4 of 5 failed" in done.stderr
    assert "statements 1 to 3 have run; 1 after it did not run" in done.stderr
    assert "Traceback" not in done.stderr
    script.write_text("CREATE TABLE local.db.u (id bigint) USING iceberg PARTITIONED BY (days(id))")
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1, done.stderr
    assert "error[SIS202]" in done.stderr
