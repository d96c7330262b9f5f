"""The tables that a statement writes to, so that writes to a copied table are refused before Spark runs them.

`attach` names one table, and thereby a catalog for the parent folder, in which a copy next to it has a name, too. Names
that a statement computes (an argument of CALL, the text of EXECUTE IMMEDIATE, IDENTIFIER) are evaluated by Spark; those
that cannot be evaluated outside their script may be any string in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.spark.bridge import jvm
from spark_iceberg_sql.spark.tables import ownership
from spark_iceberg_sql.syntax.brackets import between_commas, closing
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind, Token, statements
from spark_iceberg_sql.syntax.literals import unescape

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_HEAD = 4_000  # letters; rows may follow for megabytes, and the table stands in front of them
_WORDS = (
    *("insert", "delete", "update", "merge", "truncate", "purge", "call", "alter", "immediate"),
    *("begin", "replace"),
)
_WRITES = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b(?!(?<=replace)\s*\()", re.IGNORECASE)
_ROWS = re.compile(r"\s*insert\b", re.IGNORECASE)
# The words in front of a table that is written; between them and its name, TABLE and IF EXISTS may stand.
_BEFORE = (
    ("INSERT", "INTO"),
    ("INSERT", "OVERWRITE"),
    ("DELETE", "FROM"),
    ("MERGE", "INTO"),
    ("TRUNCATE", "TABLE"),
    ("REPLACE", "TABLE"),
    ("ALTER", "TABLE"),
    ("DROP", "TABLE"),
    ("UPDATE",),
)
_DEEPEST = 4  # EXECUTE IMMEDIATE of EXECUTE IMMEDIATE of ...

# The strings that an expression may give; none where it cannot be asked, or gives something else.
Ask = Callable[[str], Sequence[str]]


def may_write(text: str) -> bool:
    """Whether a statement has one of the keywords that precede a table to be written."""
    head = _head(text)
    low = head.lower()  # plain searches are much faster, on texts that may be long
    return any(word in low for word in _WORDS) and _WRITES.search(head) is not None


def _head(text: str) -> str:
    """The part of a statement that names its table: the rows of an INSERT follow it."""
    return text[:_HEAD] if _ROWS.match(text) else text


def refuse_copies(spark: SparkSession, text: str, args: Any, sql: Callable[..., DataFrame]) -> None:
    """Raise IcebergSqlError if a statement writes to a Hadoop table whose metadata refers to another location.

    args: values of its parameters, as of `spark.sql`. sql: the session's own, past the gate.
    """
    if not may_write(text):
        return

    def ask(expression: str) -> Sequence[str]:
        try:
            with jvm.quietly():
                value = sql(f"SELECT {expression}", args).collect()[0][0]
        except Exception:  # Spark says so of the statement itself
            return ()
        return (value,) if isinstance(value, str) else ()

    with jvm.active(spark):
        for name in dict.fromkeys(written(_head(text), ask)):
            ownership.refuse_moved_table(name, hadoop_only=True)


def written(text: str, ask: Ask, depth: int = 0) -> Iterator[str]:
    """The names of the tables that a statement writes to, as written; for computed names, the possible ones."""
    found = statements(text)
    if len(found) != 1 or depth > _DEEPEST:
        return
    tokens = found[0].tokens
    if tokens[0].word != "BEGIN":
        yield from _written(text, tokens, ask, depth)
        return
    strings = [_content(token) for token in tokens if token.kind in STRINGS]
    for inside in _inside(tokens):
        yield from _written(text, inside, lambda expression: ask(expression) or strings, depth)


def _inside(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The statements between the semicolons of a script, from each verb on: after THEN, DO, ELSE and so on."""
    start = 0
    for at, token in enumerate(tokens):
        if token.text == ";" or at == len(tokens) - 1:
            piece = list(tokens[start:at])
            yield from (piece[i:] for i, word in enumerate(piece) if word.word in _VERBS)
            start = at + 1


_VERBS = frozenset(
    {before[0] for before in _BEFORE} | {"CALL", "EXECUTE", "CREATE", "WITH", "FROM"}
)


