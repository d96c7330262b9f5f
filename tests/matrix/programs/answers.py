"""The statements of a cell, one after the other, and an answer a line: shared by the programs of this folder.

The job is a JSON object on standard input, or in a file that the command names, and the answers are JSON objects on
standard output: `{"index": 3}` before a statement, and `{"index": 3, "rows": [...]}` or `{"index": 3, "error": "..."}`
after it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO

_output: TextIO


def job() -> dict[str, Any]:
    """The job. What else is printed goes to standard error from now on."""
    global _output
    _output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with open(sys.argv[1], encoding="utf-8") if len(sys.argv) > 1 else sys.stdin as source:
        task: dict[str, Any] = json.loads(source.readline())
    return task


def run(statements: Iterable[str], rows: Callable[[str], Iterable[Iterable[Any]]]) -> None:
    """Run statements. rows: what a statement answers."""
    for index, text in enumerate(statements):
        print(json.dumps({"index": index}), file=_output, flush=True)
        try:
            answer: dict[str, Any] = {"rows": [[str(value) for value in row] for row in rows(text)]}
        except Exception as error:
            answer = {"error": str(error)}
        print(json.dumps({"index": index, **answer}), file=_output, flush=True)
