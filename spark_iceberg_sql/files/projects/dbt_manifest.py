"""dbt's `target/manifest.json`: the configuration of each model after rendering, its table's name, its compiled SQL.

It counts only where the project's files are still those that dbt has read: a model's text is compared, YAML files and
macros must not be newer.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from spark_iceberg_sql.files.projects.dbt_resources import ProjectFiles, Resource
from spark_iceberg_sql.files.projects.dbt_values import KEYS, Config, ConfigValue, computed_value
from spark_iceberg_sql.files.source_map import Offsets

HELP = "run `dbt compile`"
# A relation as dbt names it in SQL.
_RELATION = re.compile(r"(?:`[^`;]+`|\w+)(?:\.(?:`[^`;]+`|\w+)){0,2}")
_MAX_UPSTREAM = 300


class ManifestNode(NamedTuple):
    """The record of a model, snapshot or seed in dbt's manifest.

    id: dbt's. file: relative to the project. relation: its table's name as in SQL; None if it has none. raw,
    compiled: its text, if it is recorded, and the query that this becomes, if dbt has compiled it. columns:
    those of an enforced contract. upstream: the ids of the nodes that it reads.
    """

    id: str
    file: str
    relation: str | None
    config: dict[str, Any]
    raw: str | None
    compiled: str | None
    columns: tuple[tuple[str, str | None], ...] | None
    upstream: tuple[str, ...]

    def values(self, keys: Iterable[str], span: Offsets) -> Config:
        """Its configuration, with one position for all values. keys: the requested ones."""
        return {key: computed_value(self.config.get(key), span) for key in keys}

    def value(self, key: str, stated_value: ConfigValue) -> ConfigValue:
        """The value of a key, at the place where a file states it."""
        return computed_value(self.config.get(key), stated_value.span)


class Manifest:
    """The manifest of a project. path: of `manifest.json`. is_explicit: a setting names it."""

    def __init__(self, project: ProjectFiles, path: Path, *, is_explicit: bool) -> None:
        self._project = project
        self._path = path
        self._is_explicit = is_explicit

    @cached_property
    def name(self) -> str:
        """The path, as a message shows it."""
        with suppress(ValueError):
            return self._path.relative_to(self._project.root).as_posix()
        return str(self._path)

    @cached_property
    def _content(self) -> dict[str, Any]:
        with suppress(OSError, ValueError, RecursionError):
            content = json.loads(self._path.read_bytes())
            if isinstance(content, dict) and isinstance(content.get("metadata"), dict):
                return content
        return {}

    @cached_property
    def is_usable(self) -> bool:
        """True if it can be read, belongs to this project, and was written for Spark."""
        metadata = self._content.get("metadata", {})
        project_name = metadata.get("project_name")
        runs_on_spark = self._project.runs_on_spark(str(metadata.get("adapter_type")))
        return runs_on_spark and project_name in (None, self._project.name)

    @cached_property
    def problem(self) -> str | None:
        """The reason why it cannot be read; None if it can. The reason continues a sentence: `because ...`."""
        if not self._content:
            return f"`{self.name}` cannot be read as a manifest of dbt"
        if not isinstance(self._content["metadata"].get("adapter_type"), str):
            return f"`{self.name}` does not name its adapter"
        return None

    @cached_property
    def nodes(self) -> dict[str, ManifestNode]:
        """The project's resources, by dbt's id; disabled ones are among them."""
        nodes_by_id: dict[str, ManifestNode] = {}
        disabled = self._content.get("disabled")
        groups = disabled.values() if isinstance(disabled, dict) else ()
        nodes = self._content.get("nodes")
        entries = [entry for group in groups for entry in (group if isinstance(group, list) else ())]
        entries += nodes.values() if isinstance(nodes, dict) else ()
        for entry in entries:
            with suppress(AttributeError, KeyError, TypeError, ValueError):
                node = _node(entry)
                nodes_by_id[node.id] = node
        return nodes_by_id

    def stale_reason(self, resource: Resource) -> str | None:
        """The reason why the record of a resource cannot be used; None if it can.

        The reason continues a sentence: `because ...`.
        """
        if self.problem is not None:
            return self.problem
        if not self._is_explicit and self._newer is not None:
            return f"`{self.name}` is older than `{self._newer}`"
        node = self._recorded_node(resource)
        if node is None:
            return f"`{self.name}` does not contain `{resource.name}`"
        if resource.kind == "seeds":
            return None
        if not node.raw:
            return f"`{self.name}` does not contain the text of `{resource.name}`"
        current_text = self._project.text(resource.path) if resource.path is not None else node.raw
        if _normalized_text(current_text) != _normalized_text(node.raw):
            return f"the model has changed since dbt wrote `{self.name}`"
        return None

    @cached_property
    def _newer(self) -> str | None:
        """A file that dbt reads for every model, and that is newer."""
        write_time = 0.0
        with suppress(OSError):
            write_time = self._path.stat().st_mtime
        with suppress(KeyError, TypeError, ValueError, OverflowError):
            # The file's own time may be that of a copy or a checkout, later than dbt's run.
            generated_at = str(self._content.get("metadata", {})["generated_at"])
            write_time = min(write_time, datetime.fromisoformat(generated_at.replace("Z", "+00:00")).timestamp())
        for path in self._project.read_for_all:
            if path in self._project.unsaved:
                return self._display_path(path)
            with suppress(OSError):
                if path.stat().st_mtime > write_time:
                    return self._display_path(path)
        return None

    def forget_age(self) -> None:
        """Compare the manifest's age again: a file of the project has changed."""
        self.__dict__.pop("_newer", None)

    def _display_path(self, path: Path) -> str:
        return Path(os.path.relpath(path, self._project.root)).as_posix()

    def node(self, resource: Resource) -> ManifestNode | None:
        """The record of a resource; None if it cannot be used."""
        is_current = self.is_usable and self.stale_reason(resource) is None
        return self._recorded_node(resource) if is_current else None

    def _recorded_node(self, resource: Resource) -> ManifestNode | None:
        """A model by its file: one with versions has more than its name in its id."""
        if resource.kind == "models" and resource.path is not None:
            return self._nodes_by_file.get(self._display_path(resource.path))
        return self.nodes.get(self._project.id_of(resource))

    @cached_property
    def _nodes_by_file(self) -> dict[str, ManifestNode]:
        models = f"model.{self._project.name}."
        return {node.file: node for node in self.nodes.values() if node.id.startswith(models)}

    def upstream(self, resources: Iterable[Resource]) -> Iterator[tuple[Resource, ManifestNode]]:
        """The models and seeds that some resources read, directly or not, each after those that it reads itself."""
        recorded_resources = [
            (self._recorded_node(candidate), candidate) for candidate in self._project.resources.values()
        ]
        by_id = {node.id: candidate for node, candidate in recorded_resources if node is not None}
        visited: set[str] = set()
        roots = [node for node in map(self.node, resources) if node is not None]
        stack = [(name, False) for node in roots for name in node.upstream]
        while stack and len(visited) < _MAX_UPSTREAM:
            name, ready = stack.pop()
            resource = by_id.get(name)
            node = self.node(resource) if resource is not None else None
            if resource is None or node is None:
                continue
            if ready:
                yield resource, node
            elif name not in visited:
                visited.add(name)
                # A post-order walk without recursion: the node is yielded when it is popped again, after those that it
                # reads.
                stack.append((name, True))
                stack += [(other, False) for other in node.upstream]


