"""A minor version of Spark that is not in the table of versions: what passes its self-test is installed.

No runtime of Iceberg exists for such a version, so the tests take this one out of the table.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from process import run

from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.spark.bridge.jvm.shims import SPARK_VERSION

pytestmark = pytest.mark.skipif(
    versions.SPARK_MINORS[0].number > SPARK_VERSION, reason="the newest line stands for the next one"
)
MINOR = versions.SPARK_MINORS[0].spark
OTHERS = " and ".join(line.spark for line in versions.SPARK_MINORS[1:])

UNKNOWN = """
import warnings
from spark_iceberg_sql.spark import versions
versions.SPARK_MINORS = versions.SPARK_MINORS[1:]
def installed(spark, call=sis.install):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(spark)
    warned = [w for w in caught if issubclass(w.category, (sis.IcebergSqlWarning, RuntimeWarning))]
    print(len(warned), warned[0].category.__name__, os.path.basename(warned[0].filename), warned[0].message)
def listed(spark):
    return {row.function for row in spark.sql("SHOW USER FUNCTIONS").collect()}
def outcome(call):
    try:
        return call()
    except Exception as error:
        return str(error).partition("\\n")[0]
"""


@pytest.mark.tier("sweep")
def test_everything_that_works_is_installed(tmp_path: Path) -> None:
    out, _ = run(
        tmp_path,
        UNKNOWN
        + """
os.environ["SPARK_ICEBERG_SQL_JAR"] = JAR
def start(_):
    global spark
    spark = sis.session(config={"spark.master": "local[2]", **SMALL})
installed(None, start)
print(bucket(spark), spark.sql("FROM iceberg_check('ALTER TABLE t ADD PARTITION FIELD bucket(0, id)')").count() > 0)
print(outcome(lambda: spark.sql("ALTER TABLE t ADD PARTITION FIELD bucket(0, id)")))
print(all(row.enabled for row in spark.sql("FROM iceberg_rules()").collect()))
print(outcome(lambda: sis.install(spark, "none")))
installed(spark, sis.register)
sis.uninstall(spark)
print(outcome(lambda: bucket(spark))[:24])
""",
    )
    parts = "functions iceberg_*, optimizer rules, table functions"
    head = f"Spark {MINOR} is not tested, only Spark {OTHERS}. Passed self-tests in this session: {parts}"
    tail = "; the rest of the package is untested"
    first, values, refusal, rules, mode, again, removed = out.splitlines()
    assert first == f"1 IcebergSqlWarning <string> {head}, check of partition DDL{tail}"
    assert values == "12 True"
    assert "SIS" in refusal
    assert rules == "True"
    assert mode.startswith("ddl must be")
    assert again.startswith(f"1 IcebergSqlWarning <string> {head}")
    assert removed == "[UNRESOLVED_ROUTINE] Can"


@pytest.mark.tier("sweep")
def test_an_iceberg_that_is_not_tested_is_installed_by_what_it_does(tmp_path: Path) -> None:
    out, _ = run(
        tmp_path,
        UNKNOWN.replace("versions.SPARK_MINORS = versions.SPARK_MINORS[1:]", "")
        + """
import dataclasses
first, *others = versions.SPARK_MINORS
versions.SPARK_MINORS = (dataclasses.replace(first, iceberg=("1.2", "1.1")), *others)
spark = theirs(**{"spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"})
installed(spark)
print(bucket(spark), all(row.enabled for row in spark.sql("FROM iceberg_rules()").collect()))
""",
    )
    warning, values = out.splitlines()
    assert warning.startswith("1 IcebergSqlWarning <string> Iceberg 1.")
    assert (
        f" is not tested with Spark {MINOR}, only its releases 1.1 to 1.2. Passed self-tests in this session: "
        in warning
    )
    assert warning.endswith("check of partition DDL; the rest of the package is untested")
    assert values == "12 True"


def test_without_a_runtime_it_is_named(tmp_path: Path) -> None:
    script = """
for call in (sis.session, lambda: sis.install(theirs(jar=False))):
    try:
        call()
    except sis.IcebergSqlError as error:
        print(error)
"""
    out, _ = run(tmp_path, UNKNOWN + script)
    first, *_ = out.splitlines()
    assert f"Iceberg's runtime for Spark {MINOR} is missing on the class path" in first
    assert out.count(f"Spark {MINOR} is not tested, only Spark {OTHERS}") == 2
    assert out.count(f"iceberg-spark-runtime-{MINOR}_") == 2


@pytest.mark.tier("sweep")
def test_what_is_broken_is_left_out(tmp_path: Path) -> None:
    out, _ = run(
        tmp_path,
        UNKNOWN
        + """
from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.transforms import functions
import dataclasses
source, row = compiler.source, functions._row
def broken(package, name):
    text = source(package, name)
    if name == "Fast":  # an API that the next Spark does not have
        return text.replace("import java", "import org.apache.spark.Gone;\\nimport java", 1)
    if name == "Guard":  # pushes down what loses rows, and its own test on plans does not show it
        decision = "boolean isCorrect(Expression call, Expression compared) {"
        for start in (decision, "String check(SparkSession session) {"):
            assert start in text
            early = "layout != null) return true" if "isCorrect" in start else "true) return null"
            text = text.replace(start, f"{start} if ({early};")
    return text
compiler.source = broken
def other_function(transform, name):
    right = row(transform, name)
    return dataclasses.replace(right, function="years") if name == "iceberg_month" else right
functions._row = other_function
intercept.admit = lambda asked: asked.text
spark = theirs()
installed(spark)
print(bucket(spark), outcome(lambda: spark.sql("SELECT iceberg_month(DATE '2024-01-01')"))[:20])
print(outcome(lambda: spark.sql("ALTER TABLE t ADD PARTITION FIELD bucket(0, id)")))
print(*(row.name for row in spark.sql("FROM iceberg_rules()").collect() if not row.enabled))
installed(spark)
print(outcome(lambda: spark.newSession().sql("SELECT iceberg_month(DATE '2024-01-01')"))[:20])
""",
    )
    head, *removed, first, refusal, rules, _, _, _, _, _, later = out.splitlines()
    assert head.startswith(f"1 IcebergSqlWarning <string> Spark {MINOR} is not tested")
    assert "table functions, except what is named below" in head
    function, fast, guard, check = (line.removeprefix("not installed: ") for line in removed)
    assert function.startswith("`iceberg_month` of the functions iceberg_*: iceberg_month(")
    assert function.endswith("is 47, not 574")
    assert fast.startswith("`fast` of the optimizer rules: ")
    assert guard.startswith("`guard` of the optimizer rules: WHERE iceberg_")
    assert guard.endswith(" returns wrong rows")
    assert check.startswith("the check of partition DDL: ")
    assert first == "12 [UNRESOLVED_ROUTINE]"
    assert "SIS" not in refusal
    assert rules == "guard fast"
    assert later == "[UNRESOLVED_ROUTINE]"
