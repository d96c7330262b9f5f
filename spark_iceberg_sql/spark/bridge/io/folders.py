"""The direct content of a folder in a store, without listing its subfolders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from spark_iceberg_sql.spark.bridge.io import local_folders
from spark_iceberg_sql.spark.bridge.io.file_io import Files, require_size
from spark_iceberg_sql.spark.bridge.io.listings import blob_container, local_folder
from spark_iceberg_sql.spark.bridge.io.location import HADOOP, S3
from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, thrown_by
from spark_iceberg_sql.spark.bridge.jvm.java_records import from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import FolderContent

_MAX_FILES = 1000  # files of a folder that are listed; its subfolders are all listed


@dataclass(slots=True)
class Children:
    """The names directly in a folder. files: only the first ones if there are many."""

    folders: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Tree:
    """The folders of a store. files: opens its files. local: on the local disk, which needs no JVM."""

    files: Files
    local: bool

    @property
    def can_walk(self) -> bool:
        """True if the store lists one folder at a time; Iceberg's own FileIO lists everything below a
        prefix.
        """
        location = self.files.location
        return location.io in (HADOOP, S3) or location.blobs is not None

    def children(self, folder: str) -> Children | None:
        """The content of a folder; None if it does not exist (in an object store it is then empty)."""
        if self.local:
            return _local(_path(folder))
        if self.files.location.io == HADOOP:
            return _hadoop(self.files.io, folder)
        blobs, listing = self.files.location.blobs, Children()
        for name in _blobs(blobs, folder) if blobs is not None else _objects(self.files, folder):
            if name.endswith("/"):
                listing.folders.append(name.rstrip("/"))
            elif name and len(listing.files) < _MAX_FILES:
                listing.files.append(name)
        return listing

    def metadata_files(self, table: str) -> dict[str, str | None]:
        """The metadata files of a table's folder, with their stamps if the listing has them."""
        folder = f"{table.rstrip('/')}/metadata"
        if self.local:
            return {f"{folder}/{n}": None for n in local_folders.metadata_files(_path(folder))}
        return self.files.metadata_files(folder)

    def content(self, location: str) -> bytes:
        """All bytes of a file. Raises BrokenFileError for one that is too large to be a table's metadata."""
        if self.local:
            path = _path(location)
            require_size(location, os.path.getsize(path))
            with open(path, "rb") as file:
                return file.read()
        return content(self.files, location)


def tree(files: Files, folder: str) -> tuple[Tree, str]:
    """The subfolders of a folder, and its address with an absolute path."""
    probe = folder if folder.strip("/") else f"{folder}."  # Hadoop has no file system for the root
    local = local_folder(files.io, probe) if files.location.io == HADOOP else None
    if local is not None and not _ABSOLUTE.match(folder):
        folder = local[1]
    return Tree(files, local is not None), folder


_ABSOLUTE = re.compile(r"/|file:/", re.IGNORECASE)


def _path(address: str) -> str:
    return re.sub(r"^file:/+", "/", address, flags=re.IGNORECASE)


def _local(path: str) -> Children | None:
    listing = Children()
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir():
                    listing.folders.append(entry.name)
                elif len(listing.files) < _MAX_FILES:
                    listing.files.append(entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        return Children()
    return listing


def _hadoop(io: Java, folder: str) -> Children | None:
    if re.fullmatch(r"[^/]+://[^/]+", folder):
        folder += "/"  # the root of a name node
    system = java_class("org.apache.hadoop.fs.Path")(folder).getFileSystem(io.conf())
    try:
        text = compiler.shared_instance(__package__, "Folders", FolderContent).hadoop(system, folder)
    except JVM_ERRORS as error:
        if thrown_by(error).getClass().getSimpleName() == "FileNotFoundException":
            return None
        raise
    content = from_json(FolderContent, text)
    return Children(list(content.folders), list(content.files[:_MAX_FILES]))


def _objects(files: Files, folder: str) -> Iterator[str]:
    """The names under a prefix of S3; folders end with a slash."""
    bucket, _, path = folder.split("//", 1)[1].partition("/")
    prefix = f"{path.strip('/')}/" if path.strip("/") else ""
    request = java_class("software.amazon.awssdk.services.s3.model.ListObjectsV2Request").builder()
    token = None
    while True:
        page_request = request.bucket(bucket).prefix(prefix).delimiter("/").continuationToken(token)
        page = files.io.client().listObjectsV2(page_request.build())
        for entry in page.commonPrefixes():
            yield str(entry.prefix())[len(prefix) :]
        for entry in page.contents():
            yield str(entry.key())[len(prefix) :]
        token = page.nextContinuationToken()
        if not token:
            return


def _blobs(blobs: tuple[str, str, str], folder: str) -> Iterator[str]:
    client = blob_container(blobs)
    root = folder.split("/", 3)
    path = root[3].strip("/") if len(root) > 3 else ""
    prefix = f"{path}/" if path else ""
    options = java_class("com.azure.storage.blob.models.ListBlobsOptions")().setPrefix(prefix)
    lists = java_class("org.apache.iceberg.relocated.com.google.common.collect.Lists")
    for item in lists.newArrayList(client.listBlobsByHierarchy("/", options, None)):
        yield str(item.getName())[len(prefix) :]


def content(files: Files, location: str) -> bytes:
    """All bytes of a file. Raises BrokenFileError for one that is too large to be a table's metadata."""
    file = files.io.newInputFile(location)
    require_size(location, file.getLength())
    stream = file.newStream()
    try:
        return bytes(stream.readAllBytes())
    finally:
        stream.close()
