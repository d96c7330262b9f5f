"""The reports of Iceberg's faults: each program, run in plain Spark and Iceberg, prints what its report says."""

from __future__ import annotations

import json
from pathlib import Path

import process
import pytest
from upstream import reports
from upstream.__main__ import main

PROGRAMS = """
import contextlib, io, json
spark = theirs(**{
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.local": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.local.type": "hadoop",
    "spark.sql.catalog.local.warehouse": "warehouse",
    "spark.sql.session.timeZone": "UTC",
})
spark.sparkContext.setLogLevel("OFF")
def rows(query):
    return [tuple(row) for row in spark.sql(query).collect()]
outputs = {}
for name, program in json.loads(open("programs.json").read()).items():
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(program, {"spark": spark, "rows": rows})
    outputs[name] = printed.getvalue()
print(json.dumps(outputs))
"""


def test_the_programs_print_what_the_reports_say(tmp_path: Path) -> None:
    """Without this package's rules: a fault that Iceberg has mended shows here."""
    (tmp_path / "programs.json").write_text(json.dumps({report.name: report.program for report in reports()}))
    out, _ = process.run(tmp_path, PROGRAMS)
    outputs = json.loads(out.splitlines()[-1])
    assert outputs == {report.name: report.output for report in reports()}


def test_a_report_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    for report in reports():
        title, _, body = report.text.partition("\n")
        assert title.startswith("# ")
        assert "Expected: " in body
    assert main(["nan-greater"]) == 0
    assert "SparkSession.builder" in capsys.readouterr().out
    assert main(["no-such-report"]) == 2
