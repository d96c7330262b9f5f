"""`iceberg-sql check`: find the files, check them, print the findings, or apply fixes."""

from __future__ import annotations

import argparse
from pathlib import Path

from spark_iceberg_sql.checker.files.ddl_replay import ddl_files
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.checker.parallel.workers import LintTask, ParallelLinter
from spark_iceberg_sql.cli import CLEAN, COULD_NOT_RUN, FINDINGS, internal_error_text
from spark_iceberg_sql.cli.check_file import ChangeMode, File, RunSummary, change_file, escapes_folders, write_fixed
from spark_iceberg_sql.cli.check_output import has_color, patch_for, render_report, write_output
from spark_iceberg_sql.cli.finding_filter import NewFindingsFilter, open_filter
from spark_iceberg_sql.cli.options import add_selection, add_settings, configuration
from spark_iceberg_sql.cli.parallel_check import add_parallel_options, open_linter
from spark_iceberg_sql.config.configuration import Configuration
from spark_iceberg_sql.diagnostics import Report, Severity
from spark_iceberg_sql.errors import FileError, IcebergSqlError
from spark_iceberg_sql.files.discovery import SUFFIXES, find_files
from spark_iceberg_sql.files.git import ignored_paths
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.report import FORMATS, HUMAN_FORMATS
from spark_iceberg_sql.safe_output import quoted_path, write_message


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "files", nargs="*", default=["."], metavar="FILE", help="files, folders or globs; - for standard input"
    )
    parser.add_argument("--output-format", choices=list(FORMATS), default="full", help="default: full")
    parser.add_argument("-o", "--output-file", metavar="FILE", type=Path, help="write the report to this file")
    parser.add_argument("--fix", action="store_true", help="apply safe fixes")
    parser.add_argument(
        "--unsafe-fixes", action="store_true", help="with --fix or --diff: also fixes that guess the intention"
    )
    parser.add_argument("--add-noqa", action="store_true", help="add an ignore comment for each finding")
    parser.add_argument("--diff", action="store_true", help="show what --fix or --add-noqa would change")
    parser.add_argument("--exit-zero", action="store_true", help="exit with code 0 even if there are findings")
    parser.add_argument("--statistics", action="store_true", help="only count the findings of each rule")
    parser.add_argument("-v", "--verbose", action="store_true", help="list the rules that could not be checked")
    parser.add_argument("-q", "--quiet", action="store_true", help="no summary")
    parser.add_argument("--stdin-filename", metavar="NAME", help="file name to use for standard input")
    parser.add_argument(
        "--force-exclude", action="store_true", help="skip excluded files even if they are named on the command line"
    )
    parser.add_argument("--show-files", action="store_true", help="list the files that would be checked")
    parser.add_argument("--show-tables", action="store_true", help="print the tables at the end of the scripts, as DDL")
    parser.add_argument(
        "--color",
        choices=["auto", "always", "never"],
        default="auto",
        help="default: auto, which follows NO_COLOR and FORCE_COLOR",
    )
    parser.add_argument("--watch", action="store_true", help="check again whenever a file changes")
    add_parallel_options(parser)
    group = parser.add_argument_group("new findings")
    group.add_argument(
        "--baseline", metavar="FILE", type=Path, help="report only findings that this file does not list"
    )
    group.add_argument("--write-baseline", action="store_true", help="update the file of --baseline with all findings")
    group.add_argument(
        "--diff-from",
        metavar="REF",
        help="report only findings that did not exist at the merge base with this git branch or commit",
    )
    add_settings(parser)
    add_selection(parser)


def run(args: argparse.Namespace) -> int:
    """Run the check; returns the exit code."""
    _require_compatible(args)
    if args.watch:
        from spark_iceberg_sql.cli.watch import watch

        return watch(lambda: _check_once(args), lambda: _watched_files(args))
    return _check_once(args)


