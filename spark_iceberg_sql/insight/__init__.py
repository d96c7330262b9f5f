"""Dry runs: what a partition spec would do to a table and to its queries."""
