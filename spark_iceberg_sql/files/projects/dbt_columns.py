"""The columns of dbt's models and seeds, from contracts, `catalog.json` and the first lines of seeds."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from contextlib import suppress

from spark_iceberg_sql.files.projects.dbt_entries import Layer
from spark_iceberg_sql.files.projects.dbt_project import Project, Resource
from spark_iceberg_sql.files.projects.dbt_values import Value, first
from spark_iceberg_sql.files.python.frames import PLAIN_TYPE

Columns = list[tuple[str, str | None]]


def columns_of(resource: Resource, layers: list[Layer], project: Project) -> Columns | None:
    """The columns of a resource, with their types where these are certain; None if the columns are not.

    They come from an enforced contract, also one in dbt's manifest, from a `catalog.json` newer than the project, or
    from the first line of a seed.
    """
    configs = [layer.config for layer in layers]
    if resource.kind == "seeds":
        return _of_seed(resource, first(configs, "column_types"), project)
    if resource.kind == "models":
        contract = first(configs, "contract")
        enforced = (contract.fields or {}).get("enforced") if contract is not None else None
        entry = project.entries.get((resource.kind, resource.name))
        if enforced is not None and enforced.flag and entry is not None and entry.columns:
            return list(entry.columns)
        node = project.node(resource)
        if node is not None and node.columns is not None:
            return list(node.columns)
    return _of_catalog(resource, project)


def _of_seed(resource: Resource, types: Value | None, project: Project) -> Columns | None:
    if resource.path is None:
        return None
    rows = csv.reader(project.text(resource.path).splitlines()[:1])
    names = next(rows, [])
    if len(names) < 2 and "delimiter" in project.text(project.file):
        return None
    given = {name: value.text for name, value in (types.fields or {}).items()} if types else {}
    return [(name.strip(), given.get(name.strip())) for name in names] or None


def _of_catalog(resource: Resource, project: Project) -> Columns | None:
    path = project.root / "target" / "catalog.json"
    with suppress(OSError, ValueError, AttributeError, TypeError, RecursionError):
        if not project.owns(path) or path.stat().st_mtime <= project.newest:
            return None
        nodes = json.loads(path.read_bytes())["nodes"]
        node = nodes.get(project.id_of(resource))
        if node is not None:
            columns = sorted(node["columns"].values(), key=lambda column: column["index"])
            return [(str(column["name"]), str(column["type"])) for column in columns] or None
    return None


def query_of(columns: Iterable[tuple[str, str | None]]) -> str:
    """A query with these columns; a type that is not a primitive type of Spark stays unknown."""
    found = []
    for name, kind in columns:
        quoted = name.strip("`").replace("`", "``")
        value = f"CAST(NULL AS {kind})" if kind and PLAIN_TYPE.fullmatch(kind.strip()) else "f()"
        found.append(f"{value} AS `{quoted}`")
    return "SELECT " + ", ".join(found)
