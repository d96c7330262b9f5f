"""How many files, of which size, a partition spec would produce."""
