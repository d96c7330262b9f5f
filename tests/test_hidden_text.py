"""Texts that would keep a wrong statement from being read: each is read, or there is a note."""

from __future__ import annotations

import json

import pytest

from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import extract_source

BAD = "CREATE TABLE t (a int, b double) USING iceberg PARTITIONED BY (bucket(4, nosuch));"


def codes(text: str, name: str = "a.sql", *placeholders: str) -> set[str]:
    """The codes of what is said about a file."""
    settings = Settings(placeholders=placeholders)
    return {d.code for r in Linter().lint(extract_source(name, text), settings) for d in r}


def hidden(text: str, name: str = "a.sql", *placeholders: str) -> list[tuple[str, str]]:
    """The statements that are said to be hidden, each with what hides it."""
    settings = Settings(placeholders=placeholders)
    reports = Linter().lint(extract_source(name, text), settings)
    notes = [(r.text[d.span.start : d.span.end], d.message) for r in reports for d in r if d.code == "SIS002"]
    return [
        (statement, message.removeprefix("not checked: "))
        for statement, message in notes
        if "hides" in message or "replaces" in message or "too many branches" in message
    ]


def second_cell(text: str) -> str:
    """A notebook of Databricks with a text in its second cell."""
    cells = "".join(f"# MAGIC {line}\n" for line in text.splitlines())
    first = "# Databricks notebook source\n# MAGIC %sql\n# MAGIC SELECT one;\n\n# COMMAND ----------\n\n"
    return f"{first}# MAGIC %sql\n{cells}"


@pytest.mark.parametrize(
    ("text", "placeholders", "replaced"),
    [
        (f"{BAD}", ("TABLE",), ["TABLE"]),
        (f"SELECT one FROM x;\n{BAD}\nSELECT two;\n{BAD}", ("one", "TABLE", "two"), ["TABLE", "TABLE"]),
        (f"SELECT one FROM x;\n{BAD}", ("one", "REATE", "nosuch"), ["REATE"]),
        (f"SELECT one FROM x; {BAD}", ("one FROM x; CREATE",), ["one FROM x; CREATE"]),
        (f"SELECT one; {BAD[:-1]} '", ("one", "TABLE"), []),  # without its end, Spark refuses it
        (BAD, (r"(?s)CREATE.*",), []),  # the placeholder alone, which has a note of its own
        (f"SELECT 1; {BAD}", (r"(?s)CREATE.*\)",), []),
    ],
)
def test_what_a_placeholder_hides(text: str, placeholders: tuple[str, ...], replaced: list[str]) -> None:
    notes = [(BAD[:-1], f"a placeholder in the settings replaces `{placeholder}`") for placeholder in replaced]
    assert hidden(text, "a.sql", *placeholders) == notes
    assert hidden(second_cell(text), "a.py", *placeholders) == notes


def test_what_the_limit_on_branches_hides() -> None:
    branches = "".join(f"{{% elif n == {n} %}}\nSELECT {n};\n" for n in range(40))
    text = f"{{% if a %}}\nSELECT 0;\n{branches}{{% else %}}\n{BAD}\n{{% endif %}}\n"
    notes = [("{% elif n == 15 %}", "`{% elif n == 15 %}` is one of too many branches")]
    assert hidden(text) == notes
    assert hidden(second_cell(text), "a.py") == notes


def test_what_marks_hide() -> None:
    reason = "template syntax in an SQL comment or string hides this statement"
    marked = f"SELECT 1;\n-- {{# a\n{BAD}\nDROP TABLE x;\n-- #}}\n"
    notes = [(BAD[:-1], reason), ("DROP TABLE x", reason)]
    assert hidden(marked) == notes
    assert hidden(f"{marked}SELECT '{{{{ a }}}}';\n{marked}") == [*notes, *notes]
    assert hidden(second_cell(marked), "a.py") == notes
    assert hidden(f"SELECT '{{{{ a }}}}', {{{{ b }}}}; {BAD}") == []


