"""Previews: the files that a partition spec would produce, and their sizes."""
