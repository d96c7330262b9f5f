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
from spark_iceberg_sql.files.source import Source
from spark_iceberg_sql.outgoing import say, visible
from spark_iceberg_sql.report.terminal import plural

if TYPE_CHECKING:
    from spark_iceberg_sql.checker.baseline import Baseline
    from spark_iceberg_sql.checker.earlier import Earlier
    from spark_iceberg_sql.checker.known_findings import Mark

_LISTED = 10  # entries of a baseline that are gone, and are listed


class Screen:
    """A filter that keeps new findings only. baseline, merge_base: the known findings. ref: the commit of
    `merge_base`.
    """

    def __init__(
        self, baseline: Baseline | None = None, earlier: Earlier | None = None, ref: str = ""
    ) -> None:
        self.baseline = baseline
        self._earlier = earlier
        self._ref = ref
        self._found: dict[str, tuple[list[Mark], Settings]] = {}
        self._known = {"baseline": 0, "earlier": 0}

    @property
    def is_open(self) -> bool:
        """True if every finding is reported."""
        return self.baseline is None and self._earlier is None

    def __call__(
        self, found: Source, reports: list[Report], settings: Settings, *, last: bool = False
    ) -> list[Report]:
        """The reports of a file's parts without known findings. is_final: whether these are the final reports."""
        if self.is_open:
            return reports
        from spark_iceberg_sql.checker.known_findings import marks, new_findings

        name = self.baseline.name_of(found.name) if self.baseline is not None else found.name
        if self.baseline is not None:
            marked = marks(found, reports, name)
            if last:
                self._found[name] = [mark for _, _, mark in marked], settings
            screened = new_findings(marked, reports, self.baseline.known(name))
            reports = screened.reports
            if last:
                self._known["baseline"] += screened.known
        if self._earlier is not None and any(map(len, reports)):
            known = self._known_earlier(self._earlier, found.name, settings)
            screened = new_findings(marks(found, reports, name), reports, known)
            reports = screened.reports
            if last:
                self._known["earlier"] += screened.known
        return reports

    def _known_earlier(self, earlier: Earlier, name: str, settings: Settings) -> Counter[str]:
        try:
            return earlier.known(name, settings)
        except IcebergSqlError as error:
            say(f"`{name}` at `{self._ref}`: {error}; all its findings are reported")
            return Counter()

    @property
    def left_out(self) -> str:
        """Lines about the findings that were removed."""
        said = ""
        if self._known["baseline"] and self.baseline is not None:
            many = plural(self._known["baseline"], "finding is", "findings are")
            said += f"{many} in the baseline `{visible(str(self.baseline.path))}`\n"
        if self._known["earlier"]:
            many = plural(self._known["earlier"], "finding")
            said += f"{many} already existed at `{visible(self._ref)}`\n"
        return said

    def gone(self) -> list[str]:
        """Lines about the entries of the baseline whose finding no longer exists."""
        if self.baseline is None:
            return []
        found = self.baseline.gone(self._marks(), self._found, self._ran)
        if not found:
            return []
        many = plural(len(found), "finding", "findings")
        exist = "no longer exists" if len(found) == 1 else "no longer exist"
        said = [f"{many} of the baseline {exist}; --write-baseline removes them from the file"]
        said += [f"  {mark.path}: {mark.code} {mark.message}" for mark in found[:_LISTED]]
        more = len(found) - _LISTED
        return said + ([f"  and {more} more"] if more > 0 else [])

    def write(self) -> str:
        """Update the baseline; returns the line to print. Raises FileError."""
        assert self.baseline is not None
        number = self.baseline.write(self._marks(), self._found, self._ran)
        path = visible(str(self.baseline.path))
        return f"{plural(number, 'finding is', 'findings are')} in the baseline `{path}`\n"

    def _marks(self) -> list[Mark]:
        return [mark for marks, _ in self._found.values() for mark in marks]

    def _ran(self, mark: Mark) -> bool:
        """True if the rule of an entry was run on its file."""
        _, settings = self._found[mark.path]
        assert self.baseline is not None
        path = self.baseline.path.absolute().parent / mark.path
        return settings.severity_of(mark.code, Severity.WARNING, path) is not None


@contextmanager
def screen(given: argparse.Namespace) -> Iterator[Screen]:
    """The filter for the options. Raises FileError for a baseline or a commit that cannot be read."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        baseline, earlier = None, None
        if given.baseline is not None:
            from spark_iceberg_sql.checker.baseline import read_baseline

            baseline = read_baseline(given.baseline, new=given.write_baseline)
        if given.diff_from is not None:
            from spark_iceberg_sql.checker.earlier import Earlier
            from spark_iceberg_sql.files.git import snapshot

            there = stack.enter_context(snapshot(given.diff_from))
            earlier = Earlier(there, lambda: configuration(given))
        yield Screen(baseline, earlier, given.diff_from or "")
