"""The first use of a glossary's word on a page becomes a link to its row.

The glossary is the only list of the words: a new row there is linked on every page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

GLOSSARY = "glossary.md"
# The pages for users; the rules' pages are also printed in terminals and editors.
_LINKED = re.compile(r"(?:guide/[\w-]+|index|tutorial|setup|troubleshooting)\.md")
_ROW = re.compile(r"^\| (?!word |---)([^|]+?) \|", re.MULTILINE)
# Fenced blocks; headings, table rows and what is indented; code, links and tags within a line.
_NOT_PROSE = re.compile(
    r"^ *(?P<fence>`{3,}).*?^ *(?P=fence)$|^(?:#|\||    )[^\n]*$|`[^`]*`|!?\[[^\]]*\]\([^)]*\)|<[^>]*>",
    re.MULTILINE | re.DOTALL,
)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Give the rows of the glossary their anchors, and link the words of the other pages to them."""
    address = page.file.src_uri
    if address == GLOSSARY:
        return with_anchors(markdown)
    if not _LINKED.fullmatch(address):
        return markdown
    glossary = Path(config.docs_dir, GLOSSARY).read_text("utf-8")
    return with_links(markdown, glossary, get_relative_url(GLOSSARY, address))


def with_anchors(glossary: str) -> str:
    """The glossary with an anchor before the words of each row."""
    return _ROW.sub(lambda row: f'| <a id="{_anchor(row[1])}"></a>{row[1]} |', glossary)


def with_links(markdown: str, glossary: str, target: str) -> str:
    """A page with links from the first use of each word of the glossary.

    markdown: the page. glossary: the glossary's page. target: the glossary's address, relative to the page.
    """
    anchors = dict(_words(glossary))
    # A longer word first: `partition field` before a word that it contains.
    forms = "|".join(_forms(word) for word in sorted(anchors, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])(?:{forms})(?![\w-])", re.IGNORECASE)
    used: set[str] = set()

    def link(use: re.Match[str]) -> str:
        word = next(word for word in anchors if _form_pattern(word).fullmatch(use[0]))
        if anchors[word] in used:
            return use[0]
        used.add(anchors[word])
        return f"[{use[0]}]({target}#{anchors[word]}){{ .term }}"

    return "".join(pattern.sub(link, text) if is_prose else text for is_prose, text in _segments(markdown))


def _segments(markdown: str) -> Iterator[tuple[bool, str]]:
    """The parts of a page in order, each with whether it is prose."""
    end = 0
    for part in _NOT_PROSE.finditer(markdown):
        yield True, markdown[end : part.start()]
        yield False, part[0]
        end = part.end()
    yield True, markdown[end:]


def _words(glossary: str) -> Iterator[tuple[str, str]]:
    """Each word of the glossary with the anchor of its row."""
    for row in _ROW.findall(glossary):
        yield from ((word, _anchor(row)) for word in row.split(", "))


def _anchor(row: str) -> str:
    return row.partition(", ")[0].replace(" ", "-")


def _forms(word: str) -> str:
    """A pattern of a word in singular and plural, or of the forms of a verb."""
    if word.endswith("e"):
        return rf"{word[:-1]}(?:e|es|ed|ing)"
    return rf"{word}s?"


@cache
def _form_pattern(word: str) -> re.Pattern[str]:
    return re.compile(_forms(word), re.IGNORECASE)
