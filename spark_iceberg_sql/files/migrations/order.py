"""The order in which migration tools run files.

In: a folder. Out: its migrations by path, each with its direct predecessors, or the reason why its order is unknown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record, replace

# Flyway: V1_2__text.sql, the same with U (undo) and B (baseline); R__text.sql runs last, ordered by its text.
_FLYWAY = regex(r"([VUB])(\d+(?:[._]\d+)*)__.*\.sql")
_REPEATABLE = regex(r"R__(.*)\.sql")
# The markers of both directions: dbmate, goose, sql-migrate.
_UP_DOWN = regex(r"^--[ \t]*(migrate:|\+goose[ \t]+|\+migrate[ \t]+)(up|down)\b", re.IGNORECASE | re.MULTILINE)
_NUMBERED = regex(r"(\d+)[_-]?.*?(?:\.(up|down))?\.sql", re.IGNORECASE)
# Liquibase.
_FORMATTED = regex(r"\A\ufeff?\s*--[ \t]*liquibase[ \t]+formatted[ \t]+sql\b", re.IGNORECASE)
_NUMBER = regex(r"\d+")
_SAME_VERSION = "have the same version: it is unknown which one runs first"
_SAME_NUMBER = "have the same number: it is unknown which one runs first"
_HEADS = "neither this revision nor another has a successor: it is unknown which one runs last"
_MAX_BYTES = 2_000_000  # bytes of a file that are searched for markers


@record(frozen=True, slots=True)
class Migration:
    """A migration. path: its full path. predecessors: those that run directly before it; empty for the first.

    can_be_followed: False for undo migrations, after which no other runs. order_problem: the reason why its position is
    unknown; None if it is known. follows_unknown_change: a change that may affect any table runs before it.
    """

    path: str
    predecessors: tuple[str, ...] = ()
    can_be_followed: bool = True
    order_problem: str | None = None
    follows_unknown_change: bool = False


MigrationsByPath = Mapping[str, Migration]


def downgrade_offset(text: str) -> int | None:
    """The offset of the part of a migration that reverts it; None if there is none."""
    markers = [(marker.start(), marker[2].lower()) for marker in _UP_DOWN.finditer(text)]
    return markers[1][0] if [word for _, word in markers] == ["up", "down"] else None


def scripts(files: Sequence[str]) -> MigrationsByPath:
    """Files in the order of the numbers in their names. files: full paths."""
    return _chain([(_natural_key(path), path) for path in files], _SAME_NUMBER)


def migrations_in(folder: str) -> MigrationsByPath:
    """The migrations in a folder, by path; empty if no tool is recognized. folder: a full path."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError:
        return {}
    readers = (_flyway, _numbered, _alembic, _liquibase)
    return next(filter(None, (reader(folder, names) for reader in readers)), {})


def _flyway(folder: str, names: Sequence[str]) -> MigrationsByPath:
    matches = [(m, os.path.join(folder, m[0])) for m in map(_FLYWAY.fullmatch, names) if m]
    versions = [(_version(m[2]), path) for m, path in matches if m[1] == "V"]
    migrations = dict(_chain(versions, _SAME_VERSION))
    by_version: dict[tuple[object, ...], tuple[str, ...]] = {}
    for version, path in versions:
        by_version[version] = (*by_version.get(version, ()), path)
    for match, path in matches:
        if match[1] == "B":
            migrations[path] = Migration(path, can_be_followed=False)
        elif match[1] == "U":
            reverted_paths = by_version.get(_version(match[2]), ())
            order_problem = None if reverted_paths else f"no migration has version {match[2]}"
            migrations[path] = Migration(path, reverted_paths, can_be_followed=False, order_problem=order_problem)
    repeated = [(m[1], os.path.join(folder, m[0])) for m in map(_REPEATABLE.fullmatch, names) if m]
    predecessors = last_migrations(migrations)
    for _, path in sorted(repeated):
        migrations[path] = Migration(path, predecessors)
        predecessors = (path,)
    return migrations


def _version(text: str) -> tuple[object, ...]:
    """A version's numbers; 1.0 is 1."""
    numbers = [int(number) for number in re.split(r"[._-]", text)]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _numbered(folder: str, names: Sequence[str]) -> MigrationsByPath:
    """dbmate, goose and sql-migrate (both directions in one file), and golang-migrate (one file for each)."""
    keyed_paths: list[tuple[tuple[object, ...], str]] = []
    downgrades: list[tuple[int, str]] = []
    for match in filter(None, map(_NUMBERED.fullmatch, names)):
        path = os.path.join(folder, match[0])
        marker = None if match[2] else _UP_DOWN.search(_read_text(path))
        if match[2] is not None and match[2].lower() == "down":
            downgrades.append((int(match[1]), path))
        elif match[2] is not None or marker is not None:
            by_name = marker is not None and marker[1] == "migrate:"  # dbmate compares names as strings
            keyed_paths.append(((f"{match[1]}_",) if by_name else ("", int(match[1])), path))
    migrations = dict(_chain(keyed_paths, _SAME_VERSION))
    for number, path in downgrades:
        reverted_paths = tuple(p for key, p in keyed_paths if key == ("", number))
        migrations[path] = Migration(path, reverted_paths, can_be_followed=False)
    return migrations


