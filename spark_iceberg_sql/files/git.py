"""Git: the files that it ignores, and a project at an earlier commit."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from spark_iceberg_sql.errors import FileError
from spark_iceberg_sql.records import record

# What a check may read: SQL, settings, changelogs, metadata.
_READ_SUFFIXES = ("sql", "hql", "ddl", "py", "ipynb", "toml", "json", "xml", "yaml", "yml", "gz")
_BATCH_SIZE = 500  # files whose content is in memory together

# git sets these for a hook, relative to the hook's repository.
_HOOK_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")

# A repository's configuration and folders name programs for many occasions; what is read here needs none of them.
_SAFE_CONFIG = {
    "core.quotePath": "false",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "safe.bareRepository": "explicit",  # a folder of a clone may look like a repository, with hooks
}
# A partial clone fetches what it lacks with the program that its configuration names (`uploadpack`).
_NO_TRANSPORT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
_TIMEOUT = 30  # seconds; what the configuration names may be a pipe, and never end


def ignored_paths(folder: str) -> frozenset[str]:
    """The files and folders in a folder that git ignores, as full paths; tracked files are never ignored.

    Empty if the folder is not in a repository, if git is not installed, or if the folder itself is ignored:
    in that case, whoever named it wants it checked.
    """
    top = Path(folder).absolute()
    if not _in_repository(top):
        return frozenset()
    args = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
    try:
        names = _git(args, folder).split(b"\0")
    except FileError:
        return frozenset()
    if b"./" in names:  # the folder itself, or everything in it
        try:
            _git(("check-ignore", "--quiet", "."), folder)
        except FileError:
            names = _git([arg for arg in args if arg != "--directory"], folder).split(b"\0")
        else:
            return frozenset()
    return frozenset(os.path.join(top, os.fsdecode(name).rstrip("/")) for name in names if name)


def has_tracked_files(folder: Path) -> bool:
    """True if git tracks a file in a folder; False if the folder is not in a repository."""
    try:
        return _in_repository(folder.absolute()) and bool(_git(("ls-files", "-z", "--", "."), folder))
    except FileError:
        return False


def _in_repository(folder: Path) -> bool:
    """True if a folder, given as a full path, is in a repository: most caches are not, which saves a process."""
    return any(os.path.exists(above / ".git") for above in (folder, *folder.parents))


@record()
class Snapshot:
    """A project at a commit. top: the work tree's top folder. commit: its hash. into: an empty folder for its files."""

    top: Path
    commit: str
    into: Path

    @cached_property
    def folder(self) -> Path:
        """The folder with the files at the commit, written on first use. Raises FileError if git fails."""
        folder = self.into / "tree"
        folder.mkdir()
        (folder / ".git").mkdir()  # the top of a repository, to settings that name files of it
        index = {"GIT_INDEX_FILE": str(self.into / "index")}
        _git(("read-tree", self.commit), self.top, index)  # refuses paths that lead elsewhere
        patterns = [f"*.{end}" for end in _READ_SUFFIXES]
        entries = _git(("ls-files", "--stage", "-z", "--", *patterns), self.top, index)
        _write_blobs(self.top, folder, _blobs(entries))
        return folder.resolve()

    @cached_property
    def renames(self) -> Mapping[str, str]:
        """The path at the commit of each renamed file, by its current path; both relative to the top."""
        # A tenth in common is enough: what else is in the file is compared finding by finding.
        # With the index: to compare the work tree, git would run filters.
        options = (
            "--cached",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=all",  # git would run in each, by its own configuration
            "--find-renames=10%",
            "--diff-filter=R",
            "--name-status",
            "-z",
        )
        fields = [os.fsdecode(field) for field in _git(("diff", *options, self.commit), self.top).split(b"\0")]
        return dict(zip(fields[2::3], fields[1::3], strict=False))

    def path_of(self, name: str) -> Path | None:
        """The file at the commit; None if it did not exist. name: its current path."""
        try:
            path = Path(name).absolute().relative_to(self.top).as_posix()
        except ValueError:
            return None
        old_name = self.renames.get(path)
        if old_name is not None and (self.top / old_name).exists():
            old_name = None  # the file is there again, and what it had is its own
        snapshot_path = self.folder / (old_name or path)
        return snapshot_path if snapshot_path.is_file() else None


