"""Where only a client of Spark Connect is installed, what needs Spark's own process says where it works."""

from __future__ import annotations

import subprocess
import sys

import pytest

import spark_iceberg_sql as sis

pytestmark = pytest.mark.tier("quick")  # many processes or many trials: `make fast` leaves them out

CALLS = (
    "explain(None, 'SELECT 1')",
    "health(None, 't')",
    "preview(None, 't')",
    "advise(None, 't')",
    "spj(None, 'SELECT 1')",
    "optimize(None, 't')",
    "repartition(None, 't')",
    "attach('/t', 'a.b.c')",
    "run(None, 'SELECT 1')",
    "catalog(None, 'c', 'hadoop')",
    "collection(None, 'c')",
    "session()",
)


@pytest.mark.parametrize("call", CALLS)
def test_a_client_is_told_where_it_works(call: str) -> None:
    """pyspark-client brings pyspark without py4j, which no pip command should add."""
    program = (
        "import sys; sys.modules['py4j'] = None; import spark_iceberg_sql as sis\n"
        f"try: sis.{call}\nexcept sis.IcebergSqlError as error: print(error)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "in the process of the Spark server" in done.stdout
    assert "SELECT * FROM iceberg_health" in done.stdout
    assert "pip" not in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_no_explicit_session_starts_in_a_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all of pyspark installed, a variable of a client's process keeps Spark from starting a JVM."""
    monkeypatch.setenv("SPARK_REMOTE", "sc://127.0.0.1:1")
    with pytest.raises(sis.IcebergSqlError) as caught:
        sis.session()
    fact = str(caught.value).partition("\n")[0]
    assert "a client of Spark Connect: the environment has SPARK_REMOTE" in fact
    assert "pip" not in str(caught.value)
