"""Suppressions in SQL comments: `noqa`, `iceberg-sql: ignore[...]`, `skip-file`.

Records which of them were used, for the finding about unused ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache
from itertools import accumulate
from operator import itemgetter

from spark_iceberg_sql.checker.ignore_comments import MENTIONED, Words, read_comment
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Lines
from spark_iceberg_sql.lazy import cached_property, regex
from spark_iceberg_sql.records import field, record, replace
from spark_iceberg_sql.rules.base import Finding
from spark_iceberg_sql.rules.registry import BY_CODE
from spark_iceberg_sql.rules.sis003_unused_ignore import misspelt, unused
from spark_iceberg_sql.syntax.lexer import Kind, Token, tokenize
from spark_iceberg_sql.syntax.terms import Offsets

_MORE = regex(r"noqa|iceberg-sql:", re.IGNORECASE)  # words for a linter in the rest of a comment
_IN_A_STRING = "`skip-file` in a string excludes nothing; write it in a comment of the program"


@record(slots=True)
class Ignore:
    """One suppression comment. span: its offsets. directive: its content.

    ranges: those in which a finding must start. removal: the edit that removes the comment and nothing else;
    None if the comment has other content. used_codes: those that it has suppressed, or might if more were known.
    """

    span: Offsets
    words: Words
    reaches: tuple[Offsets, ...]
    gone: Edit | None = None
    used: set[str] = field(default_factory=set)

    def names(self, code: str) -> bool:
        """True if it covers a code, which is then recorded as used."""
        if not self.words.blanket and code not in self.words.codes:
            return False
        self.used.add(code)
        return True

    def may_be_needed(self, codes: Set[str]) -> None:
        """Record codes as used: their rules could not decide about a statement in range."""
        self.used |= codes if self.words.blanket else codes & set(self.words.codes)

    @property
    def unused(self) -> tuple[str, ...]:
        """The codes that suppressed nothing; for a comment without codes, an empty name if it is idle.

        For a `noqa`, which may be meant for another linter, only codes of this package's rules.
        """
        if self.words.blanket:
            return () if self.used or self.words.shared else ("",)
        idle = (code for code in self.words.codes if code not in self.used)
        return tuple(c for c in idle if not self.words.shared or c in BY_CODE)

    def findings(self) -> Iterator[Finding]:
        """The findings about the comment itself, after the check."""
        if self.words.wrong is not None:
            yield misspelt(self.span, self.words.wrong)
        yield from unused(self.words.codes, self.unused, self.span, self.gone)


@record(frozen=True)
class Ignores:
    """All suppressions of a text. skip_file: the text is excluded. host_comments: those in the program
    around the text.
    """

    every: tuple[Ignore, ...] = ()
    skip_file: bool = False
    beside: tuple[Ignore, ...] = ()

    def leave_open(self, spans: Sequence[Offsets], undecided: Callable[[int], Set[str]]) -> None:
        """Record as used the comments on statements that could not be checked in full.

        spans: of all statements, in order. undecided_codes: from the number of a statement to the codes of the rules
        that
        could not decide about it.
        """
        undecided = cache(undecided)  # a statement of many lines may have a comment on each
        for ignore in (*self.every, *self.beside):
            for first, last in ignore.reaches if ignore.unused else ():
                number = bisect_right(spans, (last, last))
                while number and spans[number - 1][1] >= first:
                    number -= 1
                    ignore.may_be_needed(undecided(number))

    def silence(self, diagnostic: Diagnostic) -> bool:
        """True if any comment suppresses the diagnostic; each that does is recorded as used."""
        at, silenced = diagnostic.span.start, self.skip_file
        reaches, last = self._reaches
        number = bisect_right(reaches, at, key=itemgetter(0))
        # Ranges may be nested: an earlier one may still reach this offset.
        while number and last[number - 1] >= at:
            number -= 1
            _, end, ignore = reaches[number]
            if end >= at and ignore.names(diagnostic.code):
                silenced = True
        return silenced

    @cached_property
    def _reaches(self) -> tuple[list[tuple[int, int, Ignore]], list[int]]:
        """The ranges of all comments by start, and for each the largest end so far."""
        every = [(*reach, i) for i in (*self.every, *self.beside) for reach in i.reaches]
        found = sorted(every, key=itemgetter(0))
        return found, list(accumulate((end for _, end, _ in found), max))


def ignores_of(
    text: str, lines: Lines, starts: Sequence[Offsets], *, in_strings: bool = False
) -> Ignores:
    """The suppressions of a text.

    statement_spans: of its statements, in order. in_strings: the text is in strings of a program, most of whose
    SQL is elsewhere: then no comment excludes the file.
    """
    if MENTIONED.search(text) is None:
        return Ignores()
    found: list[Ignore] = []
    comments = _comments(text, [start for start, _ in starts])
    for token in comments:
        words = read_comment(token.text)
        if words is None:
            continue
        if words.skip_file and in_strings:
            words = replace(words, skip_file=False, wrong=_IN_A_STRING)
        if words.skip_file:
            return Ignores(skip_file=True)
        if words.next:
            at = bisect_right(starts, (token.start, token.start))
            reach = (starts[at],) if at < len(starts) else ()
        else:
            row, _ = lines.place(token.start)
            start = lines.start(row)
            reach = ((start, start + len(lines.line(row))),)
        span = token.start, token.start + words.end
        found.append(Ignore(span, words, reach, _gone(text, token, words)))
    return Ignores(tuple(found))


def without_ignores(text: str) -> str:
    """The text with blanks for its suppression comments, at the same offsets."""
    if MENTIONED.search(text) is None:
        return text
    for token in tokenize(text):
        if token.kind is Kind.COMMENT and read_comment(token.text) is not None:
            blanks = re.sub(r"[^\r\n]", " ", token.text)
            text = text[: token.start] + blanks + text[token.end :]
    return text


def _gone(text: str, token: Token, words: Words) -> Edit | None:
    """The edit that removes a whole comment; None if it has other lines, or text for another linter."""
    comment = token.text.rstrip("\r\n")
    if "\n" in comment or "\r" in comment or _MORE.search(comment, words.end):
        return None
    end = token.start + len(comment)
    # The comment may be all that separates two tokens: `a/* */b`.
    apart = text[token.start - 1 : token.start].strip() and text[end : end + 1].strip()
    return Edit(token.start, end, " " if apart else "")


def _comments(text: str, starts: Sequence[int]) -> Iterator[Token]:
    """The comments in and after those statements that mention the checker or a linter."""
    last = -1
    for found in MENTIONED.finditer(text):
        number = bisect_right(starts, found.start())
        if number == last:
            continue
        last = number
        begin = starts[number - 1] if number else 0
        end = starts[number] if number < len(starts) else len(text)
        for token in tokenize(text[begin:end]):
            if token.kind is Kind.COMMENT:
                yield token._replace(start=token.start + begin, end=token.end + begin)
