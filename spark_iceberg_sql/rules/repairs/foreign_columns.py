"""Repairs of columns as another engine defines them: their types (`int[]`), and options that Spark does not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spark_iceberg_sql.diagnostics import Edit, apply_edits
from spark_iceberg_sql.rules.repairs.syntax_error_site import CLAUSES, Repair, SyntaxErrorSite
from spark_iceberg_sql.rules.spark_types import precision_note, read_type
from spark_iceberg_sql.safe_output import code
from spark_iceberg_sql.syntax import nodes, parser
from spark_iceberg_sql.syntax.brackets import closing_index, opening_index
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, Token, TokenKind
from spark_iceberg_sql.syntax.script import statements

_MOST_COLUMNS = 200
_MOST_TOKENS = 5000  # each column's repair reads the statement once more
_MOST_IN_HELP = 3
# An option's words, and the number of tokens after them that belong to it, but for those in parentheses.
_OPTIONS = {
    ("AUTO_INCREMENT",): 0,
    ("AUTOINCREMENT",): 0,
    ("IDENTITY",): 0,
    ("DISTKEY",): 0,
    ("SORTKEY",): 0,
    ("ENCODE",): 1,
    ("CODEC",): 0,
    ("CHARACTER", "SET"): 1,
    ("CHARSET",): 1,
}
_NAMES = NAME_KINDS


class _Change(NamedTuple):
    """What stands in a column's place.

    first, last: the tokens it replaces. help: the clause to write. is_lossy: it has no place for a string among them,
    such as the values of an ENUM.
    """

    first: int
    last: int
    text: str
    help: str
    message: str
    is_lossy: bool = False


def foreign_columns(site: SyntaxErrorSite) -> Iterator[Repair]:
    """Each type or option at which the parser stops, one after another, as Spark has it."""
    if len(site.tokens) > _MOST_TOKENS:
        return
    start, end = site.context.statement.start, site.context.statement.end
    tokens: Sequence[Token] = site.tokens
    index, offset = site.token_index, 0  # offset: of a token's place in the text as it is from that in the edited one
    edits: list[Edit] = []
    changes: list[_Change] = []
    while len(changes) < _MOST_COLUMNS:
        change = _type_at(tokens, index) or _option_at(tokens, index)
        if change is None:
            return
        changes.append(change)
        first, last = tokens[change.first], tokens[change.last]
        edits.append(Edit(first.start + offset, last.end + offset, change.text))
        edited = apply_edits(site.context.text[:end], edits)[start:]
        statement = statements(edited)[0]
        node = parser.parse(statement)
        if not isinstance(node, nodes.InvalidStatement):
            break
        shift = sum(len(edit.text) - (edit.end - edit.start) for edit in edits)
        tokens, offset = statement.tokens, start - shift
        next_index = next((i for i, token in enumerate(tokens) if token.start >= node.error_span[0]), len(tokens))
        if next_index >= len(tokens) or tokens[next_index].start + offset < edits[-1].end:
            return
        index = next_index
    helps = [change.help for change in changes[:_MOST_IN_HELP]]
    rest = "; the others alike" if len(changes) > _MOST_IN_HELP else ""
    message = None if site.node.error_kind else changes[0].message  # a known kind has its own
    yield Repair("; ".join(helps) + rest, tuple(edits), message, is_complete=not any(c.is_lossy for c in changes))


def _type_at(tokens: Sequence[Token], index: int) -> _Change | None:
    """The type that the parser cannot read beyond a token: `double precision`, `int[]`, `vector<float, 3>`."""
    first = index - 1
    if first >= 0 and tokens[first].text == ")":
        first = opening_index(tokens, first) - 1
    elif first >= 0 and tokens[first].text in ("(", "<"):
        first -= 1
    if first < 2 or index >= len(tokens) or tokens[first].kind is not TokenKind.WORD or not _is_type(tokens, first):
        return None
    spark, end = read_type(tokens, first)
    if end <= index:
        return None
    name = tokens[first - 1] if tokens[first - 1].kind in _NAMES else None
    column = f"{name.text} " if name is not None and name.word not in ("TYPE", "COLUMN") else ""
    written = _written(tokens, first, end)
    help_ = f"write {code(f'{column}{spark}')}{precision_note(written)}"
    is_lossy = any(token.kind is TokenKind.STRING for token in tokens[first:end])
    return _Change(first, end - 1, spark, help_, f"Spark has no type `{written}`", is_lossy)


def _written(tokens: Sequence[Token], start: int, end: int) -> str:
    """Tokens as they are written, on one line and without comments."""
    return "".join(
        token.text if place == start or token.start == tokens[place - 1].end else f" {token.text}"
        for place, token in enumerate(tokens[start:end], start)
    )


def _is_type(tokens: Sequence[Token], index: int) -> bool:
    """True if a column's type is expected at a token: in a list of columns, in a type, or after TYPE."""
    depth, clauses = 0, set()
    for token in tokens[:index]:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0:
            clauses.add(token.word)
    previous, before = tokens[index - 1], tokens[index - 2]
    if clauses & CLAUSES:
        return False
    is_named = previous.kind in _NAMES and (before.text in ("(", ",") or before.word in ("ADD", "COLUMN"))
    return is_named or previous.word == "TYPE" or previous.text in ("<", ":") or "<" in [t.text for t in tokens[:index]]


def _option_at(tokens: Sequence[Token], index: int) -> _Change | None:
    """An option of a column that only other engines have."""
    for words, count in _OPTIONS.items():
        if [token.word for token in tokens[index : index + len(words)]] == [*words]:
            last = index + len(words) - 1 + count
            if last + 1 < len(tokens) and tokens[last + 1].text == "(":
                last = closing_index(tokens, last + 1)
            if last >= len(tokens):
                return None
            written = _written(tokens, index, last + 1)
            return _Change(index, last, "", f"leave out `{written}`", f"`{written}` is another engine's syntax")
    return None
