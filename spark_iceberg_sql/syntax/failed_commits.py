"""Commits that fail because of another writer's: Iceberg's messages, and what the statement has written."""

from __future__ import annotations

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.lexer import TokenKind
from spark_iceberg_sql.syntax.script import Statement, statements

EXCEPTIONS = "org.apache.iceberg.exceptions."
FAILED, UNKNOWN, INVALID = (
    f"{EXCEPTIONS}{name}" for name in ("CommitFailedException", "CommitStateUnknownException", "ValidationException")
)
# Of the ValidationExceptions, those that another writer's commit is the reason for.
CONFLICT = regex(
    r"(?:Found (?:new )?conflicting |Missing required files to delete|"
    r"Cannot commit, (?:missing data files|found new ))[^\n]*"
)
_TARGET_WORDS = ("INTO", "OVERWRITE", "UPDATE", "TABLE", "FROM")
_BEFORE_NAME = frozenset({"TABLE", "IF", "NOT", "EXISTS"})
_ONE_COMMIT = ("ALTER", "CREATE", "REPLACE", "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE")
_DDL = ("ALTER", "CREATE", "REPLACE")


def is_retryable(text: object) -> bool:
    """True if a text that met a conflict is one DDL statement. A script's earlier statements would run twice."""
    return single_first_word(text) in _DDL


def outcome(text: object) -> tuple[str, str]:
    """What a statement has written whose commit failed, and what to do. FROM, WITH, BEGIN and CALL may commit often.

    text: the statement; None for a writer of a DataFrame.
    """
    word = single_first_word(text)
    if text is None or word in _ONE_COMMIT:
        return "nothing was written", "run the statement again"
    if word == "CALL":
        return "what it committed before stays", "run it again: it goes on with the rest"
    return "earlier parts of the statement may have been written", "look at what they wrote before you run it again"


def single_first_word(text: object) -> str:
    """The first word of a text of one statement; empty for any other text."""
    script = statements(text) if isinstance(text, str) else []
    return script[0].first if len(script) == 1 else ""


def target(statement: Statement) -> tuple[str, ...]:
    """The table that a statement other than CALL changes, as it is written; empty if that is not a name."""
    tokens = statement.tokens
    words = _TARGET_WORDS if statement.first in _ONE_COMMIT else ("INTO", "OVERWRITE")
    start = next((i + 1 for i, token in enumerate(tokens) if token.word in words), len(tokens))
    while start < len(tokens) and tokens[start].word in _BEFORE_NAME:
        start += 1
    parts: list[str] = []
    while start < len(tokens) and tokens[start].kind in (TokenKind.WORD, TokenKind.QUOTED):
        parts.append(tokens[start].text.strip("`").replace("``", "`"))
        if start + 1 >= len(tokens) or tokens[start + 1].text != ".":
            break
        start += 2
    return tuple(parts)
