"""What this package works with, in one screen: Python, Java, Spark, Iceberg, catalogs, rules, known faults."""
