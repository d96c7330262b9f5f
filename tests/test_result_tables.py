"""A result that its reader sorts, searches and pages in a notebook: the HTML, and what its script does with it."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from spark_iceberg_sql.files.user_cache import cache_directory
from spark_iceberg_sql.notebook.display import result_tables
from spark_iceberg_sql.notebook.display.pages import Pages
from spark_iceberg_sql.notebook.display.result_rows import ResultRows, text

JSDOM = "jsdom@24"
HOSTILE = "</script><script>alert(1)</script>\"'<img src=x onerror=alert(1)>&amp;\u202e\n\x00\t`${a}`"
VALUES: tuple[tuple[str | None, ...], ...] = (
    *((str(n), f"name {n}", None if n % 7 == 3 else f"{n / 4}") for n in range(45)),
    ("9007199254740993", HOSTILE, "NaN"),
    ("-9007199254740993", "x" * 500, "-1.5E10"),
    ("9007199254740992", 'a, "b"', "1e3"),
)
ROWS = ResultRows(("id", "na<b>me", "x"), ("bigint", "string", "double"), (True, False, True), VALUES, False, 3)


class Tags(HTMLParser):
    """The tags of an HTML text, with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_values_are_no_markup_and_no_script() -> None:
    html = result_tables.html(ROWS, 20, "--next")
    harmless = result_tables.html(ResultRows(*ROWS_ARGUMENTS), 20, "--next")
    assert html.partition("<script>")[2] == harmless.partition("<script>")[2]
    tags = Tags(html).tags
    assert sum(tag == "script" for tag, _ in tags) == 1
    assert not any(tag == "img" or name.startswith("on") for tag, attrs in tags for name in attrs)
    assert not any("src" in attrs or "href" in attrs for _, attrs in tags)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]|//(?!\s)", html.partition("<script>")[0])
    assert any(attrs.get("data-v") == HOSTILE.replace("\x00", "\ufffd") for _, attrs in tags)


ROWS_ARGUMENTS: Any = (("a", "b"), ("int", "int"), (True, True), (("1", "2"), ("3", "4")), False, 2)


def test_the_first_page_is_a_plain_table() -> None:
    tags = Tags(result_tables.html(ROWS, 20, "--next")).tags
    rows = [attrs for tag, attrs in tags if tag == "tr"]
    assert [("hidden" in attrs) for attrs in rows] == [False] * 21 + [True] * 28
    assert not any(tag in ("button", "input", "select") for tag, _ in tags)


def test_a_large_result_does_not_fill_the_notebook() -> None:
    values = tuple((str(n), "y" * 100) for n in range(5000))
    large = ResultRows(("id", "y"), ("int", "string"), (True, False), values, True, 2)
    html = result_tables.html(large, 20, "%iceberg_sql --next")
    assert len(html) < 100_000
    assert "; the result has more than 5,000 rows, further ones: %iceberg_sql --next" in html
    assert html.count("<tr") > 300
    assert result_tables.html(large, 2000, "").count("<tr") == 2001  # a page is shown whatever its size


@pytest.mark.parametrize(("size", "count"), [(0, 48), (20, 5), (20, 0)])
def test_nothing_to_sort(size: int, count: int) -> None:
    assert Pages(ROWS.slice_rows(0, count), size).html_in_place() is None


def test_text_says_which_columns_have_no_room() -> None:
    names = tuple(f"column_{n:02}" for n in range(16))
    wide = ResultRows(names, ("int",) * 16, (True,) * 16, (("1",) * 16,), False, 16)
    lines = text(wide).splitlines()
    assert max(map(len, lines)) <= 160
    assert lines[-1] == "and 2 columns: column_14, column_15"
    assert lines[0].endswith("column_13")