def _alembic(folder: str, names: Sequence[str]) -> MigrationsByPath:
    """Revisions, each after the one that it names."""
    from spark_iceberg_sql.files.migrations.alembic import ALEMBIC_REVISION, revisions

    parent_folder = Path(folder).parent
    if not any((parent_folder / name).exists() for name in ("env.py", "script.py.mako")):
        return {}
    paths = [os.path.join(folder, name) for name in names if name.endswith(".py")]
    entries = [(path, *revisions(text)) for path in paths if ALEMBIC_REVISION.search(text := _read_text(path))]
    paths_by_revision: dict[str, tuple[str, ...]] = {}
    for path, revision, _ in entries:
        paths_by_revision[revision] = (*paths_by_revision.get(revision, ()), path)
    migrations = {}
    for path, revision, down_revisions in entries:
        predecessors = tuple(other for name in down_revisions for other in paths_by_revision.get(name, ()))
        missing = [name for name in down_revisions if name not in paths_by_revision]
        order_problem = None
        if missing:
            order_problem = f"no file here has the revision {missing[0]}, which it follows"
        elif len(paths_by_revision[revision]) > 1:
            order_problem = f"several files have the revision {revision}"
        migrations[path] = Migration(
            path, predecessors, order_problem=order_problem, follows_unknown_change=bool(missing)
        )
    if _is_circular(migrations):
        return {}
    heads = last_migrations(migrations)
    for path in heads if len(heads) > 1 else ():
        if migrations[path].order_problem is None:
            migrations[path] = replace(migrations[path], order_problem=_HEADS)
    return migrations


def _is_circular(migrations: MigrationsByPath) -> bool:
    ordered_paths: set[str] = set()
    remaining = set(migrations)
    # Topological sort (Kahn): each round takes the migrations whose predecessors are done. A cycle never gets ready.
    while ready := {path for path in remaining if ordered_paths.issuperset(migrations[path].predecessors)}:
        ordered_paths |= ready
        remaining -= ready
    return bool(remaining)


def _liquibase(folder: str, names: Sequence[str]) -> MigrationsByPath:
    """Formatted SQL, in the order of the changelog that includes it."""
    sql = [os.path.join(folder, name) for name in names if name.endswith(".sql")]
    if not any(_FORMATTED.match(_read_text(path, 400)) for path in sql):
        return {}
    from spark_iceberg_sql.files.migrations.liquibase import changelog

    migrations: dict[str, Migration] = {}
    predecessors: tuple[str, ...] = ()
    follows_unknown_change = False
    for path in changelog(Path(folder), sql) or ():
        if path is None:
            follows_unknown_change = True
        elif path not in migrations:
            migrations[path] = Migration(path, predecessors, follows_unknown_change=follows_unknown_change)
            predecessors, follows_unknown_change = (path,), False
    return migrations


def _chain(keyed_paths: Iterable[tuple[tuple[object, ...], str]], problem_text: str) -> MigrationsByPath:
    """Files in the order of their keys. problem_text: the message for files with the same key."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for key, path in sorted(keyed_paths):
        groups.setdefault(key, []).append(path)
    migrations, predecessors = {}, tuple[str, ...]()
    for paths in groups.values():
        names = " and ".join(f"`{os.path.basename(path)}`" for path in paths)
        order_problem = f"{names} {problem_text}" if len(paths) > 1 else None
        for path in paths:
            migrations[path] = Migration(path, predecessors, order_problem=order_problem)
        predecessors = tuple(paths)
    return migrations


def _natural_key(path: str) -> tuple[object, ...]:
    """The numbers in a name, or the name where it begins with none."""
    name = os.path.basename(path)
    numbers = re.match(r"[A-Za-z]?(\d+(?:[.-]\d+)*)", name)
    if numbers is not None:
        return (0, _version(numbers[1]), "")
    return (1, (), _NUMBER.sub(lambda match: match[0].zfill(20), name))


def last_migrations(migrations: MigrationsByPath) -> tuple[str, ...]:
    """The migrations after which no other runs."""
    followed = {
        path for migration in migrations.values() for path in migration.predecessors if migration.can_be_followed
    }
    return tuple(p for p, migration in migrations.items() if migration.can_be_followed and p not in followed)


def _read_text(path: str, limit: int = _MAX_BYTES) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(limit).decode(errors="replace")
    except OSError:
        return ""
