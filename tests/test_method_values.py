"""`spark.sql` under other names: what it is called with is checked, or a note says that it is not."""

from __future__ import annotations

import pytest
from test_callables import BAD, found

IMPORTS = "import functools\nfrom functools import partial\nfrom pyspark.sql import SparkSession\n"


@pytest.mark.parametrize(
    "program",
    [
        f'run = spark.sql\nrun("{BAD}")',
        f'run = self.spark.sql\nrun("{BAD}").show()',
        f'run: object = spark.sql\nrun(sqlQuery="{BAD}")',
        f'def main(spark):\n    run = spark.sql\n    run("SELECT 1")\n    run("{BAD}")',
        f'run = spark.sql\ndef main():\n    run("{BAD}")',
        f'q = "{BAD}"\nrun = spark.sql\nrun(q)',
        f's = SparkSession.builder.getOrCreate()\nrun = s.sql\nrun("{BAD}")',
        f'getattr(spark, "sql")("{BAD}")',
        f'run = getattr(spark, "sql")\nrun("{BAD}")',
        f'with Spark() as s:\n    run = s.sql\n    run("{BAD}")',
        f's = get_spark()\nlist(map(s.sql, ["{BAD}"]))',
        f'from common import spark as s\nlist(map(s.sql, ["{BAD}"]))',
        f'list(map(s.sql, ["{BAD}"]))',
        f'spark.sql.__call__("{BAD}")',
        f'list(map(spark.sql, ["SELECT 1", "{BAD}"]))',
        f'qs = ("SELECT 1", "{BAD}")\nlist(map(spark.sql, qs))',
        f'run = spark.sql\nlist(map(run, ["{BAD}"]))',
        f'pool.submit(spark.sql, "{BAD}").result()',
        f'pool.submit(retry, 3, spark.sql, "{BAD}").result()',
        f'run = functools.partial(spark.sql)\nrun("{BAD}")',
        f'run = partial(spark.sql, args={{"x": 1}})\nrun("{BAD}")',
        f'run = partial(spark.sql, "{BAD}")\nrun()',
        f'from spark_iceberg_sql import sql\nsql(spark, "{BAD}")',
        f'from common import spark\nrun = spark.sql\nrun("{BAD}")',
        f'import spark_iceberg_sql as sis\nrun = sis.sql\nrun(spark, "{BAD}")',
    ],
)  # fmt: skip
def test_what_it_is_called_with_is_checked(program: str) -> None:
    assert found(IMPORTS + program) == ["weeks"]
    assert found(IMPORTS + program, notes=True) == []


@pytest.mark.parametrize(
    ("program", "notes"),
    [
        ("run = spark.sql", ["spark.sql"]),
        ("run = spark.sql\nrun(q)", ["q"]),
        ("run = spark.sql\nother = run", ["run"]),
        ("self.run = spark.sql", ["spark.sql"]),
        ("run, x = spark.sql, 1", ["spark.sql"]),
        ("def f():\n    return spark.sql", ["spark.sql"]),
        ('RUN = {"sql": spark.sql}', ["spark.sql"]),
        ("f(spark.sql)", ["spark.sql"]),
        ("f(run=spark.sql)", ["spark.sql"]),
        ('kw = {"sqlQuery": "SELECT 1"}\nspark.sql(**kw)', ["kw"]),
        ("list(map(spark.sql, queries()))", ["queries()"]),
        ('list(map(spark.sql, ["SELECT 1", q]))', ["q"]),
        ('list(map(spark.sql, (f"SELECT {i}" for i in x)))', ['(f"SELECT {i}" for i in x)']),
        ('if x:\n    run = spark.sql\nelse:\n    run = print\nrun("SELECT 1")', ["run", "spark.sql"]),
        # What is no method of a session.
        ("import pyspark\nm = pyspark.sql\nrun(m)", []),
        ("cursor.execute(query.sql)", []),
        ('run(query.sql, "name", q)', []),
        ("text = query.sql\ncursor.execute(text)", []),
        ("spark.sql.assert_called_once()", []),
        ("spark.sql = fake", []),
        ("spark.sql", []),
        ("x = df.sql", []),
        ('getattr(spark, name)("SELECT 1")', []),
    ],
)  # fmt: skip
def test_what_it_is_called_with_is_not_known(program: str, notes: list[str]) -> None:
    assert sorted(found(IMPORTS + program, notes=True)) == notes
    assert found(IMPORTS + program) == []
