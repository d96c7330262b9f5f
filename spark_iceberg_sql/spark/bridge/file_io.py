"""Iceberg's FileIO as the table functions use it: opened once, listing folders, reading metadata."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache

from spark_iceberg_sql.model.metadata_files import (
    HEAD,
    METADATA_NAMES,
    Head,
    is_metadata_file,
    metadata_file,
    read_head,
)
from spark_iceberg_sql.spark.bridge import compiler, jvm, local_folders
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, thrown_by
from spark_iceberg_sql.spark.bridge.jvm import Java, Refusal, java_class
from spark_iceberg_sql.spark.bridge.location import HADOOP, NEEDS, S3, Location

_METADATA_FILES = 256  # parsed metadata files kept for each FileIO


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of a listing: address, and a stamp that changes when the file does."""

    location: str
    stamp: str
    modified_ms: int
    etag: str | None = None


@dataclass(slots=True)
class Files:
    """A FileIO with what was read through it.

    io: Iceberg's FileIO. location: what it was opened for. parsed: metadata files by address and
    stamp, newest use last.
    """

    io: Java
    location: Location
    parsed: OrderedDict[tuple[str, str], Java] = field(default_factory=OrderedDict, repr=False)

    @property
    def _hadoop(self) -> bool:
        return self.location.io == HADOOP

    def folder(self, folder: str, *, etags: bool = False) -> list[Listed]:
        """The files of all folders under one; empty where there is none.

        etags: whether they are wanted, where listing them costs more.
        """
        if self._hadoop:
            return _hadoop_listing(self.io, folder, _ANY, below=True)
        if self.location.blobs is not None:
            return _blob_listing(self.location.blobs, folder)
        if etags and self.location.io == S3:
            return _s3_listing(self.io, folder)
        return _prefix_listing(self.io, folder, _ANY)

    def metadata_files(self, folder: str) -> dict[str, str | None]:
        """The metadata files right in a folder, with their stamps where the listing says them.

        A folder of metadata has a hundred manifests for each metadata file: what is no metadata file is
        left out before it is looked at, and the files of a local disk are looked at when chosen.
        """
        if self._hadoop:
            local = _local_folder(self.io, folder)
            if local is not None:
                address, path = local
                return {f"{address}/{name}": None for name in local_folders.metadata_files(path)}
            found = _hadoop_listing(self.io, folder, METADATA_NAMES, below=False)
        elif self.location.blobs is not None:
            found = _blob_listing(self.location.blobs, folder, is_metadata_file)
        else:
            found = _prefix_listing(self.io, folder, METADATA_NAMES)
        return {f.location: f.stamp for f in found if is_metadata_file(f.location)}

    def stamp(self, location: str) -> str | None:
        """The stamp of a metadata file that `metadata_files` has not said; None where there is none."""
        try:
            status = os.stat(location.removeprefix("file:"))
        except OSError:
            return None
        return f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}"

    def heads(self, locations: Sequence[str]) -> list[Head]:
        """What the first bytes of metadata files say. Raises Refusal with the file that is broken."""
        if len(locations) < 8 or self._hadoop:
            return [self._head(location) for location in locations]
        with ThreadPoolExecutor(16) as pool:
            return list(pool.map(self._head, locations))

    def _head(self, location: str) -> Head:
        stream = self.io.newInputFile(location).newStream()
        try:
            content = bytes(stream.readNBytes(HEAD))
            head = _read(location, content)
            if len(content) == HEAD and (head.table_uuid is None or head.updated_ms is None):
                head = _read(location, content + bytes(stream.readAllBytes()))
        finally:
            stream.close()
        return head

    def metadata(self, location: str, stamp: str | None, *, cached: bool) -> Java:
        """A parsed metadata file. Files do not change, but their names come again in a table that
        was dropped and made anew, so only a file with its own uuid is known by its name alone.
        """
        if stamp is None:
            named = metadata_file(location)
            stamp = "" if named is not None and named.uuid else None
        if not cached or stamp is None:
            return self._parse(location)
        key = (location, stamp)
        found = self.parsed.get(key)
        if found is None:
            found = self._parse(location)
            with _lock:
                self.parsed[key] = found
                while len(self.parsed) > _METADATA_FILES:
                    self.parsed.popitem(last=False)
        return found

    def _parse(self, location: str) -> Java:
        parser = java_class("org.apache.iceberg.TableMetadataParser")
        return parser.read(self.io.newInputFile(location))


