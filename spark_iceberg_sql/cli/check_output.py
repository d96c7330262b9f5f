"""The output of `iceberg-sql check`: the report, the available fixes, the number of known findings."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from spark_iceberg_sql.cli.check_file import RunSummary
from spark_iceberg_sql.diagnostics import Diagnostic, Fix, Report
from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.report import FORMATS, HUMAN_FORMATS, summary
from spark_iceberg_sql.safe_output import data_without_commands, raw_stream, visible, without_commands


def render_report(
    args: argparse.Namespace, reports: Sequence[Report], run_summary: RunSummary, filter_text: str
) -> str:
    """The report in the requested format. filter_text: lines about findings that are not in it."""
    if (args.fix or args.add_noqa) and "-" in args.files:  # the text goes to standard output
        stream = sys.stderr if args.output_format in HUMAN_FORMATS else raw_stream(sys.stderr)
        stream.write(data_without_commands(FORMATS[args.output_format](reports)))
        return ""
    if args.statistics and args.output_format == "json":
        from spark_iceberg_sql.report.json_objects import json_statistics

        return data_without_commands(json_statistics([*reports, *run_summary.failures]))
    if args.statistics:
        from spark_iceberg_sql.report.terminal import statistics

        return statistics(reports) + ("" if args.quiet else _summary(reports, run_summary))
    if args.verbose:
        reports = [replace(r, diagnostics=tuple(map(_with_skipped_rules, r))) for r in reports]
    color = has_color(args)
    if args.output_format not in HUMAN_FORMATS:
        return data_without_commands(FORMATS[args.output_format]([*reports, *run_summary.failures], color=color))
    text = FORMATS[args.output_format](reports, color=color)
    text = text[: text.rindex(summary(reports))]
    if args.quiet:
        text = text.rstrip("\n")
        return f"{text}\n" if text else ""
    text += _summary(reports, run_summary)
    if args.add_noqa:
        text += f"Added ignore comments for {plural(run_summary.applied_count, 'finding')}\n"
    elif run_summary.applied_count:
        text += f"Applied {plural(run_summary.applied_count, 'fix', 'fixes')}\n"
    else:
        text += _fix_offer(args, [d.fix for r in reports for d in r if d.fix is not None])
    return text + filter_text


def _summary(reports: Sequence[Report], run_summary: RunSummary) -> str:
    """The last line, which also counts the files that could not be read or written."""
    if not run_summary.failures:
        return summary(reports) + "\n"
    failure_text = f"{plural(len(run_summary.failures), 'file')} could not be checked or written"
    return f"{summary(reports)}; {failure_text}\n" if reports else f"{failure_text}\n"


def _with_skipped_rules(diagnostic: Diagnostic) -> Diagnostic:
    """A note with the rules that could not be checked."""
    if not diagnostic.skipped:
        return diagnostic
    count_text = f" in {diagnostic.statements} statements" if diagnostic.statements > 1 else ""
    rules = f"rules not checked{count_text}: {', '.join(diagnostic.skipped)}"
    return replace(diagnostic, help=f"{diagnostic.help}\n{rules}")


def _fix_offer(args: argparse.Namespace, fixes: Sequence[Fix]) -> str:
    """The fixes that --fix would apply, and that --unsafe-fixes would add; an upper bound, since --fix tries each
    unsafe one.
    """
    safe_count = sum(fix.safe or args.unsafe_fixes for fix in fixes)
    unsafe_count = len(fixes) - safe_count
    if not fixes or (args.fix and not unsafe_count):
        return ""
    if args.fix or not safe_count:
        return f"Up to {plural(unsafe_count, 'finding', 'findings')} fixable with --fix --unsafe-fixes\n"
    suffix = f" (up to {unsafe_count} more with --unsafe-fixes)" if unsafe_count else ""
    prefix = "Up to " if any(not fix.safe for fix in fixes) and not unsafe_count else ""
    return f"{prefix}{plural(safe_count, 'finding', 'findings')} fixable with --fix{suffix}\n"


def has_color(args: argparse.Namespace) -> bool:
    """True if the output for people is in colours."""
    if args.color != "auto":
        return bool(args.color == "always")
    if args.output_file is not None or os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


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


def write_output(path: Path | None, text: str, *, is_sql: bool, for_people: bool = True) -> None:
    """Write the output.

    path: None for standard output. is_sql: the text is SQL, of which no character may be changed. for_people:
    people read it.
    """
    if for_people and not is_sql:  # not by the stream for people, which would take away the colours
        text = without_commands(text)
    if path is None:
        encoding = sys.stdout.encoding or "utf-8"
        if is_sql:
            try:
                text.encode(encoding)
            except UnicodeEncodeError:
                raise FileError(f"cannot write the SQL to standard output in {encoding}") from None
        raw_stream(sys.stdout).write(text)
        return
    from spark_iceberg_sql.files.atomic_write import replace_file

    replace_file(path, text.encode(errors="backslashreplace"))
