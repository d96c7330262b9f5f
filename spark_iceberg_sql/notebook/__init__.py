"""SQL first in a notebook: the magic `%%iceberg_sql`, its results, pictures and errors, and completion."""
