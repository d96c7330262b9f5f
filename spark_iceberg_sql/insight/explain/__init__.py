"""Explanations: the files that a query reads, and why it does not read fewer."""