# --- placeholders ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pattern", ["TABLE", "CREATE TABLE", "CREATE", r"CREATE TABLE t \(a", "PARTITIONED", "bucket", ";", "E T"]
)
def test_a_placeholder_of_the_settings_hides_no_statement(pattern: str) -> None:
    assert codes(BAD, "a.sql", pattern)
    assert codes(f"SELECT 1;\n{BAD}\nSELECT 2;", "a.sql", pattern)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        (f"-- a\n{BAD}", r"(?s)a\nCREATE.*"),
        (f"/* a */ {BAD} /* b */", r"(?<=a )\*/"),
        (f"{{# a #}} {BAD} {{# b #}}", r"(?<=a )#\}"),
        (f"{{% macro m() %}}{BAD}{{% endmacro %}}", "TABLE"),
        (f"SELECT 'a', 'b'; {BAD} SELECT 'c'", r"(?<=a)'"),
    ],
)
def test_a_placeholder_moves_no_end_of_a_comment(text: str, pattern: str) -> None:
    assert codes(text, "a.sql", pattern)


@pytest.mark.parametrize("pattern", [r"__\w+?__", r"<<.*?>>"])
def test_a_placeholder_for_a_value_is_silent(pattern: str) -> None:
    mark = "__T__" if "w" in pattern else "<<it's>>"
    text = f"USE db;\nSELECT {mark} FROM x;\nCREATE TABLE {mark} (a int) USING iceberg PARTITIONED BY (a);"
    assert codes(text, "a.sql", pattern) == set()


# --- a template's marks ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("-- {#", "-- #}"),
        ("-- {% foo", "-- %}"),
        ("-- {% set x = 1", "-- %}"),
        ("-- {{ config(", "-- ) }}"),
        ("/* {# */", "/* #} */"),
        ("SELECT '{#';", "SELECT '#}';"),
        ("SELECT '{{'; ", "SELECT '}}';"),
        ("SELECT 1 AS `{%`;", "SELECT 1 AS `%}`;"),
        ("-- {% raw %} {% endraw %} {{ a }} {#", "-- #}"),
    ],
)
@pytest.mark.parametrize("wrong", [BAD, "ALTER TABLE t ADD PARTITION FIELD weeks(a);"])
def test_a_template_s_mark_in_a_comment_or_string_hides_nothing(before: str, after: str, wrong: str) -> None:
    assert codes(f"{before}\n{wrong}\n{after}") == {"SIS002"}
    assert codes(f"SELECT 1;\n{before}\nSELECT 2;\n{wrong}\n{after}\nSELECT 3") == {"SIS002"}


def test_a_placeless_dollar_in_a_string_hides_nothing() -> None:
    assert codes(f"SELECT '${{'; {BAD} SELECT '}}';")


@pytest.mark.parametrize(
    "text",
    [
        f"{{# it's\nSELECT 1;\n{BAD}\n#}}\nSELECT 1",
        f"{{#\n-- why\n{BAD}\n#}}\nSELECT 1",
        "-- {{ config(\n--   materialized='table'\n-- ) }}\nSELECT 1",
        "-- {# one\n-- two #}\nSELECT '{{ var(\"x\") }}', '{{ var('y') }}'",
        f"/* {{# {BAD} #}} */ SELECT 1",
        "-- {{ log('create table a') }}\nSELECT 1",
        "-- {% if x %}\nSELECT 1\n-- {% endif %}",
    ],
)
def test_a_template_s_comment_is_silent(text: str) -> None:
    assert codes(text) == set()


# --- branches -------------------------------------------------------------------------------------


def branched(*branches: str) -> str:
    """An `if` with `elif`, the last one `else`."""
    first, *middle, last = branches
    elif_branches = "".join(f"\n{{% elif x == {i} %}}\n{text}" for i, text in enumerate(middle))
    return f"{{% if x %}}\n{first}{elif_branches}\n{{% else %}}\n{last}\n{{% endif %}}"


SELECT = "SELECT 1;"


