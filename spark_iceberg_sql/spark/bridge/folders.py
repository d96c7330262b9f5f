"""What lies directly in a folder of a store, without listing what lies below."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from spark_iceberg_sql.spark.bridge import compiler, jvm
from spark_iceberg_sql.spark.bridge.errors import JVM_ERRORS, thrown_by
from spark_iceberg_sql.spark.bridge.file_io import Files
from spark_iceberg_sql.spark.bridge.jvm import Java, java_class
from spark_iceberg_sql.spark.bridge.listings import blob_container, local_folder
from spark_iceberg_sql.spark.bridge.location import HADOOP, S3

_SOME = 1000  # files of a folder that are looked at; its folders are all listed


@dataclass(slots=True)
class Children:
    """The names directly in a folder. files: only some of many."""

    folders: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


def can_walk(files: Files) -> bool:
    """Whether the store lists one folder at a time; Iceberg's own FileIO lists everything below."""
    location = files.location
    return location.io in (HADOOP, S3) or location.blobs is not None


def children(files: Files, folder: str) -> Children | None:
    """What lies in a folder; None if there is no such folder. In an object store such a folder is empty."""
    if files.location.io == HADOOP:
        local = local_folder(files.io, folder)
        return _hadoop(files.io, folder) if local is None else _local(local[1])
    found = Children()
    pairs = _blobs(files, folder) if files.location.blobs is not None else _objects(files, folder)
    for name in pairs:
        if name.endswith("/"):
            found.folders.append(name.rstrip("/"))
        elif name and len(found.files) < _SOME:
            found.files.append(name)
    return found


def _local(path: str) -> Children | None:
    found = Children()
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir():
                    found.folders.append(entry.name)
                elif len(found.files) < _SOME:
                    found.files.append(entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        return Children()
    return found


def _hadoop(io: Java, folder: str) -> Children | None:
    system = java_class("org.apache.hadoop.fs.Path")(folder).getFileSystem(io.conf())
    try:
        answer = str(_java(jvm.gateway()).hadoop(system, folder))
    except JVM_ERRORS as error:
        if thrown_by(error).getClass().getSimpleName() == "FileNotFoundException":
            return None
        raise
    names = answer.split("\0")[:-1]
    return Children(
        [name[1:] for name in names if name[0] == "d"],
        [name[1:] for name in names if name[0] == "f"][:_SOME],
    )


@lru_cache(maxsize=1)
def _java(gateway: Java) -> Java:
    """Folders.java."""
    loader = compiler.compiled(__package__, "Folders", compiler.context_loader())
    return compiler.instance(loader, "sparkicebergsql.Folders")


def _objects(files: Files, folder: str) -> Iterator[str]:
    """The names under a prefix of S3; folders end with a slash."""
    bucket, _, path = folder.split("//", 1)[1].partition("/")
    prefix = f"{path.strip('/')}/" if path.strip("/") else ""
    request = java_class("software.amazon.awssdk.services.s3.model.ListObjectsV2Request").builder()
    token = None
    while True:
        wanted = request.bucket(bucket).prefix(prefix).delimiter("/").continuationToken(token)
        page = files.io.client().listObjectsV2(wanted.build())
        for one in page.commonPrefixes():
            yield str(one.prefix())[len(prefix) :]
        for one in page.contents():
            yield str(one.key())[len(prefix) :]
        token = page.nextContinuationToken()
        if not token:
            return


def _blobs(files: Files, folder: str) -> Iterator[str]:
    assert files.location.blobs is not None
    client = blob_container(files.location.blobs)
    root = folder.split("/", 3)
    path = root[3].strip("/") if len(root) > 3 else ""
    prefix = f"{path}/" if path else ""
    options = java_class("com.azure.storage.blob.models.ListBlobsOptions")().setPrefix(prefix)
    for item in client.listBlobsByHierarchy("/", options, None):
        yield str(item.getName())[len(prefix) :]


def content(files: Files, location: str) -> bytes:
    """All bytes of a file."""
    if files.location.io == HADOOP:
        local = local_folder(files.io, location)
        if local is not None:
            with open(local[1], "rb") as file:
                return file.read()
    stream = files.io.newInputFile(location).newStream()
    try:
        return bytes(stream.readAllBytes())
    finally:
        stream.close()
