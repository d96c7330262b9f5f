"""The tokens of a program in Scala or Java, as far as a reader of its string literals needs them.

In: the text of a program. Out: words, string literals and punctuation with their offsets; comments apart. Scala's
interpolators are part of their literal. Nothing fails: what is not closed ends with its line, or with the text.
"""

from __future__ import annotations

from spark_iceberg_sql.files.source_map import Offsets
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record

_NEXT = regex(
    r"(?P<space>\s+)|(?P<line>//[^\r\n]*)|(?P<block>/\*)|(?P<string>(?P<prefix>[A-Za-z_]\w*)?(?P<quote>\"{3}|\"))"
    r"|(?P<word>[A-Za-z_$]\w*|`[^`\r\n]*`)|(?P<number>\d\w*)|(?P<char>'(?:\\[^\r\n][^'\r\n]*|[^'\\\r\n])')"
    r"|(?P<operator>\+=|==|=>|->|.)"
)
_COMMENT_MARK = regex(r"/\*|\*/")
_TRIPLE_END = regex(r"\"{3,}")
_CLOSING_BRACES = regex(r"[{}\"]")
_NAME = regex(r"[A-Za-z_]\w*")


@record(frozen=True, slots=True)
class JvmToken:
    """A token. kind: `word`, `string` or `operator`. start, end: its offsets. text: it, of a string its interpolator.

    content: for a string, the offsets of what is between its quotes. is_block: for a string, it is in triple quotes.
    """

    kind: str
    start: int
    end: int
    text: str
    content: Offsets = (0, 0)
    is_block: bool = False


def jvm_tokens(text: str, *, is_scala: bool) -> tuple[list[JvmToken], list[Offsets]]:
    """The tokens of a program, and the offsets of its comments. is_scala: it is not Java."""
    tokens: list[JvmToken] = []
    comments: list[Offsets] = []
    offset = 0
    while (match := _NEXT.match(text, offset)) is not None:
        start, offset = match.span()
        kind = match.lastgroup
        if kind == "line":
            comments.append((start, offset))
        elif kind == "block":
            offset = _comment_end(text, offset, is_nested=is_scala)
            comments.append((start, offset))
        elif match["quote"] is not None:
            prefix = match["prefix"] or ""
            if prefix and not is_scala:  # in Java, a word and a literal behind it
                tokens.append(JvmToken("word", start, start + len(prefix), prefix))
                start, prefix = start + len(prefix), ""
            is_block = len(match["quote"]) == 3
            end, offset = _literal_end(text, offset, is_block=is_block, is_scala=is_scala, has_fields=bool(prefix))
            tokens.append(JvmToken("string", start, offset, prefix, (match.end(), end), is_block))
        elif kind == "word":
            tokens.append(JvmToken("word", start, offset, match.group()))
        elif kind in ("operator", "number", "char"):
            tokens.append(JvmToken("operator", start, offset, match.group()))
    return tokens, comments


def field_end(text: str, offset: int) -> int:
    """The end of the field of an interpolated literal whose `$` is at an offset."""
    if not text.startswith("${", offset):
        name = _NAME.match(text, offset + 1)
        return name.end() if name is not None else offset + 1
    depth, offset = 0, offset + 1
    while (match := _CLOSING_BRACES.search(text, offset)) is not None:
        offset = match.end()
        if match.group() == '"':
            is_block = text.startswith('""', offset)
            offset += 2 if is_block else 0
            _, offset = _literal_end(text, offset, is_block=is_block, is_scala=True, has_fields=False)
            continue
        depth += 1 if match.group() == "{" else -1
        if not depth:
            return offset
    return len(text)


def _comment_end(text: str, offset: int, *, is_nested: bool) -> int:
    depth = 1
    while (match := _COMMENT_MARK.search(text, offset)) is not None:
        offset = match.end()
        depth += -1 if match.group() == "*/" else 1 if is_nested else 0
        if not depth:
            return offset
    return len(text)


def _literal_end(text: str, offset: int, *, is_block: bool, is_scala: bool, has_fields: bool) -> tuple[int, int]:
    """Where the text of a literal ends, and where the literal does."""
    while offset < len(text):
        char = text[offset]
        if has_fields and char == "$":
            offset = offset + 2 if text.startswith("$$", offset) else field_end(text, offset)
        elif char == "\\" and not (is_block and is_scala):
            offset += 2
        elif is_block and char == '"' and (end := _TRIPLE_END.match(text, offset)) is not None:
            # In Scala, only the last three quotes close it.
            closing = end.end() - 3 if is_scala else offset
            return closing, closing + 3
        elif not is_block and char in '"\r\n':
            return offset, offset + (1 if char == '"' else 0)
        else:
            offset += 1
    return len(text), len(text)
