"""What versions of Spark and Iceberg have: procedures, properties, options, their names and values."""
