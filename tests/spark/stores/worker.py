"""A Spark session in a separate process: a store's jars must be on the class path from the start.

Reads one JSON object per line ({"sql": ..., "conf": {...}}) and answers with one: rows, or the error's text.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings

import spark_iceberg_sql

warnings.simplefilter("ignore")
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
settings = json.loads(sys.stdin.readline())
spark = spark_iceberg_sql.session(settings.pop("warehouse"), config=settings)
print(json.dumps({"rows": []}), file=answers, flush=True)
for line in sys.stdin:
    task = json.loads(line)
    start = time.perf_counter()
    try:
        for name, value in task.get("conf", {}).items():
            spark.conf.set(name, value)
        rows = []
        if "call" in task:
            function = getattr(__import__(task["module"], fromlist=["x"]), task["call"])
            result = function(spark, *task.get("args", []), **task.get("kwargs", {}))
            rows = [[result]]
        elif "sql" in task:
            rows = [list(row) for row in spark.sql(task["sql"]).collect()]
        answer = {"rows": rows}
    except Exception as error:
        answer = {"error": str(error), "class": type(error).__name__}
    answer["seconds"] = time.perf_counter() - start
    print(json.dumps(answer, default=str), file=answers, flush=True)
spark.stop()
