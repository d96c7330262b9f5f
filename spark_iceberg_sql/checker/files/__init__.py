"""Checking a file: its settings, templates, host program, suppressions and the tables known before it."""
