"""Tables attached by their path: their catalog in a session's configuration, and the names they may have.

The configuration has a random token only. The folders, and the FileIOs that open them with their credentials, are in
the JVM.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.metadata.metadata_files import metadata_file
from spark_iceberg_sql.spark.bridge.tables import folder_catalog
from spark_iceberg_sql.spark.tables.catalog_settings import CATALOG
from spark_iceberg_sql.spark.tables.credentials import hide_setting
from spark_iceberg_sql.spark.tables.locations import same_location
from spark_iceberg_sql.spark.tables.locations.locate import LocatedTable
from spark_iceberg_sql.spark.tables.locations.write_target import WriteTarget
from spark_iceberg_sql.syntax.identifiers import dotted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CODEC = "write.metadata.compression-codec"


def is_catalog(spark: SparkSession, name: str) -> bool:
    """True if a catalog of the session is one for attached tables."""
    return spark.conf.get(f"spark.sql.catalog.{name}.catalog-impl", None) == folder_catalog.CLASS


def location(spark: SparkSession, catalog: str, table: str) -> str | None:
    """The folder of a table in such a catalog; None if there is no such table."""
    token = spark.conf.get(f"spark.sql.catalog.{catalog}.{folder_catalog.TOKEN}", None)
    return None if token is None else folder_catalog.folder(token, [table])


def register(
    spark: SparkSession, write_target: WriteTarget, parts: list[str], located_table: LocatedTable | None
) -> None:
    """Give a folder a name in such a catalog, which is configured if there is none.

    write_target: the folder. parts: of the name. located_table: the table that is there, if any. Raises IcebergSqlError
    if the name is another folder's, and if two writers could overwrite each other's commits in that store.
    """
    folder = write_target.location.path if located_table is None else located_table.folder.rstrip("/")
    if located_table is not None:
        _refuse_compressed(write_target, folder, located_table)
    with _explaining_errors(write_target):
        if (reason := folder_catalog.refusal(write_target.io, folder)) is not None:
            raise IcebergSqlError(
                f"`{write_target.display_path}` cannot be written by its path: {reason}, so that two writers "
                f"could overwrite each "
                "other's commits",
                help="write to it through a catalog; spark_iceberg_sql.catalog(spark, ...) "
                "configures one in this session",
            )
        token = _token(spark, parts[0])
        attached_folder = folder_catalog.folder(token, parts[1:])
        if attached_folder is not None and not same_location.is_same(attached_folder, folder):
            raise IcebergSqlError(
                f"{dotted(parts)} already exists, for the table at `{attached_folder}` and not for the one at "
                f"`{write_target.display_path}`",
                help="attach it under another name",
            )
        state = () if located_table is None else (located_table.metadata, version(located_table.file))
        folder_catalog.attach(token, parts[1:], folder, write_target.io, *state)


def _refuse_compressed(write_target: WriteTarget, folder: str, located_table: LocatedTable) -> None:
    """Refuse a table with compressed metadata: two writers exclude each other by the name of the next metadata file,
    which the codec changes.
    """
    codec = located_table.metadata.properties().get(_CODEC)
    if codec is None or str(codec).lower() == "none":
        return
    parent, _, name = folder.rpartition("/")
    raise IcebergSqlError(
        f"the table at `{write_target.display_path}` compresses its metadata ({_CODEC} is `{codec}`), and a "
        f"table in Hadoop layout "
        "that does so is not written by its path",
        help="remove the property through a Hadoop catalog that has the table, such as "
        f"spark_iceberg_sql.catalog(spark, 'lake', 'hadoop', warehouse={parent!r}): "
        f"ALTER TABLE {dotted(['lake', name])} UNSET TBLPROPERTIES ('{_CODEC}')",
    )


def version(file: str) -> int:
    """The version in a metadata file's name; -1 without one."""
    parsed_name = metadata_file(file)
    return -1 if parsed_name is None else parsed_name.version


@contextmanager
def _explaining_errors(write_target: WriteTarget) -> Iterator[None]:
    """Explain the errors of a store, and of a catalog class that cannot be loaded."""
    try:
        with write_target.without_secrets():
            yield
    except IcebergSqlError:
        raise
    except ValueError as error:
        raise IcebergSqlError(
            f"`{write_target.display_path}` cannot be attached: this session cannot load the catalog's class: {error}",
            help="configure a catalog for it with spark_iceberg_sql.catalog(spark, ...)",
        ) from None


def _token(spark: SparkSession, name: str) -> str:
    """The token of a catalog, which is configured if there is none."""
    prefix = f"spark.sql.catalog.{name}"
    if not is_catalog(spark, name):
        token = folder_catalog.new_token()
        # Another session may commit at any time, so metadata is not cached.
        settings = {"catalog-impl": folder_catalog.CLASS, "cache-enabled": "false"}
        for key, value in (settings | {folder_catalog.TOKEN: token}).items():
            spark.conf.set(f"{prefix}.{key}", value)
        hide_setting(f"{prefix}.{folder_catalog.TOKEN}")
        spark.conf.set(prefix, CATALOG)
    return str(spark.conf.get(f"{prefix}.{folder_catalog.TOKEN}"))
