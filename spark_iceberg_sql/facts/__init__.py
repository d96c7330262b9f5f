"""What is known about one statement: its table, its terms, and the table after it."""
