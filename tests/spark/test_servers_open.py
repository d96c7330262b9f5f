"""What a session and a server of this machine may take and give: memory, and who may connect."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import spark_iceberg_sql as sis
from spark_iceberg_sql.sessions.session import memory_size

HEAP = """
import spark_iceberg_sql as sis, sys
spark = sis.session(warehouse=sys.argv[1], config={"spark.master": "local[1]"})
print("heap", spark.sparkContext._jvm.Runtime.getRuntime().maxMemory() >> 20)
"""


def heap(folder: Path, **environment: str) -> int:
    """The driver's heap in MB in its own process."""
    inherited = {key: value for key, value in os.environ.items() if key != "SPARK_DRIVER_MEMORY"}
    done = subprocess.run(
        [sys.executable, "-c", HEAP, str(folder)],
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return int(done.stdout.split()[-1])


def test_a_session_has_half_of_the_machine(tmp_path: Path) -> None:
    half = min(memory_size() // 2, 8 << 30) >> 20
    if half <= 1024:
        pytest.skip("this machine has no more than Spark takes by default")
    assert heap(tmp_path) == pytest.approx(half, rel=0.1)
    assert heap(tmp_path, SPARK_DRIVER_MEMORY="700m") == pytest.approx(700, rel=0.1)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "10.0.0.1"])
def test_no_server_for_everybody(spark: SparkSession, host: str) -> None:
    with pytest.raises(sis.IcebergSqlError, match="without a token lets anybody") as error:
        sis.connect_server(spark, host=host, port=0)
    assert error.value.argument == "host"


def output(program: str, warehouse: Path) -> list[str]:
    """The lines that a program prints in its own process; its argument is the warehouse."""
    done = subprocess.run(
        [sys.executable, "-c", program, str(warehouse)], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout.splitlines()


DEAD = """
import os, signal, sys, time
import spark_iceberg_sql as sis

config = {"spark.master": "local[1]"}
spark = sis.session(warehouse=sys.argv[1], config=config)
spark.sql("CREATE TABLE local.db.t USING iceberg AS SELECT 7 id, timestamp'2024-01-05' ts")
frame = spark.range(3)
os.kill(int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()), signal.SIGKILL)
time.sleep(1)
for call in (
    lambda: sis.explain(spark, "SELECT 1"),
    lambda: sis.health(spark, "local.db.t"),
    lambda: spark.table("local.db.t"),
    lambda: spark.read.parquet("/nowhere"),
    lambda: spark.createDataFrame([(1,)], ["id"]),
    lambda: spark.conf.get("spark.app.name"),
    lambda: frame.filter("id > 1"),
    lambda: repr(frame),
):
    try:
        call()
    except sis.IcebergSqlError as error:
        print(str(error).splitlines()[0])
spark = sis.session(warehouse=sys.argv[1], config=config)
print(spark.sql("SELECT id, iceberg_days(ts) FROM local.db.t WHERE year(ts) = 2024").collect())
try:
    spark.sql("ALTER TABLE local.db.t ADD PARTITION FIELD weeks(ts)")
except sis.IcebergSqlError as error:
    print(str(error).splitlines()[0])
"""


def test_a_session_after_one_whose_jvm_was_killed(tmp_path: Path) -> None:
    *ended, rows, refusal = output(DEAD, tmp_path)
    assert ended == ["Spark has ended: it was stopped from outside, or ran out of memory"] * 8
    assert "id=7" in rows
    assert refusal.startswith("error[SIS101]")


OUT_OF_MEMORY = """
import sys
import warnings
import spark_iceberg_sql as sis

config = {"spark.master": "local[2]", "spark.driver.memory": "700m"}
spark = sis.session(warehouse=sys.argv[1], config=config)
rows = "SELECT id, id % {} p, uuid() a, uuid() b FROM range({}) ORDER BY id"  # which keeps its order
write = "CREATE TABLE local.db.t USING iceberg PARTITIONED BY (p) {} AS " + rows
frame = spark.range(3)
with warnings.catch_warnings(record=True) as records:
    for call in (lambda: spark.sql(write.format("", 1500, 15_000)), frame.collect, lambda: spark.sql("SELECT 1")):
        try:
            call()
        except sis.IcebergSqlError as error:
            print(str(error).splitlines()[0])
        print("---")
print(sum("`local.db.t`: this write keeps a writer" in str(record.message) for record in records))
spark = sis.session(warehouse=sys.argv[1], config=config)
spark.sql(write.format("TBLPROPERTIES ('write.spark.fanout.enabled' = 'false')", 200, 15_000))
print(spark.table("local.db.t").count())
"""


def test_a_write_that_runs_out_of_memory(tmp_path: Path) -> None:
    assert output(OUT_OF_MEMORY, tmp_path) == [
        "the write has failed: Spark has ended, since it ran out of memory",
        "---",
        "Spark has ended: it ran out of memory",
        "---",
        "Spark has ended: it ran out of memory",
        "---",
        "1",
        "15000",
    ]


ON_ITS_WAY_OUT = """
import os, signal, sys, threading
import spark_iceberg_sql as sis

spark = sis.session(warehouse=sys.argv[1], config={"spark.master": "local[1]"})
frame = spark.range(3)
pid = int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())
spark.sparkContext._jsc.sc().stop()
threading.Timer(3, os.kill, (pid, signal.SIGKILL)).start()
try:
    frame.collect()
except sis.IcebergSqlError as error:
    print(str(error).splitlines()[0])
"""


def test_an_action_while_the_jvm_stops(tmp_path: Path) -> None:
    """The context is stopped before the process has ended: an action fails with an internal error of Spark."""
    (line,) = output(ON_ITS_WAY_OUT, tmp_path)
    assert line == "Spark has ended: it was stopped from outside, or ran out of memory"


ENDED_WHILE_EXPLAINED = """
import os, signal, sys, time
from py4j.protocol import Py4JError
import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm import process
from spark_iceberg_sql.spark.gate.recognizers import Failure, Place, explained

spark = sis.session(warehouse=sys.argv[1], config={"spark.master": "local[1]"})
pid = int(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())

def ends_later(seconds):
    process._ends_within = found
    os.kill(pid, signal.SIGKILL)
    time.sleep(1)
    return False

found, process._ends_within = process._ends_within, ends_later
failure = Failure(spark, Py4JError("Java heap space"), "INSERT INTO local.db.t VALUES (1)")
print(str(explained(failure, Place.STATEMENT)).splitlines()[0])
"""


def test_a_write_whose_error_is_explained_while_the_jvm_ends(tmp_path: Path) -> None:
    """The process has outlived its last error for longer than anybody waits."""
    (line,) = output(ENDED_WHILE_EXPLAINED, tmp_path)
    assert line == "the write has failed: Spark has ended, since it was stopped from outside, or ran out of memory"
