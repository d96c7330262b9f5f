"""What must not pass in silence: partition DDL that a missing `;`, an open quote or a lost word hides."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from samples import sampled

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.files.discovery import decode, extract_source

CREATE = "CREATE TABLE a.b (ts TIMESTAMP) USING iceberg PARTITIONED BY (weeks(ts));"
ALTER = "ALTER TABLE a.b ADD PARTITION FIELD weeks(ts);"


def said(text: str, name: str = "a.sql") -> list[tuple[str, str, str]]:
    """Code, severity and the file's own words of each finding."""
    return [
        (d.code, str(d.severity), report.text[d.span.start : d.span.end])
        for report in Linter().lint(extract_source(name, text), Settings())
        for d in report
    ]


def test_a_type_that_is_nested_too_deep_to_be_read() -> None:
    deep = "ARRAY<" * 150 + "INT" + ">" * 150
    (finding,) = said(f"CREATE TABLE a.b (c {deep}) USING iceberg PARTITIONED BY (bucket(c, 3))")
    assert finding == ("SIS002", "note", "ARRAY")
    # What it does to the table is not known either.
    before = CREATE.replace("weeks", "days")
    codes = [code for code, _, _ in said(f"{before} ALTER TABLE a.b ADD COLUMN c {deep}; {ALTER}")]
    assert sorted(codes) == ["SIS002", "SIS002", "SIS101"]
    assert said(f"SELECT CAST(c AS {deep}) FROM a.b") == []


# --- a missing `;` --------------------------------------------------------------------------------

BEFORE = [
    "DROP TABLE IF EXISTS a.b",
    "DROP TABLE a.b -- a comment takes this ;",
    "USE prod",
    "INSERT INTO a.c VALUES (1)",
    "DESCRIBE a.b",
    "SHOW TABLES",
    "SELECT 1",
    "(SELECT 1)",
    "EXPLAIN SELECT 1",
    "COMMENT ON TABLE a.b IS 'x'",
    "CACHE TABLE x",
    "CALL c.system.rewrite_manifests('a.b')",
    "CREATE VIEW v AS SELECT 1",
    "CREATE TABLE a.c USING iceberg AS SELECT 1 AS id",
    "MERGE INTO a USING b ON a.i = b.i WHEN MATCHED THEN DELETE",
    "WITH x AS (SELECT 1) SELECT * FROM x",
    "ALTER TABLE a.c SET LOCATION 'x'",
    "ALTER TABLE a.c SET TBLPROPERTIES ('a' = 'b')",
]


@pytest.mark.parametrize("before", BEFORE)
def test_a_missing_semicolon(before: str) -> None:
    statements = (CREATE, ALTER, CREATE.replace("CREATE", "CREATE OR REPLACE"))
    for ddl, between in product(statements, ("\n", "\r\n  ", "\n-- why\n", " ")):
        if between == " " and "--" in before:
            continue
        text = f"{before}{between}{ddl}"
        findings = [item for item in said(text) if item[1] == "error"]
        assert findings == [("SIS001", "error", ddl.split()[0])], text
        (message,) = {d.message for d in check(text) if d.code == "SIS001"}
        assert message == f"a `;` is missing before {ddl.split()[0]}", text


@pytest.mark.parametrize("before", ["SET a = 1", "RESET a", "ADD JAR a.jar", "REFRESH x"])
@pytest.mark.parametrize("ddl", [CREATE, ALTER])
def test_what_takes_all_words_runs_with_them(before: str, ddl: str) -> None:
    assert said(f"{before}\n{ddl}") == [("SIS001", "warning", ddl.split()[0])]
    assert said(f"{before} {ddl}") == []


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t SELECT\nalter,\ncreate,\nreplace\nFROM t",
        "SELECT a AS\ncreate, table_name FROM t",
        f"SELECT '\n{ALTER}'",
        f"SELECT 1 /*\n{ALTER}*/",
        f'COMMENT ON TABLE t IS "\n{CREATE}"',
        "CREATE TABLE x USING iceberg\nAS\nSELECT 1 AS id",
        "EXPLAIN\nCREATE TABLE x (id INT) USING iceberg",
        "EXPLAIN EXTENDED\nCREATE TABLE x (id INT) USING iceberg",
        "BEGIN\nCREATE TABLE x (id INT) USING iceberg;\nALTER TABLE x ADD COLUMN y INT;\nEND",
        "BEGIN\nIF 1 = 1 THEN\nCREATE TABLE x (id INT) USING iceberg;\nEND IF;\nEND",
        "EXECUTE IMMEDIATE 'CREATE TABLE x (id INT) USING iceberg'",
        "SHOW\nCREATE TABLE x",
        "GRANT CREATE TABLE ON SCHEMA a TO b",
        "SET a = 'x\nALTER TABLE a.b ADD PARTITION FIELD weeks(ts)'",
        "CREATE\nTABLE x (id INT) USING iceberg",
    ],
)
def test_what_only_looks_like_another_statement(text: str) -> None:
    assert said(f"{text};") == []


