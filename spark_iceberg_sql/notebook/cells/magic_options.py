"""The first line of a cell: `%%iceberg_sql [name] [--limit N] [--save VIEW] [--plan] [--check] ...`."""

from __future__ import annotations

import builtins
import keyword
import re
from dataclasses import dataclass, replace
from typing import Any

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.notebook.results.saved_results import checked_view_name
from spark_iceberg_sql.similar_names import similar_name

_SWITCHES = ("plan", "check", "explain", "fix", "quiet", "traceback", "yes")
_ARGUMENT = re.compile(r"\S+")
_FILE_NAME = re.compile(r"""\s*(?:(?P<quote>["'])(?P<quoted>.+?)(?P=quote)|(?P<name>[^\s"'-]\S*))(?!\S)""")
_AXIS = re.compile(r"""\s+(?P<axis>[xy])=(?:(?P<quote>["'`])(?P<quoted>.+?)(?P=quote)|(?P<name>[^\s"'`]+))(?!\S)""")
_NUMBER = re.compile(r"\s+([-+]?\d\S*)")
_FILE_TYPES = ("csv", "parquet")
FRAME_TYPES = ("spark", "pandas", "polars", "arrow")
_TURNS = ("next", "previous", "copy")  # of a result that is there: nothing is run
MAX_ROWS = 1_000_000  # more would overload a notebook's page
CHARTS = ("line", "bar", "scatter")
OPTIONS = ("--limit", "--save", "--chart", *(f"--{name}" for name in (*_SWITCHES, *_FILE_TYPES, *FRAME_TYPES, *_TURNS)))


@dataclass(frozen=True, slots=True)
class ChartRequest:
    """A chart of a result. kind: one of CHARTS. x, y: columns; empty for a guess."""

    kind: str
    x: str = ""
    y: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a magic's line.

    name: the variable for the result. limit: how many rows are shown. plan, check, explain, fix: show what
    the statements would do, what is wrong with them, what they would read, or replace the cell with a corrected
    one; none of them runs a statement. quiet: show no rows. traceback: show errors with Python's and Java's
    stack. in_place: whether the rows can be sorted, searched and paged in the output. file_type, file: a file for
    the whole result. frame_type: of the variable, one of FRAME_TYPES; empty for the default. turn: `next`,
    `previous` or `copy`, of the rows of a result that is there. page: the number of rows of that page; None for
    the usual number. save: the name of a temporary view for the last result; empty for none. kept: how many rows of a
    result are fetched at least, for its further pages. confirm_above: the size that a cell may read; empty for any.
    yes: whether it may read more. chart: of the last result; None for none.
    """

    name: str | None = None
    limit: int = 20
    plan: bool = False
    check: bool = False
    explain: bool = False
    fix: bool = False
    quiet: bool = False
    traceback: bool = False
    in_place: bool = True
    file_type: str = ""
    file: str = ""
    frame_type: str = ""
    turn: str = ""
    page: int | None = None
    save: str = ""
    kept: int = 0
    confirm_above: str = ""
    yes: bool = False
    chart: ChartRequest | None = None

    @property
    def row_limit(self) -> int | None:
        """How many rows of a query are fetched; None for all, which a file, another library or a chart needs."""
        if self.file_type or self.chart is not None or self.frame_type not in ("", "spark"):
            return None
        return self.first_rows

    @property
    def first_rows(self) -> int:
        """How many rows are fetched to be shown, on further pages too; none with --limit 0."""
        return self.limit and max(self.limit, self.kept)

    @property
    def runs(self) -> bool:
        """True if the statements are run."""
        return not (self.plan or self.check or self.explain or self.fix)


def cell_options(line: str, defaults: Options) -> Options:
    """The options of a cell's first line. Raises IcebergSqlError, with what to write instead."""
    options, offset = _parse(line, defaults)
    if options.turn:
        raise IcebergSqlError(
            f"--{options.turn} shows rows of the last result; it runs no SQL",
            help=f"on a separate line: %iceberg_sql --{options.turn}",
        )
    arguments = line[offset:].split()
    if not arguments:
        return options
    name = arguments[0]
    if len(arguments) > 1 and not arguments[1].startswith("--"):
        raise IcebergSqlError(
            f"this line takes one name and options, not `{' '.join(arguments)}`",
            help="write the SQL on the lines below; on one line: %iceberg_sql SELECT ...",
        )
    options, offset = _parse(line, options, offset + len(line[offset:]) - len(line[offset:].lstrip()) + len(name))
    if line[offset:].strip():
        raise IcebergSqlError(f"this line takes one name, not `{name}` and `{line[offset:].strip()}`")
    return replace(options, name=checked_variable_name(name))


