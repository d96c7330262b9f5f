"""A cursor over a statement's tokens: it reads keywords, names and strings.

Empty tokens after the last one make looking ahead safe without checks of the length.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NoReturn

from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.syntax.characters import upper
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.nodes import Create
from spark_iceberg_sql.syntax.syntax_errors import SYNTAX_ERRORS
from spark_iceberg_sql.syntax.terms import NamePath, Offsets

# Keywords that Iceberg's grammar does not allow as names; Spark's allows all of its own.
_ICEBERG_RESERVED: Final = frozenset({"ARRAY", "RETENTION"})
_CONTEXTUAL_WORDS: Final = _ICEBERG_RESERVED | {"IDENTIFIER"}  # words that are not always names
_TABLE: Final = "a table name"
_WORD: Final = TokenKind.WORD


_PADDING: Final = 5  # more than the grammar's look-ahead
_new_tuple: Final = tuple.__new__  # as in the lexer: names are most of what is read


class ParseError(Exception):
    """Parsing failed: neither Spark's nor Iceberg's grammar accepts the next token.

    token: the offending one. expected: what the grammar accepts there. error_kind: the key in SYNTAX_ERRORS.
    partial_create: for a CREATE TABLE, the part read before.
    """

    def __init__(self, token: Token, expected: str, error_kind: str = "") -> None:
        super().__init__(expected)
        assert error_kind in SYNTAX_ERRORS, error_kind
        self.token, self.expected, self.error_kind = token, expected, error_kind
        self.partial_create: Create | None = None


class TooDeep(Exception):  # noqa: N818
    """A type is nested deeper than the parser's limit."""


