"""`%config IcebergSql.confirm_above = '10 GB'`: a cell that would read more is refused before it reads anything."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.quantities import plural, size

SETTING = "IcebergSql.confirm_above"
# As ByteSize.java reads the size of a required filter.
_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,9})?)\s*([kmgtp]?)(i?)b?", re.IGNORECASE)
_PREFIXES = "kmgtp"
_LINE_END = "\n"
_MAX_TABLES = 4  # that a message names


@dataclass(frozen=True, slots=True)
class PlannedRead:
    """What a scan would read.

    table: its name. files, bytes: of data files that are left after pruning. at_most: whether a join or a LIMIT may
    leave out some of them at run time.
    """

    table: str
    files: int
    bytes: int
    at_most: bool = False


def bytes_of(text: str) -> int | None:
    """The bytes of a size: `10 GB` is 10,000,000,000, `10 GiB` 10,737,418,240; None if it is none."""
    match = _SIZE.fullmatch(text.strip())
    if match is None or (match[3] and not match[2]):
        return None
    power = 1 + _PREFIXES.index(match[2].lower()) if match[2] else 0
    return int(Decimal(match[1]) * (1024 if match[3] else 1000) ** power)


class ReadingLimit:
    """The bytes that the statements of a cell may read together. setting: a size as text; empty for no limit."""

    def __init__(self, setting: str) -> None:
        self._setting = setting
        self._limit = bytes_of(setting)
        self._read = 0

    @property
    def applies(self) -> bool:
        """Whether what a statement would read has to be known."""
        return self._limit is not None

    def refusal(self, plan: Callable[[], Sequence[PlannedRead]]) -> str | None:
        """Why a statement must not run after those before it; None if it may, and then it counts.

        plan: returns what it would read, or raises IcebergSqlError if that is not known, which is a refusal.
        """
        above = f"more than {SETTING} = '{self._setting}'"
        try:
            reads = plan()
        except IcebergSqlError as error:
            return f"whether this statement reads {above} is unknown: {str(error).partition(_LINE_END)[0]}"
        total = self._read + sum(read.bytes for read in reads)
        if self._limit is None or total <= self._limit:
            self._read = total
            return None
        subject = "with those before it, this statement" if self._read else "this statement"
        at_most = "up to " if any(read.at_most for read in reads) else ""
        return f"{subject} would read {at_most}{size(total)} ({_tables_text(reads)}), {above}"


def _tables_text(reads: Sequence[PlannedRead]) -> str:
    """`3 files of local.d.t, 1 file of local.d.u`."""
    files: Counter[str] = Counter()
    for read in reads:
        files[read.table] += read.files
    texts = [f"{plural(count, 'file')} of {table}" for table, count in files.items()]
    rest = len(texts) - _MAX_TABLES
    return ", ".join(texts[:_MAX_TABLES]) + (f" and {plural(rest, 'other table')}" if rest > 0 else "")
