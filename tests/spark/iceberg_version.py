"""A program of its own: everything that this package does in a session, on any Spark and Iceberg, with nothing else
installed. Prints a line of JSON for each step: its name, and what is wrong, or null; and one of facts: the versions,
Iceberg's known faults as the session probed them, and how long the installation took.

python -S iceberg_version.py JAR FOLDER, with PYTHONPATH: this package as a zip, and a folder with pyspark and py4j
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import iceberg_faults
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm import compiler

JAR, FOLDER = sys.argv[1:3]
# The folder that has IPython, which only the last step needs.
NOTEBOOK = "NOTEBOOK_PACKAGES"
T = "local.db.t"
# What a plain installation need not have, nor this package's own requirements where only its files are there.
ABSENT = ("filelock", "pandas", "sqlparse", "wcwidth", "regex", "pip")
VALUES = {
    "iceberg_bucket(16, 34)": "3",
    "iceberg_bucket(100, 'iceberg')": "89",
    "iceberg_truncate(10, -1)": "-10",
    "iceberg_truncate(3, 'iceberg')": "ice",
    "iceberg_truncate(50, CAST(10.65 AS DECIMAL(9,2)))": "10.50",
    "iceberg_years(DATE '1969-12-31')": "-1",
    "iceberg_months(TIMESTAMP '2017-11-16 22:31:08')": "574",
    "iceberg_days(TIMESTAMP '1969-12-31 23:00:00')": "1969-12-31",
    "iceberg_hours(TIMESTAMP '2017-11-16 22:31:08')": "419686",
}
QUERIES = (
    "SELECT count(*) FROM {t} WHERE year(ts) = 2024",
    "SELECT count(*), min(ts), max(ts) FROM {t}",
    "SELECT n, count(*) c, min(id), max(d) FROM {t} GROUP BY n ORDER BY n",
    "SELECT id FROM {t} WHERE iceberg_bucket(4, n) = 1 ORDER BY id",
    "SELECT id FROM {t} WHERE iceberg_bucket(4, id) <> 1 ORDER BY id",
    "SELECT id FROM {t} WHERE NOT (iceberg_days(ts) = DATE '2024-01-01') ORDER BY id",
    "SELECT id, ts FROM {t} ORDER BY ts DESC NULLS LAST, id LIMIT 7",
    "SELECT count(*) FROM (SELECT 1 FROM {t} WHERE n = 3 LIMIT 4)",
    "SELECT id FROM {t} WHERE date_format(ts, 'yyyy-MM') = '2023-12' AND n IN (1, 2) ORDER BY id",
    "SELECT iceberg_months(ts) m, count(*), min(id), max(id) FROM {t} GROUP BY 1 ORDER BY 1",
    "SELECT id FROM {t} WHERE iceberg_truncate(100, d) >= 200 ORDER BY id",
    "SELECT id FROM {t} WHERE name LIKE '%5' OR name LIKE 'name1%' ORDER BY id",
    "SELECT t.id FROM {t} t JOIN (SELECT explode(array(DATE'2024-01-02')) x) j ON CAST(t.ts AS DATE) = j.x ORDER BY 1",
    "SELECT DISTINCT n FROM {t} ORDER BY 1",
    "SELECT id FROM {t} WHERE n IS NULL OR hour(ts) BETWEEN 3 AND 5 ORDER BY id",
)
METADATA = (
    *("all_entries", "all_files", "column_stats", "ddl", "entries", "files", "history", "manifests", "metadata"),
    *("metadata_log", "partition_specs", "partitions", "position_deletes", "properties", "refs", "schemas"),
    *("snapshots", "sort_orders"),
)
ROWS = (
    "SELECT id, CAST(id % 5 AS INT) n, concat('name', id % 11) name, TIMESTAMP '2023-12-28 00:00:00' + "
    "make_interval(0, 0, 0, 0, id) ts, CAST(id * 1.37 AS DECIMAL(9,2)) d FROM range(200) "
    "UNION ALL SELECT id, NULL, NULL, NULL, NULL FROM range(200, 210)"
)


def session() -> SparkSession:
    """A session that somebody else has started, with their jar."""
    settings = {
        "spark.jars": JAR,
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.local": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.local.type": "hadoop",
        "spark.sql.catalog.local.warehouse": f"{FOLDER}/tables",
        "spark.sql.warehouse.dir": f"{FOLDER}/spark",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark: SparkSession = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


class Steps:
    """The steps, each a method that returns what is wrong, in their order."""

    def __init__(self) -> None:
        self.spark = session()
        self.seconds: list[tuple[float, float]] = []
        self.tried: dict[str, str] = {}

    def timed(self, spark: SparkSession) -> tuple[float, float]:
        """The seconds of an installation, by the clock and of the processors."""
        start = time.perf_counter(), self.processor_seconds()
        sis.install(spark)
        return round(time.perf_counter() - start[0], 2), round(self.processor_seconds() - start[1], 2)

    def processor_seconds(self) -> float:
        java = self.spark.sparkContext._gateway.proc.pid
        with open(f"/proc/{java}/stat") as stat:
            ticks = stat.read().rpartition(")")[2].split()[11:13]
        return time.process_time() + sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def facts(self) -> dict[str, object]:
        registry = compiler.rule_registry()
        assert registry is not None
        doctor = sis.doctor(self.spark)
        return {
            "spark": self.spark.version,
            "iceberg": doctor.jars[0].version,
            "faults": dict(registry.issues()) | self.tried,
            "seconds": self.seconds,
            "doctor": str(doctor),
        }

    def rows(self, text: str) -> list[Any]:
        return self.spark.sql(text).collect()

    def count(self, text: str) -> int:
        return int(self.rows(f"SELECT count(*) FROM {text}")[0][0])

    def nothing_else_is_installed(self) -> object:
        present = [name for name in ABSENT if importlib.util.find_spec(name) is not None]
        return present or (sis.__version__ != "unknown" or None)

    def faults(self) -> object:
        """What plain Iceberg does wrong, before anything is installed."""
        self.iceberg_faults = iceberg_faults.Faults(self.spark, FOLDER)
        self.tried = self.iceberg_faults.present()
        return [state for state in self.tried.values() if state not in ("present", "absent")] or None

    def install(self) -> object:
        self.spark.sql("SELECT count(*) FROM range(3)").collect()  # a warm session
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.seconds.append(self.timed(self.spark))
        return [str(w.message) for w in caught if w.category is not ResourceWarning] or None

    def rules(self) -> object:
        rules = self.rows("SELECT * FROM iceberg_rules()")
        return {row.name: row.fault for row in rules if not row.enabled or row.fault} or (len(rules) < 10 or None)

    def second_session(self) -> object:
        """Another session of the process has everything, too, and much sooner."""
        other = self.spark.newSession()
        self.seconds.append(self.timed(other))
        value = other.sql("SELECT CAST(iceberg_bucket(16, 34) AS STRING) AS value").collect()[0].value
        return None if value == "3" and other.sql("SELECT * FROM iceberg_rules()").where("enabled").count() else value

    def doctor(self) -> object:
        """One screen, with all parts, without a problem, and without the password that a setting has."""
        self.spark.conf.set("spark.sql.catalog.far", "org.apache.iceberg.spark.SparkCatalog")
        self.spark.conf.set("spark.sql.catalog.far.uri", "https://u:hunter2@host/path?sig=hunter2")
        self.spark.conf.set("spark.sql.catalog.far.token", "hunter2")
        diagnosis = sis.doctor(self.spark)
        text = str(diagnosis)
        parts = (self.spark.version, JAR, "local: hadoop", "far: SparkCatalog, https://***@host/path", "problems  none")
        missing = [part for part in parts if part not in text]
        return missing or text if missing or not diagnosis.ok or "hunter2" in text else None

    def functions(self) -> object:
        actual = {text: self.rows(f"SELECT CAST({text} AS STRING)")[0][0] for text in VALUES}
        return {text: value for text, value in actual.items() if value != VALUES[text]} or None

    def faults_corrected(self) -> object:
        return self.iceberg_faults.wrong() or None

    def create(self) -> object:
        columns = "id BIGINT, n INT, name STRING, ts TIMESTAMP, d DECIMAL(9,2)"
        self.rows(f"CREATE TABLE {T} ({columns}) USING iceberg PARTITIONED BY (days(ts), bucket(4, id), n)")
        rows = self.rows(ROWS)
        self.spark.createDataFrame(rows, columns).createOrReplaceTempView("plain")
        self.rows(f"INSERT INTO {T} SELECT * FROM plain WHERE id < 200")
        self.rows(f"INSERT INTO {T} SELECT * FROM plain WHERE id >= 200")
        return None

    def queries(self) -> object:
        return [q for q in QUERIES if self.rows(q.format(t=T)) != self.rows(q.format(t="plain"))] or None

    def pruned(self) -> object:
        explained = sis.explain(self.spark, f"SELECT * FROM {T} WHERE year(ts) = 2024")
        text = str(explained)
        read, total = text.partition("reads ")[2].split(" files")[0].split(" of ")
        return None if int(read) < int(total) else text

    def by_path(self) -> object:
        path, path_rows = f"{FOLDER}/tables/db/t", "SELECT count(*), count(DISTINCT _path) > 1, sum(_size) > 0"
        read = self.rows(f"{path_rows} FROM iceberg('{path}') WHERE year(ts) = 2024")
        expected = self.rows(f"SELECT count(*), true, true FROM {T} WHERE year(ts) = 2024")
        first = self.rows(f"SELECT snapshot_id FROM {T}.snapshots ORDER BY committed_at")[0][0]
        travelled = self.count(f"iceberg('{path}', snapshot_id => {first})")
        return None if read == expected and travelled == 200 else [str(read), travelled]

    def moved_table(self) -> object:
        import shutil

        shutil.copytree(f"{FOLDER}/tables/db/t", f"{FOLDER}/elsewhere/t")
        os.rename(f"{FOLDER}/tables/db/t", f"{FOLDER}/tables/db/away")
        try:
            rows = self.count(f"iceberg('{FOLDER}/elsewhere/t')")
        finally:
            os.rename(f"{FOLDER}/tables/db/away", f"{FOLDER}/tables/db/t")
        return None if rows == 210 else rows

    def metadata_functions(self) -> object:
        counts = {name: self.count(f"iceberg_{name}('{T}')") for name in METADATA}
        return [name for name, rows in counts.items() if not rows and name != "position_deletes"] or None

    def discovery(self) -> object:
        listed = self.count(f"iceberg_tables('{FOLDER}/tables/db')")
        described = str(sis.describe(self.spark, T))
        return None if listed == 1 and T in str(sis.tables(self.spark, "local.db.*")) and "n" in described else listed

    def gate(self) -> object:
        refusals = {
            f"ALTER TABLE {T} ADD PARTITION FIELD bucket(0, id)": "SIS103",
            "CREATE TABLE local.db.x (name STRING) USING iceberg PARTITIONED BY (days(name))": "SIS202",
            f"ALTER TABLE {T} DROP PARTITION FIELD nope": "SIS401",
        }
        return [text for text, code in refusals.items() if code not in self.refusal(text)] or None

    def refusal(self, text: str) -> str:
        try:
            self.rows(text)
        except sis.IcebergSqlError as error:
            return str(error)
        return ""

    def plan(self) -> object:
        text = str(sis.plan(self.spark, f"ALTER TABLE {T} DROP PARTITION FIELD n"))
        return None if "before: spec 0" in text else text

    def evolve(self) -> object:
        self.rows(f"ALTER TABLE {T} ADD PARTITION FIELD truncate(4, name) AS short")
        self.rows(f"INSERT INTO {T} SELECT * FROM plain WHERE id < 20")
        return None

    def repartition(self) -> object:
        result = sis.repartition(self.spark, T)
        counts = self.rows(f"SELECT count(DISTINCT spec_id), sum(record_count) FROM {T}.files")[0]
        return None if result["left_data_files"] == 0 and tuple(counts) == (1, 230) else [result, tuple(counts)]

    def write(self) -> object:
        """The same statements on a copy that no code of Iceberg has read give the same rows."""
        self.rows(f"UPDATE {T} SET name = 'u' WHERE year(ts) = 2024 AND n = 1")
        self.rows(f"DELETE FROM {T} WHERE iceberg_bucket(4, id) = 2")
        self.rows(
            f"MERGE INTO {T} t USING (SELECT id, ts, n FROM plain WHERE id % 3 = 0) s ON t.id = s.id AND t.ts = s.ts "
            "WHEN MATCHED THEN UPDATE SET name = 'm' "
            "WHEN NOT MATCHED THEN INSERT (id, n, ts) VALUES (s.id, s.n, s.ts)"
        )
        state = self.rows(f"SELECT id, n, name, ts FROM {T} ORDER BY id, name")
        before = [*self.rows("SELECT * FROM plain"), *self.rows("SELECT * FROM plain WHERE id < 20")]
        deleted = {r.id for r in self.rows("SELECT id FROM plain WHERE iceberg_bucket(4, id) = 2")}
        kept = [r for r in before if r.id not in deleted]
        expected = [(r.id, r.n, self.name_of(r), r.ts) for r in kept]
        matched = {r.id for r in kept if r.ts is not None}
        missing = (r for r in self.rows("SELECT * FROM plain") if r.id % 3 == 0 and r.id not in matched)
        expected += [(r.id, r.n, None, r.ts) for r in missing]
        by_value = [sorted(map(repr, (tuple(row) for row in rows))) for rows in (state, expected)]
        return None if by_value[0] == by_value[1] else [len(state), len(expected)]

    def name_of(self, row: Any) -> str | None:
        if row.ts is not None and row.id % 3 == 0:
            return "m"
        updated = row.ts is not None and row.ts.year == 2024 and row.n == 1
        return "u" if updated else row.name

    def two_writers(self) -> object:
        """A DELETE does not leave a row that another session has replaced."""
        modes = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'"
        self.rows(
            f"CREATE TABLE local.db.shared (id BIGINT, n INT) USING iceberg TBLPROPERTIES ('format-version' = '2', "
            f"'write.delete.isolation-level' = 'snapshot', {modes})"
        )
        self.rows("INSERT INTO local.db.shared SELECT /*+ COALESCE(1) */ id, 1 FROM range(4)")
        other = self.spark.newSession()
        other.sql("SELECT * FROM local.db.shared").collect()
        self.rows("UPDATE local.db.shared SET n = 2 WHERE id = 1")
        try:
            other.sql("DELETE FROM local.db.shared WHERE id = 1")
        except Exception as error:
            return None if "was changed by another writer" in str(error) else str(error)
        return "it has succeeded"

    def previews(self) -> object:
        """The files and rows that a preview predicts are those of the write, in each format."""
        wrong = []
        for format in ("parquet", "avro", "orc"):
            preview = sis.preview(self.spark, "plain", "bucket(4, id), n", properties={"write.format.default": format})
            table = f"local.db.written_{format}"
            self.rows(
                f"CREATE TABLE {table} USING iceberg PARTITIONED BY (bucket(4, id), n) "
                f"TBLPROPERTIES ('write.format.default' = '{format}') AS SELECT * FROM plain"
            )
            files, rows, size = self.rows(
                f"SELECT count(*), sum(record_count), sum(file_size_in_bytes) FROM {table}.files"
            )[0]
            if (preview.files, preview.rows) != (files, rows) or not 0.9 < preview.bytes / size < 1.1:
                wrong.append([format, preview.files, preview.rows, preview.bytes, files, rows, size])
        return wrong or None

    def advise(self) -> object:
        text = str(sis.advise(self.spark, T, [f"SELECT * FROM {T} WHERE year(ts) = 2024"]))
        return None if "specs tried" in text else text

    def spj(self) -> object:
        return None if str(sis.spj(self.spark, f"SELECT * FROM {T} a JOIN {T} b ON a.id = b.id")) else "nothing"

    def health(self) -> object:
        """The rewrite that health plans is the one that the procedure does."""
        self.rows("CREATE TABLE local.db.small (id BIGINT, p INT) USING iceberg PARTITIONED BY (p)")
        for part in (1, 1, 1, 1, 1, 2, 2):
            self.rows(f"INSERT INTO local.db.small VALUES (1, {part})")
        health = sis.health(self.spark, "local.db.small")
        (finding,) = (finding for finding in health.findings if finding.call is not None)
        rewritten = self.rows(finding.call)[0][0]
        return None if finding.rewritten_files == rewritten == 7 else [str(health), rewritten]

    def attach(self) -> object:
        """A table in a catalog of this package's, which writes its metadata files."""
        self.rows("CREATE TABLE local.db.alone USING iceberg AS SELECT * FROM plain")
        folder = f"{FOLDER}/tables/db/alone"
        sis.attach(self.spark, folder, "attached.db.t")
        self.rows("ALTER TABLE attached.db.t SET TBLPROPERTIES ('write.metadata.delete-after-commit.enabled' = 'true')")
        self.rows("ALTER TABLE attached.db.t SET TBLPROPERTIES ('write.metadata.previous-versions-max' = '1')")
        self.rows("INSERT INTO attached.db.t SELECT * FROM plain WHERE id = 7")
        metadata = sorted(name for name in os.listdir(f"{folder}/metadata") if name.endswith("metadata.json"))
        rows = self.count(f"iceberg('{folder}')")
        return None if rows == 211 and metadata == ["v3.metadata.json", "v4.metadata.json"] else [rows, metadata]

    def from_hive(self) -> object:
        self.rows("CREATE TABLE spark_catalog.default.hive USING parquet PARTITIONED BY (n) AS SELECT * FROM plain")
        text = str(sis.from_hive(self.spark, "spark_catalog.default.hive", ["SELECT * FROM hive WHERE n = 3"]))
        return None if "hive" in text else text

    def insight_in_sql(self) -> object:
        texts = (
            f"SELECT * FROM iceberg_health('{T}')",
            f"SELECT * FROM iceberg_preview('{T}', spec => 'days(ts)')",
            f"SELECT * FROM iceberg_advise('{T}', queries => array('SELECT * FROM {T} WHERE id = 3'))",
            f"SELECT * FROM iceberg_explain('SELECT * FROM {T} WHERE id = 3')",
        )
        return [text for text in texts if self.rows(text) is None] or None

    def notebook(self) -> object:
        """A cell shows its rows and how many files it has read; a wrong statement, what to write."""
        sys.path += [path for path in (os.environ.get(NOTEBOOK),) if path]
        from IPython.core.interactiveshell import InteractiveShell
        from IPython.utils.capture import capture_output
        from traitlets.config import Config

        shell = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
        shell.user_ns["spark"] = self.spark
        outputs = []
        for cell in (
            "%load_ext spark_iceberg_sql",
            f"%%iceberg_sql\nSELECT id FROM {T} WHERE year(ts) = 2024",
            f"%%iceberg_sql\nALTER TABLE {T} ADD PARTITION FIELD bucket(id, 16)",
            "%unload_ext spark_iceberg_sql",
        ):
            with capture_output() as captured:
                shell.run_cell(cell)
            outputs.append(re.sub(r"\x1b\[[\d;]*m", "", captured.stdout + captured.stderr))
        is_right = re.search(r"\d+ rows?\b.*\d+ of \d+", outputs[1], re.DOTALL) and "bucket(16, id)" in outputs[2]
        return None if is_right else outputs


def main() -> None:
    """Run each step and print what it says."""
    steps = Steps()
    names = [
        name for name, step in vars(Steps).items() if getattr(step, "__annotations__", {}).get("return") == "object"
    ]
    for name in names:
        step: Callable[[], object] = getattr(steps, name)
        try:
            with warnings.catch_warnings():
                if name != "install":
                    warnings.simplefilter("ignore")
                wrong = step()
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        print(json.dumps({"step": name, "wrong": wrong}, default=str), flush=True)
    print(json.dumps({"facts": steps.facts()}), flush=True)
    steps.spark.stop()


main()