def line_options(line: str, defaults: Options) -> tuple[Options, str]:
    """The options at the start of a line magic, and the SQL after them. Raises IcebergSqlError."""
    options, offset = _parse(line, defaults)
    return options, line[offset:].strip()


def _parse(line: str, options: Options, offset: int = 0) -> tuple[Options, int]:
    """The options from an offset on, and the offset at which they end."""
    while match := _ARGUMENT.search(line, offset):
        option, _, value = match.group().partition("=")
        if not option.startswith("--") or (option == "--" and not value):
            break
        offset = match.end()
        if option in ("--limit", "--save"):
            if not value:
                following = _ARGUMENT.search(line, offset)
                value, offset = (following.group(), following.end()) if following else ("", offset)
            if option == "--limit":
                options = replace(options, limit=_row_count(value))
            else:
                options = replace(options, save=checked_view_name(value))
        elif option == "--chart":
            request, offset = _chart(line, offset, value)
            options = replace(options, chart=request)
        elif option in ("--next", "--previous"):
            following = None if value else _NUMBER.match(line, offset)
            if following:
                value, offset = following[1], following.end()
            page = _row_count(value, option) if value else None
            options = replace(options, turn=option[2:], page=page)
        elif option[2:] in _FILE_TYPES:
            value, offset = _file_name(line, offset, option, value)
            options = replace(options, file_type=option[2:], file=value)
        elif option[2:] in FRAME_TYPES and not value:
            options = replace(options, frame_type=option[2:])
        elif option == "--copy" and not value:
            options = replace(options, turn="copy")
        elif option[2:] in _SWITCHES and not value:
            switch: dict[str, Any] = {option[2:]: True}
            options = replace(options, **switch)
        else:
            raise IcebergSqlError(_unknown_option_message(match.group(), option))
    return options, offset


def _chart(line: str, offset: int, kind: str) -> tuple[ChartRequest, int]:
    """The kind of a chart and its columns, and the offset at which they end."""
    if not kind:
        following = _ARGUMENT.search(line, offset)
        kind, offset = (following.group(), following.end()) if following else ("", offset)
    if kind not in CHARTS:
        axes = line[offset - len(kind) if "=" in kind else offset :]
        columns_text = " ".join(match.group().strip() for match in _AXIS.finditer(f" {axes}"))
        fact = f"--chart takes {', '.join(CHARTS[:-1])} or {CHARTS[-1]}" + (f", not `{kind}`" if kind else "")
        similar = similar_name(kind, CHARTS)
        other_clause = f"bar {columns_text}" if columns_text else "line x=day y=flights"
        clause = f"{similar} {columns_text}".rstrip() if similar is not None else other_clause
        raise IcebergSqlError(fact, help=f"write --chart {clause}")
    columns: dict[str, str] = {}
    while match := _AXIS.match(line, offset):
        columns[match["axis"]], offset = match["quoted"] or match["name"], match.end()
    return ChartRequest(kind, **columns), offset


def _file_name(line: str, offset: int, option: str, value: str) -> tuple[str, int]:
    """The name after an option, in quotes if it has blanks, and the offset at which it ends."""
    start = offset - len(value) if value else offset
    match = _FILE_NAME.match(line, start)
    if match is None:
        raise IcebergSqlError(f"{option} takes the name of a file", help=f"write {option} result.{option[2:]}")
    return match["quoted"] or match["name"], match.end()


def _row_count(value: str, option: str = "--limit") -> int:
    if not value.isascii() or not value.isdigit() or (option != "--limit" and not int(value)):
        suffix = f", not `{value}`" if value else ""
        raise IcebergSqlError(f"{option} takes a number of rows{suffix}: {option} 50")
    if int(value) > MAX_ROWS:
        raise IcebergSqlError(f"{option} takes at most {MAX_ROWS:,} rows, not {value}")
    return int(value)


def _unknown_option_message(argument: str, option: str) -> str:
    similar = similar_name(option, OPTIONS)
    if option in OPTIONS:
        return f"`{option}` takes no value\nhelp: write `{option}`"
    if (axis := option.lstrip("-")) in ("x", "y"):
        return f"unknown option `{argument}`\nhelp: write {axis}=COLUMN after the kind of the chart"
    help = f"write `{similar}`" if similar is not None else f"the options are {', '.join(OPTIONS)}"
    return f"unknown option `{argument}`\nhelp: {help}"


def checked_variable_name(name: str) -> str:
    """A name that may be assigned to. Raises IcebergSqlError for any other."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise IcebergSqlError(
            f"`{name}` cannot be a variable's name",
            help="this line takes a name for the result, and options; write the SQL on the lines below",
        )
    if hasattr(builtins, name):
        raise IcebergSqlError(
            f"`{name}` is a Python function, which a result of that name would hide", help=f"write `{name}_rows`"
        )
    return name
