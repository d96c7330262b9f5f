"""The gate: what a session does with a statement before and after Spark runs it."""
