"""What a spec makes of a table: partitions, files, and their bounds."""
