"""The jar: functions and rules in spark-sql, without Python and without settings; and in an installed session."""

from __future__ import annotations

import os
import re
import subprocess
import zipfile
from pathlib import Path

import process
import pyspark
import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql.cli import main
from spark_iceberg_sql.spark import runtime_jar, versions
from spark_iceberg_sql.spark.optimizer.rule_records import RULES

HOME = Path(pyspark.__file__).parent
SPARK_SQL = "org.apache.spark.sql.hive.thriftserver.SparkSQLCLIDriver"
SCRIPT = """
CREATE TABLE local.db.d (id BIGINT, s STRING, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
INSERT INTO local.db.d SELECT id, concat('s', id), TIMESTAMP '2024-01-01' + make_dt_interval(CAST(id % 5 AS INT))
FROM range(100);
SELECT 'rows of a day', count(*) FROM local.db.d WHERE iceberg_days(ts) = DATE '2024-01-03';
EXPLAIN SELECT 'plan 1', id FROM local.db.d WHERE iceberg_days(ts) = DATE '2024-01-03';
EXPLAIN SELECT 'plan 2', id FROM local.db.d WHERE date_trunc('day', ts) = TIMESTAMP '2024-01-03 00:00:00';
SELECT 'rule', name, enabled, fault FROM iceberg_rules() ORDER BY name;
CREATE TABLE local.db.i (x INT) USING iceberg PARTITIONED BY (x);
INSERT INTO local.db.i SELECT id FROM range(8);
SELECT 'filtered', count(*) FROM local.db.i WHERE local.system.bucket(4, x) = 2;
SELECT 'counted', count_if(iceberg_bucket(4, x) = 2) FROM local.db.i;
DESCRIBE FUNCTION iceberg_bucket;
"""
SPEC = "SELECT 'spec', iceberg_functions.bucket(16, 34);\n"
REFUSED = "SELECT iceberg_bucket(s, 16) FROM local.db.d;\n"


@pytest.fixture(scope="module")
def jar(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The jar, written by the command with the compiler in this process's JVM."""
    written = tmp_path_factory.mktemp("jar") / "spark-iceberg-sql.jar"
    assert main(["jar", str(written)]) == 0
    return written


@pytest.fixture(scope="module")
def output(jar: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The output of spark-sql for the script."""
    folder = tmp_path_factory.mktemp("spark-sql")
    (folder / "script.sql").write_text(
        f"{SCRIPT}{'' if pyspark.__version__.startswith('3.5') else SPEC}{REFUSED}", "utf-8"
    )
    catalog = "spark.sql.catalog.local"
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "hadoop",
        f"{catalog}.warehouse": str(folder / "warehouse"),
    }
    iceberg = runtime_jar.runtime_jar(versions.runtime(pyspark.__version__))
    command = [str(HOME / "bin" / "spark-submit"), "--class", SPARK_SQL, "--master", "local[2]"]
    command += ["--driver-memory", "700m", "--jars", f"{iceberg},{jar}"]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    done = subprocess.run(
        [*command, "spark-internal", "-f", "script.sql"],
        cwd=folder,
        env={**os.environ, "SPARK_HOME": str(HOME)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode != 0, "the last statement is refused"
    return done.stdout + done.stderr


@pytest.mark.tier("quick", of="jar")
def test_the_jar_has_the_classes_of_a_session_and_no_other(jar: Path) -> None:
    with zipfile.ZipFile(jar) as archive:
        names = archive.namelist()
        service = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"
        assert archive.read(service) == b"sparkicebergsql.Extension\n"
    classes = [name for name in names if name.endswith(".class")]
    assert all(name.startswith("sparkicebergsql/") for name in classes)
    assert {"sparkicebergsql/Prune.class", "sparkicebergsql/TransformFunction.class"} <= set(classes)
    assert jar.stat().st_size < 540_000


def test_it_is_the_same_each_time(jar: Path, tmp_path: Path) -> None:
    assert main(["jar", str(tmp_path / "again.jar")]) == 0
    assert (tmp_path / "again.jar").read_bytes() == jar.read_bytes()


def test_it_cannot_be_written(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jar", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"error: cannot write {tmp_path}: Is a directory\n"


@pytest.mark.needs("spec functions")
def test_spark_sql_has_the_catalog_of_the_expressions_spec(output: str) -> None:
    assert re.search(r"^spec\t3$", output, re.MULTILINE), output


def test_spark_sql_has_functions_that_prune(output: str) -> None:
    assert re.search(r"^rows of a day\t20$", output, re.MULTILINE), output
    day_scan, two = re.findall(r"BatchScan local\.db\.d.*", output)[-2:]
    assert "day(ts) = 19725" in day_scan
    assert "ts >= " in two


def test_spark_sql_has_all_rules(output: str) -> None:
    rules = dict(re.findall(r"^rule\t(\w+)\t(true|false)\tNULL$", output, re.MULTILINE))
    assert rules == {rule.name: "true" for rule in RULES}
    counts = dict(re.findall(r"^(filtered|counted)\t(\d)$", output, re.MULTILINE))
    assert counts["filtered"] == counts["counted"]


def test_spark_sql_describes_and_refuses(output: str) -> None:
    assert "Function: iceberg_bucket" in output
    assert "Usage: iceberg_bucket(n, col) - Returns the bucket" in output
    assert "[INVALID_PARAMETER_VALUE.PATTERN]" in output
    assert "the number of buckets must be a constant integer from 1" in output
    assert "this order of arguments is Hive's and Trino's, write iceberg_bucket(16, s)" in output


def test_an_installed_session_takes_the_classes_of_the_jar(jar: Path, tmp_path: Path) -> None:
    script = f"""
spark = sis.session(os.getcwd() + "/w", config={{**SMALL, "spark.master": "local[2]", "spark.jars": JAR + ",{jar}"}})
spark.sql("CREATE TABLE local.db.d (ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts))")
spark.sql("SELECT * FROM local.db.d WHERE year(ts) = 2024").collect()
print(bucket(spark), [row.hits for row in spark.sql("SELECT hits FROM iceberg_rules() WHERE name = 'prune'").collect()])
try:
    spark.sql("ALTER TABLE local.db.d ADD PARTITION FIELD bucket(0, ts)")
except sis.IcebergSqlError as error:
    print(error.report.diagnostics[0].severity)
other = spark.newSession()
print(bucket(other), other.sql("SELECT count(*) FROM iceberg('" + os.getcwd() + "/w/db/d')").first()[0])
"""
    out, _ = process.run(tmp_path, script)
    first, *other_lines = out.splitlines()
    assert re.fullmatch(r"\d+ \[[1-9]\d*\]", first)
    assert other_lines == ["error", f"{first.split()[0]} 0"]
