"""From files to SQL: which files there are, how they are read, and where the SQL stands in them."""
