"""Text to tokens and statements: nothing lost, nothing raised, nothing slow."""

from __future__ import annotations

from itertools import pairwise

import pytest
from growth import ratio
from hypothesis import given
from hypothesis import strategies as st

from spark_iceberg_sql.syntax.lexer import Token, TokenKind, tokenize
from spark_iceberg_sql.syntax.script import Statement, statements
from spark_iceberg_sql.syntax.sqlparse_lexer import SparkLexer

PIECES = [
    *("'", '"', "`", "\\", "--", "/*", "*/", "/*+", "\n", "\r\n", " ", ";", "BEGIN", "END", "CASE"),
    *("IF", "THEN", "LOOP", ":", "select", "a", "1", ".5", "1e", ">>", "array<", "{{", "}}", "$", "?"),
    *("\u00e9", "\ufeff", "\u00a0", "\U0001f600", "\u017f", "gs://a/b", "r'", ",", "(", ")", "x = 1"),
]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


def words(text: str) -> list[str]:
    return [t.text for t in tokenize(text) if t.kind is not TokenKind.SPACE]


def texts(script: str) -> list[str]:
    return [s.text for s in statements(script)]


@given(TEXTS)
def test_tokens_joined_are_the_text(text: str) -> None:
    tokens = tokenize(text)
    assert "".join(t.text for t in tokens) == text
    assert [t.start for t in tokens] == [0, *(t.end for t in tokens)][: len(tokens)]
    assert all(text[t.start : t.end] == t.text for t in tokens)


@given(TEXTS)
def test_statements_hold_every_token_once(text: str) -> None:
    script_statements = statements(text)
    covered = [t for s in script_statements for t in s.all_tokens]
    assert all(a.tail <= b.head for a, b in pairwise(script_statements))
    for statement in script_statements:
        assert text[statement.start : statement.end] == statement.text
        assert statement.tokens[0].start == statement.start
        assert statement.tokens[-1].end == statement.end
        assert statement.opening(3) == statement.tokens[:3]
        assert statement.tokens[-1].text != ";"
    trivia = {TokenKind.SPACE, TokenKind.COMMENT, TokenKind.BOM}
    left = [t for t in tokenize(text) if t.kind not in trivia and t.text != ";"]
    # `>>` is one token or two by what stands before it, which is each statement's own matter.
    covered_text = "".join(t.text for t in covered if t.kind not in trivia and t.text != ";")
    assert covered_text == "".join(t.text for t in left)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a`b``c`d", ["a", "`b``c`", "d"]),
        (r"'it''s' 'a\'b' r'\' R\"", ["'it''s'", r"'a\'b'", r"r'\'", "R", "\\", '"']),
        ("R\"x\\\" 'a' 'b'", ['R"x\\"', "'a'", "'b'"]),
        ("/* a /* b */ c */ x", ["/* a /* b */ c */", "x"]),
        ("/*+ hint */ x", ["/*+", "hint", "*/", "x"]),
        ("--a\\\nb\nc", ["--a\\\nb\n", "c"]),
        ("--a\r\nb--c\rd", ["--a\r\n", "b", "--c\r", "d"]),
        ("1.5e3BD 5L 1S .5 1e 1a 1.x t.1", ["1.5e3BD", "5L", "1S", ".5", "1e", "1a", "1", ".", "x", "t", ".1"]),
        ("1e+5Fx 1\u017f 1.5\u0131", ["1e+5F", "x", "1\u017f", "1", ".", "5\u0131"]),
        ("a->b=>c||d|>e::f!=g", ["a", "->", "b", "=>", "c", "||", "d", "|>", "e", "::", "f", "!=", "g"]),
        ("gs://a/b--c?x=1;s3://x", ["gs://a/b--c?x=1", ";", "s3", ":", "/", "/", "x"]),
        ("array<array<int>> >> 1", ["array", "<", "array", "<", "int", ">", ">", ">>", "1"]),
        ("array<a>>>>b", ["array", "<", "a", ">", ">>>", "b"]),
        ("map<struct<a>>=b", ["map", "<", "struct", "<", "a", ">", ">=", "b"]),
        ("$$a$$ {{ b }}", ["$", "$", "a", "$", "$", "{", "{", "b", "}", "}"]),
        ("gr\u00f6\u00dfe\u00b2 \u6f22\u3007", ["gr\u00f6\u00dfe", "\u00b2", "\u6f22", "\u3007"]),
        (":name ?", [":", "name", "?"]),
        ("a\u0085b", ["a", "\u0085", "b"]),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert words(text) == tokens


