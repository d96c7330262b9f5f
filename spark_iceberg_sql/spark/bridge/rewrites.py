"""What rewrite_data_files would rewrite: Iceberg's own planning of it, which reads metadata only."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spark_iceberg_sql.spark.bridge.errors import BRIDGE_ERRORS
from spark_iceberg_sql.spark.bridge.jvm import Java, java_class

_NUMBER = re.compile(r"\d+")


def removes_deletes_alone() -> bool:
    """Whether a call that rewrites no data file removes delete files without one; so since Iceberg 1.12."""
    version = str(java_class("org.apache.iceberg.IcebergBuild").version())
    return tuple(int(part) for part in _NUMBER.findall(version)[:2]) >= (1, 12)


def rewritten(table: Java, options: Mapping[str, str]) -> tuple[int, int] | None:
    """The data files and bytes that a call would rewrite; None if Iceberg does not say.

    table: an Iceberg table. options: of the call.
    """
    files = size = 0
    try:
        planner = java_class("org.apache.iceberg.actions.BinPackRewriteFilePlanner")(table)
        known = set(planner.validOptions())  # others are the action's own
        planner.init({key: value for key, value in options.items() if key in known})
        groups = planner.plan().groups().iterator()
        while groups.hasNext():
            group = groups.next()
            files += int(group.inputFileNum())
            size += int(group.inputFilesSizeInBytes())
    except BRIDGE_ERRORS:
        return None
    return files, size
