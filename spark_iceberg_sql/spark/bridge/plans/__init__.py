"""Query plans: expressions, scans, filters, relations, and what an executed query read."""
