"""Results of a cell: rows, pages and pictures."""
