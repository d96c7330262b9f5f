"""Metadata of tables: `metadata.json`, its files, and catalogs that name it."""
