"""The part of `insight` that needs a session: the data, Iceberg's planner and Iceberg's writers."""
