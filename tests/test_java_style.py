"""How the Java files are written: formatted by clang-format, one type a file, no unused import, no filler names."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_iceberg_sql.spark.bridge.jvm import java_sources
from spark_iceberg_sql.spark.optimizer.rule_records import FACTS, PROBES, RULES

ROOT = Path(__file__).parents[1]
FILES = sorted([*ROOT.glob("spark_iceberg_sql/**/*.java"), *ROOT.glob("tests/**/*.java")])
_LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'')
_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', re.DOTALL)
_TYPE = re.compile(r"^(?:public |final |abstract )*(?:class|enum|interface) (\w+)", re.MULTILINE)
# Names that say nothing of what they hold: the value's own noun serves better.
FILLERS = frozenset(
    {
        *("after", "asked", "before", "begun", "called", "done", "each", "elsewhere", "every"),
        *("few", "found", "given", "gone", "here", "how", "itself", "kinds", "known", "least", "like"),
        *("made", "many", "meant", "mine", "more", "most", "named", "odd", "one", "own"),
        *("piece", "pieces", "place", "places", "rest", "said", "seen", "shown", "that", "there"),
        *("thing", "told", "wanted", "was", "way", "what", "which", "who", "whole", "why"),
        *("word", "words"),
    }
)
# Names with a plain meaning: file and name.
ALLOWED = {
    ("CounterexampleSearch", "Like"),  # Spark's class
    ("ImpliedRanges", "Like"),
    ("RuleTables", "kinds"),  # the names of ExpressionKind
}


def formatted(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("clang-format")), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_format() -> None:
    done = formatted("--dry-run", "-Werror", *map(str, FILES))
    assert done.returncode == 0, done.stderr + "\nhelp: make format"


def _code(text: str) -> str:
    """The text with nothing in its strings and blanks for its comments, on the same lines."""
    bare = _COMMENT.sub(lambda m: m[1] or "\n" * m[0].count("\n"), text)
    return _LITERAL.sub('""', bare)


def faults(name: str, text: str) -> Iterator[str]:
    """What is wrong with a file's text. name: without `.java`."""
    code = _code(text)
    if (types := _TYPE.findall(code)) != [name]:
        yield f"it has the types {types}: one a file, named like it"
    imports = re.findall(r"^import (.*);$", code, re.MULTILINE)
    body = re.sub(r"^import .*$", "", code, flags=re.MULTILINE)
    for used in (i.rpartition(".")[2] for i in imports):
        if used != "*" and not re.search(rf"\b{re.escape(used)}(?!\w)", body):
            yield f"{used} is imported and not used"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_java_file_keeps_the_rules(path: Path) -> None:
    assert list(faults(path.stem, path.read_text("utf-8"))) == []


def fillers(text: str) -> set[str]:
    """The fillers among a Java file's names: a name without a dot before it is declared in this file or inherited."""
    return {name for name in re.findall(r"(?<![\w.$])\w+", _code(text)) if name.lower() in FILLERS}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_name_is_a_filler(path: Path) -> None:
    names = fillers(path.read_text("utf-8"))
    assert {name for name in names if (path.stem, name) not in ALLOWED} == set()


@pytest.mark.parametrize(
    "code",
    [
        "int found = 1;",
        "for (String each : names) {}",
        "List<Long> size, other, made;",
        "long[] rest() { return null; }",
        "void f(int given) {}",
        "static final class Found {}",
        "private static final long MOST = 1;",
    ],
)
def test_a_filler_is_noticed(code: str) -> None:
    assert len(fillers(code)) == 1


def test_a_filler_in_a_string_a_comment_or_of_another_class_is_not() -> None:
    assert not fillers('String s = "int found = 1;"; // int given\nspark.most(builder.made);')


# --- what uses what -------------------------------------------------------------------------------

OPTIMIZER = "spark_iceberg_sql.spark.optimizer"
JAVA = ROOT / OPTIMIZER.replace(".", "/") / "java"


def folders(page: str) -> list[str]:
    """The folders of the optimizer's Java files, from the table of docs/java.md."""
    section = page.partition("\n## Folders\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)/` \|", section, re.MULTILINE)


def test_a_java_file_uses_its_folder_and_those_below_it() -> None:
    positions = {
        name: position for position, name in enumerate(folders((ROOT / "docs" / "java.md").read_text("utf-8")))
    }
    assert set(positions) == {entry.name for entry in JAVA.iterdir()}
    folder_of = {path.stem: path.relative_to(JAVA).parts[0] for path in JAVA.rglob("*.java")}
    for name, folder in folder_of.items():
        for used in java_sources.in_order(OPTIMIZER, [name]):
            assert positions[folder] <= positions[folder_of[used]], (
                f"{name} in {folder}/ uses {used} in {folder_of[used]}/"
            )


def test_java_files_that_use_each_other_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    used = {"Rule": ("Scan",), "Scan": ("Bounds",), "Bounds": ("Names", "Scan"), "Names": ()}
    monkeypatch.setattr(java_sources, "_used", lambda _, name: used[name])
    with pytest.raises(ValueError, match="Java files use each other: Scan -> Bounds -> Scan"):
        java_sources.in_order(OPTIMIZER, ["Rule"])
    assert java_sources.in_order(OPTIMIZER, ["Names"]) == ["Names"]


def test_every_java_file_serves_a_rule_or_python() -> None:
    names = {path.stem for path in JAVA.rglob("*.java")}
    used = java_sources.in_order(OPTIMIZER, ["RuleRegistry", PROBES, FACTS, *(rule.java for rule in RULES)])
    assert names == set(used)


_NESTED = re.compile(r"^ +[\w ]*\b(?:class|enum|interface) (\w+)", re.MULTILINE)


def test_no_nested_class_has_a_file_s_name() -> None:
    """It would count as a use of that file, which is compiled before."""
    for path in FILES:
        if (folder := next((parent for parent in path.parents if parent.name == "java"), None)) is not None:
            names = {other.stem for other in folder.rglob("*.java")}
            assert not names.intersection(_NESTED.findall(_code(path.read_text("utf-8")))), path