def _states(tmp_path: Path, rows: ResultRows, actions: list[tuple[str, str, str | None]]) -> list[dict[str, Any]]:
    """What a reader sees at first and after each action, in a document of jsdom."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("needs node and npm")
    home = cache_directory() / "tests" / JSDOM
    if not (home / "node_modules" / "jsdom").exists():
        install = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(home), JSDOM]
        if subprocess.run(install, capture_output=True, check=False, timeout=120).returncode:
            pytest.skip(f"needs {JSDOM} from npm")
    page, steps = tmp_path / "page.html", tmp_path / "actions.json"
    page.write_text(result_tables.html(rows, 20, "--next"), "utf-8")
    steps.write_text(json.dumps(actions), "utf-8")
    command = [node, str(Path(__file__).parent / "result_table.mjs"), str(home), str(page), str(steps)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    states: list[dict[str, Any]] = json.loads(done.stdout)
    return states


def test_what_the_script_does(tmp_path: Path) -> None:
    numbers, names = "th:nth-child(1) button", "th:nth-child(2) button"
    doubles, csv_button = "th:nth-child(3) button", ".controls button:nth-of-type(3)"
    previous, following = ".controls button:nth-of-type(1)", ".controls button:nth-of-type(2)"
    states = _states(
        tmp_path,
        ROWS,
        [
            (following, "click", None),
            (following, "click", None),
            (previous, "click", None),
            (numbers, "click", None),
            (numbers, "click", None),
            (numbers, "click", None),
            (doubles, "click", None),
            (doubles, "click", None),
            (names, "click", None),
            ("input", "input", "NAME 4"),
            ("select", "change", "0"),
            ("input", "input", ""),
            ("select", "change", "-1"),
            ("input", "input", "nothing"),
            ("input", "input", '"b"'),
            (csv_button, "click", None),
            ("input", "input", "<img"),
            (csv_button, "click", None),
        ],
    )
    start, second, third, back, up, down, unsorted, x_up, x_down, by_name, name_filtered, in_ids, *later_states = states
    assert start["first"] == [str(n) for n in range(20)]
    assert start["status"] == "rows 1 to 20 of 48, 3 columns"
    assert start["sort"] == ["none"] * 3
    assert start["disabled"] == ["previous"]
    assert start["scripts"] == 1
    assert second["first"] == [str(n) for n in range(20, 40)]
    assert (third["status"], third["disabled"]) == ("rows 41 to 48 of 48, 3 columns", ["next"])
    assert back["first"] == second["first"]
    assert up["first"][:3] == ["-9007199254740993", "0", "1"]
    assert up["sort"] == ["ascending", "none", "none"]
    assert down["first"][:3] == ["9007199254740993", "9007199254740992", "44"]
    assert unsorted["first"] == start["first"]
    assert x_up["first"][0] == "-9007199254740993"
    assert x_down["first"][0] == "9007199254740993"  # NaN is the greatest, as in Spark
    assert x_down["first"][1] == "9007199254740992"
    assert by_name["sort"] == ["none", "ascending", "none"]
    assert name_filtered["first"] == ["4", "40", "41", "42", "43", "44"]
    assert name_filtered["status"] == "rows 1 to 6 of 6 that match, of 48, 3 columns"
    assert in_ids["first"] == []
    *_, none, quoted, quoted_csv, _, hostile_csv = later_states
    assert none["status"] == "no rows that match, of 48, 3 columns"
    assert quoted["first"] == ["9007199254740992"]
    table = list(csv.reader(io.StringIO(quoted_csv["csv"], newline="")))
    assert table == [["id", "na<b>me", "x"], ["9007199254740992", 'a, "b"', "1e3"]]
    (_, row) = csv.reader(io.StringIO(hostile_csv["csv"], newline=""))
    assert row[1] == HOSTILE.replace("\x00", "\ufffd")


def test_nulls_are_last_in_both_directions(tmp_path: Path) -> None:
    doubles = "th:nth-child(3) button"
    few = ROWS.slice_rows(0, 12)
    _, up, down = _states(tmp_path, few, [(doubles, "click", None)] * 2)
    assert up["first"][-2:] == down["first"][-2:] == ["3", "10"]
    assert up["first"][:2] == ["0", "1"]
    assert down["first"][:2] == ["11", "9"]
