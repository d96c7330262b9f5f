"""Scala and Java: the SQL in `spark.sql("...")`, its positions, what a program fills in, and what is not read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import extract_source, find_files

TABLE = "CREATE TABLE t (id BIGINT, ts TIMESTAMP) USING iceberg"


def findings(text: str, name: str = "Job.scala") -> list[tuple[int, str, str]]:
    """Line, code and the program's text of each finding."""
    reports = Linter().lint(extract_source(name, text), Settings())
    return [(d.span.row, d.code, report.text[d.span.start : d.span.end]) for report in reports for d in report]


def queries(text: str, name: str = "Job.scala") -> list[str]:
    return [fragment.sql for fragment in extract_source(name, text).fragments if fragment.sql]


SCALA = {
    "one line": 'spark.sql("{sql}")',
    "triple quotes": 'spark.sql("""\n  {sql}\n""")'.replace("\n  ", " "),
    "a quote before the end": 'spark.sql("""{sql} -- "x"""")',
    "a margin": 'spark.sql("""|{sql}\n  |""".stripMargin)',
    "interpolated": 'spark.sql(s"{sql}")',
    "interpolated, a margin": 'spark.sql(s"""{sql}\n  |TBLPROPERTIES (\'a\' = \'${{f("x}}")}}\')""".stripMargin)',
    "joined": "spark.sql(\"{sql} \" + \"TBLPROPERTIES ('a' = 'b')\")",
    "formatted": "spark.sql(\"{sql} COMMENT '%s'\".format(comment))",
    "another receiver": 'session.sparkSession\n.sql ( "{sql}" ).show()',
    "a constant": 'val create: String = "{sql}"; spark.sql(create)',
    "a format that has a name": "val create = \"{sql} COMMENT '%s'\"; spark.sql(create.format(comment).trim)",
    "in a block": 'def run(): Unit = {{ if (a) {{ spark.sql("{sql}") }} }}',
    "behind comments": '/* a /* " */ " */ // "\nval c = \'"\'; spark.sql("{sql}")',
    "behind another literal": 'log.info(s"a ${{b("c")}} \\" d"); spark.sql("{sql}")',
}
JAVA = {
    "one line": 'class A {{ void f() {{ spark.sql("{sql}"); }} }}',
    "a text block": 'spark.sql("""\n {sql}\n  """);'.replace("\n {", "\n{"),
    "joined": 'spark.sql("{sql} "\n + "COMMENT \'" + comment + "\'");',
    "formatted": "spark.sql(String.format(\"{sql} COMMENT '%s'\", comment));",
    "formatted by the literal": "spark.sql(\"{sql} COMMENT '%1$s'\".formatted(comment));",
    "a constant": 'static final String SQL = "{sql}"; void f() {{ spark.sql(SQL); }}',
    "a format that has a name": "String SQL = \"{sql} COMMENT '%s'\"; void f() {{ spark.sql(String.format(SQL, x)); }}",
    "a formatted name": "String SQL = \"{sql} COMMENT '%s'\"; void f() {{ spark.sql(SQL.formatted(x)); }}",
    "the name of what is formatted": "String SQL = String.format(\"{sql} COMMENT '%s'\", x); spark.sql(SQL);",
    "an escape": 'spark.sql("\\t{sql}\\n");',
}
JOINED_FORMATS = (
    """spark.sql(String.format("CREATE TABLE cat." + DB + ".%s (id BIGINT) USING iceberg", name));""",
    """spark.sql(String.format("INSERT INTO cat." + DB + ".%s VALUES (%d, '%s')", name, i, s));""",
    """spark.sql(String.format("CALL cat.system.cherrypick_snapshot('" + name.replace("a.", "") + "', %s)", id));""",
    """Dataset<Row> f = spark.sql(String.format("SELECT * FROM " + name + ".%s", "files"));""",
)
WRONG = f"{TABLE} PARTITIONED BY (weeks(ts))"


