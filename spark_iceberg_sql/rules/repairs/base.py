"""The site of a syntax error and the trial parse of a repair, for all repairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.transforms import DATE, HASH
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.syntax import nodes, parser
from spark_iceberg_sql.syntax.brackets import closing
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import Token
from spark_iceberg_sql.syntax.script import statements


class Repair(NamedTuple):
    """A repair. help: what to write. edits: how. message: the fact, if it is more specific than the grammar error.

    is_complete: true if the edits keep all of the statement's content; otherwise only the help is offered.
    """

    help: str
    edits: tuple[Edit, ...]
    message: str | None = None
    whole: bool = True


# Keywords of partition DDL, for matching typos.
KEYWORDS =(
    "PARTITION", "PARTITIONED", "FIELD", "USING", "COLUMN", "REPLACE", "RENAME", "COMMENT",
    "TBLPROPERTIES", "LOCATION", "WITH", "TYPE", "TABLE",
)  # fmt: skip
VERBS = frozenset({"ALTER", "CREATE", "DROP", "INSERT", "SELECT", "MERGE", "DELETE", "UPDATE"})
# Words that begin a clause after the columns.
CLAUSES = frozenset(
    {
        "USING",
        "TBLPROPERTIES",
        "COMMENT",
        "LOCATION",
        "AS",
        "WITH",
        "OPTIONS",
        "CLUSTERED",
        "STORED",
    }
    | {"ROW", "PARTITION", "PARTITIONED", "PARTITIONING", "SELECT", "TO"}
)
# Keywords between the first word of a clause and its fields.
BETWEEN = frozenset(
    {
        "PARTITION",
        "PARTITIONED",
        "PARTITIONING",
        "PARTITIONED_BY",
        "FIELD",
        "FIELDS",
        "COLUMN",
        "COLUMNS",
    }
    | {"BY", "ON", "SPEC", "=", "ARRAY", "IF", "NOT", "EXISTS", "SET", "PROPERTIES"}
)


def own_names(context: Context, node: nodes.Unreadable) -> dict[str, str]:
    """Values for a generic help: the field and its new name, and terms over the table's columns."""
    words = [token.text.upper() for token in context.statement.tokens]
    rest = context.statement.tokens[words.index("FIELD") + 1 :] if "FIELD" in words else ()
    names = [
        t.text for t in rest if t.text.upper() not in BETWEEN and t.text.upper() not in CLAUSES
    ]
    terms = _examples(context, node) or ["days(ts)", "bucket(16, id)"]
    return {
        "old": _first_term(rest) or "...",
        "new": names[1] if len(names) > 1 else "...",
        "field": terms[0],
        "fields": ", ".join(terms),
    }


def _first_term(tokens: Sequence[Token]) -> str:
    """The first column or transform, as written."""
    if not tokens or tokens[0].text.upper() in BETWEEN | CLAUSES:
        return ""
    call = len(tokens) > 1 and tokens[1].text == "("
    last = min(closing(tokens, 1), len(tokens) - 1) if call else 0
    return "".join(f"{t.text} " if t.text == "," else t.text for t in tokens[: last + 1])


def _examples(context: Context, node: nodes.Unreadable) -> list[str]:
    """A time transform and a bucket over the first columns that accept them."""
    known = context.known.get(node.table.parts) if node.table is not None else None
    columns: list[tuple[str, object]] = []
    if node.begun is not None and node.begun.columns:
        columns = [(column.name, column.type) for column in node.begun.columns]
    elif isinstance(known, Table) and known.schema is not None:
        columns = [(field.name, field.type) for field in known.schema.fields]
    found: list[str] = []
    for transform in (DATE, HASH):
        fit = (
            name for name, kind in columns if isinstance(kind, Primitive) and transform.takes(kind)
        )
        taken = [field.rstrip(")").split()[-1].rpartition("(")[2] for field in found]
        name = next((quoted(n) for n in fit if quoted(n) not in taken), None)
        if name is not None:
            found.append(transform.clause(name))
    return found


class Spot(NamedTuple):
    """Site of a syntax error: the statement's tokens, also as keywords, and the offending token's index."""

    context: Context
    node: nodes.Unreadable
    tokens: Sequence[Token]
    words: Sequence[str]
    at: int

    @property
    def table(self) -> str:
        """The statement's table as written; `t` if it could not be parsed."""
        return self.node.table.text if self.node.table is not None else "t"

    def text(self, start: int, end: int) -> str:
        """The text between two offsets."""
        return self.context.text[start:end]


def reads(context: Context, edits: Sequence[Edit]) -> bool:
    """True if the edited statement, or statements, parse as DDL."""
    start, end = context.statement.start, context.statement.end
    text, at = "", start
    for edit in sorted(edits, key=lambda e: e.start):
        text += context.text[at : edit.start] + edit.text
        at = edit.end
    made = [parser.read(statement) for statement in statements(text + context.text[at:end])]
    unread = (nodes.Unreadable, nodes.Other, nodes.Templated)
    return bool(made) and not any(isinstance(n, unread) for n in made)


def region(spot: Spot, first: int) -> tuple[int, int]:
    """The range of tokens that list fields, from the word at `first` on: start, and end (exclusive)."""
    i = first
    while i < len(spot.words) and spot.words[i] in BETWEEN:
        i += 1
    depth, end = 0, i
    while end < len(spot.words):
        word = spot.words[end]
        if depth == 0 and end > i and (word in CLAUSES or word in VERBS):
            break
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(word, 0)
        end += 1
        if depth < 0:
            return i, end - 1
        if depth == 0 and spot.words[i] in ("(", "["):
            break
    return i, end


def index_of(spot: Spot, *words: str) -> int | None:
    """The index of the first token that is one of the keywords."""
    return next((i for i, word in enumerate(spot.words) if word in words), None)
