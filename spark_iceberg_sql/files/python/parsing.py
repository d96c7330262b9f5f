"""The syntax tree of a program, without the warnings that its text causes."""

from __future__ import annotations

import ast
import warnings
from contextlib import suppress
from functools import lru_cache


def parse_python(text: str) -> ast.Module | None:
    """The syntax tree of a program; None if it is not valid Python."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return syntax_tree(text)
    return None


@lru_cache(maxsize=1)  # the readers of a program, of which none changes the tree, come one after the other
def syntax_tree(text: str) -> ast.Module:
    """The syntax tree of a program. Raises what `ast.parse` raises for invalid Python, or for too deep nesting."""
    with warnings.catch_warnings():
        # Warnings such as that about "\\d" are not for this check to report.
        warnings.simplefilter("ignore")
        return ast.parse(text)
