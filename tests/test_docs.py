"""The documentation: the site builds without a warning, every link leads somewhere, every block is what it says.

What needs Spark runs in tests/spark/test_doc_examples.py. `pytest --update-goldens` puts new outputs into the pages.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from cases import Case, cases_of, file_cases, page_cases, said
from doc_pages import (
    IN_A_SESSION,
    LANGUAGES,
    PAGES,
    ROOT,
    Block,
    Outputs,
    blocks,
    build_site,
    commands,
    every_block,
    is_output,
    lay_out,
)

from spark_iceberg_sql.checker import rule_runner
from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.cli import COMMANDS, main
from spark_iceberg_sql.config.configuration import TABLE, Configuration
from spark_iceberg_sql.config.schema import schema
from spark_iceberg_sql.config.settings import SETTINGS
from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.report.rule_pages import SETTINGS_SCHEMA, SITE, catalogue, url_of
from spark_iceberg_sql.rules.base import Rule
from spark_iceberg_sql.rules.registry import ALL

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCRIPTS = Path(sys.executable).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def called(block: Block) -> str:
    return block.where


def of(*languages: str) -> list[Block]:
    return [block for block in every_block() if block.language in languages]


# --- the site -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built with warnings as errors."""
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.mark.tier("rest")  # mkdocs
def test_a_rule_s_address_is_a_page(site: Path) -> None:
    for rule in ALL:
        url = url_of(rule.code)
        assert url is not None
        assert url.startswith(SITE)
        page = (site / url.removeprefix(SITE) / "index.html").read_text("utf-8")
        assert f"{rule.code} {rule.name}" in page
        titles = re.findall(r'<span class="filename">(Bad|Good)</span>', page)
        assert titles == ["Bad" if e.bad else "Good" for e in rule.examples], rule.code


@pytest.mark.tier("rest")  # mkdocs
def test_the_index_has_every_rule(site: Path) -> None:
    page = (site / "reference" / "rules" / "index.html").read_text("utf-8")
    assert re.findall(r'<a href="(SIS\d{3})/">', page) == [rule.code for rule in ALL]
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        hooks = import_module("hooks")
    finally:
        sys.path.remove(str(ROOT / "docs"))
    assert re.sub(r"\[(SIS\d{3})\]\(\1\.md\)", r"\1", hooks.rule_index()).endswith(catalogue())


@pytest.mark.tier("rest")  # mkdocs
def test_the_schema_of_the_settings_is_published(site: Path) -> None:
    published = (site / SETTINGS_SCHEMA.removeprefix(SITE)).read_text("utf-8")
    assert json.loads(published) == schema(SETTINGS_SCHEMA)


def test_the_site_is_where_the_addresses_lead() -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    assert config["site_url"] == SITE
    assert SITE.startswith(PROJECT["project"]["urls"]["Documentation"])


def test_nothing_generated_is_checked_in() -> None:
    kept = {path.relative_to(ROOT / "docs").as_posix() for path in PAGES if ROOT / "docs" in path.parents}
    assert not [name for name in kept if name.startswith("reference")]
    assert not kept & {"contributing.md", "changelog.md"}


LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", [p for p in PAGES if p.parent == ROOT], ids=lambda p: p.name)
def test_links_of_the_top_folder(page: Path) -> None:
    """mkdocs checks those of docs/."""
    for target in LINK.findall(page.read_text("utf-8")):
        assert not target.startswith("http"), target
        path, _, anchor = target.partition("#")
        assert (page.parent / path).exists(), target
        assert not anchor or anchor in anchors(page.parent / path), target


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-")) for heading in headings}


# --- what is said, and how ------------------------------------------------------------------------


