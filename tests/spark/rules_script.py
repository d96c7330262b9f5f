"""Needs a separate process: a rule that does not compile, and sessions after stop(). Prints JSON."""

import json
import sys
import warnings

import spark_iceberg_sql as sis
from spark_iceberg_sql.spark.bridge.jvm import compiler

CONFIG = {"spark.master": "local[1]", "spark.sql.shuffle.partitions": "1", "spark.driver.memory": "512m"}
QUERY = "SELECT x FROM local.db.t WHERE {call} = 2"


def rows(spark, call="iceberg_bucket(4, x)"):
    frame = spark.sql(QUERY.format(call=call))
    plan = frame._jdf.queryExecution().executedPlan().toString()
    return {"rows": sorted(row.x for row in frame.collect()), "pushed": "filters=bucket" in plan}


def started(warehouse):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        spark = sis.session(warehouse, config=CONFIG)
        sis.install(spark)
        spark.sql("SELECT iceberg_bucket(4, 1)").collect()
    return spark, {"warnings": [str(w.message) for w in caught if w.category is RuntimeWarning]}


def tables(spark):
    numbers = "SELECT CAST(id AS int) AS x FROM range(6)"
    for name, by in (("t", "x"), ("same", "bucket(4, x)")):
        spark.sql(f"CREATE TABLE local.db.{name} USING iceberg PARTITIONED BY ({by}) AS {numbers}")


def rules(spark):
    return spark.sql("SELECT * FROM iceberg_rules()").collect()


def change_classes(old, new, *names):
    right = compiler.source

    def source(package, name):
        text = right(package, name)
        return text.replace(old, new, 1) if name in names else text

    compiler.source = source


def break_classes(*names):
    change_classes("import java", "import org.apache.iceberg.Gone;\nimport java", *names)


def no_registry(warehouse):
    break_classes("RuleRegistry")
    spark, report = started(warehouse)
    tables(spark)
    report["rows"] = rows(spark)
    report["rules"] = {r.name: [r.enabled, r.fault] for r in rules(spark)}
    report["session"] = len(rules(spark.newSession()))
    spark.stop()
    return report


def broken(warehouse):
    break_classes("Guard", "Intervals")
    spark, report = started(warehouse)
    tables(spark)
    report["rows"] = rows(spark)
    same = spark.sql("SELECT x FROM local.db.same WHERE iceberg_bucket(4, x) = 2")
    report["same"] = sorted(row.x for row in same.collect())
    report["rules"] = {r.name: [r.enabled, bool(r.fault)] for r in rules(spark)}
    spark.stop()
    return report


def failing(warehouse, table):
    """A self-test fails; the first statement builds a plan within another, in a lock of the session's catalog."""
    change_classes("check(SparkSession session) {", 'check(SparkSession session) { if (true) return "2";', "Limit")
    spark = sis.session(warehouse, config=CONFIG)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        report = {"rows": [row.x for row in spark.sql(f"SELECT x FROM iceberg('{table}') ORDER BY x").collect()]}
    report["warnings"] = [str(w.message) for w in caught if w.category is RuntimeWarning]
    report["rules"] = {r.name: [r.enabled, r.fault] for r in rules(spark)}
    spark.stop()
    return report


def stopped(warehouse, table):
    """A session that ends before the rules are tested: the next one tests them."""
    change_classes("public class", "/** Anew. */ public class", "Limit")
    sis.session(warehouse, config=CONFIG).stop()
    spark = sis.session(warehouse, config=CONFIG)
    report = {"rows": [row.x for row in spark.sql(f"SELECT x FROM iceberg('{table}') ORDER BY x").collect()]}
    report["rules"] = {r.name: [r.enabled, r.fault] for r in rules(spark)}
    spark.stop()
    return report


def right(warehouse):
    spark, report = started(warehouse)
    tables(spark)
    spark.stop()
    spark, _ = started(warehouse)
    report["rows"] = rows(spark)
    report["system"] = rows(spark, "local.system.bucket(4, x)")
    report["rules"] = {r.name: [r.enabled, r.hits > 0] for r in rules(spark)}
    sis.uninstall(spark)
    report["uninstalled"] = rows(spark, "local.system.bucket(4, x)")
    sis.install(spark)
    report["again"] = rows(spark, "local.system.bucket(4, x)")
    spark.stop()

    # Nothing is installed: the functions are in Spark's built-in registry, and add the guard themselves.
    builder = type(spark).builder
    for key, value in {
        **CONFIG,
        "spark.sql.catalog.local": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.local.type": "hadoop",
        "spark.sql.catalog.local.warehouse": warehouse,
    }.items():
        builder = builder.config(key, value)
    later = builder.getOrCreate()
    report["later"] = rows(later)
    report["later_same"] = (
        later.sql("SELECT x FROM local.db.same WHERE iceberg_bucket(4, x) = 2")
        ._jdf.queryExecution()
        .executedPlan()
        .toString()
        .count("filters=bucket[4](x) = 2")
    )
    later.stop()
    return report


PARTS = {"broken": broken, "no_registry": no_registry, "failing": failing, "stopped": stopped, "right": right}
print(json.dumps(PARTS[sys.argv[1]](*sys.argv[2:])))
