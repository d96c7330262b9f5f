"""Sessions: their creation, installation into one, servers, and the SQL functions of dry runs."""