def _watched_files(args: argparse.Namespace) -> list[str]:
    """The files to check, and those that settings name: for tables, for dbt, for the baseline."""
    settings = configuration(args)
    paths = _find_files(args, settings)
    settings_by_id = {id(file_settings): file_settings for file_settings in (settings.of(Path(name)) for name in paths)}
    extra_paths: list[str | Path | None] = [args.baseline]
    for file_settings in settings_by_id.values():
        extra_paths += [*ddl_files(file_settings), *file_settings.metadata.values(), file_settings.dbt_manifest]
    return [*paths, *(str(path) for path in extra_paths if path is not None)]


def _require_compatible(args: argparse.Namespace) -> None:
    """Refuse options that contradict each other. Raises IcebergSqlError."""
    if args.write_baseline and args.baseline is None:
        raise IcebergSqlError("--write-baseline needs --baseline FILE")
    for option, conflicting_options in (
        ("write_baseline", ("diff_from", "diff", "add_noqa")),
        ("add_noqa", ("fix",)),
        ("watch", ("diff", "write_baseline")),
    ):
        for conflicting_option in conflicting_options:
            if getattr(args, option) and getattr(args, conflicting_option):
                options = [f"--{name.replace('_', '-')}" for name in (option, conflicting_option)]
                raise IcebergSqlError(f"{options[0]} cannot be used with {options[1]}")
    if args.watch and "-" in args.files:
        raise IcebergSqlError("--watch needs files, not standard input")
    if args.statistics and args.output_format not in HUMAN_FORMATS | {"json"}:
        raise IcebergSqlError(f"--statistics needs --output-format {', '.join(sorted(HUMAN_FORMATS | {'json'}))}")
    if args.show_tables and args.output_format not in HUMAN_FORMATS:
        raise IcebergSqlError(f"--show-tables needs --output-format {', '.join(sorted(HUMAN_FORMATS))}")


def _check_once(args: argparse.Namespace) -> int:
    settings = configuration(args)
    paths = _find_files(args, settings)
    if args.show_files:
        file_output = "".join(f"{quoted_path(path)}\n" for path in paths)
        write_output(args.output_file, file_output, is_sql=False)
        return CLEAN
    if not paths:
        names = ", ".join(f"`{name}`" for name in args.files)
        exceptions = "except for files that are excluded or that git ignores"
        write_message(f"warning: no SQL, Python or notebook files in {names}, {exceptions}")
    _report_withheld(settings, paths)
    linter = Linter()
    reports: list[Report] = []
    outputs: list[str] = []
    run_summary = RunSummary()
    with open_filter(args) as findings_filter:
        with open_linter(args, settings, paths, linter) as (parallel_linter, files):
            for path, file in files:
                file_reports, file_output = _check_file(args, parallel_linter, path, file, run_summary, findings_filter)
                reports += file_reports
                outputs.append(file_output)
        has_failures = bool(run_summary.failures) or any(report.failed for report in reports)
        if args.write_baseline:
            return _write_baseline(
                args, findings_filter, has_failures=has_failures, reports=reports, run_summary=run_summary
            )
        for line in findings_filter.stale_lines():
            write_message(line)
        filter_text = findings_filter.removed_text
    if not args.diff:
        outputs.append(render_report(args, reports, run_summary, filter_text))
    if args.show_tables:
        from spark_iceberg_sql.cli.tables import tables_text

        outputs.append(tables_text(linter, paths, settings, color=has_color(args)))
    if run_summary.rejected_locations:
        count = len(run_summary.rejected_locations)
        skipped_fixes = f"Skipped {plural(count, 'fix', 'fixes')} that would introduce errors"
        note = f"No comment can suppress {plural(count, 'finding')}" if args.add_noqa else skipped_fixes
        write_message(f"{note}: {', '.join(run_summary.rejected_locations)}")
    is_sql = args.diff or ((args.fix or args.add_noqa) and "-" in args.files)
    for_people = args.output_format in HUMAN_FORMATS
    text = patch_for(args.output_file, "".join(outputs)) if args.diff else "".join(outputs)
    write_output(args.output_file, text, is_sql=is_sql, for_people=for_people)
    if has_failures:
        return COULD_NOT_RUN
    if args.exit_zero:
        return CLEAN
    if args.diff:
        return FINDINGS if run_summary.has_changes else CLEAN
    has_findings = any(d.severity is not Severity.NOTE for report in reports for d in report)
    return FINDINGS if has_findings else CLEAN


