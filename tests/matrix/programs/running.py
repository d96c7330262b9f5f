"""A session that somebody else has started, into which the package comes. The job's `mode` says how.

install: the package is on the path already. add: by addPyFile.
`closed` is a folder that this program must not be able to write to.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import answers

warnings.simplefilter("ignore")
task = answers.job()

from pyspark.sql import SparkSession  # noqa: E402

if "closed" in task:
    try:
        Path(task["closed"], "file").touch()
    except PermissionError:
        pass
    else:
        raise AssertionError("the lay-out is not what it should be: its home can be written to")

builder = SparkSession.builder
for key, value in task["settings"].items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
assert spark.sql("SELECT 1").collect()
assert task["mode"] == "install" or "spark_iceberg_sql" not in sys.modules
if task["mode"] == "add":
    spark.sparkContext.addPyFile(task["file"])
# As a statement that comes later, compiled by itself.
exec(compile("import spark_iceberg_sql as sis\nsis.install(spark)", "<statement>", "exec"))
answers.run(task["statements"], lambda text: spark.sql(text).collect())
spark.stop()
