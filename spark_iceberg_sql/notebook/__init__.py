"""SQL in notebooks: the magic `%%iceberg_sql`, its results, pictures and errors, and completion."""