class _Blob(NamedTuple):
    """A file at a commit. path: relative to the top."""

    mode: bytes
    digest: bytes
    path: bytes

    @property
    def is_link(self) -> bool:
        return self.mode == b"120000"


def _blobs(entries: bytes) -> list[_Blob]:
    """The files among the entries of an index, as `ls-files --stage -z` writes them."""
    blobs = []
    for entry in filter(None, entries.split(b"\0")):
        metadata, path = entry.split(b"\t", 1)
        mode, digest, _ = metadata.split(b" ")
        if mode != b"160000":  # a submodule
            blobs.append(_Blob(mode, digest, path))
    return blobs


def _write_blobs(top: Path, folder: Path, blobs: Sequence[_Blob]) -> None:
    """Write files into an empty folder: links after all others, so that nothing is written through one."""
    in_order = sorted(blobs, key=lambda blob: blob.is_link)
    for batch_start in range(0, len(in_order), _BATCH_SIZE):
        batch = in_order[batch_start : batch_start + _BATCH_SIZE]
        names = b"".join(blob.digest + b"\n" for blob in batch)
        contents, offset = _git(("cat-file", "--batch"), top, stdin=names), 0
        for blob in batch:
            begin = contents.index(b"\n", offset) + 1
            offset = begin + int(contents[offset:begin].rsplit(b" ", 1)[1])
            content, offset = contents[begin:offset], offset + 1
            path = os.path.join(os.fsencode(folder), blob.path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if blob.is_link:
                os.symlink(content, path)
            else:
                with open(path, "xb") as file:
                    file.write(content)


@contextmanager
def snapshot(ref: str) -> Iterator[Snapshot]:
    """The project at the merge base of the current branch and another one.

    ref: a branch, tag or commit. Raises FileError if there is no repository, no such commit, or no merge base.
    """
    top = Path(os.fsdecode(_git(("rev-parse", "--show-toplevel"))).rstrip("\n"))
    try:
        if not ref or ref.startswith("-"):
            raise FileError("")
        _git(("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"))
    except FileError:
        raise FileError(f"unknown commit `{ref}`; it may not have been fetched") from None
    try:
        commit = _git(("merge-base", ref, "HEAD")).decode().strip()
    except FileError:
        raise FileError(
            f"`{ref}` and the current branch have no common commit; a shallow clone must be fetched in full"
        ) from None
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="iceberg-sql-") as temporary:
        yield Snapshot(top.resolve(), commit, Path(temporary))


def _git(
    args: Sequence[str],
    folder: str | Path = ".",
    extra_environment: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> bytes:
    """The output of a git command, which runs no program that a repository names. Raises FileError.

    No command here reads or writes the work tree: git would run the filters in the repository's configuration, whose
    names can be such that none of git's own settings turns them off.
    """
    import subprocess

    environment = {key: value for key, value in os.environ.items() if key not in _HOOK_VARIABLES}
    # Like `-c`, but for names that contain `=`, too.
    count = int(environment.get("GIT_CONFIG_COUNT") or 0)
    for number, (name, value) in enumerate(_SAFE_CONFIG.items(), start=count):
        environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    environment["GIT_CONFIG_COUNT"] = str(count + len(_SAFE_CONFIG))
    try:
        result = subprocess.run(
            ["git", *args],
            cwd=folder,
            input=stdin,
            capture_output=True,
            check=False,
            env={**environment, **_NO_TRANSPORT, **(extra_environment or {})},
            timeout=_TIMEOUT,
        )
    except OSError as error:
        raise FileError(f"git cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise FileError(f"git did not answer within {_TIMEOUT} seconds") from None
    if result.returncode != 0:
        stderr_lines = result.stderr.decode(errors="replace").strip().splitlines()
        fatal = [line.removeprefix("fatal: ") for line in stderr_lines if line.startswith("fatal:")]
        raise FileError(f"git: {[*fatal, *stderr_lines, f'exit code {result.returncode}'][0]}")
    return result.stdout
