"""Another writer's commit as a client of Spark Connect sees it: asked for in the table's metadata, not for long."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from spark_iceberg_sql.spark.other_commit import MAX_SNAPSHOTS, OtherCommit
from spark_iceberg_sql.syntax.identifiers import qualified_name, quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SECONDS = 10  # that an error waits for a server that does not answer
_NEWEST = (
    "SELECT operation, unix_millis(committed_at), snapshot_id, summary FROM {}.snapshots "
    f"ORDER BY committed_at DESC LIMIT {MAX_SNAPSHOTS}"
)


def name_and_newest(spark: SparkSession, parts: Sequence[str], started_ms: int) -> tuple[str, str]:
    """The full name of a table, and its newest commit as a part of a sentence; empty where the server does not say.

    parts: the name as it is written. started_ms: of the statement, in milliseconds since 1970.
    """
    answers = ["", ""]
    # Behind a lost connection the client would wait for minutes.
    thread = threading.Thread(target=_ask, args=(spark, parts, started_ms, answers), daemon=True)
    thread.start()
    thread.join(_SECONDS)
    return answers[0], answers[1]


def _ask(spark: SparkSession, parts: Sequence[str], started_ms: int, answers: list[str]) -> None:
    sql = type(spark).sql.__get__(spark)
    table = ".".join(map(quoted, parts))
    with suppress(Exception):  # the conflict is what matters
        rows = sql(f"DESCRIBE TABLE EXTENDED {table}").where("col_name = 'Name'").collect()
        answers[0] = str(rows[0].data_type) if rows else qualified_name(parts)
        if len(parts) == 1:  # `t.snapshots` would be a table of the namespace `t`
            table = ".".join(map(quoted, answers[0].split(".")))
        snapshots = sql(_NEWEST.format(table)).collect()
        if snapshots:
            operation, committed, snapshot_id, summary = snapshots[0]
            later = sum(row[1] >= started_ms for row in snapshots)
            answers[1] = str(OtherCommit(operation, committed, snapshot_id, summary, later))
