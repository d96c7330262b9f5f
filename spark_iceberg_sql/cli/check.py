"""`iceberg-sql check`: find the files, check them, print what was found, or fix what is safe to fix."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN, FINDINGS
from spark_iceberg_sql.cli.options import add_settings, configuration
from spark_iceberg_sql.config import Configuration, Settings
from spark_iceberg_sql.diagnostics import Report, Severity
from spark_iceberg_sql.lint import Linter
from spark_iceberg_sql.render import FORMATS, summary
from spark_iceberg_sql.render.terminal import plural
from spark_iceberg_sql.sources.files import FileError, decode, find, read_bytes, source


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument(
        "files",
        nargs="*",
        default=["."],
        metavar="FILE",
        help="files, folders, globs; - is standard input",
    )
    parser.add_argument(
        "--output-format", choices=list(FORMATS), default="full", help="default: full"
    )
    parser.add_argument("-o", "--output-file", metavar="FILE", type=Path, help="write there")
    parser.add_argument("--fix", action="store_true", help="apply the safe fixes")
    parser.add_argument("--diff", action="store_true", help="show what --fix would change")
    parser.add_argument(
        "--exit-zero", action="store_true", help="exit with 0 even if there are findings"
    )
    parser.add_argument("--statistics", action="store_true", help="only count findings by rule")
    parser.add_argument("-q", "--quiet", action="store_true", help="no summary")
    parser.add_argument(
        "--stdin-filename", metavar="NAME", help="the name under which standard input is checked"
    )
    parser.add_argument(
        "--force-exclude",
        action="store_true",
        help="leave excluded files out even where they are named",
    )
    add_settings(parser)


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it was read: its path, the name to show, its settings, text, encoding and BOM."""

    path: str
    name: str
    settings: Settings
    text: str
    encoding: str
    bom: bytes


def run(given: argparse.Namespace) -> int:
    """Check; the exit code."""
    settings = configuration(given)
    linter = Linter()
    reports: list[Report] = []
    out: list[str] = []
    failed = changed = False
    fixes = 0
    for path in _found(given, settings):
        try:
            file = _read(path, given.stdin_filename, settings)
            read = source(file.name, file.text)
        except FileError as error:
            sys.stderr.write(f"error: {error}\n")
            failed = True
            continue
        found = linter.lint(read, file.settings)
        if given.fix or given.diff:
            found, text, count = _fixed(linter, file, found)
            changed = changed or text != file.text
            fixes += count
            out.append(_put(file, text, diff_only=given.diff))
        reports += found
    if not given.diff:
        out.append(_rendered(given, reports, fixes))
    _write(given.output_file, "".join(out))
    if failed:
        return COULD_NOT_RUN
    if given.exit_zero:
        return CLEAN
    if given.diff:
        return FINDINGS if changed else CLEAN
    findings = any(d.severity is not Severity.NOTE for report in reports for d in report)
    return FINDINGS if findings else CLEAN


def _found(given: argparse.Namespace, settings: Configuration) -> list[str]:
    paths = list(find(given.files, lambda path: settings.of(path / "any").excludes(path)))
    if given.force_exclude:
        return [p for p in paths if p == "-" or not settings.of(Path(p)).excludes(Path(p))]
    return paths


def _read(path: str, stdin_name: str | None, settings: Configuration) -> _File:
    name = stdin_name or path if path == "-" else path
    text, encoding, bom = decode(read_bytes(path), name)
    here = Path(name) if name != "-" else Path("stdin.sql")
    return _File(path, name, settings.of(here), text, encoding, bom)


def _fixed(linter: Linter, file: _File, found: list[Report]) -> tuple[list[Report], str, int]:
    """The reports and the text after all fixes, and the number of these."""
    if all(d.fix is None for report in found for d in report):
        return found, file.text, 0
    from spark_iceberg_sql.fix import fixed

    def reports(text: str) -> list[Report]:
        return linter.lint(source(file.name, text), file.settings)

    def whole(text: str) -> Report:
        parts = reports(text)
        if parts[0].cell is None:
            return parts[0]
        from spark_iceberg_sql.sources.notebook_places import in_file

        return in_file(text, parts)

    result = fixed(file.text, whole)
    return reports(result.text), result.text, len(result.applied)


def _put(file: _File, text: str, *, diff_only: bool) -> str:
    """Put a fixed text in its file's place; what is to be printed of it."""
    if diff_only:
        from spark_iceberg_sql.fix import diff

        return diff(file.text, text, file.name) if text != file.text else ""
    if file.path == "-":
        return text
    if text != file.text:
        from spark_iceberg_sql.fix import replace_file

        replace_file(Path(file.path), file.bom + text.encode(file.encoding))
    return ""


def _rendered(given: argparse.Namespace, reports: Sequence[Report], fixes: int) -> str:
    if given.fix and "-" in given.files:  # the fixed text has standard output
        sys.stderr.write(FORMATS[given.output_format](reports))
        return ""
    if given.statistics:
        from spark_iceberg_sql.render.terminal import statistics

        return statistics(reports) + ("" if given.quiet else summary(reports) + "\n")
    color = given.output_file is None and _color()
    text = FORMATS[given.output_format](reports, color=color)
    if given.output_format in ("full", "concise"):
        if given.quiet:
            text = text[: text.rindex(summary(reports))].rstrip("\n")
            text += "\n" * bool(text)
        elif fixes:
            text += f"Applied {plural(fixes, 'fix', 'fixes')}\n"
        elif not given.fix and (offered := sum(d.fix is not None for r in reports for d in r)):
            text += f"{plural(offered, 'finding', 'findings')} fixable with --fix\n"
    return text


def _color() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (
        sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    )


def _write(path: Path | None, text: str) -> None:
    if path is None:
        sys.stdout.write(text)
        return
    from spark_iceberg_sql.fix import replace_file

    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise FileError(f"cannot write `{path}`: {error.strerror}") from None
