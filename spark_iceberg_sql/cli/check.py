"""`iceberg-sql check`: find the files, check them, print the findings, or apply fixes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from spark_iceberg_sql.checker.files import Linter
from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN, FINDINGS, internal
from spark_iceberg_sql.cli.options import add_selection, add_settings, configuration
from spark_iceberg_sql.config.settings import Configuration, Settings
from spark_iceberg_sql.diagnostics import (
    Diagnostic,
    Fix,
    Report,
    Severity,
)
from spark_iceberg_sql.errors import FileError, IcebergSqlError
from spark_iceberg_sql.files.discovery import (
    decode,
    find,
    read_bytes,
)
from spark_iceberg_sql.report import FORMATS, summary
from spark_iceberg_sql.report.terminal import place, plural

if TYPE_CHECKING:
    from spark_iceberg_sql.checker.fixes import Fixed


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "files",
        nargs="*",
        default=["."],
        metavar="FILE",
        help="files, folders or globs; - for standard input",
    )
    parser.add_argument(
        "--output-format", choices=list(FORMATS), default="full", help="default: full"
    )
    parser.add_argument(
        "-o", "--output-file", metavar="FILE", type=Path, help="write the report to this file"
    )
    parser.add_argument("--fix", action="store_true", help="apply safe fixes")
    parser.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="with --fix or --diff: also fixes that guess the intention",
    )
    parser.add_argument("--diff", action="store_true", help="show what --fix would change")
    parser.add_argument(
        "--exit-zero", action="store_true", help="exit with code 0 even if there are findings"
    )
    parser.add_argument(
        "--statistics", action="store_true", help="only count the findings of each rule"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="list the rules that could not be checked"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no summary")
    parser.add_argument(
        "--stdin-filename", metavar="NAME", help="file name to use for standard input"
    )
    parser.add_argument(
        "--force-exclude",
        action="store_true",
        help="skip excluded files even if they are named on the command line",
    )
    add_settings(parser)
    add_selection(parser)


@dataclass(frozen=True, slots=True)
class _File:
    """A file as read: its path, display name, settings, text, bytes, encoding and BOM."""

    path: str
    name: str
    settings: Settings
    text: str
    content: bytes
    encoding: str
    bom: bytes


@dataclass(slots=True)
class _Tally:
    """The outcome for all files and their fixes.

    applied: how many fixes. changed: whether any text changed. failed: whether anything failed.
    kept_back: the places of the fixes that were not applied because they would introduce errors.
    """

    applied: int = 0
    changed: bool = False
    failed: bool = False
    kept_back: list[str] = field(default_factory=list)


def run(given: argparse.Namespace) -> int:
    """Run the check; returns the exit code."""
    settings = configuration(given)
    linter = Linter()
    reports: list[Report] = []
    out: list[str] = []
    tally = _Tally()
    for path in _found(given, settings):
        found, shown = _checked(given, linter, path, settings, tally)
        reports += found
        out.append(shown)
    if not given.diff:
        out.append(_rendered(given, reports, tally))
    if tally.kept_back:
        many = plural(len(tally.kept_back), "fix", "fixes")
        places = ", ".join(tally.kept_back)
        sys.stderr.write(f"Skipped {many} that would introduce errors: {places}\n")
    _write(given.output_file, "".join(out), whole=given.diff or (given.fix and "-" in given.files))
    if tally.failed or any(report.failed for report in reports):
        return COULD_NOT_RUN
    if given.exit_zero:
        return CLEAN
    if given.diff:
        return FINDINGS if tally.changed else CLEAN
    findings = any(d.severity is not Severity.NOTE for report in reports for d in report)
    return FINDINGS if findings else CLEAN


def _could_not(tally: _Tally, why: str) -> None:
    sys.stderr.write(f"error: {why}\n")
    tally.failed = True


def _checked(
    given: argparse.Namespace, linter: Linter, path: str, settings: Configuration, tally: _Tally
) -> tuple[list[Report], str]:
    """A file's reports, and other output for it; nothing if it cannot be read."""
    found: list[Report] = []
    try:
        file = _read(path, given.stdin_filename, settings)
        found = linter.lint(linter.source(file.name, file.text, file.settings), file.settings)
        if not (given.fix or given.diff):
            return found, ""
        better, result = _fixed(linter, file, found, unsafe=given.unsafe_fixes)
        if result.text != file.text and not given.diff and _leads_out(path, given.files):
            raise FileError(
                f"cannot write `{path}`: the link points outside the folder that is being checked"
            )
        shown = _put(file, result.text, diff_only=given.diff)
    except (
        FileError
    ) as error:  # a file that cannot be written is unchanged, and so are its findings
        _could_not(tally, str(error))
        return found, ""
    except IcebergSqlError:
        raise
    except Exception as fault:  # an internal error: report it and continue with the other files
        _could_not(tally, internal(fault, f"checking `{path}`"))
        return found, ""
    tally.applied += len(result.applied)
    tally.changed = tally.changed or result.text != file.text
    tally.kept_back += [f"{place(_at(better, d), d)} ({d.code})" for d in result.kept_back]
    return better, shown


