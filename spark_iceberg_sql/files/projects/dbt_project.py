"""A dbt project: its resources, and the configuration of each by dbt's order of precedence.

The resource's own file comes first, then its entry in a YAML file, then `dbt_project.yml`, where the innermost folder
wins.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.inside import is_file_inside, is_inside, repository
from spark_iceberg_sql.files.projects.dbt_config import OwnConfig, python_config, sql_config
from spark_iceberg_sql.files.projects.dbt_entries import Entry, Layer, NamedEntry, entries_in
from spark_iceberg_sql.files.projects.dbt_manifest import Manifest, Node
from spark_iceberg_sql.files.projects.dbt_values import KEYS, first, is_templated, of_node
from spark_iceberg_sql.files.projects.tools import YAML
from spark_iceberg_sql.files.yaml_nodes import YamlError

_PROJECT = "dbt_project.yml"
# The kinds of resources, their default folders, and their file extensions.
_FOLDERS = {"models": "models", "snapshots": "snapshots", "seeds": "seeds"}
_OLD_NAMES = {"models": "source-paths", "seeds": "data-paths"}
_ENDINGS = {"models": (".sql", ".py"), "snapshots": (".sql",), "seeds": (".csv",)}
# What is computed from the texts of files: of `dbt_project.yml`, of YAML files, of models.
_OF_PROJECT = ("top", "name", "paths", "files", "resources", "entries", "read_for_all", "manifest")
_OF_YAML = ("files", "entries", "read_for_all")
_OF_MODELS = ("files", "resources")
# Other files that dbt reads for every model.
_GENERAL = ("profiles.yml", "packages.yml", "dependencies.yml", "package-lock.yml")
_NOT_OURS = frozenset({"dbt_packages", "dbt_modules", "target", "node_modules", "venv"})
_SNAPSHOT = re.compile(r"\{%[-+]?\s*snapshot\s+(\w+)")
_RELEVANT = re.compile(r"partition_by|file_format|materialized|enabled|contract|column_types")
# The dbt adapters that run SQL in Spark.
_SPARKS = re.compile(r"spark|databricks|glue", re.IGNORECASE)


class Resource(NamedTuple):
    """A model, snapshot or seed. kind: as dbt_project.yml names it. path: its file, if it has one of its own."""

    kind: str
    name: str
    path: Path | None
    folders: tuple[str, ...] = ()


class Project:
    """A project. root: the folder with its `dbt_project.yml`.

    overlays: unsaved texts of open files, which replace the saved ones.
    """

    def __init__(self, root: Path, opened: Mapping[Path, str] | None = None) -> None:
        self.root = root
        self.file = root / _PROJECT
        self.unsaved: set[Path] = set()
        self._opened = opened if opened is not None else {}
        self._given: Path | None = None
        self._texts: dict[Path, str] = {}
        self._entries: dict[Path, tuple[str, list[NamedEntry]]] = {}
        for path, text in self._opened.items():
            self.says(path, text)

    def text(self, path: Path) -> str:
        """A file's text; empty where it cannot be read."""
        if path not in self._texts:
            self._texts[path] = self._saved(path)
        return self._texts[path]

    def _saved(self, path: Path) -> str:
        with suppress(OSError, UnicodeError):
            if self.owns(path):
                return path.read_bytes().decode("utf-8-sig")
        return ""

    def owns(self, path: Path) -> bool:
        """True if a path leads to a file of the project's repository: no other file is read."""
        return is_file_inside(path, self._tree)

    @cached_property
    def _tree(self) -> Path:
        return repository(self.root) or self.root

    def has(self, path: Path) -> bool:
        """True if the project reads configurations from a file."""
        return path == self.file or self.kind_of(path) is not None

    def says(self, path: Path, text: str | None) -> None:
        """Use a text as the content of a file: unsaved text of an editor, or text with fixes; None: the saved one."""
        saved = self._saved(path)
        if text is None or self._texts.get(path) != text:
            self._texts[path] = text = saved if text is None else text
            (self.unsaved.discard if text == saved else self.unsaved.add)(path)
            yaml = _OF_PROJECT if path == self.file else _OF_YAML
            for fact in yaml if path.suffix in YAML else _OF_MODELS:
                self.__dict__.pop(fact, None)
            if "manifest" in self.__dict__ and self.manifest is not None:
                self.manifest.forget_age()

    def use(self, manifest: Path | None) -> None:
        """Use the manifest that a setting names, if any, instead of the project's own."""
        if manifest != self._given:
            self._given = manifest
            self.__dict__.pop("manifest", None)

    @cached_property
    def top(self) -> Any:
        """The root of `dbt_project.yml`; None if it is not valid YAML."""
        with suppress(YamlError):
            return yaml_nodes.compose(self.text(self.file))
        return None

    @cached_property
    def name(self) -> str:
        """The project's name."""
        return yaml_nodes.text_of(yaml_nodes.items(self.top).get("name")) or ""

    @cached_property
    def paths(self) -> dict[str, tuple[Path, ...]]:
        """The folders of each kind of resource, without those outside of the repository."""
        keys = yaml_nodes.items(self.top)
        found: dict[str, tuple[Path, ...]] = {}
        for kind, folder in _FOLDERS.items():
            node = keys.get(f"{kind[:-1]}-paths") or keys.get(_OLD_NAMES.get(kind, ""))
            named = [yaml_nodes.text_of(each) for each in yaml_nodes.entries(node)]
            folders = [self.root / name for name in named or [folder] if name]
            found[kind] = tuple(each for each in folders if is_inside(each, self._tree))
        return found

    @cached_property
    def files(self) -> dict[Path, str]:
        """The files of resources and their YAML files, with the kind of resource that their folder is for."""
        found: dict[Path, str] = {}
        for kind, folders in self.paths.items():
            for top in folders:
                for folder, inner, names in os.walk(top):
                    inner[:] = sorted(n for n in inner if n not in _NOT_OURS and n[0] != ".")
                    for name in sorted(names):
                        if os.path.splitext(name)[1] in (*_ENDINGS[kind], *YAML):
                            found[Path(folder, name)] = kind
        for path in self._opened:  # it may not be saved yet
            kind_of = self.kind_of(path)
            if kind_of is not None and path.suffix in (*_ENDINGS[kind_of], *YAML):
                found.setdefault(path, kind_of)
        return found

    def kind_of(self, path: Path) -> str | None:
        """The kind of resource that the folder of a file is for; None if the file is in no such folder."""
        for kind, folders in self.paths.items():
            for folder in folders:
                if folder in path.parents and not _NOT_OURS & set(path.relative_to(folder).parts):
                    return kind
        return None

    def resource(self, path: Path) -> Resource | None:
        """The resource that a file defines."""
        kind = self.kind_of(path)
        if kind is None or path.suffix not in _ENDINGS[kind]:
            return None
        name = path.stem
        if kind == "snapshots":
            found = _SNAPSHOT.search(self.text(path))
            name = found[1] if found is not None else name
        folder = next(f for f in self.paths[kind] if f in path.parents)
        return Resource(kind, name, path, path.parent.relative_to(folder).parts)

    @cached_property
    def resources(self) -> dict[tuple[str, str], Resource]:
        """The resources with their own files, by kind and name."""
        every = [self.resource(path) for path in self.files]
        return {(found.kind, found.name): found for found in every if found is not None}

    @cached_property
    def entries(self) -> dict[tuple[str, str], Entry]:
        """The entries in YAML files, by kind and name."""
        found: dict[tuple[str, str], Entry] = {}
        for path in self.files:
            if path.suffix in YAML and _RELEVANT.search(self.text(path)):
                with suppress(YamlError):
                    for key, entry in self.entries_of(path):
                        found.setdefault(key, entry)
        return found

    def entries_of(self, path: Path) -> list[NamedEntry]:
        """The entries of one YAML file, by kind and name. Raises YamlError."""
        text = self.text(path)
        if path not in self._entries or self._entries[path][0] != text:
            self._entries[path] = text, list(entries_in(path, text))
        return self._entries[path][1]

    def own(self, resource: Resource) -> OwnConfig:
        """The configuration in the file of a resource."""
        if resource.path is None or resource.kind == "seeds":
            return OwnConfig({})
        text = self.text(resource.path)
        return python_config(text) if resource.path.suffix == ".py" else sql_config(text)

    def layers(self, resource: Resource) -> list[Layer]:
        """All configurations of a resource, in order of precedence.

        The values that dbt has computed, according to its manifest, come first, each at the position of its template.
        """
        found = self._stated(resource)
        configs = [layer.config for layer in found]
        computed = [
            key
            for key in KEYS
            if (v := first(configs, key)) and v.fields is None and is_templated(v)
        ]
        node = self.node(resource) if computed else None
        if node is None:
            return found
        owners = {key: next(each for each in found if key in each.config) for key in computed}
        values = [
            Layer(owner.file, {key: node.value(key, owner.config[key])})
            for key, owner in owners.items()
        ]
        return [*values, *found]

    def _stated(self, resource: Resource) -> list[Layer]:
        found = []
        if resource.path is not None:
            found.append(Layer(resource.path, self.own(resource).config))
        entry = self.entries.get((resource.kind, resource.name))
        if entry is not None:
            found.append(entry.layer)
        return [*found, *self._general(resource)]

    def _general(self, resource: Resource) -> list[Layer]:
        """The configurations in `dbt_project.yml`, the innermost folder first."""
        text = self.text(self.file)
        node = yaml_nodes.items(self.top).get(resource.kind)
        found: list[Layer] = []
        for part in (self.name, *resource.folders, resource.name, None):
            inside = yaml_nodes.items(node)
            values = {k.removeprefix("+"): v for k, v in inside.items() if k[:1] == "+"}
            plain = {k: v for k, v in inside.items() if k in KEYS and not yaml_nodes.is_mapping(v)}
            config = {k: of_node(v, text) for k, v in {**plain, **values}.items() if k in KEYS}
            found.insert(0, Layer(self.file, config))
            node = inside.get(part) if part is not None else None
        return found

    @cached_property
    def manifest(self) -> Manifest | None:
        """The manifest that dbt wrote last, or that a setting names; None if there is none, or for another engine."""
        folder = yaml_nodes.text_of(yaml_nodes.items(self.top).get("target-path")) or "target"
        path = self._given or self.root / folder / "manifest.json"
        found = Manifest(self, path, given=self._given is not None)
        counts = (
            (self._given or self.owns(path))
            and path.is_file()
            and (found.usable or found.broken is not None)
        )
        return found if counts else None

    def node(self, resource: Resource) -> Node | None:
        """The record of a resource in dbt's manifest; None if there is none that can be used."""
        return self.manifest.node(resource) if self.manifest is not None else None

    def stale(self, resource: Resource) -> str | None:
        """The reason why dbt's manifest is not used for a resource; None if it is used, or if there is none."""
        return self.manifest.stale(resource) if self.manifest is not None else None

    def id_of(self, resource: Resource) -> str:
        """The id that dbt gives a resource."""
        return f"{resource.kind[:-1]}.{self.name}.{resource.name}"

    @staticmethod
    def runs_on_spark(adapter: str) -> bool:
        """True if a dbt adapter runs SQL in Spark."""
        return _SPARKS.search(adapter) is not None

    @cached_property
    def read_for_all(self) -> list[Path]:
        """The files that dbt reads for every model: YAML files, macros."""
        found = [self.file, *(self.root / name for name in _GENERAL)]
        found += [path for path in self.files if path.suffix in YAML]
        named = yaml_nodes.entries(yaml_nodes.items(self.top).get("macro-paths"))
        folders = [yaml_nodes.text_of(each) for each in named] or ["macros"]
        for folder in (self.root / str(name) for name in folders):
            found += sorted(folder.rglob("*.sql")) if is_inside(folder, self._tree) else []
        return found

    @cached_property
    def other_engine(self) -> bool:
        """True if the project's own profile names only adapters for engines other than Spark."""
        with suppress(YamlError):
            profiles = yaml_nodes.items(yaml_nodes.compose(self.text(self.root / "profiles.yml")))
            outputs = [
                yaml_nodes.items(output).get("type")
                for profile in profiles.values()
                for output in yaml_nodes.items(yaml_nodes.items(profile).get("outputs")).values()
            ]
            kinds = [yaml_nodes.text_of(kind) for kind in outputs]
            return bool(kinds) and all(kind and not _SPARKS.search(kind) for kind in kinds)
        return False

    @cached_property
    def newest(self) -> float:
        """The time of the last change of the project's sources, in seconds since 1970."""
        times = [0.0]
        for path in (self.file, *self.files):
            with suppress(OSError):
                times.append(path.stat().st_mtime)
        return max(times)


def makes_iceberg(layers: list[Layer]) -> bool | None:
    """True if a resource with these configurations becomes an Iceberg table; None if a template decides."""
    configs = [layer.config for layer in layers]
    file_format, enabled = first(configs, "file_format"), first(configs, "enabled")
    if file_format is None or file_format.null or (enabled is not None and enabled.flag is False):
        return False
    if is_templated(file_format):
        return None if "iceberg" in file_format.source.lower() else False
    return (file_format.text or "").strip().lower() == "iceberg"
