"""A cursor over a statement's tokens: it reads keywords, names and strings.

Empty tokens after the last one make looking ahead safe without checks of the length.
"""

from __future__ import annotations

from typing import NoReturn

from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.syntax.characters import upper
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind, Token
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.mistakes import MISTAKES
from spark_iceberg_sql.syntax.nodes import Create
from spark_iceberg_sql.syntax.terms import Offsets, Ref

# Keywords that Iceberg's grammar does not allow as names; Spark's allows all of its own.
_ICEBERG_RESERVED = frozenset({"ARRAY", "RETENTION"})
_LOOKED_AT = _ICEBERG_RESERVED | {"IDENTIFIER"}  # words that are not always names
_TABLE = "a table name"


_AHEAD = 5  # more than the grammar's look-ahead


class Stop(Exception):  # noqa: N818
    """Parsing failed: neither Spark's nor Iceberg's grammar accepts the next token.

    token: the offending one. expected: what the grammar accepts there. error_kind: the key in SYNTAX_ERRORS.
    partial_create: for a CREATE TABLE, the part read before.
    """

    def __init__(self, token: Token, expected: str, like: str = "") -> None:
        super().__init__(expected)
        assert like in MISTAKES, like
        self.token, self.expected, self.like = token, expected, like
        self.begun: Create | None = None


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
        nothing = Token(Kind.MARK, "", end, end)
        self.tokens = [*tokens, *[nothing] * _AHEAD]
        word, up = Kind.WORD, str.upper if script.isascii() else upper
        self.words = [up(t[1]) if t[0] is word else t[1] for t in self.tokens]
        self.count = len(tokens)
        self.i = 0
        self.iceberg = False
        # True if a ParseError from here on is an error, and the statement is not of another kind.
        self.partition = False
        self.target: Ref | None = None
        self.parameter: Offsets | None = None

    @property
    def token(self) -> Token:
        """The next token; at the end of the statement, an empty one."""
        return self.tokens[self.i]

    @property
    def word(self) -> str:
        """The next token's word."""
        return self.words[self.i]

    @property
    def done(self) -> bool:
        """True if no token is left."""
        return self.i >= self.count

    def at(self, *words: str) -> bool:
        """True if these words come next."""
        i = self.i
        if self.words[i] != words[0]:
            return False
        return len(words) == 1 or self.words[i : i + len(words)] == [*words]

    def take(self, *words: str) -> bool:
        """Skip these words if they come next."""
        i, count = self.i, len(words)
        if self.words[i] != words[0] or (count > 1 and self.words[i : i + count] != [*words]):
            return False
        self.i += count
        return True

    def expect(self, word: str, like: str = "") -> Token:
        """Skip this word, or raise ParseError."""
        if self.words[self.i] != word:
            self.stop(f"`{word}`", like)
        self.i += 1
        return self.tokens[self.i - 1]

    def stop(self, expected: str, like: str = "") -> NoReturn:
        """Raise ParseError at the next token."""
        raise Stop(self.token, expected, like)

    def since(self, start: int) -> Offsets:
        """The offsets from a start to the last token read."""
        return start, max(start, self.tokens[self.i - 1].end if self.i else start)

    # --- names -------------------------------------------------------------------------------

    @property
    def at_name(self) -> bool:
        """True if the next token can be a name."""
        return self.tokens[self.i].kind in (Kind.WORD, Kind.QUOTED)

    def name(self, what: str = "a name") -> str:
        """Read one part of a name."""
        i = self.i
        kind, text, _, _ = self.tokens[i]
        plain = kind is Kind.WORD and text.isidentifier() and text.isascii()
        if plain and self.words[i] not in _LOOKED_AT and self.words[i + 1] != "-":
            self.i += 1  # as nearly all are
            return text
        if kind is Kind.QUOTED:
            self.i += 1
            return text[1:-1].replace("``", "`")
        if kind is not Kind.WORD:
            self.stop(what, "quoted-name" if kind in STRINGS else "")
        if "{" in text or "$" in text:  # a template
            self.i += 1
            return text
        if not (upper(text) if self.iceberg else text).isascii() or "/" in text:
            self.stop(f"{what} in backticks, `{text}`", "needs-backticks")
        if self.iceberg and self.word in _ICEBERG_RESERVED:
            self.stop(f"{what} in backticks, `{text}`", "needs-backticks")
        clause = not self.iceberg or what == _TABLE
        if clause and self.word == "IDENTIFIER" and self.words[self.i + 1] == "(":
            return self._identifier_clause()
        self.i += 1
        if self.word == "-" and self.tokens[self.i + 1].kind in (Kind.WORD, Kind.NUMBER):
            self.stop(
                f"{what} in backticks, `{text}-{self.tokens[self.i + 1].text}`", "needs-backticks"
            )
        return text

    def _identifier_clause(self) -> str:
        """IDENTIFIER('name'): in Spark, IDENTIFIER before a parenthesis is always this clause.

        In Iceberg's grammar it is an ordinary name, possibly a transform's.
        """
        if self.iceberg:
            self.stop("a name", "identifier-clause")
        string = self.tokens[self.i + 2]
        if string.kind not in STRINGS:
            raise Stop(string, "a name in quotes")
        self.i += 4 if self.words[self.i + 3] == ")" else 1
        return unescape(string.text) if self.words[self.i - 1] == ")" else "identifier"

    def path(self, what: str = "a name") -> Ref:
        """Read a name of one or more parts."""
        start = self.tokens[self.i].start
        names = [self.name(what)]
        while self.words[self.i] == ".":
            self.i += 1
            names.append(self.name(what))
        end = self.tokens[self.i - 1].end
        return Ref(tuple(names), (start, end), self.script[start:end])

    def table(self) -> Ref:
        """Read a table's name, or Spark's IDENTIFIER(...) instead."""
        token = self.token
        if not self.iceberg and self.at("IDENTIFIER", "(") and self._is_clause():
            self.i += 1
            after = self.tokens[self.i + (3 if self.words[self.i + 1] == ":" else 2)]
            literal = self.tokens[self.i + 1].kind not in (Kind.WORD, Kind.QUOTED)
            if literal and after.kind in (Kind.WORD, Kind.QUOTED):
                raise Stop(after, "`)`")
            self.skip_brackets()
            span = self.since(token.start)
            text = self.script[span[0] : span[1]]
            inside = self.tokens[self.i - 2]
            if self.i >= 3 and self.words[self.i - 3] == "(" and inside.kind in STRINGS:
                return Ref(split_name(unescape(inside.text)), span, text)
            return Ref((text,), span, text, computed=True)
        return self.path(_TABLE)

    def _is_clause(self) -> bool:
        """True if IDENTIFIER ( is Spark's clause, not a table of that name with a column list."""
        inside, after = self.tokens[self.i + 2], self.tokens[self.i + 3]
        if inside.kind in (Kind.WORD, Kind.QUOTED):
            return after.kind not in (Kind.WORD, Kind.QUOTED)
        return inside.kind in STRINGS or inside.text in (":", "?")

    # --- strings and brackets ------------------------------------------------------------------

    @property
    def at_string(self) -> bool:
        """True if a string comes next."""
        return self.tokens[self.i].kind in STRINGS

    def string(self, what: str = "a string") -> tuple[str, Offsets]:
        """Read a string, possibly of several adjacent literals, or a parameter instead; returns content and
        span.
        """
        start = self.token.start
        pieces = []
        while self.at_string or self.at_parameter:
            if self.at_string:
                pieces.append(unescape(self.token.text))
                self.i += 1
            else:
                self.skip_parameter()
        span = self.since(start)
        if span[0] == span[1]:
            self.stop(what)
        return "".join(pieces), span

    @property
    def at_parameter(self) -> bool:
        """True if a parameter marker, `?` or `:name`, comes next."""
        return self.word == "?" or (self.word == ":" and self.tokens[self.i + 1].kind is Kind.WORD)

    def skip_parameter(self) -> Offsets:
        """Skip a parameter marker; returns its span."""
        start = self.token.start
        self.i += 1 if self.word == "?" else 2
        return self.since(start)

    def skip_brackets(self) -> None:
        """Skip a bracketed range of tokens, from the opening to the closing bracket."""
        depth = 0
        while not self.done:
            word = self.words[self.i]
            self.i += 1
            if word in ("(", "["):
                depth += 1
            elif word in (")", "]"):
                depth -= 1
                if depth <= 0:
                    return
        self.stop("`)`")
