"""Notebooks: their cells as one text, and the way back to a cell."""
