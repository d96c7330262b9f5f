"""The resources of a dbt project, and what a manifest needs to know of the project that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol


class Resource(NamedTuple):
    """A model, snapshot or seed. kind: as dbt_project.yml names it. path: its file, if it has one of its own."""

    kind: str
    name: str
    path: Path | None
    folders: tuple[str, ...] = ()


class ProjectFiles(Protocol):
    """A project, as its manifest sees it. root: the folder with `dbt_project.yml`. unsaved: files open in an editor."""

    root: Path
    unsaved: set[Path]

    @property
    def name(self) -> str:
        """The project's name."""

    @property
    def resources(self) -> Mapping[tuple[str, str], Resource]:
        """The resources by kind and name."""

    @property
    def read_for_all(self) -> list[Path]:
        """The files that configure all models."""

    def text(self, path: Path) -> str:
        """A file's text; empty where it cannot be read."""

    def id_of(self, resource: Resource) -> str:
        """The id of a resource in the manifest."""

    def runs_on_spark(self, adapter: str) -> bool:
        """True for an adapter of Spark or Databricks."""
