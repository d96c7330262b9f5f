"""Columns whose bounds are wrong in some data files, as sentences."""

from __future__ import annotations

from dataclasses import dataclass

from spark_iceberg_sql.quantities import plural


@dataclass(frozen=True, slots=True)
class WrongBounds:
    """A column whose bounds, counts or partition values are wrong in some data files.

    column: its name. kind: of the fault, such as `millis`. fact: what is wrong, after "the bounds of `ts`". issue:
    where its cause is reported; may be empty. instead: what to do where a rewrite of the files does not correct it;
    may be empty. files, bytes: of the data files at fault. file: one of them.
    """

    column: str
    kind: str
    fact: str
    issue: str
    instead: str
    files: int
    bytes: int
    file: str

    @property
    def is_certain(self) -> bool:
        """False if the bounds are only suspected to be wrong."""
        return self.kind != "unread"

    def __str__(self) -> str:
        issue = f" ({self.issue})" if self.issue else ""
        return f"in {plural(self.files, 'file')}, such as {self.file}, the bounds of `{self.column}` {self.fact}{issue}"
