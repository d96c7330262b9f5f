"""Text on its way out: to terminals, logs of CI jobs, comments of scripts.

Names of tables, columns and files are other people's, and may have any character: a line end, which would end a
comment, an escape sequence, or the start of a command to the CI system that reads a job's output.
"""

from __future__ import annotations

import re
from typing import Any, TextIO

_TAB = "    "
# GitHub takes a line that begins with `::`, Azure `##vso[` and `##[` anywhere in a line, as a command.
_COMMAND = re.compile(r"^(\s*):(?=:)|(?<=##)(?=vso\[|\[)", re.MULTILINE | re.IGNORECASE)
_AZURE = re.compile(r"##(?=vso\[|\[)", re.IGNORECASE)


def visible(text: str, keep: str = "") -> str:
    """A text without control characters: tabs become blanks, others their Unicode pictures.

    keep: control characters that stay. Line and paragraph separators, and marks that could display SQL in another order
    than it runs, are written as escapes.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in keep else _picture(c) for c in text)


def visible_lines(text: str) -> str:
    """A text of several lines without other control characters than their ends."""
    return visible(text, keep="\n")


def _picture(char: str) -> str:
    code = ord(char)
    if char == "\t":
        return _TAB
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0x80 <= code < 0xA0 or code in _UNSEEN or 0xD800 <= code < 0xE000:
        return f"<U+{code:04X}>"
    return char


_UNSEEN = frozenset(
    (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
)


def without_commands(text: str) -> str:
    """A text for people, which no CI system takes for a command: `: :set-output`, `## vso[`."""
    if "::" not in text and "##" not in text:
        return text
    return _COMMAND.sub(lambda match: f"{match[1]}: " if match[1] is not None else " ", text)


def data_without_commands(text: str) -> str:
    """A JSON or XML text, of the same value, which no CI system takes for a command; any other text as it is."""
    if "##" not in text or not text.startswith(("{", "[", "<?xml")):
        return text
    sign = "&#35;" if text.startswith("<") else r"\u0023"
    return _AZURE.sub(lambda _: f"#{sign}", text)


def machine(stream: TextIO) -> TextIO:
    """A stream as it is, without the care for those who read it."""
    return stream.machine if isinstance(stream, People) else stream


class People:
    """An output stream that people read.

    machine: the stream itself, for formats that CI systems are meant to read.
    """

    def __init__(self, stream: TextIO) -> None:
        self.machine = stream

    def write(self, text: str) -> int:
        """Write a text without commands to CI systems."""
        return self.machine.write(without_commands(text))

    def writelines(self, lines: Any) -> None:
        """Write texts without commands to CI systems."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.machine, name)
