"""The axis of Python versions: of the session, or of the client where the session has another one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from matrix.parts import UnavailableError, cache

# What this package imports in a session; pyspark and py4j come from a folder.
_DEPENDENCIES = ("sqlparse", "wcwidth", "regex", "filelock", "tomli", "packaging")


@dataclass(frozen=True, slots=True)
class Python:
    """A Python version, such as `3.11`."""

    name: str

    @property
    def title(self) -> str:
        """For the page."""
        return f"Python {self.name}"

    def session(self, older_spark: bool) -> Path:
        """An interpreter with what a session imports. older_spark: it imports `distutils`. Raises UnavailableError."""
        extra = ("setuptools<81",) if older_spark else ()
        return self.environment("session-3.5" if older_spark else "session", (*_DEPENDENCIES, *extra))

    def environment(self, name: str, packages: tuple[str, ...]) -> Path:
        """The interpreter of a virtual environment with these packages, from the cache. Raises UnavailableError."""
        folder = cache() / "tests" / "matrix" / f"python-{self.name}-{name}"
        interpreter, complete = folder / "bin" / "python", folder / "complete"
        if not complete.is_file():
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([str(self._interpreter()), "-m", "venv", str(folder)], check=True, timeout=120)
            command = [str(interpreter), "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages]
            done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
            if done.returncode:
                raise UnavailableError(f"pip cannot install {' '.join(packages)} on Python {self.name}")
            complete.touch()
        return interpreter

    def _interpreter(self) -> Path:
        if sys.version_info[:2] == tuple(map(int, self.name.split("."))):
            return Path(sys.executable)
        for path in self._candidates():
            if path.is_file():
                return path
        raise UnavailableError(f"Python {self.name} was not installed where this was run")

    def _candidates(self) -> Iterator[Path]:
        command = f"python{self.name}"
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        yield from sorted(pyenv.glob(f"{self.name}.*/bin/{command}"))
        if (path := shutil.which(command)) is not None:
            yield Path(path)


CURRENT = "{}.{}".format(*sys.version_info)
PYTHONS = {name: Python(name) for name in ("3.11", "3.10", "3.12", "3.13", "3.14")}
