"""Very large metadata: right rows, and no call from Python to the JVM for each column, field, spec or schema."""

from __future__ import annotations

import pytest
from py4j.clientserver import JavaClient
from pyspark.sql import SparkSession

from tests.large_metadata import KINDS, table

SMALL, LARGE = 20, 2_000


def calls(spark: SparkSession, kind: str, count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many calls Python makes while it reads that table by its path."""
    file = table(spark, kind, count)
    commands: list[str] = []
    send = JavaClient.send_command

    def counted(self: JavaClient, command: str, *args: object, **kwargs: object) -> object:
        if not command.startswith("m\n"):  # garbage collection
            commands.append(command)
        return send(self, command, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(JavaClient, "send_command", counted)
        query = f"SELECT id, name FROM iceberg('{file.parent.parent}') WHERE id < 9 ORDER BY id"
        rows = spark.sql(query).collect()
    assert rows == [(1, "a"), (2, "b")]
    return len(commands)


@pytest.mark.parametrize("kind", KINDS)
def test_calls_do_not_grow_with_the_metadata(spark: SparkSession, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls(spark, kind, SMALL - 1, monkeypatch)  # classes are looked up once
    few, many = (calls(spark, kind, count, monkeypatch) for count in (SMALL, LARGE))
    assert 0 < many <= few + 50
