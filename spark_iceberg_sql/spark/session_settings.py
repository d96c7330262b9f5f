"""The settings of Spark sessions and properties of tables that this package reads, besides the switches of its rules.

To add one, add a record; a key that a Java file names is the same.
"""

from __future__ import annotations

from spark_iceberg_sql.records import record

PREFIX = "spark.iceberg_sql."


@record(frozen=True, slots=True)
class SessionSetting:
    """A setting.

    key: with what the user names in capitals. where: `session`, `application` (before it starts), or `table` (a
    property). takes: its values. default: the text of the documentation. purpose: in one sentence. is_fixed: whether
    clients of a server cannot change it.
    """

    key: str
    where: str
    takes: str
    default: str
    purpose: str
    is_fixed: bool = False


ALLOWED_LOCATIONS = SessionSetting(
    f"{PREFIX}allowed_locations",
    "application",
    "paths, separated by commas",
    "all",
    "what the table functions may open",
)
COLLECTION = SessionSetting(
    f"{PREFIX}collection.NAME.ARGUMENT",
    "session",
    "an argument of the table functions",
    "",
    "an argument of a named collection, such as a key; `sis.collection` sets it without showing it",
)
READ_TIMEOUT = SessionSetting(
    f"{PREFIX}read_timeout", "session", "whole seconds, from 1", "300", "how long a table function waits for a store"
)
GATE_TIMEOUT = SessionSetting(
    f"{PREFIX}gate.timeout",
    "session",
    "whole seconds, from 1",
    "60",
    "how long a client's statement waits for the check of partition DDL",
)
GATE_UNANSWERED = SessionSetting(
    f"{PREFIX}gate.unanswered",
    "session",
    "`refuse` or `run`",
    "refuse",
    "what happens to a statement that could not be checked",
    is_fixed=True,
)
REQUIRE_FILTER = SessionSetting(
    f"{PREFIX}require_filter",
    "session",
    "a size such as `10 GB`, `true` or `false`",
    "false",
    "how much of a partitioned table a statement may read without a filter on a partition field",
)
REQUIRE_FILTER_OF_TABLE = SessionSetting(
    "spark-iceberg-sql.require-filter",
    "table",
    "a size such as `10 GB`, `true` or `false`",
    "false",
    "the same, for all who read the table",
)
REQUIRE_FILTER_OVERRIDE = SessionSetting(
    "spark-iceberg-sql.require-filter.session-override",
    "table",
    "`true` or `false`",
    "false",
    "whether a session may require less than the table",
)
KEEP_MANIFEST_CHECKS = SessionSetting(
    f"{PREFIX}keep_manifest_checks",
    "session",
    "`true` or `false`",
    "true",
    "whether it is kept in the user's cache folder which manifests have been checked, and read there",
)
SESSION_SETTINGS = (
    ALLOWED_LOCATIONS,
    COLLECTION,
    READ_TIMEOUT,
    GATE_TIMEOUT,
    GATE_UNANSWERED,
    REQUIRE_FILTER,
    REQUIRE_FILTER_OF_TABLE,
    REQUIRE_FILTER_OVERRIDE,
    KEEP_MANIFEST_CHECKS,
)
