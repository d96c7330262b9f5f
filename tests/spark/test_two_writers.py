"""The rule `conflicts`: no statement loses what another writer has committed since the version that it reads.

The second session has read the table before the first one changes it: its catalog keeps that version for 30 seconds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from adversary.harness import FAILS
from adversary.truth.schedules import CONFLICT
from pyspark.sql import SparkSession
from samples import swept

from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway

TABLE = "local.writers.t"
Row = tuple[int, int, int]
ROWS: list[Row] = [(1, 0, 1), (2, 0, 2), (3, 1, 3), (4, 1, 4)]
Effect = Callable[[list[Row]], list[Row]]
MERGE = (
    "MERGE INTO {t} t USING (SELECT 1 AS r) q ON t.r = q.r "
    "WHEN MATCHED THEN UPDATE SET v = v + 100 WHEN NOT MATCHED THEN INSERT (r, k, v) VALUES (q.r, 0, 7)"
)


def _delete(test: Callable[[Row], bool]) -> Effect:
    return lambda rows: [row for row in rows if not test(row)]


def _add(number: int, amount: int, k: int | None = None) -> Effect:
    return lambda rows: [
        (r, k if k is not None and r == number else old, v + amount if r == number else v) for r, old, v in rows
    ]


def _merged(rows: list[Row]) -> list[Row]:
    return _add(1, 100)(rows) if any(r == 1 for r, _, _ in rows) else [*rows, (1, 0, 7)]


FIRST: dict[str, Effect] = {
    "UPDATE {t} SET v = v + 10 WHERE r = 1": _add(1, 10),
    "UPDATE {t} SET k = 1, v = v + 10 WHERE r = 1": _add(1, 10, k=1),
    MERGE: _merged,
    "DELETE FROM {t} WHERE r = 2": _delete(lambda row: row[0] == 2),
}
SECOND: dict[str, Effect] = {
    "DELETE FROM {t} WHERE r = 1": _delete(lambda row: row[0] == 1),
    "DELETE FROM {t} WHERE k = 0": _delete(lambda row: row[1] == 0),  # of whole files where it is the partition
    "UPDATE {t} SET v = v + 1 WHERE r = 1": _add(1, 1),
    MERGE: _merged,
}
MODES = ("copy-on-write", "merge-on-read")
LEVELS = ("snapshot", "serializable")
# The lost DELETE at once; a sweep has all.
CASES = sorted(
    itertools.product(FIRST, SECOND, MODES, MODES, LEVELS, (2, 3), ("", "k")),
    key=lambda case: case[1:] != ("DELETE FROM {t} WHERE r = 1", MODES[1], MODES[1], "snapshot", 2, ""),
)


def create(spark: SparkSession, modes: dict[str, str], level: str, version: int = 2, spec: str = "") -> None:
    properties = {"format-version": str(version)}
    for command in ("delete", "update", "merge"):
        properties |= {f"write.{command}.mode": modes[command], f"write.{command}.isolation-level": level}
    text = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    by = f"PARTITIONED BY ({spec})" if spec else ""
    spark.sql(f"DROP TABLE IF EXISTS {TABLE} PURGE")
    spark.sql(f"CREATE TABLE {TABLE} (r INT, k INT, v INT) USING iceberg {by} TBLPROPERTIES ({text})")
    values = ", ".join(map(str, ROWS))
    spark.sql(f"INSERT INTO {TABLE} SELECT /*+ COALESCE(1) */ * FROM VALUES {values}")


def second_session(spark: SparkSession, name: str = TABLE) -> SparkSession:
    """A session whose catalog has the table as it is now."""
    session = spark.newSession()
    session.sql(f"SELECT count(*) FROM {name}").collect()
    return session


def rows(spark: SparkSession, name: str = TABLE) -> list[Row]:
    return sorted((r, k, v) for r, k, v in spark.newSession().sql(f"SELECT r, k, v FROM {name}").collect())


def succeeds(session: SparkSession, statement: str) -> bool:
    """Whether a statement commits; any error but a conflict is raised."""
    try:
        session.sql(statement)
    except FAILS as error:
        if not CONFLICT.search(str(error)):
            raise
        return False
    return True


def newest_format() -> int:
    """The newest format version of this Iceberg's tables."""
    metadata = compiler.context_loader().loadClass("org.apache.iceberg.TableMetadata")
    field = metadata.getDeclaredField("SUPPORTED_TABLE_FORMAT_VERSION")
    field.setAccessible(True)
    return int(field.getInt(None))


@pytest.mark.parametrize(("first", "second", "mode", "other_mode", "level", "version", "spec"), swept(CASES, 60))
def test_statements_of_two_writers(
    spark: SparkSession, first: str, second: str, mode: str, other_mode: str, level: str, version: int, spec: str
) -> None:
    """The second writer's statement has the rows of some order of the two, or fails with a conflict."""
    if version > newest_format():
        pytest.skip(f"this Iceberg has no format version {version}")
    command = second.split()[0].lower()
    create(
        spark, {c: mode if c == command else other_mode for c in ("delete", "update", "merge")}, level, version, spec
    )
    other = second_session(spark)
    spark.sql(first.format(t=TABLE))
    committed = succeeds(other, second.format(t=TABLE))
    orders = (
        [SECOND[second](FIRST[first](ROWS)), FIRST[first](SECOND[second](ROWS))] if committed else [FIRST[first](ROWS)]
    )
    assert rows(spark) in [sorted(order) for order in orders]


