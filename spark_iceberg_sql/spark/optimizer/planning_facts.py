"""What the optimizer rules of this JVM have read of tables' metadata, and how much of it they keep."""

from __future__ import annotations

from spark_iceberg_sql.spark.bridge.jvm import class_cache, compiler


def metadata_read() -> tuple[int, int]:
    """How many manifests the rules have opened themselves, and how many data files they have looked at in them."""
    facts = compiler.relation_facts()
    if facts is None:
        return 0, 0
    manifests, files = facts.metadataRead()
    return int(manifests), int(files)


def bytes_kept() -> tuple[int, int]:
    """The bytes that the rules keep between queries, as estimated, and the most that they may keep."""
    facts = compiler.relation_facts()
    if facts is None:
        return 0, 0
    size, limit = facts.bytesKept()
    return int(size), int(limit)


def manifest_checks_kept() -> tuple[int, int]:
    """Of how many tables the user's cache has manifests that were checked, and the bytes of these files."""
    folder = class_cache.private_folder("manifests")
    try:
        sizes = [file.stat().st_size for file in folder.iterdir()] if folder is not None else []
    except OSError:  # another session has just replaced one
        return 0, 0
    return len(sizes), sum(sizes)
