"""A file's path for a code host, and fingerprints of findings that survive moved lines."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from spark_iceberg_sql.diagnostics import Diagnostic, Report


def relative(filename: str | None, root: str | None = None) -> str:
    """A file's path from the root of the project, with forward slashes.

    filename: as the report has it, taken from the working directory. root: the project's root directory (None: the
    working directory). A file elsewhere keeps its full path.
    """
    if filename is None or filename == "-":
        return "stdin.sql"
    full = PurePath(os.path.abspath(filename))
    try:
        return full.relative_to(os.path.abspath(root or Path.cwd())).as_posix()
    except ValueError:
        return full.as_posix()


def fingerprints(reports: Sequence[Report]) -> Iterator[tuple[Report, Diagnostic, str]]:
    """Every diagnostic with a hash of its file, code, text and ordinal, but of no line number."""
    ordinals: Counter[tuple[str, ...]] = Counter()
    for report in reports:
        for diagnostic in report:
            span_text = " ".join(report.text[diagnostic.span.start : diagnostic.span.end].split())
            key = (relative(report.filename), str(report.cell), diagnostic.code, diagnostic.message, span_text)
            ordinals[key] += 1
            data = "\0".join((*key, str(ordinals[key])))
            yield (report, diagnostic, hashlib.sha256(data.encode(errors="backslashreplace")).hexdigest())
