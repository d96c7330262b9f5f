"""The Spark half: native functions, table functions, optimizer rules, sessions."""
