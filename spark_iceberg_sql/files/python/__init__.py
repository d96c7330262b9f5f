"""Python programs: the SQL in them, and calls that are equivalent to SQL."""
