"""Models of dbt and SQLMesh, and what their projects say about them."""
