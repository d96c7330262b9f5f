"""The documentation as the tests run it: pages, their fenced blocks, and what a comment before a block says of it.

    <!-- not run: needs S3 -->    cannot run here, and why
    <!-- fails -->                the block's last statement must fail
    <!-- fails: SIS404 -->        the same, and the checker says why
    <!-- demo -->, <!-- layers -->    what a text is held against
    <!-- client -->          what a client of Spark Connect types: tests/spark/test_connect_server.py

A block whose first line names a file (`-- schema.sql`, `# job.py`) is that file. A `text` behind a block is its output.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import goldens

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md")))
LANGUAGES = {"console", "lua", "pycon", "python", "sh", "sql", "text", "toml", "yaml"}
# Commands that start Spark: tests/spark/test_doc_examples.py runs them.
IN_A_SESSION = tuple(
    f"iceberg-sql {name}" for name in ("run", "explain-query", "health", "repartition", "spj", "preview", "advise")
)
_FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<language>[^\n`]*)\n(?P<body>.*?)^ *(?P=fence)$", re.MULTILINE | re.DOTALL
)
_COMMENTS = re.compile(r"(?:<!--[^\n]*-->\s*)+\Z")
_COMMENT = re.compile(r"<!-- (.*?) -->")
_FILE = re.compile(r"(?:--|#) ([\w./-]+\.(?:py|sql|toml|ya?ml))\n")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. start, end: the offsets of its body in the page. text: the body, not indented."""

    page: Path
    language: str
    text: str
    marks: tuple[str, ...]
    start: int
    end: int
    line: int

    @property
    def where(self) -> str:
        """For messages: `docs/guide/functions.md:12`."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def file(self) -> str | None:
        """The file that the block is."""
        file_match = _FILE.match(self.text)
        return file_match[1] if file_match is not None else None

    @property
    def not_run(self) -> str | None:
        """Why it cannot run here."""
        return self.mark("not run")

    @property
    def is_clients(self) -> bool:
        """Whether a client of Spark Connect types it."""
        return any(mark.startswith("client") for mark in self.marks)

    @property
    def fails(self) -> bool:
        """Whether its last statement must fail."""
        return "fails" in self.marks or self.mark("fails") is not None

    @property
    def warns(self) -> bool:
        """Whether it must warn; its output then begins with the warning."""
        return "warns" in self.marks

    def mark(self, name: str) -> str | None:
        """What a comment before the block says, `<!-- name: this -->`."""
        values = [mark.partition(": ")[2] for mark in self.marks if mark.startswith(f"{name}: ")]
        return values[0] if values else None


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    text = page.read_text("utf-8")
    page_blocks = []
    for match in _FENCE.finditer(text):
        before = _COMMENTS.search(text[: match.start()])
        marks = tuple(_COMMENT.findall(before[0])) if before is not None else ()
        body = textwrap.dedent(match["body"])
        line = text.count("\n", 0, match.start()) + 1
        language = match["language"].strip()
        page_blocks.append(Block(page, language, body, marks, match.start("body"), match.end("body"), line))
    return page_blocks


def every_block() -> Iterator[Block]:
    """All blocks of all pages."""
    for page in PAGES:
        yield from blocks(page)


def with_output(page_blocks: Sequence[Block]) -> Iterator[tuple[Block, Block | None]]:
    """Each block but the outputs, with the text behind it that is its output."""
    for block, behind in zip(page_blocks, [*page_blocks[1:], None], strict=True):
        if is_output(block):
            continue
        yield block, behind if behind is not None and is_output(behind) else None


CREATED = re.compile(r"\bCREATE TABLE (?:IF NOT EXISTS )?(local\.\w+\.\w+)")


def created_tables(page: Path) -> set[str]:
    """The tables that a page creates in `local`, which the sessions of a test process share."""
    return {name for block in blocks(page) for name in CREATED.findall(block.text)}


def is_output(block: Block) -> bool:
    """Whether a block is what the one before it prints."""
    return block.language == "text" and not block.marks


class Outputs:
    """Compares what is shown with what is said; with --update-goldens, puts it into the page."""

    def __init__(self, page: Path) -> None:
        self.page = page
        self.wrong: list[str] = []
        self._new: list[tuple[int, int, str]] = []

    def compare(
        self, block: Block, documented: str, output: str, at: int | None = None, *, spaces: bool = True
    ) -> None:
        """Hold an output against a part of a page; `...` in it stands for anything.

        documented: the part. output: what it should be. at: its offset, if it is not the whole block.
        spaces: whether their number counts.
        """
        flags = doctest.ELLIPSIS | (0 if spaces else doctest.NORMALIZE_WHITESPACE)
        if doctest.OutputChecker().check_output(documented, output, flags):
            return
        self.fault(block, f"shows\n{documented}and not\n{output}")
        start = block.start if at is None else at
        self._new.append((start, start + len(documented), output))

    def fault(self, block: Block, message: str) -> None:
        """Something is wrong with a block."""
        self.wrong.append(f"{block.where}: {message}")

    def settle(self) -> None:
        """Write the page anew if that is wanted; then nothing may be wrong."""
        if goldens.UPDATE and self._new:
            text = self.page.read_text("utf-8")
            for start, end, new in sorted(self._new, reverse=True):
                text = text[:start] + new + text[end:]
            self.page.write_text(text, "utf-8")
        assert not self.wrong, "\n\n".join(self.wrong)


CONSOLE = re.compile(r"^\$ (?P<command>[^\n]*)\n(?P<shown>(?:(?!^\$ ).*\n)*)", re.MULTILINE)


def commands(block: Block) -> Iterator[tuple[str, str, int]]:
    """The commands of a console block: each with the output shown, and its offset in the page."""
    for match in CONSOLE.finditer(block.text):
        yield match["command"], match["shown"], block.start + match.start("shown")


EXAMPLE = re.compile(r"^>>> (?P<source>[^\n]*\n(?:\.\.\.(?: [^\n]*)?\n)*)(?P<shown>(?:(?!>>> ).*\n)*)", re.MULTILINE)


def examples(block: Block) -> Iterator[tuple[str, str, int]]:
    """The examples of a `>>>` session: source, what it prints (empty lines too), and that part's offset."""
    for match in EXAMPLE.finditer(block.text):
        source = re.sub(r"^\.\.\. ?", "", match["source"], flags=re.MULTILINE)
        yield source, match["shown"], block.start + match.start("shown")


def lay_out(block: Block, folder: Path) -> None:
    """Write the file that a block is."""
    assert block.file is not None
    path = folder / block.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text)


def build_site(folder: Path) -> Path:
    """Build the site in a folder, with warnings as errors; returns the folder."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}  # its advertisement hides what is wrong
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder
