"""Keys appear in no plan, error, log, event log, repr or column name; a literal key raises a warning.

Each way of passing a key runs in a separate process, which writes an event log and a debug log; the
test then searches everything that the process left behind for the key. There is no S3 server for
the keys: the errors are what is searched.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spark_iceberg_sql.model.functions.table_functions import FUNCTIONS
from spark_iceberg_sql.spark.bridge.jvm.gateway import Refusal
from spark_iceberg_sql.spark.tables.credentials import Secrets
from spark_iceberg_sql.spark.tables.locations.stores import STORES

KEY, SECRET, TOKEN = "AKIASENTINEL0KEY", "sentinelsecretsentinelsecret", "sentineltokensentinel"
ACCOUNT_KEY = "c2VudGluZWxhY2NvdW50a2V5c2VudGluZWw="

SCRIPT = Path(__file__).with_name("secrets_script.py")

# Its script declares a variable.
pytestmark = pytest.mark.needs("variables")


@pytest.fixture(scope="module")
def left_behind(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "events").mkdir()
    environment = {**os.environ, "KEY": KEY, "SECRET": SECRET, "TOKEN": TOKEN, "ACCOUNT": ACCOUNT_KEY}
    done = subprocess.run(
        [sys.executable, "-W", "always", str(SCRIPT), str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    left = {"stdout": done.stdout, "stderr": done.stderr}
    for file in folder.rglob("*"):
        if file.is_file() and "warehouse" not in file.parts:
            left[str(file.relative_to(folder))] = file.read_text("utf-8", "replace")
    return left


@pytest.mark.parametrize(
    ("store", "arguments"),
    [
        ("any", {"url": "wasbs://c@n.blob.core.windows.net/x?sig=SENTINEL"}),
        ("any", {"url": "abfss://c@n.dfs.core.windows.net/x", "filename": "t?sv=1&sig=SENTINEL"}),
        ("any", {"url": "gs://b/x?X-Amz-Signature=SENTINEL"}),
        ("s3", {"url": "s3://b/x?X-Amz-Signature=SENTINEL"}),
        ("hadoop", {"path": "wasbs://c@n.blob.core.windows.net/x?SIG=SENTINEL"}),
        ("azure", {"connection_string": "https://n.h", "container_name": "c", "blobpath": "x?sig=SENTINEL"}),
    ],
)
def test_signed_urls_are_refused_without_their_signature(store: str, arguments: dict[str, str]) -> None:
    with pytest.raises(Refusal) as refused:
        STORES[store]("iceberg", arguments)
    assert "a signed URL" in str(refused.value.parameters)
    assert "SENTINEL" not in str(refused.value.parameters)


def test_signatures_are_masked_wherever_a_refusal_quotes_a_url() -> None:
    secrets = Secrets()
    secrets.collect(FUNCTIONS[0], {"url": "wasbs://c@n.h/x?sv=1&sig=SENTINEL ", "endpoint": "a?SIG=OTHER1"})
    refusal = secrets.redact(Refusal("PATH_NOT_FOUND", path="x?sv=1&sig=SENTINEL&a, OTHER1"))
    assert refusal.parameters == {"path": "x?sv=1&sig=***&a, ***"}


def test_the_script_did_what_it_should(left_behind: dict[str, str]) -> None:
    lines = left_behind["stdout"].splitlines()
    refused = sum(line.startswith("refused ") for line in lines)
    assert f"ASKED {refused}" in lines
    assert refused >= 17
    assert left_behind["stdout"].count("\nRAN") == 15
    assert "FAR" in left_behind["stdout"]
    assert "ADDRESS `uri` contains a user name or password" in left_behind["stdout"]
    assert "UI http" not in left_behind["stdout"]
    pages = {name: text for name, text in left_behind.items() if name.startswith("ui/")}
    assert any("spark.sql.catalog.local" in text for text in pages.values())
    assert any("DescribeQueryCommand" in text for text in pages.values())
    assert any("spark.sql.catalog.far.credential" in t for n, t in left_behind.items() if "events" in n)
    assert left_behind["stdout"].count("UnresolvedTableValuedFunction") == 3
    assert any(name.startswith("events/") for name in left_behind)
    events = "".join(text for name, text in left_behind.items() if name.startswith("events/"))
    assert "SparkListenerSQLExecutionStart" in events
    assert "spark.iceberg_sql.collection" in events


@pytest.mark.parametrize("secret", [KEY, SECRET, TOKEN, ACCOUNT_KEY])
def test_no_secret_is_left_behind(left_behind: dict[str, str], secret: str) -> None:
    for name, text in left_behind.items():
        position = text.find(secret)
        assert position < 0, f"{name}: ...{text[max(0, position - 300) : position + 60]}..."


def test_literals_bring_a_warning_that_says_what_to_do(left_behind: dict[str, str]) -> None:
    first, second = left_behind["stderr"].split("SECOND PART")
    warnings = first.count("is in the statement's text")
    assert second.count("is in the statement's text") >= 6
    assert warnings == left_behind["stdout"].count("LITERALLY") >= 2
    assert "spark.iceberg_sql.collection.NAME.secret_access_key" in left_behind["stderr"] or (
        "spark.iceberg_sql.collection.NAME.access_key_id" in left_behind["stderr"]
    )


def test_what_spark_itself_shows_brings_a_warning(left_behind: dict[str, str]) -> None:
    errors = left_behind["stderr"]
    assert errors.count("a view stores permanently") == 1
    assert errors.count("a parameter, a variable or a subquery, so the query's plan contains it") >= 4
    assert "at_start.secret_access_key` was set in plain text" in errors
    assert "by_sql.secret_access_key` was set in plain text" in errors
    assert "by_call" not in "".join(re.findall("`[^`]*` was set in plain text", errors))
