"""Credentials in texts that are shown: which parts of SQL, and of programs with SQL in them, may be some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spark_iceberg_sql.diagnostics import Edit, apply_edits
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.functions.table_functions import ALL_FUNCTIONS
from spark_iceberg_sql.syntax.lexer import STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.script import statements

MASK = "***"
_CALLS = frozenset(name.upper() for f in ALL_FUNCTIONS if f.has_secrets for name in f.names)
CREDENTIAL_CALL = regex(rf"(?i)\b(?:{'|'.join(_CALLS)})\s*\(")
_WORDS = (
    r"secret|passw|token|credential|connection.?string"
    r"|(?:access|account|api|private|encryption|signing|shared).?key"
)
_LOGIN = r"//[^/@\s:]*:[^/@\s]*@"
SECRETS = regex(rf"(?i){_WORDS}|{_LOGIN}")
_KEY_END = regex(r"(?i)(?:\bkey|[-_.]key|[a-z]key)\W*$")
_VALUE = regex(rf"(?i){_LOGIN}|(?:key|secret|token|password|signature|\bsig)=")
_ANY_SECRET = regex(rf"(?i){_WORDS}|{_LOGIN}|key")
# In a program: a key, what is between it and its value (such as `"] = ` and `", `), and the literal.
_KEY = rf"(?:{_WORDS}|(?:\b|[-_.])key)[\w.-]{{0,80}}"
_KEY_AND_LITERAL = regex(
    rf"(?i){_KEY}[\\'\"`\])\s]{{0,40}}(?:[=:,]>?|\s)[\s\\]{{0,40}}"
    r"[rbfu]{0,2}(?P<quote>\\?(?:'''|\"\"\"|'|\"))(?P<value>[^\n]*?)(?P=quote)"
)
_PART_OF_LITERAL = regex(
    r"(?i)//(?P<login>[^/@\s:'\"]*:[^/@\s'\"]*)@"
    rf"|\bset\s{{1,40}}[\w.-]{{0,80}}?{_KEY}\s{{0,40}}=(?P<assigned>[^\n;'\"]+)"
    rf"|{_KEY}[\\'\"`\s]{{0,40}}=>?\s{{0,40}}(?P<number>\d+)"
    r"|(?:key|secret|token|password|signature|\bsig)=(?P<value>[^\s&;,'\"()\\]+)"
)
_HINTS = ("secret", "passw", "token", "credential", "key", "connection", "signature", "sig=", "//")
_ESCAPED_QUOTE = regex(r"\\(['\"])")
_MAX_CALL = 2000  # characters of a call
_KEY_LENGTH = 100  # characters of a key in which a word may end


def masked(text: str) -> str:
    """The text with `***` for each value that may be a credential."""
    return apply_edits(text, secrets_of(text))


def secrets_of(text: str) -> list[Edit]:
    """The edits that mask the values of a SQL text that may be credentials.

    These are values of properties, options and arguments whose key looks like a secret's; passwords in URLs; unnamed
    arguments after the first of table functions that take credentials; the value that SET assigns to such a key.
    """
    if not _may_have_secrets(text):
        return []
    edits = []
    for statement in statements(text):
        if _may_have_secrets(statement.text):  # its tokens are read only then
            edits += masks(text, _secret_spans(statement.text, statement.tokens, statement.start))
    return edits


def program_secrets_of(text: str) -> list[Edit]:
    """The edits that mask the values of a program's text that may be credentials.

    Its SQL is in literals, and no lexer of SQL can read a program from its start: an apostrophe in a comment would
    make texts of strings and strings of texts. Masked are literals and numbers after a word that looks like a secret's
    key; what such a word is assigned in a connection string or by SET; passwords in URLs; literals among the arguments
    of table functions that take credentials.
    """
    spans = []
    for start, end in _rows_with_hints(text):
        for pattern in (_KEY_AND_LITERAL, _PART_OF_LITERAL):
            spans += [match.span(match.lastgroup or 0) for match in pattern.finditer(text, start, end)]
    call = CREDENTIAL_CALL.search(text)
    while call is not None:
        end, literals = _call_literals(text, call.start())
        spans += literals
        call = CREDENTIAL_CALL.search(text, end)
    return masks(text, spans)


def _rows_with_hints(text: str) -> Iterator[tuple[int, int]]:
    """The rows in which a word may be a key, each with the row after it: most of a long program has none."""
    lower_text = text.lower()
    if len(lower_text) != len(text):  # some letters become two
        yield 0, len(text)
        return
    starts = set()
    for hint in _HINTS:
        offset = lower_text.find(hint)
        while offset >= 0:
            starts.add(text.rfind("\n", 0, offset) + 1)
            row_end = text.find("\n", offset)
            offset = lower_text.find(hint, row_end) if row_end >= 0 else -1
    for start in starts:
        row_end = text.find("\n", start)
        next_end = text.find("\n", row_end + 1) if row_end >= 0 else -1
        yield start, next_end if next_end >= 0 else len(text)


def masks(text: str, spans: Iterable[tuple[int, int]]) -> list[Edit]:
    """The edits that mask parts of a text, in order; the rows after them keep their numbers."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif start < end:
            merged.append((start, end))
    return [Edit(start, end, MASK + "\n" * text.count("\n", start, end)) for start, end in merged]


