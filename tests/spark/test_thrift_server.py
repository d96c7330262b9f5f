"""thrift_server(): a JDBC client, Hive's own beeline, in a process without this package."""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import process
import pyspark
import pytest
from pyspark.sql import SparkSession
from samples import swept

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS

LINE = versions.tested_line(pyspark.__version__) or versions.SPARK_MINORS[0]
JARS = Path(pyspark.__file__).parent / "jars"
STATEMENTS = """
SELECT concat('bucket ', iceberg_bucket(16, 34));
SELECT concat('filtered ', count(*)) FROM local.thrift.i WHERE local.system.bucket(4, x) = 2;
SELECT concat('counted ', count_if(iceberg_bucket(4, x) = 2)) FROM local.thrift.i;
SELECT concat('rule ', name) FROM iceberg_rules() WHERE enabled;
EXPLAIN SELECT * FROM local.thrift.d WHERE year(ts) = 2024;
SELECT concat('path ', count(*)) FROM iceberg('{path}');
SELECT concat('check ', code) FROM iceberg_check('ALTER TABLE local.thrift.i ADD PARTITION FIELD days(x)');
ALTER TABLE local.thrift.i ADD PARTITION FIELD days(x);
ALTER TABLE /*+ x */ local.thrift.e ADD /* c */ PARTITION FIELD days(ts);
ALTER TABLE IDENTIFIER('local.thrift.e') ADD PARTITION FIELD bucket(4, x);
ALTER TABLE IDENTIFIER('local.thrift.e') ADD PARTITION FIELD weeks(ts);
EXPLAIN ALTER TABLE local.thrift.e ADD PARTITION FIELD truncate(4, x);
ALTER TABLE local.thrift.e SET TBLPROPERTIES ('note' = 'add partition field');
SELECT concat('field ', field_name) FROM iceberg_partition_specs('local.thrift.e') WHERE is_current;
{functions}
SELECT iceberg_bucket(0, 34);
SELECT * FROM iceberg('/nowhere/t');
ALTER TABLE local.thrift.d ADD PARTITION FIELD bucket(4, ts);
SET spark.iceberg_sql.copies = false;
SET spark.sql.optimizer.excludedRules = sparkicebergsql.Copies;
SET spark.iceberg_sql.require_filter = true;
SELECT concat('all ', sum(x + 1)) FROM local.thrift.i;
SELECT concat('pruned ', sum(x + 1)) FROM local.thrift.i WHERE x = 3;
"""
FUNCTIONS = """
CREATE TEMPORARY FUNCTION thrift_day(t TIMESTAMP) RETURNS DATE RETURN iceberg_days(t);
CREATE TEMPORARY VIEW thrift_days AS SELECT thrift_day(ts) AS day FROM local.thrift.e;
SELECT concat('function ', count(*)) FROM thrift_days WHERE day = DATE'2024-01-03';
EXPLAIN SELECT 'by function' FROM thrift_days WHERE day = DATE'2024-01-03';
"""


