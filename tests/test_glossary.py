"""The links of the documentation's pages to its glossary."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import pytest
from doc_pages import ROOT

pytestmark = pytest.mark.tier("rest")  # mkdocs

GLOSSARY = """# Glossary

| word | meaning |
|---|---|
| partition field | a rule |
| manifest | a file |
| prune | to skip |
| delete file, deletion vector | deleted rows |
"""


@pytest.fixture(scope="module")
def links() -> Any:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        return import_module("glossary_links")
    finally:
        sys.path.remove(str(ROOT / "docs"))


def test_the_first_use_in_prose_is_linked(links: Any) -> None:
    page = (
        "# Manifests\n\nA `manifest`, [two manifests](a.md).\n\n| manifest |\n\nManifests prune. It pruned manifests.\n"
    )
    linked = links.with_links(page, GLOSSARY, "../glossary/")
    assert linked == page.replace(
        "Manifests prune.", "[Manifests](../glossary/#manifest){ .term } [prune](../glossary/#prune){ .term }."
    )


def test_code_is_not_linked(links: Any) -> None:
    page = "```sql\nmanifest;\n```\n\n<!-- manifest -->\n    - a manifest\n\nmy-manifest, manifesto\n"
    assert links.with_links(page, GLOSSARY, "g/") == page


def test_words_of_a_row_share_its_anchor(links: Any) -> None:
    linked = links.with_links("Deletion vectors, then delete files.", GLOSSARY, "g/")
    assert linked == "[Deletion vectors](g/#delete-file){ .term }, then delete files."
    assert '| <a id="delete-file"></a>delete file, deletion vector |' in links.with_anchors(GLOSSARY)


def test_every_word_of_the_glossary_is_explained_once(links: Any) -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    terms = [word for word, _ in links._words(text)]
    assert len(terms) > 20
    assert len(set(terms)) == len(terms)
