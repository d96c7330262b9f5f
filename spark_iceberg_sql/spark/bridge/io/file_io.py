"""Iceberg's FileIO as the table functions use it: opened once, then used to list folders and read metadata."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from spark_iceberg_sql.model.metadata.metadata_files import (
    HEAD,
    METADATA_NAMES,
    Head,
    is_metadata_file,
    metadata_file,
    read_head,
)
from spark_iceberg_sql.spark.bridge.io import local_folders
from spark_iceberg_sql.spark.bridge.io.hadoop_stores import has_client
from spark_iceberg_sql.spark.bridge.io.listings import (
    ANY,
    StoredFile,
    blob_listing,
    hadoop_listing,
    local_folder,
    prefix_listing,
    s3_listing,
)
from spark_iceberg_sql.spark.bridge.io.location import HADOOP, NEEDS, S3, Location
from spark_iceberg_sql.spark.bridge.jvm import gateway
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class

_LOCAL = "file:/"
MAX_METADATA_SIZE = 128 << 20  # bytes of a metadata file: one of a hundred thousand snapshots has about 50 MB
_MAX_PARSED = 256  # parsed metadata files kept for each FileIO


@dataclass(slots=True)
class Files:
    """A FileIO with a cache of the metadata files read through it.

    io: Iceberg's FileIO. location: the location it was opened for. parsed: metadata files by address and stamp,
    in order of last use.
    """

    io: Java
    location: Location
    parsed: OrderedDict[tuple[str, str], Java] = field(default_factory=OrderedDict, repr=False)

    @property
    def _hadoop(self) -> bool:
        return self.location.io == HADOOP

    def folder(self, folder: str, *, etags: bool = False) -> list[StoredFile]:
        """The files of a folder and all its subfolders; empty if there is none.

        etags: whether to include them, which costs more in some stores.
        """
        if self._hadoop:
            return hadoop_listing(self.io, folder, ANY, below=True)
        if self.location.blobs is not None:
            return blob_listing(self.location.blobs, folder)
        if etags and self.location.io == S3:
            return s3_listing(self.io, folder)
        return prefix_listing(self.io, folder, ANY)

    def metadata_files(self, folder: str) -> dict[str, str | None]:
        """The metadata files directly in a folder, with their stamps if the listing includes them.

        A metadata folder may have a hundred manifests per metadata file: other files are skipped by name, and
        on a local disk only the chosen files are inspected.
        """
        if self._hadoop:
            local = local_folder(self.io, folder)
            if local is not None:
                address, path = local
                return {f"{address}/{name}": None for name in local_folders.metadata_files(path)}
            listing = hadoop_listing(self.io, folder, METADATA_NAMES, below=False)
        elif self.location.blobs is not None:
            listing = blob_listing(self.location.blobs, folder, is_metadata_file)
        else:
            listing = prefix_listing(self.io, folder, METADATA_NAMES)
        return {file.location: file.stamp for file in listing if is_metadata_file(file.location)}

    def stamp(self, location: str) -> str | None:
        """The stamp of a metadata file for which `metadata_files` returned none; None if there is no such file."""
        try:
            status = os.stat(location.removeprefix("file:"))
        except OSError:
            return None
        return f"{status.st_size}-{status.st_mtime_ns}-{status.st_ino}"

    def heads(self, locations: Sequence[str]) -> list[Head]:
        """The heads of metadata files, from their first bytes.

        Raises Refusal with the file that cannot be read.
        """
        # Threads help only with the latency of a store; local files are read without the JVM.
        if len(locations) < 8 or (self._hadoop and locations[0].startswith(_LOCAL)):
            return [self._head(location) for location in locations]
        with ThreadPoolExecutor(16) as pool:
            return list(pool.map(self._head, locations))

    def _head(self, location: str) -> Head:
        if self._hadoop and location.startswith(_LOCAL):
            with suppress(OSError), open(location.removeprefix("file:"), "rb") as file:  # Hadoop reports what is wrong
                return _head_of(location, file.read)
        stream = self.io.newInputFile(location).newStream()
        try:
            return _head_of(
                location, lambda size=None: bytes(stream.readAllBytes() if size is None else stream.readNBytes(size))
            )
        finally:
            stream.close()

    def metadata(self, location: str, stamp: str | None, *, cached: bool) -> Java:
        """A parsed metadata file.

        Files do not change, but a table that is dropped and recreated reuses their names, so only a file with a
        uuid in its name is identified by the name alone.
        """
        if stamp is None:
            parsed_name = metadata_file(location)
            stamp = "" if parsed_name is not None and parsed_name.uuid else None
        if not cached or stamp is None:
            return self._parse(location)
        key = (location, stamp)
        metadata = self.parsed.get(key)
        if metadata is None:
            metadata = self._parse(location)
            with _lock:
                self.parsed[key] = metadata
                while len(self.parsed) > _MAX_PARSED:
                    self.parsed.popitem(last=False)
        return metadata

    def _parse(self, location: str) -> Java:
        return java_class("org.apache.iceberg.TableMetadataParser").read(self.io, location)


def _head_of(location: str, read: Callable[..., bytes]) -> Head:
    """The head of a metadata file; the whole file is read if the first bytes do not contain it."""
    content = read(HEAD)
    head = _read(location, content)
    if len(content) == HEAD and (head.table_uuid is None or head.updated_ms is None):
        head = _read(location, content + read(MAX_METADATA_SIZE + 1 - HEAD))
    return head


def require_size(location: str, size: int) -> None:
    """Raise BrokenFileError for a file that is too large to be a table's metadata. size: in bytes."""
    if size > MAX_METADATA_SIZE:
        raise BrokenFileError(location, f"it has more than {MAX_METADATA_SIZE >> 20} MB, which is no table's metadata")