def _read(location: str, content: bytes) -> Head:
    try:
        return read_head(content)
    except ValueError as wrong:
        raise BrokenFileError(location, str(wrong)) from None


class BrokenFileError(ValueError):
    """A metadata file that cannot be read: location, and what is wrong with it."""

    def __init__(self, location: str, wrong: str) -> None:
        super().__init__(f"`{location}` cannot be read: {wrong}")
        self.location = location
        self.wrong = wrong


_lock = threading.Lock()
_SALT = os.urandom(32)
_opened: OrderedDict[bytes, Files] = OrderedDict()
_OPENED = (
    64  # FileIOs kept; the oldest is left to the garbage collector, for plans may still use it
)


def files_of(location: Location, *, cached: bool) -> Files:
    """The FileIO for a location: one for each set of properties in a session, so that what Iceberg
    keeps of manifests serves the next call. cached: whether it keeps manifests.

    Raises Refusal where the store's classes are not on the class path.
    """
    session = jvm.active_session()
    properties = dict(location.properties)
    if cached:
        properties["io.manifest.cache-enabled"] = "true"
    opened_with = repr((location.io, sorted(properties.items()), session.sessionUUID()))
    key = hashlib.blake2b(opened_with.encode(), key=_SALT).digest()  # keys and passwords among them
    with _lock:
        found = _opened.get(key)
    if found is None:
        _refuse_missing_classes(location)
        load = java_class("org.apache.iceberg.CatalogUtil").loadFileIO
        io = load(location.io, properties, _hadoop_conf(session))
        found = Files(io, location)
        with _lock:
            found = _opened.setdefault(key, found)
            while len(_opened) > _OPENED:
                _opened.popitem(last=False)
    if found.location != location:
        return Files(found.io, location, found.parsed)
    return found


def _refuse_missing_classes(location: Location) -> None:
    needed = NEEDS.get(location.io)
    if needed is None or jvm.class_exists(needed[0]):
        return
    version = java_class("org.apache.iceberg.IcebergBuild").version()
    raise Refusal(
        "INVALID_PARAMETER_VALUE.PATTERN",
        parameter="`url`",
        functionName="`iceberg`",
        value=f"this session has no classes to read `{location.path}`; start it with "
        f"spark.jars.packages={needed[1].format(version)}",
    )


def _hadoop_conf(session: Java) -> Java:
    """Hadoop's configuration; where nobody chose otherwise, a dead name node is an error in seconds
    (Hadoop's own patience is 10 s for a refused connection and 15 min for a silent one).
    """
    conf = session.sessionState().newHadoopConf()
    patience = {
        "ipc.client.connect.max.retries": ("10", "2"),
        "ipc.client.connect.max.retries.on.timeouts": ("45", "1"),
        "ipc.client.connect.timeout": ("20000", "5000"),
    }
    for name, (default, ours) in patience.items():
        if (conf.get(name) or default) == default:
            conf.set(name, ours)
    return conf


_PATH = "org.apache.hadoop.fs.Path"
_ANY = ""


def _local_folder(io: Java, folder: str) -> tuple[str, str] | None:
    """The address of a folder of the local disk as Hadoop spells it, and its path; None elsewhere."""
    address, local = _qualified(folder, io.conf())
    return None if local is None else (address, local)


def _qualified(address: str, conf: Java) -> tuple[str, str | None]:
    path = java_class(_PATH)(address)
    system = path.getFileSystem(conf)
    found = system.makeQualified(path)
    uri = found.toUri()
    if uri.getScheme() == "file":
        return str(found), str(uri.getPath())
    service = system.getCanonicalServiceName()  # with the port that the address may leave out
    return (f"{uri.getScheme()}://{service}{uri.getPath()}" if service else str(found)), None


