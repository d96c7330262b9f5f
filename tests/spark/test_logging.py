"""Logging of errors that are an expected result."""

from __future__ import annotations

import logging

from spark_iceberg_sql.spark.bridge.jvm import gateway


def test_a_quiet_block_within_another_does_not_end_it() -> None:
    record = logging.LogRecord("py4j", logging.ERROR, "", 1, "an error", (), None)
    with gateway.without_error_logs():
        with gateway.without_error_logs():
            pass
        assert not gateway._may_log(record)
    assert gateway._may_log(record)
