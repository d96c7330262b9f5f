"""Tables whose metadata is valid and very large: many columns, partition fields, specs, schemas."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

Metadata = dict[str, Any]


def _column(number: int) -> Metadata:
    return {"id": number, "name": f"c{number}", "required": False, "type": "int"}


def _bucket(field: int, source: int, buckets: int) -> Metadata:
    return {"source-id": source, "field-id": 999 + field, "transform": f"bucket[{buckets}]", "name": f"p{field}"}


def columns(metadata: Metadata, count: int) -> None:
    """Add columns, up to that many."""
    metadata["schemas"][-1]["fields"] += [_column(number) for number in range(3, count + 1)]
    metadata["last-column-id"] = count


def partition_fields(metadata: Metadata, count: int) -> None:
    """Add a default spec of that many fields, and their columns."""
    columns(metadata, count)
    fields = [_bucket(number, number, 4) for number in range(1, count + 1)]
    metadata["partition-specs"].append({"spec-id": 1, "fields": fields})
    metadata |= {"default-spec-id": 1, "last-partition-id": 999 + count}


def specs(metadata: Metadata, count: int) -> None:
    """Add specs, up to that many; the last is the default."""
    metadata["partition-specs"] += [
        {"spec-id": number, "fields": [_bucket(number, 1, number)]} for number in range(1, count)
    ]
    metadata |= {"default-spec-id": count - 1, "last-partition-id": 999 + count}


def schemas(metadata: Metadata, count: int) -> None:
    """Add schemas, up to that many, each with another third column; the last is the current one."""
    first = metadata["schemas"][-1]
    metadata["schemas"] += [
        {**first, "schema-id": number, "fields": [*first["fields"], _column(number + 2)]} for number in range(1, count)
    ]
    metadata |= {"current-schema-id": count - 1, "last-column-id": count + 1}


KINDS: dict[str, Callable[[Metadata, int], None]] = {
    kind.__name__: kind for kind in (columns, partition_fields, specs, schemas)
}


def table(spark: SparkSession, kind: str, count: int) -> Path:
    """Create `local.large.<kind>_<count>`, a table of two rows, (1, 'a') and (2, 'b'); returns its metadata file."""
    name = f"local.large.{kind}_{count}"
    spark.sql(f"CREATE TABLE {name} (id BIGINT, name STRING) USING iceberg")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')")
    warehouse = spark.conf.get("spark.sql.catalog.local.warehouse")
    file = Path(str(warehouse), "large", f"{kind}_{count}", "metadata", "v2.metadata.json")
    metadata = json.loads(file.read_text("utf-8"))
    KINDS[kind](metadata, count)
    file.write_text(json.dumps(metadata), "utf-8")
    (file.parent / f".{file.name}.crc").unlink(missing_ok=True)
    spark.catalog.refreshTable(name)
    return file