def _call_literals(text: str, start: int) -> tuple[int, list[tuple[int, int]]]:
    """The end of the call at an offset of a program, and its literals after the first comma; calls within it have no
    others.
    """
    # A quote that the program escapes is one of the SQL.
    sql = _ESCAPED_QUOTE.sub(r" \1", text[start : start + _MAX_CALL])
    literals: list[tuple[int, int]] = []
    depth, has_comma = 0, False
    for token in statements(sql)[0].tokens:
        depth += (token.text == "(") - (token.text == ")")
        has_comma |= token.text == ","
        if token.text == ")" and depth == 0:
            return start + token.end, literals
        # A string over several lines is what stands between two literals of the program.
        if has_comma and token.kind in STRINGS and "\n" not in token.text:
            literals.append((start + token.start + 1, start + token.end - 1))
    return start + len(sql), literals


def _may_have_secrets(text: str) -> bool:
    return any(pattern.search(text) for pattern in (_ANY_SECRET, _VALUE, CREDENTIAL_CALL))


class _Key:
    """The text of the tokens before a value, of which no more is kept than shows whether it names a secret."""

    def __init__(self, text: str = "") -> None:
        self._end = ""
        self._has_secret = False
        self.add(text)

    def add(self, text: str) -> None:
        """Continue the key."""
        longer_end = self._end + text
        self._has_secret = self._has_secret or SECRETS.search(longer_end) is not None
        self._end = longer_end[-_KEY_LENGTH:]

    @property
    def is_secret(self) -> bool:
        """Whether the value may be a credential."""
        return self._has_secret or _KEY_END.search(self._end) is not None


def _secret_spans(text: str, tokens: list[Token], base_offset: int) -> Iterator[tuple[int, int]]:
    # SET takes its value as raw text, not as a string token: all after the first `=` is the value.
    if tokens and tokens[0].word == "SET" and "=" in text:
        start = text.index("=") + 1
        if _Key(text[: start - 1].rstrip()).is_secret or _VALUE.search(text[start:]):
            yield base_offset + start, base_offset + len(text)
        return
    key = _Key()
    for previous, token in zip([None, *tokens], tokens, strict=False):
        if token.text in (",", "(") or token.word in _KEY_END_WORDS:
            key = _Key()
        elif token.kind in STRINGS:
            if key.is_secret or _VALUE.search(token.text):
                yield token.start + 1, token.end - 1
            elif previous is None or previous.text in (",", "("):
                key = _Key(token.text)
        elif token.kind is TokenKind.NUMBER and previous is not None:
            if (previous.text in ("=", "=>") or previous.kind in STRINGS) and key.is_secret:
                yield token.start, token.end
        elif token.text not in ("=", "=>"):
            key.add(token.text)
    yield from credential_arguments(tokens)


# Words that end a key.
_KEY_END_WORDS = frozenset({"SELECT", "WHERE", "VALUES", "AND", "OR", "FROM", "AS", "LOCATION", "USING"})


def credential_arguments(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """The strings after the first argument of table functions that take credentials."""
    depth = 0
    for previous, opening, argument in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.text == "(" and (depth or previous.word in _CALLS):
            depth += 1
        elif opening.text == ")" and depth:
            depth -= 1
        if depth and opening.text == "," and argument.kind in STRINGS:
            yield argument.start + 1, argument.end - 1
