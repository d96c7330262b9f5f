"""The catalog state before each migration of a series, such as Flyway, Liquibase or Alembic files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from spark_iceberg_sql.checker.digests import digest
from spark_iceberg_sql.config.named_files import files_of
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import decode, read_bytes
from spark_iceberg_sql.files.migrations.order import Step, Steps, last, scripts, steps_of
from spark_iceberg_sql.files.projects.tools import stands_alone
from spark_iceberg_sql.model.tables import Tables

_SUFFIXES = (".sql", ".py")


class Migrations:
    """Finds the series of migrations of a file, and computes the catalog state between them.

    settings: those of the files. initial_catalog: returns the catalog state before the first migration. apply_file:
    applies the statements of a file to a catalog state; raises FileError if it cannot be read.
    """

    def __init__(
        self,
        settings: Settings,
        base: Callable[[], Tables],
        follow: Callable[[str, Tables], None],
    ) -> None:
        self._settings = settings
        self._base = base
        self._follow = follow
        self._folders: dict[str, _Series] = {}
        self._scripts: Mapping[str, _Series] | None = None
        self._texts: dict[str, str | None] = {}

    def of(self, path: str) -> Step | None:
        """The migration in a file; None if it is not a migration. path: its full path."""
        return self._series(path).steps.get(path)

    def ends(self, path: str) -> list[tuple[str, Tables]]:
        """The last migrations of the series of a file, and the catalog state after each. Raises FileError."""
        series = self._series(path)
        return [(end, series.after(end)) for end in last(series.steps)]

    def before(self, step: Step) -> Tables:
        """The catalog state before a migration. Raises FileError."""
        return self._series(step.path).before(step)

    def basis(self, step: Step) -> str | None:
        """A digest of everything that the catalog state before a migration depends on, except for the initial one.

        None if that is not known. Raises FileError.
        """
        return self._series(step.path).basis(step)

    def _series(self, path: str) -> _Series:
        if not path.lower().endswith(_SUFFIXES):
            return self._of({})
        if self._scripts is None:
            self._scripts = self._listed()
        if path in self._scripts:
            return self._scripts[path]
        folder = os.path.dirname(path)
        if folder not in self._folders:
            self._folders[folder] = self._in_folder(folder)
        return self._folders[folder]

    def _in_folder(self, folder: str) -> _Series:
        """The series of a folder: the same for all folders of one changelog, so that each file is followed once."""
        steps = steps_of(folder)
        alike = (series for series in self._folders.values() if series.steps == steps)
        return next(alike, None) or self._of(steps)

    def _listed(self) -> Mapping[str, _Series]:
        """The series of the key `scripts`, by the path of each file. Raises FileError for a glob without files."""
        listed: dict[str, _Series] = {}
        for pattern in self._settings.scripts:
            files = files_of(self._settings, "scripts", [pattern])
            steps = scripts([path for path in files if path not in listed])
            listed.update(dict.fromkeys(steps, self._of(steps)))
        return listed

    def _of(self, steps: Steps) -> _Series:
        return _Series(steps, self._base, self._follow, self._text)

    def _text(self, path: str) -> str | None:
        if path not in self._texts:
            self._texts[path] = text_digest(path)
        return self._texts[path]


class _Series:
    """The migrations of one tool, and the catalog state between them.

    A changelog may name files of other folders, which belong to no series there, or to another one: the migrations
    before a migration are always those of its own series.
    """

    def __init__(
        self,
        steps: Steps,
        base: Callable[[], Tables],
        follow: Callable[[str, Tables], None],
        text: Callable[[str], str | None],
    ) -> None:
        self.steps = steps
        self._base = base
        self._follow = follow
        self._text = text
        self._after: dict[str, Tables] = {}
        self._marks: dict[str, str | None] = {}
        self._unordered: dict[str, Tables] = {}

    def before(self, step: Step) -> Tables:
        """The catalog state before a migration. Raises FileError."""
        if step.unsure is None:
            known = self._before_beside(step)
        else:
            if step.path not in self._unordered:
                self._unordered.update(self._without_each(step))
            known = self._unordered[step.path].copy()
        if step.anything:
            known.unsettle_below(())
        return known

    def _before_beside(self, step: Step) -> Tables:
        """The catalog state before a migration and all those whose order with it is unknown."""
        if not step.after:
            return self._base().copy()
        first, *others = (self.after(path) for path in step.after)
        known = first.copy()
        for other in others:
            known.keep_what_agrees(other)
        return known

    def _without_each(self, step: Step) -> dict[str, Tables]:
        """For a migration and each one of unknown order with it: the state whichever of the others have already run.

        Each half of them follows the other half, and so on within each half (divide and conquer), so that files are
        applied
        n log n times and not n times n: hundreds may have the same version.
        """
        found: dict[str, Tables] = {}
        paths = [other.path for other in self._unordered_with(step)]
        waiting = [(paths, self._before_beside(step))]
        while waiting:
            paths, known = waiting.pop()
            if len(paths) == 1:
                found[paths[0]] = known
                continue
            half = len(paths) // 2
            for some, others in ((paths[:half], paths[half:]), (paths[half:], paths[:half])):
                state = known.copy()
                for path in others:  # each may have run already
                    changed = state.copy()
                    self._follow(path, changed)
                    state.keep_what_agrees(changed)
                waiting.append((some, state))
        return found

    def _unordered_with(self, step: Step) -> list[Step]:
        """A migration whose position is unknown, and those that may run before it or after it, in their order here."""
        place = step.after, step.unsure
        return [other for other in self.steps.values() if (other.after, other.unsure) == place]

    def _beside(self, step: Step) -> list[Step]:
        """The migrations that may run before this one or after it."""
        if step.unsure is None:
            return []
        return [other for other in self._unordered_with(step) if other is not step]

    def after(self, path: str) -> Tables:
        """The catalog state after a migration. Raises FileError."""
        waiting = [path]
        while waiting:  # not by recursion: there may be thousands
            step = self.steps[waiting[-1]]
            missing = [other for other in step.after if other not in self._after]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if step.path not in self._after:
                known = self.before(step)
                self._follow(step.path, known)
                self._after[step.path] = known
        return self._after[path]

    def basis(self, step: Step) -> str | None:
        """A digest of everything that the catalog state before a migration depends on. Raises FileError."""
        words = [self._mark(path) for path in step.after]
        words += [self._text(other.path) for other in self._beside(step)]
        sure = [word for word in words if word is not None]
        return digest(repr(step), *sure) if len(sure) == len(words) else None

    def _mark(self, path: str) -> str | None:
        """A digest of everything that the catalog state after a migration depends on."""
        waiting = [path]
        while waiting:
            step = self.steps[waiting[-1]]
            missing = [other for other in step.after if other not in self._marks]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if step.path not in self._marks:
                before, text = self.basis(step), self._text(step.path)
                sure = before is not None and text is not None
                self._marks[step.path] = digest(before or "", text or "") if sure else None
        return self._marks[path]


def text_digest(path: str) -> str | None:
    """A digest of a file's text; None if its SQL depends on other files, too. Raises FileError."""
    text, _, _ = decode(read_bytes(path), path)
    return digest(text) if stands_alone(path, text) else None
