"""Python programs: where SQL stands in them, and calls that are equivalent to SQL."""
