"""Variables of a script, such as `${db}`, and its parameters, such as `:a`: found, and put in."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.syntax.variables import parameters_of, substitute_variables


def test_plain_names_are_put_in_and_sparks_own_are_left():
    text = "SELECT '${env:HOME}', ${spark.x} FROM ${db}.t"
    assert substitute_variables(text, {"db": "prod"}) == "SELECT '${env:HOME}', ${spark.x} FROM prod.t"


def test_a_value_is_not_substituted_again():
    assert substitute_variables("${a}", {"a": "${b}", "b": "x"}) == "${b}"


def test_a_name_without_a_value_says_where():
    with pytest.raises(IcebergSqlError, match="'db' at line 2, column 3"):
        substitute_variables("USE c;\n  ${db}", {})


def test_parameters_are_tokens_not_text():
    text = "SELECT :a, ':b', x::int, m[:c] -- :d"
    assert parameters_of(text) == {"a", "c"}
