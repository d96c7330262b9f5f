"""The gate without `spark.sql` in Python: other clients of the JVM, and commands without text."""

from __future__ import annotations

import ctypes
import uuid
import warnings
from pathlib import Path
from typing import ClassVar

import process
import pytest
from jvm_client import client

import spark_iceberg_sql as sis
from spark_iceberg_sql.errors import IcebergSqlWarning
from spark_iceberg_sql.spark.gate import admission, intercept
from spark_iceberg_sql.spark.gate.session_tables import SessionTables

try:
    from pyspark.sql.functions import partitioning
except ImportError:  # before Spark 4.0
    from pyspark.sql import functions as partitioning


@pytest.fixture
def name(spark):
    """A table that was previously partitioned differently."""
    name = f"local.clients.t_{uuid.uuid4().hex[:8]}"
    spark.sql("CREATE NAMESPACE IF NOT EXISTS local.clients")
    spark.sql(f"CREATE TABLE {name} (id BIGINT, s STRING) USING iceberg PARTITIONED BY (bucket(4, id))")
    yield name
    spark.table(f"{name}.files").collect()  # this is what the damage would break
    spark.sql(f"DROP TABLE {name}")


@pytest.fixture
def damaging(name):
    """A statement that the runtime accepts and that breaks the table's metadata tables."""
    return f"CREATE OR REPLACE TABLE {name} (id BIGINT) USING iceberg PARTITIONED BY (bucket(8, id))"


@pytest.fixture
def frame(spark):
    return spark.createDataFrame([(1, "a")], "id BIGINT, s STRING")


def codes(run):
    with pytest.raises(sis.IcebergSqlError) as error:
        run()
    return [d.code for d in error.value.report]


class TestOtherClients:
    @pytest.mark.parametrize("derived", ["this", "newSession", "cloneSession"])
    def test_a_thread_of_the_jvm(self, spark, damaging, derived):
        session = spark._jsparkSession
        session = session if derived == "this" else getattr(session, derived)()
        asks = client()
        asks.run(session, damaging, 0)
        first, _, message = asks.waitFor().partition("\n")
        assert first == "Refusal 42000 0"  # no frame of a stack
        assert message.startswith("error[SIS404]")
        assert "^" in message
        assert "help: write" in message

    def test_a_good_statement_runs(self, spark, name):
        asks = client()
        asks.run(spark._jsparkSession, f"ALTER TABLE {name} ADD PARTITION FIELD s;", 0)
        assert asks.waitFor() == "it ran"
        assert [row.partition.id_bucket for row in spark.table(f"{name}.partitions").collect()] == []

    def test_clickhouse_s_spellings(self, spark, name, frame):
        frame.writeTo(name).append()
        asks = client()
        asks.run(spark._jsparkSession, f"ALTER TABLE {name} DELETE WHERE id = 1", 0)
        assert asks.waitFor() == "it ran"
        assert spark.table(name).count() == 0

    def test_through_py4j(self, spark, damaging):
        assert codes(lambda: spark._jsparkSession.sql(damaging)) == ["SIS404"]
        parser = spark._jsparkSession.sessionState().sqlParser()
        assert codes(lambda: parser.parsePlan(damaging)) == ["SIS404"]

    def test_a_session_that_worked_before_it_was_installed(self, spark, damaging):
        """Its parser was created without the gate: its commands are checked when they run."""
        sis.uninstall(spark)
        try:
            older = spark._jsparkSession.newSession()
            older.sql("SELECT 1").collect()
        finally:
            sis.install(spark)
        asks = client()
        asks.run(older, damaging, 0)
        assert "SIS404" in asks.waitFor()