def test_what_a_template_may_bring_is_a_note() -> None:
    assert said(f"DROP TABLE {{{{ x }}}} {{{{ end }}}}\n{CREATE}")[0][:2] == ("SIS002", "note")


def test_a_cell_of_zeppelin_is_read() -> None:
    assert [item[:2] for item in said(f"%spark.sql\n{CREATE}\n%spark.pyspark\nit's")] == [
        ("SIS101", "error"),
        ("SIS002", "note"),
    ]


def test_the_swallowed_table_is_known_afterwards() -> None:
    text = f"USE a\nCREATE TABLE t (id INT) USING iceberg;\n{ALTER.replace('a.b', 't')}"
    assert [item[0] for item in said(text)] == ["SIS001", "SIS101", "SIS201"]


# --- quotes and comments that are not closed ------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (f"SELECT 'it's' FROM x;\n{ALTER}", "'"),
        (f"SELECT 'c:\\dir\\' AS x;\n{ALTER}", "'"),
        (f'SELECT "a;\n{CREATE}', '"'),
        (f"SELECT `a;\n{CREATE}", "`"),
        (f"/* s3://b/*.parquet */\n{CREATE}", "/*"),
        (f"{CREATE.replace('weeks', 'days')}\n/* open", "/*"),
        (CREATE.replace("TIMESTAMP", "TIMESTAMP COMMENT 'it's'"), "'"),
        (CREATE.replace("ts TIMESTAMP", "`ts TIMESTAMP"), "`"),
        ("INSERT INTO a.b VALUES " + "('a'), " * 90 + f"('it's');\n{ALTER}", "'"),
    ],
)
def test_an_open_quote_is_an_error_where_it_opens(text: str, at: str) -> None:
    diagnostics = [d for d in check(text) if d.code == "SIS001"]
    assert [(str(d.severity), text[d.span.start : d.span.end]) for d in diagnostics] == [("error", at)]
    assert "not closed" in diagnostics[0].message
    assert not any("nothing here says" in d.message for d in check(text))


def test_comments_nest() -> None:
    (diagnostic,) = check(f"/* s3://b/*.parquet */\n{CREATE}")
    assert "nest" in diagnostic.message
    assert said(f"/* a /* b */ */\n{CREATE.replace('weeks', 'days')}") == []


@pytest.mark.parametrize("text", ["SELECT 'it's' FROM x", "SELECT 'c:\\' FROM x", "/* a"])
def test_an_open_quote_of_another_engine_is_a_note(text: str) -> None:
    assert [item[:2] for item in said(text)] == [("SIS002", "note")]


@pytest.mark.parametrize(
    "text",
    [
        "SET a = don't",
        "-- it's\nSELECT 1 -- don't",
        "SELECT 'a''b', 'a\\'b', r'c:\\', \"it's\", `it's`",
        "{% macro q() %}'{% endmacro %}SELECT 1",
        "{% set q %}it's{% endset %}SELECT 1",
        "{# it's #}SELECT {{ \"it's\" }} AS a",
    ],
)
def test_what_is_closed_or_need_not_be(text: str) -> None:
    assert said(text) == []


def test_a_setting_that_takes_the_rest_is_a_warning() -> None:
    assert said(f"SET a = don't;\n{ALTER}") == [("SIS001", "warning", "'")]


