"""From files to SQL: the files to check, their text units, and the positions of SQL in them."""
