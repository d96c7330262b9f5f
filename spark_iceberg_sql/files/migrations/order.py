"""The order in which migration tools run files.

In: a folder. Out: its migrations by path, each with its direct predecessors, or the reason why its order is
unknown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record, replace

# Flyway: V1_2__text.sql, the same with U (undo) and B (baseline); R__text.sql runs last, ordered by its text.
_FLYWAY = regex(r"([VUB])(\d+(?:[._]\d+)*)__.*\.sql")
_REPEATABLE = regex(r"R__(.*)\.sql")
# The markers of both directions: dbmate, goose, sql-migrate.
_UP_DOWN = regex(
    r"^--[ \t]*(migrate:|\+goose[ \t]+|\+migrate[ \t]+)(up|down)\b", re.IGNORECASE | re.MULTILINE
)
_NUMBERED = regex(r"(\d+)[_-]?.*?(?:\.(up|down))?\.sql", re.IGNORECASE)
# Liquibase.
_FORMATTED = regex(r"\A\ufeff?\s*--[ \t]*liquibase[ \t]+formatted[ \t]+sql\b", re.IGNORECASE)
_NUMBER = regex(r"\d+")
_SAME_VERSION = "have the same version: it is unknown which one runs first"
_SAME_NUMBER = "have the same number: it is unknown which one runs first"
_HEADS = "neither this revision nor another has a successor: it is unknown which one runs last"
_MOST = 2_000_000  # bytes of a file that are searched for markers


@record(frozen=True, slots=True)
class Step:
    """A migration. path: its full path. predecessors: those that run directly before it; empty for the first.

    can_be_followed: False for undo migrations, after which no other runs. order_problem: the reason why its
    position is unknown; None if it is known. follows_unknown_change: a change that may affect any table runs
    before it.
    """

    path: str
    after: tuple[str, ...] = ()
    leads_on: bool = True
    unsure: str | None = None
    anything: bool = False


Steps = Mapping[str, Step]


def going_back(text: str) -> int | None:
    """The offset of the part of a migration that reverts it; None if there is none."""
    found = [(mark.start(), mark[2].lower()) for mark in _UP_DOWN.finditer(text)]
    return found[1][0] if [word for _, word in found] == ["up", "down"] else None


def scripts(files: Sequence[str]) -> Steps:
    """Files in the order of the numbers in their names. files: full paths."""
    return _chain([(_natural(path), path) for path in files], _SAME_NUMBER)


def steps_of(folder: str) -> Steps:
    """The migrations in a folder, by path; empty if no tool is recognized. folder: a full path."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError:
        return {}
    for known in (_flyway, _numbered, _alembic, _liquibase):
        found = known(folder, names)
        if found:
            return found
    return {}


def _flyway(folder: str, names: Sequence[str]) -> Steps:
    matched = [(m, os.path.join(folder, m[0])) for m in map(_FLYWAY.fullmatch, names) if m]
    versions = [(_version(m[2]), path) for m, path in matched if m[1] == "V"]
    found = dict(_chain(versions, _SAME_VERSION))
    by_version: dict[tuple[object, ...], tuple[str, ...]] = {}
    for version, path in versions:
        by_version[version] = (*by_version.get(version, ()), path)
    for match, path in matched:
        if match[1] == "B":
            found[path] = Step(path, leads_on=False)
        elif match[1] == "U":
            undone = by_version.get(_version(match[2]), ())
            unsure = None if undone else f"no migration has version {match[2]}"
            found[path] = Step(path, undone, leads_on=False, unsure=unsure)
    repeated = [(m[1], os.path.join(folder, m[0])) for m in map(_REPEATABLE.fullmatch, names) if m]
    before = last(found)
    for _, path in sorted(repeated):
        found[path] = Step(path, before)
        before = (path,)
    return found


