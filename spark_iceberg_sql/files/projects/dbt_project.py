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
from typing import Any

from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.projects.dbt_config import OwnConfig, python_config, sql_config
from spark_iceberg_sql.files.projects.dbt_entries import Layer, NamedEntry, ResourceEntry, entries_in
from spark_iceberg_sql.files.projects.dbt_manifest import Manifest, ManifestNode
from spark_iceberg_sql.files.projects.dbt_resources import Resource
from spark_iceberg_sql.files.projects.dbt_values import KEYS, first_value, is_templated, value_of_node
from spark_iceberg_sql.files.repository_paths import is_file_inside, is_inside, repository
from spark_iceberg_sql.files.yaml_nodes import YAML_SUFFIXES, YamlError

_PROJECT_FILE = "dbt_project.yml"
# The kinds of resources, their default folders, and their file extensions.
_FOLDERS = {"models": "models", "snapshots": "snapshots", "seeds": "seeds"}
_OLD_NAMES = {"models": "source-paths", "seeds": "data-paths"}
_SUFFIXES = {"models": (".sql", ".py"), "snapshots": (".sql",), "seeds": (".csv",)}
# What is computed from the texts of files: of `dbt_project.yml`, of YAML files, of models.
_PROJECT_FACTS = ("top", "name", "paths", "files", "resources", "entries", "read_for_all", "manifest")
_YAML_FACTS = ("files", "entries", "read_for_all")
_MODEL_FACTS = ("files", "resources")
# Other files that dbt reads for every model.
_GENERAL_FILES = ("profiles.yml", "packages.yml", "dependencies.yml", "package-lock.yml")
_FOREIGN_FOLDERS = frozenset({"dbt_packages", "dbt_modules", "target", "node_modules", "venv"})
_SNAPSHOT = re.compile(r"\{%[-+]?\s*snapshot\s+(\w+)")
_RELEVANT = re.compile(r"partition_by|clustered_by|buckets|file_format|materialized|enabled|contract|column_types")
# The dbt adapters that run SQL in Spark.
_SPARK_ADAPTERS = re.compile(r"spark|databricks|glue", re.IGNORECASE)


