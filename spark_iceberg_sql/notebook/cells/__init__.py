"""A cell: its options, parameters and statements, and how they run."""
