"""A session of this process, with the package installed."""

from __future__ import annotations

import warnings

import answers

warnings.simplefilter("ignore")
task = answers.job()

import spark_iceberg_sql  # noqa: E402

spark = spark_iceberg_sql.session(task["warehouse"], config=task["settings"])
answers.run(task["statements"], lambda text: spark.sql(text).collect())
spark.stop()
