"""ClickHouse's statements and table functions, translated into Spark's."""
