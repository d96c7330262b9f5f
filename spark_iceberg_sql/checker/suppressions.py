"""Comments that suppress findings: `noqa`, `iceberg-sql: ignore[...]`, `skip-file`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Lines
from spark_iceberg_sql.rules import ALL
from spark_iceberg_sql.syntax.lexer import Kind, Token, tokenize
from spark_iceberg_sql.syntax.terms import Offsets

_MENTIONED = re.compile(r"noqa|iceberg-sql:", re.IGNORECASE)
_CODES = r"[A-Z]+[0-9]*(?:[\s,]+[A-Z]+[0-9]+)*"
_NOQA = re.compile(
    rf"(?:--|/\*)\s*noqa(?P<listed>\s*:\s*(?P<codes>{_CODES}))?(?![\w:])", re.IGNORECASE
)
_IGNORE = re.compile(
    r"(?:--|/\*)\s*iceberg-sql:\s*ignore\s*(?:\[(?P<codes>[^\]]*)\])?", re.IGNORECASE
)
_SKIP = re.compile(r"(?:--|/\*)\s*iceberg-sql:\s*skip-file\b", re.IGNORECASE)
_CODE = re.compile(r"[A-Za-z]+[0-9]*")
_OURS = frozenset(rule.code for rule in ALL)


@dataclass(slots=True)
class Ignore:
    """One such comment. span: its offsets. codes: what it names, upper case; empty for everything.

    reach: the offsets within which a finding must start. gone: the edit that removes the comment and nothing
    else; None if the comment says more. shared: whether other linters read such comments, too. used: the
    codes that it has suppressed.
    """

    span: Offsets
    codes: tuple[str, ...]
    reach: Offsets
    gone: Edit | None = None
    shared: bool = False
    used: set[str] = field(default_factory=set)

    def silences(self, diagnostic: Diagnostic) -> bool:
        """Whether the finding is meant, remembering it if so."""
        if not self.reach[0] <= diagnostic.span.start <= self.reach[1]:
            return False
        if self.codes and diagnostic.code not in self.codes:
            return False
        self.used.add(diagnostic.code)
        return True

    @property
    def unused(self) -> tuple[str, ...]:
        """The codes that suppressed nothing; for a comment without codes, an empty name if it is idle.

        For a `noqa`, which may be meant for another linter, only codes of this package's rules.
        """
        if not self.codes:
            return () if self.used or self.shared else ("",)
        idle = (code for code in self.codes if code not in self.used)
        return tuple(c for c in idle if not self.shared or c in _OURS or c.startswith("SIS"))


@dataclass(frozen=True, slots=True)
class Ignores:
    """All of a text. skip_file: whether the text is not to be checked at all."""

    every: tuple[Ignore, ...] = ()
    skip_file: bool = False

    def silence(self, diagnostic: Diagnostic) -> bool:
        """Whether any comment suppresses the finding."""
        silenced = [ignore.silences(diagnostic) for ignore in self.every]
        return any(silenced)


def ignores_of(text: str, lines: Lines, starts: Sequence[Offsets]) -> Ignores:
    """The ignores of a text. starts: the offsets of its statements, in order."""
    if _MENTIONED.search(text) is None:
        return Ignores()
    found: list[Ignore] = []
    comments = [token for token in tokenize(text) if token.kind is Kind.COMMENT]
    if any(_SKIP.match(token.text) for token in comments):
        return Ignores(skip_file=True)
    for token in comments:
        match = _NOQA.match(token.text)
        if match is not None:
            row, _ = lines.place(token.start)
            start = lines.start(row)
            reach = (start, start + len(lines.line(row)))
            found.append(_ignore(text, token, match, reach, shared=True))
            continue
        match = _IGNORE.match(token.text)
        if match is not None:
            at = bisect_right(starts, (token.start, token.start))
            reach = starts[at] if at < len(starts) else (len(text) + 1, len(text) + 1)
            found.append(_ignore(text, token, match, reach, shared=False))
    return Ignores(tuple(found))


def _ignore(
    text: str, token: Token, match: re.Match[str], reach: Offsets, *, shared: bool
) -> Ignore:
    span = token.start, token.start + match.end()
    return Ignore(span, _codes(match), reach, _gone(text, token, match), shared)


def _gone(text: str, token: Token, match: re.Match[str]) -> Edit | None:
    """The edit that removes a whole comment; None if it has other lines, or text for another linter."""
    comment = token.text.rstrip("\r\n")
    if "\n" in comment or "\r" in comment or _MENTIONED.search(comment, match.end()):
        return None
    end = token.start + len(comment)
    apart = text[token.start - 1 : token.start].strip() and text[end : end + 1].strip()
    return Edit(token.start, end, " " if apart else "")


def _codes(match: re.Match[str]) -> tuple[str, ...]:
    return tuple(_unique(code.upper() for code in _CODE.findall(match["codes"] or "")))


def _unique(codes: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(codes))
