"""Catalog names for tables at a path, so that they can be written; compaction; configuration of catalogs.

A table function only reads. INSERT, DELETE, UPDATE, MERGE, ALTER and CALL need a table in a catalog, since a single
authority must order the commits: the folder itself for a table in Hadoop layout, the catalog for a table
that was written through one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.model.metadata_files import metadata_file
from spark_iceberg_sql.spark.bridge import jvm, relations, sessions
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.jvm import Refusal
from spark_iceberg_sql.spark.optimizer import injection
from spark_iceberg_sql.spark.tables import credentials, ownership, same_location
from spark_iceberg_sql.spark.tables.locate import Found, find
from spark_iceberg_sql.spark.tables.stores import STORES
from spark_iceberg_sql.syntax.identifiers import backticked, dotted, string_literal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CATALOG = "org.apache.iceberg.spark.SparkCatalog"


def attach(spark: SparkSession, path: str, name: str) -> str:
    """Give the table at a path a name in SQL, for reading and writing; returns the quoted name.

    A table in Hadoop layout (v3.metadata.json): name is `catalog.folder`, or `catalog.parent.folder`,
    where the last parts are those of the path; the catalog is configured in this session.
    A table that was written through a catalog (00003-<uuid>.metadata.json): the name's catalog must be
    configured in this session (see `catalog`); the table is registered there, with its newest metadata.
    Use the catalog that owns the table: a table written through two catalogs loses commits.

    All files of the table must be in its folder: a table whose metadata, properties or manifests refer to
    files outside it (a copied folder refers to the original) is refused. The check reads all manifests.
    A session that has never had the optimizer rules gets them: one of them refuses writes to copied tables.

    spark: the session. path: the table's folder. name: in SQL, unquoted parts with dots.
    Raises IcebergSqlError if the table does not belong to the folder, or the name does not match it;
    pyspark's AnalysisException if there is no table.
    """
    parts = [part.strip("`") for part in name.split(".")]
    if len(parts) < 2:
        raise IcebergSqlError(
            f"`{name}` does not name a catalog\nhelp: attach it as `{name}.{path.rstrip('/').rsplit('/', 1)[-1]}`"
        )
    quoted = dotted(parts)
    known = spark.conf.get(f"spark.sql.catalog.{parts[0]}", None)
    # A Hadoop catalog would also name copies in the same folder.
    injection.ensure(spark)
    with sessions.working_in(spark):
        found = _found(path)
        folder = ownership.folder_of(found.location.path, found.file)
        ownership.refuse_copy(folder, found.metadata)
        ownership.refuse_files_elsewhere(folder, found.metadata, found.operations)
        if _is_hadoop_s(found.file):
            _refuse_older(found, folder)
            _attach_folder(spark, path, parts, known)
        elif known is None:
            raise IcebergSqlError(
                f"the table at `{path}` was written by a catalog, and this session has no catalog "
                f"`{parts[0]}`\nhelp: spark_iceberg_sql.catalog(spark, '{parts[0]}', 'jdbc', "
                "uri='jdbc:sqlite:/lake/catalog.db', warehouse='/lake'), then attach again"
            )
        elif not spark.catalog.tableExists(quoted):
            _register(spark, parts, found.file)
        spark.sql(f"DESCRIBE TABLE {quoted}")
        _refuse_another(quoted, path, found)
    return quoted


def _found(path: str) -> Found:
    """The table as the table functions locate it."""
    try:
        return find("attach", STORES["any"]("attach", {"url": path}), {"path": path})
    except Refusal as refusal:
        raise jvm.raised(refusal) from None
    except JVM_ERRORS as error:
        raise IcebergSqlError(f"`{path}` cannot be read: {message(error)}") from None


def _is_hadoop_s(file: str) -> bool:
    """Whether a metadata file is named as in a Hadoop table, not as catalogs do."""
    name = file.rsplit("/", 1)[-1]
    if metadata_file(name) is None:
        raise IcebergSqlError(f"the metadata file `{file}` has no version in its name")
    return name.startswith("v")


def _refuse_older(found: Found, folder: str) -> None:
    """A Hadoop catalog uses version-hint.text; if there is a gap in the versions, it would commit on top of
    a version that is not the newest.
    """
    try:
        theirs = relations.hadoop_table(folder).operations().current().metadataFileLocation()
    except JVM_ERRORS as error:
        raise IcebergSqlError(f"no Hadoop catalog can read `{folder}`: {message(error)}") from None
    if not same_location.same(str(theirs), found.file):
        raise IcebergSqlError(
            f"a Hadoop catalog would commit on top of `{theirs}`, but the newest version is `{found.file}`\n"
            f"help: write the newest version's number to `{folder}/metadata/version-hint.text`"
        )


def _refuse_another(quoted: str, path: str, found: Found) -> None:
    """Refuse a name that already refers to another table."""
    table = relations.catalog_table(quoted).operations().current()
    same = str(table.uuid()) == str(found.metadata.uuid())
    if not same or not same_location.same(str(table.location()), found.folder):
        raise IcebergSqlError(
            f"{quoted} already exists, for the table at `{table.location()}` and not for the one at "
            f"`{path}`\nhelp: attach it under another name"
        )


def _attach_folder(spark: SparkSession, path: str, parts: list[str], known: str | None) -> None:
    path = re.sub(r"(?<=[^:/])/(?:\.?/)+", "/", path).rstrip("/")
    folders = path.split("/")
    tail = parts[1:]
    if folders[-len(tail) :] != tail:
        fits = ".".join([parts[0], *folders[-len(tail) :]])
        raise IcebergSqlError(
            f"a table in Hadoop layout must have the name of its folder, so `{'.'.join(parts)}` cannot be "
            f"`{path}`\nhelp: attach it as `{fits}`"
        )
    warehouse = "/".join(folders[: -len(tail)]) or ("/" if path.startswith("/") else ".")
    if known is None:
        catalog(spark, parts[0], "hadoop", warehouse=warehouse)
        return
    theirs = spark.conf.get(f"spark.sql.catalog.{parts[0]}.warehouse", None)
    if theirs is None or not same_location.same(theirs, warehouse):
        raise IcebergSqlError(
            f"the catalog `{parts[0]}` already exists, with the warehouse `{theirs}` and not `{warehouse}`\n"
            "help: attach it under another catalog name"
        )


def _register(spark: SparkSession, parts: list[str], file: str) -> None:
    namespace = parts[1:-1]
    if namespace:
        quoted = dotted([parts[0], *namespace])
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {quoted}")
    table = string_literal(".".join(parts[1:]))
    # No parameter markers: before Spark 4.1, CALL does not support them.
    spark.sql(
        f"CALL {backticked(parts[0])}.system.register_table("
        f"table => {table}, metadata_file => {string_literal(file)})"
    )


_KINDS = ("hadoop", "jdbc", "rest", "glue", "hive", "nessie")


def catalog(spark: SparkSession, name: str, kind: str, **properties: str) -> None:
    """Configure an Iceberg catalog in a running session.

    kind and the properties it needs:
    hadoop: warehouse.
    jdbc: uri (jdbc:...), warehouse; user and password as jdbc_user=, jdbc_password=.
    rest: uri; warehouse, credential, token, scope as the server requires.
    glue: warehouse (s3://...); endpoint and keys as glue_endpoint=, s3_endpoint=, client_region=.
    hive: uri (thrift://...) and warehouse, unless hive-site.xml states them. nessie: uri, ref, warehouse.
    Pass other Iceberg properties with `_` instead of `.` after the prefix (s3_, jdbc_, client_, glue_) and
    instead of `-` elsewhere: s3_path_style_access="true" is s3.path-style-access; or by their own names, with
    **{"adls.sas-token.account": ...}.

    Keys, passwords and headers are in the session's configuration, because Iceberg reads them there;
    Spark's event log, UI and SET -v do not show them, but the application's own listeners receive them.

    spark: the session. name: the catalog's name in SQL. Raises IcebergSqlError for an unknown kind, a
    missing property, a URL that contains a password, or a name that already has another configuration.
    """
    if kind not in _KINDS:
        raise IcebergSqlError(f"unknown catalog type `{kind}`\nhelp: one of {', '.join(_KINDS)}")
    for needed in _NEEDED.get(kind, ()):
        if needed not in properties:
            raise IcebergSqlError(
                f"a {kind} catalog needs `{needed}`\nhelp: catalog(spark, '{name}', '{kind}', {needed}=...)"
            )
    for key, value in properties.items():
        if re.match(r"https?://[^/?#]*@", value):
            raise IcebergSqlError(
                f"`{key}` contains a user name or password, and Iceberg writes it to logs\n"
                "help: leave them out, and pass credential='ID:SECRET' or token=..."
            )
    if kind == "jdbc":  # without view support Spark cannot even look up a table in it
        properties.setdefault("jdbc_schema_version", "V1")
    prefix = f"spark.sql.catalog.{name}"
    settings = {f"{prefix}.type": kind}
    settings.update({f"{prefix}.{_property(key)}": value for key, value in properties.items()})
    if spark.conf.get(prefix, None) is not None:
        changed = [key for key, value in settings.items() if spark.conf.get(key, None) != value]
        if changed:
            raise IcebergSqlError(
                f"the catalog `{name}` is already configured, with another {changed[0]}\n"
                "help: use another name; Spark keeps the configuration a catalog was first used with"
            )
    with sessions.working_in(spark):
        credentials.hide()
        for key, value in settings.items():
            if credentials.is_secret(key, value):
                credentials.hide_setting(key)
            spark.conf.set(key, value)
    spark.conf.set(prefix, _CATALOG)


_NEEDED: Mapping[str, tuple[str, ...]] = {
    "hadoop": ("warehouse",),
    "jdbc": ("uri", "warehouse"),
    "rest": ("uri",),
    "glue": ("warehouse",),
}
# Iceberg's property names that contain a dot after the group's prefix.
_DOTTED = (
    *(f"adls.auth.shared-key.account.{name}" for name in ("name", "key")),
    *("adls.read.block-size-bytes", "adls.write.block-size-bytes"),
    *("client.assume-role.arn", "client.assume-role.region", "client.assume-role.external-id"),
    *("client.assume-role.session-name", "client.assume-role.timeout-sec"),
    *(f"http-client.apache.{name}" for name in ("connection-timeout-ms", "socket-timeout-ms")),
    *("http-client.apache.max-connections", "http-client.urlconnection.socket-timeout-ms"),
    *("s3.sse.type", "s3.sse.key", "s3.sse.md5", "s3.multipart.part-size-bytes"),
    *("s3.retry.num-retries", "s3.retry.min-wait-ms", "s3.retry.max-wait-ms"),
    *("s3.access-grants.enabled", "s3.delete.batch-size", "s3.delete.num-threads"),
    *("gcs.oauth2.token", "gcs.oauth2.token-expires-at", "gcs.no-auth", "gcs.project-id"),
    *("cache.expiration-interval-ms", "cache.case-sensitive", "rest.auth.type"),
    *("io.manifest.cache-enabled", "io.manifest.cache.max-total-bytes"),
)
_BY_WORD = {re.sub(r"[.-]", "_", name): name for name in _DOTTED}
_GROUPS = ("s3", "jdbc", "client", "glue", "adls", "http-client", "rest", "header")


def _property(key: str) -> str:
    """Iceberg's name of a property: s3_path_style_access -> s3.path-style-access."""
    if key in _BY_WORD:
        return _BY_WORD[key]
    words = key.replace("_", "-")
    for group in _GROUPS:
        if words.startswith(f"{group}-"):
            return f"{group}.{words[len(group) + 1 :]}"
    return words


def optimize(spark: SparkSession, table: str) -> dict[str, int]:
    """Compact a table's data files and merge its delete files into them.

    Old snapshots stay readable; nothing is expired.

    spark: the session. table: its name in a catalog (`attach` gives one to a path).
    Returns how many files were rewritten and added, and how many delete files were removed.
    Raises pyspark's AnalysisException if there is no such table, IcebergSqlError if its metadata is not
    at the location that it names.
    """
    with sessions.working_in(spark):
        parts = relations.full_name(table)
        ownership.refuse_moved_table(table)
    procedures = f"{backticked(parts[0])}.system"
    name = string_literal(dotted(parts[1:]))
    options = "map('delete-file-threshold', '1', 'min-input-files', '2')"
    data = spark.sql(
        f"CALL {procedures}.rewrite_data_files(table => {name}, options => {options})"
    ).collect()[0]
    # The remaining delete files apply to no data file; rewriting all delete files removes them.
    deletes = spark.sql(
        f"CALL {procedures}.rewrite_position_delete_files(table => {name}, "
        "options => map('rewrite-all', 'true'))"
    ).collect()[0]
    return {
        "rewritten_data_files": int(data["rewritten_data_files_count"]),
        "added_data_files": int(data["added_data_files_count"]),
        "removed_delete_files": int(data["removed_delete_files_count"])
        + int(deletes["rewritten_delete_files_count"]),
    }
