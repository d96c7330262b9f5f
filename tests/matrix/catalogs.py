"""The axis of catalogs: Iceberg's, each with the server or the database that it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import store_parts
import store_servers

from matrix.javas import JAVAS
from matrix.parts import Bench, CatalogSettings, Storage, UnavailableError, cache
from matrix.stores import unless_skipped

_NESSIE = "0.99.0"  # the newest of which Maven has the server


@dataclass(frozen=True, slots=True)
class Catalog:
    """A catalog. settings: starts it where that is needed."""

    name: str
    title: str
    settings: Callable[[Bench, Storage], CatalogSettings]


def _hadoop(bench: Bench, storage: Storage) -> CatalogSettings:
    _require_hadoop(storage, "the Hadoop catalog")
    return CatalogSettings({"type": "hadoop", "warehouse": storage.root})


def _require_hadoop(storage: Storage, writer: str) -> None:
    if storage.root.startswith("s3:"):
        raise UnavailableError(f"{writer} writes with Hadoop's file systems, which have no s3:, only s3a:")


def _hive(bench: Bench, storage: Storage) -> CatalogSettings:
    """Hive's metastore in the driver, over Derby."""
    _require_hadoop(storage, "Hive's metastore")
    bench.require_jar("hive-metastore")
    database = f"jdbc:derby:;databaseName={bench.folder / 'metastore'};create=true"
    spark = {
        "spark.hadoop.javax.jdo.option.ConnectionURL": database,
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
        "spark.hadoop.datanucleus.connectionPoolingType": "HikariCP",  # Spark comes without Hive's own, BoneCP
        "spark.hadoop.hive.metastore.schema.verification": "false",
        "spark.hadoop.iceberg.engine.hive.lock-enabled": "false",  # such a metastore has no tables for locks
        "spark.hadoop.hive.metastore.warehouse.dir": storage.root,
    }
    return CatalogSettings({"type": "hive", "warehouse": storage.root}, spark)


def _jdbc(bench: Bench, storage: Storage) -> CatalogSettings:
    driver = unless_skipped(lambda: store_parts.jar(store_parts.SQLITE))
    catalog = {
        "type": "jdbc",
        "uri": f"jdbc:sqlite:{bench.folder / 'catalog.db'}",
        "jdbc.schema-version": "V1",
        "warehouse": storage.root,
    }
    return CatalogSettings(catalog, jars=(driver,))


def _rest(bench: Bench, storage: Storage) -> CatalogSettings:
    if storage.root.startswith("wasb:"):
        raise UnavailableError("Iceberg's server runs in Jetty 12, and Hadoop's wasb needs Jetty 9 in the same process")
    port = store_parts.free_port()
    command = unless_skipped(
        lambda: store_servers.rest_catalog(port, storage.root, bench.folder, dict(storage.catalog), storage.server_jars)
    )
    bench.processes.start("rest-catalog", command, port)
    return CatalogSettings({"type": "rest", "uri": f"http://127.0.0.1:{port}"})


def _nessie(bench: Bench, storage: Storage) -> CatalogSettings:
    """Its server, which needs Java 21, with its tables in memory."""
    jar = bench.once("nessie", _nessie_jar)
    port, management = store_parts.free_port(), store_parts.free_port()
    options = [
        "-Dquarkus.http.host=127.0.0.1", f"-Dquarkus.http.port={port}", "-Dnessie.version.store.type=IN_MEMORY",
        "-Dquarkus.management.host=127.0.0.1", f"-Dquarkus.management.port={management}",
    ]  # fmt: skip
    command = [str(JAVAS["21"].home() / "bin" / "java"), "-Xmx400m", *store_servers.QUICK, *options, "-jar", str(jar)]
    bench.processes.start("nessie", command, port, cwd=bench.folder)
    catalog = {
        "catalog-impl": "org.apache.iceberg.nessie.NessieCatalog",
        "uri": f"http://127.0.0.1:{port}/api/v2",
        "ref": "main",
        "warehouse": storage.root,
    }
    return CatalogSettings(catalog)


def _nessie_jar() -> Path:
    folder = cache() / "tests" / "matrix" / f"nessie-{_NESSIE}"
    folder.mkdir(parents=True, exist_ok=True)
    ivy = folder / "ivy.xml"
    ivy.write_text(
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven"><info organisation="tests" '
        'module="nessie"/><configurations><conf name="default"/></configurations>'
        '<dependencies defaultconfmapping="default->master"><dependency org="org.projectnessie.nessie" '
        f'name="nessie-quarkus" rev="{_NESSIE}"><artifact name="nessie-quarkus" type="jar" ext="jar" '
        'm:classifier="runner"/></dependency></dependencies></ivy-module>',
        "utf-8",
    )
    name = f"nessie-quarkus-{_NESSIE}-runner"
    if not store_parts.retrieved(folder, name, ["-ivy", str(ivy)]):
        raise UnavailableError(f"org.projectnessie.nessie:nessie-quarkus:{_NESSIE}:runner is not in Maven")
    return folder / f"{name}.jar"


CATALOGS = {
    catalog.name: catalog
    for catalog in (
        Catalog("hadoop", "Hadoop", _hadoop),
        Catalog("hive", "Hive (metastore in the driver)", _hive),
        Catalog("jdbc", "JDBC (SQLite)", _jdbc),
        Catalog("rest", "REST (Iceberg's own server)", _rest),
        Catalog("nessie", "Nessie", _nessie),
    )
}
