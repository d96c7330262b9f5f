"""The SQL functions named after the partition transforms."""
