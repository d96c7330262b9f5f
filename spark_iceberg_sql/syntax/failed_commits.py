"""Commits that fail because of another writer's: Iceberg's messages, and what the statement has written."""

from __future__ import annotations

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.syntax import nodes, parser
from spark_iceberg_sql.syntax.identifiers import qualified_name
from spark_iceberg_sql.syntax.lexer import NAME_KINDS
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


def conflict_sentence(subject: str, other: str, text: object, reason: str) -> tuple[str, str]:
    """The fact and the help of a commit that another writer's made fail.

    subject: the table. other: the other commit; empty if it is unknown. text: the statement. reason: Iceberg's message.
    """
    result, help_ = outcome(text)
    commit = f" ({other})" if other else ""
    detail = f" (Iceberg: {reason.rstrip('.')})" if reason else ""
    return f"{subject} was changed by another writer while the statement ran{commit}; {result}{detail}", help_


def unknown_sentence(name: tuple[str, ...], reason: str) -> tuple[str, str]:
    """The fact and the help of a commit whose outcome is unknown. name: the table's; empty if it is unknown, too."""
    subject = f"`{qualified_name(name)}`" if name else "the table"
    # Without its namespace no query finds them.
    snapshots = f"{qualified_name(name)}.snapshots" if len(name) > 1 else "its snapshots"
    fact = f"whether the commit to {subject} has succeeded is unknown: {reason}"
    return fact, f"look at {snapshots} before you run it again"


def single_first_word(text: object) -> str:
    """The first word of a text of one statement; empty for any other text."""
    script = statements(text) if isinstance(text, str) else []
    return script[0].first if len(script) == 1 else ""


def target(statement: Statement) -> tuple[str, ...]:
    """The table that a statement changes, as it is written; empty if that is not a name."""
    if statement.first == "CALL":
        return _target_of_call(statement)
    tokens = statement.tokens
    words = _TARGET_WORDS if statement.first in _ONE_COMMIT else ("INTO", "OVERWRITE")
    start = next((i + 1 for i, token in enumerate(tokens) if token.word in words), len(tokens))
    while start < len(tokens) and tokens[start].word in _BEFORE_NAME:
        start += 1
    parts: list[str] = []
    while start < len(tokens) and tokens[start].kind in NAME_KINDS:
        parts.append(tokens[start].text.strip("`").replace("``", "`"))
        if start + 1 >= len(tokens) or tokens[start + 1].text != ".":
            break
        start += 2
    return tuple(parts)


def _target_of_call(statement: Statement) -> tuple[str, ...]:
    node = parser.parse(statement)
    if not isinstance(node, nodes.Call):
        return ()
    tables = [argument.value for argument in node.arguments[:1] if argument.name in ("", "table")]
    tables += [argument.value for argument in node.arguments if argument.name == "table"]
    parts = split_name(tables[0]) if tables and tables[0] else ()
    return (*node.catalog, *parts) if node.catalog and len(parts) == 2 else parts
