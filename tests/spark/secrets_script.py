"""Passes secrets to table functions in every possible way. Run by test_relations_secrets.py."""

from __future__ import annotations

import os
import re
import sys
import urllib.request
from pathlib import Path

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
    "spark.ui.enabled": "true",
    "spark.ui.port": "0",
    "spark.iceberg_sql.collection.at_start.url": "http://127.0.0.1:9/bucket/t",
    "spark.iceberg_sql.collection.at_start.access_key_id": KEY,
    "spark.iceberg_sql.collection.at_start.secret_access_key": SECRET,
}
if jars := os.environ.get("JARS"):
    config["spark.jars"] = jars
spark = spark_iceberg_sql.session(f"{folder}/warehouse", config=config)
spark.sparkContext.setLogLevel("INFO")
plain = SparkSession.sql  # Spark itself, without the gate


asked: list[str] = []


def refused(text: str, how: str, **arguments: object) -> None:
    asked.append(how)
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

refused(f"SELECT * FROM icebergS3('{url}', '{KEY}', '{SECRET}', '{TOKEN}')", "LITERALLY")
refused(
    f"SELECT * FROM iceberg_azure('AccountName=a;AccountKey={ACCOUNT};BlobEndpoint=http://127.0.0.1:9/a', 'c', 't')",
    "LITERALLY",
)
refused(f"SELECT * FROM icebergS3('{url}', 'NOSIGN', 'x', 'y', '{SECRET}')", "misplaced")
for name in ("iceberg_history", "iceberg_ddl", "iceberg_column_stats", "iceberg_tables"):
    refused(f"SELECT * FROM {name}('{url}', '{KEY}', '{SECRET}', '{TOKEN}')", "LITERALLY")
refused(f"SELECT * FROM iceberg_files(' {url}#files', '{KEY}', '{SECRET}')", "LITERALLY")
refused(
    f"SELECT * FROM iceberg_refs('AccountName=a;AccountKey={ACCOUNT};BlobEndpoint=http://127.0.0.1:9/a',"
    " 'c', 't', store => 'icebergAzure')",
    "LITERALLY",
)
refused("SELECT * FROM icebergS3(:u, :k, :s)", "parameter", args={"u": url, "k": KEY, "s": SECRET})
for name, value in {"url": url, "access_key_id": KEY, "secret_access_key": SECRET, "session_token": TOKEN}.items():
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

# A collection's values could also leak from a query that works: plans, the event log, column names.
spark.conf.set("spark.iceberg_sql.collection.here.path", local)
rows = plain(spark, "SELECT count(*), max(_path) FROM icebergLocal('here')")
rows.explain(True)
print(rows.collect(), rows.columns, rows)

for call in (f"icebergS3('{url}', '{KEY}', '{SECRET}')", f"iceberg('{url}', '{KEY}', '{SECRET}')"):
    print(plain(spark, f"EXPLAIN EXTENDED SELECT * FROM {call}").collect()[0][0], "LITERALLY")

print("SECOND PART", file=sys.stderr, flush=True)
# A query that works, so that Spark shows it: a local table ignores the account key.
call = f"iceberg('{local}', account_key => '{ACCOUNT}')"
lines = f"iceberg('{local}', -- )'\n  account_key => concat('(\\'', \n'{ACCOUNT}'))"
# Spark quotes the text of CACHE TABLE ... AS in its UI, and of each statement in its DEBUG log.
shown = f"iceberg('{local}', account_key => 'Spark shows this one')"
refused("SELECT * FROM icebergS3('at_start')", "collection")
for how, text in {
    "text described": f"DESCRIBE {call}",
    "text described in lines": f"DESCRIBE QUERY SELECT * FROM {lines}",
    "text in a temporary view": f"CREATE TEMPORARY VIEW v1 AS SELECT * FROM {call}",
    "text in a view": f"CREATE VIEW spark_catalog.default.v2 AS SELECT * FROM {call}",
    "text in a view of lines": f"CREATE OR REPLACE VIEW spark_catalog.default.v3 AS SELECT * FROM {lines}",
    "text of its DDL": f"SHOW CREATE TABLE {call}",
    "text of its columns": f"DESCRIBE EXTENDED {call}",
    "text in a view of its files": "CREATE TEMPORARY VIEW v4 AS SELECT * FROM "
    + call.replace("iceberg(", "iceberg_files("),
    "text of its tables": f"SELECT * FROM {call.replace('iceberg(', 'iceberg_tables(')}",
    "text of its past": f"SELECT * FROM {call} VERSION AS OF 'main' TABLESAMPLE (1 PERCENT)",
    "text cached": f"CACHE TABLE c AS SELECT * FROM {shown}",
    "text in CTAS": f"CREATE TABLE local.db.ctas USING iceberg AS SELECT * FROM {call}",
    "text in INSERT": f"INSERT INTO local.db.ctas SELECT * FROM {call}",
    "a sub-query": f"SELECT * FROM iceberg('{local}', account_key => (SELECT '{SECRET}'))",
    "a sub-query of a table": f"SELECT * FROM iceberg('{local}', account_key => (SELECT concat('{SECRET}', "
    "max(id)) FROM local.db.t))",
}.items():
    print("RAN", len(spark.sql(text).collect()), how)
