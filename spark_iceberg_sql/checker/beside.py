"""Suppressions in the comments of a Python program, outside of its SQL strings.

They apply to SQL by rows of the program, so they are mapped to ranges of the joined script.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from functools import lru_cache

from spark_iceberg_sql.checker.ignore_comments import MENTIONED, Words, read_comment
from spark_iceberg_sql.checker.judging import EVERY_CODE
from spark_iceberg_sql.checker.suppressions import Ignore
from spark_iceberg_sql.diagnostics import Diagnostic, Lines
from spark_iceberg_sql.files.source import Source, Unread
from spark_iceberg_sql.files.source_map import Joined, Offsets, Piece
from spark_iceberg_sql.records import record
from spark_iceberg_sql.rules.base import Event
from spark_iceberg_sql.rules.registry import reporter

_PROGRAMS = (".py", ".ipynb")
_BETWEEN_LINES = frozenset(
    {tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.NEWLINE}
)


@record(frozen=True, slots=True)
class _Comment:
    """part, row: its position. target: the fragment in the next statement that it applies to; None: the
    SQL on its row.
    """

    part: int
    row: int
    target: Piece | None
    words: Words
    place: Offsets
    used: set[str]


class Beside:
    """The suppressions of a program. source: its file. lines: of each of its parts.

    skip_file: true if one of them excludes the whole program from the check.
    """

    def __init__(self, source: Source, lines: list[Lines]) -> None:
        self.skip_file = False
        self._lines = lines
        self._comments: list[_Comment] = []
        if source.name.lower().endswith(_PROGRAMS):
            pieces: dict[int, list[Piece]] = {}
            unread: dict[int, list[Unread]] = {}
            for piece in filter(in_literals, source.pieces):
                pieces.setdefault(piece.part, []).append(piece)
            for each in source.unread:
                unread.setdefault(each.part, []).append(each)
            for part in sorted(pieces.keys() | unread.keys()):
                self._comments += self._of_part(
                    source, part, pieces.get(part, []), unread.get(part, [])
                )

    def _of_part(
        self, source: Source, part: int, pieces: list[Piece], unread: list[Unread]
    ) -> Iterator[_Comment]:
        """The comments of a part. fragments, problems: those of the part."""
        if MENTIONED.search(source.parts[part].text) is None:
            return
        lines = self._lines[part]
        text = source.parts[part].text
        program = text
        if source.name.lower().endswith(".ipynb"):
            from spark_iceberg_sql.files.notebooks.cells import as_python

            program = as_python(text)
        lines_of = list(logical_lines(program))
        for start, comment in comments(program):
            words = read_comment(comment)
            if words is None:
                continue
            self.skip_file = self.skip_file or words.skip_file
            row, column = lines.place(start)
            target, stop = None, start
            if words.next and not lines.line(row)[: column - 1].strip():
                stop = next((end for _, end in lines_of if end > start), len(text))
                behind = [piece for piece in pieces if start < piece.starts[0] <= stop]
                target = min(behind, key=lambda piece: piece.starts[0], default=None)
            ignore = Ignore((start, start + words.end), words, ())
            if any(
                # SQL that could not be extracted may have a finding that this comment suppresses.
                u.end == u.start or row == lines.place(u.start)[0] or start < u.start <= stop
                for u in unread
                if not u.refused
            ):
                ignore.may_be_needed(EVERY_CODE)
            yield _Comment(part, row, target, words, ignore.span, ignore.used)

    def of(self, script: Joined) -> tuple[Ignore, ...]:
        """The suppressions, with offsets in a script of the program's SQL."""
        reaches: dict[int, list[Offsets]] = {}
        for number, reach in self._reaches(script):
            reaches.setdefault(number, []).append(reach)
        comments = ((self._comments[number], found) for number, found in reaches.items())
        return tuple(Ignore(c.place, c.words, tuple(found), used=c.used) for c, found in comments)

    def _reaches(self, script: Joined) -> Iterator[tuple[int, Offsets]]:
        """Pairs of a comment's number and a range of the script that it applies to."""
        targets: dict[int, list[int]] = {}
        rows: dict[tuple[int, int], list[int]] = {}
        for number, comment in enumerate(self._comments):
            if comment.target is not None:
                targets.setdefault(id(comment.target), []).append(number)
            else:
                rows.setdefault((comment.part, comment.row), []).append(number)
        commented = {part for part, _ in rows}
        for piece, at in zip(script.pieces, script.offsets, strict=True):
            if not self._comments or not in_literals(piece):
                continue
            whole = at, at + len(piece.sql)
            yield from ((number, whole) for number in targets.get(id(piece), ()))
            if piece.part not in commented:
                continue
            lines = self._lines[piece.part]
            stretches = _by_row(piece, at, lines)
            # A comment on the row on which the literal ends applies to all of its SQL.
            stretches[lines.place(piece.starts[-1])[0]] = [whole]
            for row, on_row in sorted(stretches.items()):
                for number in rows.get((piece.part, row), ()):
                    yield from ((number, stretch) for stretch in on_row)

    def silence(self, part: int, start: int, code: str) -> bool:
        """True if a comment suppresses a finding that is not about SQL text. start: its offset in the part."""
        row = self._lines[part].place(start)[0]
        here = [c for c in self._comments if (c.part, c.row) == (part, row)]
        named = [Ignore(c.place, c.words, (), used=c.used).names(code) for c in here]
        return any(named)

    def findings(self) -> Iterator[tuple[int, Diagnostic]]:
        """The findings about the comments themselves, after the check, each with its part."""
        rule = reporter(Event.UNUSED_IGNORE)
        for comment in self._comments:
            ignore = Ignore(comment.place, comment.words, (), used=comment.used)
            for finding in ignore.findings():
                yield (
                    comment.part,
                    Diagnostic(
                        rule.code,
                        rule.name,
                        rule.severity,
                        finding.message,
                        self._lines[comment.part].span(*finding.span),
                        finding.help,
                    ),
                )