@pytest.fixture(scope="module")
def output(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The output of beeline for the statements; it continues after an error."""
    spark.sql("CREATE TABLE local.thrift.i (x INT) USING iceberg PARTITIONED BY (x)")
    spark.sql("INSERT INTO local.thrift.i SELECT id FROM range(8)")
    spark.sql("CREATE TABLE local.thrift.d (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))")
    spark.sql("CREATE TABLE local.thrift.e (x BIGINT, ts TIMESTAMP) USING iceberg")
    spark.sql(
        "INSERT INTO local.thrift.e SELECT 1, TIMESTAMP'2024-01-01' + make_dt_interval(CAST(id AS INT)) FROM range(9)"
    )
    functions = "" if "SQL functions" in LINE.limitations else FUNCTIONS
    folder = tmp_path_factory.mktemp("beeline")
    path = f"{spark.conf.get('spark.sql.catalog.local.warehouse')}/thrift/i"
    with sis.thrift_server(spark, port=0) as server:
        lines = beeline(server.url, STATEMENTS.format(path=path, functions=functions), folder)
        return lines if "scripts" in LINE.limitations else lines + "".join(blocks(spark, server.url))


def blocks(spark: SparkSession, url: str) -> Iterator[str]:
    """What blocks return through JDBC: beeline cuts a script at each `;`, also of those inside a block."""
    jvm = gateway.java_class("java.sql.DriverManager")
    gateway.java_class("java.lang.Class").forName("org.apache.hive.jdbc.HiveDriver")
    connection = jvm.getConnection(url)
    spark.sql("CREATE TABLE local.thrift.b (x BIGINT, ts TIMESTAMP) USING iceberg")
    for number, field in enumerate(("bucket(4, x)", "weeks(ts)")):
        block = (
            f"BEGIN IF 1 = 1 THEN ALTER TABLE local.thrift.b ADD PARTITION FIELD {field}; END IF; SELECT {number}; END"
        )
        try:
            rows = connection.createStatement().executeQuery(block)
            yield f"\nblock {rows.getString(1) if rows.next() else ''}\n"
        except JVM_ERRORS as error:
            yield f"\nblock refused {'SIS101' in str(error)}\n"
    connection.close()


def beeline(url: str, statements: str, folder: Path) -> str:
    """What beeline prints for statements."""
    (folder / "statements.sql").write_text(statements, "utf-8")
    done = subprocess.run(
        [
            *("java", "-Xmx200m", "-cp", f"{JARS}/*", "org.apache.hive.beeline.BeeLine", "-u", url),
            *("--force=true", "--outputformat=tsv2", "--showHeader=false", "-f", "statements.sql"),
        ],
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


OF_A_JAR = """
import subprocess
spark = sis.session(os.getcwd() + "/w", config={**SMALL, "spark.master": "local[2]"}, ddl=os.environ["DDL"])
with sis.thrift_server(spark, port=0, ddl=os.environ["DDL"]) as server:
    beeline = ["java", "-Xmx200m", "-cp", os.environ["JARS"], "org.apache.hive.beeline.BeeLine", "-u", server.url]
    beeline += ["--outputformat=tsv2", "-e", "SELECT concat('current ', current_catalog())"]
    home = {**os.environ, "HOME": os.getcwd()}
    done = subprocess.run(beeline, capture_output=True, text=True, env=home)
    print(done.stdout + done.stderr)
"""


LEAVES = """
spark = sis.session(os.getcwd() + "/w", config={**SMALL, "spark.master": "local[2]"})
jvm = spark._jvm
classes = jvm.java.lang.Class
classes.forName("org.apache.hive.jdbc.HiveDriver")
service = "org.apache.hive.service.rpc.thrift.TCLIService$Iface"
def member(connection, name):
    field = connection.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(connection)
def waited_for(url, text):
    connection = jvm.java.sql.DriverManager.getConnection(url, "root", "")
    request = jvm.org.apache.hive.service.rpc.thrift.TExecuteStatementReq(member(connection, "sessHandle"), text)
    types = spark._sc._gateway.new_array(classes, 1)
    types[0] = request.getClass()
    values = spark._sc._gateway.new_array(jvm.Object, 1)
    values[0] = request
    method = classes.forName(service).getMethod("ExecuteStatement", types)
    status = method.invoke(member(connection, "client"), values).getStatus()
    assert status.getErrorMessage() is None, status.getErrorMessage()
    connection.close()
    loader = jvm.org.apache.spark.util.Utils.getContextOrSparkClassLoader()
    print("has classes:", loader.getResource("org/apache/iceberg/hive/HiveCatalog.class") is not None)
with sis.thrift_server(spark, port=0) as server:
    waited_for(server.url, "CREATE TABLE local.n.t (x INT) USING iceberg")
    spark.sql("INSERT INTO local.n.t VALUES (7)")
    for row in spark.sql("SELECT * FROM local.n.t").collect():
        print("row", row.x)
    waited_for(server.url, "DROP TABLE local.n.t")
"""


@pytest.mark.needs("scripts")
def test_a_block(output: str) -> None:
    assert "\nblock 0\n" in output
    assert "\nblock refused True\n" in output


@pytest.mark.parametrize("ddl", swept(["error", "off"], 2))
def test_a_client_connects_whose_default_catalog_is_of_a_jar(tmp_path: Path, ddl: str) -> None:
    """Before its first statement Spark runs USE on a thread of Hive's, which does not have the jars of `spark.jars`."""
    printed, _ = process.run(tmp_path, OF_A_JAR, JARS=f"{JARS}/*", DDL=ddl)
    assert "current local" in printed.splitlines(), printed


def test_functions_rules_and_table_functions(output: str) -> None:
    lines = output.splitlines()
    assert "bucket 3" in lines, output
    counts = dict(re.findall(r"^(filtered|counted) (\d)$", output, re.MULTILINE))
    assert counts["filtered"] == counts["counted"]
    rules = set(re.findall(r"^rule (\w+)$", output, re.MULTILINE))
    assert rules >= {"copies", "decimals", "fast", "guard", "prune", "require_filter", "writers"}
    assert "ts >= " in output
    assert "path 8" in lines
    assert "pruned 4" in lines
    assert "all 36" not in lines
    assert "`local.thrift.i`: no filter prunes by `x`, so this statement would read" in output
    assert "check SIS202" in lines


def test_refusals(spark: SparkSession, output: str) -> None:
    assert "error[SIS202]: `days` needs a date or a timestamp, but `x` is an int" in output
    assert "[PARTITION_DDL_REFUSED] error[SIS202]" in output
    assert "Gate$Refusal" not in output
    assert "Path does not exist: /nowhere/t" in output
    assert "py4j" not in output
    # Spark's Thrift server adds its own stack to the message of every failed statement; the check adds none.
    refusal = output.partition("[PARTITION_DDL_REFUSED]")[2].partition("(state=42000")[0]
    assert "at sparkicebergsql." not in refusal
    stack = re.findall(r"^\s*at (.*)$", refusal, re.MULTILINE)
    libraries = r"(?:java\.base/)?(?:org\.apache\.(?:spark|hive|hadoop)|scala|javax?|jdk)\."
    assert stack
    assert [line for line in stack if not re.match(libraries, line)] == []
    for key in ("spark.iceberg_sql.copies", "spark.sql.optimizer.excludedRules"):
        assert re.search(rf"annot modify the value of .*onfig: \"?{key}", output)
    assert "it is 0, but the number of buckets must be a constant integer" in output
    spark.sql("REFRESH TABLE local.thrift.d")  # this session's catalog has cached it
    spec = spark.sql("SELECT DISTINCT field_name FROM iceberg_partition_specs('local.thrift.d')")
    assert {row[0] for row in spec.collect()} == {"ts_day", "ts_bucket_4"}


def test_a_client_that_leaves_takes_no_class_with_it(tmp_path: Path) -> None:
    """One that waits for its statements, as PyHive does and so dbt: Hive then closes the class loader of the jars."""
    printed, _ = process.run(tmp_path, LEAVES)
    assert printed.splitlines()[-3:] == ["has classes: True", "row 7", "has classes: True"], printed


def test_a_port_that_is_taken(spark: SparkSession) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        with pytest.raises(sis.IcebergSqlError) as caught:
            sis.thrift_server(spark, port=port)
    message = f"the Thrift server cannot listen on 127.0.0.1:{port}: Address already in use\n"
    assert str(caught.value).startswith(message)


def test_forms_of_partition_ddl(output: str) -> None:
    assert set(re.findall(r"^field (\w+)$", output, re.MULTILINE)) == {"ts_day", "x_bucket_4"}
    assert "error[SIS101]: Iceberg has no partition transform `weeks`" in output
    assert re.search(r"x_trunc_4\s+truncate\(4, x\)\s+added", output), output


@pytest.mark.needs("SQL functions")
def test_sql_functions(output: str) -> None:
    assert "function 1" in output.splitlines(), output
    assert "ts >= " in output.partition("by function")[2].partition("it is 0, but")[0], output
