"""Candidate positions for an inserted suppression comment: in SQL, in a program, or in YAML_SUFFIXES.

Each of POSITIONS returns an edit, or None where a comment is impossible; the caller tries them in order.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import accumulate

from spark_iceberg_sql.checker.directives import Directive, parse_directive
from spark_iceberg_sql.checker.files.host_suppressions import commentable_line_ends, comments, logical_lines
from spark_iceberg_sql.diagnostics import Diagnostic, Edit, Lines
from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.notebooks.cells import as_python
from spark_iceberg_sql.files.python.parsing import parse_python
from spark_iceberg_sql.files.source import SourceFile
from spark_iceberg_sql.files.source_map import SqlFragment
from spark_iceberg_sql.files.template_strings import STRINGS
from spark_iceberg_sql.files.template_tags import RAW
from spark_iceberg_sql.files.templates import template_spans
from spark_iceberg_sql.files.yaml_nodes import YAML_SUFFIXES
from spark_iceberg_sql.syntax.lexer import Token, TokenKind, tokenize
from spark_iceberg_sql.syntax.script import statements

_PROGRAM_SUFFIXES = (".py", ".ipynb")
_YAML_COMMENT = re.compile(r"(?<=\s)#[^\r\n]*")


class IndexedPart:
    """A part of a file, indexed by offset: its lines, and its SQL fragments with their first and last offsets.

    name: the file's. fragments: those of the part, in order.
    """

    def __init__(self, name: str, text: str, fragments: Sequence[SqlFragment]) -> None:
        self.name = name.lower()
        self.text = text
        self.lines = Lines(self.text)
        self._fragments = [IndexedFragment(fragment) for fragment in fragments]
        self._ranges = sorted((*_host_range(fragment), number) for number, fragment in enumerate(fragments))
        self._max_ends = list(accumulate((end for _, end, _ in self._ranges), max))

    def fragment_at(self, offset: int) -> IndexedFragment | None:
        """The first fragment that contains an offset."""
        numbers = []
        index = bisect_right(self._ranges, (offset, len(self.text), len(self._fragments)))
        # Ranges may be nested: the last one that starts before the offset need not contain it, so go back as long as an
        # earlier one still reaches the offset.
        while index and self._max_ends[index - 1] >= offset:
            index -= 1
            _, end, number = self._ranges[index]
            if end >= offset:
                numbers.append(number)
        return self._fragments[min(numbers)] if numbers else None

    def line_end(self, row: int) -> int:
        """The offset at which a row ends."""
        return self.lines.start(row) + len(self.lines.line(row))

    @property
    def newline(self) -> str:
        """The line end of the part."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @cached_property
    def program(self) -> str | None:
        """The program, without IPython's lines; None if it is not valid Python."""
        program = as_python(self.text) if self.name.endswith(".ipynb") else self.text
        return program if _program_dump(program) is not None else None

    @cached_property
    def comments(self) -> dict[int, list[tuple[int, Directive | None]]]:
        """The comments of a program that may be suppressions, by row, each with its offset and directive."""
        by_row: dict[int, list[tuple[int, Directive | None]]] = {}
        for offset, text in comments(self.program or ""):
            by_row.setdefault(self.lines.position(offset)[0], []).append((offset, parse_directive(text)))
        return by_row

    @cached_property
    def logical_lines(self) -> tuple[tuple[int, int], ...]:
        """The logical lines of a program."""
        return tuple(logical_lines(self.program or ""))

    @cached_property
    def commentable_line_ends(self) -> frozenset[int]:
        """The line ends of a program at which a comment can be added: not in a string, not after a backslash."""
        return frozenset(commentable_line_ends(self.program or ""))


def index_parts(source: SourceFile) -> list[IndexedPart]:
    """The parts of a file."""
    fragments: list[list[SqlFragment]] = [[] for _ in source.units]
    for fragment in source.fragments:
        if fragment.sql:
            fragments[fragment.unit_index].append(fragment)
    return [IndexedPart(source.name, part.text, f) for part, f in zip(source.units, fragments, strict=True)]


