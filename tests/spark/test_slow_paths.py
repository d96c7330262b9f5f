"""A path that does not answer holds up its own statement, and no other one of the session."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

SETTING = "spark.iceberg_sql.read_timeout"


def end_readers(file: Path, text: bytes = b"") -> None:
    """Give a text to a pipe's present reader, if there is one."""
    with suppress(OSError):  # nobody reads it
        descriptor = os.open(file, os.O_WRONLY | os.O_NONBLOCK)
        os.write(descriptor, text)
        os.close(descriptor)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[str]:
    """A metadata file that is a pipe: whoever opens it waits until somebody writes to it."""
    file = tmp_path / "t" / "metadata" / "v1.metadata.json"
    file.parent.mkdir(parents=True)
    os.mkfifo(file)
    yield f"iceberg('{tmp_path}/t', metadata_file_path => 'metadata/v1.metadata.json')"
    end_readers(file)


def test_other_statements_go_on(spark: SparkSession, pipe: str, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE local.db.beside_a_pipe USING iceberg AS SELECT 1 id")
    errors: list[str] = []

    def waits() -> None:
        try:
            spark.sql(f"SELECT * FROM {pipe}")
        except AnalysisException as error:
            errors.append(str(error))

    thread = threading.Thread(target=waits)
    thread.start()
    time.sleep(1)
    assert spark.sql("SELECT count(*) FROM local.db.beside_a_pipe").head()[0] == 1
    folder = spark.conf.get("spark.sql.catalog.local.warehouse")
    assert spark.sql(f"SELECT id FROM iceberg('{folder}/db/beside_a_pipe')").count() == 1
    assert thread.is_alive()
    deadline = time.monotonic() + 60
    while thread.is_alive() and time.monotonic() < deadline:  # it is opened more than once
        end_readers(tmp_path / "t" / "metadata" / "v1.metadata.json", b"{}")
        thread.join(0.2)
    assert len(errors) == 1
    assert "v1.metadata.json` cannot be read" in errors[0]


def test_the_time_limit(spark: SparkSession, pipe: str) -> None:
    session = spark.newSession()
    session.sql(f"SET {SETTING} = 1")
    with pytest.raises(AnalysisException, match=rf"within 1 second; .* SET {SETTING} = 2\."):
        session.sql(f"SELECT * FROM {pipe}")
    session.sql(f"SET {SETTING} = soon")
    with pytest.raises(AnalysisException, match="is `soon`, not a whole number of seconds from 1"):
        session.sql(f"SELECT * FROM {pipe}")
