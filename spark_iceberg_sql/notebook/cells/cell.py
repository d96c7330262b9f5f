"""A cell's SQL and its position in the cell: diagnostics on the cell's own lines, without secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Fix, Lines, Report, Severity, apply_edits
from spark_iceberg_sql.report import full
from spark_iceberg_sql.report.credentials import CREDENTIAL_CALL, MASK, SECRETS, credential_arguments, masks
from spark_iceberg_sql.report.edited_reports import shifted_offset
from spark_iceberg_sql.safe_output import visible
from spark_iceberg_sql.syntax.lexer import STRINGS, TRIVIA, tokenize
from spark_iceberg_sql.syntax.script import statements

_QUOTED = re.compile("['\"]")
_STRING = re.compile(r"(['\"])(.*?)\1")


@dataclass(frozen=True, slots=True)
class Cell:
    """The SQL of a magic.

    text: the SQL. prefix: the cell's text before it. name: the file name shown with positions in it.
    """

    text: str
    prefix: str = ""
    name: str = "cell"

    def report(self, diagnostics: Iterable[Diagnostic], count: int = 1) -> Report:
        """A report on the whole cell.

        diagnostics: with offsets into the SQL. count: the number of statements.
        """
        cell_text = self.prefix + self.text
        edits = _edits(cell_text, len(self.prefix))
        masked_text = apply_edits(cell_text, edits)
        lines = Lines(masked_text)
        shift, offset = partial(shifted_offset, edits=edits), len(self.prefix)
        placed = [
            replace(d, span=lines.span(shift(d.span.start + offset), shift(d.span.end + offset, end=True)))
            for d in diagnostics
        ]
        return Report(masked_text, tuple(sorted(placed, key=lambda d: d.span)), self.name, count, lines)

    def diagnostic(
        self, code: str, message: str, span: tuple[int, int], help: str | None = None, fix: Fix | None = None
    ) -> Diagnostic:
        """A diagnostic that comes from no rule: an error of Spark, or one about a variable.

        span: offsets into the SQL.
        """
        line_span = Lines(self.text).span(*span)
        return Diagnostic(code, code.lower(), Severity.ERROR, mask_message(message, self.text), line_span, help, fix)


def render_colored(report: Report) -> str:
    """A report in bold and colours, without red: front ends show errors on red, light or dark."""
    return full(report, color=True).replace("\x1b[1;31m", "\x1b[1m")


def mask_strings(text: str) -> str:
    """The text, with quoted strings hidden in each statement that may hold a secret."""
    return apply_edits(text, _edits(text, 0))


def has_secrets(text: str) -> bool:
    """True if a text may hold a credential."""
    return SECRETS.search(text) is not None or any(map(_secret_spans, _credential_calls(text)))


def mask_message(message: str, text: str) -> str:
    """A message without the strings of the SQL that may hold a secret."""
    if not has_secrets(text):
        return message
    for start, end in _secret_spans_in(text):
        if end - start >= 4:
            message = message.replace(text[start:end], MASK)
    return message


def mask_line(line: str, statement: str) -> str:
    """A line of Python without its strings, if it or the statement that it led to may hold a credential."""
    return _QUOTED.split(line, maxsplit=1)[0] + MASK if _may_hold_secret(line, statement) else line


def mask_stack(stack: str, text: str, lines: Iterable[str]) -> str:
    """A stack without what may be a credential. text: the SQL. lines: the user's lines of Python in it."""
    values = [text[start:end] for start, end in _secret_spans_in(text)] if has_secrets(text) else []
    suspicious_lines = (line for line in lines if _may_hold_secret(line, text))
    values += [match[2] for line in suspicious_lines for match in _STRING.finditer(line)]
    for value in sorted(values, key=len, reverse=True):
        for spelling in (value, repr(value)[1:-1], visible(value)):
            stack = stack.replace(spelling, MASK) if len(spelling) >= 4 else stack
    return stack


def _may_hold_secret(line: str, statement: str) -> bool:
    both = f"{line}\n{statement}"
    return _QUOTED.search(line) is not None and (SECRETS.search(both) or CREDENTIAL_CALL.search(both)) is not None


def _secret_spans_in(text: str) -> Iterator[tuple[int, int]]:
    for statement in statements(text):
        for start, end in _secret_spans(statement.text):
            yield statement.start + start, statement.start + end


def _edits(text: str, sql_start: int) -> list[Edit]:
    edits = []
    if has_secrets(text):
        for statement in statements(text[sql_start:]):
            if has_secrets(statement.text):
                offset = sql_start + statement.start
                edits += masks(text, ((offset + start, offset + end) for start, end in _secret_spans(statement.text)))
    return edits


def _credential_calls(text: str) -> list[str]:
    """The statements that call a table function which takes credentials."""
    return [s.text for s in statements(text) if CREDENTIAL_CALL.search(s.text)] if CREDENTIAL_CALL.search(text) else []


def _secret_spans(statement: str) -> list[tuple[int, int]]:
    """The spans of a statement's values that may be secret: its strings, and what SET assigns.

    If only a table function's call can hold a secret, these are the strings after the call's first positional
    argument.
    """
    tokens = [token for token in tokenize(statement) if token.kind not in TRIVIA]
    if SECRETS.search(statement) is None:
        return list(credential_arguments(tokens))
    if tokens and tokens[0].word == "SET" and "=" in statement:
        return [(statement.index("=") + 1, len(statement))]
    return [(t.start + 1, t.end - 1) for t in tokens if t.kind in STRINGS and t.end - t.start > 2]
