"""Cutting a script without its tokens gives the statements that cutting it at its tokens gives."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_iceberg_sql.rules.registry import ALL
from spark_iceberg_sql.syntax.characters import lexer_shape
from spark_iceberg_sql.syntax.fast_splitter import split_fast
from spark_iceberg_sql.syntax.lexer import LEXER, tokenize
from spark_iceberg_sql.syntax.script import Statement, split_by_tokens, statements

# Whatever decides where a string, a comment, a path or a statement ends, and what stands next to it.
PARTS = (
    *("'", '"', "`", ";", "--", "/*", "*/", "/*+", "-", "/", "*", "\\", "\n", "\r\n", " ", "+"),
    *("r'", 'R"', "xr'", "1r'", "1e+5r'", "\xe9r'", "\xb7r'", "r", "''", '""', "``", "\\'", "\\\\"),
    *(
        "file://a--b;",
        "s3://",
        "a1://x/*",
        "://",
        ":",
        "a",
        "SELECT",
        "begin",
        "end",
        "BEGIN",
        "beg\u0131n ",
        "BEGIN--\n",
        "END;",
    ),
    *("\ufeff", "\xa0", "\u2003", "\u017f", "\u0131", "\xfe", "\ud800", "\0", "1.5", "x'", "e", "{"),
    *("ALTER TABLE t ADD PARTITION FIELD a", "array<map<a,b>>", ">>", "(", ")", ",", "/**/", "--\\\n"),
)
CORPUS = [example.sql for rule in ALL for example in rule.examples]


def shown(statement: Statement) -> tuple[object, ...]:
    tokens, all_tokens = statement.tokens, statement.all_tokens
    where = (statement.start, statement.end, statement.head, statement.tail)
    return (*where, statement.first, statement.compound, statement.unclosed, tokens, all_tokens)


def agree(text: str) -> None:
    quick, slow = statements(text), split_by_tokens(text, lexer_shape(text))
    assert [shown(s) for s in quick] == [shown(s) for s in slow], text
    # The tokens of a statement alone are the whole text's, but for an array<...> that a `;` leaves open.
    if ">>" not in text:
        at = {token.start: token for token in tokenize(text)}
        assert all(at[token.start] == token for s in quick for token in s.all_tokens), text
    for statement in quick:
        assert statement.opening(6) == statement.tokens[:6]


@pytest.mark.tier("quick")
@settings(max_examples=1_000)
@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_parts(text: str) -> None:
    agree(text)


@pytest.mark.tier("quick")
@settings(max_examples=500)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    agree(text)


@pytest.mark.tier("quick")
def test_rules_examples_whole_and_in_pieces() -> None:
    dice = random.Random(4)
    agree(";\n".join(CORPUS))
    for sql in CORPUS:
        agree(sql)
        for _ in range(5):
            at = dice.randrange(len(sql) + 1)
            agree(sql[:at] + dice.choice(PARTS) + sql[at:])
            agree(dice.choice(PARTS) + sql[at:])


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("SELECT 'a;b', \"c;d\", `e;f`; -- g;h\nSELECT /* i;j */ 1;", 2),
        ("SELECT r'\\'; SELECT R\"\\\";", 2),
        ("-- one\n/* two */ ; ;; SELECT 1 -- three", 1),
        ("SELECT a /*+ ; */ ; SELECT b", 3),
        ("\ufeffSELECT 1;\xa0SELECT 2\xa0;", 2),
        ("SELECT 'it''s; \\'; '; SELECT a*/*;*/b", 3),
    ],
)
def test_common_scripts_are_cut_without_tokens(text: str, count: int) -> None:
    assert len(list(split_fast(lexer_shape(text)))) == count
    agree(text)


@pytest.mark.parametrize(
    "text",
    [
        *("SELECT 'a", "LIST file://a--b;", "/* /* */", "BEGIN SELECT 1; END"),
        *("BEGIN-- a\nSELECT 1; END", "begin$x; END", "beg\u0131n SELECT 1; END", "begin/**/a; end"),
    ],
)
def test_what_it_does_not_know_is_left_to_the_lexer(text: str) -> None:
    assert len(list(split_fast(lexer_shape(f"SELECT 1;{text}")))) == 1
    agree(f"SELECT 1;{text}")


@pytest.mark.tier("quick")
@pytest.mark.parametrize("part", ["'", "/*", "--", "r'", "a;", "\\'", " ", "- ", "*/", "-- \n;", "/**/ "])
def test_in_linear_time(part: str) -> None:
    # A square would take minutes.
    statements(part * 50_000)


@pytest.mark.skipif(not hasattr(LEXER, "__dict__"), reason="a compiled lexer's methods cannot be replaced")
def test_a_long_statement_opens_without_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ", ".join(f"({i}, 'a>>b')" for i in range(10_000))
    statement = statements(f"INSERT INTO t PARTITION (a) VALUES {rows};")[0]
    lengths: list[int] = []
    token_texts = LEXER.token_texts

    def counting(shaped: str) -> list[str]:
        lengths.append(len(shaped))
        return token_texts(shaped)

    monkeypatch.setattr(LEXER, "token_texts", counting)
    opening = statement.opening(8)
    assert lengths
    assert max(lengths) < 1000
    monkeypatch.undo()
    assert opening == statement.tokens[:8]


NUMBERS = ["1.5e-3", "0.5", "1e", "1.", ".5", "e-7", "1.5BD", "2L", "r'a'", ">>>", "<=>", "map<a>>", "`a``b`", "a--b\n"]


@settings(max_examples=300)
@given(st.lists(st.sampled_from([*PARTS, *NUMBERS]), min_size=1, max_size=30).map("".join))
def test_an_opening_is_the_start_of_all_tokens(text: str) -> None:
    """Wherever the text is cut for it."""
    for statement in statements(text):
        count = len(statement.tokens)
        for length in {1, 2, 3, 5, 8, 13, count // 2, count}:
            alone = Statement(text, (statement.start, statement.end), (statement.head, statement.tail), statement.first)
            assert alone.opening(length) == statement.tokens[:length]
