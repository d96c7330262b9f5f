"""Advice: the partition specs that are best for a workload."""
