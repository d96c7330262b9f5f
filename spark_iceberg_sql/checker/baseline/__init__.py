"""Accepted findings: baselines and merge bases, so that only new findings are reported."""
