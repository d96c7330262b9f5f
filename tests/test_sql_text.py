"""Layout and colours of SQL: the tokens stay the same, and nothing else of a text changes."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_iceberg_sql.checker.engine import check_and_apply
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.report.sql_text import html, laid_out, painted, query_lines
from spark_iceberg_sql.safe_output import visible_lines, without_commands
from spark_iceberg_sql.syntax.identifiers import backticked, string_literal
from spark_iceberg_sql.syntax.lexer import TRIVIA, tokenize
from spark_iceberg_sql.syntax.parser import parse
from spark_iceberg_sql.syntax.script import statements

ANSI = re.compile(r"\x1b\[[0-9;]*m")
PARTS = (
    *("'", "\\", '"', "`", "--", "/*", "*/", "/*+", "\n", "\r", " ", "  ", ",", "(", ")", "<", ">", ">>", "=>", "::"),
    *("r'", "$$", "#", "[", "]", ";", "{{", ":x", "\ufeff", "\u00e9", "1e", "'a  b'", "`a  b`", "SELECT", "FROM t"),
    *("WHERE", "AND", "CASE", "END", "CREATE", "CALL", "AS", "GROUP BY", "JOIN", "VALUES", "BETWEEN", "x"),
)  # fmt: skip
TYPES = ("INT", "ARRAY<ARRAY<INT>>", "STRUCT<a: MAP<INT, ARRAY<INT>>, b: INT>", "DECIMAL(10, 2)")
unhurried = settings(deadline=None)
texts = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)
columns = st.lists(
    st.tuples(st.text(min_size=1), st.sampled_from(TYPES), st.none() | texts),
    min_size=1,
    max_size=6,
    unique_by=lambda column: column[0].casefold(),
)


def tokens(text: str) -> list[str]:
    return [token.text for token in tokenize(text) if token.kind not in TRIVIA]


@unhurried
@given(texts, texts, st.sampled_from(("VALUES ", "CREATE TABLE t (", "CALL c.s.p(", "SELECT a FROM t WHERE ")))
def test_layout_keeps_every_token(text: str, more: str, start: str) -> None:
    text = f"{start}{text} AND a_long_name_of_a_column_that_is_in_a_list IN (1, 2, 3, 4, 5) {more}"
    assert tokens(laid_out(text, width=0)) == tokens(text)
    assert tokens("\n".join(query_lines(text))) == tokens(text)


@unhurried
@given(columns)
def test_a_table_laid_out_is_the_same_table(columns: list[tuple[str, str, str | None]]) -> None:
    listed = (
        f"{backticked(name)} {kind}" + ("" if doc is None else f" COMMENT {string_literal(doc)}")
        for name, kind, doc in columns
    )
    create = (
        f"CREATE TABLE db.t ({', '.join(listed)}) USING iceberg "
        f"PARTITIONED BY (bucket(4, {backticked(columns[0][0])})) TBLPROPERTIES ('a' = 'b')"
    )
    text = laid_out(create, width=0)
    assert len(re.findall(r"(?m)^  `", text)) >= len(columns)
    catalogs = Tables(), Tables()
    for script, tables in zip((create, text), catalogs, strict=True):
        (statement,) = statements(script)
        assert type(parse(statement)).__name__ == "Create"
        check_and_apply(script, tables)
    assert catalogs[0].get(("db", "t")) == catalogs[1].get(("db", "t"))


def test_a_call_and_a_query() -> None:
    call = "CALL c.system.add_files(table => 'a', options => map('b', 'c'))"
    assert laid_out(call) == call
    assert laid_out(call, width=0) == ("CALL c.system.add_files(\n  table => 'a',\n  options => map('b', 'c')\n)")
    create = "CREATE TABLE t USING iceberg PARTITIONED BY (a, b) AS SELECT * FROM u"
    assert laid_out(create, width=0).split("\n") == [
        "CREATE TABLE t USING iceberg",
        "PARTITIONED BY (a, b)",
        "AS SELECT * FROM u",
    ]
    assert query_lines("SELECT a -- of it\n FROM t WHERE b = 'x  y'") == ["SELECT a FROM t WHERE b = 'x  y'"]
    long = f"SELECT a FROM t LEFT JOIN u ON t.a = u.a WHERE b = '{'x' * 80}' AND c = 1 GROUP BY a"
    assert query_lines(long) == [
        "SELECT a",
        "FROM t",
        "LEFT JOIN u ON t.a = u.a",
        f"WHERE b = '{'x' * 80}'",
        "  AND c = 1",
        "GROUP BY a",
    ]


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE t (a INT, -- one\n b INT)", "ALTER TABLE t ADD COLUMNS (a INT, b INT)", ""]
)
def test_other_statements_stay(statement: str) -> None:
    assert laid_out(statement, width=0) == statement


@unhurried
@given(texts)
def test_colours_change_no_character(text: str) -> None:
    assert ANSI.sub("", painted(text)) == without_commands(visible_lines(text))
    assert unescape(re.sub("<[^>]*>", "", html(text))) == visible_lines(text)


def test_colours() -> None:
    sql = "SELECT 1, 'a<b' -- \x1b[2J"
    assert painted(sql) == ("\x1b[1;34mSELECT\x1b[0m \x1b[36m1\x1b[0m, \x1b[32m'a<b'\x1b[0m \x1b[2m-- ␛[2J\x1b[0m")
    assert html(sql) == (
        '<span class="sql-k">SELECT</span> <span class="sql-n">1</span>, '
        '<span class="sql-s">&#x27;a&lt;b&#x27;</span> <span class="sql-c">-- ␛[2J</span>'
    )
