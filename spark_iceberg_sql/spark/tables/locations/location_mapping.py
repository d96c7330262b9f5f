"""The mapping of addresses of a table that is not at the location in its metadata.

The metadata, manifests and delete files of a copied or moved table contain the original's addresses, as the writer
spelled them. Those below the original location are mapped; all others are unchanged. A relative address belongs to the
folder that the table is in (spec: version 4), and never to the working directory of a process.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

# Not from the root of a file system or store. As relative to a folder, it is completed by the folder.
_RELATIVE = r"(?![A-Za-z][A-Za-z0-9+.-]*:|/)"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/]*))?(.*)", re.DOTALL)
# Of file: addresses. Some writers put a relative path after file://, whose first folder is then the host.
LOCAL_HOSTS = ("", "localhost")
# A file system resolves `..`, so such an address may lead out of the folder. An object store does not.
_NO_WAY_UP = r"(?!(?s:.*/)?\.\.(?:/|$))"


@dataclass(frozen=True, slots=True)
class LocationMapping:
    """The mapping of a relocated table's addresses to its folder.

    declared_location: the location in its metadata. folder: where the table was found. pattern: of the prefixes to map,
    valid in Java and Python. replacement: of the prefix. is_relative: whether addresses in its metadata are relative,
    so that the table is where it belongs.
    """

    declared_location: str
    folder: str
    pattern: str
    replacement: str
    is_relative: bool = False

    def current_address(self, address: str) -> str:
        """The current address of a file."""
        match = re.match(self.pattern, address)
        return self.replacement + address[match.end() :] if match else address


def is_relative(address: str) -> bool:
    """True if an address neither has a scheme nor begins at a root."""
    return re.match(_RELATIVE, address) is not None


@lru_cache(maxsize=1024)
def map_location(declared_location: str, folder: str) -> LocationMapping:
    """The mapping of a table. declared_location: the location in its metadata. folder: where it was found."""
    original_pattern = location_pattern(declared_location)
    is_nested = re.match(original_pattern, folder.rstrip("/") + "/") is not None
    # A copy inside the original: addresses already in the copy are not mapped again.
    pattern = f"(?!{location_pattern(folder)}){original_pattern}" if is_nested else original_pattern
    return LocationMapping(declared_location, folder, f"(?:{pattern}|{_RELATIVE})", folder.rstrip("/") + "/")


def location_pattern(location: str) -> str:
    """A pattern, valid in Java and Python, of all spellings of a location, with its trailing slash."""
    if is_relative(location):
        return rf"(?:\.?/)*{_path_pattern(location, root='')}"
    match = _SCHEME.fullmatch(location)
    scheme, authority, path = match.groups() if match else ("", None, location)
    scheme, authority = scheme.lower(), authority or ""
    # Three schemes of one store: s3, s3a and s3n.
    if re.fullmatch("s3[an]?", scheme):
        return f"(?i:s3[an]?)://{re.escape(authority)}{_exact(path)}"
    if re.fullmatch("(?:abfs|wasb)s?", scheme):
        account = re.match(r"([^.]*)(?:\.(?:dfs|blob)(\..*))?", authority)
        assert account is not None
        suffix = rf"\.(?:dfs|blob){re.escape(account[2])}" if account[2] else re.escape(authority[account.end() :])
        return f"(?i:abfs|wasb)s?://{re.escape(account[1])}{suffix}{_exact(path)}"
    if scheme == "file" and authority.lower() not in LOCAL_HOSTS:
        return rf"(?i:file)://{re.escape(authority)}{_path_pattern(path)}"
    if scheme == "file":
        return f"(?:(?i:file):(?://(?:localhost)?)?)?{_path_pattern(path)}"
    if scheme == "hdfs":
        # HDFS's default port, which an address may omit.
        name_node = authority.removesuffix(":8020")
        port = "" if ":" in name_node else "(?::8020)?"
        authority_pattern = f"(?:{re.escape(name_node)}{port})?" if name_node else "[^/]*"
        return f"(?:(?i:hdfs):(?://{authority_pattern})?)?{_path_pattern(path)}"
    if not scheme:  # the default file system is unknown
        return f"(?:(?i:file|hdfs|viewfs):(?://[^/]*)?)?{_path_pattern(path)}"
    return f"(?i:{re.escape(scheme)})://{re.escape(authority)}{_exact(path)}"


def _exact(path: str) -> str:
    return f"{re.escape(path.rstrip('/'))}/"


def _path_pattern(path: str, root: str = r"/(?:\.?/)*") -> str:
    """A pattern of a file system path, with `//` and `/./` as `/`. root: the pattern that it begins with."""
    segments = [re.escape(segment) for segment in path.split("/") if segment not in ("", ".")]
    return root + "".join(rf"{segment}/(?:\.?/)*" for segment in segments) + _NO_WAY_UP
