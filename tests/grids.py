"""Generated cases: transform by type by spelling, in CREATE and in ALTER. Nothing is expected: the runtime says."""

from __future__ import annotations

from itertools import product

from cases import Case

TYPES = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(9, 2)"),
    *("DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "STRING", "CHAR(3)", "VARCHAR(3)", "BINARY"),
    *("STRUCT<a: INT>", "ARRAY<INT>", "MAP<STRING, INT>"),
)
_TERMS = (
    *("{}", "identity({})", "IDENTITY({})"),
    *("bucket(8, {})", "BUCKET(8, {})", "truncate(4, {})", "Truncate(4, {})"),
    *("year({})", "years({})", "month({})", "MONTHS({})", "day({})", "days({})", "date({})"),
    *("hour({})", "hours({})", "date_hour({})"),
)
_V3 = ("VARIANT",)


def grid_cases() -> list[Case]:
    """A script for each transform, type and statement."""
    cases = []
    for kind, pattern in product((*TYPES, *_V3), _TERMS):
        version = "3" if kind in _V3 else "2"
        table = f"CREATE TABLE t (c {kind}, other BIGINT) USING iceberg"
        properties = f" TBLPROPERTIES ('format-version' = '{version}')"
        term = pattern.format("c")
        cases += [
            Case(f"grid: CREATE {term} on {kind}", f"{table} PARTITIONED BY ({term}){properties}"),
            Case(f"grid: ADD {term} on {kind}", f"{table}{properties};\nALTER TABLE t ADD PARTITION FIELD {term}"),
        ]
    return cases
