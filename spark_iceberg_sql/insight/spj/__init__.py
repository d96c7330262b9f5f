"""Storage-partitioned joins: which joins of a query are, and why the others are not."""
