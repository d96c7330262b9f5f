"""The gate's JVM side: pending statements, parsing as the session does, parameters, warnings at the user's line."""