def _read(location: str, content: bytes) -> Head:
    require_size(location, len(content))
    try:
        return read_head(content)
    except RecursionError:
        raise BrokenFileError(location, "its JSON is nested too deeply") from None
    except ValueError as error:
        raise BrokenFileError(location, str(error)) from None


class BrokenFileError(ValueError):
    """The refusal of a metadata file that cannot be read: its location and the reason."""

    def __init__(self, location: str, reason: str) -> None:
        super().__init__(f"`{location}` cannot be read: {reason}")
        self.location = location
        self.reason = reason


_lock = threading.Lock()
# The keys of _open_files are hashes of credentials: the salt makes them useless outside this process.
_SALT = os.urandom(32)
_open_files: OrderedDict[bytes, Files] = OrderedDict()
# FileIOs kept; the oldest is left to the garbage collector, because plans may still use it.
_MAX_OPEN = 64


def open_files(location: Location, *, cached: bool, blocked_schemes: frozenset[str] = frozenset()) -> Files:
    """The FileIO for a location: one for each set of properties in a session, so that Iceberg's manifest cache
    serves later calls.

    cached: whether it caches manifests. blocked_schemes: schemes that Hadoop does not open for it.

    Raises Refusal if the store's classes are not on the class path.
    """
    session = gateway.active_session()
    properties = dict(location.properties)
    if cached:
        properties["io.manifest.cache-enabled"] = "true"
    key_text = repr(
        (
            location.io,
            sorted(properties.items()),
            sorted(blocked_schemes),
            session.sessionUUID(),
            _store_settings(session, location),
        )
    )
    key = hashlib.blake2b(key_text.encode(), key=_SALT).digest()  # keys and passwords among them
    with _lock:
        files = _open_files.get(key)
    if files is None:
        _require_classes(location)
        load = java_class("org.apache.iceberg.CatalogUtil").loadFileIO
        files = Files(load(location.io, properties, _hadoop_conf(session, blocked_schemes)), location)
        with _lock:
            files = _open_files.setdefault(key, files)
            while len(_open_files) > _MAX_OPEN:
                _open_files.popitem(last=False)
    return files if files.location == location else Files(files.io, location, files.parsed)


def _store_settings(session: Java, location: Location) -> int:
    """A hash of what the session's configuration says of Hadoop's stores now; 0 where they open nothing remote."""
    if location.io != HADOOP or location.path.startswith(("/", _LOCAL)):
        return 0
    return int(session.sessionState().newHadoopConf().getPropsWithPrefix("fs.").hashCode())


def _require_classes(location: Location) -> None:
    if has_client(location):
        return
    version = java_class("org.apache.iceberg.IcebergBuild").version()
    raise gateway.invalid_value(
        "iceberg",
        "url",
        f"this session does not have the classes to read `{location.path}`; start it with "
        f"spark.jars.packages={NEEDS[location.io][1].format(version)}",
    )


def _hadoop_conf(session: Java, blocked_schemes: Iterable[str]) -> Java:
    """Hadoop's configuration, in which an unreachable name node fails within seconds, unless the user has
    configured it.

    Hadoop's own defaults are 10 s for a refused connection and 15 min without an answer.
    """
    conf = session.sessionState().newHadoopConf()
    timeouts = {
        "ipc.client.connect.max.retries": ("10", "2"),
        "ipc.client.connect.max.retries.on.timeouts": ("45", "1"),
        "ipc.client.connect.timeout": ("20000", "5000"),
    }
    for name, (default, short) in timeouts.items():
        if (conf.get(name) or default) == default:
            conf.set(name, short)
    for scheme in blocked_schemes:  # Hadoop's error has the name of a class that does not exist
        conf.set(f"fs.{scheme}.impl", f"spark.iceberg_sql.allowed_locations without {scheme}:")
        conf.set(f"fs.{scheme}.impl.disable.cache", "true")
    return conf
