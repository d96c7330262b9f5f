"""The part of `insight` that needs a session: data, Iceberg's planner and Iceberg's writers."""
