"""The catalog state before each migration of a series, such as Flyway, Liquibase or Alembic files.

In: a migration, with those that it follows. Out: the tables that exist before it: those after the one that it follows,
or, where it follows several branches, those on which all agree.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeVar

from spark_iceberg_sql.checker.digests import digest, digest_if_known
from spark_iceberg_sql.config.configured_files import files_of
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import decode, read_bytes
from spark_iceberg_sql.files.migrations.order import (
    Migration,
    MigrationsByPath,
    last_migrations,
    migrations_in,
    scripts,
)
from spark_iceberg_sql.files.projects.project_readers import is_independent
from spark_iceberg_sql.model.tables import Tables

T = TypeVar("T")

_SUFFIXES = (".sql", ".py")


class MigrationReplay:
    """Finds the series of migrations of a file, and computes the catalog state between them.

    settings: those of the files. initial_catalog: returns the catalog state before the first migration. apply_file:
    applies the statements of a file to a catalog state; raises FileError if it cannot be read.
    """

    def __init__(
        self, settings: Settings, initial_catalog: Callable[[], Tables], apply_file: Callable[[str, Tables], None]
    ) -> None:
        self._settings = settings
        self._initial_catalog = initial_catalog
        self._apply_file = apply_file
        self._series_by_folder: dict[str, _MigrationSeries] = {}
        self._script_series: Mapping[str, _MigrationSeries] | None = None
        self._text_digest = cache(text_digest)

    def migration_at(self, path: str) -> Migration | None:
        """The migration in a file; None if it is not a migration. path: its full path."""
        return self._series_of(path).migrations.get(path)

    def final_catalogs(self, path: str) -> Iterator[tuple[str, Tables]]:
        """The last migrations of the series of a file, and the catalog state after each. Raises FileError."""
        series = self._series_of(path)
        yield from ((end, series.catalog_after(end)) for end in last_migrations(series.migrations))

    def catalog_before(self, migration: Migration) -> Tables:
        """The catalog state before a migration. Raises FileError."""
        return self._series_of(migration.path).catalog_before(migration)

    def dependency_digest(self, migration: Migration) -> str | None:
        """A digest of everything that the catalog state before a migration depends on, except for the initial one.

        None if that is not known. Raises FileError.
        """
        return self._series_of(migration.path).dependency_digest(migration)

    def _series_of(self, path: str) -> _MigrationSeries:
        if not path.lower().endswith(_SUFFIXES):
            return self._new_series({})
        if self._script_series is None:
            self._script_series = self._listed_series()
        if path in self._script_series:
            return self._script_series[path]
        folder = os.path.dirname(path)
        if folder not in self._series_by_folder:
            self._series_by_folder[folder] = self._in_folder(folder)
        return self._series_by_folder[folder]

    def _in_folder(self, folder: str) -> _MigrationSeries:
        """The series of a folder: the same for all folders of one changelog, so that each file is followed once."""
        migrations = migrations_in(folder)
        equal_series = (series for series in self._series_by_folder.values() if series.migrations == migrations)
        return next(equal_series, None) or self._new_series(migrations)

    def _listed_series(self) -> Mapping[str, _MigrationSeries]:
        """The series of the key `scripts`, by the path of each file. Raises FileError for a glob without files."""
        series_by_path: dict[str, _MigrationSeries] = {}
        for pattern in self._settings.scripts:
            files = files_of(self._settings, "scripts", [pattern])
            migrations = scripts([path for path in files if path not in series_by_path])
            series_by_path.update(dict.fromkeys(migrations, self._new_series(migrations)))
        return series_by_path

    def _new_series(self, migrations: MigrationsByPath) -> _MigrationSeries:
        return _MigrationSeries(migrations, self._initial_catalog, self._apply_file, self._text_digest)


class _MigrationSeries:
    """The migrations of one tool, and the catalog state between them.

    A changelog may name files of other folders, which belong to no series there, or to another one: the migrations
    before a migration are always those of its own series.
    """

    def __init__(
        self,
        migrations: MigrationsByPath,
        initial_catalog: Callable[[], Tables],
        apply_file: Callable[[str, Tables], None],
        text_digest_of: Callable[[str], str | None],
    ) -> None:
        self.migrations = migrations
        self._initial_catalog = initial_catalog
        self._apply_file = apply_file
        self._text_digest = text_digest_of
        self._catalogs_after: dict[str, Tables] = {}
        self._digests_after: dict[str, str | None] = {}
        self._unordered_catalogs: dict[str, Tables] = {}

    def catalog_before(self, migration: Migration) -> Tables:
        """The catalog state before a migration. Raises FileError."""
        if migration.order_problem is None:
            catalog = self._catalog_before_unordered(migration)
        else:
            if migration.path not in self._unordered_catalogs:
                self._unordered_catalogs.update(self._catalogs_in_any_order(migration))
            catalog = self._unordered_catalogs[migration.path].copy()
        if migration.follows_unknown_change:
            catalog.unsettle_below(())
        return catalog

    def _catalog_before_unordered(self, migration: Migration) -> Tables:
        """The catalog state before a migration and all those whose order with it is unknown."""
        if not migration.predecessors:
            catalog = self._initial_catalog().copy()
            if not catalog.says_anything:
                catalog.dialects = frozenset()
            return catalog
        first_catalog, *other_catalogs = (self.catalog_after(path) for path in migration.predecessors)
        catalog = first_catalog.copy()
        for other_catalog in other_catalogs:
            catalog.keep_what_agrees(other_catalog)
        return catalog

    def _catalogs_in_any_order(self, migration: Migration) -> dict[str, Tables]:
        """For a migration and each one of unknown order with it: the state whichever of the others have already run.

        Each half of them follows the other half, and so on within each half (divide and conquer), so that files are
        applied n log n times and not n times n: hundreds may have the same version.
        """
        catalogs: dict[str, Tables] = {}
        paths = [other.path for other in self._unordered_with(migration)]
        waiting = [(paths, self._catalog_before_unordered(migration))]
        while waiting:
            paths, catalog = waiting.pop()
            if len(paths) == 1:
                catalogs[paths[0]] = catalog
                continue
            half = len(paths) // 2
            for group_paths, other_paths in ((paths[:half], paths[half:]), (paths[half:], paths[:half])):
                group_catalog = catalog.copy()
                for path in other_paths:  # each may have run already
                    changed_catalog = group_catalog.copy()
                    self._apply_file(path, changed_catalog)
                    group_catalog.keep_what_agrees(changed_catalog)
                waiting.append((group_paths, group_catalog))
        return catalogs

    def _unordered_with(self, migration: Migration) -> list[Migration]:
        """A migration whose position is unknown, and those that may run before it or after it, in their order here."""
        position = migration.predecessors, migration.order_problem
        return [other for other in self.migrations.values() if (other.predecessors, other.order_problem) == position]

    def catalog_after(self, path: str) -> Tables:
        """The catalog state after a migration. Raises FileError."""

        def compute(migration: Migration) -> Tables:
            catalog = self.catalog_before(migration)
            self._apply_file(migration.path, catalog)
            return catalog

        return self._computed_after(path, self._catalogs_after, compute)

    def _computed_after(self, path: str, results: dict[str, T], compute: Callable[[Migration], T]) -> T:
        """The result for a migration, after those for all that run before it. results: those that are computed."""
        waiting = [path]
        while waiting:  # not by recursion: there may be thousands
            migration = self.migrations[waiting[-1]]
            missing = [other for other in migration.predecessors if other not in results]
            waiting += missing
            if not missing:
                waiting.pop()
                if migration.path not in results:
                    results[migration.path] = compute(migration)
        return results[path]

    def dependency_digest(self, migration: Migration) -> str | None:
        """A digest of everything that the catalog state before a migration depends on. Raises FileError."""
        digests = [self._digest_after(path) for path in migration.predecessors]
        unordered = self._unordered_with(migration) if migration.order_problem is not None else []
        digests += [self._text_digest(other.path) for other in unordered if other is not migration]
        return digest_if_known(repr(migration), *digests)

    def _digest_after(self, path: str) -> str | None:
        """A digest of everything that the catalog state after a migration depends on."""

        def compute(migration: Migration) -> str | None:
            return digest_if_known(self.dependency_digest(migration), self._text_digest(migration.path))

        return self._computed_after(path, self._digests_after, compute)


def text_digest(path: str) -> str | None:
    """A digest of a file's text; None if its SQL depends on other files, too. Raises FileError."""
    text, _, _ = decode(read_bytes(path), path)
    return digest(text) if is_independent(path, text) else None
