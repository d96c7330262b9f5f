"""Everything that needs Spark: native functions, table functions, optimizer rules, sessions."""
