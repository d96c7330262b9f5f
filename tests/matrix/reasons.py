"""Why a promise does not hold in some cells: limits and bugs of Iceberg, of Spark or of a server, each one record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from matrix.cells import AXES, Result


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason. parts: the cells that it concerns, a pattern of the part's name by axis. fault: one in the message.

    title: one sentence for the page. owner: whose limit or bug it is.
    """

    parts: Mapping[str, str]
    fault: str
    title: str
    owner: str

    def explains(self, result: Result, fault: str) -> bool:
        """Whether a promise's fault in a cell has this reason."""
        names = dict(zip(AXES, result.cell, strict=True))
        return all(re.fullmatch(pattern, names[axis]) for axis, pattern in self.parts.items()) and bool(
            re.search(self.fault, fault)
        )


REASONS: tuple[Reason, ...] = (
    Reason(
        {"spark": r"3\.5.*", "way": "dbt-thrift"},
        "'NoneType' object is not iterable",
        "dbt's run_query asks for the rows of each statement, which PyHive 0.7.0 cannot read where Spark 3.5 has none; "
        "the statement itself has run",
        "PyHive",
    ),
)


def reason_of(result: Result, fault: str) -> Reason | None:
    """The reason of a fault; None if it is not known."""
    return next((reason for reason in REASONS if reason.explains(result, fault)), None)
