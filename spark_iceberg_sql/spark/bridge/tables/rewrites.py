"""The data files that rewrite_data_files would rewrite, by Iceberg's own planning, which reads metadata
only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS

_NUMBER = re.compile(r"\d+")


_LOOKBACK = "read.split.planning-lookback"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The extent of a rewrite.

    files, bytes: the data files it reads. file_reduction: by how many files it reduces their number; groups
    that would not become fewer files do not count.
    """

    files: int
    bytes: int
    file_reduction: int


def removes_deletes_alone() -> bool:
    """True if a call that rewrites no data file still removes the delete files that apply to none; so since
    Iceberg 1.12.
    """
    version = str(java_class("org.apache.iceberg.IcebergBuild").version())
    return tuple(int(part) for part in _NUMBER.findall(version)[:2]) >= (1, 12)


def planned_rewrite(table: Java, options: Mapping[str, str]) -> Rewrite | None:
    """The data files that a call would rewrite; None if Iceberg cannot plan it.

    table: an Iceberg table. options: of the call.
    """
    files = size = file_reduction = 0
    try:
        planner = java_class("org.apache.iceberg.actions.BinPackRewriteFilePlanner")(table)
        valid_options = set(planner.validOptions())  # others are the action's own
        planner.init({key: value for key, value in options.items() if key in valid_options})
        lookback = int(table.properties().getOrDefault(_LOOKBACK, "10"))
        groups = planner.plan().groups().iterator()
        util = java_class("org.apache.iceberg.util.TableScanUtil")
        while groups.hasNext():
            group = groups.next()
            input_count = int(group.inputFileNum())
            files += input_count
            # One file for each task: a file is only cut between its row groups, so small files may not fit together.
            tasks = util.planTaskGroups(group.fileScanTasks(), group.inputSplitSize(), lookback, 0)
            file_reduction += max(0, input_count - int(tasks.size()))
            size += int(group.inputFilesSizeInBytes())
    except BRIDGE_ERRORS:
        return None
    return Rewrite(files, size, file_reduction)


def property_at(table: Java, millis: int, key: str, default: str) -> str | None:
    """A property's value right after a commit, by the older metadata files that still exist; None if unknown.

    millis: the commit's time.
    """
    try:
        metadata = table.operations().current()
        for entry in metadata.previousFiles():
            if int(entry.timestampMillis()) >= millis:
                metadata = java_class("org.apache.iceberg.TableMetadataParser").read(table.io(), entry.file())
                break
        return str(metadata.properties().getOrDefault(key, default))
    except BRIDGE_ERRORS:
        return None
