"""`iceberg-sql check`: find the files, check them, print the findings, or apply fixes."""

from __future__ import annotations

import argparse
from pathlib import Path

from spark_iceberg_sql.checker.files import Linter
from spark_iceberg_sql.checker.known_tables import ddl_files
from spark_iceberg_sql.checker.many_files import ManyFiles, Work
from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN, FINDINGS, internal
from spark_iceberg_sql.cli.check_file import File, Mode, Tally, changed, leads_out, put
from spark_iceberg_sql.cli.check_output import has_color, patch_for, rendered, write
from spark_iceberg_sql.cli.many import add_many, many_files
from spark_iceberg_sql.cli.options import add_selection, add_settings, configuration
from spark_iceberg_sql.cli.screens import Screen, screen
from spark_iceberg_sql.config.settings import Configuration
from spark_iceberg_sql.diagnostics import Report, Severity
from spark_iceberg_sql.errors import FileError, IcebergSqlError
from spark_iceberg_sql.files.discovery import SUFFIXES, find
from spark_iceberg_sql.files.git import ignored
from spark_iceberg_sql.outgoing import quoted_path, say
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.report import FOR_PEOPLE, FORMATS
from spark_iceberg_sql.report.terminal import plural


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
    parser.add_argument(
        "--add-noqa", action="store_true", help="add an ignore comment for each finding"
    )
    parser.add_argument(
        "--diff", action="store_true", help="show what --fix or --add-noqa would change"
    )
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
    parser.add_argument(
        "--show-files", action="store_true", help="list the files that would be checked"
    )
    parser.add_argument(
        "--show-tables",
        action="store_true",
        help="print the tables at the end of the scripts, as DDL",
    )
    parser.add_argument(
        "--color",
        choices=["auto", "always", "never"],
        default="auto",
        help="default: auto, which follows NO_COLOR and FORCE_COLOR",
    )
    parser.add_argument("--watch", action="store_true", help="check again whenever a file changes")
    add_many(parser)
    group = parser.add_argument_group("new findings")
    group.add_argument(
        "--baseline",
        metavar="FILE",
        type=Path,
        help="report only findings that this file does not list",
    )
    group.add_argument(
        "--write-baseline",
        action="store_true",
        help="update the file of --baseline with all findings",
    )
    group.add_argument(
        "--diff-from",
        metavar="REF",
        help="report only findings that did not exist at the merge base with this git branch or commit",
    )
    add_settings(parser)
    add_selection(parser)


def run(given: argparse.Namespace) -> int:
    """Run the check; returns the exit code."""
    _compatible(given)
    if given.watch:
        from spark_iceberg_sql.cli.watch import watch

        return watch(lambda: _once(given), lambda: _watched(given))
    return _once(given)


def _watched(given: argparse.Namespace) -> list[str]:
    """The files to check, and those that settings name: for tables, for dbt, for the baseline."""
    settings = configuration(given)
    found = _found(given, settings)
    each = {id(one): one for one in (settings.of(Path(name)) for name in found)}
    also: list[str | Path | None] = [given.baseline]
    for one in each.values():
        also += [*ddl_files(one), *one.metadata.values(), one.dbt_manifest]
    return [*found, *(str(path) for path in also if path is not None)]


def _compatible(given: argparse.Namespace) -> None:
    """Refuse options that contradict each other. Raises IcebergSqlError."""
    if given.write_baseline and given.baseline is None:
        raise IcebergSqlError("--write-baseline needs --baseline FILE")
    for one, others in (
        ("write_baseline", ("diff_from", "diff", "add_noqa")),
        ("add_noqa", ("fix",)),
        ("watch", ("diff", "write_baseline")),
    ):
        for other in others:
            if getattr(given, one) and getattr(given, other):
                options = [f"--{name.replace('_', '-')}" for name in (one, other)]
                raise IcebergSqlError(f"{options[0]} cannot be used with {options[1]}")
    if given.watch and "-" in given.files:
        raise IcebergSqlError("--watch needs files, not standard input")
    if given.statistics and given.output_format not in FOR_PEOPLE | {"json"}:
        raise IcebergSqlError(
            f"--statistics needs --output-format {', '.join(sorted(FOR_PEOPLE | {'json'}))}"
        )
    if given.show_tables and given.output_format not in FOR_PEOPLE:
        raise IcebergSqlError(
            f"--show-tables needs --output-format {', '.join(sorted(FOR_PEOPLE))}"
        )


