"""Advice for several tables together."""
