"""A cell's SQL and its place in the cell: findings are shown on the cell's own lines, without secrets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Lines, Report, Severity
from spark_iceberg_sql.report.shown import CALL, HIDDEN, SECRETS, applied, moved, unnamed
from spark_iceberg_sql.syntax.lexer import STRINGS, TRIVIA, tokenize
from spark_iceberg_sql.syntax.script import statements


@dataclass(frozen=True, slots=True)
class Cell:
    """The SQL of a magic.

    text: the SQL. before: what stands before it in the notebook's cell. name: what places in it are said to be in.
    """

    text: str
    before: str = ""
    name: str = "cell"

    def report(self, found: Iterable[Diagnostic], count: int = 1) -> Report:
        """Findings with offsets into the SQL, as a report on the whole cell. count: how many statements it has."""
        whole = self.before + self.text
        edits = _edits(whole, len(self.before))
        shown = applied(whole, edits)
        lines = Lines(shown)
        placed = []
        for d in found:
            start = moved(d.span.start + len(self.before), edits)
            end = moved(d.span.end + len(self.before), edits, end=True)
            placed.append(replace(d, span=lines.span(start, end)))
        placed.sort(key=lambda d: d.span)
        return Report(shown, tuple(placed), self.name, count, lines)

    def finding(
        self,
        code: str,
        message: str,
        span: tuple[int, int],
        help: str | None = None,
        fix: Fix | None = None,
    ) -> Diagnostic:
        """A finding that is none of a rule: Spark's own, or one about a variable. span: offsets into the SQL."""
        place = Lines(self.text).span(*span)
        return Diagnostic(
            code, code.lower(), Severity.ERROR, masked_words(message, self.text), place, help, fix
        )


def masked(text: str) -> str:
    """The text with the quoted strings of each statement that may hold a secret hidden."""
    return applied(text, _edits(text, 0))


def has_secrets(text: str) -> bool:
    """Whether a text may hold a credential."""
    return SECRETS.search(text) is not None or any(map(_hidden, _calls_in(text)))


def masked_words(message: str, text: str) -> str:
    """A message without the strings of a text that may hold a secret."""
    if not has_secrets(text):
        return message
    for statement in statements(text):
        for start, end in _hidden(statement.text):
            value = statement.text[start:end]
            if len(value) >= 4:
                message = message.replace(value, HIDDEN)
    return message


def _edits(text: str, begin: int) -> list[Edit]:
    edits = []
    if has_secrets(text):
        for statement in statements(text[begin:]):
            if has_secrets(statement.text):
                at = begin + statement.start
                edits += [
                    Edit(at + start, at + end, HIDDEN) for start, end in _hidden(statement.text)
                ]
    return edits


def _calls_in(text: str) -> list[str]:
    """The statements that call a table function which takes credentials."""
    return [s.text for s in statements(text) if CALL.search(s.text)] if CALL.search(text) else []


def _hidden(statement: str) -> list[tuple[int, int]]:
    """Where the values of a statement are that may be secret: its strings, and what SET assigns.

    Where nothing but a table function's call could hold one, that is each string behind the call's first
    argument that has no name.
    """
    tokens = [token for token in tokenize(statement) if token.kind not in TRIVIA]
    if SECRETS.search(statement) is None:
        return list(unnamed(tokens))
    if tokens and tokens[0].word == "SET" and "=" in statement:
        return [(statement.index("=") + 1, len(statement))]
    return [(t.start + 1, t.end - 1) for t in tokens if t.kind in STRINGS and t.end - t.start > 2]
