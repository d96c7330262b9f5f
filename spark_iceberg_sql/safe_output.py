"""Makes text safe for output: terminals, logs of CI jobs, comments of scripts.

Names of tables, columns and files come from other people, and may contain any character: a line end, which would end a
comment, an escape sequence, or the start of a command to the CI system that reads a job's output.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

_TAB = "    "
# GitHub takes a line that begins with `::`, Azure `##vso[` and `##[` anywhere in a line, as a command.
_COMMAND = re.compile(r"^(\s*):(?=:)|(?<=##)(?=vso\[|\[)", re.MULTILINE | re.IGNORECASE)
_GITHUB = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
_AZURE = re.compile(r"##(?=vso\[|\[)", re.IGNORECASE)
# Control characters, marks that change the order of what is shown, and halves of characters, which are bytes that are
# not UTF-8 in names of files.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
# The only line ends in a message, of which each line after the first is help.
_HELP = re.compile(r"\n(?=help: )")


def visible(text: str, keep: str = "") -> str:
    """A text without control characters: tabs become blanks, others their Unicode pictures.

    keep: control characters that stay. Line and paragraph separators, and marks that could display SQL in another order
    than it runs, are written as escapes.
    """
    if text.isascii() and text.isprintable():
        return text
    return _CONTROL.sub(lambda match: match[0] if match[0] in keep else _picture(match[0]), text)


def visible_lines(text: str) -> str:
    """A text of several lines without control characters other than line ends."""
    return visible(text, keep="\n")


def _picture(char: str) -> str:
    code = ord(char)
    if char == "\t":
        return _TAB
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"<U+{code:04X}>"


def sanitized_message(text: str) -> str:
    """A message: one line, and lines that begin with `help: `; line ends in names are escaped."""
    return "\n".join(map(visible, _HELP.split(text.rstrip("\n"))))


def with_help(fact: str, *remedies: str) -> str:
    """A message of a fact and what to do about it, each one line whatever the names in it."""
    return join_visible([fact, *(f"help: {remedy}" for remedy in remedies)])


def join_visible(lines: Iterable[str]) -> str:
    """Lines joined to a text; line ends inside a line are escaped."""
    return "\n".join(map(visible, lines))


def code(name: str) -> str:
    """A name as code in Markdown; the fence is longer than any run of backticks in it."""
    text = visible(name)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def write_message(text: str) -> None:
    """Write a message to standard error: every message of the command goes this way."""
    sys.stderr.write(f"{sanitized_message(text)}\n")


def quoted_path(name: str) -> str:
    """A file's name as git writes it: in quotes with C's escapes, if it could not stand in a line as it is."""
    if name == without_commands(visible(name)) and not name.startswith('"'):
        return name
    return f'"{"".join(map(_c_escaped, name))}"'


# `#` could begin a command to Azure.
_C_ESCAPES = {**dict(zip("\a\b\t\n\v\f\r", "abtnvfr", strict=True)), '"': '"', "\\": "\\", "#": "043"}


def _c_escaped(char: str) -> str:
    if char in _C_ESCAPES:
        return f"\\{_C_ESCAPES[char]}"
    if not _CONTROL.match(char):
        return char
    errors = "surrogateescape" if "\udc80" <= char <= "\udcff" else "surrogatepass"
    return "".join(f"\\{byte:03o}" for byte in char.encode(errors=errors))


def without_commands(text: str) -> str:
    """A text for people, which no CI system takes for a command: `: :set-output`, `## vso[`."""
    if "::" not in text and "##" not in text:
        return text
    return _COMMAND.sub(lambda match: f"{match[1]}: " if match[1] is not None else " ", text)


def data_without_commands(text: str) -> str:
    """A JSON or XML text, of the same value, without commands to CI systems and control characters.

    Any other text is returned as it is: formats that consist of commands.
    """
    if text.startswith("<?xml"):
        return _without_commands(text, "&#{};")
    return _without_commands(text, r"\u{:04x}") if text.startswith(("{", "[", '"')) else text


def _without_commands(data: str, reference: str) -> str:
    def escaped(char: str) -> str:
        return reference.format(ord(char))

    data = _CONTROL.sub(lambda match: match[0] if match[0] == "\n" else escaped(match[0]), data)
    data = _GITHUB.sub(lambda match: f"{match[1]}{escaped(':')}", data)
    return _AZURE.sub(lambda _: f"#{escaped('#')}", data)


def raw_stream(stream: TextIO) -> TextIO:
    """The stream without sanitizing, for output that programs read."""
    return stream.raw if isinstance(stream, SanitizedStream) else stream


class SanitizedStream:
    """An output stream for people, without control characters and commands.

    raw: the stream itself, for formats that CI systems read.
    """

    def __init__(self, stream: TextIO) -> None:
        self.raw = stream

    def write(self, text: str) -> int:
        """Write a text without commands to CI systems and control characters."""
        return self.raw.write(without_commands(visible_lines(text)))

    def writelines(self, lines: Any) -> None:
        """Write texts as `write` does."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)
