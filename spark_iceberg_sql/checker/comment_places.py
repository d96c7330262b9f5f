"""Candidate positions for an inserted suppression comment: in SQL, in a program, or in YAML.

Each of POSITIONS returns an edit, or None where a comment is impossible; the caller tries them in order.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate

from spark_iceberg_sql.checker.beside import comments, logical_lines, open_ends
from spark_iceberg_sql.checker.ignore_comments import Words, read_comment
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Lines
from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.notebooks.cells import as_python
from spark_iceberg_sql.files.projects.tools import YAML
from spark_iceberg_sql.files.source import Source
from spark_iceberg_sql.files.source_map import Piece
from spark_iceberg_sql.files.template_strings import STRINGS
from spark_iceberg_sql.files.template_tags import RAW
from spark_iceberg_sql.files.templates import template_spans
from spark_iceberg_sql.syntax.lexer import Kind, Token, tokenize
from spark_iceberg_sql.syntax.script import statements

_PROGRAMS = (".py", ".ipynb")
_HASH = re.compile(r"(?<=\s)#[^\r\n]*")


class Part:
    """A part of a file, indexed by offset: its lines, and its SQL fragments with their first and last offsets.

    name: the file's. fragments: those of the part, in order.
    """

    def __init__(self, name: str, text: str, pieces: Sequence[Piece]) -> None:
        self.name = name.lower()
        self.text = text
        self.lines = Lines(self.text)
        bounds = [(*_bounds(piece), number) for number, piece in enumerate(pieces)]
        self._sql = [Sql(piece) for piece in pieces]
        self._bounds = sorted(bounds)
        self._reached = list(accumulate((end for _, end, _ in self._bounds), max))

    def sql_at(self, offset: int) -> Sql | None:
        """The first fragment that contains an offset."""
        around = []
        at = bisect_right(self._bounds, (offset, len(self.text), len(self._sql)))
        # Ranges may be nested: the last one that starts before the offset need not contain it, so go back as
        # long as an earlier one still reaches the offset.
        while at and self._reached[at - 1] >= offset:
            at -= 1
            _, end, number = self._bounds[at]
            if end >= offset:
                around.append(number)
        return self._sql[min(around)] if around else None

    def line_end(self, row: int) -> int:
        """The offset at which a row ends."""
        return self.lines.start(row) + len(self.lines.line(row))

    @property
    def newline(self) -> str:
        """The line end of the part."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @cached_property
    def python(self) -> str | None:
        """The program, without IPython's lines; None if it is not valid Python."""
        program = as_python(self.text) if self.name.endswith(".ipynb") else self.text
        return program if _parsed(program) is not None else None

    @cached_property
    def comments(self) -> dict[int, list[tuple[int, Words | None]]]:
        """The comments of a program that may be suppressions, by row, each with its offset and directive."""
        by_row: dict[int, list[tuple[int, Words | None]]] = {}
        for at, text in comments(self.python or ""):
            by_row.setdefault(self.lines.place(at)[0], []).append((at, read_comment(text)))
        return by_row

    @cached_property
    def logical_lines(self) -> tuple[tuple[int, int], ...]:
        """The logical lines of a program."""
        return tuple(logical_lines(self.python or ""))

    @cached_property
    def open_ends(self) -> frozenset[int]:
        """The line ends of a program at which a comment can be added: not in a string, not after a backslash."""
        return frozenset(open_ends(self.python or ""))


def parts_of(source: Source) -> list[Part]:
    """The parts of a file."""
    pieces: list[list[Piece]] = [[] for _ in source.parts]
    for piece in source.pieces:
        if piece.sql:
            pieces[piece.part].append(piece)
    each = zip(source.parts, pieces, strict=True)
    return [Part(source.name, part.text, pieces) for part, pieces in each]


