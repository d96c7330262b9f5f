"""What is known about one statement: its table, its terms, and the table that it leaves."""