def qualified(address: str) -> tuple[str, str | None]:
    """An address as Hadoop completes it, from its default file system and working folder, and its
    path where that is on the local disk; as it is where Hadoop has no such file system.
    """
    try:
        return _qualified(address, jvm.active_session().sessionState().newHadoopConf())
    except JVM_ERRORS:
        return address, None


def _hadoop_listing(io: Java, folder: str, names: str, *, below: bool) -> list[Listed]:
    system = java_class(_PATH)(folder).getFileSystem(io.conf())
    try:
        return _listed(_listing(jvm.gateway()).hadoop(system, folder, below, names))
    except JVM_ERRORS as error:
        if thrown_by(error).getClass().getSimpleName() == "FileNotFoundException":
            return []
        raise


def _prefix_listing(io: Java, folder: str, names: str) -> list[Listed]:
    prefix = folder.rstrip("/") + "/"
    return _listed(_listing(jvm.gateway()).prefixed(io.listPrefix(prefix), names))


def _listed(answer: str) -> list[Listed]:
    parts = iter(answer.split("\0"))
    rows = zip(parts, parts, parts, strict=False)  # the last NUL has nothing behind it
    return [Listed(address, f"{size}-{time}", int(time)) for address, size, time in rows]


@lru_cache(maxsize=1)
def _listing(gateway: Java) -> Java:
    """Listing.java."""
    loader = compiler.compiled(__package__, "Listing", compiler.context_loader())
    return compiler.instance(loader, "sparkicebergsql.Listing")


_OBJECT = re.compile(r'S3Object\(Key=(.*?), LastModified=(.*?), ETag="(.*?)"')


def _s3_listing(io: Java, folder: str) -> list[Listed]:
    """Objects with their etags, which Iceberg's own listing leaves out."""
    bucket, prefix = folder.split("//", 1)[1].split("/", 1)
    request = java_class("software.amazon.awssdk.services.s3.model.ListObjectsV2Request")
    found: list[Listed] = []
    token = None
    while True:
        wanted = request.builder().bucket(bucket).prefix(prefix.rstrip("/") + "/")
        page = io.client().listObjectsV2(wanted.continuationToken(token).build())
        for match in _OBJECT.finditer(page.contents().toString()):
            key, modified, etag = match.groups()
            instant = java_class("java.time.Instant").parse(modified)
            address = f"s3://{bucket}/{key}"
            found.append(Listed(address, etag, int(instant.toEpochMilli()), etag))
        token = page.nextContinuationToken()
        if not token:
            return found


def _blob_listing(
    blobs: tuple[str, str, str], folder: str, wanted: Callable[[str], bool] = bool
) -> list[Listed]:
    """Azure by its blob service, which also stores without a hierarchical namespace have."""
    connection, container, _ = blobs
    builder = java_class("com.azure.storage.blob.BlobServiceClientBuilder")()
    common = "com.azure.storage.common.policy"
    fixed = java_class(f"{common}.RetryPolicyType").FIXED
    time = java_class("java.time.Duration")
    patience = java_class(f"{common}.RequestRetryOptions")(
        fixed, 2, time.ofSeconds(30), time.ofMillis(500), time.ofMillis(2000), None
    )
    builder = builder.retryOptions(patience)  # a dead server is an error in seconds, not minutes
    client = builder.connectionString(connection).buildClient().getBlobContainerClient(container)
    root = folder.split("/", 3)
    prefix = root[3].rstrip("/") + "/"
    options = java_class("com.azure.storage.blob.models.ListBlobsOptions")().setPrefix(prefix)
    found = []
    for item in _lists().newArrayList(client.listBlobs(options, None)):
        if not wanted(str(item.getName())):
            continue
        properties = item.getProperties()
        modified = int(properties.getLastModified().toInstant().toEpochMilli())
        address = "/".join([*root[:3], item.getName()])
        etag = str(properties.getETag()).strip('"')
        found.append(Listed(address, f"{properties.getContentLength()}-{etag}", modified, etag))
    return found


def _lists() -> Java:
    return java_class("org.apache.iceberg.relocated.com.google.common.collect.Lists")
