"""Listings of folders by each kind of FileIO, in one JVM call where possible."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, thrown_by
from spark_iceberg_sql.spark.bridge.jvm.java_records import list_from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import ListedFile


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a listing: address, and a stamp that changes when the file does."""

    location: str
    stamp: str
    modified_ms: int
    etag: str | None = None


_PATH = "org.apache.hadoop.fs.Path"


ANY = ""  # matches any file name


def local_folder(io: Java, folder: str) -> tuple[str, str] | None:
    """Hadoop's address of a local folder, and its path; None for other file systems."""
    address, local = _qualified(folder, io.conf())
    return None if local is None else (address, local)


def _qualified(address: str, conf: Java) -> tuple[str, str | None]:
    path = java_class(_PATH)(address)
    system = path.getFileSystem(conf)
    qualified_path = system.makeQualified(path)
    uri = qualified_path.toUri()
    if uri.getScheme() == "file":
        return str(qualified_path), str(uri.getPath())
    if "hdfs" not in str(uri.getScheme()):  # for an Azure account, Hadoop would ask the network for its name
        return str(qualified_path), None
    service = system.getCanonicalServiceName()  # including the port, which the address may omit
    return (f"{uri.getScheme()}://{service}{uri.getPath()}" if service else str(qualified_path)), None


def qualified(address: str) -> tuple[str, str | None]:
    """An address as Hadoop resolves it, and its path if it is on the local disk.

    Hadoop adds its default file system and working folder. Unchanged if Hadoop does not know the file system.
    """
    try:
        return _qualified(address, gateway.active_session().sessionState().newHadoopConf())
    except JVM_ERRORS:
        return address, None


def hadoop_listing(io: Java, folder: str, names: str, *, below: bool) -> list[StoredFile]:
    """The files in a folder, listed by Hadoop; none if the folder does not exist.

    names: a pattern for their names, ANY for all. below: whether to include subfolders.
    """
    system = java_class(_PATH)(folder).getFileSystem(io.conf())
    try:
        return _parse_listing(_lister().hadoop(system, folder, below, names))
    except JVM_ERRORS as error:
        if thrown_by(error).getClass().getSimpleName() == "FileNotFoundException":
            return []
        raise


def prefix_listing(io: Java, folder: str, names: str) -> list[StoredFile]:
    """The files below a folder, listed by a FileIO that lists prefixes. names: as for `hadoop_listing`."""
    return _parse_listing(_lister().prefixed(io.listPrefix(folder.rstrip("/") + "/"), names))


def _lister() -> Java:
    return compiler.shared_instance(__package__, "Listing", ListedFile)


def _parse_listing(text: str) -> list[StoredFile]:
    files = list_from_json(ListedFile, text)
    return [StoredFile(f.location, f"{f.size}-{f.modified_ms}", f.modified_ms) for f in files]


_OBJECT = re.compile(r'S3Object\(Key=(.*?), LastModified=(.*?), ETag="(.*?)"')


def s3_listing(io: Java, folder: str) -> list[StoredFile]:
    """Objects with their etags, which Iceberg's own listing omits."""
    bucket, prefix = folder.split("//", 1)[1].split("/", 1)
    request = java_class("software.amazon.awssdk.services.s3.model.ListObjectsV2Request")
    files: list[StoredFile] = []
    token = None
    while True:
        page_request = request.builder().bucket(bucket).prefix(prefix.rstrip("/") + "/")
        page = io.client().listObjectsV2(page_request.continuationToken(token).build())
        # One call for a page of up to 1000 objects, instead of three for each object.
        for match in _OBJECT.finditer(page.contents().toString()):
            key, modified, etag = match.groups()
            instant = java_class("java.time.Instant").parse(modified)
            files.append(StoredFile(f"s3://{bucket}/{key}", etag, int(instant.toEpochMilli()), etag))
        token = page.nextContinuationToken()
        if not token:
            return files


def blob_listing(blobs: tuple[str, str, str], folder: str, accepts: Callable[[str], bool] = bool) -> list[StoredFile]:
    """The blobs of a folder in Azure, listed by its blob service, which accounts without a hierarchical
    namespace also have.

    blobs: as of a location. accepts: whether to include a blob of this name.
    """
    client = blob_container(blobs)
    url_parts = folder.split("/", 3)
    prefix = url_parts[3].rstrip("/") + "/"
    options = java_class("com.azure.storage.blob.models.ListBlobsOptions")().setPrefix(prefix)
    files = []
    lists = java_class("org.apache.iceberg.relocated.com.google.common.collect.Lists")
    for item in filter(lambda item: accepts(str(item.getName())), lists.newArrayList(client.listBlobs(options, None))):
        properties = item.getProperties()
        modified = int(properties.getLastModified().toInstant().toEpochMilli())
        address = "/".join([*url_parts[:3], item.getName()])
        etag = str(properties.getETag()).strip('"')
        files.append(StoredFile(address, f"{properties.getContentLength()}-{etag}", modified, etag))
    return files


def blob_container(blobs: tuple[str, str, str]) -> Java:
    """Azure's client for a container. blobs: as of a location."""
    connection, container, _ = blobs
    builder = java_class("com.azure.storage.blob.BlobServiceClientBuilder")()
    common = "com.azure.storage.common.policy"
    retry_policy = java_class(f"{common}.RetryPolicyType").FIXED
    duration_class = java_class("java.time.Duration")
    retry_options = java_class(f"{common}.RequestRetryOptions")(
        retry_policy, 2, duration_class.ofSeconds(30), duration_class.ofMillis(500), duration_class.ofMillis(2000), None
    )
    builder = builder.retryOptions(retry_options)  # fails in seconds, not minutes
    return builder.connectionString(connection).buildClient().getBlobContainerClient(container)
