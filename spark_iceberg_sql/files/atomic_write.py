"""Atomic replacement of a file's content that keeps its owner, mode and attributes."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.files.repository_paths import escaping_link


def replace_file(path: Path, content: bytes, *, old_content: bytes | None = None) -> None:
    """Replace the content of a file, or of a link's target, atomically.

    path: the file, which may not exist yet. content: the new content. old_content: the content that the file must still
    have. Mode, owner, attributes and hard links are kept. Raises FileError, and leaves the file unchanged, if the file
    or its folder is read-only, if it is not a regular file, if its content has changed, or if a link leads out of the
    repository: a stranger's repository may contain such a link.
    """
    if link_and_tree := escaping_link(path):
        link, tree = link_and_tree
        name = "the link" if link == path.absolute() else f"the link `{link}`"
        raise FileError(f"cannot write `{path}`: {name} points outside `{tree}`; name the file itself")
    target = path.resolve()
    try:
        status = target.stat() if target.exists() else None
        if status is not None and not stat.S_ISREG(status.st_mode):
            if old_content is not None:
                raise FileError(f"cannot write `{path}`: it is not a regular file")
            target.write_bytes(content)  # a device or a pipe as output
            return
        if status is not None and (not status.st_mode & 0o222 or not os.access(target, os.W_OK)):
            raise FileError(f"cannot write `{path}`: the file is read-only")
        if old_content is not None and target.read_bytes() != old_content:
            raise FileError(f"cannot write `{path}`: it has changed since it was read")
        _replace_target(target, content, status)
    except OSError as error:
        is_read_only = isinstance(error, PermissionError) and not os.access(target.parent, os.W_OK)
        reason = f"the folder `{target.parent}` is read-only" if is_read_only else error.strerror or str(error)
        raise FileError(f"cannot write `{path}`: {reason}") from None


def _replace_target(target: Path, content: bytes, status: os.stat_result | None) -> None:
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if status is None:
            os.chmod(temporary, 0o666 & ~_current_umask())
        if status is not None and (status.st_nlink > 1 or not _copy_attributes(target, temporary, status)):
            # The new content is safe on disk by now and is copied over the old.
            _overwrite(target, content)
        else:
            os.replace(temporary, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def _copy_attributes(target: Path, copy: str, status: os.stat_result) -> bool:
    """Give a copy the owner, mode and attributes of a file. Returns False if that is not permitted."""
    try:
        os.chown(copy, status.st_uid, status.st_gid)
        shutil.copystat(target, copy)
        os.utime(copy)
    except OSError:
        return False
    return True


def _overwrite(target: Path, content: bytes) -> None:
    """Overwrite a file in place; if that fails, restore its old content."""
    with target.open("r+b") as file:
        old = file.read()
        try:
            _rewrite(file, content)
        except BaseException:
            _rewrite(file, old)
            raise


def _rewrite(file: BinaryIO, content: bytes) -> None:
    file.seek(0)
    file.write(content)
    file.truncate()
    file.flush()
    os.fsync(file.fileno())


def _current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