class Cursor:
    """Reads tokens from left to right; `words` holds keywords in upper case, other tokens as written.

    is_iceberg: Iceberg's grammar parses the statement: it accepts fewer names than Spark's. is_partition_ddl:
    a ParseError from here on is an error in partition DDL. target_table: the statement's table, once read.
    parameter_span: the position of a parameter marker in a transform.
    """

    def __init__(self, script: str, tokens: list[Token], end: int) -> None:
        self.script = script
        self.tokens = [*tokens, *[Token(TokenKind.MARK, "", end, end)] * _PADDING]
        to_upper = str.upper if script.isascii() else upper
        self.words = [to_upper(t[1]) if t[0] is _WORD else t[1] for t in self.tokens]
        self.count = len(tokens)
        self.index = 0
        self.is_iceberg = False
        # True if a ParseError from here on is an error, and the statement is not of another kind.
        self.is_partition_ddl = False
        self.target_table: NamePath | None = None
        self.parameter_span: Offsets | None = None

    @property
    def token(self) -> Token:
        """The next token; at the end of the statement, an empty one."""
        return self.tokens[self.index]

    @property
    def word(self) -> str:
        """The next token's word."""
        return self.words[self.index]

    @property
    def done(self) -> bool:
        """True if no token is left."""
        return self.index >= self.count

    def is_at(self, *keywords: str) -> bool:
        """True if these words come next."""
        i = self.index
        if self.words[i] != keywords[0]:
            return False
        return len(keywords) == 1 or self.words[i : i + len(keywords)] == [*keywords]

    def take(self, *keywords: str) -> bool:
        """Skip these words if they come next."""
        i, count = self.index, len(keywords)
        if self.words[i] != keywords[0] or (count > 1 and self.words[i : i + count] != [*keywords]):
            return False
        self.index += count
        return True

    def expect(self, word: str, error_kind: str = "") -> None:
        """Skip this word, or raise ParseError."""
        if self.words[self.index] != word:
            self.fail(f"`{word}`", error_kind)
        self.index += 1

    def fail(self, expected: str, error_kind: str = "") -> NoReturn:
        """Raise ParseError at the next token."""
        raise ParseError(self.token, expected, error_kind)

    def fail_at(self, span: Offsets, expected: str, error_kind: str = "") -> NoReturn:
        """Raise ParseError at something that was read before."""
        raise ParseError(Token(TokenKind.WORD, self.script[slice(*span)], *span), expected, error_kind)

    def fail_in_ddl(self, expected: str, error_kind: str = "") -> NoReturn:
        """Raise ParseError at the next token, which makes the statement partition DDL."""
        self.is_partition_ddl = True
        self.fail(expected, error_kind)

    def add_clause(self, clauses: set[str], clause: str, error_kind: str = "duplicate-clause") -> None:
        """Record the clause that comes next, or raise ParseError if the statement has it already."""
        if clause in clauses:
            self.fail(f"one `{clause}`", error_kind)
        clauses.add(clause)

    def since(self, start: int) -> Offsets:
        """The offsets from a start to the last token read."""
        return start, max(start, self.tokens[self.index - 1].end if self.index else start)

    # --- names -------------------------------------------------------------------------------

    @property
    def at_name(self) -> bool:
        """True if the next token can be a name."""
        return self.tokens[self.index].kind in (_WORD, TokenKind.QUOTED)

    def name(self, expected: str = "a name") -> str:
        """Read one part of a name."""
        i = self.index
        kind, text, _, _ = self.tokens[i]
        is_plain = kind is _WORD and text.isidentifier() and text.isascii()
        if is_plain and self.words[i] not in _CONTEXTUAL_WORDS and self.words[i + 1] != "-":
            self.index += 1  # as nearly all are
            return text
        if kind is TokenKind.QUOTED:
            self.index += 1
            return text[1:-1].replace("``", "`")
        if kind is not _WORD:
            self.fail(expected, "quoted-name" if kind in STRINGS else "")
        if "{" in text or "$" in text:  # a template
            self.index += 1
            return text
        if not (upper(text) if self.is_iceberg else text).isascii() or "/" in text:
            self.fail(f"{expected} in backticks, `{text}`", "needs-backticks")
        if self.is_iceberg and self.word in _ICEBERG_RESERVED:
            self.fail(f"{expected} in backticks, `{text}`", "needs-backticks")
        allows_clause = not self.is_iceberg or expected == _TABLE
        if allows_clause and self.word == "IDENTIFIER" and self.words[self.index + 1] == "(":
            return self._identifier_clause()
        self.index += 1
        if self.word == "-" and self.tokens[self.index + 1].kind in (_WORD, TokenKind.NUMBER):
            self.fail(f"{expected} in backticks, `{text}-{self.tokens[self.index + 1].text}`", "needs-backticks")
        return text

    def _identifier_clause(self) -> str:
        """IDENTIFIER('name'): in Spark, IDENTIFIER before a parenthesis is always this clause.

        In Iceberg's grammar it is an ordinary name, possibly a transform's.
        """
        if self.is_iceberg:
            self.fail("a name", "identifier-clause")
        string = self.tokens[self.index + 2]
        if string.kind not in STRINGS:
            raise ParseError(string, "a name in quotes")
        self.index += 4 if self.words[self.index + 3] == ")" else 1
        return unescape(string.text) if self.words[self.index - 1] == ")" else "identifier"

    def single_name(self, expected: str) -> NamePath:
        """Read a name of one part, with its span."""
        start = self.token.start
        name = self.name(expected)
        span = self.since(start)
        return NamePath((name,), span, self.script[slice(*span)])

    def path(self, expected: str = "a name") -> NamePath:
        """Read a name of one or more parts."""
        start = self.tokens[self.index].start
        names = [self.name(expected)]
        while self.words[self.index] == ".":
            self.index += 1
            names.append(self.name(expected))
        end = self.tokens[self.index - 1].end
        return _new_tuple(NamePath, (tuple(names), (start, end), self.script[start:end], False))

    def table(self) -> NamePath:
        """Read a table's name, or Spark's IDENTIFIER(...) instead."""
        token = self.token
        if not self.is_iceberg and self.is_at("IDENTIFIER", "(") and self._is_clause():
            self.index += 1
            next_token = self.tokens[self.index + (3 if self.words[self.index + 1] == ":" else 2)]
            is_literal = self.tokens[self.index + 1].kind not in (_WORD, TokenKind.QUOTED)
            if is_literal and next_token.kind in (_WORD, TokenKind.QUOTED):
                raise ParseError(next_token, "`)`")
            self.skip_brackets()
            span = self.since(token.start)
            text = self.script[span[0] : span[1]]
            string_token = self.tokens[self.index - 2]
            if self.index >= 3 and self.words[self.index - 3] == "(" and string_token.kind in STRINGS:
                return NamePath(split_name(unescape(string_token.text)), span, text)
            return NamePath((text,), span, text, is_computed=True)
        return self.path(_TABLE)

    def _is_clause(self) -> bool:
        """True if IDENTIFIER ( is Spark's clause, not a table of that name with a column list."""
        inner_token, next_token = self.tokens[self.index + 2], self.tokens[self.index + 3]
        if inner_token.kind in (_WORD, TokenKind.QUOTED):
            return next_token.kind not in (_WORD, TokenKind.QUOTED)
        return inner_token.kind in STRINGS or inner_token.text in (":", "?")

    # --- strings and brackets ------------------------------------------------------------------

    @property
    def at_string(self) -> bool:
        """True if a string comes next."""
        return self.tokens[self.index].kind in STRINGS

    def string(self, expected: str = "a string") -> tuple[str, Offsets]:
        """Read a string, possibly of several adjacent literals, or a parameter instead; returns content and span."""
        start = self.token.start
        contents = []
        while self.at_string or self.at_parameter:
            if self.at_string:
                contents.append(unescape(self.token.text))
                self.index += 1
            else:
                self.skip_parameter()
        span = self.since(start)
        if span[0] == span[1]:
            self.fail(expected)
        return "".join(contents), span

    @property
    def at_parameter(self) -> bool:
        """True if a parameter marker, `?` or `:name`, comes next."""
        return self.word == "?" or (self.word == ":" and self.tokens[self.index + 1].kind is _WORD)

    def skip_parameter(self) -> Offsets:
        """Skip a parameter marker; returns its span."""
        start = self.token.start
        self.index += 1 if self.word == "?" else 2
        return self.since(start)

    def skip_brackets(self) -> None:
        """Skip a bracketed range of tokens, from the opening to the closing bracket."""
        depth = 0
        while not self.done:
            word = self.words[self.index]
            self.index += 1
            if word in ("(", "["):
                depth += 1
            elif word in (")", "]"):
                depth -= 1
                if depth <= 0:
                    return
        self.fail("`)`")

    def expect_brackets(self) -> None:
        """Skip a parenthesized range of tokens, or raise ParseError."""
        if self.word != "(":
            self.fail("`(`")
        self.skip_brackets()

    def comma_list(self, *, may_have_brackets: bool = False) -> Iterator[None]:
        """Yield where each item of a comma-separated list begins; the loop over this reads the item."""
        has_brackets = may_have_brackets and self.take("(")
        yield
        while self.take(","):
            yield
        if has_brackets:
            self.expect(")")
