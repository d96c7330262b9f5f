"""SQL in programs in Scala and Java."""
