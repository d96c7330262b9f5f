"""Entries for models, snapshots and seeds in the YAML files of a dbt project.

In: the text of a YAML file. Out: configuration and columns of each entry, by kind and name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.projects.dbt_values import KEYS, Config, value_of_node

KINDS = ("models", "snapshots", "seeds")


class Layer(NamedTuple):
    """The configuration of a resource in one file. config: by key."""

    file: Path
    config: Config


class ResourceEntry(NamedTuple):
    """The entry of a resource in a YAML file: its config, and its columns with their types."""

    layer: Layer
    columns: tuple[tuple[str, str | None], ...]


NamedEntry = tuple[tuple[str, str], ResourceEntry]


def entries_in(path: Path, text: str) -> Iterator[NamedEntry]:
    """The entries of a YAML file, by kind and name. text: the file's. Raises YamlError."""
    keys = yaml_nodes.items(yaml_nodes.compose(text))
    for kind in KINDS:
        for node in yaml_nodes.entries(keys.get(kind)):
            fields = yaml_nodes.items(node)
            name = yaml_nodes.text_of(fields.get("name"))
            if name is None:
                continue
            config = yaml_nodes.items(fields.get("config"))
            values = {k: value_of_node(v, text) for k, v in config.items() if k in KEYS}
            yield (kind, name), ResourceEntry(Layer(path, values), tuple(_columns(fields.get("columns"))))


def _columns(node: Any) -> Iterator[tuple[str, str | None]]:
    for column in yaml_nodes.entries(node):
        fields = yaml_nodes.items(column)
        name = yaml_nodes.text_of(fields.get("name"))
        if name is not None:
            yield name, yaml_nodes.text_of(fields.get("data_type"))
