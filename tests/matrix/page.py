"""docs/matrix.md, from the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matrix.cells import AXES, USUAL, Names, Result, parts_of
from matrix.parts import ROOT
from matrix.promises import PROMISES
from matrix.reasons import Reason, reason_of

FILE = ROOT / "docs" / "matrix.md"
_INTRODUCTION = """---
tags: [compatibility, tested, versions, cluster, standalone, catalog, Nessie, REST, Hive, PyHive, beeline, HDFS, S3]
search:
  boost: 0.4
---

# Where it works

What this package promises, in surroundings other than those of its tests. `python -m tests.matrix` starts a real Spark,
catalog, store and client for each cell, sends the statements of each promise, and compares rows, plans and refusals:

{promises}

- **yes**: every promise holds. The jar alone does not have those that need Python ([page](guide/jar.md)).
- A number: what does not hold, or why the cell was not run, is in the [list](#what-does-not-hold) below.
- **–**: not run; `python -m tests.matrix --all` runs every cell, as CI does each night.

In each table the parts that it does not name are the usual ones: {usual}. Last run: {days}.
The versions of Iceberg are a table of the [set-up](setup.md#iceberg).
"""


def page(results: Sequence[tuple[Result, str]]) -> str:
    """The page's text. results: with the day of each."""
    notes = _Notes()
    cells = {result.cell: result for result, _ in results}
    tables = [
        _table("Ways in", "way", "spark", cells, notes),
        _table("Catalogs", "catalog", "spark", cells, notes),
        _table("Stores", "store", "spark", cells, notes),
        _table("Clusters", "master", "spark", cells, notes),
        _table("Lay-outs, rebuilt here", "layout", "spark", cells, notes),
        _table("Java", "java", "spark", cells, notes),
        _table("Python", "python", "spark", cells, notes),
        _table("Ways in and catalogs", "way", "catalog", cells, notes),
        _table("Ways in and clusters", "way", "master", cells, notes),
        _table("Ways in and stores", "way", "store", cells, notes),
        _table("Catalogs and stores", "catalog", "store", cells, notes),
        _others(cells, notes),
    ]
    days = sorted({day for _, day in results})
    introduction = _INTRODUCTION.format(
        promises="\n".join(
            f"- {promise.title}{' (needs Python)' if promise.with_python else ''};"
            for promise in PROMISES
            if not promise.heavy
        )[:-1]
        + ".",
        usual=", ".join(parts[name].title for parts, name in zip(AXES.values(), USUAL, strict=True)),
        days=" to ".join(dict.fromkeys((days[0], days[-1]))) if days else "never",
    )
    versions = "\n".join(f"- {text}" for text in sorted(_versions(results), reverse=True))
    sections = [introduction, *filter(None, tables), f"## What does not hold\n\n{notes.text()}\n"]
    return "\n".join([*sections, f"## Versions\n\n{versions}\n"])


class _Notes:
    """Numbered sentences, each once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, sentence: str) -> int:
        """The number of a sentence."""
        return self._numbers.setdefault(sentence, len(self._numbers) + 1)

    def text(self) -> str:
        """The list."""
        if not self._numbers:
            return "Nothing of what was run."
        return "\n".join(f"{number}. {sentence}" for sentence, number in self._numbers.items())


def _table(title: str, rows: str, columns: str, cells: Mapping[Names, Result], notes: _Notes) -> str:
    """A table of two axes; empty if none of its cells was run."""
    header = [AXES[columns][name].title for name in parts_of(columns)]
    lines = [f"## {title}", "", f"| | {' | '.join(header)} |", f"|---{'|---' * len(header)}|"]
    if not any(_usual({rows: row, columns: column}) in cells for row in AXES[rows] for column in parts_of(columns)):
        return ""
    for row, part in AXES[rows].items():
        marks = [_mark(cells.get(_usual({rows: row, columns: column})), notes) for column in parts_of(columns)]
        lines.append(f"| {part.title} | {' | '.join(marks)} |")
    return "\n".join(lines) + "\n"


def _others(cells: Mapping[Names, Result], notes: _Notes) -> str:
    """The cells that differ from the usual one in more than two parts."""
    lines = []
    for cell, result in cells.items():
        changed = [
            parts[name].title for parts, name, usual in zip(AXES.values(), cell, USUAL, strict=True) if name != usual
        ]
        if len(changed) > 2:
            lines.append(f"| {', '.join(changed)} | {_mark(result, notes)} |")
    return "\n".join(["## Others", "", "| | |", "|---|---|", *lines]) + "\n" if lines else ""


def _usual(parts: Mapping[str, str]) -> Names:
    return tuple(parts.get(axis, usual) for axis, usual in zip(AXES, USUAL, strict=True))


def _mark(result: Result | None, notes: _Notes) -> str:
    if result is None:
        return "–"
    if result.holds:
        return "yes"
    if result.reason is not None:
        return str(notes.number(f"Not run: {result.reason}."))
    faults = dict(result.faults)
    if "tables" in faults:  # the others follow from it
        faults = {"tables": faults["tables"]}
    return ", ".join(dict.fromkeys(str(notes.number(_sentence(result, *item))) for item in faults.items()))


def _sentence(result: Result, promise: str, fault: str) -> str:
    reason = reason_of(result, fault)
    if isinstance(reason, Reason):
        return f"{reason.title} ({reason.owner})"
    title = next((p.title for p in PROMISES if p.name == promise), "the start")
    return f"Open: {title}: `{fault[:200].replace('`', '')}`"


def _versions(results: Sequence[tuple[Result, str]]) -> set[str]:
    return {f"Spark {r.versions['spark']} with Iceberg {r.versions['iceberg']}" for r, _ in results if r.versions}
