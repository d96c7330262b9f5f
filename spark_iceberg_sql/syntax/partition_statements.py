"""The statements of Iceberg's grammar within one of Spark's: after EXPLAIN, and in a BEGIN ... END block.

Iceberg's parser reads only a whole text. Its statements can also have what only Spark's grammar knows: hints,
IDENTIFIER(...), parameter markers.
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.hints import split_hints
from spark_iceberg_sql.syntax.lexer import Token, TokenKind, tokenize
from spark_iceberg_sql.syntax.parser.nested import EXPLAIN_MODES, OPENERS
from spark_iceberg_sql.syntax.routing import has_iceberg_phrase
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.terms import Offsets


@record(frozen=True, slots=True)
class PartitionStatement:
    """A statement of Iceberg's grammar.

    tokens: from ALTER on, without trivia and hints. start: of its EXPLAIN, or of its ALTER. end: of its last token.
    hints: the spans of the hints in it. in_block: whether it is inside BEGIN ... END.
    """

    tokens: tuple[Token, ...]
    start: int
    end: int
    hints: tuple[Offsets, ...]
    in_block: bool

    @property
    def is_explained(self) -> bool:
        """True if EXPLAIN is before it."""
        return self.start < self.tokens[0].start


def partition_statements(statement: Statement) -> list[PartitionStatement]:
    """The statements of Iceberg's grammar in a statement: itself, the one that it explains, those of a block."""
    if not statement.closed or not (statement.compound or statement.first in ("ALTER", "EXPLAIN", "/*+")):
        return []
    tokens, hints = split_hints(statement.tokens)
    words = [token.word for token in tokens]
    result, first = [], 0
    for last in [*(i for i, word in enumerate(words) if word == ";"), len(words)]:
        start = _verb(words, first, last) if statement.compound else _after_explain(words, first)
        if start is not None and words[start : start + 2] == ["ALTER", "TABLE"]:
            begin = start
            if has_iceberg_phrase(words[start:last]):
                while begin > first and words[begin - 1] in ("EXPLAIN", *EXPLAIN_MODES):
                    begin -= 1
                span = (tokens[begin].start, tokens[last - 1].end)
                inner_hints = tuple(hint for hint in hints if not statement.compound or span[0] < hint[0] < span[1])
                result.append(PartitionStatement(tuple(tokens[start:last]), *span, inner_hints, statement.compound))
        first = last + 1
    return result


def _after_explain(words: list[str], first: int) -> int:
    if words[first : first + 1] != ["EXPLAIN"]:
        return first
    return first + (2 if words[first + 1 : first + 2] and words[first + 1] in EXPLAIN_MODES else 1)


def _verb(words: list[str], first: int, last: int) -> int | None:
    """Where a statement of a block begins with ALTER TABLE: after a loop's DO, a handler's condition, a label."""
    for i in range(first, last - 1):
        if words[i] != "ALTER" or words[i + 1] != "TABLE":
            continue
        head = i
        while head > first and words[head - 1] in ("EXPLAIN", *EXPLAIN_MODES):
            head -= 1
        if head == first or words[head - 1] in OPENERS or ("HANDLER" in words[first:head]):
            return i
    return None


def markers(tokens: list[Token] | tuple[Token, ...]) -> Iterator[Offsets]:
    """The spans of the parameter markers, `?` and `:name`."""
    for i, token in enumerate(tokens):
        if token.text == "?":
            yield token.start, token.end
        elif token.text == ":" and i + 1 < len(tokens):
            name = tokens[i + 1]
            if name.kind is TokenKind.WORD and name.start == token.end:
                yield token.start, name.end


def identifier_clauses(tokens: tuple[Token, ...]) -> Iterator[tuple[Offsets, tuple[Token, ...]]]:
    """Each IDENTIFIER(...): its span, and the tokens in it."""
    i = 0
    while i < len(tokens) - 2:
        if tokens[i].word == "IDENTIFIER" and tokens[i + 1].text == "(":
            depth, j = 1, i + 2
            while j < len(tokens) and depth:
                depth += {"(": 1, ")": -1}.get(tokens[j].text, 0)
                j += 1
            if not depth:
                yield (tokens[i].start, tokens[j - 1].end), tokens[i + 2 : j - 1]
            i = j
        i += 1


def without_comments(text: str) -> str:
    """A statement with blanks in place of its comments, and on as many lines."""
    parts = (
        (" " + "\n" * token.text.count("\n")) if token.kind is TokenKind.COMMENT else token.text
        for token in tokenize(text)
    )
    return "".join(parts)
