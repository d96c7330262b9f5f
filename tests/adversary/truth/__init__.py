"""The truth outside Iceberg: random histories of a table, each beside a Parquet copy that no Iceberg code read.

The copy is written from the source rows and kept in step with the statements by Spark on the copy. A query's rows, or
a table's after a statement, must be those of the copy, whoever is at fault if they are not: this package, Iceberg or
Spark.
"""
