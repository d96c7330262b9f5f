"""The results of dry runs as plain values for JSON: their keys are those that the documentation lists."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from doc_pages import ROOT
from jsonschema import Draft202012Validator, ValidationError

from spark_iceberg_sql.insight.advise.growth import Growth
from spark_iceberg_sql.insight.advise.model import Advice, Proposal, QueryReads, RuledOut
from spark_iceberg_sql.insight.diagnosis.model import (
    DiagnosedCatalog,
    DiagnosedFault,
    DiagnosedJar,
    DiagnosedRule,
    Diagnosis,
)
from spark_iceberg_sql.insight.explain.model import Conjunct, Explanation, Scan
from spark_iceberg_sql.insight.from_hive.hive_script import Step
from spark_iceberg_sql.insight.from_hive.model import FromHive, HiveQuery
from spark_iceberg_sql.insight.health.model import Health, HealthFinding, WorkloadReads
from spark_iceberg_sql.insight.listing.description_model import (
    DescribedColumn,
    DescribedField,
    DescribedSnapshot,
    DescribedSpec,
    Description,
)
from spark_iceberg_sql.insight.listing.tables_model import ListedTable, TableListing
from spark_iceberg_sql.insight.preview.model import Basis, BucketGroups, PartitionPreview, Preview
from spark_iceberg_sql.insight.spj.model import Operator, ShuffleReport

PAGE = (ROOT / "docs" / "guide" / "explain.md").read_text("utf-8").partition("## JSON")[2]
STRANGE = (b"\x00\xff", Decimal("1.50"), date(2024, 5, 17), float("nan"), None, 7, "é", True)
BASIS = Basis("exact", "every row: 3", "counted", "of the counted rows", "+-1%")
PREVIEW = Preview(
    "t",
    "id",
    (PartitionPreview("id=7", STRANGE, 3, 1, 99),),
    (99,),
    BASIS,
    "fanout writers",
    512,
    bucket_groups=(BucketGroups("bucket(4, id)", 4, 1.5),),
)
READS = QueryReads("SELECT 1", 2.0, 1, 10, 4, 40)
PROPOSAL = Proposal("days(ts)", 2, 20, 30, (READS,), 4, 10, ("ALTER ...",), "CALL ...", ("SIS5",))
DESCRIPTION = Description(
    "local.d.t",
    "/lake/d/t",
    2,
    "2026-01-02T03:04:05.678Z",
    1234,
    2,
    1,
    3000,
    "visits",
    (DescribedColumn("ts", "TIMESTAMP", True, "when", ("days(ts)",)),),
    (
        DescribedSpec(0, False, (), (), (), 1, 1000),
        DescribedSpec(1, True, (DescribedField("ts_day", "days(ts)"),), ("days(ts)",), (), 1, 2000),
    ),
    "ts ASC NULLS FIRST",
    (DescribedSnapshot(7, "2026-01-02T03:04:05.678Z", "append", "wrote 3 rows", ("v1",), True),),
    12,
)
RESULTS = {
    "tables": TableListing(
        "local.d",
        (
            ListedTable("local.d.t", "iceberg", "days(ts)", 1234, 2, 1, 3000, "2026-01-02T03:04:05.678Z"),
            ListedTable("local.d.v", "view", note="view"),
        ),
        ("a note",),
    ),
    "describe": DESCRIPTION,
    "explain": Explanation("SECRET", (Scan("t", 0, 0, conjuncts=(Conjunct("a = 1", 0),)),)),
    "health": Health("t", 1, 2, (HealthFinding("skew", "text", 0, 1, reads=WorkloadReads(1, 2, 3, 4)),)),
    "doctor": Diagnosis(
        "1",
        "Python",
        None,
        None,
        None,
        ("x 1",),
        (DiagnosedJar("/a.jar", "1", None, True),),
        (DiagnosedCatalog("c", "rest", "s3://b"),),
        "functions",
        (DiagnosedRule("r", False, "why"),),
        (DiagnosedFault("a/b#1", "present", "r", "done", False),),
        ("wrong",),
    ),
    "spj": ShuffleReport(
        (
            Operator("join", "a = b", ("t", "u"), None, True, False, 7, "why", "SET x = 1"),
            Operator("group", "a", ("t",), "a", False, False, 7),
            Operator("join", "a = b", ("t", "u"), None, False, True, 0, "one side is broadcast"),
        )
    ),
    "preview": PREVIEW,
    "from_hive": FromHive(
        "t",
        "days(ts)",
        "all rows",
        ("x",),
        (HiveQuery("SELECT 1", None),),
        ("same",),
        ("saves",),
        (Step("why", ("DO",)),),
    ),
    "advise": Advice(
        [PROPOSAL, replace(PROPOSAL, spec="", is_today=True, table_bytes=900)],
        source="t",
        basis="every row",
        tried=3,
        notes=("a note",),
        ruled_out=(RuledOut("id", "why", 7),),
        growth=Growth(10, 3.0),
    ),
}


def keys(value: Any) -> set[str]:
    """The keys of a value and of all within."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set()