spark.sql(f"SELECT * FROM iceberg('{local}', account_key => :k)", args={"k": SECRET}).collect()
spark.sql("DECLARE VARIABLE own STRING DEFAULT 'no secret here'")
spark.sql(f"SELECT * FROM iceberg('{local}', account_key => own)").collect()
for place in (
    f"icebergS3('{SECRET}')",
    f"icebergS3('{SECRET}', 'a', 'b')",
    f"iceberg('{SECRET}', 'a', 'b')",
    f"icebergS3('s3://b/t', endpoint => '{SECRET}')",
    f"icebergS3('https://h/b/t?X-Amz-Signature={SECRET}')",
    f"icebergS3('s3:/b/t?token={SECRET}')",
    f"icebergS3('https://{KEY}:{SECRET}@h/b/t')",
):
    refused(f"SELECT * FROM {place}", "in the url's place")

try:
    spark_iceberg_sql.catalog(spark, "far", "rest", uri=f"http://user:{SECRET}@127.0.0.1:9")
except spark_iceberg_sql.IcebergSqlError as error:
    print("ADDRESS", error, repr(error))
spark_iceberg_sql.catalog(
    spark,
    "far",
    "rest",
    uri="http://127.0.0.1:9",
    credential=f"id:{SECRET}",
    header_Authorization=f"Bearer {TOKEN}",
    s3_access_key_id=KEY,
    adls_auth_shared_key_account_key=ACCOUNT,
)
spark_iceberg_sql.catalog(spark, "jdbc", "jdbc", uri="jdbc:x", warehouse="/x", jdbc_password=SECRET)
print(spark.sql("SELECT sum(id) FROM range(100)").collect())
print(str(spark.sql("SET -v").collect()).replace("UnresolvedTableValuedFunction", ""))
print(str(spark.sql("SET").collect()).replace("UnresolvedTableValuedFunction", ""))
for text in ("SELECT * FROM far.db.t", "CREATE TABLE far.db.t (i INT) USING iceberg"):
    try:
        spark.sql(text).collect()
    except Exception as error:  # noqa: PERF203
        print("FAR", error, repr(error))

from spark_iceberg_sql.spark.bridge.io import file_io  # noqa: E402
from spark_iceberg_sql.spark.tables import credentials  # noqa: E402

print(file_io._open_files, credentials._vault, [vars(kept).keys() for kept in credentials._vault.values()])

ui = str(spark.sparkContext.uiWebUrl)
api = f"{ui}/api/v1/applications/{spark.sparkContext.applicationId}"
seen = [f"{ui}/{page}/" for page in ("jobs", "stages", "storage", "environment", "executors", "SQL")]
seen += [f"{ui}/SQL/execution/?id={n}" for n in range(60)]
seen += [f"{api}/{part}" for part in ("jobs", "stages?details=true", "environment", "storage/rdd")]
seen += [f"{api}/sql?details=true&planDescription=true&length=1000"]
answers = Path(folder, "ui")
answers.mkdir()
for number, address in enumerate(seen):
    try:
        with urllib.request.urlopen(address, timeout=20) as answer:
            (answers / f"{number}_{re.sub('[^a-zA-Z0-9]+', '_', address[22:])[:60]}").write_bytes(answer.read())
    except OSError as error:  # noqa: PERF203
        print("UI", address, error)
spark.stop()
print("ASKED", len(asked))
