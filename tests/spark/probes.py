"""Typical operations on a table: all kinds of writes, changes and reads, every procedure, every metadata table.

A probe that fails on a table that was fine before shows damage, whether a rule predicts it or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_iceberg_sql.spark.bridge.jvm import compiler

Probe = tuple[str, Callable[[], Any]]

METADATA = (
    *("entries", "files", "data_files", "delete_files", "history", "metadata_log_entries"),
    *("snapshots", "refs", "manifests", "partitions", "all_data_files", "all_delete_files"),
    *("all_files", "all_manifests", "all_entries", "position_deletes"),
)
# Those that read the results of row-level changes; the others return the same from the same manifests.
_TELLING = ("files", "partitions", "position_deletes", "all_entries")

_CALLS = {
    "ancestors_of": "table => '{t}'",
    "compute_table_stats": "table => '{t}'",
    "create_changelog_view": "table => '{t}', changelog_view => 'probe_changes'",
    "rewrite_data_files": "table => '{t}', options => map('rewrite-all', 'true')",
    "rewrite_position_delete_files": "table => '{t}', options => map('rewrite-all', 'true')",
    "rewrite_table_path": "table => '{t}', source_prefix => '{location}', target_prefix => '/elsewhere'",
    "remove_orphan_files": "table => '{t}', dry_run => true",
    "set_current_snapshot": "table => '{t}', snapshot_id => {snapshot}",
    "rollback_to_snapshot": "table => '{t}', snapshot_id => {snapshot}",
    "rollback_to_timestamp": "table => '{t}', timestamp => timestamp'2999-01-01 00:00:00'",
    "fast_forward": "table => '{t}', branch => 'probe', to => 'main'",
    "expire_snapshots": "table => '{t}', older_than => timestamp'2999-01-01 00:00:00', retain_last => 1",
}
# Called separately below.
_OTHERWISE = ("rewrite_manifests", "compute_partition_stats", "cherrypick_snapshot", "publish_changes")
# These create a table from another one that is not an Iceberg table, or not in a catalog.
_OF_OTHERS = ("add_files", "migrate", "register_table", "snapshot")
PROCEDURES = (*_CALLS, *_OTHERWISE, *_OF_OTHERS)

VALUES = {
    "boolean": "true",
    "string": "'a'",
    "date": "date'2024-01-01'",
    "timestamp": "timestamp'2024-01-01 10:00:00'",
    "timestamp_ntz": "timestamp_ntz'2024-01-01 10:00:00'",
    "binary": "x'01'",
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint", "float", "double"), "1"),
}

_COMPILED: dict[str, Any] = {}


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


class Probes:
    """The probes of one table. sql: without the gate. table: its full name, `local.db.t`, each part quoted or plain."""

    def __init__(self, spark: SparkSession, sql: Callable[[str], DataFrame], table: str) -> None:
        self.spark, self.sql, self.table = spark, sql, table
        self.name = table.removeprefix("local.")

    def java(self) -> Any:
        util = self.spark._jvm.org.apache.iceberg.spark.Spark3Util
        return util.loadIcebergTable(self.spark._jsparkSession, self.table)

    def classes(self) -> Any:
        """MetadataProbes.java, compiled once per session."""
        key = self.spark.sparkContext.applicationId
        if key not in _COMPILED:
            text = Path(__file__).with_name("MetadataProbes.java").read_text(encoding="utf-8")
            loader = compiler.context_loader()
            loader = compiler.compile_java(text, "MetadataProbes.java", loader)
            _COMPILED[key] = compiler.instance(loader, "sparkicebergsql.probes.MetadataProbes")
        return _COMPILED[key]

    def quick(self) -> Iterator[Probe]:
        """From analysis and metadata alone."""
        for metadata in METADATA:
            yield metadata, lambda m=metadata: self.sql(f"SELECT * FROM {self.table}.{m}")
        yield "_partition", lambda: self.sql(f"SELECT *, _partition FROM {self.table}")
        yield "drop by name", self._drop_each
        yield "partition key", self._partition_key

    def core(self) -> Iterator[Probe]:
        """The first step of all of these, with Iceberg's own classes: no Spark job, a hundred times faster."""
        ask, table = self.classes(), self.java()
        yield "PartitionKey, serialized specs", lambda: ask.partitionKey(table)
        yield "drop by name", lambda: ask.dropEach(table)
        yield "append", lambda: ask.append(table)
        yield "StructProjection of each spec", lambda: ask.projections(table)
        yield "scan with a filter", lambda: ask.filtered(table)
        yield "partition statistics", lambda: ask.statistics(table)
        for metadata, why in dict(ask.plans(table, list(METADATA))).items():
            yield metadata, lambda why=why: _raise(why)
        yield "_partition", lambda: self.sql(f"SELECT *, _partition FROM {self.table}")

    def thorough(self) -> Iterator[Probe]:
        """Writes, updates and rewrites: the everyday operations on a table."""
        yield "INSERT", self.fill
        yield "SELECT", self._select
        yield "drop by name", self._drop_each
        for metadata in ("files", "partitions"):
            yield metadata, lambda m=metadata: self._read(m)
        if self._deletes():
            yield from self._changed("merge-on-read", METADATA[:0], rest=False)
        yield "rewrite_manifests", self._rewrite_manifests
        yield "INSERT again", self.fill
        yield "expire_snapshots", lambda: self._call("expire_snapshots")
        yield "SELECT again", self._select

    def everything(self) -> Iterator[Probe]:
        """All of METADATA and PROCEDURES, after row-level changes of both kinds."""
        yield "INSERT", self.fill
        yield "SELECT", self._select
        yield "drop by name", self._drop_each
        yield "partition key", self._partition_key
        if self._deletes():
            yield from self._changed("merge-on-read", METADATA, rest=True)
        yield from self._changed("copy-on-write", METADATA, rest=True)
        yield "WAP", self._staged
        yield "expire_snapshots", lambda: self._call("expire_snapshots")
        yield "SELECT again", self._select

    def _changed(self, mode: str, metadata: tuple[str, ...], *, rest: bool) -> Iterator[Probe]:
        def named(name: str, ask: Callable[[], Any]) -> Probe:
            return f"{mode} {name}", ask

        yield named("set", lambda: self._set(mode))
        yield named("UPDATE", self._update)
        for table in metadata or _TELLING:
            yield named(table, lambda m=table: self._read(m))
        yield named("rewrite_position_delete_files", lambda: self._call("rewrite_position_delete_files"))
        if rest:
            yield named("INSERT", self.fill)
            yield named("MERGE", self._merge)
            yield named("DELETE", self._delete)
            yield named("dynamic overwrite", self._overwrite)
            yield named("rewrite_manifests", self._rewrite_manifests)
            yield named("compute_partition_stats", self._partition_stats)
            for procedure in _CALLS:
                if procedure not in ("expire_snapshots", "rewrite_position_delete_files"):
                    yield named(procedure, lambda p=procedure: self._call(p))
            yield named("the first snapshot", self._travel)
            yield named("SELECT", self._select)

    # ------------------------------------------------------------------ rows

    def fill(self) -> None:
        """Two rows: one with values, one with nulls where allowed."""
        fields = self.spark.table(self.table).schema.fields
        kinds = [field.dataType.simpleString() for field in fields]
        values = [VALUES.get(kind, f"cast(null as {kind})") for kind in kinds]
        nulls = [
            f"cast(null as {kind})" if field.nullable else value
            for kind, value, field in zip(kinds, values, fields, strict=True)
        ]
        self.sql(f"INSERT INTO {self.table} SELECT {', '.join(values)} UNION ALL SELECT {', '.join(nulls)}")

    def _select(self) -> None:
        self.sql(f"SELECT *, _partition, _file FROM {self.table}").collect()

    def _read(self, metadata: str) -> None:
        self.sql(f"SELECT * FROM {self.table}.{metadata}").collect()

    def _column(self) -> str | None:
        fields = self.spark.table(self.table).schema.fields
        plain = [f.name for f in fields if f.dataType.simpleString() in VALUES]
        return quoted(plain[0]) if plain else None

    def _update(self) -> None:
        if (c := self._column()) is not None:
            self.sql(f"UPDATE {self.table} SET {c} = {c} WHERE length(cast({c} AS string)) >= 0")

    def _merge(self) -> None:
        if (c := self._column()) is not None:
            self.sql(
                f"MERGE INTO {self.table} AS probed USING (SELECT 1 AS probe) ON "
                f"length(cast(probed.{c} AS string)) >= 0 WHEN MATCHED THEN UPDATE SET {c} = probed.{c}"
            )

    def _delete(self) -> None:
        if (c := self._column()) is not None:
            self.sql(f"DELETE FROM {self.table} WHERE {c} IS NULL AND length(coalesce(cast({c} AS string), 'x')) > 0")

    def _overwrite(self) -> None:
        key = "spark.sql.sources.partitionOverwriteMode"
        self.sql(f"SET {key} = dynamic")
        try:
            self.sql(f"INSERT OVERWRITE {self.table} SELECT * FROM {self.table} LIMIT 1")
        finally:
            self.sql(f"RESET {key}")

    def _travel(self) -> None:
        query = f"SELECT snapshot_id FROM {self.table}.snapshots ORDER BY committed_at LIMIT 1"
        self.sql(f"SELECT * FROM {self.table} VERSION AS OF {self.sql(query).head()[0]}").collect()

    # ------------------------------------------------------------------ procedures

    def _set(self, mode: str) -> None:
        verbs = ("delete", "update", "merge")
        properties = ", ".join(f"'write.{verb}.mode' = '{mode}'" for verb in verbs)
        self.sql(f"ALTER TABLE {self.table} SET TBLPROPERTIES ({properties})")

    def _call(self, procedure: str, arguments: str | None = None) -> None:
        java = self.java()
        if procedure == "fast_forward":
            self.sql(f"ALTER TABLE {self.table} CREATE BRANCH IF NOT EXISTS probe")
        call_arguments = (arguments or _CALLS[procedure]).format(
            t=self.name, location=java.location(), snapshot=java.currentSnapshot().snapshotId()
        )
        self.sql(f"CALL local.system.{procedure}({call_arguments})").collect()

    def _rewrite_manifests(self) -> None:
        for spec in list(self.java().specs().keySet()):
            self._call("rewrite_manifests", f"table => '{{t}}', spec_id => {spec}")

    def _partition_stats(self) -> None:
        """Iceberg refuses this for a table whose current spec has no field."""
        if any(not field.transform().isVoid() for field in self.java().spec().fields()):
            self._call("compute_partition_stats", "table => '{t}'")

    def _staged(self) -> None:
        """Two staged writes, each published by its procedure."""
        self.sql(f"ALTER TABLE {self.table} SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
        try:
            for number, procedure in enumerate(("publish_changes", "cherrypick_snapshot")):
                self.sql(f"SET spark.wap.id = probe{number}")
                self.fill()
                self.sql("RESET spark.wap.id")
                staged = f"SELECT snapshot_id FROM {self.table}.snapshots ORDER BY committed_at DESC LIMIT 1"
                argument = f"snapshot_id => {self.sql(staged).head()[0]}" if number else "wap_id => 'probe0'"
                self._call(procedure, f"table => '{{t}}', {argument}")
        finally:
            self.sql("RESET spark.wap.id")
            self.sql(f"ALTER TABLE {self.table} UNSET TBLPROPERTIES ('write.wap.enabled')")

    # ------------------------------------------------------------------ metadata

    def _deletes(self) -> bool:
        return bool(self.java().operations().current().formatVersion() >= 2)

    def _partition_key(self) -> None:
        self.classes().partitionKey(self.java())

    def _drop_each(self) -> None:
        self.classes().dropEach(self.java())


def _raise(why: str) -> None:
    raise RuntimeError(why)
