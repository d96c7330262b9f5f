"""Iceberg's partitioning as plain data: types, transforms, specs, tables. No SQL text, no Spark."""
