"""Mutants that the tests let live: each is a missing test, or changes nothing.

    python -m tests.mutants spark_iceberg_sql/checker/flow.py --tests tests/test_flow.py --lines 44-115
    python -m tests.mutants spark_iceberg_sql/syntax spark_iceberg_sql/model --sample 300

A mutant is a Python or Java file with one token changed: `<` to `<=`, `and` to `or`, 1 to 2. What stands in a decorator
or annotation, such as a record's `slots` or a cache's size, stays. The tests run on each, in a copy of the checkout:
those that are named, or else those of `make fast` that run its line, some of them at first.
The exit code is 1 if a mutant lives, 2 if the tests fail without one.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coverage import CoverageData

ROOT = Path(__file__).parents[1]
_FIRST = 60  # of the tests that run a line: most mutants fail in one of them
_PAIRS = (("<", "<="), (">", ">="), ("==", "!="), ("and", "or"), ("&&", "||"), ("True", "False"), ("true", "false"))
_PAIRS += (("+", "-"), ("min", "max"), ("any", "all"))
SWAPS = {old: new for pair in _PAIRS for old, new in (pair, pair[::-1])} | {"not": "", "!": ""}
# Strings and comments, then tokens; what has no spaces around it is a sign, or belongs to type arguments.
_JAVA = re.compile(
    r"""(?P<other>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|/\*.*?\*/|//[^\n]*)"""
    r"|(?P<token>\w+|&&|\|\||[<>=!]=|(?<= )[-+<>](?= )|!)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed token. line: from 1. text: of the whole file."""

    line: int
    old: str
    new: str
    text: str


def mutants(text: str, suffix: str) -> Iterator[Mutant]:
    """The mutants of a file. suffix: `.py` or `.java`."""
    lines = text.splitlines()
    for start, token in _java_tokens(text) if suffix == ".java" else _python_tokens(text):
        new = str(int(token) + 1) if re.fullmatch(r"\d+", token) else SWAPS.get(token)
        line = text.count("\n", 0, start) + 1
        if new is not None and not lines[line - 1].lstrip().startswith("@"):
            yield Mutant(line, token, new, text[:start] + new + text[start + len(token) :])


def _java_tokens(text: str) -> Iterator[tuple[int, str]]:
    return ((match.start(), match[0]) for match in _JAVA.finditer(text) if match["token"])


def _python_tokens(text: str) -> Iterator[tuple[int, str]]:
    offsets = [0]
    for line in text.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.OP, tokenize.NAME, tokenize.NUMBER):
            yield offsets[token.start[0] - 1] + token.start[1], token.string


def copied(folder: Path) -> None:
    """A copy of the files that git tracks or would."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, names.split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target, follow_symlinks=False)


def passes(folder: Path, tests: Sequence[str], seconds: float | None = None) -> bool:
    """Whether the tests pass; those that do not end do not. tests: arguments of pytest."""
    (folder / "arguments.txt").write_text("\n".join(tests), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "@arguments.txt"]
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return False
    return run.returncode == 0


def named_tests(folder: Path, tests: Sequence[str]) -> Callable[[Path, Mutant], bool] | None:
    """Whether a mutant of a file, written to the copy, is killed by these tests; None if they fail without one."""
    start = time.monotonic()
    if not passes(folder, tests):
        return None
    seconds = 60 + 10 * (time.monotonic() - start)
    return lambda file, mutant: not passes(folder, tests, seconds)


def reaching_tests(folder: Path) -> Callable[[Path, Mutant], bool] | None:
    """The same, by the tests of `make fast` that run the mutant's line."""
    coverage = ["--cov=spark_iceberg_sql", "--cov-context=test", "--cov-report=", "--cov-fail-under=0"]
    if not passes(folder, ["--fast", "-n", "2", *coverage]):
        return None
    from coverage import CoverageData  # the quick set, which reads this file, does without

    data = CoverageData(str(folder / ".coverage"))
    data.read()
    return partial(_is_killed, folder, data)


def _is_killed(folder: Path, data: CoverageData, file: Path, mutant: Mutant) -> bool:
    contexts = data.contexts_by_lineno(str(folder / file)).get(mutant.line, [])
    tests = sorted({context.rpartition("|")[0] for context in contexts} - {""})
    # A line that runs at import belongs to no test.
    files = sorted({test.partition("::")[0] for test in tests}) or ["tests"]
    some = random.Random(mutant.line).sample(tests, min(len(tests), _FIRST))
    if some and not passes(folder, some, 300):
        return True
    return not passes(folder, ["--fast", "-n", "2", *files], 900)


def chosen(paths: Sequence[str], lines: str, sample: int | None, seed: int) -> list[tuple[Path, Mutant]]:
    """Mutants of files, and of the Python files in folders; of these lines, as many as `sample` says."""
    first, last = map(int, lines.split("-"))
    files = [file for path in paths for file in (sorted((ROOT / path).rglob("*.py")) or [ROOT / path])]
    found = [
        (file.relative_to(ROOT), mutant)
        for file in files
        for mutant in mutants(file.read_text("utf-8"), file.suffix)
        if first <= mutant.line <= last
    ]
    return found if sample is None else random.Random(seed).sample(found, min(sample, len(found)))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="+", help="files of the package, or folders of Python files")
    parser.add_argument("--tests", nargs="+", help="what pytest runs: files of tests, or options such as `-k`")
    parser.add_argument("--lines", default="1-999999", help="only those of these lines, such as 44-115")
    parser.add_argument("--sample", type=int, help="so many of the mutants, at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        copied(folder)
        is_killed = named_tests(folder, arguments.tests) if arguments.tests else reaching_tests(folder)
        if is_killed is None:
            print("the tests fail without a mutant")
            return 2
        count, living = 0, 0
        for file, mutant in chosen(arguments.paths, arguments.lines, arguments.sample, arguments.seed):
            text = (folder / file).read_text("utf-8")
            (folder / file).write_text(mutant.text, "utf-8")
            count += 1
            if not is_killed(file, mutant):
                living += 1
                line = text.splitlines()[mutant.line - 1].strip()
                print(f"{file}:{mutant.line}: `{mutant.old}` -> `{mutant.new}` in {line}", flush=True)
            (folder / file).write_text(text, "utf-8")
    print(f"{count} mutants, {count - living} killed")
    return 1 if living else 0


if __name__ == "__main__":
    sys.exit(main())