@pytest.mark.parametrize("text", ["'a", '"a', "`a", "/* a", "/* a /* b */", "'a\\'", "'"])
def test_what_does_not_close_is_one_token_to_the_end(text: str) -> None:
    last = tokenize(f"x; {text}; y")[-1]
    assert (last.kind, last.text) == (TokenKind.UNCLOSED, f"{text}; y")
    assert texts(f"x; {text}; y") == ["x", f"{text}; y"]


def test_words_compare_as_spark_compares_them() -> None:
    assert [t.word for t in tokenize("\u017fet")] == ["SET"]
    assert [t.word for t in tokenize("\ufb01eld")] == ["\ufb01ELD"]
    assert [t.word for t in tokenize("'set'")] == ["'set'"]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("a; b;\n-- c;\n; d", ["a", "b", "d"]),
        ("select ';' /* ; */ from `;`; b", ["select ';' /* ; */ from `;`", "b"]),
        ("\ufeffa;\r\nb", ["a", "b"]),
        ("-- only a comment", []),
        ("BEGIN a; b; END; c", ["BEGIN a; b; END", "c"]),
        ("BEGIN; a; COMMIT", ["BEGIN", "a", "COMMIT"]),
        ("BEGIN TRANSACTION; a; BEGIN b; END; c", ["BEGIN TRANSACTION", "a", "BEGIN b; END", "c"]),
        (
            "begin if (case when a then b end) = 1 then c; else d; end if; end; e",
            ["begin if (case when a then b end) = 1 then c; else d; end if; end", "e"],
        ),
        (
            "begin l: while a do repeat b; until c end repeat; end while l; end; d",
            ["begin l: while a do repeat b; until c end repeat; end while l; end", "d"],
        ),
        (
            "begin declare exit handler for sqlexception begin a; end; b; end; c",
            ["begin declare exit handler for sqlexception begin a; end; b; end", "c"],
        ),
        ("begin for r as select 1 do b; end for; end; c", ["begin for r as select 1 do b; end for; end", "c"]),
        ("begin select end from t; end; b", ["begin select end from t; end", "b"]),
        ("begin case x when 1 then a; end case; end; b", ["begin case x when 1 then a; end case; end", "b"]),
        ("begin begin end; end; b", ["begin begin end; end", "b"]),
    ],
)
def test_a_script_is_cut_at_its_semicolons(script: str, expected: list[str]) -> None:
    assert texts(script) == expected


def test_a_statement_knows_what_stands_around_it() -> None:
    script = "a; -- note\n b /* c */ ; d"
    second: Statement = statements(script)[1]
    assert script[second.head : second.tail] == " -- note\n b /* c */ ;"
    assert [t.text for t in second.tokens] == ["b"]
    assert second.tokens == [Token(TokenKind.WORD, "b", 12, 13)]


def test_sqlparse_gets_tokens_of_the_same_cut() -> None:
    pairs = list(SparkLexer().get_tokens("a '\\'' -- b"))
    assert [text for _, text in pairs] == ["a", " ", "'\\''", " ", "-- b"]
    assert str(pairs[2][0]) == "Token.Literal.String.Single"
    create = dict(map(reversed, SparkLexer().get_tokens("create table t (user int) partitioned")))
    token_kinds = {text: str(kind) for text, kind in create.items() if text.isalpha()}
    assert token_kinds == {
        "create": "Token.Keyword.DDL",
        "table": "Token.Keyword",
        "t": "Token.Name",
        "user": "Token.Name",
        "int": "Token.Name",
        "partitioned": "Token.Keyword",
    }


@pytest.mark.tier("quick")
@pytest.mark.parametrize(
    "fragment",
    [
        *("'", "'\\'", "''", "`", '"', "r'", "/*", "/* /*", "/*/", "*/", "--", "--\\\n", "1.", "1e", "9"),
        *(";", "BEGIN ;", "BEGIN ", "IF ", "CASE WHEN THEN ", "END;", "a::", ">>", "array<", "\u00e9\u00b2"),
        *("\ufeff", "\\", "{{", "gs://", "(", "x, ", "insert into t values (1, 'a');\n"),
    ],
)
def test_no_text_takes_more_than_its_length(fragment: str) -> None:
    def read(text: str) -> None:
        script_statements = statements(text)
        assert "".join(t.text for t in tokenize(text)) == text
        for statement in script_statements:
            statement.opening(1)

    few, many = (fragment * (length // len(fragment)) for length in (5_000, 20_000))
    assert ratio(lambda: read(few), lambda: read(many), 10) < 10
