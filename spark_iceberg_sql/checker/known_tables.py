"""The catalog state before a file: from settings, DDL files, and the migrations that run before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.checker.digests import digest
from spark_iceberg_sql.checker.engine import follow
from spark_iceberg_sql.checker.file_scripts import scripts_of
from spark_iceberg_sql.checker.migrations import Migrations, text_digest
from spark_iceberg_sql.config.named_files import files_of
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import decode, read_bytes, source
from spark_iceberg_sql.files.filled_in import with_placeholders
from spark_iceberg_sql.files.templates import barest, choices, template_spans
from spark_iceberg_sql.model.table import Table, parts
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import replace

if TYPE_CHECKING:
    from spark_iceberg_sql.model.catalogs import Catalogs


class Series:
    """The catalog state after each of the DDL files that settings name, loaded on demand.

    catalogs: returns those that tables are looked up in.
    """

    def __init__(self, settings: Settings, catalogs: Callable[[], Catalogs]) -> None:
        self.settings = settings
        self._files = ddl_files(settings)
        self._numbers = {path: number for number, path in enumerate(self._files)}
        self._known = [_known(settings, catalogs)]
        self._bases: list[str | None] = []
        self.migrations = Migrations(settings, self._all, self._follow)

    def before(self, path: str) -> Tables:
        """The catalog state before a file: after all DDL files, or, for one of them, after those before it."""
        step = self.migrations.of(path) if path not in self._numbers else None
        if step is not None:
            return self.migrations.before(step)
        return self._up_to(self._numbers.get(path, len(self._files)))

    def basis(self, path: str) -> str | None:
        """A digest of everything that the findings in a file depend on, except for its own name and text.

        None if that is not known: with a catalog, whose tables may change at any time, and with files whose SQL
        depends on other files. Raises IcebergSqlError.
        """
        number = self._numbers.get(path, len(self._files))
        while len(self._bases) <= number:
            self._bases.append(self._next_basis())
        base, step = self._bases[number], self.migrations.of(path)
        order = self.migrations.basis(step) if step is not None else ""
        return digest(base, order) if base is not None and order is not None else None

    def _next_basis(self) -> str | None:
        """The digest after one more DDL file."""
        if not self._bases:
            known = self._known[0]
            state = repr(sorted(vars(known).items()))
            return digest(repr(self.settings), state) if type(known) is Tables else None
        before, path = self._bases[-1], self._files[len(self._bases) - 1]
        text = text_digest(path)
        return digest(before, path, text) if before is not None and text is not None else None

    def after(self, path: str) -> list[tuple[str, tuple[Table, ...]]]:
        """The tables at the end of a file, or of its series of migrations."""
        step = self.migrations.of(path)
        if step is not None:
            ends = self.migrations.ends(path) if step.leads_on else ()
            return [(end, tables.known) for end, tables in ends]
        known = self.before(path).copy()
        self._follow(path, known)
        return [(path, known.known)]

    def _follow(self, path: str, known: Tables) -> None:
        _follow_file(path, known, self.settings, first_choice=False)

    def _all(self) -> Tables:
        return self._up_to(len(self._files))

    def _up_to(self, wanted: int) -> Tables:
        """The catalog state after the first `count` DDL files."""
        while len(self._known) <= wanted:
            known = self._known[-1].copy()
            path = self._files[len(self._known) - 1]
            _follow_file(path, known, self.settings, first_choice=True)
            self._known.append(known)
        return self._known[wanted]


def ddl_files(settings: Settings) -> list[str]:
    """The files that match the key `ddl`, in order, as full paths. Raises FileError if there are none."""
    return files_of(settings, "ddl", settings.ddl)


def _known(settings: Settings, catalogs: Callable[[], Catalogs]) -> Tables:
    words: dict[str, Any] = {
        "namespace": parts(settings.default_namespace) if settings.default_namespace else (),
        "case_sensitive": settings.case_sensitive,
    }
    if settings.default_catalog is not None:
        words["catalog"] = settings.default_catalog
    if settings.catalog is None:
        tables = Tables(**words)
    elif settings.catalog_is_withheld:
        from spark_iceberg_sql.model.catalogs import WithheldTables  # the command starts sooner

        tables = WithheldTables(settings.catalog, settings.why_withheld, **words)
    else:
        tables = catalogs().tables(settings.catalog, settings.catalog_timeout, **words)
    if not settings.metadata:
        return tables
    from spark_iceberg_sql.model.offline import with_metadata

    return with_metadata(tables, settings.metadata)


def _follow_file(path: str, known: Tables, settings: Settings, *, first_choice: bool) -> None:
    """Apply the effects of a file's statements, except for the downgrade part of a migration.

    is_first_variant: the first variant of each template is assumed; otherwise, tables that depend on a template, or
    on a condition of the program, are unknown afterwards.
    """
    text, _, _ = decode(read_bytes(path), path)
    found = source(path, text, callables=settings.callables)
    placeholders = settings.placeholders
    for script in scripts_of(replace(found, pieces=found.pieces[: found.forward])):
        for piece in script.pieces:
            if piece.made is None:
                known.unsettle_below(())
            known.unsettle(*(known.full_name(parts(name)) for name in piece.made or ()))
            first, *others = choices(with_placeholders(piece, placeholders))
            others.append(barest(with_placeholders(piece, placeholders)))
            unsure = [known.copy()] if piece.arms and not first_choice else []
            for other in () if first_choice else others:
                if other.sql != first.sql:
                    unsure.append(known.copy())
                    follow(other.sql, unsure[-1])
            follow(first.sql, known)
            if not first_choice and (first.holes or any(template_spans(piece.sql))):
                known.filled_in = True
            for state in unsure:
                known.keep_what_agrees(state)