class Project:
    """A project. root: the folder with its `dbt_project.yml`.

    overlays: unsaved texts of open files, which replace the saved ones.
    """

    def __init__(self, root: Path, overlays: Mapping[Path, str] | None = None) -> None:
        self.root = root
        self.file = root / _PROJECT_FILE
        self.unsaved: set[Path] = set()
        self._overlays = overlays if overlays is not None else {}
        self._manifest_path: Path | None = None
        self._texts: dict[Path, str] = {}
        self._entries: dict[Path, tuple[str, list[NamedEntry]]] = {}
        for path, text in self._overlays.items():
            self.set_overlay(path, text)

    def text(self, path: Path) -> str:
        """A file's text; empty where it cannot be read."""
        if path not in self._texts:
            self._texts[path] = self._saved_text(path)
        return self._texts[path]

    def _saved_text(self, path: Path) -> str:
        with suppress(OSError, UnicodeError):
            if self.contains(path):
                return path.read_bytes().decode("utf-8-sig")
        return ""

    def contains(self, path: Path) -> bool:
        """True if a path leads to a file of the project's repository: no other file is read."""
        return is_file_inside(path, self._tree)

    @cached_property
    def _tree(self) -> Path:
        return repository(self.root) or self.root

    def reads_file(self, path: Path) -> bool:
        """True if the project reads configurations from a file."""
        return path == self.file or self.kind_of(path) is not None

    def set_overlay(self, path: Path, text: str | None) -> None:
        """Use a text as the content of a file: unsaved text of an editor, or text with fixes; None: the saved one."""
        saved_text = self._saved_text(path)
        if text is None or self._texts.get(path) != text:
            self._texts[path] = text = saved_text if text is None else text
            (self.unsaved.discard if text == saved_text else self.unsaved.add)(path)
            yaml_facts = _PROJECT_FACTS if path == self.file else _YAML_FACTS
            for fact in yaml_facts if path.suffix in YAML_SUFFIXES else _MODEL_FACTS:
                self.__dict__.pop(fact, None)
            if "manifest" in self.__dict__ and self.manifest is not None:
                self.manifest.forget_age()

    def use_manifest(self, manifest: Path | None) -> None:
        """Use the manifest that a setting names, if any, instead of the project's own."""
        if manifest != self._manifest_path:
            self._manifest_path = manifest
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
        folders_by_kind: dict[str, tuple[Path, ...]] = {}
        for kind, folder in _FOLDERS.items():
            node = keys.get(f"{kind[:-1]}-paths") or keys.get(_OLD_NAMES.get(kind, ""))
            names = [yaml_nodes.text_of(item) for item in yaml_nodes.entries(node)]
            folders = [self.root / name for name in names or [folder] if name]
            folders_by_kind[kind] = tuple(item for item in folders if is_inside(item, self._tree))
        return folders_by_kind

    @cached_property
    def files(self) -> dict[Path, str]:
        """The files of resources and their YAML files, with the kind of resource that their folder is for."""
        kinds_by_file: dict[Path, str] = {}
        for kind, folders in self.paths.items():
            for top in folders:
                for folder, inner, names in os.walk(top):
                    inner[:] = sorted(n for n in inner if n not in _FOREIGN_FOLDERS and n[0] != ".")
                    for name in sorted(names):
                        if os.path.splitext(name)[1] in (*_SUFFIXES[kind], *YAML_SUFFIXES):
                            kinds_by_file[Path(folder, name)] = kind
        for path in self._overlays:  # it may not be saved yet
            file_kind = self.kind_of(path)
            if file_kind is not None and path.suffix in (*_SUFFIXES[file_kind], *YAML_SUFFIXES):
                kinds_by_file.setdefault(path, file_kind)
        return kinds_by_file

    def kind_of(self, path: Path) -> str | None:
        """The kind of resource that the folder of a file is for; None if the file is in no such folder."""
        kinds = (
            kind
            for kind, folders in self.paths.items()
            for folder in folders
            if folder in path.parents and not _FOREIGN_FOLDERS & set(path.relative_to(folder).parts)
        )
        return next(kinds, None)

    def resource(self, path: Path) -> Resource | None:
        """The resource that a file defines."""
        kind = self.kind_of(path)
        if kind is None or path.suffix not in _SUFFIXES[kind]:
            return None
        name = path.stem
        if kind == "snapshots" and (match := _SNAPSHOT.search(self.text(path))) is not None:
            name = match[1]
        folder = next(f for f in self.paths[kind] if f in path.parents)
        return Resource(kind, name, path, path.parent.relative_to(folder).parts)

    @cached_property
    def resources(self) -> dict[tuple[str, str], Resource]:
        """The resources with their own files, by kind and name."""
        all_resources = [self.resource(path) for path in self.files]
        return {(resource.kind, resource.name): resource for resource in all_resources if resource is not None}

    @cached_property
    def entries(self) -> dict[tuple[str, str], ResourceEntry]:
        """The entries in YAML_SUFFIXES files, by kind and name."""
        entries: dict[tuple[str, str], ResourceEntry] = {}
        for path in self.files:
            if path.suffix in YAML_SUFFIXES and _RELEVANT.search(self.text(path)):
                with suppress(YamlError):
                    for key, entry in self.entries_of(path):
                        entries.setdefault(key, entry)
        return entries

    def entries_of(self, path: Path) -> list[NamedEntry]:
        """The entries of one YAML file, by kind and name. Raises YamlError."""
        text = self.text(path)
        if path not in self._entries or self._entries[path][0] != text:
            self._entries[path] = text, list(entries_in(path, text))
        return self._entries[path][1]

    def own_config(self, resource: Resource) -> OwnConfig:
        """The configuration in the file of a resource."""
        if resource.path is None or resource.kind == "seeds":
            return OwnConfig({})
        text = self.text(resource.path)
        return python_config(text) if resource.path.suffix == ".py" else sql_config(text)

    def layers(self, resource: Resource) -> list[Layer]:
        """All configurations of a resource, in order of precedence.

        The values that dbt has computed, according to its manifest, come first, each at the position of its template.
        """
        stated_layers = self._stated_layers(resource)
        configs = [layer.config for layer in stated_layers]
        computed = [key for key in KEYS if (v := first_value(configs, key)) and v.fields is None and is_templated(v)]
        node = self.node(resource) if computed else None
        if node is None:
            return stated_layers
        owners = {key: next(candidate for candidate in stated_layers if key in candidate.config) for key in computed}
        values = [Layer(owner.file, {key: node.value(key, owner.config[key])}) for key, owner in owners.items()]
        return [*values, *stated_layers]

    def _stated_layers(self, resource: Resource) -> list[Layer]:
        layers = []
        if resource.path is not None:
            layers.append(Layer(resource.path, self.own_config(resource).config))
        entry = self.entries.get((resource.kind, resource.name))
        if entry is not None:
            layers.append(entry.layer)
        return [*layers, *self._project_layers(resource)]

    def _project_layers(self, resource: Resource) -> list[Layer]:
        """The configurations in `dbt_project.yml`, the innermost folder first."""
        text = self.text(self.file)
        node = yaml_nodes.items(self.top).get(resource.kind)
        layers: list[Layer] = []
        for key in (self.name, *resource.folders, resource.name, None):
            fields = yaml_nodes.items(node)
            values = {k.removeprefix("+"): v for k, v in fields.items() if k[:1] == "+"}
            plain_fields = {k: v for k, v in fields.items() if k in KEYS and not yaml_nodes.is_mapping(v)}
            config = {k: value_of_node(v, text) for k, v in {**plain_fields, **values}.items() if k in KEYS}
            layers.insert(0, Layer(self.file, config))
            node = fields.get(key) if key is not None else None
        return layers

    @cached_property
    def manifest(self) -> Manifest | None:
        """The manifest that dbt wrote last, or that a setting names; None if there is none, or for another engine."""
        folder = yaml_nodes.text_of(yaml_nodes.items(self.top).get("target-path")) or "target"
        path = self._manifest_path or self.root / folder / "manifest.json"
        manifest = Manifest(self, path, is_explicit=self._manifest_path is not None)
        is_usable = (
            (self._manifest_path or self.contains(path))
            and path.is_file()
            and (manifest.is_usable or manifest.problem is not None)
        )
        return manifest if is_usable else None

    def node(self, resource: Resource) -> ManifestNode | None:
        """The record of a resource in dbt's manifest; None if there is none that can be used."""
        return self.manifest.node(resource) if self.manifest is not None else None

    def stale_reason(self, resource: Resource) -> str | None:
        """The reason why dbt's manifest is not used for a resource; None if it is used, or if there is none."""
        return self.manifest.stale_reason(resource) if self.manifest is not None else None

    def id_of(self, resource: Resource) -> str:
        """The id that dbt gives a resource."""
        return f"{resource.kind[:-1]}.{self.name}.{resource.name}"

    @staticmethod
    def runs_on_spark(adapter: str) -> bool:
        """True if a dbt adapter runs SQL in Spark."""
        return _SPARK_ADAPTERS.search(adapter) is not None

    @cached_property
    def read_for_all(self) -> list[Path]:
        """The files that dbt reads for every model: YAML files, macros."""
        paths = [self.file, *(self.root / name for name in _GENERAL_FILES)]
        paths += [path for path in self.files if path.suffix in YAML_SUFFIXES]
        macro_paths = yaml_nodes.entries(yaml_nodes.items(self.top).get("macro-paths"))
        folders = [yaml_nodes.text_of(node) for node in macro_paths] or ["macros"]
        for folder in (self.root / str(name) for name in folders):
            paths += sorted(folder.rglob("*.sql")) if is_inside(folder, self._tree) else []
        return paths

    @cached_property
    def uses_other_engine(self) -> bool:
        """True if the project's own profile names only adapters for engines other than Spark."""
        with suppress(YamlError):
            profiles = yaml_nodes.items(yaml_nodes.compose(self.text(self.root / "profiles.yml")))
            kinds = [
                yaml_nodes.text_of(yaml_nodes.items(output).get("type"))
                for profile in profiles.values()
                for output in yaml_nodes.items(yaml_nodes.items(profile).get("outputs")).values()
            ]
            return bool(kinds) and all(kind and not _SPARK_ADAPTERS.search(kind) for kind in kinds)
        return False

    @cached_property
    def newest(self) -> float:
        """The time of the last change of the project's sources, in seconds since 1970."""
        times = [0.0]
        for path in (self.file, *self.files):
            with suppress(OSError):
                times.append(path.stat().st_mtime)
        return max(times)


def creates_iceberg_table(layers: list[Layer]) -> bool | None:
    """True if a resource with these configurations becomes an Iceberg table; None if a template decides."""
    configs = [layer.config for layer in layers]
    file_format, enabled = first_value(configs, "file_format"), first_value(configs, "enabled")
    if file_format is None or file_format.is_null or (enabled is not None and enabled.flag is False):
        return False
    if is_templated(file_format):
        return None if "iceberg" in file_format.source_text.lower() else False
    return (file_format.text or "").strip().lower() == "iceberg"
