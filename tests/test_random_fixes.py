"""Faulty partition clauses in random programs and templates: a fix changes the statement's own text alone."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from itertools import product
from random import Random
from types import CodeType, ModuleType, SimpleNamespace

import pytest
from samples import share

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.checker.files.linter import Linter
from spark_iceberg_sql.checker.fixes import apply_fixes
from spark_iceberg_sql.config.settings import Settings
from spark_iceberg_sql.diagnostics import Report
from spark_iceberg_sql.files.discovery import extract_source
from spark_iceberg_sql.model.tables import Tables

COLUMNS = "id BIGINT, n INT, m INT, key BIGINT, ts TIMESTAMP, at TIMESTAMP, Name STRING, City STRING"
# Faulty terms, each over its own column, with the parts between which a program or a template may be put in.
TERMS = [
    ("bucket(", "id", ", ", "16", ")"),
    ("truncate(", "Name", ", ", "4", ")"),
    ("bucket(", "'16'", ", ", "key", ")"),
    ("bucket(", "16Y", ", ", "n", ")"),
    ("iceberg_days", "(", "ts", ")"),
    ("truncate(", "4.0", ", ", "city", ")"),
    ("bucket(", "m /* key */", ", ", "16", ")"),
    ("days(", "at", ")"),
]
HEADS = [
    "CREATE TABLE db.t{number} ({columns}) USING iceberg PARTITIONED BY ({terms})",
    "ALTER TABLE db.t{number} ADD PARTITION FIELD {term}",
]
SEEDS = [
    pytest.param(start, marks=[pytest.mark.tier("quick")] * (start >= 100)) for start in share(range(0, 2000, 50), 2)
]


def report_of(name: str, text: str) -> Report:
    return Linter().lint(extract_source(name, text), Settings(default_namespace="db"))[0]


def same_but_cured(old: str, new: str) -> bool:
    """Whether two statements have the same words, apart from what a safe fix changes."""
    both = []
    for text in (old, new):
        plain = re.sub(r"iceberg_|'|(?<=\d)(?:Y|\.0)\b", "", text)
        both.append(Counter(re.findall(r"\w+|[^\w\s]", plain.lower())))
    return both[0] == both[1]


def statement(random: Random, number: int) -> list[str]:
    """A statement on its own table, in the parts that it may be cut into."""
    terms: list[str] = []
    head = random.choice(HEADS)
    for term in random.sample(TERMS, random.choice((1, 1, 2)) if "{terms}" in head else 1):
        terms += [", "] * bool(terms) + list(term)
    before, after = re.split(r"\{terms?\}", head.replace("{columns}", COLUMNS).replace("{number}", str(number)))
    return [before, *terms, after] if after else [before, *terms]


# --- programs -------------------------------------------------------------------------------------


class Program:
    """A program in the making: the lines that bind names, and those that use them."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.names = 0

    def literal(self, text: str) -> str:
        quote = self.random.choice(['"', '"""'])
        return f"{quote}{text}{quote}"

    def name(self, text: str) -> str:
        """A name that stands for a text, bound in a random way and used by others or not."""
        self.names += 1
        name = f"N{self.names}"
        value = self.literal(text)
        bound = self.random.choice(
            [f"{name} = {value}"] * 4
            + [f"{name}: str = {value}", f"for {name} in [{value}]: pass", f"({name} := {value})"]
            + [f"{name} = {value}\n{name} = {name}.upper()", f"def f():\n    {name} = {value}"]
            + [f"class A:\n    {name} = {value}", f"{name} = {value}\nfrom m import {name}"]
            + [f"{name} = {value}\ntry: pass\nexcept E as {name}: pass"]
        )
        self.lines.append(bound)
        used = self.random.choice(["", "", f"print({name})", f"df.repartition(int({name}), 'id')"])
        used = used or self.random.choice(
            ["", f"trino.execute('SELECT ' + {name})", f"spark.sql('SELECT ' + {name})", f"__all__ = ['{name}']"]
        )
        if used:
            self.lines.append(used)
        return name

    def call(self, parts: list[str]) -> None:
        """A statement, cut at random into literals, names, and fields of f-strings."""
        tokens, text = [], ""
        for part in parts:
            way = self.random.choice(["same"] * 12 + ["cut", "beside", "name", "format"])
            if way == "same":
                text += part
            elif way in ("cut", "beside"):
                tokens += [self.literal(text), "+" if way == "cut" else " "]
                text = part
            elif way == "name":
                tokens += [self.literal(text), "+", self.name(part), "+"]
                text = ""
            else:
                tokens += [self.literal(text), "+", f'f"{{{self.name(part)}}}"', "+"]
                text = ""
        expression = " ".join([*tokens, self.literal(text)])
        if self.random.random() < 0.3:
            self.lines.append(f"Q{self.names} = {expression}")
            expression = f"Q{self.names}"
        ways = [f"spark.sql({expression})"] * 3
        ways += [f"def run():\n    spark.sql({expression})", f"class B:\n    x = spark.sql({expression})"]
        self.lines.append(self.random.choice(ways))


