"""The columns of dbt's models and seeds, from contracts, `catalog.json` and the first lines of seeds."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from contextlib import suppress

from spark_iceberg_sql.files.projects.dbt_entries import Layer
from spark_iceberg_sql.files.projects.dbt_project import Project
from spark_iceberg_sql.files.projects.dbt_resources import Resource
from spark_iceberg_sql.files.projects.dbt_values import ConfigValue, first_value
from spark_iceberg_sql.files.python.tables.dataframe_schemas import PLAIN_TYPE

Columns = list[tuple[str, str | None]]


def columns_of(resource: Resource, layers: list[Layer], project: Project) -> Columns | None:
    """The columns of a resource, with their types where these are certain; None if the columns are not.

    They come from an enforced contract, also one in dbt's manifest, from a `catalog.json` newer than the project, or
    from the first line of a seed.
    """
    configs = [layer.config for layer in layers]
    if resource.kind == "seeds":
        return _seed_columns(resource, first_value(configs, "column_types"), project)
    if resource.kind == "models":
        contract = first_value(configs, "contract")
        enforced_value = (contract.fields or {}).get("enforced") if contract is not None else None
        entry = project.entries.get((resource.kind, resource.name))
        if enforced_value is not None and enforced_value.flag and entry is not None and entry.columns:
            return list(entry.columns)
        node = project.node(resource)
        if node is not None and node.columns is not None:
            return list(node.columns)
    return _catalog_columns(resource, project)


def _seed_columns(resource: Resource, types: ConfigValue | None, project: Project) -> Columns | None:
    if resource.path is None:
        return None
    rows = csv.reader(project.text(resource.path).splitlines()[:1])
    names = next(rows, [])
    if len(names) < 2 and "delimiter" in project.text(project.file):
        return None
    types_by_name = {name: value.text for name, value in (types.fields or {}).items()} if types else {}
    return [(name.strip(), types_by_name.get(name.strip())) for name in names] or None


def _catalog_columns(resource: Resource, project: Project) -> Columns | None:
    path = project.root / "target" / "catalog.json"
    with suppress(OSError, ValueError, AttributeError, TypeError, RecursionError):
        if not project.contains(path) or path.stat().st_mtime <= project.newest:
            return None
        nodes = json.loads(path.read_bytes())["nodes"]
        node = nodes.get(project.id_of(resource))
        if node is not None:
            columns = sorted(node["columns"].values(), key=lambda column: column["index"])
            return [(str(column["name"]), str(column["type"])) for column in columns] or None
    return None


def columns_query(columns: Iterable[tuple[str, str | None]]) -> str:
    """A query with these columns; a type that is not a primitive type of Spark stays unknown."""
    expressions = []
    for name, data_type in columns:
        quoted = name.strip("`").replace("`", "``")
        value = f"CAST(NULL AS {data_type})" if data_type and PLAIN_TYPE.fullmatch(data_type.strip()) else "f()"
        expressions.append(f"{value} AS `{quoted}`")
    return "SELECT " + ", ".join(expressions)
