"""Which object stores a session reads through Hadoop's file systems instead of Iceberg's own clients."""

from __future__ import annotations

import re

from spark_iceberg_sql.spark.bridge.io.location import NEEDS, Location
from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS

# Keys and endpoints that somebody has configured for a scheme; Hadoop has no defaults for them. `s3://` is not here:
# the file system that has this scheme on some clusters comes with settings of its own.
_AZURE = r"^fs\.azure\.(account|sas|storage\.emulator)\..+"
_CREDENTIALS = {
    "s3a": r"^fs\.s3a\.(bucket\.{}\..+|(access|secret)\.key|session\.token|endpoint|assumed\.role\.arn)$",
    "abfs": _AZURE,
    "abfss": _AZURE,
    "wasb": _AZURE,
    "wasbs": _AZURE,
    "gs": r"^(fs\.gs|google\.cloud|fs\.gs\.google\.cloud)\.auth\..+",
}


def is_read_by_hadoop(url: str, location: Location) -> bool:
    """Whether Hadoop's file system opens a URL in the active session: Iceberg's client is missing, or Hadoop's
    settings have credentials for the URL. Iceberg's ResolvingFileIO falls back in the same way in the first case.

    url: as the user has written it. location: where Iceberg's client would find it.
    """
    scheme, _, address = url.partition("://")
    scheme = scheme.lower()
    conf = gateway.active_session().sessionState().newHadoopConf()
    if not _has_file_system(scheme, conf):
        return False
    if not has_client(location):
        return True
    pattern = _CREDENTIALS.get(scheme)
    if pattern is None:
        return False
    bucket = re.escape(address.partition("/")[0])
    return any(str(value).strip() for value in conf.getValByRegex(pattern.replace("{}", bucket)).values())


def has_client(location: Location) -> bool:
    """Whether the session has the classes that a location's FileIO needs."""
    needed = NEEDS.get(location.io)
    return needed is None or all(map(gateway.class_exists, needed[0]))


def _has_file_system(scheme: str, conf: Java) -> bool:
    try:
        java_class("org.apache.hadoop.fs.FileSystem").getFileSystemClass(scheme, conf)
    except JVM_ERRORS:
        return False
    return True
