"""Gives secrets to table functions in every way there is. Run by test_relations_secrets.py."""

from __future__ import annotations

import os
import sys

from pyspark.sql import SparkSession

import spark_iceberg_sql

folder = sys.argv[1]
KEY, SECRET, TOKEN, ACCOUNT = (os.environ[n] for n in ("KEY", "SECRET", "TOKEN", "ACCOUNT"))
config = {
    "spark.master": "local[1]",
    "spark.driver.memory": "700m",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.dir": f"file:{folder}/events",
}
if jars := os.environ.get("JARS"):
    config["spark.jars"] = jars
spark = spark_iceberg_sql.session(f"{folder}/warehouse", config=config)
spark.sparkContext.setLogLevel("INFO")
plain = SparkSession.sql  # not the gate: what Spark itself does


def refused(text: str, how: str, **arguments: object) -> None:
    try:
        plain(spark, text, **arguments).collect()  # type: ignore[arg-type]
    except Exception as error:
        print("refused", how, error, repr(error))
    else:
        print("READ", how)


url = "http://127.0.0.1:9/bucket/t"
local = f"{folder}/warehouse/db/t"
spark.sql("CREATE TABLE local.db.t (id INT) USING iceberg")
spark.sql("INSERT INTO local.db.t VALUES (1)")

refused(f"SELECT * FROM icebergS3('{url}', '{KEY}', '{SECRET}', '{TOKEN}')", "literal")
refused(
    f"SELECT * FROM iceberg_azure('AccountName=a;AccountKey={ACCOUNT};BlobEndpoint=http://127.0.0.1:9/a',"
    " 'c', 't')",
    "literal",
)
refused(f"SELECT * FROM icebergS3('{url}', 'NOSIGN', 'x', 'y', '{SECRET}')", "misplaced")
refused("SELECT * FROM icebergS3(:u, :k, :s)", "parameter", args={"u": url, "k": KEY, "s": SECRET})
for name, value in {
    "url": url,
    "access_key_id": KEY,
    "secret_access_key": SECRET,
    "session_token": TOKEN,
}.items():
    plain(spark, f"SET spark.iceberg_sql.collection.by_sql.{name} = {value}")
    spark.conf.set(f"spark.iceberg_sql.collection.by_conf.{name}", value)
spark.conf.set(
    "spark.iceberg_sql.collection.azure.connection_string",
    f"AccountName=a;AccountKey={ACCOUNT};BlobEndpoint=http://127.0.0.1:9/a",
)
spark_iceberg_sql.collection(spark, "by_call", url=url, access_key_id=KEY, secret_access_key=SECRET)
refused("SELECT * FROM icebergS3('by_sql')", "collection")
refused("SELECT * FROM icebergS3('by_call')", "collection")
refused("SELECT * FROM icebergS3('by_call', region => 'x', snapshot_id => 'x')", "collection")
refused("SELECT * FROM icebergS3('by_conf')", "collection")
refused("SELECT * FROM icebergAzure('azure', container_name => 'c', blobpath => 't')", "collection")
refused("SELECT * FROM icebergS3('by_conf', snapshot_id => 'x')", "collection")

# A collection's values travel with a query that works, too: plans, the event log, column names.
spark.conf.set("spark.iceberg_sql.collection.here.path", local)
rows = plain(spark, "SELECT count(*), max(_path) FROM icebergLocal('here')")
rows.explain(True)
print(rows.collect(), rows.columns, rows)

for call in (f"icebergS3('{url}', '{KEY}', '{SECRET}')", f"iceberg('{url}', '{KEY}', '{SECRET}')"):
    print(plain(spark, f"EXPLAIN EXTENDED SELECT * FROM {call}").collect()[0][0], "literal")
spark.stop()
