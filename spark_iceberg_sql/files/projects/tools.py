"""Files of dbt and SQLMesh projects that define partitioning, and the readers for them.

In: a file's name and text. Out: its SourceFile with the statement that the tool will run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from spark_iceberg_sql.files.source import Source, Unread
from spark_iceberg_sql.files.source_map import Piece
from spark_iceberg_sql.records import replace

if TYPE_CHECKING:
    from spark_iceberg_sql.files.projects.dbt_project import Project

YAML = frozenset({".yml", ".yaml"})
_PACKAGES = frozenset({"dbt_packages", "dbt_modules"})
_SQLMESH = "partitioned_by"  # in any case


class Projects:
    """The dbt projects of the files of a check, each read once.

    overlays: unsaved texts of open files, which replace the saved ones.
    """

    def __init__(self, opened: Mapping[Path, str] | None = None) -> None:
        self._opened = dict(opened or {})
        self._roots: dict[Path, Project | None] = {}

    def of(self, path: Path) -> Project | None:
        """The project of a file; None if it belongs to none."""
        folder = path.parent
        if folder not in self._roots:
            if _PACKAGES & set(folder.parts) or folder == folder.parent:
                self._roots[folder] = None  # for a package, the project that uses it decides
            elif (folder / "dbt_project.yml").is_file():
                from spark_iceberg_sql.files.projects.dbt_project import Project

                self._roots[folder] = Project(folder, self._opened)
            else:
                self._roots[folder] = self.of(folder)
        return self._roots[folder]

    def says(self, path: Path, text: str | None) -> None:
        """Use a text as the content of an open file. text: None if the file is not open any more."""
        if text is None:
            self._opened.pop(path, None)
        else:
            self._opened[path] = text
        project = self.of(path)
        if project is not None:
            project.says(path, text)


def is_stated_in(path: str, projects: Projects) -> bool:
    """True if a YAML file may configure the models of a dbt project."""
    full = Path(os.path.abspath(path))
    project = projects.of(full)
    return project is not None and project.has(full)


def stands_alone(name: str, text: str) -> bool:
    """True if the SQL in a file depends only on its name and text, and on no other file."""
    suffix = os.path.splitext(name)[1]
    if name == "-" or suffix not in (".sql", ".py", *YAML):
        return True
    return suffix not in YAML and "partition_by" not in text and _SQLMESH not in text.lower()


def statements_before(name: str, text: str, projects: Projects) -> list[str]:
    """CREATE statements for the tables that a file's models read, from dbt's records. text: the file's."""
    path = Path(os.path.abspath(name))
    project = projects.of(path) if not stands_alone(name, text) else None
    if project is None or not project.has(path):
        return []
    from spark_iceberg_sql.files.projects.dbt import statements_before

    return list(statements_before(path, project))


def with_models(
    own: Source, text: str, projects: Projects, manifest: Path | None = None
) -> Source | None:
    """A file with the clause of its model's configuration; None if there is none.

    source_file: the file without it. text: its content. manifest: dbt's `manifest.json`, if a setting names
    it.
    """
    if stands_alone(own.name, text):
        return None
    path = Path(os.path.abspath(own.name))
    if path.suffix in YAML or "partition_by" in text:
        project = projects.of(path)
        if project is not None and project.has(path):
            project.use(manifest)
            from spark_iceberg_sql.files.projects.dbt import model_statements, yaml_statements

            reader = yaml_statements if path.suffix in YAML else model_statements
            bare = replace(own, unread=()) if path.suffix in YAML else own
            return _with(bare, text, reader(path, text, project))
    if _SQLMESH in text.lower() and path.suffix not in YAML:
        from spark_iceberg_sql.files.projects.sqlmesh import sqlmesh_python, sqlmesh_sql

        return _with(
            own, text, (sqlmesh_python if path.suffix == ".py" else sqlmesh_sql)(path, text)
        )
    return None


def _with(own: Source, text: str, every: Iterable[Piece | Unread]) -> Source:
    """A file with the results of a reader, one of which may replace the whole text."""
    found = list(every)
    pieces = [each for each in found if isinstance(each, Piece)]
    unread = [each for each in found if isinstance(each, Unread)]
    if not any(piece.ends[-1] == len(text) for piece in pieces):
        pieces = [*own.pieces, *pieces]
    return replace(
        own,
        pieces=tuple(pieces),
        unread=(*own.unread, *unread),
        spark=own.spark or bool(found),
    )
