"""The session: tables with the copies of their rows, values of expressions over these, rules switched on and off."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import spark_iceberg_sql as sis
from adversary import arrow
from adversary.nodes import Node
from adversary.predicates import Valued, shown
from adversary.rows import RAW, Row, to_millis
from adversary.tables import Table, values
from adversary.truth import twin
from spark_iceberg_sql.model.runtime.iceberg_versions import FORMAT_SINCE
from spark_iceberg_sql.spark.bridge.jvm import iceberg_version
from spark_iceberg_sql.spark.gate import intercept

T = TypeVar("T")
FAILS = (PySparkException, Py4JError, Py4JError)
# One core, and generated code only if a batch asks for it: each query runs once.
SETTINGS = {
    "spark.master": "local[1]",
    "spark.driver.memory": "3g",
    "spark.sql.shuffle.partitions": "1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    # Only the first JIT tier: most code runs for minutes at most. Unless told, it keeps 48 MB of code, too few.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m",
}
# Tables in the JVM's memory: Hadoop's local file system starts a process for each file it writes.
CATALOG = "mem"
MEMORY = {
    f"spark.sql.catalog.{CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
    f"spark.sql.catalog.{CATALOG}.catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog",
    f"spark.sql.catalog.{CATALOG}.warehouse": "memory",
}
# Old dates and times are written as they are; Spark 3.5 would refuse them.
AS_THEY_ARE = {f"spark.sql.parquet.{what}RebaseModeInWrite": "CORRECTED" for what in ("datetime", "int96")}
PLAIN = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.ui.explainMode": "simple",
    "spark.sql.maxPlanStringLength": "200",
}


def start(folder: Path, settings: Mapping[str, str] | None = None) -> SparkSession:
    """A separate installed session. settings: further ones of Spark."""
    spark = sis.session(folder / "warehouse", config={**SETTINGS, **(settings or {})})
    spark.sparkContext.setLogLevel("OFF")
    return spark


def first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    if len(lines) > 1 and lines[0].startswith("An error occurred while calling"):  # py4j's: the message is below
        lines = lines[1:]
    return lines[0].removeprefix(": ")[:300]


@dataclass
class Made:
    """An existing table, and a view of the copy of its rows, of which Iceberg has read none."""

    table: Table
    name: str
    types: dict[str, str]
    view: str = ""
    done: list[str] = field(default_factory=list)
    snapshot: int = 0
    appended: bool = True  # only appends, so a stream can read it


class Harness:
    """The adversary's operations on a session."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
            logging.getLogger(name).disabled = True  # it prints each refusal with its full stack
        for key, value in MEMORY.items():
            spark.conf.set(key, value)
        for catalog in (CATALOG, "local"):
            self.sql(f"CREATE NAMESPACE IF NOT EXISTS {catalog}.a")
        self.files = tempfile.mkdtemp(prefix="adversary")
        self.copies = twin.Copies(self, Path(self.files))
        rules = self.sql("SELECT * FROM iceberg_rules()").collect()
        self.rules = [row.name for row in rules]
        self.issues = ", ".join(row.iceberg_issues for row in rules)  # each with whether this Iceberg has it
        self.newest_format = max((2, *(f for f, since in FORMAT_SINCE.items() if iceberg_version.number() >= since)))
        self.count = 0
        self.are_off = False  # all rules
        self.switches = True  # false while a Connect server runs: the switches are then static settings
        self.variables: dict[str, str] = {}  # session variables and their values

    def sql(self, text: str) -> DataFrame:
        """Bypass the gate: this is meant to create questionable partition fields."""
        return intercept.unchecked_sql(self.spark)(text)

    @contextmanager
    def conf(self, settings: Mapping[str, str]) -> Iterator[None]:
        """Change session settings temporarily."""
        before = {key: self.spark.conf.get(key, None) for key in settings}
        try:
            for key, value in settings.items():
                self.spark.conf.set(key, value)
            yield
        finally:
            for key, old in before.items():
                if old is None:
                    self.spark.conf.unset(key)
                else:
                    self.spark.conf.set(key, old)

    def off(self, *names: str) -> Any:
        """Switch these rules off, or all if none is named."""
        if not self.switches:
            return nullcontext()
        return self._all_off() if not names else self.conf({f"spark.iceberg_sql.{name}": "false" for name in names})

    @contextmanager
    def _all_off(self) -> Iterator[None]:
        if self.are_off:  # already: forty calls to the JVM would change nothing
            yield
            return
        with self.conf({f"spark.iceberg_sql.{name}": "false" for name in self.rules}):
            self.are_off = True
            try:
                yield
            finally:
                self.are_off = False

    def excluded(self, name: str) -> Any:
        camel = "".join(word.capitalize() for word in name.split("_"))
        return self.conf({"spark.sql.optimizer.excludedRules": f"sparkicebergsql.{camel}"})

    def variable(self, literal: str) -> str | None:
        """A session variable with this value; None if Spark does not accept it."""
        name = f"v{len(self.variables)}"
        try:
            self.sql(f"DECLARE OR REPLACE VARIABLE {name} = {literal}")
        except FAILS:
            return None
        self.variables[name] = literal
        return name

    # ------------------------------------------------------------------------ tables

    def build(self, table: Table) -> Made:
        """Create the table, and the copy of its rows: those that are inserted, as Spark alone evaluates them."""
        self.count += 1
        # Imported files are on disk, where the catalog in memory does not read.
        catalog = "local" if table.is_imported else CATALOG
        iceberg_table = Made(table, f"{catalog}.a.t{self.count}", dict(table.types))
        with self.conf(PLAIN):
            self._create(iceberg_table)
            rows = self._fill(iceberg_table)
            iceberg_table.types = {
                f.name: f.dataType.simpleString() for f in self.spark.table(iceberg_table.name).schema.fields
            }
            iceberg_table.view = self.copies.write(arrow.table(self._values(iceberg_table.types, rows)))
            main = self.sql(f"SELECT snapshot_id FROM {iceberg_table.name}.refs WHERE name = 'main'").collect()
            iceberg_table.snapshot = main[0][0] if main else 0
        return iceberg_table

    def drop(self, iceberg_table: Made) -> None:
        self.copies.drop(iceberg_table.view)
        self.sql(f"DROP TABLE IF EXISTS {iceberg_table.name}")

    def _create(self, iceberg_table: Made) -> None:
        sql = iceberg_table.table.create.replace("{t}", iceberg_table.name)
        self.sql(sql)
        iceberg_table.done.append(sql)

    def _fill(self, iceberg_table: Made) -> list[Row]:
        """Run the steps; the rows that the table has after them."""
        rows: list[Row] = []
        for step in iceberg_table.table.steps:
            if step.rows:
                new = [iceberg_table.table.rows[r] for r in step.rows]
                with self.conf({"spark.sql.leafNodeDefaultParallelism": str(step.files)}):
                    query = self._values(iceberg_table.table.types, new)
                    if step.imported:
                        new = self._import(iceberg_table, query, new, step.imported)
                    else:
                        query.createOrReplaceTempView("inserted")
                        self.sql(f"INSERT INTO {iceberg_table.name} BY NAME SELECT * FROM inserted")
                rows += new
                how = f", imported with {step.imported}" if step.imported else ""
                iceberg_table.done.append(f"-- {len(step.rows)} rows in {step.files} files{how}")
                continue
            sql = step.sql.replace("{t}", iceberg_table.name)
            try:
                self.sql(sql)
            except FAILS:
                continue  # Iceberg refuses this change
            iceberg_table.done.append(sql)
            iceberg_table.appended = iceberg_table.appended and not sql.startswith("DELETE")
            rows = step.after(rows)
        return rows

    def _values(self, types: Mapping[str, str], rows: Sequence[Row]) -> DataFrame:
        """The columns of these raw rows."""
        return self.source(rows).selectExpr(*values(types))

    def _import(self, iceberg_table: Made, query: DataFrame, rows: Sequence[Row], unit: str) -> list[Row]:
        """Import them as Parquet files that Spark writes; the rows that such files can hold."""
        folder = f"{self.files}/{iceberg_table.name}-{len(iceberg_table.done)}"
        with self.conf({**AS_THEY_ARE, "spark.sql.parquet.outputTimestampType": unit}):
            query.write.parquet(folder)
        table = iceberg_table.name.partition(".")[2]
        source = f"`parquet`.`{folder}`"
        self.sql(f"CALL local.system.add_files(table => '{table}', source_table => '{source}')")
        return [to_millis(row) for row in rows] if unit == "TIMESTAMP_MILLIS" else list(rows)

    def source(self, rows: Sequence[Sequence[Any]]) -> DataFrame:
        """Raw rows as a local relation."""
        kinds = dict(zip(RAW, ("int32", "int64", "int64", "int32", "int64", "int64"), strict=False))
        kinds |= {"sm": "int16", "ty": "int8", "dec": "string", "dec2": "string"}
        kinds |= {"s": "string", "b": "binary", "bo": "bool_"}
        arrays = {name: pa.array([row[at] for row in rows], getattr(pa, kinds[name])()) for at, name in enumerate(RAW)}
        return arrow.frame(self.spark, pa.table(arrays))

    # ------------------------------------------------------------------------ values

    def split(self, items: list[T], run: Callable[[list[T]], list[Any]]) -> list[Any]:
        """run(items), split in halves if it fails: an answer for each item, or the exception."""
        if not items:
            return []
        try:
            return run(items)
        except FAILS as error:
            if len(items) == 1:
                return [error]
            half = len(items) // 2
            return self.split(items[:half], run) + self.split(items[half:], run)

    def truth(self, view: str, predicates: list[str]) -> list[Any]:
        """For each predicate, the rows for which it is true, computed as columns over the copy."""

        def run(part: list[str]) -> list[Any]:
            columns = ", ".join(f"({p}) AS c{k}" for k, p in enumerate(part))
            data = arrow.table(self.sql(f"SELECT r, {columns} FROM {view}"))
            rows = data.column(0).to_pylist()
            answers = []
            for k in range(len(part)):
                held = data.column(k + 1).to_pylist()
                answers.append(frozenset(r for r, h in zip(rows, held, strict=True) if h))
            return answers

        with self.off():
            return self.split(predicates, run)

    def valued(self, view: str, nodes: list[Node]) -> list[Valued]:
        """The expressions that can be computed for every row, with their types and values."""
        typed: list[tuple[Node, str]] = []

        def types(part: list[Node]) -> list[Any]:
            columns = ", ".join(f"{n.sql()} AS c{k}" for k, n in enumerate(part))
            fields = self.sql(f"SELECT {columns} FROM {view}").schema.fields
            return [f.dataType.simpleString() for f in fields]

        def run(part: list[tuple[Node, str]]) -> list[Any]:
            columns = ", ".join(f"{shown(t, n.sql())} AS c{k}" for k, (n, t) in enumerate(part))
            data = arrow.table(self.sql(f"SELECT r, {columns} FROM {view}"))
            rows = data.column(0).to_pylist()
            return [dict(zip(rows, data.column(k + 1).to_pylist(), strict=True)) for k in range(len(part))]

        with self.off():
            for node, kind in zip(nodes, self.split(nodes, types), strict=True):
                if isinstance(kind, str):
                    typed.append((node, kind))
            values_by_row = self.split(typed, run)
        return [Valued(n, t, v) for (n, t), v in zip(typed, values_by_row, strict=True) if isinstance(v, dict)]
