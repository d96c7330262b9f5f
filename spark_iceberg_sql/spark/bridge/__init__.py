"""The only place that touches py4j and pyspark's underscore attributes."""
