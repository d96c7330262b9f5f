"""Checking many files: worker processes, and results kept between runs."""
