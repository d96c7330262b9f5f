"""A catalog to look at: its tables with their sizes, and one table with its columns, specs and snapshots."""
