"""The site of a syntax error and the trial parse of a repair, for all repairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spark_iceberg_sql.diagnostics import Edit, apply_edits
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.transforms import DATE, HASH
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.syntax import nodes, parser
from spark_iceberg_sql.syntax.brackets import closing_index
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
    is_complete: bool = True


# Keywords of partition DDL, for matching typos.
KEYWORDS =(
    "PARTITION", "PARTITIONED", "FIELD", "USING", "COLUMN", "REPLACE", "RENAME", "COMMENT",
    "TBLPROPERTIES", "LOCATION", "WITH", "TYPE", "TABLE",
)  # fmt: skip
VERBS = frozenset({"ALTER", "CREATE", "DROP", "INSERT", "SELECT", "MERGE", "DELETE", "UPDATE"})
# Words that begin a clause after the columns.
CLAUSES = frozenset(
    {"USING", "TBLPROPERTIES", "COMMENT", "LOCATION", "AS", "WITH", "OPTIONS", "CLUSTERED", "STORED"}
    | {"ROW", "PARTITION", "PARTITIONED", "PARTITIONING", "SELECT", "TO"}
)
# Keywords between the first word of a clause and its fields.
LEADING_WORDS = frozenset(
    {"PARTITION", "PARTITIONED", "PARTITIONING", "PARTITIONED_BY", "FIELD", "FIELDS", "COLUMN", "COLUMNS"}
    | {"BY", "ON", "SPEC", "=", "ARRAY", "IF", "NOT", "EXISTS", "SET", "PROPERTIES"}
)


def help_values(context: Context, node: nodes.InvalidStatement) -> dict[str, str]:
    """Values for a generic help: the field and its new name, and terms over the table's columns."""
    keywords = [token.text.upper() for token in context.statement.tokens]
    following_tokens = context.statement.tokens[keywords.index("FIELD") + 1 :] if "FIELD" in keywords else ()
    names = [t.text for t in following_tokens if t.text.upper() not in LEADING_WORDS and t.text.upper() not in CLAUSES]
    terms = _examples(context, node) or ["days(ts)", "bucket(16, id)"]
    return {
        "old": _first_term(following_tokens) or "...",
        "new": names[1] if len(names) > 1 else "...",
        "field": terms[0],
        "fields": ", ".join(terms),
    }


def _first_term(tokens: Sequence[Token]) -> str:
    """The first column or transform, as written."""
    if not tokens or tokens[0].text.upper() in LEADING_WORDS | CLAUSES:
        return ""
    is_call = len(tokens) > 1 and tokens[1].text == "("
    last = closing_index(tokens, 1) if is_call else 0
    return "".join(f"{t.text} " if t.text == "," else t.text for t in tokens[: last + 1])


def _examples(context: Context, node: nodes.InvalidStatement) -> list[str]:
    """A time transform and a bucket over the first columns that accept them."""
    table = context.catalog.get(node.table.parts) if node.table is not None else None
    columns: list[tuple[str, object]] = []
    if node.partial_create is not None and node.partial_create.columns:
        columns = [(column.name, column.type) for column in node.partial_create.columns]
    elif isinstance(table, Table) and table.schema is not None:
        columns = [(field.name, field.type) for field in table.schema.fields]
    clauses: list[str] = []
    for transform in (DATE, HASH):
        candidates = (
            name for name, data_type in columns if isinstance(data_type, Primitive) and transform.takes(data_type)
        )
        used_columns = [field.rstrip(")").split()[-1].rpartition("(")[2] for field in clauses]
        name = next((quoted(n) for n in candidates if quoted(n) not in used_columns), None)
        if name is not None:
            clauses.append(transform.clause(name))
    return clauses


class SyntaxErrorSite(NamedTuple):
    """Site of a syntax error: the statement's tokens, also as keywords, and the offending token's index."""

    context: Context
    node: nodes.InvalidStatement
    tokens: Sequence[Token]
    keywords: Sequence[str]
    token_index: int

    @property
    def table(self) -> str:
        """The statement's table as written; `t` if it could not be parsed."""
        return self.node.table.text if self.node.table is not None else "t"

    def text(self, start: int, end: int) -> str:
        """The text between two offsets."""
        return self.context.text[start:end]


def parses(context: Context, edits: Sequence[Edit]) -> bool:
    """True if the edited statement, or statements, parse as DDL."""
    start, end = context.statement.start, context.statement.end
    parsed_nodes = [parser.parse(statement) for statement in statements(apply_edits(context.text[:end], edits)[start:])]
    invalid_types = (nodes.InvalidStatement, nodes.Other, nodes.Templated)
    return bool(parsed_nodes) and not any(isinstance(n, invalid_types) for n in parsed_nodes)


def field_list_range(site: SyntaxErrorSite, first: int) -> tuple[int, int]:
    """The range of tokens that list fields, from the word at `first` on: start, and end (exclusive)."""
    i = first
    while i < len(site.keywords) and site.keywords[i] in LEADING_WORDS:
        i += 1
    depth, end = 0, i
    while end < len(site.keywords):
        word = site.keywords[end]
        if depth == 0 and end > i and (word in CLAUSES or word in VERBS):
            break
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(word, 0)
        end += 1
        if depth < 0:
            return i, end - 1
        if depth == 0 and site.keywords[i] in ("(", "["):
            break
    return i, end


def index_of(site: SyntaxErrorSite, *keywords: str) -> int | None:
    """The index of the first token that is one of the keywords."""
    return next((i for i, word in enumerate(site.keywords) if word in keywords), None)
