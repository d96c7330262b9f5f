"""The grammars in the package against Spark's own parsers, without a session."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import spark_grammars
from test_next_grammar import accepted, jars

from spark_iceberg_sql.model.runtime import minor_version, spark_versions
from spark_iceberg_sql.model.runtime.minor_version import Version
from spark_iceberg_sql.syntax.lexer import TRIVIA, Token, tokenize
from spark_iceberg_sql.syntax.script import statements
from spark_iceberg_sql.syntax.spark_grammar.recognizer import Recognizer, TooDeepError, grammar
from spark_iceberg_sql.syntax.spark_grammar.token_names import token_names

ROOT = Path(__file__).parents[2]
VERSIONS = [minor_version.text(version) for version in reversed(spark_grammars.VERSIONS)]
# Of 4.2 on, a `|` alone is a pipe if what follows looks like one; the automaton takes it wherever a pipe can be.
PIPES = (4, 2)
CHANGES = 4000


def texts() -> list[str]:
    """Statements of the documentation, of the rules' cases and of the benchmarks."""
    statement_texts = [
        statement.text for path in ROOT.glob("tests/**/*.sql") for statement in statements(path.read_text("utf-8"))
    ]
    for path in (*ROOT.glob("docs/**/*.md"), *ROOT.glob("spark_iceberg_sql/rules/sis*.py")):
        for block in re.findall(r"```sql[^\n]*\n(.*?)```", path.read_text("utf-8"), re.DOTALL):
            statement_texts += [statement.text for statement in statements(block)]
    return sorted({text for text in statement_texts if len(text) < 3000})


def changed(originals: list[str], seed: int) -> list[str]:
    """Statements with some tokens left out, put in, replaced or swapped."""
    rng = random.Random(seed)
    all_tokens = [[token.text for token in tokenize(text)] for text in originals]
    token_texts = [word for tokens in all_tokens for word in tokens if not word.isspace()]
    results = []
    for _ in range(CHANGES):
        tokens = list(rng.choice(all_tokens))
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            i, j = rng.randrange(len(tokens)), rng.randrange(len(tokens))
            change = rng.randrange(4)
            if change == 0 and len(tokens) > 1:
                del tokens[i]
            elif change == 1:
                tokens.insert(i, f" {rng.choice(token_texts)} ")
            elif change == 2:
                tokens[i] = f" {rng.choice(token_texts)} "
            else:
                tokens[i], tokens[j] = tokens[j], tokens[i]
        results.append("".join(tokens))
    return results


def tokens_of(text: str) -> list[Token]:
    return [token for token in tokenize(text) if token.kind not in TRIVIA]


def takes(version: Version, text: str) -> bool:
    spark_grammar = grammar(version)
    return Recognizer(spark_grammar, token_names(tokens_of(text), spark_grammar.texts)).stop() is None


@pytest.mark.parametrize("name", VERSIONS)
def test_the_file_is_what_the_command_writes(name: str) -> None:
    version = minor_version.parsed(name)
    jars(version)
    assert (spark_grammars.FOLDER / f"{name}.json").read_text("utf-8") == spark_grammars.file_text(version)


@pytest.mark.parametrize("name", VERSIONS)
def test_what_spark_takes_and_nothing_else(name: str) -> None:
    version, originals = minor_version.parsed(name), texts()
    statement_texts = [text for text in (*originals, *changed(originals, 1)) if "\x01" not in text and tokens_of(text)]
    # Before, Spark's lexer has no letters beyond ASCII, raw strings and paths.
    if version < (4, 0):
        statement_texts = [
            text for text in statement_texts if text.isascii() and not re.search(r"://|\br['\"]", text, re.IGNORECASE)
        ]
    if version >= PIPES:
        statement_texts = [text for text in statement_texts if "|" not in text]
    answers = accepted(version, statement_texts)
    assert sum(answers) > 500
    wrong = [
        text for text, is_accepted in zip(statement_texts, answers, strict=True) if takes(version, text) != is_accepted
    ]
    assert wrong == []


def test_brackets_in_brackets() -> None:
    spark_grammar = grammar(spark_versions.NEWEST)
    for depth, is_read in ((20, True), (2000, False)):
        names = token_names(tokens_of(f"SELECT {'(' * depth}1{')' * depth}"), spark_grammar.texts)
        if is_read:
            assert Recognizer(spark_grammar, names).stop() is None
        else:
            with pytest.raises(TooDeepError):
                Recognizer(spark_grammar, names).stop()
