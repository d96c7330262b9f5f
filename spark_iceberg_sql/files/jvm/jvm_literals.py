"""The values of string literals of Scala and Java, with the offset of each character."""

from __future__ import annotations

from spark_iceberg_sql.files.jvm.jvm_tokens import JvmToken, field_end
from spark_iceberg_sql.files.source_map import FragmentBuilder
from spark_iceberg_sql.lazy import regex

# The interpolators whose fields are values; what another one makes of its text is unknown.
INTERPOLATORS = ("", "s", "f", "raw")
_ESCAPES = {
    "b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "s": " ", '"': '"', "'": "'", "\\": "\\",
}  # fmt: skip
_CODED_ESCAPE = regex(r"\\(?:u+([0-9a-fA-F]{4})|([0-3]?[0-7]{1,2})|(\r?\n))")
_MARGIN = regex(r"[ \t]*\|")
# `%s`, `%1$s`, `%,d`, `%n`; and behind a field of Scala's `f"..."`.
_FORMAT = regex(r"%(?:\d+\$)?[-#+ 0,(<]*\d*(?:\.\d+)?(?:[tT])?[a-zA-Z]")


def read_jvm_literal(
    text: str,
    token: JvmToken,
    builder: FragmentBuilder,
    *,
    is_scala: bool,
    has_margin: bool,
    is_format: bool,
    is_exclusive: bool,
) -> None:
    """Add the text of a literal to a fragment.

    text: the program. token: the literal. builder: of the fragment. is_scala: it is not Java's. has_margin:
    `stripMargin` takes the margin from it. is_format: it is formatted, as by String.format. is_exclusive: only this
    fragment uses it.
    """
    builder.begin_literal(is_exclusive=is_exclusive)
    offset, end = token.content
    has_escapes = not (is_scala and token.is_block) and token.text != "raw"
    while offset < end:
        char, stop = text[offset], offset + 1
        if has_margin and _begins_line(text, offset, token):
            margin = _MARGIN.match(text, offset, end)
            if margin is not None:
                offset = margin.end()
                continue
        if token.text and char == "$":
            if text.startswith("$$", offset):
                builder.add("$", offset, offset + 2)
                offset += 2
                continue
            stop = min(field_end(text, offset), end)
            if token.text == "f" and (format_ := _FORMAT.match(text, stop, end)) is not None:
                stop = format_.end()
            builder.add_placeholder(offset, stop, text[offset:stop])
        elif (is_format or token.text == "f") and char == "%":
            field = _FORMAT.match(text, offset, end)
            if text.startswith("%%", offset):
                stop = offset + 2
                builder.add("%", offset, stop)
            elif field is not None and is_format:
                stop = field.end()
                builder.add_placeholder(offset, stop, text[offset:stop])
            else:
                builder.add(char, offset, stop)
        elif char == "\\" and has_escapes and stop < end:
            stop, value = _read_escape(text, offset)
            builder.add(value, offset, stop)
        elif char == "\r" and text.startswith("\r\n", offset):
            stop = offset + 2
            builder.add("\n", offset, stop)
        else:
            builder.add(char, offset, stop)
        offset = stop


def _begins_line(text: str, offset: int, token: JvmToken) -> bool:
    return offset == token.content[0] or text[offset - 1] == "\n"


def _read_escape(text: str, offset: int) -> tuple[int, str]:
    """The end of the escape at a backslash, and its value."""
    if text[offset + 1] in _ESCAPES:
        return offset + 2, _ESCAPES[text[offset + 1]]
    coded = _CODED_ESCAPE.match(text, offset)
    if coded is None:
        return offset + 1, "\\"
    if coded[3] is not None:  # of a text block: the line goes on
        return coded.end(), ""
    return coded.end(), chr(int(coded[1], 16) if coded[1] is not None else int(coded[2], 8))
