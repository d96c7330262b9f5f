"""The repository of a path: the files that its own files may name, and where its links may lead.

In: paths. Out: the repository's folder, or whether a path leads into it after all links are resolved.
"""

from __future__ import annotations

import os
from pathlib import Path

SETTINGS_FILE = ".iceberg-sql.toml"
_MARKERS = (".git", SETTINGS_FILE, "pyproject.toml")


def repository(folder: Path) -> Path | None:
    """The repository of a folder: the nearest one above with `.git`, or else with settings, or else the working one.

    None if it is in none of these.
    """
    absolute_folder = folder.absolute()
    for marker in _MARKERS:
        for above in (absolute_folder, *absolute_folder.parents):
            if os.path.exists(above / marker):
                return above
    try:
        current_folder = Path.cwd()
    except OSError:  # it has been deleted
        return None
    return current_folder if is_inside(folder, current_folder) else None


def is_inside(path: str | Path, tree: Path) -> bool:
    """True if a path, which may not exist, leads into a folder after all links are resolved."""
    try:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(tree))
    except (OSError, ValueError):  # a name that is too long, or with a NUL character
        return False


def is_file_inside(path: str | Path, tree: Path) -> bool:
    """True if a path leads to a regular file in a folder; False for devices and pipes, which may never end."""
    return is_inside(path, tree) and os.path.isfile(path)


def escaping_link(path: Path) -> tuple[Path, Path] | None:
    """The first link in a path that leads out of the repository that the link is in, and that repository.

    Links that are in no repository, such as /tmp on macOS, are the user's.
    """
    absolute_path = path.absolute()
    for component in (*reversed(absolute_path.parents), absolute_path):
        if component.is_symlink():
            tree = repository(Path(os.path.realpath(component.parent)))
            if tree is not None and not is_inside(component, tree):
                return component, tree
    return None