# --- lost words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("ALTER a.b ADD PARTITION FIELD days(x)", "ALTER TABLE a.b"),
        ("ALTER `a b`.c ADD PARTITION FIELD days(x)", "ALTER TABLE `a b`.c"),
        ("ALTERTABLE a.b ADD PARTITION FIELD days(x)", "ALTER TABLE"),
        ("TABLE a.b ADD PARTITION FIELD days(x)", "ALTER TABLE a.b"),
        ("a.b DROP PARTITION FIELD days(x)", "ALTER TABLE a.b"),
        ("UPDATE TABLE a.b REPLACE PARTITION FIELD x WITH y", "ALTER TABLE a.b"),
        ("ALTER TABLES a.b ADD PARTITION FIELD x", "ALTER TABLE a.b"),
        ("CREATE a.b (id INT) USING iceberg PARTITIONED BY (id)", "CREATE TABLE a.b"),
        ("CREATE a.b USING iceberg AS SELECT 1 AS id", "CREATE TABLE a.b"),
        ("REPLACE a.b USING iceberg AS SELECT 1 AS id", "REPLACE TABLE a.b"),
        ("CREATETABLE a.b (id INT) USING iceberg", "CREATE TABLE"),
        ("CREATEOR REPLACE TABLE a.b (id INT) USING iceberg", "CREATE OR"),
        ("CREATE IF NOT EXISTS TABLE a.b (id INT) USING iceberg", "CREATE TABLE IF NOT EXISTS"),
        ("CREATE IF NOT EXISTS a.b (id INT) USING iceberg", "CREATE TABLE IF NOT EXISTS"),
        ("CREATE OR REPLACE a.b USING iceberg PARTITIONED BY (id) AS SELECT 1 AS id", "CREATE OR REPLACE TABLE a.b"),
        ("(ALTER TABLE db.t ADD PARTITION FIELD week(x))", "leave out the parentheses"),
        ("((CREATE TABLE db.t (id INT) USING iceberg))", "leave out the parentheses"),
        ("ALTER VIEW v ADD PARTITION FIELD days(x)", "name the table that it reads"),
    ],
)
def test_a_lost_word(text: str, written: str) -> None:
    (diagnostic,) = [d for d in check(text) if str(d.severity) == "error"]
    assert diagnostic.code == "SIS001"
    assert written in (diagnostic.help or "")


@pytest.mark.parametrize("name", ["$t", "${t}", "$db.t", "{{ t }}"])
def test_a_table_whose_name_is_a_variable(name: str) -> None:
    (diagnostic,) = check(f"CREATE TABLE {name} (a INT) USING iceberg PARTITIONED BY (weeks(a))")
    assert diagnostic.code == "SIS101"


@pytest.mark.parametrize("text", ["CREATE", "CREATE OR", "CREATE OR REPLACE", "REPLACE", "CREAT"])
def test_a_statement_that_is_not_yet_written(text: str) -> None:
    assert not check(text)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE STREAMING TABLE x PARTITIONED BY (a) AS SELECT 1 AS a",
        "CREATE MATERIALIZED VIEW v USING iceberg PARTITIONED BY (a) AS SELECT 1 AS a",
        "CREATE FUNCTION f USING JAR 'x'",
        "CREATE INDEX i ON t (a)",
        "SELECT partition field FROM t",
        "(SELECT create FROM t)",
        "TABLE a.b",
        "CONVERT TO DELTA parquet.`x` PARTITIONED BY (a INT)",
        "ALTER DATABASE d SET DBPROPERTIES ('a' = 'ADD PARTITION FIELD')",
        "COMMENT ON TABLE t IS 'ALTER t ADD PARTITION FIELD x'",
        "SET a = ALTER t ADD PARTITION FIELD x",
    ],
)
def test_other_statements_are_left_alone(text: str) -> None:
    assert said(text) == []


# --- files in other encodings, and what is no notebook --------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_says_how_to_read(encoding: str) -> None:
    assert decode("SELECT 'é'".encode(encoding), "a.sql")[0] == "SELECT 'é'"


