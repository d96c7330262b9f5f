"""Which tables a statement writes, so that one of a copied folder is refused before Spark has it.

`attach` names one table, and with it the catalog over the folder above: a copy beside it has a name, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.spark.bridge import jvm
from spark_iceberg_sql.spark.tables import ownership
from spark_iceberg_sql.syntax.lexer import Kind, Token, statements

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HEAD = 4_000  # letters; rows may follow for megabytes, and the table stands in front of them
_WORDS = ("insert", "delete", "update", "merge", "truncate", "purge", "call")
_WRITES = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
# The words in front of a table that is written; between them and its name, TABLE and IF EXISTS may stand.
_BEFORE = (
    ("INSERT", "INTO"),
    ("INSERT", "OVERWRITE"),
    ("DELETE", "FROM"),
    ("MERGE", "INTO"),
    ("TRUNCATE", "TABLE"),
    ("DROP", "TABLE"),
    ("UPDATE",),
)


def may_write(text: str) -> bool:
    """Whether a statement has one of the words in front of a table that is written."""
    return _WRITES.search(text[:_HEAD]) is not None


def refuse_copies(spark: SparkSession, text: str, args: Any) -> None:
    """Raise IcebergSqlError where a statement writes a Hadoop table whose metadata says another place.

    args: values of its parameters, as of `spark.sql`.
    """
    if not may_write(text):
        return
    with jvm.active(spark):
        for name in written(text[:_HEAD], args):
            ownership.refuse_moved_table(name, hadoop_only=True)


def written(text: str, args: Any = None) -> Iterator[str]:
    """The names of the tables that a statement writes, as it writes them; of a CALL, what may be one."""
    values = list(args.values() if isinstance(args, dict) else args or ())
    texts = [value for value in values if isinstance(value, str)]
    found = statements(text)
    if len(found) != 1:
        return
    tokens = found[0].tokens
    if tokens[0].word == "CALL":
        catalog = tokens[1].text if len(tokens) > 2 and tokens[2].text == "." else None
        literals = [token.text[1:-1] for token in tokens if token.kind is Kind.STRING]
        for name in literals + texts:
            yield name
            if catalog is not None:
                yield f"{catalog}.{name}"
        return
    drops = tokens[0].word == "DROP"
    if drops and tokens[-1].word != "PURGE":
        return
    for at in range(len(tokens)):
        words = tuple(token.word for token in tokens[at : at + 2])
        for before in _BEFORE:
            if words[: len(before)] == before and (before[0] != "DROP" or drops):
                name = _name(tokens, at + len(before))
                if name.upper() == "IDENTIFIER":
                    yield from texts
                    yield from (t.text[1:-1] for t in tokens if t.kind is Kind.STRING)
                elif name.upper() not in ("", "SET"):  # MERGE ... WHEN MATCHED THEN UPDATE SET
                    yield name


def _name(tokens: list[Token], at: int) -> str:
    while at < len(tokens) and tokens[at].word in ("TABLE", "IF", "EXISTS"):
        at += 1
    parts: list[str] = []
    while at < len(tokens) and tokens[at].kind in (Kind.WORD, Kind.QUOTED):
        parts.append(tokens[at].text)
        if at + 1 >= len(tokens) or tokens[at + 1].text != ".":
            break
        at += 2
    return ".".join(parts)
