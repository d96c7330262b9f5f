"""Partition DDL in the syntax of other engines, both ways."""