@pytest.mark.parametrize("name", RESULTS)
def test_the_keys_are_the_documented_ones(name: str) -> None:
    (row,) = re.findall(rf"^\| `sis\.{name}\(\.\.\.\)` \| (.*) \|$", PAGE, re.MULTILINE)
    assert keys(RESULTS[name].to_dict()) == set(re.findall(r"`(\w+)`", row))


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_survives_json(name: str) -> None:
    values = RESULTS[name].to_dict()
    text = json.dumps(values, allow_nan=False)
    assert json.loads(text) == values == json.loads(RESULTS[name].to_json())
    assert "SECRET" not in text  # a statement may contain a password


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_fits_its_schema(name: str) -> None:
    schema = type(RESULTS[name]).json_schema()
    validator = Draft202012Validator(schema)
    validator.check_schema(schema)
    values = RESULTS[name].to_dict()
    validator.validate(values)
    for key in values:  # it refuses a missing key, and a key of another type
        with pytest.raises(ValidationError):
            validator.validate({k: v for k, v in values.items() if k != key})
        with pytest.raises(ValidationError):
            validator.validate({**values, key: {"another": "type"}})


def test_figures_and_values_that_json_lacks() -> None:
    document = PREVIEW.to_dict()
    assert (document["partitions"], document["files"], document["rows"], document["bytes"]) == (1, 1, 3, 99)
    assert document["per_partition"][0]["values"] == [*("00ff", "1.50", "2024-05-17", "nan", None, 7, "é", True)]
    unread = replace(RESULTS["explain"].scans[0], files=None)
    assert unread.pruned is None
    assert RESULTS["explain"].to_dict()["scans"][0]["pruned"] == 100.0


@pytest.mark.parametrize("name", RESULTS)
def test_a_prompt_shows_the_text_and_a_notebook_the_same_in_html(name: str) -> None:
    result = RESULTS[name]
    assert repr(result) == str(result)
    html = result._repr_html_()
    assert "<" in html
    assert "None" not in html


def test_a_table_s_description_as_text() -> None:
    text = str(DESCRIPTION)
    assert "local.d.t: 1,234 rows, 2 data files, 1 delete file, 3.0 kB, format version 2" in text
    assert "1 (current)  ts_day = days(ts)  + days(ts)      1  2.0 kB" in text
    assert "snapshots, the last 1 of 12" in text
    assert re.search(r"^ts +TIMESTAMP NOT NULL +days\(ts\) +when$", text, re.MULTILINE)
    assert "no snapshots" in str(replace(DESCRIPTION, snapshots=(), snapshot_count=0))


def test_a_listing_as_text() -> None:
    text = str(RESULTS["tables"])
    assert text.startswith("local.d: 1 Iceberg table with 2 data files, 3.0 kB, and 1 other name\n")
    assert re.search(
        r"^local.d.t +days\(ts\) +1,234 +2 \+ 1 of deletes +3.0 kB +2026-01-02 03:04:05$", text, re.MULTILINE
    )
    assert re.search(r"^local.d.v +view$", text, re.MULTILINE)
    assert text.endswith("\nnote: a note")
