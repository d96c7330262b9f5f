"""Which partition spec is best for a workload."""