@pytest.mark.parametrize("text", JOINED_FORMATS)
def test_a_format_that_is_joined_is_read_whole(text: str) -> None:
    assert {code for _, code, _ in findings(text, "Job.java")} <= {"SIS002"}
    (query,) = queries(text, "Job.java")
    assert query.endswith(text.partition("%s")[2].partition('"')[0].replace("%d", "{{_d}}").replace("%s", "{{_s}}"))


def test_a_joined_format_is_checked_behind_the_first_literal() -> None:
    text = """spark.sql(String.format("CREATE TABLE c." + DB + ".%s (id BIGINT) USING iceberg "
                 + "PARTITIONED BY (weeks(id))", name));"""
    assert [(row, code) for row, code, _ in findings(text, "Job.java")] == [(2, "SIS101")]


@pytest.mark.parametrize("text", SCALA.values(), ids=SCALA)
def test_scala(text: str) -> None:
    reported = findings(text.format(sql=WRONG))
    assert [(code, source) for _, code, source in reported] == [("SIS101", "weeks")]


@pytest.mark.parametrize("text", JAVA.values(), ids=JAVA)
def test_java(text: str) -> None:
    reported = findings(text.format(sql=WRONG), "Job.java")
    assert [(code, source) for _, code, source in reported] == [("SIS101", "weeks")]


def test_the_row_and_a_fix(tmp_path: Path) -> None:
    text = f'object A {{\n  spark.sql(\n    s"""{TABLE}\n      |PARTITIONED BY (bucket(id, 16))""".stripMargin)\n}}\n'
    assert findings(text) == [(4, "SIS104", "id, 16")]
    path = tmp_path / "A.scala"
    path.write_text(text, "utf-8")
    assert main(["check", "--fix", str(path)]) == 0
    assert path.read_text("utf-8") == text.replace("bucket(id, 16)", "bucket(16, id)")


FILLED_IN = {
    "Scala": ('spark.sql(s"SELECT * FROM $table WHERE id = ${ids.map(i => "x" + i)}")', 2),
    "a format of Scala": ('spark.sql(f"SELECT $x%.2f, 5 % 2")', 1),
    "a dollar": ("spark.sql(s\"SELECT '$$x'\")", 0),
    "a name": ('spark.sql("SELECT * FROM " + table)', 1),
}


@pytest.mark.parametrize(("text", "count"), FILLED_IN.values(), ids=FILLED_IN)
def test_what_the_program_fills_in(text: str, count: int) -> None:
    (fragment,) = extract_source("A.scala", text).fragments
    assert len(fragment.placeholders) == count
    assert findings(text) == []


def test_a_name_whose_value_is_not_certain() -> None:
    format_ = 'String F = "SELECT * FROM %s"; String G = String.format(F, "%s"); spark.sql(String.format(G, x));'
    parameter = 'void a() { String q = "SELECT 1"; } void b(String q) { spark.sql(q); }'
    assert queries(format_, "A.java") == queries(parameter, "A.java") == []
    assert queries('def a() = { val q = "SELECT 1" }\ndef b(q: String) = spark.sql(q)') == []


def test_a_format_of_several_statements_is_not_fixed(tmp_path: Path) -> None:
    text = f"String F = \"{TABLE} PARTITIONED BY (bucket(id, 16)) LOCATION '%s'\";\n"
    path = tmp_path / "A.java"
    path.write_text(f"{text}spark.sql(String.format(F, a));\nlog.info(F);\n", "utf-8")
    assert main(["check", "--fix", str(path)]) == 1
    path.write_text(f"{text}spark.sql(String.format(F, a));\n", "utf-8")
    assert main(["check", "--fix", str(path)]) == 0


def test_values() -> None:
    assert queries('spark.sql("a\\tb\\u0041\\\\ \\"c\\"")') == ['a\tbA\\ "c"']
    assert queries('spark.sql("""a\\tb""")') == ["a\\tb"]
    assert queries('spark.sql("""a\\tb\\\n c""")', "A.java") == ["a\tb c"]
    assert queries('spark.sql("""a\n   |b | c\n   |d""".stripMargin)') == ["a\nb | c\nd"]


