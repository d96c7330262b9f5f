"""A client of Spark Connect, in a Python without Java: a line of JSON with settings and a statement for each answer."""

import json
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
current: dict[str, str | None] = {}
print("ready", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    for key, value in request["settings"].items():
        if current.get(key, ()) != value:
            if value is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, value)
            current[key] = value
    try:
        answer: dict[str, object] = {"rows": [list(row) for row in spark.sql(request["text"]).collect()]}
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