@pytest.mark.parametrize(
    "text",
    [
        branched(branched(SELECT, BAD), SELECT),
        branched(SELECT, branched(BAD, SELECT)),
        branched(SELECT, branched(SELECT, SELECT, branched(SELECT, BAD)), SELECT),
        branched(*[SELECT] * 8, BAD),
        branched(*[SELECT] * 11, BAD, SELECT, SELECT),
        f"{{% if not loop.last %}}\n{BAD}\n{{% endif %}}",
        f"{{% if not loop.last %}}\n{BAD}\n{{% else %}}{SELECT}{{% endif %}}",
        f"{{% macro m() %}}{branched(branched(SELECT, BAD), SELECT)}{{% endmacro %}}",
    ],
)
def test_each_branch_is_checked(text: str) -> None:
    assert "SIS201" in codes(text)


def test_a_branch_of_one_clause_is_checked() -> None:
    clause = branched(branched("a", "weeks(a)"), "b")
    assert "SIS101" in codes(BAD.replace("bucket(4, nosuch)", clause))


def test_branches_beyond_many_are_noted() -> None:
    many = [f"CREATE TABLE t{i} (a int) USING iceberg;" for i in range(40)]
    assert codes(branched(*many, BAD)) == {"SIS002"}
    assert codes(f"{{% macro m() %}}{branched(*many, BAD)}{{% endmacro %}}") == {"SIS002"}
    assert codes(branched(*["SELECT 2"] * 40)) == set()


def test_the_same_condition_holds_everywhere_or_nowhere() -> None:
    create = "CREATE TABLE t ({% if x %}a{% else %}b{% endif %} int) USING iceberg;\n"
    alter = "ALTER TABLE t ADD PARTITION FIELD"
    inner = branched("SELECT 2;", f"{alter} b;").replace("if x", "if z")
    text = f"{create}{{% if x %}}{inner.replace(' b;', ' a;')}{{% else %}}{inner}{{% endif %}}"
    assert codes(text) == set()


@pytest.mark.parametrize("between", [",", " UNION ALL ", ") AND ("])
def test_what_stands_between_two_rounds_of_a_loop(between: str) -> None:
    loop = f"{{% for c in cs %}}a{{% if not loop.last %}}{between}{{% endif %}}{{% endfor %}}"
    assert codes(f"CREATE TABLE t (a int) USING iceberg PARTITIONED BY ({loop});") == set()


# --- separators of cells and changesets -----------------------------------------------------------

PARTED = "CREATE TABLE t (a int) USING iceberg\n{}PARTITIONED BY (bucket(4, nosuch));"
COMMAND = "-- COMMAND ----------\n"


def test_a_line_between_cells_is_a_comment_in_a_statement() -> None:
    assert "SIS201" in codes(PARTED.format(COMMAND))
    assert "SIS201" in codes(PARTED.format(COMMAND * 3))
    assert "SIS201" in codes(PARTED.format(f"-- a\n\n{COMMAND}-- b;\n{COMMAND}"))
    assert "SIS001" in codes(f"SELECT 1\n{COMMAND}{BAD}")


def test_a_cell_that_begins_no_statement_is_noted() -> None:
    head = "-- Databricks notebook source\n"
    assert codes(head + PARTED.format(COMMAND)) == {"SIS002", "SIS612"}
    assert codes(f"{head}CREATE\n{COMMAND}{BAD.removeprefix('CREATE ')}") == {"SIS002", "SIS612"}
    assert codes(f"{head}SELECT 1\n{COMMAND}SELECT 2\n{COMMAND}-- it\n{COMMAND}") == set()


@pytest.mark.parametrize("delimiter", ["TABLE", "t", "USING", "iceberg"])
def test_only_formatted_sql_has_delimiters(delimiter: str) -> None:
    text = f"--changeset a:b endDelimiter:{delimiter}\n" + BAD.replace(f" {delimiter} ", f" {delimiter}\n")
    assert "SIS201" in codes(text)
    assert codes(f"-- Liquibase  FORMATTED sql\n{text}")
    assert "SIS201" in codes(f"SELECT 1;\n--liquibase formatted sql\n{text}")


def test_a_delimiter_before_a_table_of_a_statement() -> None:
    text = "--liquibase formatted sql\n--changeset a:b endDelimiter:REPLACE\n"
    assert codes(text + BAD.replace("CREATE", "CREATE OR REPLACE\n"))