def _report_withheld(settings: Configuration, paths: list[str]) -> None:
    """Warn of each catalog that only a settings file names."""
    effective = {id(s): s for s in (settings.of(Path(path)) for path in paths)}.values()
    for note in sorted({s.catalog_note(f"add --catalog {s.catalog}") for s in effective if s.catalog_is_withheld}):
        write_message(f"warning: {note}")


def _write_baseline(
    args: argparse.Namespace,
    findings_filter: NewFindingsFilter,
    *,
    has_failures: bool,
    reports: list[Report],
    run_summary: RunSummary,
) -> int:
    """Write the baseline, unless something could not be checked: its findings would get lost."""
    if has_failures:
        failure_reports = [replace(report, diagnostics=report.failed) for report in reports]
        write_output(
            args.output_file,
            render_report(args, failure_reports, run_summary, ""),
            is_sql=False,
            for_people=args.output_format in HUMAN_FORMATS,
        )
        write_message("error: the baseline was not written")
        return COULD_NOT_RUN
    write_output(args.output_file, findings_filter.write(), is_sql=False)
    return CLEAN


def _check_file(
    args: argparse.Namespace,
    parallel_linter: ParallelLinter,
    path: str,
    file: File | Exception,
    run_summary: RunSummary,
    findings_filter: NewFindingsFilter,
) -> tuple[list[Report], str]:
    """A file's reports, and the text to print for it; no reports if it cannot be read."""
    file_reports: list[Report] = []
    try:
        if isinstance(file, Exception):
            raise file
        name, settings = file.name, file.settings

        def check(text: str, *, is_final: bool = False) -> list[Report]:
            task = LintTask(name, text, settings)
            reports = parallel_linter.lint(task)
            if findings_filter.reports_all:
                return reports
            return findings_filter(parallel_linter.source(task), reports, settings, is_final=is_final)

        mode = ChangeMode(includes_unsafe=args.unsafe_fixes, adds_suppressions=args.add_noqa)
        is_changing = args.fix or args.diff or args.add_noqa
        file_reports = check(file.text, is_final=not is_changing)
        if not is_changing:
            return file_reports, ""
        result = change_file(file, file_reports, check, mode)
        if result.text != file.text and not args.diff and escapes_folders(path, args.files):
            raise FileError(f"cannot write `{path}`: the link points outside the folder that is being checked")
        output = write_fixed(file, result.text, diff_only=args.diff)
        if not findings_filter.reports_all:
            result = replace(result, reports=check(result.text, is_final=True))
    except FileError as error:  # a file that cannot be written is unchanged, and so are its findings
        run_summary.add_failure(path, str(error))
        return file_reports, ""
    except IcebergSqlError:
        raise
    except Exception as crash:  # an internal error: report it and continue with the other files
        run_summary.add_failure(path, internal_error_text(crash, f"checking `{path}`"))
        return file_reports, ""
    run_summary.add(file.text, result)
    return result.reports, output


def _find_files(args: argparse.Namespace, settings: Configuration) -> list[str]:
    def out_of_sight(folder: str) -> frozenset[str]:
        respects_gitignore = settings.of(Path(folder, "any")).respect_gitignore
        return ignored_paths(folder) if respects_gitignore else frozenset()

    def excluded(path: Path) -> bool:
        settings_path = path if path.suffix.lower() in SUFFIXES else path / "any"
        return settings.of(settings_path).excludes(path)

    paths = list(find_files(args.files, excluded, out_of_sight))
    if args.force_exclude:
        return [p for p in paths if p == "-" or not settings.of(Path(p)).excludes(Path(p))]
    return paths
