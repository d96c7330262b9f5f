"""The known faults of Iceberg that no probe decides, tried by queries: without this package, and with it.

Each case has rows that no code of Iceberg has read; what a query or statement does to these is the truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway

JAVA = Path(__file__).parents[1] / "adversary" / "truth" / "java"
READS = Path(__file__).with_name("ReadsAtOnce.java")
DECIMALS = Path(__file__).parents[1] / "data" / "decimals.parquet"

ORC, PARQUET = "orc", "parquet"
# Tables in the JVM's memory: on disk, Hadoop starts a process for each file.
CATALOG = "memory"
MEMORY = {
    f"spark.sql.catalog.{CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
    f"spark.sql.catalog.{CATALOG}.catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog",
    f"spark.sql.catalog.{CATALOG}.warehouse": "memory",
}
# Each query runs once.
UNCOMPILED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
# Spark has it since 4.0.
COMPATIBLE = "spark.sql.sources.v2.bucketing.allowCompatibleTransforms.enabled"
JOINED = {
    COMPATIBLE: "true",
    "spark.sql.sources.v2.bucketing.enabled": "true",
    "spark.sql.sources.v2.bucketing.pushPartValues.enabled": "true",
    "spark.sql.iceberg.planning.preserve-data-grouping": "true",
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
}


@dataclass(frozen=True)
class Case:
    """A table and what is asked of it.

    reference: that of a record in iceberg_issues.py. rows: of VALUES. texts: queries over {t}, whose truth is the same
    query over a view; a pair of a query and its truth; at last, if at all, a DELETE, or an overwrite by no rows.
    by_spark: the rows as Spark stores them in the format, for values that the format itself changes. is_imported: the
    table gets files that Spark has written. deleted: the columns by which another writer has deleted the rows with
    negative r. changed: properties that the table gets after that. promoted: a column and the type that it gets then,
    while a query of before is still held.
    is_corrected: whether the truth is given in an installed session.
    """

    reference: str
    columns: str
    rows: str
    texts: tuple[str | tuple[str, str], ...]
    format: str = PARQUET
    by: str = ""
    properties: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    by_spark: bool = False
    is_imported: bool = False
    deleted: tuple[str, ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    promoted: tuple[str, str] | None = None
    is_corrected: bool = True


_MILLIS = (("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MILLIS"),)
_MERGE_ON_READ = (("format-version", "2"), ("write.delete.mode", "merge-on-read"))
_NO_COUNTS = (("write.metadata.metrics.default", "none"),)
_LONG = "CAST('more than sixteen bytes' AS BINARY)"
_NUMBERS = "(1, double('NaN')), (2, 2.5D), (3, -0.0D), (4, 0.0D), (5, NULL)"
CASES: tuple[Case, ...] = (
    Case(
        "milliseconds in a dictionary",
        "id INT, ts TIMESTAMP",
        "(1, TIMESTAMP '2024-01-01 00:00:00'), (2, TIMESTAMP '2024-01-01 00:00:00')",
        ("SELECT id, CAST(ts AS STRING) FROM {t}",),
        settings=_MILLIS,
        is_imported=True,
    ),
    Case(
        "ORC before 1582",
        "id INT, d DATE, ts TIMESTAMP",
        "(1, DATE '1500-01-01', TIMESTAMP '1500-01-01 00:00:00')",
        (
            "SELECT id FROM {t} WHERE d = DATE '1500-01-01'",
            "SELECT id FROM {t} WHERE ts < TIMESTAMP '1500-01-02 00:00:00'",
        ),
        ORC,
    ),
    Case("apache/iceberg#15069", "id INT, v DOUBLE", _NUMBERS, ("SELECT max(v) FROM {t}",)),
    Case(
        "apache/iceberg#16328",
        "id INT, v BINARY, s STRUCT<v: BINARY>",
        f"(1, {_LONG}, named_struct('v', {_LONG})), (2, NULL, NULL)",
        ("SELECT hex(max(v)) FROM {t}", "SELECT hex(min(v)), count(v) FROM {t}", "SELECT hex(max(s.v)) FROM {t}"),
    ),
    Case(
        "apache/iceberg#16320",
        "id INT, v STRING",
        "(1, 'abc1'), (2, 'abc2'), (3, NULL)",
        ("SELECT max(v) FROM {t}", "SELECT min(v), count(*) FROM {t}"),
        properties=(("write.metadata.metrics.default", "truncate(3)"),),
        changed=(("write.metadata.metrics.default", "full"),),
    ),
    Case(
        "signed zeros",
        "id INT, v DOUBLE",
        _NUMBERS,
        ("SELECT id FROM {t} WHERE v = 0", "SELECT id FROM {t} WHERE v >= 0", "DELETE FROM {t} WHERE v <> 0"),
        by="id",
    ),
    Case(
        "null partitions",
        "id INT, dt STRING",
        "(1, '2024-01-01'), (2, NULL), (3, '2024-07-01')",
        ("DELETE FROM {t} WHERE dt <= '2024-01-31'",),
        by="dt",
    ),
    Case(
        "null partitions",
        "id INT, dt STRING",
        "(1, '2024-01-01'), (2, NULL), (3, '2024-07-01')",
        ("SELECT id FROM {t} WHERE dt <= '2024-01-31' OR dt > '2024-06'", "DELETE FROM {t} WHERE dt <= '2024-01-31'"),
        by="dt",
        properties=_NO_COUNTS,
    ),
    Case(
        "null structs of partition fields alone",
        "id INT, s STRUCT<v: INT>",
        "(1, NULL), (2, named_struct('v', 2))",
        ("SELECT id FROM {t} WHERE s IS NULL",),
        by="s.v",
        is_corrected=False,
    ),
    Case(
        "metadata columns",
        "id INT",
        "(1), (2), (3)",
        (
            ("SELECT max(_pos), count(_file) FROM {t}", "SELECT count(*) - 1, count(*) FROM {v}"),
            "DELETE FROM {t} WHERE id > 1 AND _pos >= 0",
        ),
        properties=_MERGE_ON_READ,
    ),
    Case(
        "ORC and IS DISTINCT FROM",
        "id INT, k INT",
        "(1, NULL), (2, 0)",
        ("SELECT id FROM {t} WHERE k IS DISTINCT FROM 0", "DELETE FROM {t} WHERE k IS DISTINCT FROM 0"),
        ORC,
    ),
    Case(
        "ORC and null structs",
        "id INT, s STRUCT<a: INT>",
        "(1, NULL), (2, named_struct('a', 1))",
        ("SELECT id FROM {t} WHERE s.a IS NULL",),
        ORC,
    ),
    *(
        Case(
            "counts in null structs",
            "id INT, s STRUCT<g: DOUBLE, a: INT>",
            "(1, NULL), (2, named_struct('g', 1D, 'a', 1)), (3, NULL)",
            ("SELECT id FROM {t} WHERE s.g IS NULL", "DELETE FROM {t} WHERE s.g IS NULL"),
            format,
        )
        for format in (PARQUET, ORC)
    ),
    Case(
        "ORC and the second before 1970",
        "id INT, ts TIMESTAMP",
        "(1, TIMESTAMP '1969-12-31 23:59:59.5'), (2, TIMESTAMP '1969-12-31 23:00:00')",
        ("SELECT id FROM {t} WHERE ts >= TIMESTAMP '1970-01-01 00:00:00'",),
        ORC,
        by="hours(ts)",
        by_spark=True,
    ),
    Case(
        "ORC and texts beyond U+FFFF",
        "id INT, s STRING",
        "(1, '\ue000'), (2, '\uffff'), (3, '\U0001f600')",
        ("SELECT id FROM {t} WHERE s = '\uffff'", "SELECT id FROM {t} WHERE s < '\U0001f600'"),
        ORC,
    ),
    Case(
        "ORC and constants before Christ",
        "id INT, d DATE",
        "(1, DATE '2024-01-01')",
        ("SELECT id FROM {t} WHERE d > DATE '-4000-01-01'",),
        ORC,
    ),
    Case(
        "NOT IN with a null",
        "id INT, c INT",
        "(1, 1), (2, 4), (3, NULL)",
        ("INSERT INTO {t} REPLACE WHERE c NOT IN (NULL, 4) SELECT id, c FROM VALUES (1, 1) AS t (id, c) LIMIT 0",),
        by="c",
    ),
    Case("NaN as a constant", "id INT, v DOUBLE", _NUMBERS, ("DELETE FROM {t} WHERE v <= double('NaN')",)),
    Case(
        "apache/iceberg#4604",
        "id INT, s STRUCT<v: INT>",
        "(1, named_struct('v', 1)), (2, named_struct('v', 2))",
        ("SELECT s.v FROM {t}",),
        ORC,
        by="s.v",
        is_corrected=False,
    ),
    # Each query is run after one that reads the columns of the deletes in another order.
    Case(
        "apache/iceberg#13873",
        "r INT, c STRING, d INT",
        "(-1, 'a', 1), (-2, NULL, 2), (3, NULL, 3), (4, 'b', 4)",
        ("SELECT r FROM {t}", "SELECT r FROM {t} WHERE d < 100", "SELECT r, c, d FROM {t}"),
        deleted=("c", "d"),
    ),
    *(
        Case(
            "promoted columns of deletes",
            f"r INT, c {narrow}",
            "(-1, 0), (-2, NULL), (3, 1)",
            ("SELECT r FROM {t}", "SELECT r, c FROM {t} WHERE c < 100"),
            deleted=("c",),
            promoted=("c", wide),
        )
        for narrow, wide in (("INT", "BIGINT"), ("FLOAT", "DOUBLE"))
    ),
    Case(
        "deletes by binary partitions",
        "r INT, c BINARY, d INT",
        "(-1, X'7f', 1), (-2, NULL, 2), (3, NULL, 3), (-4, X'80', 4), (5, X'7f', 5)",
        ("SELECT r, c, d FROM {t}",),
        by="c",
        deleted=("c", "d"),
        is_corrected=False,
    ),
)

BLOOM_COLUMNS = (
    "id * 7 % 4000 AS id",
    "cast(id * 7 % 4000 AS string) AS s",
    "cast(id * 7 % 4000 AS decimal(9, 2)) AS n",
    "date_add(DATE '1970-01-01', cast(id * 7 % 4000 AS int)) AS d",
    "id * 7 % 4000 / 4D AS x",
    "named_struct('k', cast(id * 7 % 4000 AS int)) AS f",
)
BLOOM_CONDITIONS = (
    "id = 770",
    "770 = id AND s <> '7'",
    "s = '770'",
    "s <=> '770'",
    "n = 770",
    "d = DATE '1972-02-10'",
    "x = 192.5",
    "f.k = 770",
    "id IN (770, 1540, 50000)",
    "s IN ('770', '77', '7700', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10')",
    "id = 770 OR s = '777'",
    "NOT (id <> 770)",
    "NOT (s = '770') AND id IN (770, 771)",
    "x <> 192.5 AND s NOT IN ('1', '2') AND d <> DATE '1972-02-11' AND id < 800",
    "id % 2 = 0 AND (id = 770 OR x = 3)",
    "cast(id AS int) = 770",
    "id IN (SELECT k FROM VALUES (770L), (771L) AS v(k))",
    "EXISTS (SELECT 1 FROM VALUES (770L), (771L) AS v(k) WHERE v.k = t.id)",
)


class Faults:
    """Tries the cases in a session."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark = spark
        self.folder = folder
        for key, value in MEMORY.items():
            spark.conf.set(key, value)
        for catalog in ("local", CATALOG):
            self.rows(f"CREATE NAMESPACE IF NOT EXISTS {catalog}.faults")
        self.count = 0
        self.held: list[Any] = []
        self.writer = equality_writer()
        self.short_reads = short_reads(spark)
        loader = compiler.compile_java(READS.read_text("utf-8"), READS.name, compiler.context_loader())
        self.reads = compiler.instance(loader, "sparkicebergsql.tests.ReadsAtOnce")

    def present(self) -> dict[str, str]:
        """By reference: `present` if a case of it differs from the truth, else `absent`; not for what Spark lacks."""
        results = {case.reference: "absent" for case in CASES}
        for case in CASES:
            if any(self.differences(case)):
                results[case.reference] = "present"
        if (outcome := self.null_buckets()) is not None:
            results["null buckets"] = outcome
        results["apache/iceberg#13635"] = "present" if any(self.missed_values()) else "absent"
        results["apache/iceberg#11221"] = "present" if any(self.misplaced_decimals()) else "absent"
        results["apache/iceberg#18004"] = "present" if any(self.rows_kept_twice()) else "absent"
        return results

    def wrong(self) -> list[str]:
        """How the cases that a rule corrects differ from the truth: they do not, with the rules."""
        cases = (case for case in CASES if case.is_corrected)
        return [
            *(f"{case.reference}: {text}" for case in cases for text in self.differences(case)),
            *self.missed_values(),
            *self.freed_rows(),
            *self.rows_kept_twice(),
            *self.misplaced_decimals(),
        ]

    def differences(self, case: Case) -> Iterator[str]:
        """How the answers differ from the truth."""
        with_settings = {**UNCOMPILED, **dict(case.settings)}
        before = {key: self.spark.conf.get(key, None) for key in with_settings}
        for key, value in with_settings.items():
            self.spark.conf.set(key, value)
        try:
            table, view = self.table(case)
            for text in case.texts:
                query, truth = text if isinstance(text, tuple) else (text, text.replace("{t}", "{v}"))
                is_delete = query.startswith(("DELETE", "INSERT"))
                if is_delete:
                    condition = query.partition("WHERE ")[2].partition(" SELECT")[0].replace(" AND _pos >= 0", "")
                    truth = f"SELECT * FROM {{v}} WHERE ({condition}) IS NOT TRUE"
                expected = self.rows(truth.format(v=view))
                try:
                    if is_delete:
                        self.rows(query.format(t=table))
                    actual = self.rows(f"SELECT * FROM {table}" if is_delete else query.format(t=table))
                except Exception as error:
                    yield f"{query}: {_message(error)}"
                    continue
                if Counter(map(repr, actual)) != Counter(map(repr, expected)):
                    yield f"{query}: {actual}, not {expected}"
            self.rows(f"DROP TABLE {table}")
        finally:
            for key, old in before.items():
                if old is None:
                    self.spark.conf.unset(key)
                else:
                    self.spark.conf.set(key, old)

    def table(self, case: Case) -> tuple[str, str]:
        """A table with the rows of a case, and a view of them that no code of Iceberg reads."""
        self.count += 1
        # Imported files are on disk, where the catalog in memory does not read.
        table, view = f"{'local' if case.is_imported else CATALOG}.faults.t{self.count}", f"rows{self.count}"
        types = list(_types(case.columns))
        schema = ", ".join(name for name, _ in types)
        casts = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in types)
        rows = f"SELECT /*+ COALESCE(1) */ {casts} FROM VALUES {case.rows} AS t({schema})"
        self.rows(f"CREATE OR REPLACE TEMP VIEW {view} AS {rows}")
        properties = {"write.format.default": case.format, "write.distribution-mode": "none", **dict(case.properties)}
        by = f" PARTITIONED BY ({case.by})" if case.by else ""
        self.rows(f"CREATE TABLE {table} ({case.columns}) USING iceberg{by} TBLPROPERTIES ({_listed(properties)})")
        if case.is_imported or case.by_spark:
            file = f"{self.folder}/files{self.count}"
            self.spark.sql(rows).write.format(case.format).save(file)
            self.spark.read.format(case.format).load(file).createOrReplaceTempView(view)
        if case.is_imported:
            name = table.partition(".")[2]
            self.rows(f"CALL local.system.add_files(table => '{name}', source_table => '`{case.format}`.`{file}`')")
        else:
            self.rows(f"INSERT INTO {table} {rows}")
        if case.deleted:
            numbers = [row[0] for row in self.rows(f"SELECT r FROM {view} WHERE r < 0")]
            self.writer.deleteEqual(self.spark._jsparkSession, table, list(case.deleted), numbers, case.format)
            self.rows(f"REFRESH TABLE {table}")
            self.rows(f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT * FROM ({rows}) WHERE r >= 0")
        if case.changed:
            self.rows(f"ALTER TABLE {table} SET TBLPROPERTIES ({_listed(dict(case.changed))})")
        if case.promoted:
            # Its executor keeps what it has read of the deletes until the query is forgotten.
            self.held.append(self.spark.table(table))
            self.held[-1].collect()
            self.rows("ALTER TABLE {} ALTER COLUMN {} TYPE {}".format(table, *case.promoted))
        return table, view

    def rows(self, text: str) -> Sequence[Any]:
        return [tuple(row) for row in self.spark.sql(text).collect()]

    def freed_rows(self) -> Iterator[str]:
        """How rows of several batches of a file differ from the truth; without this package, the process may end."""
        self.count += 1
        table = f"local.faults.t{self.count}"
        self.rows(f"CREATE TABLE {table} (id BIGINT) USING iceberg")
        self.rows(f"INSERT INTO {table} SELECT id FROM range(0, 50000, 1, 1)")
        for _ in range(3):
            if (actual := self.rows(f"SELECT count(*), count(DISTINCT id), sum(id) FROM {table} WHERE id >= 0")) != [
                (50000, 50000, 1249975000)
            ]:
                yield f"50,000 numbers: {actual}"
        self.rows(f"DROP TABLE {table}")

    def misplaced_decimals(self) -> Iterator[str]:
        """How decimals of a file by pyarrow, whose dictionary was full after some pages, differ from the truth."""
        self.count += 1
        table = f"local.faults.t{self.count}"
        self.rows(f"CREATE TABLE {table} (id BIGINT, v DECIMAL(20, 2)) USING iceberg")
        source = f"`parquet`.`{DECIMALS}`"
        self.rows(f"CALL local.system.add_files(table => '{table.partition('.')[2]}', source_table => '{source}')")
        expected = [tuple(row) for row in self.spark.read.parquet(str(DECIMALS)).collect()]
        if wrong := set(self.rows(f"SELECT id, v FROM {table}")) - set(expected):
            yield f"{len(wrong)} of {len(expected)} decimals"
        self.rows(f"DROP TABLE {table}")

    def missed_values(self) -> Iterator[str]:
        """How comparisons with values differ from the truth in files that Spark has written with Bloom filters, in a
        store that returns a part of what it is asked for.
        """
        self.count += 1
        table, view, file = f"local.faults.t{self.count}", f"rows{self.count}", f"{self.folder}/files{self.count}"
        rows = self.spark.range(0, 4000, 1, 1).selectExpr(*BLOOM_COLUMNS)
        rows.write.options(**{"parquet.bloom.filter.enabled": "true", "parquet.enable.dictionary": "false"}).parquet(
            file
        )
        self.spark.read.parquet(file).createOrReplaceTempView(view)
        properties = "TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read')"
        columns = "id BIGINT, s STRING, n DECIMAL(9, 2), d DATE, x DOUBLE, f STRUCT<k: INT>"
        self.rows(f"CREATE TABLE {table} ({columns}) USING iceberg {properties}")
        source = f"`parquet`.`{self.short_reads}{file}`"
        self.rows(f"CALL local.system.add_files(table => '{table.partition('.')[2]}', source_table => '{source}')")
        for condition in BLOOM_CONDITIONS:
            query = f"SELECT id FROM {{}} t WHERE {condition}"
            actual, expected = (sorted(self.rows(query.format(name))) for name in (table, view))
            if actual != expected:
                yield f"{condition}: {len(actual)} rows, not {len(expected)}"
        self.rows(f"DELETE FROM {table} WHERE s = '770' AND id > 5")
        if self.rows(f"SELECT * FROM {table} WHERE id BETWEEN 770 AND 770"):
            yield "DELETE by a text: its row stays"
        self.rows(f"DELETE FROM {table} WHERE s <> '771' AND x <> 3 AND id BETWEEN 768 AND 773")
        if [row[0] for row in self.rows(f"SELECT id FROM {table} WHERE id BETWEEN 768 AND 773")] != [771]:
            yield "DELETE by what differs: other rows are gone, or stay"
        self.rows(f"MERGE INTO {table} t USING (SELECT 771L AS k) s ON t.id = s.k WHEN MATCHED THEN DELETE")
        if self.rows(f"SELECT * FROM {table} WHERE id BETWEEN 771 AND 771"):
            yield "MERGE by a number: its row stays"
        self.rows(f"DROP TABLE {table}")

    def rows_kept_twice(self) -> Iterator[str]:
        """How many files the two reads of an UPDATE with a subquery have, if not the one with rows to change."""
        self.count += 1
        table = f"{CATALOG}.faults.t{self.count}"
        # Each file in a task of its own.
        self.rows(
            f"CREATE TABLE {table} (id BIGINT) USING iceberg TBLPROPERTIES ('read.split.open-file-cost' = '1073741824')"
        )
        for i in range(3):
            self.rows(f"INSERT INTO {table} VALUES ({i})")
        file = self.rows(f"SELECT _file FROM {table} WHERE id = 1")[0][0]
        state = self.spark._jsparkSession.sessionState()
        skip = gateway.java_class("org.apache.spark.sql.execution.CommandExecutionMode").SKIP()
        plan = state.sqlParser().parsePlan(f"UPDATE {table} SET id = 7 WHERE id IN (SELECT id FROM range(1, 2))")
        leaves = gateway.from_seq(state.executePlan(plan, skip).optimizedPlan().collectLeaves())
        first, second = (
            leaf.scan() for leaf in leaves if leaf.getClass().getSimpleName() == "DataSourceV2ScanRelation"
        )
        if (counts := list(self.reads.tasks(first, second, file))) != [1, 1]:
            yield f"UPDATE with a subquery: {counts} files are read"
        self.rows(f"DROP TABLE {table}")

    def null_buckets(self) -> str | None:
        """Whether a join of tables with different numbers of buckets fails; None where Spark has none."""
        if self.spark.version.startswith("3."):
            return None
        for name, buckets in (("sixteen", 16), ("eight", 8)):
            self.rows(
                f"CREATE TABLE {CATALOG}.faults.{name} (id INT) USING iceberg PARTITIONED BY (bucket({buckets}, id))"
            )
            self.rows(f"INSERT INTO {CATALOG}.faults.{name} VALUES (1), (2), (NULL)")
        left, right = f"{CATALOG}.faults.sixteen", f"{CATALOG}.faults.eight"
        for key, value in JOINED.items():
            self.spark.conf.set(key, value)
        try:
            rows = self.rows(f"SELECT a.id FROM {left} a LEFT JOIN {right} b ON a.id = b.id")
        except Exception as error:
            return "present" if "NullPointerException" in str(error) else f"{type(error).__name__}: {error}"
        finally:
            for key in JOINED:
                self.spark.conf.unset(key)
        return "absent" if Counter(rows) == Counter([(1,), (2,), (None,)]) else f"{rows}"


def short_reads(spark: SparkSession) -> str:
    """The scheme of local files in a store whose reads are short."""
    hadoop = spark._jvm.org.apache.hadoop
    file = Path(__file__).with_name("ShortReads.java")
    loader = compiler.compile_java(file.read_text("utf-8"), file.name, compiler.context_loader())
    settings = hadoop.conf.Configuration(spark.sparkContext._jsc.hadoopConfiguration())
    settings.setClassLoader(loader)
    settings.set("fs.short.impl", "sparkicebergsql.tests.ShortReads")
    # Hadoop keeps one of each scheme for a process.
    hadoop.fs.FileSystem.get(spark._jvm.java.net.URI("short:///"), settings)
    return "short:"


def equality_writer() -> Any:
    """The writer of equality deletes that the random tests have, too."""
    loader = compiler.context_loader()
    for name in ("EqualityWriter", "OtherWriter"):
        for file in (JAVA / f"{name}.java", *sorted(JAVA.glob(f"iceberg/*/{name}.java"))):
            try:
                loader = compiler.compile_java(file.read_text("utf-8"), file.name, loader)
            except ValueError:
                continue
            break
    return compiler.instance(loader, "sparkicebergsql.adversary.OtherWriter")


def _message(error: Exception) -> str:
    """The first line of an error that says more than where it was raised."""
    lines = [line for line in str(error).splitlines() if line and not line.startswith("An error occurred while")]
    return lines[0][:200] if lines else type(error).__name__


def _listed(properties: Mapping[str, str]) -> str:
    """As TBLPROPERTIES has them."""
    return ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())


def _types(columns: str) -> Iterator[tuple[str, str]]:
    """The names and types of columns, whose structs have a comma in them."""
    parts: list[str] = []
    for part in columns.split(", "):
        if parts and parts[-1].count("<") > parts[-1].count(">"):
            parts[-1] += f", {part}"
        else:
            parts.append(part)
    for part in parts:
        name, _, kind = part.partition(" ")
        yield name, kind
