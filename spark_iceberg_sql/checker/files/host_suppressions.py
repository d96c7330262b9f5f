"""Suppressions in the comments of a program, outside of its SQL strings.

They apply to SQL by rows of the program, so they are mapped to ranges of the joined script.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise

from spark_iceberg_sql.checker.directives import MENTION, may_have_directives, parse_directive
from spark_iceberg_sql.checker.rule_runner import EVERY_CODE
from spark_iceberg_sql.checker.suppressions import Suppression
from spark_iceberg_sql.diagnostics import Diagnostic, Lines
from spark_iceberg_sql.files.jvm.jvm_sql import JVM_SUFFIXES
from spark_iceberg_sql.files.jvm.jvm_tokens import jvm_tokens
from spark_iceberg_sql.files.source import ExtractionProblem, SourceFile
from spark_iceberg_sql.files.source_map import JoinedScript, Offsets, SqlFragment
from spark_iceberg_sql.records import record, replace
from spark_iceberg_sql.rules.base import Event
from spark_iceberg_sql.rules.registry import reporter

_PROGRAM_SUFFIXES = (".py", ".ipynb", *JVM_SUFFIXES)
_LAYOUT_TOKENS = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE})


@record(frozen=True, slots=True)
class _Comment:
    """part, row: its position. target: the fragment in the next statement that it applies to; None: the SQL on its row.
    suppression: without ranges, which are those of a script.
    """

    part: int
    row: int
    target: SqlFragment | None
    suppression: Suppression


class HostSuppressions:
    """The suppressions of a program. source: its file. lines: of each of its parts.

    skip_file: true if one of them excludes the whole program from the check.
    """

    def __init__(self, source: SourceFile, lines: list[Lines]) -> None:
        self.skip_file = False
        self._lines = lines
        self._comments: list[_Comment] = []
        if source.name.lower().endswith(_PROGRAM_SUFFIXES):
            fragments: dict[int, list[SqlFragment]] = {}
            problems: dict[int, list[ExtractionProblem]] = {}
            for fragment in filter(is_in_literals, source.fragments):
                fragments.setdefault(fragment.unit_index, []).append(fragment)
            for problem in source.problems:
                problems.setdefault(problem.unit_index, []).append(problem)
            for part in sorted(fragments.keys() | problems.keys()):
                self._comments += self._comments_of_part(source, part, fragments.get(part, []), problems.get(part, []))

    def _comments_of_part(
        self, source: SourceFile, part: int, fragments: list[SqlFragment], problems: list[ExtractionProblem]
    ) -> Iterator[_Comment]:
        """The comments of a part. fragments, problems: those of the part."""
        is_jvm = source.name.lower().endswith(tuple(JVM_SUFFIXES))
        if not is_jvm and not may_have_directives(source.units[part].text):
            return
        lines = self._lines[part]
        text = program = source.units[part].text
        if source.name.lower().endswith(".ipynb"):
            from spark_iceberg_sql.files.notebooks.cells import as_python

            program = as_python(text)
        statement_lines = [] if is_jvm else list(logical_lines(program))
        for start, comment in jvm_comments(program) if is_jvm else comments(program):
            directive = parse_directive(comment)
            if directive is None:
                continue
            self.skip_file = self.skip_file or directive.skip_file
            row, column = lines.position(start)
            target, stop = None, start
            if directive.applies_to_next and not lines.line(row)[: column - 1].strip():
                stop = next((end for _, end in statement_lines if end > start), len(text))
                following = [fragment for fragment in fragments if start < fragment.starts[0] <= stop]
                target = min(following, key=lambda fragment: fragment.starts[0], default=None)
            suppression = Suppression((start, start + directive.end), directive, ())
            if any(
                # SQL that could not be extracted may have a finding that this comment suppresses.
                problem.end == problem.start or row == lines.position(problem.start)[0] or start < problem.start <= stop
                for problem in problems
                if not problem.is_refused
            ):
                suppression.mark_needed(EVERY_CODE)
            yield _Comment(part, row, target, suppression)

    def suppressions_in(self, script: JoinedScript) -> tuple[Suppression, ...]:
        """The suppressions, with offsets in a script of the program's SQL."""
        ranges_by_comment: dict[int, list[Offsets]] = {}
        for number, span in self._ranges(script):
            ranges_by_comment.setdefault(number, []).append(span)
        # The copies share the set of used codes.
        return tuple(
            replace(self._comments[number].suppression, ranges=tuple(ranges))
            for number, ranges in ranges_by_comment.items()
        )

    def _ranges(self, script: JoinedScript) -> Iterator[tuple[int, Offsets]]:
        """Pairs of a comment's number and a range of the script that it applies to."""
        targets: dict[int, list[int]] = {}
        rows: dict[tuple[int, int], list[int]] = {}
        for number, comment in enumerate(self._comments):
            if comment.target is not None:
                targets.setdefault(id(comment.target), []).append(number)
            else:
                rows.setdefault((comment.part, comment.row), []).append(number)
        commented = {part for part, _ in rows}
        for fragment, offset in zip(script.fragments, script.offsets, strict=True):
            if not self._comments or not is_in_literals(fragment):
                continue
            full_range = offset, offset + len(fragment.sql)
            yield from ((number, full_range) for number in targets.get(id(fragment), ()))
            if fragment.unit_index not in commented:
                continue
            lines = self._lines[fragment.unit_index]
            ranges_by_row = _ranges_by_row(fragment, offset, lines)
            # A comment on the row on which the literal ends applies to all of its SQL.
            ranges_by_row[lines.position(fragment.starts[-1])[0]] = [full_range]
            for row, row_ranges in sorted(ranges_by_row.items()):
                for number in rows.get((fragment.unit_index, row), ()):
                    yield from ((number, span) for span in row_ranges)

    def suppresses(self, part: int, start: int, code: str) -> bool:
        """True if a comment suppresses a finding that is not about SQL text. start: its offset in the part."""
        row = self._lines[part].position(start)[0]
        row_comments = [comment for comment in self._comments if (comment.part, comment.row) == (part, row)]
        return True in [comment.suppression.names(code) for comment in row_comments]

    def findings(self) -> Iterator[tuple[int, Diagnostic]]:
        """The findings about the comments themselves, after the check, each with its part."""
        rule = reporter(Event.UNUSED_IGNORE)
        for comment in self._comments:
            for finding in comment.suppression.findings():
                span = self._lines[comment.part].span(*finding.span)
                diagnostic = Diagnostic(rule.code, rule.name, rule.severity, finding.message, span, finding.help)
                yield comment.part, diagnostic


