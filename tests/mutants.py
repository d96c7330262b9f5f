"""Mutants of a file that its tests let live: each is a missing test, or changes nothing.

    python -m tests.mutants spark_iceberg_sql/checker/files/hidden_text.py tests/test_hidden_text.py --lines 44-115

A mutant is a Python or Java file with one token changed: `<` to `<=`, `and` to `or`, 1 to 2. What stands in a decorator
or annotation, such as a record's `slots` or a cache's size, stays. The tests run on each, in a copy of the checkout.
The exit code is 1 if a mutant lives, 2 if the tests fail without one.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
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


def passes(folder: Path, tests: Sequence[str], seconds: float | None) -> bool:
    """Whether the tests pass; those that do not end do not."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return False
    return run.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("file", help="a file of the package")
    parser.add_argument("tests", nargs="+", help="what pytest runs: files of tests, or options such as `-k`")
    parser.add_argument("--lines", default="1-999999", help="only those of these lines, such as 44-115")
    arguments = parser.parse_args()
    first, last = map(int, arguments.lines.split("-"))
    text = (ROOT / arguments.file).read_text("utf-8")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        copied(folder)
        start = time.monotonic()
        if not passes(folder, arguments.tests, None):
            print("the tests fail without a mutant")
            return 2
        seconds = 60 + 10 * (time.monotonic() - start)
        count, living = 0, 0
        for mutant in mutants(text, Path(arguments.file).suffix):
            if first <= mutant.line <= last:
                count += 1
                (folder / arguments.file).write_text(mutant.text, "utf-8")
                if passes(folder, arguments.tests, seconds):
                    living += 1
                    line = text.splitlines()[mutant.line - 1].strip()
                    print(f"{arguments.file}:{mutant.line}: `{mutant.old}` -> `{mutant.new}` in {line}", flush=True)
    print(f"{count} mutants, {count - living} killed")
    return 1 if living else 0


if __name__ == "__main__":
    sys.exit(main())