@pytest.mark.parametrize("encoding", ["utf-32-le", "utf-32-be"])
def test_utf_32_of_either_order(encoding: str) -> None:
    assert decode(("\ufeff" + ALTER).encode(encoding), "a.sql")[0] == ALTER


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["a.sql", "a.py", "a.ipynb"])
def test_what_would_be_read_as_garbage_is_not_read(encoding: str, name: str) -> None:
    with pytest.raises(FileError, match="cannot read `a"):
        decode(f'spark.sql("{ALTER}")'.encode(encoding), name)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "hex", "rot13", "cp037"])
def test_a_python_file_that_declares_another_encoding(encoding: str) -> None:
    with pytest.raises(FileError, match=r"cannot read `a\.py`: it "):
        decode(f'# coding: {encoding}\nspark.sql("{ALTER}")\n'.encode(), "a.py")
    for right in ("latin-1", "cp1252", "utf-8"):
        assert ALTER in decode(f"# coding: {right}\n'{ALTER}'".encode(right), "a.py")[0]


@pytest.mark.parametrize(
    "text",
    [
        '{"cells": [{"cell_type": "code", "source": [1, null]}]}',
        '{"cells": [{"cell_type": "code", "source": {"a": 1}}]}',
        '{"cells": [{"cell_type": "code", "source": 5}]}',
        "[" * 100_000,
        '{"cells": ' + "[" * 100_000,
    ],
)
def test_no_notebook_is_said_to_be_none(text: str) -> None:
    with pytest.raises(FileError, match=r"`a\.ipynb` is not a valid notebook"):
        extract_source("a.ipynb", text)


@pytest.mark.parametrize("metadata", ["[]", "null", '{"language_info": null, "kernelspec": 1}', "7"])
def test_odd_metadata_of_a_notebook(metadata: str) -> None:
    cell = json.dumps({"cell_type": "code", "source": f"spark.sql('{ALTER}')"})
    text = f'{{"cells": [{cell}], "metadata": {metadata}}}'
    assert ("SIS101", "error", "weeks") in said(text, "a.ipynb")


# --- outputs that cannot take what was found -------------------------------------------------------