def test_sql_cells_of_a_databricks_sql_file() -> None:
    lines = BAD.replace("USING", "\n-- MAGIC USING")
    for head in ("", "-- Databricks notebook source\n", "SELECT 1;\n"):
        for cell in (f"-- MAGIC %sql\n-- MAGIC {lines}", f"-- MAGIC %sql {lines}"):
            assert "SIS201" in codes(f"{head}{cell}\n")
    (report,) = Linter().lint(extract_source("a.sql", f"-- MAGIC %sql\n-- MAGIC {lines}"), Settings())
    assert [report.text[d.span.start : d.span.end] for d in report if d.code == "SIS201"] == ["nosuch"]


# --- notebooks ------------------------------------------------------------------------------------

CALL = f'spark.sql("{BAD[:-1]}")'


def notebook(cell: str, metadata: object = None, own: object = None) -> str:
    """A notebook of one cell. metadata: the notebook's; own: the cell's."""
    only = {"cell_type": "code", "source": cell, "metadata": own or {}}
    return json.dumps({"cells": [only], "metadata": metadata or {}})


DATABRICKS = {"application/vnd.databricks.v1+notebook": {"language": "sql"}}
IN_SQL = [
    {"language_info": {"name": "sparksql"}},
    {"language_info": {"name": "SQL"}},
    {"kernelspec": {"language": "Spark SQL"}},
    DATABRICKS,
]


@pytest.mark.parametrize("metadata", IN_SQL)
@pytest.mark.parametrize("cell", [BAD, f"%sql\n{BAD}", f"%python\n{CALL}", f"-- why\n%python\n{CALL}", CALL])
def test_a_cell_of_a_sql_notebook(metadata: object, cell: str) -> None:
    assert "SIS201" in codes(notebook(cell, metadata), "a.ipynb")


@pytest.mark.parametrize("cell", [BAD, CALL])
def test_a_cell_whose_language_an_editor_has_noted(cell: str) -> None:
    metadata = {"vscode": {"languageId": "sql"}}
    assert "SIS201" in codes(notebook(cell, own=metadata), "a.ipynb")
    assert "SIS201" in codes(notebook(cell, {"language_info": {"name": "python"}}, metadata), "a.ipynb")


def test_metadata_of_two_languages_is_noted() -> None:
    both = DATABRICKS | {"language_info": {"name": "python"}}
    assert codes(notebook("x = 1", both), "a.ipynb") == {"SIS002"}
    assert codes(notebook("SELECT 1", IN_SQL[0] | DATABRICKS), "a.ipynb") == set()


@pytest.mark.parametrize(
    "cell",
    [
        f"%%spark --context=sql\n{BAD}",
        f"%%spark --context = sql -o df\n{BAD}",
        f"%%spark -csql\n{BAD}",
        f"%time %sql {BAD}",
        f"df = %timeit -n 1 %sql {BAD}",
        f"x = 1\n%time %sql {BAD}\nspark.sql('SELECT 1')",
        f'get_ipython().run_line_magic("sql", "{BAD}")',
        f'get_ipython().run_cell_magic("sql", "", """\n{BAD}\n""")',
        f'ip = get_ipython()\nip.run_cell_magic("sparksql", "--limit 5", "{BAD}")',
        f'get_ipython().run_cell_magic(magic_name="sql", line="", cell="{BAD}")',
        f"# why\n%%sql\n{BAD}",
        f"# why\n\n# and how\n%%time\n# when\n%%sql\n{BAD}",
        f"# why\n%sql\n{BAD}",
        f"%%python\n{CALL}",
    ],
)
def test_a_cell_of_a_python_notebook(cell: str) -> None:
    assert "SIS201" in codes(notebook(cell), "a.ipynb")


def test_a_magic_whose_text_is_computed_is_noted() -> None:
    cell = 'get_ipython().run_cell_magic("sql", "", text())'
    assert codes(notebook(cell), "a.ipynb") == {"SIS002"}
    assert codes(notebook(cell.replace("sql", "bash")), "a.ipynb") == set()
