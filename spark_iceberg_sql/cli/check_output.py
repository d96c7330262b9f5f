"""The output of `iceberg-sql check`: the report, the available fixes, the number of known findings."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from spark_iceberg_sql.cli.check_file import Tally
from spark_iceberg_sql.diagnostics import Diagnostic, Fix, Report
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.outgoing import data_without_commands, machine, visible, without_commands
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.report import FOR_PEOPLE, FORMATS, summary
from spark_iceberg_sql.report.terminal import plural


def rendered(
    given: argparse.Namespace, reports: Sequence[Report], tally: Tally, left_out: str
) -> str:
    """The report in the requested format. filter_text: lines about findings that are not in it."""
    if (given.fix or given.add_noqa) and "-" in given.files:  # the text goes to standard output
        stream = sys.stderr if given.output_format in FOR_PEOPLE else machine(sys.stderr)
        stream.write(data_without_commands(FORMATS[given.output_format](reports)))
        return ""
    if given.statistics and given.output_format == "json":
        from spark_iceberg_sql.report.json_objects import json_statistics

        return data_without_commands(json_statistics([*reports, *tally.failed]))
    if given.statistics:
        from spark_iceberg_sql.report.terminal import statistics

        return statistics(reports) + ("" if given.quiet else _summary(reports, tally))
    if given.verbose:
        reports = [replace(r, diagnostics=tuple(map(_at_length, r))) for r in reports]
    color = has_color(given)
    if given.output_format not in FOR_PEOPLE:
        return data_without_commands(
            FORMATS[given.output_format]([*reports, *tally.failed], color=color)
        )
    text = FORMATS[given.output_format](reports, color=color)
    text = text[: text.rindex(summary(reports))]
    if given.quiet:
        text = text.rstrip("\n")
        return f"{text}\n" if text else ""
    text += _summary(reports, tally)
    if given.add_noqa:
        text += f"Added ignore comments for {plural(tally.applied, 'finding')}\n"
    elif tally.applied:
        text += f"Applied {plural(tally.applied, 'fix', 'fixes')}\n"
    else:
        text += _offered(given, [d.fix for r in reports for d in r if d.fix is not None])
    return text + left_out


def _summary(reports: Sequence[Report], tally: Tally) -> str:
    """The last line, which also counts the files that could not be read or written."""
    if not tally.failed:
        return summary(reports) + "\n"
    failed = f"{plural(len(tally.failed), 'file')} could not be checked or written"
    return f"{summary(reports)}; {failed}\n" if reports else f"{failed}\n"


def _at_length(diagnostic: Diagnostic) -> Diagnostic:
    """A note with the rules that could not be checked."""
    if not diagnostic.skipped:
        return diagnostic
    times = diagnostic.statements
    where = f" in {times} statements" if times > 1 else ""
    rules = f"rules not checked{where}: {', '.join(diagnostic.skipped)}"
    return replace(diagnostic, help=f"{diagnostic.help}\n{rules}")


def _offered(given: argparse.Namespace, fixes: Sequence[Fix]) -> str:
    """The fixes that --fix would apply, and that --unsafe-fixes would add; an upper bound, since --fix tries
    each unsafe one.
    """
    safe = sum(fix.safe or given.unsafe_fixes for fix in fixes)
    rest = len(fixes) - safe
    if not fixes or (given.fix and not rest):
        return ""
    if given.fix or not safe:
        return f"Up to {plural(rest, 'finding', 'findings')} fixable with --fix --unsafe-fixes\n"
    more = f" (up to {rest} more with --unsafe-fixes)" if rest else ""
    most = "Up to " if any(not fix.safe for fix in fixes) and not rest else ""
    return f"{most}{plural(safe, 'finding', 'findings')} fixable with --fix{more}\n"


def has_color(given: argparse.Namespace) -> bool:
    """Whether the output for people is in colours."""
    if given.color != "auto":
        return bool(given.color == "always")
    if given.output_file is not None or os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (
        sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    )


def patch_for(path: Path | None, patch: str) -> str:
    """The patch; for a terminal or the log of a CI system, without control characters and commands.

    path: the output file, if it is not standard output.
    """
    if path is not None or not (sys.stdout.isatty() or _is_logged()):
        return patch
    return without_commands(visible(patch.replace("\r\n", "\n"), keep="\n\t"))


def _is_logged() -> bool:
    """True if a CI system may log standard output: it is not a regular file."""
    if not any(os.environ.get(name) for name in ("GITHUB_ACTIONS", "TF_BUILD")):
        return False
    try:
        return not stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except OSError:  # it has been replaced by another object
        return True


def write(path: Path | None, text: str, *, whole: bool, people: bool = True) -> None:
    """Write the output.

    path: None for standard output. is_sql: the text is SQL, of which no character may be changed. for_people:
    people read it.
    """
    if people and not whole:  # not by the stream for people, which would take away the colours
        text = without_commands(text)
    if path is None:
        encoding = sys.stdout.encoding or "utf-8"
        if whole:
            try:
                text.encode(encoding)
            except UnicodeEncodeError:
                raise FileError(f"cannot write the SQL to standard output in {encoding}") from None
        machine(sys.stdout).write(text)
        return
    from spark_iceberg_sql.files.replacing import replace_file

    replace_file(path, text.encode(errors="backslashreplace"))
