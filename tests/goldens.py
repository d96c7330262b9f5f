"""Goldens: accepted output. `pytest --update-goldens` writes them again; read the difference."""

from __future__ import annotations

from pathlib import Path

UPDATE = False


def hold(text: str, path: Path) -> None:
    """The text is what the file has; with --update-goldens, the file becomes it."""
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")


def replace(old: str, new: str, path: Path) -> None:
    """A part of a file is the new text; with --update-goldens, it is put in place of the old one."""
    if UPDATE:
        path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")
    assert new in path.read_text("utf-8")