def _written(text: str, tokens: Sequence[Token], ask: Ask, depth: int) -> Iterator[str]:
    if not tokens:
        return
    if tokens[0].word == "CALL":
        catalogs, at = _catalogs(text, tokens, ask)
        for name in _values(text, _arguments(tokens[at:]), ask):
            yield name
            yield from (f"{catalog}.{name}" for catalog in catalogs)
        return
    if [token.word for token in tokens[:2]] == ["EXECUTE", "IMMEDIATE"]:
        ends = [i for i, token in enumerate(tokens) if token.word in ("INTO", "USING")]
        body = tokens[2 : ends[0] if ends else len(tokens)]
        given = list(_values(text, between_commas(tokens[ends[0] + 1 :]) if ends else [], ask))
        for inner in _values(text, [body], ask):
            yield from written(inner, lambda expression: ask(expression) or given, depth + 1)
        return
    drops = tokens[0].word == "DROP"
    if drops and tokens[-1].word != "PURGE":
        return
    for at in range(len(tokens)):
        words = tuple(token.word for token in tokens[at : at + 2])
        for before in _BEFORE:
            if words[: len(before)] == before and (before[0] not in ("DROP", "ALTER") or at == 0):
                yield from _target(text, tokens, at + len(before), ask)


def _catalogs(text: str, tokens: Sequence[Token], ask: Ask) -> tuple[list[str], int]:
    """The catalogs that a CALL may name, and where its arguments are: its name, too, may be an IDENTIFIER(...)."""
    names: list[str] = []
    at = 1
    while at < len(tokens) and tokens[at].text != "(":
        if (
            tokens[at].word == "IDENTIFIER"
            and tokens[at + 1 : at + 2]
            and tokens[at + 1].text == "("
        ):
            if at == 1:
                names = list(_values(text, _arguments(tokens[at:]), ask))
            at = closing(tokens, at + 1)
        elif at == 1 and len(tokens) > 2 and tokens[2].text == ".":
            names = [tokens[1].text]
        at += 1
    # `a.system.expire_snapshots` is in the catalog `a`, and `a` may be one, too.
    return [
        *dict.fromkeys(
            part for n in names for part in (n, n.rpartition(".")[0].rpartition(".")[0]) if part
        )
    ], at


def _target(text: str, tokens: Sequence[Token], at: int, ask: Ask) -> Iterator[str]:
    """The table after its keywords."""
    while at < len(tokens) and tokens[at].word in ("TABLE", "IF", "EXISTS"):
        at += 1
    if at < len(tokens) and tokens[at].word == "IDENTIFIER":
        yield from _values(text, _arguments(tokens[at:]), ask)
        return
    parts: list[str] = []
    while at < len(tokens) and tokens[at].kind in (Kind.WORD, Kind.QUOTED):
        parts.append(tokens[at].text)
        if at + 1 >= len(tokens) or tokens[at + 1].text != ".":
            break
        at += 2
    if parts and parts != ["SET"]:  # MERGE ... WHEN MATCHED THEN UPDATE SET
        yield ".".join(parts)


def _arguments(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """The arguments of the first call, without their names."""
    opened = next((i for i, token in enumerate(tokens) if token.text == "("), len(tokens))
    end = closing(tokens, opened)
    inside = tokens[opened + 1 : end] if end < len(tokens) else ()
    return [_unnamed(argument) for argument in between_commas(inside)]


def _unnamed(argument: Sequence[Token]) -> Sequence[Token]:
    """The value of `name => value`, which may be two tokens."""
    for at in range(1, min(3, len(argument))):
        if argument[at].text in ("=>", ">"):
            return argument[at + 1 :]
    return argument


def _values(text: str, expressions: Sequence[Sequence[Token]], ask: Ask) -> Iterator[str]:
    """The string values of expressions; for one that cannot be evaluated, the strings in it."""
    for tokens in expressions:
        if not tokens:
            continue
        if len(tokens) == 1 and tokens[0].text.startswith("'") and "\\" not in tokens[0].text:
            yield _content(tokens[0])
            continue
        there = [_content(token) for token in tokens if token.kind in STRINGS]
        yield from ask(text[tokens[0].start : tokens[-1].end]) or there


def _content(token: Token) -> str:
    return unescape(token.text)