def _node(entry: dict[str, Any]) -> ManifestNode:
    config = {key: value for key, value in entry["config"].items() if key in KEYS}
    # Until version 6 of the manifest, the texts had other names.
    raw, compiled = (entry.get(f"{form}_code", entry.get(f"{form}_sql")) for form in ("raw", "compiled"))
    relation = entry.get("relation_name")
    contract = entry.get("contract") or {}
    listed_columns = entry["columns"].values() if contract.get("enforced") is True else ()
    is_relation_name = isinstance(relation, str) and _RELATION.fullmatch(relation) is not None
    if not isinstance(compiled, str) or entry.get("language", "sql") != "sql":
        compiled = None
    return ManifestNode(
        str(entry["unique_id"]),
        str(entry["original_file_path"]).replace("\\", "/"),
        relation if is_relation_name else None,
        config,
        raw if isinstance(raw, str) else None,
        compiled if compiled and compiled.strip() else None,
        tuple((str(column["name"]), column.get("data_type")) for column in listed_columns) or None,
        tuple(map(str, (entry.get("depends_on") or {}).get("nodes", ()))),
    )


def _normalized_text(text: str) -> str:
    """A file's text as dbt stores it, with the line ends of any system."""
    return text.lstrip("\ufeff").strip().replace("\r\n", "\n").replace("\r", "\n")
