"""Checking: the engine, fixes, suppressions, plans, and files under their settings."""
