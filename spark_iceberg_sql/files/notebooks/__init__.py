"""Notebooks: the SQL in their cells, and positions in the notebook's file."""
