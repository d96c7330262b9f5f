"""The axis of lay-outs: how Spark, Iceberg and this package lie on a platform, rebuilt on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from matrix.parts import ROOT, Bench, UnavailableError
from matrix.processes import FailedError, last_lines
from matrix.pythons import PYTHONS

_RUNNING, _KERNEL = "running.py", "kernel.py"
_SYSTEM_JAR = "iceberg-spark3-runtime.jar"  # as EMR names it
# What root may do to a file that is closed to it; without them its modes hold for root, too.
_WITHOUT = "-dac_override,-dac_read_search,-fowner"


@dataclass(frozen=True, slots=True)
class Layout:
    """A lay-out. prepare: changes what a cell runs with."""

    name: str
    title: str
    prepare: Callable[[Bench], None]


def _usual(bench: Bench) -> None:
    """This package starts the session, and pip's pyspark is beside it."""


def _system(bench: Bench) -> None:
    """Spark as a distribution: Iceberg among its jars under another name, all settings in spark-defaults.conf."""
    _installed(bench)
    _distribution(bench, bench.runtime)
    bench.job["mode"] = "install"


def _extra_class_path(bench: Bench) -> None:
    """As _system, but Iceberg in a folder of its own, on the class path that Spark's settings name."""
    _installed(bench)
    for process in ("driver", "executor"):
        bench.settings[f"spark.{process}.extraClassPath"] = str(bench.runtime)
    _distribution(bench, None)
    bench.job["mode"] = "install"


def _init_script(bench: Bench) -> None:
    """As _system, and an init script has put the jar of `iceberg-sql jar` beside Iceberg's."""
    from matrix.ways import extension_jar

    jar = extension_jar(bench)
    _system(bench)
    shutil.copy(jar, bench.home / "jars")


def _read_only(bench: Bench) -> None:
    """Nothing but the folder for temporary files can be written to, not even the home."""
    _installed(bench)
    _with_runtime(bench)
    home = bench.folder / "home"
    bench.job |= {"mode": "install", "closed": str(home)}
    home.mkdir()
    for folder in (home, bench.python_path[-1]):
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
    bench.variables |= {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": ""}
    bench.omitted += ("SPARK_ICEBERG_SQL_CACHE",)
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise UnavailableError("no setpriv on PATH")
    bench.prefix = (setpriv, f"--bounding-set={_WITHOUT}", f"--inh-caps={_WITHOUT}")


def _py_files(suffix: str) -> Callable[[Bench], None]:
    def prepare(bench: Bench) -> None:
        """`spark-submit --py-files`, the package nowhere else."""
        file = _wheel(bench)
        if suffix != file.suffix:
            file = Path(shutil.copy(file, bench.folder / f"spark_iceberg_sql{suffix}"))
        _with_runtime(bench)
        bench.python_path = bench.python_path[:1]
        bench.job["mode"] = "install"
        bench.submit = ("--py-files", str(file))
        bench.program = _RUNNING

    return prepare


def _statements(bench: Bench) -> None:
    """As Livy does: statements into a session that runs already, to which the zip comes by addPyFile."""
    _with_runtime(bench)
    bench.python_path = bench.python_path[:1]
    zipped = shutil.copy(_wheel(bench), bench.folder / "spark_iceberg_sql.zip")
    bench.job |= {"mode": "add", "file": str(zipped)}
    bench.program = _RUNNING


def _notebook(bench: Bench) -> None:
    """`%pip install` in a cell of a notebook whose session runs already, and then `sis.install(spark)` in another."""
    _with_runtime(bench)
    bench.python_path = bench.python_path[:1]
    packages = _with_kernel(bench)
    folder = bench.folder / "notebook"
    # ipykernel is beside the Python that gets the package, as where a platform has both.
    subprocess.run([str(bench.python), "-m", "venv", str(folder)], check=True, timeout=120)
    next(folder.glob("lib/*/site-packages")).joinpath("kernel.pth").write_text(f"{packages}\n", "utf-8")
    bench.job |= {"kernel": str(folder / "bin" / "python"), "file": str(_wheel(bench))}
    bench.program = _KERNEL


def _with_kernel(bench: Bench) -> Path:
    """The packages of the environment with ipykernel, which is the Python of the cell's program from now on."""
    version = subprocess.run(
        [str(bench.python), "-c", "import sys; print('%s.%s' % sys.version_info[:2])"],
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout.strip()  # fmt: skip
    bench.python = PYTHONS[version].environment("kernel", ("ipykernel>=6.29", "setuptools<81"))
    return next(bench.python.parents[1].glob("lib/*/site-packages"))


def _installed(bench: Bench) -> None:
    """The plain wheel without anything that it requires, and pyspark only on PYTHONPATH."""
    site = bench.folder / "site"
    _pip(bench, "install", "--no-deps", "--target", str(site), str(_wheel(bench)))
    bench.python_path = (bench.python_path[0], site)
    bench.program = _RUNNING


def _wheel(bench: Bench) -> Path:
    wheel: Path = bench.once("wheel", lambda: _built(bench))
    return wheel


def _built(bench: Bench) -> Path:
    folder = bench.shared.folder / "wheel"
    _pip(bench, "wheel", "--no-deps", "-w", str(folder), str(ROOT))
    return next(folder.glob("*.whl"))


def _pip(bench: Bench, *arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise FailedError(f"pip {arguments[0]}: {last_lines(done.stderr)}")


def _with_runtime(bench: Bench) -> None:
    """Iceberg by spark.jars, as somebody else's session has it."""
    bench.settings["spark.jars"] = ",".join(filter(None, (str(bench.runtime), bench.settings.get("spark.jars"))))


def _distribution(bench: Bench, system_jar: Path | None) -> None:
    """A folder of Spark of this cell's own, with links to the files of pip's, a jar, and all settings in a file."""
    home = bench.folder / "spark"
    for source in (bench.home, bench.home / "jars"):
        target = home / source.relative_to(bench.home)
        target.mkdir(parents=True, exist_ok=True)
        for path in source.iterdir():
            if path.name not in ("jars", "conf"):
                (target / path.name).symlink_to(path)
    if system_jar is not None:
        shutil.copy(system_jar, home / "jars" / _SYSTEM_JAR)
    (home / "conf").mkdir()
    lines = "".join(f"{key} {value}\n" for key, value in bench.settings.items())
    (home / "conf" / "spark-defaults.conf").write_text(lines, "utf-8")
    bench.home, bench.settings = home, {}


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("usual", "pip's pyspark, `sis.session()`", _usual),
        Layout(
            "system",
            "Iceberg's jar in Spark's folder, settings in `spark-defaults.conf`, pyspark only on PYTHONPATH",
            _system,
        ),
        Layout("init", "the same, and this package's jar in Spark's folder", _init_script),
        Layout("extra", "Iceberg's jar by `spark.driver.extraClassPath` and that of executors", _extra_class_path),
        Layout("read-only", "read-only site-packages, no home to write to", _read_only),
        Layout("zip", "`spark-submit --py-files`, zip", _py_files(".zip")),
        Layout("wheel", "`spark-submit --py-files`, wheel", _py_files(".whl")),
        Layout("statements", "statements into a session that runs, the zip by `addPyFile`", _statements),
        Layout("notebook", "`%pip install` in a notebook whose session runs", _notebook),
    )
}
