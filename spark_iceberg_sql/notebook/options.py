"""The first line of a cell: `%%iceberg_sql [name] [--limit N] [--plan] [--check] ...`."""

from __future__ import annotations

import builtins
import difflib
import keyword
import re
from dataclasses import dataclass, replace
from typing import Any

from spark_iceberg_sql.errors import IcebergSqlError

_SWITCHES = ("plan", "check", "explain", "fix", "quiet", "traceback")
_WORDS = re.compile(r"\S+")
_NUMBER = re.compile(r"\s+([-+]?\d\S*)")
_TURNS = ("next", "previous", "copy")  # of a result that is there: nothing is run
MOST_ROWS = 1_000_000  # more would overload a notebook's page
OPTIONS = ("--limit", *(f"--{name}" for name in (*_SWITCHES, *_TURNS)))


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a magic's line.

    name: the variable for the result. limit: how many rows are shown. plan, check, explain, fix: show what
    the statements would do, what is wrong with them, what they would read, or replace the cell with a corrected
    one; none of them runs a statement. quiet: show no rows. traceback: show errors with Python's and Java's
    stack. turn: `next`, `previous` or `copy`, of the rows of a result that is there. page: the number of rows of
    that page; None for the usual number.
    """

    name: str | None = None
    limit: int = 20
    plan: bool = False
    check: bool = False
    explain: bool = False
    fix: bool = False
    quiet: bool = False
    traceback: bool = False
    turn: str = ""
    page: int | None = None

    @property
    def runs(self) -> bool:
        """True if the statements are run."""
        return not (self.plan or self.check or self.explain or self.fix)


def cell_options(line: str, defaults: Options) -> Options:
    """The options of a cell's first line. Raises IcebergSqlError, with what to write instead."""
    options, rest = _read(line, defaults)
    if options.turn:
        raise IcebergSqlError(
            f"--{options.turn} shows rows of the last result; it runs no SQL",
            help=f"on a separate line: %iceberg_sql --{options.turn}",
        )
    words = line[rest:].split()
    if not words:
        return options
    name = words[0]
    if len(words) > 1 and not words[1].startswith("--"):
        raise IcebergSqlError(
            f"this line takes one name and options, not `{' '.join(words)}`",
            help="write the SQL on the lines below; on one line: %iceberg_sql SELECT ...",
        )
    options, rest = _read(
        line, options, rest + len(line[rest:]) - len(line[rest:].lstrip()) + len(name)
    )
    if line[rest:].strip():
        raise IcebergSqlError(f"this line takes one name, not `{name}` and `{line[rest:].strip()}`")
    return replace(options, name=variable(name))


def line_options(line: str, defaults: Options) -> tuple[Options, str]:
    """The options at the start of a line magic, and the SQL after them. Raises IcebergSqlError."""
    options, rest = _read(line, defaults)
    return options, line[rest:].strip()


def _read(line: str, options: Options, at: int = 0) -> tuple[Options, int]:
    """The options from an offset on, and the offset at which they end."""
    while found := _WORDS.search(line, at):
        word, _, value = found.group().partition("=")
        if not word.startswith("--") or (word == "--" and not value):
            break
        at = found.end()
        if word == "--limit":
            if not value:
                following = _WORDS.search(line, at)
                value, at = (following.group(), following.end()) if following else ("", at)
            options = replace(options, limit=_limit(value))
        elif word in ("--next", "--previous"):
            following = None if value else _NUMBER.match(line, at)
            if following:
                value, at = following[1], following.end()
            page = _limit(value, word) if value else None
            options = replace(options, turn=word[2:], page=page)
        elif word == "--copy" and not value:
            options = replace(options, turn="copy")
        elif word[2:] in _SWITCHES and not value:
            switched: dict[str, Any] = {word[2:]: True}
            options = replace(options, **switched)
        else:
            raise IcebergSqlError(_no_such(found.group(), word))
    return options, at


def _limit(value: str, word: str = "--limit") -> int:
    least = 0 if word == "--limit" else 1
    if not value.isascii() or not value.isdigit() or int(value) < least:
        given = f", not `{value}`" if value else ""
        raise IcebergSqlError(f"{word} takes a number of rows{given}: {word} 50")
    if int(value) > MOST_ROWS:
        raise IcebergSqlError(f"{word} takes at most {MOST_ROWS:,} rows, not {value}")
    return int(value)


def _no_such(given: str, word: str) -> str:
    near = difflib.get_close_matches(word, OPTIONS, 1, 0.5)
    if word in OPTIONS:
        return f"`{word}` takes no value\nhelp: write `{word}`"
    help = f"write `{near[0]}`" if near else f"the options are {', '.join(OPTIONS)}"
    return f"unknown option `{given}`\nhelp: {help}"


def variable(name: str) -> str:
    """A name that may be assigned to. Raises IcebergSqlError for any other."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise IcebergSqlError(
            f"`{name}` cannot be a variable's name",
            help="this line takes a name for the result, and options; write the SQL on the lines below",
        )
    if hasattr(builtins, name):
        raise IcebergSqlError(
            f"`{name}` is a Python function, which a result of that name would hide",
            help=f"write `{name}_rows`",
        )
    return name
