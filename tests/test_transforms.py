"""The transform table against the spec's own, and the checker over transform x type x spelling."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.model import bound_transform, transforms
from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.functions.metadata_functions import NAMES
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.model.transforms import BY_NAME, BY_SPELLING, TRANSFORMS
from spark_iceberg_sql.model.types import Field, List, Map, Primitive, Struct, primitive_from_spark
from spark_iceberg_sql.sessions.dry_run_functions import ANSWERS
from spark_iceberg_sql.sessions.statement_functions import STATEMENT_FUNCTIONS

# Spec, Partition Transforms, "Source types": the spec's table, copied.
_TIMESTAMPS = {"timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"}
_HASHED = {"int", "long", "decimal", "date", "time", "string", "uuid", "fixed", "binary"} | _TIMESTAMPS
_PRIMITIVES = _HASHED | {"boolean", "float", "double", "unknown"}
_NOT_PARTITIONED = {"variant", "geometry", "geography"}
SPEC_SOURCES = {
    "identity": _PRIMITIVES,
    "bucket": _HASHED,
    "truncate": {"int", "long", "decimal", "string", "binary"},
    "year": {"date"} | _TIMESTAMPS,
    "month": {"date"} | _TIMESTAMPS,
    "day": {"date"} | _TIMESTAMPS,
    "hour": _TIMESTAMPS,
    "void": _PRIMITIVES | _NOT_PARTITIONED,
}
# Spec, Partition Transforms, "Result type"; None: the source's.
SPEC_RESULTS = {
    "identity": None,
    "bucket": "int",
    "truncate": None,
    "year": "int",
    "month": "int",
    "day": "date",  # the spec says int; Iceberg's Java and its Spark functions answer a date
    "hour": "int",
    "void": None,
}
# What the DDL of Spark with Iceberg 1.12 takes, put to it in every letter case.
SPELLINGS = {
    "identity": ["identity"],
    "bucket": ["bucket"],
    "truncate": ["truncate"],
    "year": ["year", "years"],
    "month": ["month", "months"],
    "day": ["day", "days", "date"],
    "hour": ["hour", "hours", "date_hour"],
}
# Spark's spelling of a column type, and which transforms the runtime took over such a column.
_DATES = "identity bucket year month day"
_NUMBERS = "identity bucket truncate"
MEASURED = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT"), _NUMBERS),
    **dict.fromkeys(("DECIMAL(9, 2)", "DECIMAL(38, 0)", "DECIMAL(38, 38)"), _NUMBERS),
    **dict.fromkeys(("STRING", "CHAR(50)", "VARCHAR(50)", "STRING COLLATE UTF8_LCASE"), _NUMBERS),
    "BINARY": _NUMBERS,
    **dict.fromkeys(("BOOLEAN", "FLOAT", "DOUBLE", "VOID"), "identity"),
    "DATE": _DATES,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"), _DATES + " hour"),
    **dict.fromkeys(("STRUCT<a: INT>", "ARRAY<INT>", "MAP<STRING, INT>", "VARIANT"), ""),
}
ALL_TYPES = sorted(_PRIMITIVES | _NOT_PARTITIONED)


@pytest.mark.parametrize("name", list(SPEC_SOURCES))
def test_the_table_takes_what_the_spec_takes(name):
    accepted = {kind for kind in ALL_TYPES if BY_NAME[name].takes(Primitive(kind))}
    assert accepted == set(SPEC_SOURCES[name])


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda t: t.name)
def test_no_transform_takes_a_nested_type(transform):
    inner = Field("x", Primitive("int"))
    for kind in (Struct((inner,)), List(inner), Map(inner, inner)):
        assert not transform.takes(kind)


def test_the_table_has_the_specs_transforms_and_results():
    assert {t.name: t.result for t in TRANSFORMS} == SPEC_RESULTS


def test_the_table_has_the_spellings_of_ddl():
    assert {t.name: sorted(t.spellings) for t in TRANSFORMS if t.in_ddl} == {
        name: sorted(spellings) for name, spellings in SPELLINGS.items()
    }
    assert all(BY_SPELLING[s].name == name for name, synonyms in SPELLINGS.items() for s in synonyms)


@pytest.mark.parametrize(
    ("clause", "created", "altered"),
    [
        ("id", "id", "id"),
        ("bucket(16, id)", "id_bucket", "id_bucket_16"),
        ("truncate(4, id)", "id_trunc", "id_trunc_4"),
        ("years(id)", "id_year", "id_year"),
        ("months(id)", "id_month", "id_month"),
        ("days(id)", "id_day", "id_day"),
        ("hours(id)", "id_hour", "id_hour"),
    ],
)
def test_clauses_and_default_names(clause, created, altered):
    matches = [t for t in TRANSFORMS if t.in_ddl and t.clause("id") == clause]
    assert len(matches) == 1
    number = matches[0].parameter.example if matches[0].parameter else None
    assert matches[0].create_name("id") == created
    assert matches[0].alter_name("id", number) == altered


@pytest.mark.parametrize("text", ["identity", "bucket[16]", "truncate[4]", "year", "day", "void"])
def test_metadata_names_round_trip(text):
    bound = bound_transform.from_metadata(text)
    assert str(bound) == text
    assert bound.transform is BY_NAME[text.split("[")[0]]


@pytest.mark.parametrize("text", ["week", "bucket", "day[3]", "zorder[2]", "cube", "bucket[x]"])
def test_a_transform_of_a_later_spec_is_kept_and_judged_in_no_way(text):
    bound = bound_transform.from_metadata(text)
    assert str(bound) == text
    assert not bound.transform.in_ddl
    assert bound.transform.takes(Primitive("double"))


def test_void_is_void():
    assert bound_transform.VOID.is_void
    assert not BoundTransform(BY_NAME["identity"]).is_void


def _clauses(name: str, alter: bool):
    for spelling in SPELLINGS[name]:
        for written in (spelling,) if alter else (spelling, spelling.capitalize()):
            number = {"bucket": "16, ", "truncate": "4, "}.get(name, "")
            yield f"{written}({number}x)"


@pytest.mark.parametrize("kind", list(MEASURED))
def test_the_checker_over_transform_by_type_by_spelling(kind):
    for name, alter in itertools.product(SPELLINGS, (False, True)):
        _every_spelling(name, kind, alter)


def _every_spelling(name, kind, alter):
    tables = Tables(catalog="local", namespace=("db",), complete=True)
    expected = name in MEASURED[kind].split()
    clauses = [*_clauses(name, alter), *(["x"] if name == "identity" else [])]
    for clause in clauses:
        tail = "TBLPROPERTIES ('format-version' = '3')"
        if alter:
            create = f"CREATE TABLE t (id INT, x {kind}) USING iceberg {tail};\n"
            text = f"{create}ALTER TABLE t ADD PARTITION FIELD {clause}"
        else:
            text = f"CREATE TABLE t (id INT, x {kind}) USING iceberg PARTITIONED BY ({clause}) {tail}"
        report = check(text, tables)
        codes = {d.code for d in report.errors}
        nested = kind == "VARIANT" or "<" in kind
        assert codes == (set() if expected else {"SIS203"} if nested else {"SIS202"}), clause
        for diagnostic in report.errors:
            assert text[diagnostic.span.start : diagnostic.span.end] == "x"
            assert diagnostic.help


@pytest.mark.parametrize("kind", [k for k in MEASURED if "<" not in k and "COLLATE" not in k])
def test_measured_types_agree_with_the_record(kind):
    name, _, arguments = kind.rstrip(")").partition("(")
    source = primitive_from_spark(name, tuple(int(a) for a in arguments.split(",") if a))
    for transform, accepted in itertools.product(SPELLINGS, [MEASURED[kind].split()]):
        assert BY_NAME[transform].takes(source) == (transform in accepted), transform


def test_the_table_has_the_functions_of_sql_and_of_iceberg():
    times = ("year", "month", "day", "hour")
    plain = ("identity", "bucket", "truncate", "void")
    assert {t.name: t.functions for t in TRANSFORMS} == {
        **{name: (f"iceberg_{name}",) for name in plain},
        **{name: (f"iceberg_{name}", f"iceberg_{name}s") for name in times},
    }
    assert {t.name: t.spark_function for t in TRANSFORMS} == {
        **dict.fromkeys(("identity", "void")),
        **{name: name for name in ("bucket", "truncate")},
        **{name: f"{name}s" for name in times},
    }
    assert [BY_NAME[name].granularity for name in plain] == [None] * 4
    assert {t.parameter.maximum for t in TRANSFORMS if t.parameter} == {2147483647}


def test_a_function_of_sql_is_a_transform_s_or_a_table_function() -> None:
    of_tables = {answer.name for answer in (*STATEMENT_FUNCTIONS, *ANSWERS)} | NAMES
    help_ = "help: name the table function otherwise; Spark would take the one or the other, as its place in the query"
    assert transforms.BY_FUNCTION.keys() & of_tables == set(), help_
    assert sum(len(t.functions) for t in TRANSFORMS) == len(transforms.BY_FUNCTION)


@pytest.mark.tier("rest")  # five seconds
def test_every_rule_over_a_transform_more() -> None:
    """One record is all that a transform is: nothing else needs to know it."""
    command = [sys.executable, str(Path(__file__).with_name("dummy_transform.py")), "check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 500


@pytest.mark.tier("quick")
def test_nothing_else_names_a_transform() -> None:
    """Neither by its name or class in Java, nor as the key or the other side of a comparison in Python."""
    package = Path(transforms.__file__).parents[1]
    names = {name for t in TRANSFORMS for name in (t.name, *t.spellings, t.spark_function) if name}
    names -= {"date"}  # a type as well
    mentions = []
    for path in package.rglob("*.py"):
        if path.name == "transforms.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            sides: list[ast.AST] = []
            if isinstance(node, ast.Subscript) and getattr(node.value, "id", "").startswith("BY_"):
                sides = [node.slice]
            elif isinstance(node, ast.Compare) and getattr(node.left, "attr", "") == "name":
                sides = list(node.comparators)
            mentions += [
                f"{path.name}:{node.lineno}" for side in sides if isinstance(side, ast.Constant) and side.value in names
            ]
    classes = "|".join(t.iceberg_class for t in TRANSFORMS if t.iceberg_class)
    java = re.compile(rf'"(?:{"|".join(sorted(names))})(?:\[|")|{classes}')
    mentions += [
        f"{path.name}: {match[0]}"
        for path in package.rglob("*.java")
        for match in java.finditer(path.read_text("utf-8"))
        if (path.name, match[0]) != ("NewFile.java", '"bucket"')  # S3's
    ]
    assert mentions == []


def test_a_finer_time_transform_keeps_more_of_an_iso_time() -> None:
    """SIS303 and the literals of filters rely on the order; tests/spark compares them with the functions' values."""
    lengths = [t.granularity or 0 for t in transforms.TIMES]
    assert lengths[-2:] == [24, 1]
    assert lengths == sorted(set(lengths), reverse=True)
    widths = [t.iso_width or 0 for t in transforms.TIMES]
    assert widths == sorted(set(widths))


@pytest.mark.tier("quick")
def test_no_module_outside_the_records_lists_transforms() -> None:
    """Three names of time transforms in one literal are a second table."""
    names = {name for t in transforms.TIMES for name in t.spellings}
    package = Path(transforms.__file__).parents[1]
    tables = []
    for path in sorted(package.rglob("*.py")):
        if path.parent == package / "model" or path.name.startswith("sis"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
                items = [*node.keys, *node.values] if isinstance(node, ast.Dict) else node.elts
                texts = {n.value for n in items if isinstance(n, ast.Constant)}
                if len(texts & names) >= 3:
                    tables.append(f"{path.relative_to(package)}:{node.lineno}")
    assert tables == []
