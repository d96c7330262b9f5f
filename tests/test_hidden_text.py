"""Texts that would keep a wrong statement from being read: each is read, or there is a note."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.checker.files import Linter
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import source

BAD = "CREATE TABLE t (a int, b double) USING iceberg PARTITIONED BY (bucket(4, nosuch));"


def codes(text: str, name: str = "a.sql", *placeholders: str) -> set[str]:
    """The codes of what is said about a file."""
    settings = Settings(placeholders=placeholders)
    return {d.code for r in Linter().lint(source(name, text), settings) for d in r}


# --- placeholders ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pattern",
    ["TABLE", "CREATE TABLE", "CREATE", r"CREATE TABLE t \(a", "PARTITIONED", "bucket", ";", "E T"],
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
def test_a_template_s_mark_in_a_comment_or_string_hides_nothing(
    before: str, after: str, wrong: str
) -> None:
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