class IndexedFragment:
    """A SQL fragment with its tokens and statements."""

    def __init__(self, fragment: SqlFragment) -> None:
        self.fragment = fragment
        self.text = fragment.sql
        self.is_contiguous = isinstance(fragment.starts, range)

    def offset(self, host_offset: int) -> int | None:
        """The offset in the SQL of an offset in the file; None if it is not in the SQL."""
        if isinstance(self.fragment.starts, range):
            sql_offset = host_offset - self.fragment.starts[0]
            return sql_offset if 0 <= sql_offset <= len(self.text) else None
        return self._offsets.get(host_offset)

    @cached_property
    def _offsets(self) -> dict[int, int]:
        return {host_offset: sql_offset for sql_offset, host_offset in enumerate(self.fragment.starts)}

    @cached_property
    def template_ranges(self) -> list[tuple[int, int]]:
        """The ranges that a template fills in."""
        return list(template_spans(self.text))

    def in_template(self, offset: int) -> bool:
        """True if an offset is strictly inside a range that a template fills in."""
        index = bisect_left(self.template_ranges, (offset, offset)) - 1
        return index >= 0 and offset < self.template_ranges[index][1]

    def is_cut_off(self, host_offset: int, comment_offset: int) -> bool:
        """True if the finding is in a string of a template and the comment would be outside of that string."""
        sql_offset, comment_sql_offset = (
            self.offset(host_position) if self.is_contiguous else None
            for host_position in (host_offset, comment_offset)
        )
        index = bisect_left(self._template_strings, (sql_offset, sql_offset)) - 1 if sql_offset is not None else -1
        if sql_offset is None or comment_sql_offset is None or index < 0:
            return False
        start, end = self._template_strings[index]
        return sql_offset < end and not start < comment_sql_offset < end

    @cached_property
    def _template_strings(self) -> list[tuple[int, int]]:
        tags = ((a, b) for a, b in self.template_ranges if self.text.startswith(("{{", "{%"), a))
        return [
            string.span()
            for a, b in tags
            if not RAW.match(self.text, a, b)
            for string in STRINGS.finditer(self.text, a, b)
        ]

    @cached_property
    def _tokens(self) -> list[Token]:
        return tokenize(self.text)

    def token_before(self, offset: int) -> Token | None:
        """The token that contains an offset or ends at it."""
        index = bisect_left(self._tokens, offset, key=lambda token: token.start) - 1
        return self._tokens[index] if index >= 0 and offset <= self._tokens[index].end else None

    @cached_property
    def statement_ranges(self) -> list[tuple[int, int]]:
        """The start and end of each statement."""
        return [(statement.start, statement.end) for statement in statements(self.text)]


Position = Callable[[IndexedPart, IndexedFragment, Diagnostic, str], Edit | None]


def line_end(part: IndexedPart, fragment: IndexedFragment, diagnostic: Diagnostic, codes: str) -> Edit | None:
    """A comment at the end of the finding's line."""
    return _at_line_end(part, fragment, diagnostic.span.row, codes)


def literal_end(part: IndexedPart, fragment: IndexedFragment, diagnostic: Diagnostic, codes: str) -> Edit | None:
    """A comment at the end of the line in which the literal with the SQL ends, or dbt's configuration."""
    if fragment.is_contiguous:
        return None
    last = fragment.fragment.starts[-1]
    if not part.name.endswith(_PROGRAM_SUFFIXES):
        last = part.text.find("}}", diagnostic.span.end)
    row = part.lines.position(last)[0] if last >= 0 else diagnostic.span.row
    return _at_line_end(part, fragment, row, codes) if row != diagnostic.span.row else None


def before_statement(part: IndexedPart, fragment: IndexedFragment, diagnostic: Diagnostic, codes: str) -> Edit | None:
    """A comment before the statement, on its own line or in its line."""
    if not fragment.is_contiguous and part.name.endswith(_PROGRAM_SUFFIXES):
        return _above_literal(part, fragment.fragment.starts[0], codes)
    if fragment.fragment.api == "sqlmesh":
        return Edit(0, 0, f"-- iceberg-sql: ignore[{codes}]{part.newline}")
    offset = fragment.offset(diagnostic.span.start) if fragment.is_contiguous else None
    ranges = [(start, end) for start, end in fragment.statement_ranges if offset is not None and start <= offset <= end]
    if not ranges:
        return None
    fragment_start = fragment.fragment.starts[0]
    start = ranges[0][0] + fragment_start
    row, column = part.lines.position(start)
    indent = part.lines.line(row)[: column - 1]
    if indent.strip() or start < fragment_start + len(indent):
        return Edit(start, start, f"/* iceberg-sql: ignore[{codes}] */ ")
    return Edit(start, start, f"-- iceberg-sql: ignore[{codes}]{part.newline}{indent}")


def _above_literal(part: IndexedPart, literal_start: int, codes: str) -> Edit | None:
    """A comment above the program's statement with a literal, which begins at this offset."""
    index = bisect_right(part.logical_lines, (literal_start, len(part.text))) - 1
    if index < 0 or part.logical_lines[index][1] < literal_start:
        return None
    start = part.logical_lines[index][0]
    row, column = part.lines.position(start)
    indent = part.lines.line(row)[: column - 1]
    if indent.strip():
        return None
    return Edit(start, start, f"# iceberg-sql: ignore[{codes}]{part.newline}{indent}")