def test_spelling() -> None:
    """codespell over prose, docstrings and messages; pyproject.toml has the words that it must let pass."""
    command = [sys.executable, "-m", "codespell_lib"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    prose = "\n".join(
        "".join(cell["source"])
        for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
        for cell in json.loads(path.read_text("utf-8"))["cells"]
    )
    command.append("-")
    done = subprocess.run(command, cwd=ROOT, input=prose, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# What one writes by habit, and the field's own words for it.
BETTER = {
    r"right rows": "correct results",
    r"letter case": "case",
    r"\bbut for\b": "except for",
    r"(?:change|changes) of the clocks|clocks? changes?\b": "a DST transition",
    r"before Christ": "BC",
    r"nothing is changed by asking": "planning never changes the table",
    r"belongs? into": "belong in",
    r"is no (?:\w+ )?(?:file|TOML|Python|notebook|table|column|integer|DDL)\b": "is not a",
    r"dead server": "unreachable endpoint",
    r"fault of (?:the checker's own|ours)": "internal error",
    r"climbs with": "is monotonic in",
    r"\bunto|whilst|thereof|herein\b": "a plain word",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_field_s_terms(page: Path) -> None:
    text = page.read_text("utf-8")
    corrections = [
        f"{match[0]!r}: better {better}"
        for habit, better in BETTER.items()
        for match in re.finditer(habit, text, re.IGNORECASE)
    ]
    assert not corrections


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 160


# --- blocks ---------------------------------------------------------------------------------------

# What cannot run here, and how many blocks: none is left out in silence.
NOT_RUN = {
    "its table is not made here": 1,
    "a cell of a notebook": 6,
    "a drawing": 1,
    "installs": 12,
    "measures": 19,
    "needs a JDBC driver": 1,
    "needs Neovim": 1,
    "needs a cluster": 1,
    "needs a platform": 10,
    "needs a second terminal": 2,
    "needs S3": 6,
    "starts a shell": 1,
    "these are the tests themselves": 5,
}


def test_what_is_not_run_is_listed() -> None:
    unrun_blocks = [block for block in every_block() if block.not_run is not None]
    listing = "\n".join(f"{block.where}: {block.language}, {block.not_run}" for block in unrun_blocks)
    print(listing)
    assert Counter(block.not_run for block in unrun_blocks) == NOT_RUN, listing


def test_every_block_is_of_a_known_kind() -> None:
    for block in every_block():
        assert block.language in LANGUAGES, block.where
        mark_prefixes = ("not run: ", "fails", "warns", "demo", "layers", "client", "/")
        assert all(mark.startswith(mark_prefixes) for mark in block.marks), (block.where, block.marks)
    for page in PAGES:
        prose = re.sub(r"^( *)(`{3,}).*?^ *\2$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert not re.search(r"\n\n {4}(?!-|\d)\S", prose), f"{page}: an indented block"


def test_every_output_has_its_cause() -> None:
    for page in PAGES:
        before: Block | None = None
        for block in blocks(page):
            if is_output(block):
                assert before is not None, block.where
                assert before.language in ("sql", "python"), block.where
                assert before.not_run is None, block.where
            before = block


def test_every_shell_command_is_one() -> None:
    """Extras, modules, files and options that exist: what a block installs or measures is not run here."""
    extras = PROJECT["project"]["optional-dependencies"]
    tools = {
        "ruff",
        "mypy",
        "lint-imports",
        "codespell",
        "mkdocs",
        "beeline",
        "spark-sql",
        "pyspark",
        "git",
        "pytest",
        "pip",
        "python",
        "make",
    }
    for block in of("sh"):
        for line in block.text.splitlines():
            for command in line.partition(" #")[0].split("&&"):
                arguments = shlex.split(re.sub(r"^\s*[A-Z_]+=\S* ", "", command))  # a variable of its environment
                assert arguments[0] in {*tools, "iceberg-sql"}, (block.where, command)
                if arguments[0] == "make":
                    assert f"\n{arguments[1]}:  ##" in (ROOT / "Makefile").read_text("utf-8")
                for extra in re.findall(r"\[(\w+)\]", command):
                    assert extra in extras, (block.where, command)
                for word in arguments[1:]:
                    assert "/" not in word or "://" in word or (ROOT / word).exists(), (block.where, command)
                if arguments[1:2] == ["-m"]:
                    assert ROOT.joinpath(*arguments[2].split(".")).with_suffix(".py").exists()


def test_ci_runs_the_readme_s_test_command_and_then_the_rest() -> None:
    [command] = [b.text.strip() for b in blocks(ROOT / "README.md") if "pytest" in b.text]
    runs = re.findall(r'^timeout \S+ bash -c "(.+)"', (ROOT / ".ci" / "run").read_text("utf-8"), re.MULTILINE)
    assert runs == [command, command.replace("[test]", "[dev]") + " --rest"]


@pytest.mark.parametrize("block", of("python"), ids=called)
def test_python_compiles(block: Block) -> None:
    compile(block.text, block.where, "exec")


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda page: page.name)
def test_sql_is_what_the_checker_passes(page: Path) -> None:
    """A page's SQL is one script: each block on the tables of those before it."""
    script = ""
    for block in blocks(page):
        if block.language != "sql" or block.file is not None:
            continue
        report = check(script + block.text)
        codes = {d.code for d in report if d.severity is not Severity.NOTE and d.span.start >= len(script)}
        assert codes == set((block.mark("fails") or "").split()), block.where
        script += block.text if not block.fails else ""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a page's files lie, and this repository's notebooks."""
    (tmp_path / "notebooks").symlink_to(ROOT / "notebooks")
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(b.language == "console" for b in blocks(p))], ids=lambda p: p.name
)
def test_consoles(page: Path, folder: Path, capsys: Any) -> None:
    """Each command runs in the folder of the files shown before it, and says what is shown."""
    outputs = Outputs(page)
    for block in blocks(page):
        if block.file is not None:
            lay_out(block, folder)
        if block.language != "console":
            continue
        for command, expected, at in commands(block):
            arguments = shlex.split(command)
            assert arguments[0] == "iceberg-sql", block.where
            if command.startswith(IN_A_SESSION):  # tests/spark/test_doc_examples.py
                continue
            assert main(arguments[1:]) in (0, 1)
            output = capsys.readouterr()
            outputs.compare(block, expected, output.out + output.err, at)
    outputs.settle()


def test_files_are_used() -> None:
    """A block that is a file is there for a command behind it, or for its own test."""
    for page in PAGES:
        waiting: list[str] = []
        for block in blocks(page):
            if block.language == "console":
                waiting.clear()
            elif block.file is not None and block.language in ("sql", "python"):
                waiting.append(block.where)
        own_test = page.name in ("CONTRIBUTING.md", "own-rules.md")  # the latter: test_plugin_package.py
        assert not waiting or own_test, waiting


# --- settings and workflows -----------------------------------------------------------------------


SETTINGS_BLOCKS = [block for block in of("toml") if block.page.name != "own-rules.md"]  # a package's


@pytest.mark.parametrize("block", SETTINGS_BLOCKS, ids=called)
def test_toml(block: Block, folder: Path) -> None:
    table = tomllib.loads(block.text)
    if "tool" in table:
        assert list(table["tool"]) == [TABLE]
        (folder / "pyproject.toml").write_text(block.text)
        documented = set(Configuration().of(folder / "a.sql").sources)
        assert set(SETTINGS) - documented == set(), f"help: add it to the block of {block.page.name}"
        assert documented - set(SETTINGS) == set()
    elif block.file is not None and block.file.endswith(".iceberg-sql.toml"):
        (folder / ".iceberg-sql.toml").write_text(block.text)
        assert set(Configuration().of(folder / "a.sql").sources) == set(table)
    else:
        assert table["language-server"]["iceberg-sql"]["command"] == "iceberg-sql"
        assert table["language-server"]["iceberg-sql"]["args"][0] in COMMANDS


WORKFLOWS = [block for block in of("yaml") if block.page.name != "dbt.md"]  # whose commands check it


@pytest.mark.parametrize("block", WORKFLOWS, ids=called)
def test_yaml(block: Block, folder: Path, capsys: Any) -> None:
    """Every hook is one of ours, and every command of a workflow runs."""
    tree = yaml.safe_load(block.text)
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    ids = {hook["id"] for hook in hooks}
    ours = 0
    for key, value in leaves(tree):
        if key == "id":
            assert value in ids
            ours += 1
        if key == "args":  # of the action
            assert main(["check", *shlex.split(value)]) == 0
            capsys.readouterr()
            ours += 1
        if str(value).startswith("iceberg-sql "):
            assert main(shlex.split(value)[1:]) == 0
            capsys.readouterr()
            ours += 1
    assert ours


def leaves(tree: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(tree, dict):
        for name, value in tree.items():
            yield from leaves(value, str(name))
    elif isinstance(tree, list):
        for value in tree:
            yield from leaves(value, key)
    else:
        yield key, tree


# --- architecture and contributing ----------------------------------------------------------------


def test_the_layers_shown_are_the_contract_s() -> None:
    page_layers = [block.text.splitlines() for block in of("text") if "layers" in block.marks]
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    assert sorted(page_layers) == sorted(c["layers"] for c in contracts if c["type"] == "layers")


def test_every_folder_has_its_row() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    row_names = set(re.findall(r"`([\w/.]+)`", "\n".join(re.findall(r"^\| (.*?) \|", page, re.MULTILINE))))
    package = ROOT / "spark_iceberg_sql"
    for path in package.iterdir():
        if path.is_dir() and path.name != "__pycache__" and path.name != "spark":
            assert f"{path.name}/" in row_names, path.name
        elif path.suffix == ".py" and not path.name.startswith("__"):
            assert path.name in row_names, path.name
    for path in (package / "spark").iterdir():
        if path.is_dir() and path.name != "__pycache__":
            assert f"spark/{path.name}/" in row_names, path.name
        elif path.suffix == ".py" and not path.name.startswith("__"):
            assert {path.name, f"spark/{path.name}"} & row_names, path.name


@pytest.mark.tier("rest")  # five seconds
def test_the_first_rule_works(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule of CONTRIBUTING.md finds what its cases and its page say, and nothing else."""
    files = [block for block in blocks(ROOT / "CONTRIBUTING.md") if block.file is not None]
    for block in files:
        lay_out(block, folder)
    [source] = [block.file for block in files if block.language == "python"]
    [cases] = [block.file for block in files if block.language == "sql"]
    assert source is not None
    assert cases is not None
    tree = ast.parse((folder / source).read_text())
    monkeypatch.syspath_prepend(folder / Path(source).parent)
    module = import_module(Path(source).stem)
    [rule] = [value for value in vars(module).values() if isinstance(value, Rule)]
    if rule.code in [other.code for other in ALL]:
        pytest.skip("a contributor tries it")
    assert rule.page == ast.get_docstring(tree)
    assert re.findall(r"^## (.+)$", rule.page, re.MULTILINE) == ["Why", "Instead", "Examples"]
    for kind in rule.on:
        monkeypatch.setitem(rule_runner._RULES, kind, (*rule_runner._RULES.get(kind, ()), rule))
    rule_cases = list(cases_of((folder / cases).read_text(), rule.code))
    assert rule_cases
    for case in rule_cases:
        assert said(check(case.text, case.known())) == case.found
    for example in rule.examples:
        codes = [d.code for d in check(example.sql)]
        assert codes == ([rule.code] if example.bad else [])
    broken = [case for case in (*file_cases(), *page_cases()) if _has(rule, case)]
    assert broken == []
    config = ["--config", str(ROOT / "pyproject.toml")]
    for arguments in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *arguments, *config, source],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


def _has(rule: Rule, case: Case) -> bool:
    return rule.code in {d.code for d in check(case.text, case.known())}


def test_the_source_distribution_has_what_the_tests_read() -> None:
    """They can be run from it, without a clone."""
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    text = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py"))
    read = {path for path in re.findall(r'\bROOT / "([^"*{]+)"', text) if (ROOT / path).exists()}
    missing = {path for path in read if not any(path == p or path.startswith(f"{p}/") for p in included)}
    assert "Makefile" in read
    assert missing <= {"pyproject.toml", "editors"}  # the first is always in it, of the second what is read
