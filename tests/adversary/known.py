"""Classes of faults found earlier, so that a run can report when it finds each of them."""

from __future__ import annotations

import re

from adversary.minimise import Finding

CLASSES = {
    "1.1": "the smallest int or bigint of a file, wrapped by truncate, hides the file's other rows",
    "1.2": "arithmetic on iceberg_truncate that overflows",
    "1.3": "arithmetic on an interval's division that overflows",
    "1.4": "a cyclic hour or minute at a transition that skips less than an hour",
    "1.5": "a cyclic day at a transition back across midnight",
    "1.6": "a time converted back from a shifted number",
    "1.7": "truncate at the lower limit of int and bigint",
    "1.8": "analysed while installed, run after uninstall",
    "2.1": "rewrite_data_files(where => ...) fails",
}
_REMADE = re.compile(r"(timestamp_(seconds|millis|micros)|date_from_unix_date)\([^0-9-]*unix_")
_TIMES = re.compile(r"\b(hour|minute|second)\(")
_DAYS = re.compile(r"\b(day|dayof\w+|weekday|weekofyear|month|quarter)\(")


def classify(finding: Finding) -> str:
    """The class a finding looks like, or `new`."""
    sql, case = finding.node.sql(), finding.case
    if case.life == "uninstall":
        return "1.8"
    if case.statement == "rewrite":
        return "2.1"
    wrapped = "truncate(" in sql or "hours(" in sql
    if finding.rules == ("below the rules",):
        return "1.1" if wrapped else "new"
    if "prune" not in finding.rules:
        return "new"
    if "div INTERVAL" in sql:
        return "1.3"
    if "truncate(" in sql:
        arithmetic = re.search(r"[*+%]|div|\) - |\d - |\(- |abs\(", sql)
        return "1.2" if arithmetic else "1.7"
    if _REMADE.search(sql):
        return "1.6"
    if _TIMES.search(sql):
        return "1.4"
    return "1.5" if _DAYS.search(sql) else "new"
