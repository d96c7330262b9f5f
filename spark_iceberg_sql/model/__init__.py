"""What is true about Iceberg partitioning: plain data, no SQL text, no Spark."""
