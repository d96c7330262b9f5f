"""Settings of the active session and of the running Spark context."""

from __future__ import annotations

from spark_iceberg_sql.spark.bridge.jvm import gateway


def settings(prefix: str) -> dict[str, str]:
    """The active session's settings whose names start with a prefix, without the prefix."""
    conf = gateway.active_session().sessionState().conf()
    names = str(conf.getAllConfs().keySet().mkString("\n"))
    return {name[len(prefix) :]: str(conf.getConfString(name)) for name in names.split("\n") if name.startswith(prefix)}


def hadoop_catalogs() -> dict[str, str]:
    """The warehouses of the active session's Hadoop catalogs of class SparkCatalog, by their names."""
    catalog_settings = settings("spark.sql.catalog.")
    return {
        name: catalog_settings[f"{name}.warehouse"]
        for name, class_ in catalog_settings.items()
        if class_ == "org.apache.iceberg.spark.SparkCatalog"
        and f"{name}.warehouse" in catalog_settings
        and is_hadoop_catalog(name)
    }


def is_hadoop_catalog(name: str) -> bool:
    """True if the active session's settings make a catalog a Hadoop catalog, by its type or its
    implementation.
    """
    catalog_settings = {k.lower(): v for k, v in settings(f"spark.sql.catalog.{name}.").items()}
    catalog_type, class_ = (catalog_settings.get("type", ""), catalog_settings.get("catalog-impl", ""))
    return catalog_type.lower() == "hadoop" or class_.endswith(".HadoopCatalog")


def setting(name: str) -> str:
    """A setting of the active session; empty if it is not set."""
    return str(gateway.active_session().sessionState().conf().getConfString(name, ""))


def set_setting(name: str, value: str) -> None:
    """Change a setting of the active session."""
    gateway.active_session().sessionState().conf().setConfString(name, value)


def make_static(name: str) -> None:
    """Have Spark refuse to SET or RESET a setting in every session of the JVM."""
    gateway.scala_object("org.apache.spark.sql.internal.SQLConf").registerStaticConfigKey(name)


def process_setting(name: str) -> str | None:
    """A setting of the running Spark context, shared by all its sessions; None if it is not set."""
    value = gateway.from_option(gateway.active_session().sparkContext().conf().getOption(name))
    return None if value is None else str(value)


def set_process_setting(name: str, value: str) -> None:
    """Change a setting of the running Spark context; it affects code that reads the setting on every use."""
    gateway.active_session().sparkContext().conf().set(name, value)
