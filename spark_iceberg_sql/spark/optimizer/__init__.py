"""Optimizer rules: Java source, compiled on first use and injected into a session."""