def _leads_out(path: str, named: Sequence[str]) -> bool:
    """Whether a file that was not named explicitly is reached by a link to outside the named folders."""
    if path in named:
        return False
    real = os.path.realpath(path)
    roots = [os.path.realpath(folder) for folder in named if os.path.isdir(folder)]
    return bool(roots) and not any(real.startswith(os.path.join(root, "")) for root in roots)


def _found(given: argparse.Namespace, settings: Configuration) -> list[str]:
    paths = list(find(given.files, lambda path: settings.of(path / "any").excludes(path)))
    if given.force_exclude:
        return [p for p in paths if p == "-" or not settings.of(Path(p)).excludes(Path(p))]
    return paths


def _read(path: str, stdin_name: str | None, settings: Configuration) -> _File:
    name = stdin_name or path if path == "-" else path
    content = read_bytes(path)
    text, encoding, bom = decode(content, name)
    here = Path(name) if name != "-" else Path("stdin.sql")
    return _File(path, name, settings.of(here), text, content, encoding, bom)


def _fixed(
    linter: Linter, file: _File, found: list[Report], *, unsafe: bool
) -> tuple[list[Report], Fixed]:
    """The reports and the text after the fixes."""
    from spark_iceberg_sql.checker.fixes import Fixed, fixed

    def reports(text: str) -> list[Report]:
        return linter.lint(linter.source(file.name, text, file.settings), file.settings)

    def whole(text: str) -> Report:
        parts = reports(text)
        if parts[0].cell is None:
            return parts[0]
        from spark_iceberg_sql.files.notebook_positions import in_file

        return in_file(text, parts)

    if all(d.fix is None for report in found for d in report):
        return found, Fixed(file.text, Report(file.text), ())
    result = fixed(file.text, whole, unsafe=unsafe)
    return reports(result.text) if result.applied else found, result


def _at(reports: Sequence[Report], diagnostic: Diagnostic) -> Report:
    """The report, of a file or a cell, that contains a finding."""
    return next((r for r in reports if any(d.span == diagnostic.span for d in r)), reports[0])


def _put(file: _File, text: str, *, diff_only: bool) -> str:
    """Write a fixed text to its file; returns what to print."""
    if diff_only:
        from spark_iceberg_sql.checker.fixes import diff

        return diff(file.text, text, file.name) if text != file.text else ""
    if file.path == "-":
        return text
    if text != file.text:
        from spark_iceberg_sql.files.replacing import replace_file

        with suppress(UnicodeEncodeError):
            if file.bom + file.text.encode(file.encoding) == file.content:
                new = file.bom + text.encode(file.encoding)
                replace_file(Path(file.path), new, before=file.content)
                return ""
        raise FileError(
            f"cannot write `{file.path}`: the fixed text does not fit its encoding, {file.encoding.upper()}"
        )
    return ""


def _rendered(given: argparse.Namespace, reports: Sequence[Report], tally: _Tally) -> str:
    if given.fix and "-" in given.files:  # the fixed text goes to standard output
        sys.stderr.write(FORMATS[given.output_format](reports))
        return ""
    if given.statistics:
        from spark_iceberg_sql.report.terminal import statistics

        return statistics(reports) + ("" if given.quiet else summary(reports) + "\n")
    if given.verbose:
        reports = [replace(r, diagnostics=tuple(map(_at_length, r))) for r in reports]
    color = given.output_file is None and _color()
    text = FORMATS[given.output_format](reports, color=color)
    if given.output_format in ("full", "concise"):
        if given.quiet:
            text = text[: text.rindex(summary(reports))].rstrip("\n")
            text += "\n" * bool(text)
        elif tally.applied:
            text += f"Applied {plural(tally.applied, 'fix', 'fixes')}\n"
        else:
            text += _offered(given, [d.fix for r in reports for d in r if d.fix is not None])
    return text


def _at_length(diagnostic: Diagnostic) -> Diagnostic:
    """A note with the rules that could not be checked."""
    if not diagnostic.skipped:
        return diagnostic
    times = diagnostic.statements
    where = f" in {times} statements" if times > 1 else ""
    rules = f"rules not checked{where}: {', '.join(diagnostic.skipped)}"
    return replace(diagnostic, help=f"{diagnostic.help}\n{rules}")


def _offered(given: argparse.Namespace, fixes: Sequence[Fix]) -> str:
    """What --fix would do, and what --unsafe-fixes would add."""
    safe = sum(fix.safe or given.unsafe_fixes for fix in fixes)
    rest = len(fixes) - safe
    if not fixes or (given.fix and not rest):
        return ""
    if given.fix or not safe:
        return f"{plural(rest, 'finding', 'findings')} fixable with --fix --unsafe-fixes\n"
    more = f" ({rest} more with --unsafe-fixes)" if rest else ""
    return f"{plural(safe, 'finding', 'findings')} fixable with --fix{more}\n"


def _color() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (
        sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    )


def _write(path: Path | None, text: str, *, whole: bool) -> None:
    """Put the output there. whole: whether it is SQL, of which no character may be shown in another way."""
    if path is None:
        encoding = sys.stdout.encoding or "utf-8"
        if whole:
            try:
                text.encode(encoding)
            except UnicodeEncodeError:
                raise FileError(f"cannot write the SQL to standard output in {encoding}") from None
        sys.stdout.write(text)
        return
    from spark_iceberg_sql.files.replacing import replace_file

    replace_file(path, text.encode(errors="backslashreplace"))
