"""The public face: exactly these names, each where it is said to be, and no Spark for a check."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import goldens
import pytest

import spark_iceberg_sql
from spark_iceberg_sql.model.transforms import TRANSFORMS


def test_all_is_exact_and_every_name_is_there() -> None:
    assert sorted(spark_iceberg_sql.__all__) == dir(spark_iceberg_sql)
    assert set(spark_iceberg_sql.__all__) == {*spark_iceberg_sql._HOME, "__version__"}
    for name in spark_iceberg_sql.__all__:
        assert getattr(spark_iceberg_sql, name) is not None
    assert callable(spark_iceberg_sql.check)
    assert callable(spark_iceberg_sql.plan)


def test_type_checkers_see_the_same_names_in_the_same_modules() -> None:
    tree = ast.parse(Path(spark_iceberg_sql.__file__).read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    homes = {}
    for line in block.body:
        assert isinstance(line, ast.ImportFrom)
        assert line.module is not None
        for name in line.names:
            assert name.asname == name.name  # otherwise it is not public for them
            homes[name.name] = line.module.removeprefix("spark_iceberg_sql.")
    assert homes == spark_iceberg_sql._HOME


def test_a_name_that_is_not_public() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nope'"):
        spark_iceberg_sql.nope  # noqa: B018 - the look-up is the test


@pytest.mark.tier("quick")
def test_import_and_check_cost_no_spark() -> None:
    script = (
        "import sys, spark_iceberg_sql as sis\n"
        "assert not [m for m in sys.modules if m.startswith('spark_iceberg_sql.')]\n"
        "report = sis.check('ALTER TABLE t ADD PARTITION FIELD bukcet(8, id)')\n"
        "assert not report.ok\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('pyspark', 'py4j', 'pandas')])"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


@pytest.mark.tier("quick")
def test_python_m_is_the_command() -> None:
    command = [sys.executable, "-m", "spark_iceberg_sql", "rules"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "SIS101" in done.stdout


def test_the_readme_s_table_of_functions_is_the_transform_table() -> None:
    readme = Path(__file__).parents[1] / "README.md"
    table_text = readme.read_text("utf-8").partition("<!-- functions -->\n")[2].partition("<!-- /functions -->")[0]
    rows = ["| function | accepts | returns |", "|---|---|---|"]
    for transform in TRANSFORMS:
        lead = "" if transform.parameter is None else f"{transform.parameter.name}, "
        names = ", ".join(f"`{name}({lead}col)`" for name in reversed(transform.functions))
        rows.append(f"| {names} | {transform.accepts} | {transform.summary} |")
    goldens.replace(table_text, "".join(f"{row}\n" for row in rows), readme)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: spark_iceberg_sql.tables(),
            "sis.tables: missing a required argument: 'spark'\nhelp: write sis.tables(spark)",
        ),
        (
            lambda: spark_iceberg_sql.explain("SELECT 1"),
            "sis.explain: missing a required argument: 'statement'\nhelp: write sis.explain(spark, statement)",
        ),
        (
            lambda: spark_iceberg_sql.advise("db.t", ["SELECT 1"]),
            "sis.advise: missing a required argument: 'queries'\nhelp: write sis.advise(spark, source, queries)",
        ),
        (
            lambda: spark_iceberg_sql.describe("db.t", "db.t"),
            "sis.describe: the first argument is the Spark session\nhelp: write sis.describe(spark, table)",
        ),
    ],
)
def test_a_call_with_wrong_arguments_says_what_to_write(call: Any, message: str) -> None:
    with pytest.raises(spark_iceberg_sql.ArgumentsError) as caught:
        call()
    assert isinstance(caught.value, TypeError)
    assert str(caught.value) == message
    assert caught.value._render_traceback_() == message.split("\n")
