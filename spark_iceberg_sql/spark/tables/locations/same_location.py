"""Comparison of locations, however they are spelled: `/t`, `file:///t/`, a link to it; s3, s3a.

To be safe, locations that are not known to be the same are treated as different.
"""

from __future__ import annotations

import os
import re

from spark_iceberg_sql.spark.bridge.io import listings
from spark_iceberg_sql.spark.tables.locations.location_mapping import LOCAL_HOSTS

_S3 = re.compile(r"s3[an]?://([^/]+)(?:/(.*))?", re.IGNORECASE | re.DOTALL)
_AZURE = re.compile(r"(?:abfs|wasb)s?://([^@/]+)@([^./]+)\.[^/]*(?:/(.*))?", re.IGNORECASE | re.DOTALL)
_FILE = "file:"
_HOST = re.compile(r"//([^/]*)")


def normalized(address: str) -> str:
    """The normalized form of an address.

    Object store keys are compared literally, as the stores do; file system paths as the file system resolves them.
    `%20` is not decoded.
    """
    if match := _S3.fullmatch(address):
        return f"s3://{match[1]}/{(match[2] or '').rstrip('/')}"
    if match := _AZURE.fullmatch(address):
        return f"abfss://{match[1]}@{match[2].lower()}/{(match[3] or '').rstrip('/')}"
    scheme, colon, path = address.partition(":")
    if scheme.lower() == "file" and (match := _HOST.match(path)) and match[1].lower() not in LOCAL_HOSTS:
        return path.rstrip("/")  # the same as no other one
    if scheme.lower() == "file":  # Hadoop accepts it in lower case only
        address = f"file{colon}{path}"
    qualified_address, local = listings.qualified(address)
    return qualified_address.rstrip("/") if local is None else _FILE + os.path.realpath(local)


def is_same(first: str, second: str) -> bool:
    """True if two locations are the same folder."""
    first_address, second_address = normalized(first), normalized(second)
    return first_address == second_address or _same_file(first_address, second_address)


def is_inside(address: str, folder: str) -> bool:
    """True if a location is a folder or inside it."""
    path, root = normalized(address), normalized(folder)
    if path == root or path.startswith(root.rstrip("/") + "/"):
        return True
    # A parent folder may be the same directory under another name (mount, upper case).
    while path.startswith(_FILE) and path not in (_FILE, _FILE + "/"):
        if _same_file(path, root):
            return True
        path = path.rpartition("/")[0]
    return False


def _same_file(first: str, second: str) -> bool:
    """True if two local paths are one file, on disks that are case-insensitive or mounted twice."""
    if not (first.startswith(_FILE) and second.startswith(_FILE)):
        return False
    try:
        return os.path.samefile(first.removeprefix(_FILE), second.removeprefix(_FILE))
    except OSError:
        return False
