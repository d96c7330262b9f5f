"""Iceberg tables in the JVM: catalog entries, metadata, tables in memory, commits."""
