"""The pictures of the README are a notebook's cell as it ran."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import goldens
import pytest
from cell_picture import FOLDER, NOTEBOOK, THEMES, Cell, Theme, cell_of, svg
from doc_pages import ROOT

ENDING = "GROUP BY carrier ORDER BY mean_delay DESC LIMIT 3"


@pytest.fixture(scope="module")
def cell() -> Cell:
    return cell_of(NOTEBOOK, ENDING)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_picture_is_the_cell(theme: Theme, cell: Cell) -> None:
    picture = svg(cell, theme)
    ElementTree.fromstring(picture)
    goldens.hold(picture, FOLDER / f"cell-{theme.name}.svg")


def test_the_picture_shows_what_was_read(cell: Cell) -> None:
    assert cell.statement.startswith("SELECT carrier")
    assert re.search(r"read 1 of 13 files", cell.output)
    assert ">pruned</text>" in cell.map


def test_the_readme_and_the_home_page_show_both() -> None:
    for page in (ROOT / "README.md", ROOT / "docs" / "index.md"):
        text = page.read_text("utf-8")
        for theme in THEMES:
            assert f"images/cell-{theme.name}.svg" in text, page.name