def _version(text: str) -> tuple[object, ...]:
    """A version's numbers; 1.0 is 1."""
    numbers = [int(number) for number in re.split(r"[._-]", text)]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _numbered(folder: str, names: Sequence[str]) -> Steps:
    """dbmate, goose and sql-migrate (both directions in one file), and golang-migrate (one file for each)."""
    found: list[tuple[tuple[object, ...], str]] = []
    back: list[tuple[int, str]] = []
    for match in filter(None, map(_NUMBERED.fullmatch, names)):
        path = os.path.join(folder, match[0])
        mark = None if match[2] else _UP_DOWN.search(_text(path))
        if match[2] is not None and match[2].lower() == "down":
            back.append((int(match[1]), path))
        elif match[2] is not None or mark is not None:
            by_name = mark is not None and mark[1] == "migrate:"  # dbmate compares names as strings
            found.append(((f"{match[1]}_",) if by_name else ("", int(match[1])), path))
    steps = dict(_chain(found, _SAME_VERSION))
    for number, path in back:
        undone = tuple(p for key, p in found if key == ("", number))
        steps[path] = Step(path, undone, leads_on=False)
    return steps


def _alembic(folder: str, names: Sequence[str]) -> Steps:
    """Revisions, each after the one that it names."""
    from spark_iceberg_sql.files.migrations.alembic import IN_ALEMBIC, revisions

    above = Path(folder).parent
    if not any((above / name).exists() for name in ("env.py", "script.py.mako")):
        return {}
    paths = [os.path.join(folder, name) for name in names if name.endswith(".py")]
    found = [(path, *revisions(text)) for path in paths if IN_ALEMBIC.search(text := _text(path))]
    by_name: dict[str, tuple[str, ...]] = {}
    for path, revision, _ in found:
        by_name[revision] = (*by_name.get(revision, ()), path)
    steps = {}
    for path, revision, before in found:
        after = tuple(other for name in before for other in by_name.get(name, ()))
        missing = [name for name in before if name not in by_name]
        unsure = None
        if missing:
            unsure = f"no file here has the revision {missing[0]}, which it follows"
        elif len(by_name[revision]) > 1:
            unsure = f"several files have the revision {revision}"
        steps[path] = Step(path, after, unsure=unsure, anything=bool(missing))
    if _circular(steps):
        return {}
    heads = last(steps)
    for path in heads if len(heads) > 1 else ():
        if steps[path].unsure is None:
            steps[path] = replace(steps[path], unsure=_HEADS)
    return steps


def _circular(steps: Steps) -> bool:
    done: set[str] = set()
    left = set(steps)
    # Topological sort (Kahn): each round takes the migrations whose predecessors are done. A cycle never gets
    # ready.
    while ready := {path for path in left if done.issuperset(steps[path].after)}:
        done |= ready
        left -= ready
    return bool(left)


def _liquibase(folder: str, names: Sequence[str]) -> Steps:
    """Formatted SQL, in the order of the changelog that includes it."""
    sql = [os.path.join(folder, name) for name in names if name.endswith(".sql")]
    if not any(_FORMATTED.match(_text(path, 400)) for path in sql):
        return {}
    from spark_iceberg_sql.files.migrations.liquibase import changelog

    order = changelog(Path(folder), sql)
    steps: dict[str, Step] = {}
    before: tuple[str, ...] = ()
    anything = False
    for path in order or ():
        if path is None:
            anything = True
        elif path not in steps:
            steps[path] = Step(path, before, anything=anything)
            before, anything = (path,), False
    return steps


def _chain(found: Iterable[tuple[tuple[object, ...], str]], same: str) -> Steps:
    """Files in the order of their keys. problem_text: the message for files with the same key."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for key, path in sorted(found):
        groups.setdefault(key, []).append(path)
    steps, before = {}, tuple[str, ...]()
    for paths in groups.values():
        names = " and ".join(f"`{os.path.basename(path)}`" for path in paths)
        unsure = f"{names} {same}" if len(paths) > 1 else None
        for path in paths:
            steps[path] = Step(path, before, unsure=unsure)
        before = tuple(paths)
    return steps


def _natural(path: str) -> tuple[object, ...]:
    """The numbers in a name, or the name where it begins with none."""
    name = os.path.basename(path)
    begins = re.match(r"[A-Za-z]?(\d+(?:[.-]\d+)*)", name)
    if begins is not None:
        return (0, _version(begins[1]), "")
    return (1, (), _NUMBER.sub(lambda found: found[0].zfill(20), name))


def last(steps: Steps) -> tuple[str, ...]:
    """The migrations after which no other runs."""
    followed = {path for step in steps.values() for path in step.after if step.leads_on}
    return tuple(p for p, step in steps.items() if step.leads_on and p not in followed)


def _text(path: str, most: int = _MOST) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(most).decode(errors="replace")
    except OSError:
        return ""
