"""Files of dbt and SQLMesh projects that define partitioning, and the readers for them.

In: a file's name and text. Out: its SourceFile with the statement that the tool will run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from spark_iceberg_sql.files.source import ExtractionProblem, SourceFile
from spark_iceberg_sql.files.source_map import SqlFragment
from spark_iceberg_sql.files.yaml_nodes import YAML_SUFFIXES
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import replace

if TYPE_CHECKING:
    from spark_iceberg_sql.files.projects.dbt_project import Project

_PACKAGES = frozenset({"dbt_packages", "dbt_modules"})
_LAYOUT_KEYS = regex(r"partition_by|clustered_by")  # of dbt
_SQLMESH = "partitioned_by"  # in any case


class Projects:
    """The dbt projects of the files of a check, each read once.

    overlays: unsaved texts of open files, which replace the saved ones.
    """

    def __init__(self, overlays: Mapping[Path, str] | None = None) -> None:
        self._overlays = dict(overlays or {})
        self._roots: dict[Path, Project | None] = {}

    def project_of(self, path: Path) -> Project | None:
        """The project of a file; None if it belongs to none."""
        folder = path.parent
        if folder not in self._roots:
            if _PACKAGES & set(folder.parts) or folder == folder.parent:
                self._roots[folder] = None  # for a package, the project that uses it decides
            elif (folder / "dbt_project.yml").is_file():
                from spark_iceberg_sql.files.projects.dbt_project import Project

                self._roots[folder] = Project(folder, self._overlays)
            else:
                self._roots[folder] = self.project_of(folder)
        return self._roots[folder]

    def set_overlay(self, path: Path, text: str | None) -> None:
        """Use a text as the content of an open file. text: None if the file is not open any more."""
        if text is None:
            self._overlays.pop(path, None)
        else:
            self._overlays[path] = text
        if (project := self.project_of(path)) is not None:
            project.set_overlay(path, text)


def configures_models(path: str, projects: Projects) -> bool:
    """True if a YAML file may configure the models of a dbt project."""
    full = Path(os.path.abspath(path))
    project = projects.project_of(full)
    return project is not None and project.reads_file(full)


def is_independent(name: str, text: str) -> bool:
    """True if the SQL in a file depends only on its name and text, and on no other file."""
    suffix = os.path.splitext(name)[1]
    if suffix in YAML_SUFFIXES or _LAYOUT_KEYS.search(text) is not None or _SQLMESH in text.lower():
        return name == "-" or suffix not in (".sql", ".py", *YAML_SUFFIXES)
    return True


def upstream_statements(name: str, text: str, projects: Projects) -> list[str]:
    """CREATE statements for the tables that a file's models read, from dbt's records. text: the file's."""
    path = Path(os.path.abspath(name))
    project = projects.project_of(path) if not is_independent(name, text) else None
    if project is None or not project.reads_file(path):
        return []
    from spark_iceberg_sql.files.projects.dbt import upstream_statements

    return list(upstream_statements(path, project))


def with_models(
    source_file: SourceFile, text: str, projects: Projects, manifest: Path | None = None
) -> SourceFile | None:
    """A file with the clause of its model's configuration; None if there is none.

    source_file: the file without it. text: its content. manifest: dbt's `manifest.json`, if a setting names it.
    """
    if is_independent(source_file.name, text):
        return None
    path = Path(os.path.abspath(source_file.name))
    if path.suffix in YAML_SUFFIXES or _LAYOUT_KEYS.search(text) is not None:
        project = projects.project_of(path)
        if project is not None and project.reads_file(path):
            project.use_manifest(manifest)
            from spark_iceberg_sql.files.projects.dbt import model_statements, yaml_statements

            reader = yaml_statements if path.suffix in YAML_SUFFIXES else model_statements
            base_source = replace(source_file, problems=()) if path.suffix in YAML_SUFFIXES else source_file
            return _with_results(base_source, text, reader(path, text, project))
    if _SQLMESH in text.lower() and path.suffix not in YAML_SUFFIXES:
        from spark_iceberg_sql.files.projects.sqlmesh import sqlmesh_python, sqlmesh_sql

        return _with_results(source_file, text, (sqlmesh_python if path.suffix == ".py" else sqlmesh_sql)(path, text))
    return None


def _with_results(source_file: SourceFile, text: str, results: Iterable[SqlFragment | ExtractionProblem]) -> SourceFile:
    """A file with the results of a reader, one of which may replace the whole text."""
    result_list = list(results)
    fragments = [result for result in result_list if isinstance(result, SqlFragment)]
    problems = [result for result in result_list if isinstance(result, ExtractionProblem)]
    if not any(fragment.ends[-1] == len(text) for fragment in fragments):
        fragments = [*source_file.fragments, *fragments]
    return replace(
        source_file,
        fragments=tuple(fragments),
        problems=(*source_file.problems, *problems),
        uses_spark=source_file.uses_spark or bool(result_list),
    )
