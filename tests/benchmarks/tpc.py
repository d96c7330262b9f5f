"""TPC-H and TPC-DS: their tables as Parquet, by `tpcgen-cli`, and their queries.

The queries of TPC-DS are those that DuckDB's extension `tpcds` has, which is part of the package up to 0.9. Where
another DuckDB is installed: `pip install --target FOLDER duckdb==0.9.2`, and FOLDER in PYTHONPATH.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

QUERIES = Path(__file__).with_name("queries")
TABLES = {
    "tpch": ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"),
    "tpcds": (
        *("call_center", "catalog_page", "catalog_returns", "catalog_sales", "customer", "customer_address"),
        *("customer_demographics", "date_dim", "household_demographics", "income_band", "inventory", "item"),
        *("promotion", "reason", "ship_mode", "store", "store_returns", "store_sales", "time_dim", "warehouse"),
        *("web_page", "web_returns", "web_sales", "web_site"),
    ),
}
# Names in double quotes are strings to Spark; comments end with the line, and the query becomes one.
DIALECT = ((r"--[^\n]*", ""), (r'"([^"\n]+)"', r"`\1`"), (r"\s+", " "), (r"; *$", ""))


def queries(workload: str) -> dict[str, str]:
    """By their names, such as `q1`: each is one line."""
    if workload != "tpcds":
        texts = re.findall(r"^-- (.+)\n(.+);$", (QUERIES / f"{workload}.sql").read_text(), re.MULTILINE)
        return dict(texts)
    import duckdb

    rows = duckdb.connect().execute("SELECT query_nr, query FROM tpcds_queries()").fetchall()
    return {f"q{number}": in_spark(text) for number, text in rows}


def in_spark(text: str) -> str:
    for pattern, replacement in DIALECT:
        text = re.sub(pattern, replacement, text)
    return text.strip()


def generate(workload: str, scale: str, folder: Path) -> dict[str, Path]:
    """The Parquet file of each table, generated in the folder unless it is there."""
    files = {table: folder / f"{table}.parquet" for table in TABLES[workload]}
    if missing := [table for table, file in files.items() if not file.exists()]:
        command = ["tpcgen-cli", workload, "parquet", "-s", scale, "--tables", ",".join(missing)]
        subprocess.run([*command, "--output-dir", str(folder)], check=True)
    return files
