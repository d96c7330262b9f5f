"""Semantic analysis of one statement: its table, its terms, and the table after it."""
