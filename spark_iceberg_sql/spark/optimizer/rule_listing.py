"""What a user is told of rules that are off: one warning, and iceberg_rules() even where no rule can be compiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.spark.bridge.functions import python_table_functions
from spark_iceberg_sql.spark.bridge.functions.python_table_functions import PythonTableFunction, Rows
from spark_iceberg_sql.spark.bridge.jvm import iceberg_version
from spark_iceberg_sql.spark.optimizer.rule_records import RULES, SAFETY

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COLUMNS = (
    "name string, phase string, switch string, enabled boolean, hits bigint, description string, fault string, "
    "iceberg_issues string"
)
_LONGEST = 300  # characters of a reason: a self-test's may be a plan


def disabled_message(faults: Mapping[str, str]) -> str:
    """The warning that rules are off. faults: by the rule's name, why."""
    head = (
        f"{len(faults)} of {len(RULES)} optimizer rules {'is' if len(faults) == 1 else 'are'} off with "
        f"{iceberg_version.both()}; SELECT * FROM iceberg_rules() lists all, and {iceberg_version.PAGE} says what "
        "works with which version"
    )
    short = {name: fault if len(fault) <= _LONGEST else f"{fault[:_LONGEST]} ..." for name, fault in faults.items()}
    reasons = (f"{names}: {fault}" for names, fault in by_reason(short))
    is_short = len(faults) <= len(SAFETY)
    consequences = (
        f"without `{rule.name}`, {rule.if_disabled}"
        for rule in RULES
        if rule.name in faults and (is_short or rule.name in SAFETY)
    )
    return "\n".join((head, *reasons, *consequences))


def by_reason(faults: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The names with the same fault, in backticks, and the fault."""
    names: dict[str, list[str]] = {}
    for name, fault in faults.items():
        names.setdefault(fault, []).append(f"`{name}`")
    return ((", ".join(quoted), fault) for fault, quoted in names.items())


def register(spark: SparkSession, faults: Mapping[str, str]) -> None:
    """Register iceberg_rules() in a session in which no rule is. faults: by the rule's name, why."""

    def rows(session: SparkSession, arguments: Mapping[str, Any]) -> tuple[str, Rows]:
        return _COLUMNS, [
            {
                "name": rule.name,
                "phase": rule.phase.value,
                "switch": rule.switch,
                "enabled": False,
                "hits": 0,
                "description": rule.summary,
                "fault": faults[rule.name],
                "iceberg_issues": rule.issues,
            }
            for rule in RULES
        ]

    function = PythonTableFunction(
        "iceberg_rules", (), "the optimizer rules, and why each is off", "SELECT * FROM iceberg_rules()", rows
    )
    python_table_functions.register(spark, [function])