POSITIONS: tuple[Position, ...] = (line_end, literal_end, before_statement)


def _at_line_end(part: IndexedPart, fragment: IndexedFragment, row: int, codes: str) -> Edit | None:
    """A comment at the end of a line."""
    line, start, end = part.lines.line(row), part.lines.start(row), part.line_end(row)
    comment_edit = Edit(end, end, f"  # noqa: {codes}")
    if part.name.endswith(tuple(YAML_SUFFIXES)):
        matches = _YAML_COMMENT.finditer(line)
        yaml_comments = [(start + match.start(), parse_directive(match.group())) for match in matches]
        return _extended_comment(yaml_comments, codes) or comment_edit
    if not fragment.is_contiguous and part.name.endswith(_PROGRAM_SUFFIXES) and not line.lstrip().startswith("#"):
        edit = _extended_comment(part.comments.get(row, ()), codes)
        return edit or (comment_edit if end in part.commentable_line_ends else None)
    return _in_sql_line(part, fragment, row, codes)  # `# MAGIC` is a line of SQL


def _in_sql_line(part: IndexedPart, fragment: IndexedFragment, row: int, codes: str) -> Edit | None:
    end = part.line_end(row)
    offset = fragment.offset(end)
    if offset is None or fragment.in_template(offset):
        return None
    # A template may remove the line end: `{%-`.
    comment = f"/* noqa: {codes} */" if fragment.template_ranges else f"-- noqa: {codes}"
    token = fragment.token_before(offset)
    if token is None or token.kind is not TokenKind.COMMENT:
        is_inside = token is not None and offset < token.end and token.text.strip()
        return None if is_inside else Edit(end, end, f"  {comment}")
    # The comment goes on in the next line, or is a hint, which Spark reads: nothing can be added.
    if offset < len(token.text.rstrip("\r\n")) + token.start or token.text.startswith("/*+"):
        return None
    start = end - (offset - token.start)
    edit = _extended_comment([(start, parse_directive(token.text))], codes)
    return edit or (Edit(start, start, f"{comment} ") if token.text.startswith("--") else None)


def _extended_comment(listed_comments: Iterable[tuple[int, Directive | None]], codes: str) -> Edit | None:
    """The edit that adds codes to a comment that already lists some. listed_comments: comments with their offsets."""
    for offset, directive in listed_comments:
        if directive is not None and directive.is_shared and directive.codes:
            return Edit(offset + directive.end, offset + directive.end, f", {codes}")
    return None


def _host_range(fragment: SqlFragment) -> tuple[int, int]:
    if isinstance(fragment.starts, range):
        return fragment.starts[0], fragment.ends[-1]
    return min(fragment.starts), max(fragment.ends)


def differ_only_in_comments(old: SourceFile, new: SourceFile) -> bool:
    """True if two versions of a file have the same statements and the same program, apart from comments."""
    if list(_token_texts(old)) != list(_token_texts(new)) or len(old.units) != len(new.units):
        return False
    name = old.name.lower()
    if name.endswith(tuple(YAML_SUFFIXES)):
        with suppress(yaml_nodes.YamlError):
            return yaml_nodes.parse_events(old.units[0].text) == yaml_nodes.parse_events(new.units[0].text)
        return False
    if not name.endswith(_PROGRAM_SUFFIXES):
        return True
    sql_parts = _sql_parts(old)
    return all(
        a.text == b.text or _is_same_program(name, a.text, b.text) or part in sql_parts
        for part, (a, b) in enumerate(zip(old.units, new.units, strict=True))
    )


def _token_texts(source: SourceFile) -> Iterator[str]:
    for fragment in source.fragments:
        yield from (
            token.text for token in tokenize(fragment.sql) if token.kind is not TokenKind.COMMENT and token.text.strip()
        )


def _sql_parts(source: SourceFile) -> set[int]:
    """The numbers of the cells that are SQL: under a magic, or in a SQL notebook."""
    fragments = [fragment for fragment in source.fragments if fragment.sql]
    program_parts = {fragment.unit_index for fragment in fragments if not isinstance(fragment.starts, range)}
    return {fragment.unit_index for fragment in fragments} - program_parts


def _is_same_program(name: str, *texts: str) -> bool:
    trees = [_program_dump(as_python(text) if name.endswith(".ipynb") else text) for text in texts]
    return trees[0] is not None and trees[0] == trees[1]


@lru_cache(maxsize=4)  # a file before a change and after it, each asked for several times
def _program_dump(program: str) -> str | None:
    """A program without its comments; None if it is not valid."""
    with suppress(RecursionError, MemoryError):
        tree = parse_python(program)
        return ast.dump(tree) if tree is not None else None
    return None