def _by_row(piece: Piece, at: int, lines: Lines) -> dict[int, list[Offsets]]:
    """The ranges of a fragment on each row of the program. base: the fragment's offset in the script."""
    stretches: dict[int, list[Offsets]] = {}
    row, first, last, before = 0, 0, -1, -1
    for place, start in enumerate(piece.starts, start=at):
        if not first <= start <= last:
            row = lines.place(start)[0]
            first, before = lines.start(row), -1
            last = first + len(lines.line(row))
            if start > last:
                continue  # the second character of a line end
        on_row = stretches.setdefault(row, [])
        if before == place - 1 and on_row:
            on_row[-1] = on_row[-1][0], place
        else:
            on_row.append((place, place))
        before = place
    return stretches


def in_literals(piece: Piece) -> bool:
    """True if a fragment comes from string literals of a program, and is not a SQL cell."""
    return bool(piece.sql) and not isinstance(piece.starts, range)


def comments(program: str) -> Iterator[tuple[int, str]]:
    """The comments of a Python program that may be suppressions, with their offsets.

    Of `# a  # noqa`, only the second part.
    """
    for start, token in _tokens(program):
        if token.type == tokenize.COMMENT:
            for sign in re.finditer("#", token.string):
                # Only these are copied: a comment may be a ruler of thousands of signs.
                if MENTIONED.match(token.string, sign.start()) is not None:
                    yield start + sign.start(), token.string[sign.start() :]


def open_ends(program: str) -> Iterator[int]:
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
        elif begin is None and token.type not in _BETWEEN_LINES:
            begin = start


@lru_cache(maxsize=1)  # its comments, logical lines and line ends are asked for one after the other
def _tokens(program: str) -> tuple[tuple[int, tokenize.TokenInfo], ...]:
    return tuple(_read_tokens(program))


def _read_tokens(program: str) -> Iterator[tuple[int, tokenize.TokenInfo]]:
    """The tokens of a program with their offsets, up to the first error."""
    lines = Lines(program)
    rows = (program[lines.start(row) : _end(lines, row)] for row in range(1, lines.count + 1))
    try:
        for token in tokenize.generate_tokens(lambda: next(rows, "")):
            row, column = token.start
            if row <= lines.count:
                yield lines.start(row) + column, token
    except (tokenize.TokenError, SyntaxError):
        return


def _end(lines: Lines, row: int) -> int:
    return lines.start(row + 1) if row < lines.count else len(lines.text)
