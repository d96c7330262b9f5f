"""What a query reads, and why not less."""
