"""Whether a join is storage-partitioned, and why not."""
