"""A client of Spark Connect, with neither Java nor this package."""

from __future__ import annotations

import answers

task = answers.job()

from pyspark.sql import SparkSession  # noqa: E402

spark = SparkSession.builder.remote(task["url"]).getOrCreate()
answers.run(task["statements"], lambda text: spark.sql(text).collect())
