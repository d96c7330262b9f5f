"""The catalog state before a file: from settings, DDL files, and the migrations that run before it.

In: the path of a file. Out: the tables that exist before its first statement, and a digest of all that they depend on.
Each DDL file is applied once, in the order that the settings give, to a copy of the state after the one before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.checker.digests import digest, digest_if_known
from spark_iceberg_sql.checker.engine import check_and_apply
from spark_iceberg_sql.checker.files.file_scripts import scripts_of
from spark_iceberg_sql.checker.files.migration_replay import MigrationReplay, text_digest
from spark_iceberg_sql.config.configured_files import files_of
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.files.discovery import decode, extract_source, read_bytes
from spark_iceberg_sql.files.placeholder_patterns import with_placeholders
from spark_iceberg_sql.files.templates import minimal_variant, template_spans, template_variants
from spark_iceberg_sql.model.engines import BY_NAME, Dialect
from spark_iceberg_sql.model.runtime import minor_version
from spark_iceberg_sql.model.table import Table, split_name
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.records import replace
from spark_iceberg_sql.syntax.parser.dialect import indicated_dialects

if TYPE_CHECKING:
    from spark_iceberg_sql.model.metadata.catalogs import Catalogs


class DdlReplay:
    """The catalog state after each of the DDL files that settings name, loaded on demand.

    catalogs: returns those that tables are looked up in.
    """

    def __init__(self, settings: Settings, catalogs: Callable[[], Catalogs]) -> None:
        self.settings = settings
        self._files = ddl_files(settings)
        self._numbers = {path: number for number, path in enumerate(self._files)}
        self._catalogs = [_initial_catalog(settings, catalogs)]
        self._digests: list[str | None] = []
        self.migrations = MigrationReplay(settings, lambda: self._catalog_after(len(self._files)), self._apply_file)

    def catalog_before(self, path: str) -> Tables:
        """The catalog state before a file: after all DDL files, or, for one of them, after those before it."""
        migration = self.migrations.migration_at(path) if path not in self._numbers else None
        if migration is not None:
            return self.migrations.catalog_before(migration)
        return self._catalog_after(self._numbers.get(path, len(self._files)))

    def dependency_digest(self, path: str) -> str | None:
        """A digest of everything that the findings in a file depend on, except for its own name and text.

        None if that is not known: with a catalog, whose tables may change at any time, and with files whose SQL
        depends on other files. Raises IcebergSqlError.
        """
        number = self._numbers.get(path, len(self._files))
        while len(self._digests) <= number:
            self._digests.append(self._next_digest())
        ddl_digest, migration = self._digests[number], self.migrations.migration_at(path)
        migration_digest = self.migrations.dependency_digest(migration) if migration is not None else ""
        return digest_if_known(ddl_digest, migration_digest)

    def _next_digest(self) -> str | None:
        """The digest after one more DDL file."""
        if not self._digests:
            catalog = self._catalogs[0]
            is_known = type(catalog) is Tables
            return digest(repr(self.settings), repr(sorted(vars(catalog).items()))) if is_known else None
        path = self._files[len(self._digests) - 1]
        return digest_if_known(self._digests[-1], path, text_digest(path))

    def tables_after(self, path: str) -> list[tuple[str, tuple[Table, ...]]]:
        """The tables at the end of a file, or of its series of migrations."""
        migration = self.migrations.migration_at(path)
        if migration is not None:
            ends = self.migrations.final_catalogs(path) if migration.can_be_followed else ()
            return [(end, tables.known) for end, tables in ends]
        catalog = self.catalog_before(path).copy()
        self._apply_file(path, catalog)
        return [(path, catalog.known)]

    def _apply_file(self, path: str, catalog: Tables) -> None:
        _apply_statements(path, catalog, self.settings, is_first_variant=False)

    def _catalog_after(self, count: int) -> Tables:
        """The catalog state after the first `count` DDL files."""
        while len(self._catalogs) <= count:
            catalog = self._catalogs[-1].copy()
            path = self._files[len(self._catalogs) - 1]
            _apply_statements(path, catalog, self.settings, is_first_variant=True)
            self._catalogs.append(catalog)
        return self._catalogs[count]


def ddl_files(settings: Settings) -> list[str]:
    """The files that match the key `ddl`, in order, as full paths. Raises FileError if there are none."""
    return files_of(settings, "ddl", settings.ddl)


def _initial_catalog(settings: Settings, catalogs: Callable[[], Catalogs]) -> Tables:
    options: dict[str, Any] = {
        "namespace": split_name(settings.default_namespace) if settings.default_namespace else (),
        "case_sensitive": settings.case_sensitive,
    }
    if settings.default_catalog is not None:
        options["catalog"] = settings.default_catalog
    if settings.catalog is None:
        tables = Tables(**options)
    elif settings.catalog_is_withheld:
        from spark_iceberg_sql.model.metadata.catalogs import WithheldTables  # the command starts sooner

        tables = WithheldTables(settings.catalog, settings.why_withheld, **options)
    else:
        tables = catalogs().tables(settings.catalog, settings.catalog_timeout, **options)
    if settings.engine is not None:
        tables.engine = BY_NAME[settings.engine]
    if settings.iceberg is not None:
        tables.iceberg = minor_version.parsed(settings.iceberg)
    if settings.spark is not None:
        tables.spark = minor_version.parsed(settings.spark)
    tables.other_procedures = frozenset(name.rpartition(".")[2].lower() for name in settings.procedures)
    if not settings.metadata:
        return tables
    from spark_iceberg_sql.model.metadata.offline import with_metadata

    return with_metadata(tables, settings.metadata)


def _apply_statements(path: str, catalog: Tables, settings: Settings, *, is_first_variant: bool) -> None:
    """Apply the effects of a file's statements, except for the downgrade part of a migration.

    is_first_variant: the first variant of each template is assumed; otherwise, tables that depend on a template, or
    on a condition of the program, are unknown afterwards.
    """
    text, _, _ = decode(read_bytes(path), path)
    source_file = extract_source(path, text, callables=settings.callables)
    for script in scripts_of(replace(source_file, fragments=source_file.fragments[: source_file.upgrade_count])):
        for fragment in script.fragments:
            if fragment.side_effects is None:
                catalog.unsettle_below(())
            catalog.unsettle(*(catalog.full_name(split_name(name)) for name in fragment.side_effects or ()))
            template = with_placeholders(fragment, settings.placeholders)
            first_variant, *variants = (*template_variants(template), minimal_variant(template))
            alternatives = [catalog.copy()] if fragment.branch_ranges and not is_first_variant else []
            for variant in () if is_first_variant else variants:
                if variant.sql != first_variant.sql:
                    alternatives.append(catalog.copy())
                    check_and_apply(variant.sql, alternatives[-1])
            check_and_apply(first_variant.sql, catalog)
            if not is_first_variant and (first_variant.placeholders or any(template_spans(fragment.sql))):
                catalog.filled_in = True
            for alternative in alternatives:
                catalog.keep_what_agrees(alternative)
            if catalog.dialects is not None:
                catalog.dialects |= indicated_dialects(first_variant.sql)
    if catalog.dialects is not None and source_file.uses_spark:
        catalog.dialects |= {Dialect.SPARK}
