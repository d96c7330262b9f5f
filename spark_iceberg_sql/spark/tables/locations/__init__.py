"""Locations: which table a path means, what may be opened, where a table is written."""
