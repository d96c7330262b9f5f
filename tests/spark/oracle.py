"""The real runtime as judge: runs a script on real tables and holds the checker's word against it.

By hand: `python tests/spark/oracle.py FILE.sql...` prints where the two disagree; `-v` prints all.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_iceberg_sql.checker import check
from spark_iceberg_sql.ddl.routing import as_written
from spark_iceberg_sql.diagnostics import Report, Severity
from spark_iceberg_sql.model.table import Known
from spark_iceberg_sql.text import statements

# The table's own mode is copy-on-write, so merge-on-read is asked for before the UPDATE.
_MERGE_ON_READ = ", ".join(
    f"'write.{verb}.mode'='merge-on-read'" for verb in ("delete", "update", "merge")
)
# Errors of another kind: the runtime takes the statement and makes something else than is written.
_ANOTHER = {
    "SIS102": "extra arguments are ignored: bucket(16, 32, id) makes bucket[16]",
    "SIS103": "a number beyond 32 bits wraps round: bucket(4294967312, id) makes bucket[16]",
    "SIS412": "a branch's path changes the table",
    "SIS413": "bucket on a table of Spark's own makes CLUSTERED BY",
}
_NOT_THERE = re.compile(r"TABLE_OR_VIEW_NOT_FOUND|NoSuchTableException|cannot be found")
_VALUES = {
    "boolean": "true",
    "string": "'a'",
    "date": "date'2024-01-01'",
    "timestamp": "timestamp'2024-01-01 10:00:00'",
    "timestamp_ntz": "timestamp_ntz'2024-01-01 10:00:00'",
    "binary": "x'01'",
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint", "float", "double"), "1"),
}


def first_line(error: Exception) -> str:
    """The first line of what the runtime says, the innermost cause for a Java trace."""
    text = str(error)
    if type(error).__name__ == "Py4JJavaError":
        causes = re.findall(r"(?:Caused by: |: )([\w.$]+(?:Exception|Error)[^\n]*)", text)
        return str(causes[-1] if causes else text[:200])
    return f"{type(error).__name__}: {text.strip().splitlines()[0]}"


def _trouble(ask: Callable[[], Any]) -> str | None:
    try:
        ask()
    except Exception as error:
        return first_line(error)
    return None


@dataclass
class Runtime:
    """A Spark session with an Iceberg catalog `local`, asked past the gate."""

    spark: SparkSession
    sql: Callable[[str], DataFrame] = field(init=False)

    def __post_init__(self) -> None:
        self.sql = type(self.spark).sql.__get__(self.spark)

    def clear(self) -> None:
        """An empty `local.db` as the current namespace, no table in Spark's own catalog, and its defaults."""
        self.sql("RESET spark.sql.caseSensitive")
        self.sql("RESET spark.sql.session.timeZone")
        self.sql("CREATE NAMESPACE IF NOT EXISTS local.db")
        self.sql("USE spark_catalog.default")
        for place in ("spark_catalog.default", "local.db"):
            for row in self.sql(f"SHOW TABLES IN {place}").collect():
                where = "" if row.isTemporary else f"{place}."
                kind = "VIEW" if row.isTemporary else "TABLE"
                with suppress(Exception):
                    self.sql(f"DROP {kind} IF EXISTS {where}`{row.tableName}`")
        self.sql("USE local.db")

    def refusal(self, statement: str) -> str | None:
        """Run a statement; what the runtime says against it, or None."""
        return _trouble(lambda: self.sql(statement))

    def tables(self) -> list[str]:
        """The full names of the tables in `local.db`."""
        rows = self.sql("SHOW TABLES IN local.db").collect()
        return [f"local.db.`{row.tableName}`" for row in rows if not row.isTemporary]

    def damage(self, *, thorough: bool) -> list[str]:
        """What does not work on the tables there are, statement by statement.

        thorough: by writing, updating and rewriting; otherwise by analysis and metadata alone.
        """
        found = []
        for table in self.tables():
            for name, ask in self._probes(table, thorough):
                trouble = _trouble(ask)
                if trouble is not None:
                    found.append(f"{name} on {table}: {trouble}")
        return found

    def _probes(self, table: str, thorough: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
        if thorough:
            yield "INSERT", lambda: self._insert(table)
            yield "SELECT", lambda: self.sql(f"SELECT * FROM {table}").collect()
        for metadata in ("files", "partitions"):
            query = f"SELECT * FROM {table}.{metadata}"
            yield metadata, lambda query=query: self._ask(query, thorough)
        yield "_partition", lambda: self._ask(f"SELECT *, _partition FROM {table}", thorough)
        yield "drop by name", lambda: self._drop_each(table)
        if not thorough:
            yield "partition key", lambda: self._partition_key(table)
            return
        yield "merge-on-read UPDATE", lambda: self._update(table)
        yield "rewrite_manifests", lambda: self._call("rewrite_manifests", table)
        yield "SELECT again", lambda: self.sql(f"SELECT * FROM {table}").collect()

    def _ask(self, query: str, thorough: bool) -> None:
        frame = self.sql(query)
        if thorough:
            frame.collect()

    def _insert(self, table: str) -> None:
        types = [f.dataType.simpleString() for f in self.spark.table(table).schema.fields]
        values = [_VALUES.get(kind, f"cast(null as {kind})") for kind in types]
        self.sql(f"INSERT INTO {table} SELECT {', '.join(values)}")

    def _update(self, table: str) -> None:
        if self._java(table).operations().current().formatVersion() < 2:
            return
        self.sql(f"ALTER TABLE {table} SET TBLPROPERTIES({_MERGE_ON_READ})")
        fields = self.spark.table(table).schema.fields
        plain = [f.name for f in fields if f.dataType.simpleString() in _VALUES]
        if plain:
            column = f"`{plain[0]}`"
            self.sql(
                f"UPDATE {table} SET {column} = {column} WHERE length(cast({column} AS string)) >= 0"
            )

    def _call(self, procedure: str, table: str) -> None:
        self.sql(f"CALL local.system.{procedure}('{table.removeprefix('local.')}')").collect()

    def _java(self, table: str) -> Any:
        util = self.spark._jvm.org.apache.iceberg.spark.Spark3Util
        return util.loadIcebergTable(self.spark._jsparkSession, table)

    def metadata(self, table: str) -> dict[str, Any]:
        """A table's metadata.json, by one call."""
        current = self._java(table).operations().current()
        parser = self.spark._jvm.org.apache.iceberg.TableMetadataParser
        return dict(json.loads(parser.toJson(current)))

    def _partition_key(self, table: str) -> None:
        """What INSERT builds first, and what a file's partition needs."""
        java, jvm = self._java(table), self.spark._jvm.org.apache.iceberg
        if java.spec().isPartitioned():
            jvm.PartitionKey(java.spec(), java.schema())
        jvm.Partitioning.partitionType(java)
        version = java.operations().current().formatVersion()
        if version not in (1, 2, 3):
            raise ValueError(f"format version {version}")

    def _drop_each(self, table: str) -> None:
        """Whether DROP PARTITION FIELD would find each field of the spec by its name."""
        java = self._java(table)
        for spec_field in java.spec().fields():
            column = java.schema().findField(spec_field.name())
            void = spec_field.transform().isVoid()
            if column is not None and not spec_field.transform().isIdentity() and not void:
                raise ValueError(f"`{spec_field.name()}` means a column")


@dataclass(frozen=True)
class Outcome:
    """What the runtime did with a script, and where it and the checker differ."""

    report: Report
    log: tuple[str, ...]
    disagreements: tuple[str, ...]


def judge(
    runtime: Runtime, text: str, known: Known | None = None, *, thorough: bool = False
) -> Outcome:
    """Run a script on an empty catalog and compare, statement by statement.

    An error must be a refusal, or leave damage; everything else must be accepted; and where nothing at
    all was said, no damage may be left.
    """
    if known is None:
        known = Known(catalog="local", namespace=("db",), complete=True)
    report = check(text, known)
    runtime.clear()
    log, wrong = [], []
    lost = False  # whether a CREATE was refused, and said to be: what is about its table is refused too
    for statement in statements(text):
        mine = [
            d for d in report if statement.head <= d.span.start < max(statement.tail, statement.end)
        ]
        mine = [d for d in mine if d.span.start >= statement.start or d.severity is Severity.ERROR]
        codes = ", ".join(f"{d.code} {d.severity}: {d.message}" for d in mine) or "nothing"
        error = any(d.severity is Severity.ERROR for d in mine)
        refusal = runtime.refusal(as_written(statement))
        words = " ".join(statement.text.split())
        log.append(
            f"{'refused ' if refusal else 'accepted'} | {words}\n     ours: {codes}\n     its: {refusal}"
        )
        lost = lost or bool(refusal and error and re.match(r"CREATE|REPLACE", words, re.IGNORECASE))
        if refusal and not error and not (lost and _NOT_THERE.search(refusal)):
            wrong.append(f"REFUSED, UNSAID: {words}\n     ours: {codes}\n     its: {refusal}")
        elif error and not refusal:
            damage = runtime.damage(thorough=True)
            if not damage and not any(d.code in _ANOTHER for d in mine):
                wrong.append(f"ACCEPTED, NO DAMAGE, BUT AN ERROR: {words}\n     ours: {codes}")
            log += [f"     damage: {item}" for item in damage]
            return Outcome(report, tuple(log), tuple(wrong))
    if all(d.severity is Severity.NOTE or d.code == "SIS003" for d in report) and not wrong:
        damage = runtime.damage(thorough=thorough)
        words = " ".join(text.split())
        wrong += [f"DAMAGED, UNSAID: {words}\n     {item}" for item in damage]
    return Outcome(report, tuple(log), tuple(wrong))


def main(paths: list[str]) -> int:
    """Judge the cases of files: under `-- case:` lines, else the whole file as one script."""
    sys.path.insert(0, str(Path(__file__).parent.parent))
    from cases import cases_of

    import spark_iceberg_sql

    verbose = "-v" in paths
    config = {
        "spark.master": "local[2]",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "1",
    }
    place = Path(tempfile.mkdtemp(prefix="oracle-"))
    config["spark.sql.warehouse.dir"] = str(place / "spark")
    runtime = Runtime(spark_iceberg_sql.session(place / "warehouse", config=config))
    count = bad = 0
    for path in [p for p in paths if p != "-v"]:
        text = Path(path).read_text()
        for name, script in [(c.name, c.text) for c in cases_of(text, path)] or [(path, text)]:
            outcome = judge(runtime, script, thorough=True)
            count += 1
            bad += bool(outcome.disagreements)
            if verbose or outcome.disagreements:
                print(f"\n## {name}")
                print("\n".join(outcome.log if verbose else ()), *outcome.disagreements, sep="\n  ")
    print(f"\n{count} cases, {bad} with disagreements")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