class Sql:
    """A SQL fragment with its tokens and statements."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        self.text = piece.sql
        self.is_stretch = isinstance(piece.starts, range)

    def offset(self, host: int) -> int | None:
        """The offset in the SQL of an offset in the file; None if it is not in the SQL."""
        if isinstance(self.piece.starts, range):
            at = host - self.piece.starts[0]
            return at if 0 <= at <= len(self.text) else None
        return self._offsets.get(host)

    @cached_property
    def _offsets(self) -> dict[int, int]:
        return {host: at for at, host in enumerate(self.piece.starts)}

    @cached_property
    def templates(self) -> list[tuple[int, int]]:
        """The ranges that a template fills in."""
        return list(template_spans(self.text))

    def in_template(self, at: int) -> bool:
        """True if an offset is strictly inside a range that a template fills in."""
        number = bisect_left(self.templates, (at, at)) - 1
        return number >= 0 and at < self.templates[number][1]

    def out_of_reach(self, host: int, comment: int) -> bool:
        """True if the finding is in a string of a template and the comment would be outside of that string."""
        at, beside = (self.offset(each) if self.is_stretch else None for each in (host, comment))
        number = bisect_left(self._template_strings, (at, at)) - 1 if at is not None else -1
        if at is None or beside is None or number < 0:
            return False
        start, end = self._template_strings[number]
        return at < end and not start < beside < end

    @cached_property
    def _template_strings(self) -> list[tuple[int, int]]:
        tags = ((a, b) for a, b in self.templates if self.text.startswith(("{{", "{%"), a))
        return [
            string.span()
            for a, b in tags
            if not RAW.match(self.text, a, b)
            for string in STRINGS.finditer(self.text, a, b)
        ]

    @cached_property
    def _tokens(self) -> tuple[list[Token], list[int]]:
        tokens = tokenize(self.text)
        return tokens, [token.start for token in tokens]

    def token_before(self, at: int) -> Token | None:
        """The token that contains an offset or ends at it."""
        tokens, starts = self._tokens
        number = bisect_left(starts, at) - 1
        return tokens[number] if number >= 0 and at <= tokens[number].end else None

    @cached_property
    def statements(self) -> list[tuple[int, int]]:
        """The start and end of each statement."""
        return [(statement.start, statement.end) for statement in statements(self.text)]


Place = Callable[[Part, Sql, Diagnostic, str], Edit | None]


def line_end(part: Part, sql: Sql, diagnostic: Diagnostic, codes: str) -> Edit | None:
    """A comment at the end of the finding's line."""
    return _at_end(part, sql, diagnostic.span.row, codes)


def literal_end(part: Part, sql: Sql, diagnostic: Diagnostic, codes: str) -> Edit | None:
    """A comment at the end of the line in which the literal with the SQL ends, or dbt's configuration."""
    if sql.is_stretch:
        return None
    last = sql.piece.starts[-1]
    if not part.name.endswith(_PROGRAMS):
        last = part.text.find("}}", diagnostic.span.end)
    row = part.lines.place(last)[0] if last >= 0 else diagnostic.span.row
    return _at_end(part, sql, row, codes) if row != diagnostic.span.row else None


def before(part: Part, sql: Sql, diagnostic: Diagnostic, codes: str) -> Edit | None:
    """A comment before the statement, on its own line or in its line."""
    if not sql.is_stretch and part.name.endswith(_PROGRAMS):
        return _above(part, sql.piece.starts[0], codes)
    if sql.piece.api == "sqlmesh":
        return Edit(0, 0, f"-- iceberg-sql: ignore[{codes}]{part.newline}")
    at = sql.offset(diagnostic.span.start) if sql.is_stretch else None
    found = [(start, end) for start, end in sql.statements if at is not None and start <= at <= end]
    if not found:
        return None
    begin = sql.piece.starts[0]
    start = found[0][0] + begin
    row, column = part.lines.place(start)
    indent = part.lines.line(row)[: column - 1]
    if indent.strip() or start < begin + len(indent):
        return Edit(start, start, f"/* iceberg-sql: ignore[{codes}] */ ")
    return Edit(start, start, f"-- iceberg-sql: ignore[{codes}]{part.newline}{indent}")


def _above(part: Part, literal: int, codes: str) -> Edit | None:
    """A comment above the program's statement with a literal, which begins at this offset."""
    at = bisect_right(part.logical_lines, (literal, len(part.text))) - 1
    if at < 0 or part.logical_lines[at][1] < literal:
        return None
    start = part.logical_lines[at][0]
    row, column = part.lines.place(start)
    indent = part.lines.line(row)[: column - 1]
    if indent.strip():
        return None
    return Edit(start, start, f"# iceberg-sql: ignore[{codes}]{part.newline}{indent}")


PLACES: tuple[Place, ...] = (line_end, literal_end, before)


