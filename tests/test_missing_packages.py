"""Where only this package's own files are there, without the packages that it requires, and with a Spark that pip does
not know.
"""

from __future__ import annotations

import sys

import pytest

from spark_iceberg_sql.errors import ConfigError, IcebergSqlError, MissingExtraError
from spark_iceberg_sql.files.placeholder_patterns import with_placeholders
from spark_iceberg_sql.files.source_map import SqlFragment
from spark_iceberg_sql.report import sql_text, text_columns

WIDTHS = {"abc": 3, "Straße": 6, "日本": 4, "e\u0301": 1}


@pytest.fixture
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sqlparse", "wcwidth", "regex"):
        monkeypatch.setitem(sys.modules, name, None)
    sql_text._has_sqlparse.cache_clear()


@pytest.fixture(autouse=True)
def _fresh() -> object:
    yield
    sql_text._has_sqlparse.cache_clear()


def test_widths_with_wcwidth() -> None:
    assert {text: text_columns.width(text) for text in WIDTHS} == WIDTHS


@pytest.mark.usefixtures("_alone")
def test_widths_without_wcwidth() -> None:
    assert {text: text_columns.width(text) for text in WIDTHS} == WIDTHS


@pytest.mark.usefixtures("_alone")
def test_sql_is_shown_as_it_is_without_sqlparse() -> None:
    long = "CREATE TABLE db.t (" + ", ".join(f"column_{i} BIGINT" for i in range(20)) + ") USING iceberg"
    assert sql_text.laid_out(long) == long
    assert sql_text.query_lines(f"SELECT {long}") == [f"SELECT {long}"]
    assert sql_text.html("SELECT 1 < 2") == "SELECT 1 &lt; 2"
    assert sql_text.painted("SELECT 1") == "SELECT 1"


@pytest.mark.usefixtures("_alone")
def test_patterns_of_placeholders_name_the_package() -> None:
    fragment = SqlFragment("SELECT {x}", range(11), range(11))
    with pytest.raises(IcebergSqlError) as caught:
        with_placeholders(fragment, [r"\{\w+\}"])
    assert str(caught.value) == "regex is not installed\nhelp: pip install regex"
    assert not isinstance(caught.value, ConfigError)


@pytest.mark.parametrize("extra", ["spark", "demo", "notebook", "jupyterlab"])
def test_no_extra_that_brings_a_spark_is_named_beside_one(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(MissingExtraError("matplotlib", extra)) == "matplotlib is not installed: pip install matplotlib"
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert f"pip install 'spark-iceberg-sql[{extra}]'" in str(MissingExtraError("matplotlib", extra))


def test_an_extra_without_spark_is_named() -> None:
    assert str(MissingExtraError("pygls", "lsp")) == "pygls is not installed: pip install 'spark-iceberg-sql[lsp]'"