def _once(given: argparse.Namespace) -> int:
    settings = configuration(given)
    paths = _found(given, settings)
    if given.show_files:
        shown = "".join(f"{quoted_path(path)}\n" for path in paths)
        write(given.output_file, shown, whole=False)
        return CLEAN
    if not paths:
        say(f"warning: no SQL, Python or notebook files in {_named(given)}")
    _report_withheld(settings, paths)
    linter = Linter()
    reports: list[Report] = []
    out: list[str] = []
    tally = Tally()
    with screen(given) as screened:
        with many_files(given, settings, paths, linter) as (checker, files):
            for path, file in files:
                found, shown = _checked(given, checker, path, file, tally, screened)
                reports += found
                out.append(shown)
        broken = bool(tally.failed) or any(report.failed for report in reports)
        if given.write_baseline:
            return _written(given, screened, broken=broken, reports=reports, tally=tally)
        for line in screened.gone():
            say(line)
        left_out = screened.left_out
    if not given.diff:
        out.append(rendered(given, reports, tally, left_out))
    if given.show_tables:
        from spark_iceberg_sql.cli.tables import tables_shown

        out.append(tables_shown(linter, paths, settings, color=has_color(given)))
    if tally.kept_back:
        many = plural(len(tally.kept_back), "fix", "fixes")
        said = f"Skipped {many} that would introduce errors"
        if given.add_noqa:
            said = f"No comment can suppress {plural(len(tally.kept_back), 'finding')}"
        say(f"{said}: {', '.join(tally.kept_back)}")
    whole = given.diff or ((given.fix or given.add_noqa) and "-" in given.files)
    people = given.output_format in FOR_PEOPLE
    text = "".join(out)
    text = patch_for(given.output_file, text) if given.diff else text
    write(given.output_file, text, whole=whole, people=people)
    if broken:
        return COULD_NOT_RUN
    if given.exit_zero:
        return CLEAN
    if given.diff:
        return FINDINGS if tally.changed else CLEAN
    findings = any(d.severity is not Severity.NOTE for report in reports for d in report)
    return FINDINGS if findings else CLEAN


def _report_withheld(settings: Configuration, paths: list[str]) -> None:
    """Warn of each catalog that only a settings file names."""
    effective = {id(s): s for s in (settings.of(Path(path)) for path in paths)}.values()
    notes = {
        s.catalog_note(f"add --catalog {s.catalog}") for s in effective if s.catalog_is_withheld
    }
    for note in sorted(notes):
        say(f"warning: {note}")


def _written(
    given: argparse.Namespace,
    screened: Screen,
    *,
    broken: bool,
    reports: list[Report],
    tally: Tally,
) -> int:
    """Write the baseline, unless something could not be checked: its findings would get lost."""
    if broken:
        failed = [replace(report, diagnostics=report.failed) for report in reports]
        write(
            given.output_file,
            rendered(given, failed, tally, ""),
            whole=False,
            people=given.output_format in FOR_PEOPLE,
        )
        say("error: the baseline was not written")
        return COULD_NOT_RUN
    write(given.output_file, screened.write(), whole=False)
    return CLEAN


def _checked(
    given: argparse.Namespace,
    many: ManyFiles,
    path: str,
    file: File | Exception,
    tally: Tally,
    screened: Screen,
) -> tuple[list[Report], str]:
    """A file's reports, and the text to print for it; no reports if it cannot be read."""
    found: list[Report] = []
    try:
        if isinstance(file, Exception):
            raise file
        name, settings = file.name, file.settings

        def check(text: str, *, last: bool = False) -> list[Report]:
            work = Work(name, text, settings)
            reports = many.lint(work)
            if screened.is_open:
                return reports
            return screened(many.source(work), reports, settings, last=last)

        mode = Mode(unsafe=given.unsafe_fixes, ignore=given.add_noqa)
        changing = given.fix or given.diff or given.add_noqa
        found = check(file.text, last=not changing)
        if not changing:
            return found, ""
        after = changed(file, found, check, mode)
        if after.text != file.text and not given.diff and leads_out(path, given.files):
            raise FileError(
                f"cannot write `{path}`: the link points outside the folder that is being checked"
            )
        shown = put(file, after.text, diff_only=given.diff)
        if not screened.is_open:
            after = replace(after, reports=check(after.text, last=True))
    except (
        FileError
    ) as error:  # a file that cannot be written is unchanged, and so are its findings
        tally.could_not(path, str(error))
        return found, ""
    except IcebergSqlError:
        raise
    except Exception as fault:  # an internal error: report it and continue with the other files
        tally.could_not(path, internal(fault, f"checking `{path}`"))
        return found, ""
    tally.add(file.text, after)
    return after.reports, shown


def _named(given: argparse.Namespace) -> str:
    named = ", ".join(f"`{name}`" for name in given.files)
    return f"{named}, except for files that are excluded or that git ignores"


def _found(given: argparse.Namespace, settings: Configuration) -> list[str]:
    def out_of_sight(folder: str) -> frozenset[str]:
        respected = settings.of(Path(folder, "any")).respect_gitignore
        return ignored(folder) if respected else frozenset()

    def excluded(path: Path) -> bool:
        here = path if path.suffix.lower() in SUFFIXES else path / "any"
        return settings.of(here).excludes(path)

    paths = list(find(given.files, excluded, out_of_sight))
    if given.force_exclude:
        return [p for p in paths if p == "-" or not settings.of(Path(p)).excludes(Path(p))]
    return paths
