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

from spark_iceberg_sql.checker.directives import MENTION, Directive, parse_directive
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Lines
from spark_iceberg_sql.lazy import cached_property, regex
from spark_iceberg_sql.records import field, record, replace
from spark_iceberg_sql.rules.base import Finding
from spark_iceberg_sql.rules.registry import BY_CODE
from spark_iceberg_sql.rules.sis003_unused_ignore import malformed_finding, unused_findings
from spark_iceberg_sql.syntax.lexer import Token, TokenKind, tokenize
from spark_iceberg_sql.syntax.terms import Offsets

_OTHER_LINTER = regex(r"noqa|iceberg-sql:", re.IGNORECASE)  # words for a linter in the rest of a comment
_IN_A_STRING = "`skip-file` in a string excludes nothing; write it in a comment of the program"


@record(slots=True)
class Suppression:
    """One suppression comment. span: its offsets. directive: its content.

    ranges: those in which a finding must start. removal: the edit that removes the comment and nothing else;
    None if the comment has other content. used_codes: those that it has suppressed, or might if more were known.
    """

    span: Offsets
    directive: Directive
    ranges: tuple[Offsets, ...]
    removal: Edit | None = None
    used_codes: set[str] = field(default_factory=set)

    def names(self, code: str) -> bool:
        """True if it covers a code, which is then recorded as used."""
        if not self.directive.is_blanket and code not in self.directive.codes:
            return False
        self.used_codes.add(code)
        return True

    def mark_needed(self, codes: Set[str]) -> None:
        """Record codes as used: their rules could not decide about a statement in range."""
        self.used_codes |= codes if self.directive.is_blanket else codes & set(self.directive.codes)

    @property
    def unused_codes(self) -> tuple[str, ...]:
        """The codes that suppressed nothing; for a comment without codes, an empty name if it is idle.

        For a `noqa`, which may be meant for another linter, only codes of this package's rules.
        """
        if self.directive.is_blanket:
            return () if self.used_codes or self.directive.is_shared else ("",)
        own_codes = [code for code in self.directive.codes if not self.directive.is_shared or code in BY_CODE]
        return tuple(code for code in own_codes if code not in self.used_codes)

    def findings(self) -> Iterator[Finding]:
        """The findings about the comment itself, after the check."""
        if self.directive.mistake is not None:
            yield malformed_finding(self.span, self.directive.mistake)
        yield from unused_findings(self.directive.codes, self.unused_codes, self.span, self.removal)


@record(frozen=True)
class Suppressions:
    """All suppressions of a text. skip_file: the text is excluded. host_comments: those in the program around it."""

    own_comments: tuple[Suppression, ...] = ()
    skip_file: bool = False
    host_comments: tuple[Suppression, ...] = ()

    def keep_undecided(self, spans: Sequence[Offsets], undecided_codes: Callable[[int], Set[str]]) -> None:
        """Record as used the comments on statements that could not be checked in full.

        spans: of all statements, in order. undecided_codes: from the number of a statement to the codes of the rules
        that could not decide about it.
        """
        undecided_codes = cache(undecided_codes)  # a statement of many lines may have a comment on each
        for suppression in (*self.own_comments, *self.host_comments):
            for first, last in suppression.ranges if suppression.unused_codes else ():
                index = bisect_right(spans, (last, last))
                while index and spans[index - 1][1] >= first:
                    index -= 1
                    suppression.mark_needed(undecided_codes(index))

    def suppresses(self, diagnostic: Diagnostic) -> bool:
        """True if any comment suppresses the diagnostic; each that does is recorded as used."""
        start, is_suppressed = diagnostic.span.start, self.skip_file
        ranges, max_ends = self._sorted_ranges
        index = bisect_right(ranges, start, key=itemgetter(0))
        # Ranges may be nested: an earlier one may still reach this offset.
        while index and max_ends[index - 1] >= start:
            index -= 1
            _, end, suppression = ranges[index]
            if end >= start and suppression.names(diagnostic.code):
                is_suppressed = True
        return is_suppressed

    @cached_property
    def _sorted_ranges(self) -> tuple[list[tuple[int, int, Suppression]], list[int]]:
        """The ranges of all comments by start, and for each the largest end so far."""
        suppressions = (*self.own_comments, *self.host_comments)
        ranges = [(*span, suppression) for suppression in suppressions for span in suppression.ranges]
        ranges.sort(key=itemgetter(0))
        return ranges, list(accumulate((end for _, end, _ in ranges), max))


def parse_suppressions(
    text: str, lines: Lines, statement_spans: Sequence[Offsets], *, in_strings: bool = False
) -> Suppressions:
    """The suppressions of a text.

    statement_spans: of its statements, in order. in_strings: the text is in strings of a program, most of whose SQL is
    elsewhere: then no comment excludes the file.
    """
    if MENTION.search(text) is None:
        return Suppressions()
    suppressions: list[Suppression] = []
    for token in _comments(text, [start for start, _ in statement_spans]):
        directive = parse_directive(token.text)
        if directive is None:
            continue
        if directive.skip_file and in_strings:
            directive = replace(directive, skip_file=False, mistake=_IN_A_STRING)
        if directive.skip_file:
            return Suppressions(skip_file=True)
        if directive.applies_to_next:
            index = bisect_right(statement_spans, (token.start, token.start))
            ranges = (statement_spans[index],) if index < len(statement_spans) else ()
        else:
            row, column = lines.position(token.start)
            start = token.start - column + 1
            ranges = ((start, start + len(lines.line(row))),)
        span = token.start, token.start + directive.end
        suppressions.append(Suppression(span, directive, ranges, _removal_edit(text, token, directive)))
    return Suppressions(tuple(suppressions))


def without_suppressions(text: str) -> str:
    """The text with blanks for its suppression comments, at the same offsets."""
    if MENTION.search(text) is None:
        return text
    for token in tokenize(text):
        if token.kind is TokenKind.COMMENT and parse_directive(token.text) is not None:
            blanks = re.sub(r"[^\r\n]", " ", token.text)
            text = text[: token.start] + blanks + text[token.end :]
    return text


def _removal_edit(text: str, token: Token, directive: Directive) -> Edit | None:
    """The edit that removes a whole comment; None if it has other lines, or text for another linter."""
    comment = token.text.rstrip("\r\n")
    if "\n" in comment or "\r" in comment or _OTHER_LINTER.search(comment, directive.end):
        return None
    end = token.start + len(comment)
    # The comment may be all that separates two tokens: `a/* */b`.
    needs_blank = text[token.start - 1 : token.start].strip() and text[end : end + 1].strip()
    return Edit(token.start, end, " " if needs_blank else "")


def _comments(text: str, starts: Sequence[int]) -> Iterator[Token]:
    """The comments in and after those statements that mention the checker or a linter."""
    last_index = -1
    for mention in MENTION.finditer(text):
        index = bisect_right(starts, mention.start())
        begin = starts[index - 1] if index else 0
        end = starts[index] if index < len(starts) else len(text)
        for token in tokenize(text[begin:end]) if index != last_index else ():
            if token.kind is TokenKind.COMMENT:
                yield token._replace(start=token.start + begin, end=token.end + begin)
        last_index = index