def _ranges_by_row(fragment: SqlFragment, base: int, lines: Lines) -> dict[int, list[Offsets]]:
    """The ranges of a fragment on each row of the program. base: the fragment's offset in the script."""
    ranges_by_row: dict[int, list[Offsets]] = {}
    row, first, last, previous = 0, 0, -1, -1
    for offset, start in enumerate(fragment.starts, start=base):
        if not first <= start <= last:
            row = lines.position(start)[0]
            first, previous = lines.start(row), -1
            last = first + len(lines.line(row))
            if start > last:
                continue  # the second character of a line end
        row_ranges = ranges_by_row.setdefault(row, [])
        if previous == offset - 1 and row_ranges:
            row_ranges[-1] = row_ranges[-1][0], offset
        else:
            row_ranges.append((offset, offset))
        previous = offset
    return ranges_by_row


def is_in_literals(fragment: SqlFragment) -> bool:
    """True if a fragment comes from string literals of a program, and is not a SQL cell."""
    return bool(fragment.sql) and not isinstance(fragment.starts, range)


def comments(program: str) -> Iterator[tuple[int, str]]:
    """The comments of a Python program that may be suppressions, with their offsets.

    Of `# a  # noqa`, only the second part.
    """
    for start, token in _tokens(program):
        if token.type == tokenize.COMMENT:
            for match in re.finditer("#", token.string):
                # Only these are copied: a comment may be a ruler of thousands of signs.
                if MENTION.match(token.string, match.start()) is not None:
                    yield start + match.start(), token.string[match.start() :]


def jvm_comments(program: str) -> Iterator[tuple[int, str]]:
    """The comments `// ...` of a program in Scala or Java that may be suppressions, as `comments` returns them."""
    for start, end in jvm_tokens(program, is_scala=True)[1]:
        comment = f"# {program[start + 2 : end]}"  # as long as in the program
        if program.startswith("//", start) and MENTION.match(comment) is not None:
            yield start, comment


def commentable_line_ends(program: str) -> Iterator[int]:
    """The offsets of the line ends of a program at which a comment can begin."""
    for start, token in _tokens(program):
        if token.type in (tokenize.NEWLINE, tokenize.NL):
            yield start


def logical_lines(program: str) -> Iterator[Offsets]:
    """The start and end of each logical line of a program: a statement, or the head of a compound one."""
    begin: int | None = None
    for start, token in _tokens(program):
        if token.type == tokenize.NEWLINE and begin is not None:
            yield begin, start
            begin = None
        elif begin is None and token.type not in _LAYOUT_TOKENS:
            begin = start


@lru_cache(maxsize=1)  # its comments, logical lines and line ends are asked for one after the other
def _tokens(program: str) -> list[tuple[int, tokenize.TokenInfo]]:
    """The tokens of a program with their offsets, up to the first error."""
    lines = Lines(program)
    starts = [*map(lines.start, range(1, lines.count + 1)), len(program)]
    rows = (program[start:end] for start, end in pairwise(starts))
    tokens = []
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(lambda: next(rows, "")):
            row, column = token.start
            if row <= lines.count:
                tokens.append((lines.start(row) + column, token))
    return tokens
