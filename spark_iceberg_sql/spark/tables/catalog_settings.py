"""Configuration of Iceberg catalogs in a running session."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.jvm import sessions
from spark_iceberg_sql.spark.tables import credentials

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CATALOG = "org.apache.iceberg.spark.SparkCatalog"
_CATALOG_TYPES = ("hadoop", "jdbc", "rest", "glue", "hive", "nessie")


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

    spark: the session. name: the catalog's name in SQL. Raises IcebergSqlError for an unknown kind, a missing property,
    a URL that contains a password, or a name that already has another configuration or is that of Spark's own catalog.
    """
    if kind not in _CATALOG_TYPES:
        raise IcebergSqlError(f"unknown catalog type `{kind}`", help=f"one of {', '.join(_CATALOG_TYPES)}")
    prefix = f"spark.sql.catalog.{name}"
    if is_spark_catalog(name, spark.conf.get(prefix, None)):
        raise IcebergSqlError(
            f"`{name}` is Spark's own catalog: an Iceberg catalog of that name would replace it and hide its tables",
            help="use another name, or start the session with spark.sql.catalog.spark_catalog = "
            "org.apache.iceberg.spark.SparkSessionCatalog, which keeps them",
        )
    for needed in _REQUIRED.get(kind, ()):
        if needed not in properties:
            raise IcebergSqlError(
                f"a {kind} catalog needs `{needed}`", help=f"catalog(spark, '{name}', '{kind}', {needed}=...)"
            )
    for key, value in properties.items():
        if re.match(r"https?://[^/?#]*@", value):
            raise IcebergSqlError(
                f"`{key}` contains a user name or password, and Iceberg writes it to logs",
                help="leave them out, and pass credential='ID:SECRET' or token=...",
            )
    if kind == "jdbc":  # without view support Spark cannot even look up a table in it
        properties.setdefault("jdbc_schema_version", "V1")
    settings = {f"{prefix}.type": kind, **{f"{prefix}.{_property(key)}": v for key, v in properties.items()}}
    if spark.conf.get(prefix, None) is not None:
        changed = [key for key, value in settings.items() if spark.conf.get(key, None) != value]
        if changed:
            raise IcebergSqlError(
                f"the catalog `{name}` is already configured, with another {changed[0]}",
                help="use another name; Spark keeps the configuration a catalog was first used with",
            )
    with sessions.working_in(spark):
        credentials.hide_secrets()
        for key, value in settings.items():
            if credentials.is_secret(key, value):
                credentials.hide_setting(key)
            spark.conf.set(key, value)
    spark.conf.set(prefix, CATALOG)


_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "hadoop": ("warehouse",),
    "jdbc": ("uri", "warehouse"),
    "rest": ("uri",),
    "glue": ("warehouse",),
}
# Iceberg's property names that contain a dot after the group's prefix.
_DOTTED =(
    *(f"adls.auth.shared-key.account.{name}" for name in ("name", "key")),
    "adls.read.block-size-bytes", "adls.write.block-size-bytes", "client.assume-role.arn",
    "client.assume-role.region", "client.assume-role.external-id",
    "client.assume-role.session-name", "client.assume-role.timeout-sec",
    *(f"http-client.apache.{name}" for name in ("connection-timeout-ms", "socket-timeout-ms")),
    "http-client.apache.max-connections", "http-client.urlconnection.socket-timeout-ms",
    "s3.sse.type", "s3.sse.key", "s3.sse.md5", "s3.multipart.part-size-bytes",
    "s3.retry.num-retries", "s3.retry.min-wait-ms", "s3.retry.max-wait-ms",
    "s3.access-grants.enabled", "s3.delete.batch-size", "s3.delete.num-threads",
    "gcs.oauth2.token", "gcs.oauth2.token-expires-at", "gcs.no-auth", "gcs.project-id",
    "cache.expiration-interval-ms", "cache.case-sensitive", "rest.auth.type",
    "io.manifest.cache-enabled", "io.manifest.cache.max-total-bytes",
)  # fmt: skip
_BY_KEYWORD = {re.sub(r"[.-]", "_", name): name for name in _DOTTED}
_GROUPS = ("s3", "jdbc", "client", "glue", "adls", "http-client", "rest", "header")


def _property(key: str) -> str:
    """Iceberg's name of a property: s3_path_style_access -> s3.path-style-access."""
    if key in _BY_KEYWORD:
        return _BY_KEYWORD[key]
    hyphenated_key = key.replace("_", "-")
    for group in _GROUPS:
        if hyphenated_key.startswith(f"{group}-"):
            return f"{group}.{hyphenated_key[len(group) + 1 :]}"
    return hyphenated_key


def is_spark_catalog(name: str, catalog_class: str | None) -> bool:
    """True if a catalog is the one that each session begins with, and not configured as an Iceberg catalog."""
    return name.lower() == "spark_catalog" and catalog_class in (None, "builtin")
