"""The files that settings name.

Settings that come with a repository must not make the checker read other files of this machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from spark_iceberg_sql.config.settings import COMMAND_LINE, Settings
from spark_iceberg_sql.errors import ConfigError
from spark_iceberg_sql.files.discovery import find_files
from spark_iceberg_sql.files.repository_paths import is_file_inside, is_inside

_REMEDIES = {"dbt-manifest": "copy it there"}


def require_inside(settings: Settings, file: Path) -> None:
    """Raise ConfigError if a settings file names files outside its repository, or without one outside its folder.

    Of a glob, this is about the part before its first wildcard: the files that match are not searched for yet.
    """
    tree = _tree(settings.root)
    paths = [("metadata", path) for path in settings.metadata.values()]
    paths += [("dbt-manifest", path) for path in (settings.dbt_manifest,) if path is not None]
    for key, path in paths:
        _require_path(key, str(file), str(path), path, tree)
    for key, globs in (("ddl", settings.ddl), ("scripts", settings.scripts)):
        for glob in globs:
            full_glob = settings.root / glob
            _require_path(key, str(file), str(full_glob), _without_wildcards(full_glob), tree)


def files_of(settings: Settings, key: str, globs: Iterable[str]) -> list[str]:
    """The files that globs of a key match, in order, as full paths.

    Raises FileError if there are none, ConfigError if a settings file's lead out of the repository.
    """
    patterns = [str(settings.root.absolute() / glob) for glob in globs]
    source, tree = settings.source(key), _tree(settings.root)

    def admit(path: str) -> None:
        if source not in ("default", COMMAND_LINE):
            _require_path(key, source, path, Path(path), tree)

    return list(find_files(patterns, lambda path: False, admit=admit))


def _require_path(key: str, source: str, name: str, path: Path, root: Path) -> None:
    """Raise ConfigError for a path that leads out of a folder, or to something that is no file."""
    display_name = repr(name)[1:-1] if "\0" in name else name
    remedy = _REMEDIES.get(key, f"name it on the command line, with --{key}")
    if "\0" in name:
        raise ConfigError(f"`{key}` in `{source}` names `{display_name}`: a path cannot contain a NUL character")
    if not is_inside(path, root):
        raise ConfigError(f"`{key}` in `{source}` names `{display_name}`, which is outside `{root}`: {remedy}")
    if os.path.exists(path) and not os.path.isdir(path) and not is_file_inside(path, root):
        raise ConfigError(f"`{key}` in `{source}` names `{display_name}`, which is not a regular file")


def _tree(root: Path) -> Path:
    """The repository of a settings file's folder; without one, the folder."""
    return next((folder for folder in (root, *root.parents) if os.path.exists(folder / ".git")), root).resolve()


def _without_wildcards(glob: Path) -> Path:
    """The folder that all matches of a glob are in; a path without wildcards as it is."""
    wildcard_index = next((index for index, part in enumerate(glob.parts) if set(part) & set("*?[{")), None)
    return Path(*glob.parts[:wildcard_index])
