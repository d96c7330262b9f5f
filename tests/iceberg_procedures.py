"""The procedures of Iceberg's runtimes, as a module: `python -m tests.iceberg_procedures JAR...` writes it.

ProcedureReader.java reads them in a JVM with the Spark of each jar. Give it one jar for each version of Iceberg: a
parameter's version is the first that has it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))  # as pytest has it

import pyspark
import spark_line

from spark_iceberg_sql.spark import versions

MODULE = Path(__file__).parents[1] / "spark_iceberg_sql" / "model" / "runtime" / "iceberg_procedures.py"
READER = Path(__file__).with_name("ProcedureReader.java")
_JAR = re.compile(r"iceberg-spark-runtime-(\d+\.\d+)_2\.\d+-(\d+)\.(\d+)\.")


class Parameter(NamedTuple):
    """A parameter of a procedure, in the order of a call without names. type: Spark's name of it."""

    procedure: str
    name: str
    type: str
    required: bool


def spark_and_version(jar: Path) -> tuple[str, tuple[int, int]]:
    """The minor versions of Spark and of Iceberg that a runtime's jar is of."""
    match = _JAR.match(jar.name)
    assert match is not None, jar
    return match[1], (int(match[2]), int(match[3]))


def spark_jars(line: str) -> Path:
    """The folder with the jars of a line of Spark: of the installed one, or of one that is fetched."""
    installed = Path(pyspark.__file__).parent
    is_installed = versions.minor(pyspark.__version__) == line
    return (installed if is_installed else spark_line.provided(line) / "pyspark") / "jars"


def parameters_in(jar: Path) -> list[Parameter]:
    """The parameters of all procedures in a runtime. jar: the runtime's."""
    command = ["java", "-cp", f"{jar}:{spark_jars(spark_and_version(jar)[0])}/*", str(READER)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    rows = (line.split("\t") for line in done.stdout.splitlines())
    return [Parameter(procedure, name, type_, required == "true") for procedure, name, type_, required in rows]


def module_text(jars: Iterable[Path]) -> str:
    """The text of the module. Raises ValueError if a newer version does not have what an older one has."""
    merged: list[Parameter] = []
    since: dict[Parameter, tuple[int, int]] = {}
    for jar in sorted(jars, key=lambda jar: (spark_and_version(jar)[1], spark_and_version(jar)[0])):
        parameters = parameters_in(jar)
        if missing := [p for p in merged if p not in parameters and p not in LATER.get(spark_and_version(jar), ())]:
            raise ValueError(f"{jar.name} does not have {missing}")
        merged = parameters if len(parameters) >= len(merged) else merged
        for parameter in parameters:
            since.setdefault(parameter, spark_and_version(jar)[1])
    rows = [f'    ("{p.procedure}", "{p.name}", "{p.type}", {p.required}, {since[p]}),' for p in merged]
    return "\n".join((_HEAD, *rows, ")", ""))


# Parameters that a runtime has later than that of a newer Spark with the same Iceberg.
LATER = {("3.5", (1, 11)): (SORT_BY := Parameter("rewrite_manifests", "sort_by", "array<string>", False),)}
LATER[("4.0", (1, 11))] = (SORT_BY,)
_HEAD = '''"""Iceberg's procedures: written by `python -m tests.iceberg_procedures` from the jars of its runtimes."""

from __future__ import annotations

# The procedure; a parameter, in the order of a call without names; its type; whether it is required; since when.
PARAMETERS: tuple[tuple[str, str, str, bool, tuple[int, int]], ...] = ('''


if __name__ == "__main__":
    MODULE.write_text(module_text([Path(argument) for argument in sys.argv[1:]]), encoding="utf-8")
