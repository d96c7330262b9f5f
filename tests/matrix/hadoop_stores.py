"""The stores that Hadoop's own file systems write: S3 with s3a, and Azure's blobs with wasb."""

from __future__ import annotations

import base64
import hashlib
import hmac
import urllib.error
import urllib.request
from email.utils import formatdate
from pathlib import Path

import store_parts
import store_servers

from matrix.parts import Bench, Storage, UnavailableError
from matrix.processes import FailedError, answers

_CATALOG = {"io-impl": "org.apache.iceberg.hadoop.HadoopFileIO"}  # a REST catalog would take Iceberg's own clients
_AZURE_PORT = 10000  # the only one that Hadoop's emulator mode knows
_AZURE_ACCOUNT = "devstoreaccount1"


def s3a(bench: Bench, endpoint: str, keys: tuple[str, str]) -> Storage:
    """A bucket `lake`, by Hadoop's s3a."""
    settings = {
        "fs.s3a.endpoint": endpoint,
        "fs.s3a.endpoint.region": "us-east-1",
        "fs.s3a.path.style.access": "true",
        "fs.s3a.access.key": keys[0],
        "fs.s3a.secret.key": keys[1],
    }
    server = (_core_site(bench, settings), *_s3a_jars(store_parts.HADOOP_VERSION))
    return Storage(
        f"s3a://lake/{bench.folder.name}", _CATALOG, _in_spark(settings), _s3a_jars(_hadoop_version(bench)), server
    )


def wasb(bench: Bench) -> Storage:
    """A container `lake` of Azurite."""
    settings = {
        "fs.azure.storage.emulator.account.name": _AZURE_ACCOUNT,
        f"fs.azure.account.key.{_AZURE_ACCOUNT}": store_servers.AZURE_KEY,
    }
    bench.once("azure", lambda: _azurite(bench))
    root = f"wasb://lake@{_AZURE_ACCOUNT}/{bench.folder.name}"
    return Storage(root, _CATALOG, _in_spark(settings), _wasb_jars(_hadoop_version(bench)))


def _in_spark(settings: dict[str, str]) -> dict[str, str]:
    return {f"spark.hadoop.{name}": value for name, value in settings.items()}


def _hadoop_version(bench: Bench) -> str:
    jar = next((bench.home / "jars").glob("hadoop-client-api-*.jar"))
    return jar.stem.removeprefix("hadoop-client-api-")


def _s3a_jars(hadoop: str) -> tuple[Path, ...]:
    group, version = "software.amazon.awssdk", "2.29.52"
    names = ("s3-transfer-manager", "apache-client", "sts")
    if hadoop < "3.4":  # which uses the first version of Amazon's client
        group, version = "com.amazonaws", "1.12.262"
        names = ("aws-java-sdk-s3", "aws-java-sdk-dynamodb", "aws-java-sdk-sts")
    hadoop_aws = _jars(f"hadoop-aws-{hadoop}", (("org.apache.hadoop", "hadoop-aws", hadoop),), transitive=False)
    client = _jars(f"amazon-sdk-{version}", tuple((group, name, version) for name in names), transitive=True)
    return (*hadoop_aws, *client)


def _wasb_jars(hadoop: str) -> tuple[Path, ...]:
    needed = (
        ("com.microsoft.azure", "azure-storage", "7.0.1"),
        ("com.microsoft.azure", "azure-keyvault-core", "1.0.0"),
        ("org.apache.hadoop.thirdparty", "hadoop-shaded-guava", "1.1.1" if hadoop < "3.4" else "1.4.0"),
        ("org.eclipse.jetty", "jetty-util-ajax", "9.4.57.v20241219"),
        ("org.eclipse.jetty", "jetty-util", "9.4.57.v20241219"),
    )
    return _jars(f"hadoop-azure-{hadoop}", (("org.apache.hadoop", "hadoop-azure", hadoop), *needed), transitive=False)


def _jars(folder: str, coordinates: tuple[tuple[str, str, str], ...], *, transitive: bool) -> tuple[Path, ...]:
    jars = store_parts.fetched(folder, coordinates, transitive=transitive)
    if not jars:
        raise UnavailableError(f"{':'.join(coordinates[0])} is not in Maven")
    return tuple(jars)


def _core_site(bench: Bench, settings: dict[str, str]) -> Path:
    """A folder for the class path of a catalog's server, from which Hadoop reads its settings."""
    folder = bench.folder / "core-site"
    folder.mkdir(parents=True, exist_ok=True)
    properties = "".join(f"<property><name>{k}</name><value>{v}</value></property>" for k, v in settings.items())
    (folder / "core-site.xml").write_text(f"<configuration>{properties}</configuration>", "utf-8")
    return folder


def _azurite(bench: Bench) -> None:
    if answers(_AZURE_PORT):
        raise UnavailableError(f"another program uses the port {_AZURE_PORT}, which Hadoop's emulator mode needs")
    command = store_servers.azurite(_AZURE_PORT, bench.shared.folder / "azurite")
    bench.shared.start("azurite", command, _AZURE_PORT)
    _create_container("lake")


def _create_container(name: str) -> None:
    """A request that is signed with the emulator's key."""
    resource = f"/{_AZURE_ACCOUNT}/{name}"
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2020-10-02"}
    header_lines = "\n".join(f"{header}:{value}" for header, value in headers.items())
    text = "PUT" + "\n" * 12 + f"{header_lines}\n/{_AZURE_ACCOUNT}{resource}\nrestype:container"
    key = base64.b64decode(store_servers.AZURE_KEY)
    signature = base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode()
    headers["Authorization"] = f"SharedKey {_AZURE_ACCOUNT}:{signature}"
    url = f"http://127.0.0.1:{_AZURE_PORT}{resource}?restype=container"
    try:
        urllib.request.urlopen(urllib.request.Request(url, method="PUT", headers=headers), timeout=30).close()
    except urllib.error.URLError as error:
        raise FailedError(f"Azurite did not create a container: {error}") from None