def test_what_is_not_read_is_named() -> None:
    assert [code for _, code, _ in findings("spark.sql(build(x))")] == ["SIS002"]
    assert [code for _, code, _ in findings('var q = "SELECT 1"\nq += x\nspark.sql(q)')] == ["SIS002"]
    assert [code for _, code, _ in findings('spark.sql("SELECT a".replace("a", x))')] == ["SIS002"]


OTHERS = {
    "Spring": 'import org.springframework.jdbc.core.simple.JdbcClient;\njdbcClient.sql("ALTER TABLE t ADD x serial");',
    "a comment": f'// spark.sql("{WRONG}")\n/* spark.sql("{WRONG}") */',
    "a literal": f'val text = """spark.sql("{WRONG}")"""',
    "another interpolator": f'spark.sql(sql"{WRONG}")',
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_what_is_not_sparks(text: str) -> None:
    assert [
        finding for finding in findings(text, "A.java" if "Spring" in text else "A.scala") if finding[1] != "SIS002"
    ] == []


ADD = "ALTER TABLE t ADD PARTITION FIELD bucket(4, id)"
FLOWS = {
    "two methods": f'def a() = {{ spark.sql("{TABLE}") }}\ndef b() = {{ spark.sql("{TABLE}") }}',
    "two tests": f'test("a") {{ spark.sql("{TABLE}") }}\ntest("b") {{ spark.sql("{TABLE}") }}',
    "cases": f'x match {{\n case 1 => spark.sql("{TABLE}")\n case _ => spark.sql("{TABLE}")\n}}',
    "if and else": f'if (a) spark.sql("{TABLE}") else spark.sql("{TABLE}")',
    "if and else in braces": f'if (a) {{ spark.sql("{TABLE}") }} else {{ spark.sql("{TABLE}") }}',
    "a writer": f'spark.sql("{TABLE}"); spark.sql("DROP TABLE t"); df.writeTo("t").create()\nspark.sql("{ADD}")',
    "SQL of the program's between": f'spark.sql("{TABLE}"); sql("DROP TABLE t"); spark.sql("{TABLE}")',
    "bodies without braces": f'def a() =\n  spark.sql("{TABLE}")\ndef b() =\n  spark.sql("{TABLE}")',
}


@pytest.mark.parametrize("text", FLOWS.values(), ids=FLOWS)
def test_what_does_not_run_one_after_the_other(text: str) -> None:
    for program in (text, f"object Main extends App {{\n{text}\n}}"):
        assert {code for _, code, _ in findings(program)} <= {"SIS002"}  # of what is unknown after a writer


def test_what_runs_one_after_the_other() -> None:
    body = f'spark.sql("{TABLE}"); spark.sql("{ADD}"); spark.sql("{ADD}")'
    text = f"object A {{ def main(args: Array[String]) = {{ {body} }} }}"
    assert [code for _, code, _ in findings(text)] == ["SIS402"]


def test_comments_that_suppress() -> None:
    line = f'spark.sql("{WRONG}")'
    assert findings(f"{line} // iceberg-sql: ignore[SIS101]") == []
    assert findings(f"// iceberg-sql: ignore[SIS101]\n{line}") == []
    assert findings(f"// iceberg-sql: skip-file\n{line}") == []
    assert [code for _, code, _ in findings(f"{line} // iceberg-sql: ignore[SIS202]")] == ["SIS101", "SIS003"]


def test_a_databricks_notebook_in_scala() -> None:
    text = f"// Databricks notebook source\n// MAGIC %sql\n// MAGIC {WRONG}\n// COMMAND ----------\nval a = 1\n"
    assert findings(text) == [(3, "SIS101", "weeks")]


def test_a_folder_is_searched_for_them(tmp_path: Path) -> None:
    for name in ("A.scala", "B.java", "c.sc", "D.kt"):
        (tmp_path / name).write_text("", "utf-8")
    file_names = find_files([str(tmp_path)], lambda path: False)
    assert sorted(Path(name).name for name in file_names) == ["A.scala", "B.java", "c.sc"]


def notebook(language: str, *cells: str) -> str:
    return json.dumps(
        {
            "cells": [{"cell_type": "code", "source": cell} for cell in cells],
            "metadata": {"language_info": {"name": language}},
        }
    )


def test_cells_of_a_notebook_in_scala() -> None:
    text = notebook("scala", "val a = 1", f'spark.sql(s"""{WRONG}""")', f"%%sql\n{WRONG}", f"%sql {WRONG}")
    assert [finding[1:] for finding in findings(text, "a.ipynb")] == [("SIS101", "weeks")] * 3


MAGICS = {
    "a cell of EMR": f"%%sql -o frame -n 10\n{WRONG}",
    "a cell of Databricks": f"%sql\n{WRONG}",
    "a cell of Databricks with its first line": "%sql CREATE TABLE t (\n  id BIGINT, ts TIMESTAMP)\nUSING iceberg\n"
    "PARTITIONED BY (weeks(ts))",
    "a cell of a Spark kernel": f"%%spark -c sql -o frame\n{WRONG}",
}


@pytest.mark.parametrize("language", ["python", "scala"])
@pytest.mark.parametrize("cell", MAGICS.values(), ids=MAGICS)
def test_magics_of_hosted_notebooks(cell: str, language: str) -> None:
    text = notebook(language, cell)
    assert [finding[1:] for finding in findings(text, "a.ipynb")] == [("SIS101", "weeks")]


def test_a_line_magic_above_python_is_its_line() -> None:
    text = notebook("python", f"%sql SELECT 1\nspark.sql('{WRONG}')")
    assert [finding[1:] for finding in findings(text, "a.ipynb")] == [("SIS101", "weeks")]


WRITERS = {
    "append ignores it": (
        'df.writeTo("t").option("a", "b")\n  .partitionedBy($"id").append()',
        [("SIS412", 'partitionedBy($"id")')],
    ),
    "without brackets": (
        'df.writeTo("t").partitionedBy(days($"ts")).append',
        [("SIS412", 'partitionedBy(days($"ts"))')],
    ),
    "the next one replaces it": (
        'df.writeTo("t").using("iceberg").partitionedBy($"a").partitionedBy($"b").create()',
        [("SIS412", 'partitionedBy($"a")')],
    ),
    "a stream": ('df.writeStream.partitionBy("days(ts)").toTable("u")', [("SIS412", 'partitionBy("days(ts)")')]),
    "a stream of Java": (
        'df.writeStream().partitionBy("days(ts)").toTable("u");',
        [("SIS412", 'partitionBy("days(ts)")')],
    ),
    "a transform in a name": (
        'df.write.partitionBy("days(ts)").saveAsTable("u")',
        [("SIS412", 'partitionBy("days(ts)")')],
    ),
    "insertInto": ('df.write().partitionBy("id").insertInto("t");', [("SIS412", 'partitionBy("id")')]),
    "columns": ('df.write.partitionBy("id", "day").saveAsTable("u")\ndf.writeStream.partitionBy("id").start()', []),
    "a new table": ('df.writeTo("t").using("iceberg").partitionedBy(days($"ts"), $"id").createOrReplace()', []),
    "a row's method behind another writer": (
        'df.writeTo("t").partitionedBy($"a").create(); df.writeTo("t").append()',
        [],
    ),
    "a window": ('Window.partitionBy("a").orderBy("b"); rdd.write(out).append("x")', []),
}


@pytest.mark.parametrize(("text", "expected"), WRITERS.values(), ids=WRITERS)
def test_writers_whose_partitioning_is_refused_or_ignored(text: str, expected: list[tuple[str, str]]) -> None:
    program = f"import org.apache.spark.sql._\n{text}\n"
    reported = [(code, source) for _, code, source in findings(program, "A.java" if ";" in text else "A.scala")]
    assert [finding for finding in reported if finding[0] != "SIS002"] == expected
    assert findings(text.replace("spark", "").replace("iceberg", "parquet"), "A.scala") == []
