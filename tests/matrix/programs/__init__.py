"""What runs in a process of its own: clients that send a cell's statements."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from matrix.parts import UnavailableError
from matrix.processes import FailedError

if TYPE_CHECKING:
    from matrix.parts import Bench


def compiled(bench: Bench) -> Path:
    """A jar with the class `Statements`, compiled for a cell's Spark. Raises UnavailableError without a JDK."""
    jar: Path = bench.once(("Statements", bench.spark, bench.scala), lambda: _compile(bench))
    return jar


def _compile(bench: Bench) -> Path:
    javac = shutil.which("javac")
    if javac is None:
        raise UnavailableError("no javac on PATH")
    folder = bench.shared.folder / f"classes-{bench.spark}-{bench.scala}"
    source = Path(__file__).with_name("Statements.java")
    command = [javac, "--release", "17", "-nowarn", "-cp", f"{bench.home / 'jars'}/*", "-d", str(folder), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError(f"javac: {done.stderr[-500:]}")
    jar = folder / "statements.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for path in folder.glob("*.class"):
            archive.write(path, path.name)
    return jar
