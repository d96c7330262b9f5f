"""Models of dbt and SQLMesh, with the configuration of their projects."""
