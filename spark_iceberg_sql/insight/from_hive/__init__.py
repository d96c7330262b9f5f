"""The way from a Hive table to an Iceberg table with hidden partitioning."""