def run(command: str, folder: Path, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """`iceberg-sql check` and so on, by a shell."""
    return subprocess.run(
        ["sh", "-c", f'exec "{sys.executable}" -m spark_iceberg_sql check {command}'],
        cwd=folder,
        capture_output=True,
        check=False,
        env=os.environ | environ,
    )


@pytest.mark.tier("quick")
@pytest.mark.parametrize("encoding", sampled(["cp1252", "ascii"], 2))
def test_what_the_output_cannot_show_is_shown_in_another_way(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.sql").write_text(f"{ALTER} -- \u65e5\u4ed8", "utf-8")
    done = run("a.sql", tmp_path, PYTHONIOENCODING=encoding)
    assert (done.returncode, b"SIS101" in done.stdout, b"\\u65e5" in done.stdout) == (1, True, True)
    assert b"internal" not in done.stderr


@pytest.mark.tier("quick")
def test_fixed_sql_is_never_shown_in_another_way(tmp_path: Path) -> None:
    text = "CREATE TABLE `\u65e5` (id INT) USING iceberg PARTITIONED BY (bucket(id, 16))"
    (tmp_path / "a.sql").write_text(text, "utf-8")
    done = run("--diff a.sql", tmp_path, PYTHONIOENCODING="cp1252")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"cannot write the SQL" in done.stderr
    done = run("--diff a.sql", tmp_path, PYTHONIOENCODING="utf-8")
    assert (done.returncode, "\u65e5".encode() in done.stdout) == (1, True)


@pytest.mark.tier("quick")
@pytest.mark.parametrize("closed", sampled([">&-", ">&- 2>&-"], 2))
def test_a_closed_output(tmp_path: Path, closed: str) -> None:
    (tmp_path / "a.sql").write_text(ALTER)
    done = run(f". {closed}", tmp_path)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.tier("quick")
def test_a_closed_input(tmp_path: Path) -> None:
    done = run("- <&-", tmp_path)
    assert (done.returncode, done.stderr) == (2, b"error: cannot read standard input: it is closed\n")


@pytest.mark.tier("quick")
@pytest.mark.parametrize("form", ["full", "json", "gitlab", "sarif"])
def test_a_file_whose_name_is_not_utf_8(tmp_path: Path, form: str) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.sql")).write_text(ALTER)
    done = run(f". --output-format {form}", tmp_path)
    assert (done.returncode, b"SIS101" in done.stdout, done.stderr) == (1, True, b"")
    if form != "full":
        json.loads(done.stdout)


@pytest.mark.tier("quick")
def test_a_report_in_a_file_about_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.sql")).write_text(ALTER)
    assert run(". -o out", tmp_path).returncode == 1
    assert b"SIS101" in (tmp_path / "out").read_bytes()


@pytest.mark.tier("quick")
def test_a_selection_names_a_rule(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(ALTER)
    done = run(". --select ' , '", tmp_path)
    assert (done.returncode, b"--select: no rule is named" in done.stderr) == (2, True)


# --- notebooks ------------------------------------------------------------------------------------


def notebook(*cells: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})


WEEKS = ("SIS101", "error", "weeks")


@pytest.mark.parametrize(
    "cell",
    [
        f"%time spark.sql('{ALTER}')",
        f"%timeit spark.sql('{ALTER}')",
        f"%timeit -n 1 -r1 -q spark.sql('{ALTER}')",
        f"%time df = spark.sql('{ALTER}')\ndf.show()",
        f"x = 1\nif x:\n    %time spark.sql('{ALTER}')\n!ls",
        f"out = %timeit -o spark.sql('{ALTER}')",
        f"%prun -s cumulative spark.sql('{ALTER}')",
        f"%%time\nspark.sql('{ALTER}')",
        f"%%capture\n%%sql\n{ALTER}",
        f"%%capture out\n%%time\n%%sql --limit 5\n{ALTER}",
        f"%%time\n%%spark -c sql\n{ALTER}",
        f"%%capture\n%%time\nspark.sql('{ALTER}')",
        f"%%pyspark\nspark.sql('{ALTER}')",
        f"%%spark\nspark.sql('{ALTER}')",
        f"%%spark -o df\ndf = spark.sql('{ALTER}')",
    ],
)
def test_a_cell_under_a_magic(cell: str) -> None:
    findings = said(notebook(cell), "a.ipynb")
    assert [item for item in findings if item[1] == "error"] == [WEEKS]


@pytest.mark.parametrize("cell", ["%time", "%timeit -n 5", "%%capture", "%%time\n%%bash\nls", "x = %time"])
def test_a_magic_around_nothing(cell: str) -> None:
    assert WEEKS in said(notebook(cell, f"spark.sql('{ALTER}')"), "a.ipynb")


def test_python_cells_of_a_databricks_sql_file() -> None:
    text = (
        "-- Databricks notebook source\nSELECT 1;\n\n-- COMMAND ----------\n\n"
        "-- MAGIC %python\n-- MAGIC for i in range(3):\n-- MAGIC     print(i)\n-- MAGIC\n"
        f'-- MAGIC spark.sql("""\n-- MAGIC   {ALTER}\n-- MAGIC """)\n\n-- COMMAND ----------\n\n'
        "-- MAGIC %md it's about `weeks`\n\n-- COMMAND ----------\n\n"
        f"-- MAGIC %python\n-- MAGIC spark.sql('{ALTER}')\n"
    )
    assert [item for item in said(text) if item[1] == "error"] == [WEEKS, WEEKS]
    (report,) = Linter().lint(extract_source("a.sql", text), Settings())
    assert [d.span.row for d in report if d.code == "SIS101"] == [11, 21]
    broken = text.replace("range(3):", "range(3)")
    assert any("not valid Python" in d.message for d in Linter().lint(extract_source("a.sql", broken), Settings())[0])


# --- dbt: DDL in a template's own strings ---------------------------------------------------------

BUCKET = "ALTER TABLE {{ this }} ADD PARTITION FIELD bucket(id, 16)"


@pytest.mark.parametrize(
    "template",
    [
        f'{{% set ddl = "{ALTER}" %}}{{% do run_query(ddl) %}}',
        f"{{% do run_query('{ALTER}') %}}",
        f'{{% set r = run_query("{ALTER}") %}}',
        f'{{{{ config(pre_hook="{ALTER}") }}}}',
        f"{{{{ config(materialized='table', post_hook=['SELECT 1', '{ALTER}']) }}}}",
        f"{{{{ config(post_hook={{'sql': '{ALTER}', 'transaction': false}}) }}}}",
        f'{{{{ config(pre_hook="{ALTER.replace("a.b", "{{ this }}")}") }}}}',
        '{% do run_query("ALTER TABLE " ~ this ~ " ADD PARTITION FIELD weeks(ts)") %}',
        '{% do run_query("ALTER TABLE " + this + " ADD" ~ " PARTITION FIELD weeks(ts)") %}',
        '{% do run_query("ALTER TABLE %s ADD PARTITION FIELD weeks(ts)" % this) %}',
        '{% do run_query("ALTER TABLE {} ADD PARTITION FIELD weeks(ts)".format(this)) %}',
        '{% do run_query("ALTER TABLE %s ADD PARTITION FIELD weeks(ts)" | format(this)) %}',
        f"{{% macro m() %}}{{% set q %}}x{{% endset %}}{{% do run_query('{ALTER}') %}}{{% endmacro %}}",
        "{% do run_query('CREATE EXTERNAL TABLE a.c (ts TIMESTAMP) PARTITIONED BY (weeks(ts))') %}",
    ],
)
def test_ddl_in_a_templates_string(template: str) -> None:
    findings = said(f"{template}\nSELECT it FROM x\n")
    assert [item for item in findings if item[1] == "error"] == [WEEKS]


def test_a_hook_with_the_models_own_name() -> None:
    text = f'{{{{ config(pre_hook="{BUCKET}") }}}}\nSELECT 1'
    assert ("SIS104", "id, 16") in [(code, excerpt) for code, _, excerpt in said(text)]


@pytest.mark.parametrize(
    "template",
    [
        "{{ log('alter table partition done') }}",
        "{% do exceptions.raise_compiler_error('Create table: no partition given') %}",
        "{% set action = 'ADD PARTITION FIELD x' %}",
        "{% set what = 'the create table statement has a partition' %}",
        "{{ config(pre_hook=\"INSERT INTO log VALUES ('it''s', '{{ this }}')\") }}",
        "{{ config(pre_hook=\"DELETE FROM {{ this }} WHERE a = '}}'\") }}",
        "{% if x == '%}' %}{% endif %}",
    ],
)
def test_strings_that_are_no_ddl(template: str) -> None:
    assert said(f"{template}\nSELECT 1 AS a\n") == []


@pytest.mark.parametrize("suffix", ["~ fields", "~ ', '.join(fields)", "~ x ~ ')'"])
def test_ddl_whose_fields_the_template_makes(suffix: str) -> None:
    text = f'{{% do run_query("ALTER TABLE t ADD PARTITION FIELD bucket(8, " {suffix}) %}}'
    assert {item[1] for item in said(text)} == {"note"}


# --- what is written so that statements are not read ----------------------------------------------

WRONG = "ALTER TABLE db.t ADD PARTITION FIELD bucket(0, id)"


@pytest.mark.parametrize("line", ["%x", "%s", "%s AND", "%%foo", "%unknown words"])
def test_a_line_that_begins_no_cell_hides_nothing(line: str) -> None:
    assert "error" in {severity for _, severity, _ in said(f"{line}\n{WRONG};\n")}


@pytest.mark.parametrize("magic", ["%md", "%python", "%%bash", "%spark.pyspark"])
def test_a_cell_that_is_not_sql_is_noted(magic: str) -> None:
    assert said(f"SELECT 1;\n{magic}\n{WRONG};\n") == [("SIS002", "note", magic)]


@pytest.mark.parametrize(
    "comment", [f'-- endDelimiter:"{WRONG}"', f'--changeset me:1 endDelimiter:"{WRONG}"', "-- endDelimiter:id)"]
)
def test_an_end_delimiter_is_short_and_of_a_changeset(comment: str) -> None:
    assert "SIS103" in {code for code, _, _ in said(f"{comment}\n{WRONG}\n")}


def test_a_comment_in_a_string_excludes_no_program() -> None:
    program = f'spark.sql("{WRONG}")\nspark.sql("-- iceberg-sql: skip-file\\n{WRONG}")\n'
    codes = [code for code, _, _ in said(program, "a.py")]
    assert codes.count("SIS103") == 2
    assert "SIS003" in codes
