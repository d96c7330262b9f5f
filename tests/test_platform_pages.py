"""The pages of platforms agree with their records and with the results of the matrix."""

from __future__ import annotations

import platform_pages
from matrix.layouts import LAYOUTS


def test_the_pages_show_the_records() -> None:
    platform_pages.hold_pages()


def test_each_page_has_a_record_and_a_place() -> None:
    names = set(platform_pages.records())
    assert {path.stem for path in platform_pages.FOLDER.glob("*.md")} == names
    text = (platform_pages.DOCS.parent / "mkdocs.yml").read_text("utf-8")
    for name in names:
        assert f"guide/platforms/{name}.md" in text


def test_each_layout_is_one_of_a_platform() -> None:
    assert set(LAYOUTS) == {name for record in platform_pages.records().values() for name in record["layouts"]}


def test_each_published_row_names_its_source() -> None:
    for record in platform_pages.records().values():
        for row in record["published"]:
            assert row["url"].startswith("https://")
            assert "of" not in row or len(row["of"].split("-")) == 3