def program(seed: int) -> str:
    random = Random(seed)
    program_builder = Program(random)
    for number in range(random.choice((1, 2, 3))):
        program_builder.call(statement(random, number))
    return "\n".join(program_builder.lines) + "\n"


def other_tokens(text: str) -> list[str]:
    """A program without its string literals."""
    quoted = ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return ["" if tokenize.tok_name[t.type] in quoted else t.string for t in tokens]


def said(text: str) -> list[tuple[str, str]]:
    """What a program does when it runs: the calls, with what they are given, and where it fails."""
    log: list[tuple[str, str]] = []

    def calls(name: str) -> SimpleNamespace:
        return lambda *arguments: log.append((name, "".join(map(str, arguments))))

    module = ModuleType("m")
    module.__dict__.update({f"N{number}": "theirs" for number in range(30)})
    names = {
        "spark": SimpleNamespace(sql=calls("spark")),
        "trino": SimpleNamespace(execute=calls("trino")),
        "df": SimpleNamespace(repartition=calls("df")),
        "print": calls("print"),
        "int": str,
        "__name__": "program",
    }
    sys.modules["m"] = module

    def attempt(code: CodeType | str) -> None:
        try:
            exec(code, names)
        except NameError as error:
            log.append(("fails", str(error)))

    try:
        for node in ast.parse(text).body:
            attempt(compile(ast.Module([node], []), "program", "exec"))
        attempt("run()" if "run" in names else "")
    finally:
        del sys.modules["m"]
    return [*log, ("all", str(names.get("__all__")))]


@pytest.mark.tier("rest")  # ten seconds
@pytest.mark.parametrize("start", SEEDS)
def test_programs(start: int) -> None:
    """A fixed program does what it did, but for the terms of its DDL; no error is new."""
    changed = 0
    for seed in range(start, start + 50):
        text = program(seed)
        done = apply_fixes(text, lambda t: report_of("a.py", t))
        assert other_tokens(done.text) == other_tokens(text), text
        for (name, old), (now, new) in zip(said(text), said(done.text), strict=True):
            cured = name == now == "spark" and "PARTITION" in old and same_but_cured(old, new)
            assert (name, old) == (now, new) or cured, text
        before, after = (Counter(d.code for d in r.errors) for r in (report_of("a.py", text), done.report))
        assert not after - before, text
        changed += done.text != text
    assert changed > 5


# --- templates ------------------------------------------------------------------------------------

_IF = re.compile(r"\{% if (\w) %\}(.*?)(?:\{% else %\}(.*?))?\{% endif %\}", re.DOTALL)
OTHERS = ["8", "id", "ts", "bucket(", "mine(", ", ", ")", "SELECT (", "f(", "; INSERT INTO db.u VALUES (1, ", "-- "]


def template(seed: int) -> str:
    """Statements in which conditions choose between parts, or put some in."""
    random = Random(seed)
    text = ""
    for number in range(random.choice((1, 2))):
        parts = statement(random, number)
        for _ in range(random.choice((0, 1, 1, 2))):
            start = random.randrange(len(parts))
            end = random.randrange(start, min(start + 4, len(parts))) + 1
            if any("{%" in part for part in parts[start:end]):
                continue
            inside = "".join(parts[start:end])
            other = random.choice([*OTHERS, inside])
            chosen = [(inside, other), (other, inside), (inside, ""), ("", other)][random.randrange(4)]
            otherwise = f"{{% else %}}{chosen[1]}" if chosen[1] else ""
            mark = f"{{% if {random.choice('ab')} %}}{chosen[0]}{otherwise}{{% endif %}}"
            parts[start:end] = [mark + (inside if chosen == ("", other) else "")]
        text += "".join(parts) + ";\n"
    return text


def rendered(text: str, true: dict[str, bool]) -> str:
    return _IF.sub(lambda m: m[2] if true[m[1]] else m[3] or "", text)


def findings(text: str) -> list[str]:
    return [d.code for d in check(text, Tables(namespace=("db",))) if d.code != "SIS002"]


@pytest.mark.tier("rest")  # six seconds
@pytest.mark.parametrize("start", SEEDS)
def test_templates(start: int) -> None:
    """In every branch a statement is as it was, if nothing was found in it, and else has no more faults."""
    changed = 0
    for seed in range(start, start + 50):
        text = template(seed)
        done = apply_fixes(text, lambda t: report_of("a.sql", t))
        assert re.findall(r"\{%.*?%\}", text) == re.findall(r"\{%.*?%\}", done.text), text
        for a, b in product([True, False], repeat=2):
            both = (rendered(t, {"a": a, "b": b}).split(";") for t in (text, done.text))
            for old, new in zip(*both, strict=True):
                assert old == new or same_but_cured(old, new), (text, done.text)
                if old != new:  # what another fault hid may show instead
                    assert 0 < len(findings(old)) >= len(findings(new)), (text, done.text)
        changed += done.text != text
    assert changed > 5