def refuses_more() -> bool:
    """Whether the check is Iceberg's own one, since this Iceberg takes no other (CommitCheck.java)."""
    return not gateway.class_exists("org.apache.iceberg.SnapshotAncestryValidator")


DELETE = "DELETE FROM {t} WHERE r = 1"
UPDATE = "UPDATE {t} SET v = v + 10 WHERE r = 1"
BY_POSITION = dict.fromkeys(("delete", "update", "merge"), MODES[1])


@pytest.mark.tier("quick", of="rule conflicts")
def test_a_delete_does_not_leave_what_another_writer_has_replaced(spark: SparkSession) -> None:
    create(spark, BY_POSITION, "snapshot")
    other = second_session(spark)
    spark.sql(UPDATE.format(t=TABLE))
    message = (
        "Found new conflicting delete files" if refuses_more() else "rows of this DELETE may have been replaced by"
    )
    with pytest.raises(FAILS, match=message):
        other.sql(DELETE.format(t=TABLE))
    other.sql(DELETE.format(t=TABLE))  # the refused commit has read the newest version
    assert [row[0] for row in rows(spark)] == [2, 3, 4]


def test_without_the_rule_it_does(spark: SparkSession) -> None:
    create(spark, BY_POSITION, "snapshot")
    other = second_session(spark)
    other.conf.set("spark.iceberg_sql.conflicts", "false")
    spark.sql(UPDATE.format(t=TABLE))
    other.sql(DELETE.format(t=TABLE))
    assert rows(spark)[0] == (1, 0, 11)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("DELETE FROM {t} WHERE r IN (1, 2)", "DELETE FROM {t} WHERE r IN (1, 4)"),
        ("UPDATE {t} SET v = 0 WHERE r = 3", "DELETE FROM {t} WHERE r = 1"),  # another partition
        ("INSERT INTO {t} VALUES (1, 0, 9)", "DELETE FROM {t} WHERE r = 1"),
    ],
)
def test_what_replaces_no_rows_of_a_delete_is_no_conflict(spark: SparkSession, first: str, second: str) -> None:
    if refuses_more() and not first.startswith("INSERT"):
        pytest.skip("before Iceberg 1.11 its own check refuses each new delete file of the partitions")
    create(spark, BY_POSITION, "snapshot", spec="k")
    other = second_session(spark)
    spark.sql(first.format(t=TABLE))
    other.sql(second.format(t=TABLE))


def test_a_branch(spark: SparkSession) -> None:
    create(spark, BY_POSITION, "snapshot")
    spark.sql(f"ALTER TABLE {TABLE} CREATE BRANCH b")
    branch = f"{TABLE}.branch_b"
    other = second_session(spark, branch)
    spark.sql(UPDATE.format(t=TABLE))
    other.sql(f"DELETE FROM {branch} WHERE r = 2")  # what is committed to main is no conflict
    spark.newSession().sql(f"UPDATE {branch} SET v = 7 WHERE r = 3")
    assert rows(spark, branch) == [(1, 0, 1), (3, 1, 7), (4, 1, 4)]
    other = second_session(spark, branch)
    spark.newSession().sql(f"UPDATE {branch} SET v = 8 WHERE r = 3")
    assert not succeeds(other, f"DELETE FROM {branch} WHERE r = 3")
    assert rows(spark, branch) == [(1, 0, 1), (3, 1, 8), (4, 1, 4)]


@pytest.mark.parametrize("spec", ["", "k"])
def test_equality_deletes_of_another_writer(spark: SparkSession, spec: str) -> None:
    """As Flink writes them: by the column r, with the new row in the same commit."""
    create(spark, BY_POSITION, "snapshot", spec=spec)
    other = second_session(spark)
    jvm = gateway.gateway().jvm
    iceberg = jvm.org.apache.iceberg
    table = iceberg.spark.Spark3Util.loadIcebergTable(gateway.java_session(spark.newSession()), TABLE)
    ids = gateway.gateway().new_array(jvm.int, 1)
    ids[0] = 1
    deletes = iceberg.FileMetadata.deleteFileBuilder(table.spec()).ofEqualityDeletes(ids)
    added = iceberg.DataFiles.builder(table.spec())
    for file in (deletes, added):
        file.withPath(f"{table.location()}/data/{spec or 'all'}-{file.getClass().getSimpleName()}.parquet")
        file.withFileSizeInBytes(1).withRecordCount(1)
        if spec:
            file.withPartitionPath("k=0")
    table.newRowDelta().addDeletes(deletes.build()).addRows(added.build()).commit()
    assert not succeeds(other, DELETE.format(t=TABLE))
