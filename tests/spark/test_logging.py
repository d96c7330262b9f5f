"""Logging of errors that are an expected result."""

from __future__ import annotations

import logging

from spark_iceberg_sql.spark.bridge.jvm import logs


def test_a_quiet_block_within_another_does_not_end_it() -> None:
    record = logging.LogRecord("py4j", logging.ERROR, "", 1, "an error", (), None)
    with logs.without_error_logs():
        with logs.without_error_logs():
            pass
        assert not logs.may_log(record)
    assert logs.may_log(record)