def _at_end(part: Part, sql: Sql, row: int, codes: str) -> Edit | None:
    """A comment at the end of a line."""
    line = part.lines.line(row).lstrip()
    if part.name.endswith(tuple(YAML)):
        return _hash(part, row, codes, _HASH.finditer(part.lines.line(row)))
    if not sql.is_stretch and part.name.endswith(_PROGRAMS) and not line.startswith("#"):
        return _in_program(part, row, codes)
    return _in_sql(part, sql, row, codes)  # `# MAGIC` is a line of SQL


def _in_sql(part: Part, sql: Sql, row: int, codes: str) -> Edit | None:
    end = part.line_end(row)
    at = sql.offset(end)
    if at is None or sql.in_template(at):
        return None
    # A template may remove the line end: `{%-`.
    comment = f"/* noqa: {codes} */" if sql.templates else f"-- noqa: {codes}"
    last = sql.token_before(at)
    if last is None or last.kind is not Kind.COMMENT:
        inside = last is not None and at < last.end and last.text.strip()
        return None if inside else Edit(end, end, f"  {comment}")
    # The comment goes on in the next line, or is a hint, which Spark reads: nothing can be added.
    if at < len(last.text.rstrip("\r\n")) + last.start or last.text.startswith("/*+"):
        return None
    start = end - (at - last.start)
    said = read_comment(last.text)
    if said is not None and said.shared and said.codes:
        return Edit(start + said.end, start + said.end, f", {codes}")
    return Edit(start, start, f"{comment} ") if last.text.startswith("--") else None


def _in_program(part: Part, row: int, codes: str) -> Edit | None:
    listed = _listed(part.comments.get(row, ()), codes)
    end = part.line_end(row)
    return listed or (Edit(end, end, f"  # noqa: {codes}") if end in part.open_ends else None)


def _hash(part: Part, row: int, codes: str, found: Iterator[re.Match[str]]) -> Edit:
    """A comment in YAML."""
    start, end = part.lines.start(row), part.line_end(row)
    there = [(start + comment.start(), read_comment(comment.group())) for comment in found]
    return _listed(there, codes) or Edit(end, end, f"  # noqa: {codes}")


def _listed(there: Iterable[tuple[int, Words | None]], codes: str) -> Edit | None:
    """The edit that adds codes to a comment that already lists some. listed_comments: comments with their offsets."""
    for at, said in there:
        if said is not None and said.shared and said.codes:
            return Edit(at + said.end, at + said.end, f", {codes}")
    return None


def _bounds(piece: Piece) -> tuple[int, int]:
    if isinstance(piece.starts, range):
        return piece.starts[0], piece.ends[-1]
    return min(piece.starts), max(piece.ends)


def alike(one: Source, other: Source) -> bool:
    """True if two versions of a file have the same statements and the same program, apart from comments."""
    if list(_words(one)) != list(_words(other)) or len(one.parts) != len(other.parts):
        return False
    name = one.name.lower()
    if name.endswith(tuple(YAML)):
        return _same_yaml(one.parts[0].text, other.parts[0].text)
    if not name.endswith(_PROGRAMS):
        return True
    sql = _sql_parts(one)
    return all(
        a.text == b.text or _same_program(name, a.text, b.text) or part in sql
        for part, (a, b) in enumerate(zip(one.parts, other.parts, strict=True))
    )


def _words(found: Source) -> Iterator[str]:
    for piece in found.pieces:
        yield from (
            t.text for t in tokenize(piece.sql) if t.kind is not Kind.COMMENT and t.text.strip()
        )


def _sql_parts(source: Source) -> set[int]:
    """The numbers of the cells that are SQL: under a magic, or in a SQL notebook."""
    pieces = [piece for piece in source.pieces if piece.sql]
    programs = {piece.part for piece in pieces if not isinstance(piece.starts, range)}
    return {piece.part for piece in pieces} - programs


def _same_program(name: str, *texts: str) -> bool:
    trees = [_parsed(as_python(text) if name.endswith(".ipynb") else text) for text in texts]
    return trees[0] is not None and trees[0] == trees[1]


@lru_cache(maxsize=4)  # a file before a change and after it, each asked for several times
def _parsed(program: str) -> str | None:
    """A program without its comments; None if it is not valid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.dump(ast.parse(program))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _same_yaml(before: str, after: str) -> bool:
    try:
        return yaml_nodes.said(before) == yaml_nodes.said(after)
    except yaml_nodes.YamlError:
        return False
