"""Removes findings that are in a baseline or that existed at the merge base, so that only new ones are reported."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spark_iceberg_sql.cli.options import configuration
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Report, Severity
from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.files.source import SourceFile
from spark_iceberg_sql.quantities import plural
from spark_iceberg_sql.safe_output import visible, write_message

if TYPE_CHECKING:
    from spark_iceberg_sql.checker.baseline.baseline import Baseline
    from spark_iceberg_sql.checker.baseline.finding_fingerprints import FindingFingerprint
    from spark_iceberg_sql.checker.baseline.merge_base import MergeBaseChecker

_MAX_LISTED = 10  # entries of a baseline that are gone, and are listed


class NewFindingsFilter:
    """A filter that keeps new findings only. baseline, merge_base: the known findings. ref: the commit of
    `merge_base`.
    """

    def __init__(
        self, baseline: Baseline | None = None, merge_base: MergeBaseChecker | None = None, ref: str = ""
    ) -> None:
        self.baseline = baseline
        self._merge_base = merge_base
        self._ref = ref
        self._fingerprints_by_file: dict[str, tuple[list[FindingFingerprint], Settings]] = {}
        self._known_counts = {"baseline": 0, "earlier": 0}

    @property
    def reports_all(self) -> bool:
        """True if every finding is reported."""
        return self.baseline is None and self._merge_base is None

    def __call__(
        self, source: SourceFile, reports: list[Report], settings: Settings, *, is_final: bool = False
    ) -> list[Report]:
        """The reports of a file's parts without known findings. is_final: whether these are the final reports."""
        if self.reports_all:
            return reports
        from spark_iceberg_sql.checker.baseline.finding_fingerprints import fingerprint_findings, new_findings

        name = self.baseline.name_of(source.name) if self.baseline is not None else source.name
        if self.baseline is not None:
            fingerprints = fingerprint_findings(source, reports, name)
            if is_final:
                self._fingerprints_by_file[name] = ([fingerprint for _, _, fingerprint in fingerprints], settings)
            result = new_findings(fingerprints, reports, self.baseline.digests_of(name))
            reports = result.reports
            if is_final:
                self._known_counts["baseline"] += result.known_count
        if self._merge_base is not None and any(map(len, reports)):
            known_digests = self._known_at_merge_base(self._merge_base, source.name, settings)
            result = new_findings(fingerprint_findings(source, reports, name), reports, known_digests)
            reports = result.reports
            if is_final:
                self._known_counts["earlier"] += result.known_count
        return reports

    def _known_at_merge_base(self, merge_base: MergeBaseChecker, name: str, settings: Settings) -> Counter[str]:
        try:
            return merge_base.digests_of(name, settings)
        except IcebergSqlError as error:
            write_message(f"`{name}` at `{self._ref}`: {error}; all its findings are reported")
            return Counter()

    @property
    def removed_text(self) -> str:
        """Lines about the findings that were removed."""
        text = ""
        if self._known_counts["baseline"] and self.baseline is not None:
            count_text = plural(self._known_counts["baseline"], "finding is", "findings are")
            text += f"{count_text} in the baseline `{visible(str(self.baseline.path))}`\n"
        if self._known_counts["earlier"]:
            count_text = plural(self._known_counts["earlier"], "finding")
            text += f"{count_text} already existed at `{visible(self._ref)}`\n"
        return text

    def stale_lines(self) -> list[str]:
        """Lines about the entries of the baseline whose finding no longer exists."""
        if self.baseline is None:
            return []
        stale = self.baseline.stale_entries(self._fingerprints(), self._fingerprints_by_file, self._was_checked)
        if not stale:
            return []
        count_text = plural(len(stale), "finding", "findings")
        verb = "no longer exists" if len(stale) == 1 else "no longer exist"
        lines = [f"{count_text} of the baseline {verb}; --write-baseline removes them from the file"]
        lines += [
            f"  {fingerprint.path}: {fingerprint.code} {fingerprint.message}" for fingerprint in stale[:_MAX_LISTED]
        ]
        hidden_count = len(stale) - _MAX_LISTED
        return lines + ([f"  and {hidden_count} more"] if hidden_count > 0 else [])

    def write(self) -> str:
        """Update the baseline; returns the line to print. Raises FileError."""
        assert self.baseline is not None
        number = self.baseline.write(self._fingerprints(), self._fingerprints_by_file, self._was_checked)
        return f"{plural(number, 'finding is', 'findings are')} in the baseline `{visible(str(self.baseline.path))}`\n"

    def _fingerprints(self) -> list[FindingFingerprint]:
        return [
            fingerprint
            for file_fingerprints, _ in self._fingerprints_by_file.values()
            for fingerprint in file_fingerprints
        ]

    def _was_checked(self, fingerprint: FindingFingerprint) -> bool:
        """True if the rule of an entry was run on its file."""
        _, settings = self._fingerprints_by_file[fingerprint.path]
        assert self.baseline is not None
        path = self.baseline.path.absolute().parent / fingerprint.path
        return settings.severity_of(fingerprint.code, Severity.WARNING, path) is not None


@contextmanager
def open_filter(args: argparse.Namespace) -> Iterator[NewFindingsFilter]:
    """The filter for the options. Raises FileError for a baseline or a commit that cannot be read."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        baseline, merge_base = None, None
        if args.baseline is not None:
            from spark_iceberg_sql.checker.baseline.baseline import read_baseline

            baseline = read_baseline(args.baseline, may_be_missing=args.write_baseline)
        if args.diff_from is not None:
            from spark_iceberg_sql.checker.baseline.merge_base import MergeBaseChecker
            from spark_iceberg_sql.files.git import snapshot

            old_project = stack.enter_context(snapshot(args.diff_from))
            merge_base = MergeBaseChecker(old_project, lambda: configuration(args))
        yield NewFindingsFilter(baseline, merge_base, args.diff_from or "")
