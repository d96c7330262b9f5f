"""Table functions over locations and over a table's metadata."""
