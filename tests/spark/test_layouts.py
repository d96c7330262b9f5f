"""Sessions created elsewhere: the session catalog, JDBC, no catalog, no extensions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from extra_jars import sqlite


def outcomes(layout, folder, jar=""):
    script = Path(__file__).with_name("layouts.py")
    command = [sys.executable, str(script), layout, str(folder), str(jar)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def session_catalog(tmp_path_factory):
    return outcomes("session_catalog", tmp_path_factory.mktemp("layout"), sqlite())


@pytest.mark.parametrize(
    ("statement", "codes"),
    [
        ("ALTER TABLE ice ADD PARTITION FIELD days(name)", ["SIS202"]),
        ("ALTER TABLE spark_catalog.default.ice ADD PARTITION FIELD days(ts)", ["SIS402"]),
        ("ALTER TABLE par ADD PARTITION FIELD bucket(4, id)", ["SIS412"]),
        ("ALTER TABLE see ADD PARTITION FIELD bucket(4, id)", ["SIS412"]),
        ("ALTER TABLE j ADD PARTITION FIELD bucket(4, nope)", ["SIS201"]),
    ],
)
def test_faults_in_the_session_catalog_and_in_jdbc(session_catalog, statement, codes):
    assert session_catalog[statement].get("codes") == codes, session_catalog[statement]


def test_everything_else_passes_there(session_catalog):
    refused = {s: o for s, o in session_catalog.items() if "ok" not in o and "codes" not in o}
    # Iceberg's session catalog cannot create views; this is its own error.
    assert list(refused) in ([], ["CREATE VIEW see AS SELECT 1 AS id"])


def test_functions_agree_with_the_table_in_the_session_catalog(session_catalog):
    (answer,) = [o["ok"] for s, o in session_catalog.items() if s.startswith("SELECT iceberg_")]
    assert answer == [["True"]]
    (rows,) = [o["ok"] for s, o in session_catalog.items() if "iceberg_plan" in s]
    assert rows == [["1"]]


@pytest.fixture(scope="module")
def no_extensions(tmp_path_factory):
    return outcomes("no_extensions", tmp_path_factory.mktemp("layout"))


def test_without_extensions_the_error_says_what_is_missing(no_extensions):
    outcome = no_extensions["ALTER TABLE local.db.t ADD PARTITION FIELD bucket(4, id)"]
    assert outcome["error"] == "ParseException"
    assert outcome["text"].startswith("this session's parser does not know Iceberg's statements")
    assert "IcebergSparkSessionExtensions" in outcome["text"]


def test_without_extensions_filters_prune_and_keep_their_rows(no_extensions):
    filters = no_extensions["filters"]
    assert len(filters) > 16
    pruned = {"iceberg_": 0, "local.system.": 0}
    for condition, (want, actual, files, total) in filters.items():
        assert actual == want, condition
        for prefix in pruned:
            pruned[prefix] += prefix in condition and files < total
    assert min(pruned.values()) > 2, pruned


def test_with_no_catalog_at_all_the_functions_work(tmp_path):
    by_statement = outcomes("bare", tmp_path)
    assert by_statement["SELECT iceberg_bucket(16, 34)"]["ok"] == [["3"]]
    assert by_statement["ALTER TABLE par ADD PARTITION FIELD bucket(4, id)"]["codes"] == ["SIS412"]
    assert by_statement["ALTER TABLE nope ADD PARTITION FIELD bucket(4, id)"]["codes"] == ["SIS412"]


def test_without_an_iceberg_catalog_sparks_internal_error_is_explained(tmp_path):
    by_statement = outcomes("no_iceberg_catalog", tmp_path)
    outcome = by_statement["ALTER TABLE par ADD PARTITION FIELD bucket(4, id)"]
    assert "SIS412" in outcome["warnings"][0]
    assert outcome["text"].startswith("the table's catalog is not an Iceberg catalog")
    assert "bug in Spark" not in outcome["text"]
    assert "Traceback" not in outcome["text"]
