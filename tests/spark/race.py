"""A process of test_races: adds partition fields to a table in a JDBC catalog."""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import spark_iceberg_sql as sis


def main() -> None:
    folder, me, *terms = sys.argv[1:]
    place = Path(folder)
    spark = sis.session(
        place / "unused",
        config={
            "spark.master": "local[1]",
            "spark.driver.memory": "1g",
            "spark.jars": (place / "jar").read_text(),
            "spark.sql.catalog.shared": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.shared.type": "jdbc",
            "spark.sql.catalog.shared.uri": f"jdbc:sqlite:{place}/catalog.db?busy_timeout=20000",
            "spark.sql.catalog.shared.jdbc.schema-version": "V1",
            "spark.sql.catalog.shared.warehouse": str(place / "warehouse"),
        },
    )
    warnings.simplefilter("ignore")
    if me == "first":
        spark.sql("CREATE NAMESPACE shared.db")
        spark.sql("CREATE TABLE shared.db.t (id bigint, name string, ts timestamp) USING iceberg")
    (place / f"ready-{me}").touch()
    while len(list(place.glob("ready-*"))) < 2:
        time.sleep(0.01)
    for term in terms:
        spark.sql(f"ALTER TABLE shared.db.t ADD PARTITION FIELD {term}")
    spark.stop()


main()
