"""Two processes evolve one table of a JDBC catalog concurrently: nothing is lost."""

from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

from extra_jars import sqlite

from spark_iceberg_sql.model.metadata_json import table_from_metadata

FIRST = ("days(ts)", "bucket(4, id)", "truncate(2, name)", "bucket(5, name)", "truncate(10, id)")
SECOND = ("hours(ts)", "bucket(8, id)", "truncate(4, name)", "bucket(6, name)", "truncate(100, id)")


def test_two_processes_evolve_one_table(tmp_path):
    (tmp_path / "jar").write_text(str(sqlite()))
    script = Path(__file__).with_name("race.py")
    processes = [
        subprocess.Popen(
            [sys.executable, str(script), str(tmp_path), me, *terms],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for me, terms in (("first", FIRST), ("second", SECOND))
    ]
    output = [process.communicate(timeout=300)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], output
    connection = sqlite3.connect(tmp_path / "catalog.db")
    place = connection.execute("SELECT metadata_location FROM iceberg_tables").fetchone()[0]
    connection.close()
    content = Path(place.removeprefix("file:")).read_bytes()
    content = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    specs = table_from_metadata(("t",), json.loads(content)).specs
    added = [field.clause for field in specs.spec.fields]
    # A serial outcome: each process's fields in its own order, no id twice, ids as they were given.
    assert [clause for clause in added if clause in FIRST] == list(FIRST)
    assert [clause for clause in added if clause in SECOND] == list(SECOND)
    assert [field.field_id for field in specs.spec.fields] == list(range(1000, 1010))
    assert len(specs.every) == 11
