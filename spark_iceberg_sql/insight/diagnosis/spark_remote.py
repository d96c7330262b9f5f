"""What a client of Spark Connect can say: its own Python, and of the server what SQL tells. It needs no py4j."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pyspark
from pyspark.errors import PySparkException

from spark_iceberg_sql.insight.diagnosis import spark_process
from spark_iceberg_sql.insight.diagnosis.model import DiagnosedRule, Diagnosis
from spark_iceberg_sql.spark import remote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_QUERY = "SELECT name, enabled, fault FROM iceberg_rules()"
_HELP = re.compile(r"\nhelp: ")


def diagnosis(spark: SparkSession) -> Diagnosis:
    """The diagnosis of a client's session. Raises IcebergSqlError if the server is lost."""
    problems: tuple[str, ...] = ()
    rules: tuple[DiagnosedRule, ...] = ()
    with remote.explaining_lost_server(spark), remote.without_error_logs():
        server_version = spark.version
        try:
            rows = remote.unchecked_sql(spark)(_QUERY).collect()
            rules = tuple(DiagnosedRule(row.name, bool(row.enabled), row.fault) for row in rows)
        except PySparkException as error:
            if not remote.has_no_function(error):
                raise
            problems = (_HELP.sub("; ", f"the server has no optimizer rules of this package\n{remote.START}"),)
    return replace(
        spark_process.without_spark(),
        java="the server's",
        spark=f"{server_version}, a server of Spark Connect; this client has pyspark {pyspark.__version__}",
        iceberg="the server's: call sis.doctor(spark) in its process",
        rules=rules,
        problems=problems,
    )