class TestStatementsInStatements:
    @pytest.mark.parametrize(
        "around",
        [
            "EXECUTE IMMEDIATE '{}'",
            "BEGIN EXECUTE IMMEDIATE '{}'; END",
            "BEGIN DECLARE q STRING DEFAULT '{}'; EXECUTE IMMEDIATE q; END",
            "BEGIN DECLARE q STRING DEFAULT ''; SET q = reverse('{reversed}'); EXECUTE IMMEDIATE q; END",
            "BEGIN {}; END",
            "BEGIN IF 1 = 1 THEN {}; END IF; END",
        ],
    )
    def test_refused(self, spark, damaging, around):
        text = around.format(damaging, reversed=damaging[::-1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IcebergSqlWarning)
            assert "SIS404" in codes(lambda: spark.sql(text))

    @pytest.mark.needs("EXECUTE IMMEDIATE")
    def test_a_variable_of_the_session(self, spark, damaging):
        spark.sql(f"DECLARE OR REPLACE VARIABLE clients_q STRING DEFAULT '{damaging}'")
        assert codes(lambda: spark.sql("EXECUTE IMMEDIATE clients_q")) == ["SIS404"]


class TestWriters:
    WRITERS: ClassVar = {
        "createOrReplace": lambda f, t: (
            f.writeTo(t).using("iceberg").partitionedBy(partitioning.bucket(8, "id")).createOrReplace()
        ),
        "replace": lambda f, t: f.writeTo(t).partitionedBy(partitioning.bucket(8, "id")).replace(),
    }

    @pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
    def test_damage(self, name, frame, write):
        assert codes(lambda: write(frame, name)) == ["SIS404"]

    def test_saved_over_a_partition_field_s_name(self, spark, name, frame):
        spark.sql(f"ALTER TABLE {name} REPLACE PARTITION FIELD bucket(4, id) WITH bucket(4, s) AS k")
        renamed = frame.withColumnRenamed("id", "k")
        diagnostic_codes = codes(
            lambda: renamed.write.format("iceberg").partitionBy("k").mode("overwrite").saveAsTable(name)
        )
        assert "SIS404" in diagnostic_codes

    @pytest.mark.parametrize("column", ["s", "select"])
    def test_a_wrong_column(self, spark, frame, column):
        frame = frame.withColumnRenamed("s", column)
        target = f"local.clients.w_{uuid.uuid4().hex[:8]}"
        writer = frame.writeTo(target).using("iceberg").partitionedBy(partitioning.days(column))
        with pytest.raises(sis.IcebergSqlError) as error:
            writer.create()
        assert [d.code for d in error.value.report] == ["SIS202"]
        assert "without SQL text" in str(error.value)
        assert not spark.catalog.tableExists(target)

    def test_nothing_of_the_frame_runs(self, spark):
        frame = spark.range(1).selectExpr("raise_error('it ran') AS s")
        assert codes(
            lambda: frame.writeTo("local.clients.w_not").using("iceberg").partitionedBy(partitioning.days("s")).create()
        ) == ["SIS202"]

    def test_good_ones_write(self, spark, frame):
        target = f"local.clients.w_{uuid.uuid4().hex[:8]}"
        with warnings.catch_warnings():
            warnings.simplefilter("error", IcebergSqlWarning)
            frame.writeTo(target).using("iceberg").partitionedBy(partitioning.bucket(4, "id")).create()
            frame.writeTo(target).append()
            frame.write.mode("overwrite").insertInto(target)
            spark.catalog.createTable(f"{target}_c", schema=frame.schema, source="iceberg")
        assert spark.table(target).count() == 1

    def test_types_and_names(self, spark):
        """The statement derived from a command parses back to the same command."""
        target = f"local.clients.`w {uuid.uuid4().hex[:8]}`"
        columns = (
            "a BOOLEAN, b INT, c DECIMAL(10, 2), d DATE, e TIMESTAMP_NTZ, f BINARY, g FLOAT, h TIMESTAMP, "
            "i STRUCT<x: INT, `y z`: STRING>, j ARRAY<STRUCT<x: MAP<STRING, INT>>>, `größe` STRING, "
            "`it's` DOUBLE COMMENT \"it's\", `back``tick` BIGINT, `select` STRING, `dot.ted` INT NOT NULL"
        )
        schema = spark.createDataFrame([], columns).schema
        with warnings.catch_warnings():
            warnings.simplefilter("error", IcebergSqlWarning)
            spark.catalog.createTable(target, schema=schema, source="iceberg")
            spark.createDataFrame([], schema).writeTo(target).partitionedBy(
                partitioning.days("h"), partitioning.bucket(4, "b")
            ).using("iceberg").createOrReplace()
        catalog_table = SessionTables(spark, intercept.unchecked_sql(spark)).get(
            ("local", "clients", target.split("`")[1])
        )
        assert [field.clause for field in catalog_table.specs.spec.fields] == ["days(h)", "bucket(4, b)"]

    def test_a_statement_is_looked_at_once(self, spark, monkeypatch):
        """If its text was checked, the resulting command is not checked again."""
        checked_texts = []
        check = admission.check
        monkeypatch.setattr(
            admission, "check", lambda text, *a, **k: checked_texts.append(text) or check(text, *a, **k)
        )
        target = f"local.clients.once_{uuid.uuid4().hex[:8]}"
        statements = [
            f"CREATE TABLE {target} (id BIGINT, s STRING NOT NULL) USING iceberg PARTITIONED BY (id)",
            f"CREATE OR REPLACE TABLE {target} (id BIGINT COMMENT 'c', s STRING) USING iceberg PARTITIONED BY (id)",
            f"CREATE OR REPLACE TABLE {target} USING iceberg PARTITIONED BY (id) AS SELECT 1L AS id, 'a' AS s",
            f"ALTER TABLE {target} ADD PARTITION FIELD s",
        ]
        for statement in statements:
            spark.sql(statement)
        spark.sql("SELECT 'create' AS x, id FROM " + target).collect()
        assert checked_texts == statements

    def test_mode_off_and_warn(self, spark, frame):
        session = spark.newSession()
        frame = session.createDataFrame([(1, "a")], "id BIGINT, s STRING")
        target = f"local.clients.w_{uuid.uuid4().hex[:8]}"
        write = lambda columns: (  # noqa: E731
            frame.writeTo(target).using("iceberg").partitionedBy(columns).createOrReplace()
        )
        sis.install(session, ddl="off")
        write(partitioning.bucket(4, "id"))
        sis.install(session, ddl="warn")
        try:
            with pytest.warns(IcebergSqlWarning, match="SIS404"):
                write(partitioning.bucket(8, "id"))
        finally:
            sis.install(session, ddl="off")
        intercept.unchecked_sql(spark)(f"DROP TABLE {target}")


class TestPythonAway:
    """A statement from another client while this process's Python does not answer."""

    def hold(self, session, damaging):
        asks = client()
        asks.run(session, damaging, 1000)
        ctypes.PyDLL(None).sleep(6)  # holds the interpreter lock
        return asks.outcome()

    def test_busy(self, spark, name, damaging):
        session = spark.newSession()
        session.conf.set("spark.iceberg_sql.gate.timeout", "1")
        outcome = self.hold(session._jsparkSession, damaging)
        assert outcome is not None, "it waited for Python"
        first, _, message = outcome.partition("\n")
        assert first == "Refusal 42000 0"
        assert "has not answered within 1 s" in message
        assert "nothing was changed" in message
        assert "help: run it again" in message

    def test_a_query_does_not_need_python(self, spark):
        session = spark.newSession()
        session.conf.set("spark.iceberg_sql.gate.timeout", "1")
        assert self.hold(session._jsparkSession, "SELECT 'create or replace'") == "it ran"

    def test_run_all_the_same(self, spark, name):
        session = spark.newSession()
        session.conf.set("spark.iceberg_sql.gate.timeout", "1")
        session.conf.set("spark.iceberg_sql.gate.unanswered", "run")
        good = f"ALTER TABLE {name} ADD PARTITION FIELD s"
        assert self.hold(session._jsparkSession, good) == "it ran"

    def test_a_check_that_fails(self, spark, damaging, monkeypatch):
        def check(*_, **__):
            raise RuntimeError("a bug")

        monkeypatch.setattr(admission, "check", check)
        with pytest.raises(sis.IcebergSqlError, match="RuntimeError: a bug"):
            spark.sql(damaging)


GONE = """
import sys
sys.path.insert(0, TESTS)
from jvm_client import client
spark = sis.install(theirs(**{
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.local": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.local.type": "hadoop", "spark.sql.catalog.local.warehouse": os.getcwd() + "/w",
}))
spark.sql("CREATE TABLE local.db.t (id BIGINT) USING iceberg")
text = "ALTER TABLE local.db.t ADD PARTITION FIELD id"
asks = client()
asks.run(spark._jsparkSession, "SELECT 1", 0)
assert asks.waitFor() == "it ran"
listens = spark.sparkContext._gateway._callback_server.server_socket
listens.shutdown(2)
listens.close()
asks.run(spark._jsparkSession, text, 0)
print(asks.waitFor(), flush=True)
spark.conf.set("spark.iceberg_sql.gate.unanswered", "run")
asks.run(spark._jsparkSession, text, 0)
print(asks.waitFor(), flush=True)
os._exit(0)
"""


def test_python_gone(tmp_path):
    """The JVM outlives Python, so nothing answers: neither a hang nor a stack."""
    output, log = process.run(tmp_path, GONE.replace("TESTS", repr(str(Path(__file__).parent))))
    assert "partition DDL could not be checked: the check cannot be reached" in output
    assert output.rstrip().endswith("it ran")
    assert "it runs unchecked" in log
