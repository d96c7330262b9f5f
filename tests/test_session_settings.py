"""The settings of sessions: every key that the package reads is a record, and every record is read."""

from __future__ import annotations

import re
from pathlib import Path

import spark_iceberg_sql
from spark_iceberg_sql.spark.optimizer.rule_records import RULES
from spark_iceberg_sql.spark.session_settings import SESSION_SETTINGS

PACKAGE = Path(spark_iceberg_sql.__file__).parent
KEY = re.compile(r'"((?:spark\.iceberg_sql|spark-iceberg-sql)\.[a-z_.-]+)"')
NOTE = "spark-iceberg-sql.reason"  # of a scan, among its options
ANOTHER_CONSTANT = 'PROPERTY + ".session-override"'


def test_a_key_in_java_is_a_record_or_a_switch() -> None:
    keys = {match[1] for path in PACKAGE.rglob("*.java") for match in KEY.finditer(path.read_text("utf-8"))}
    declared_keys = {setting.key for setting in SESSION_SETTINGS} | {rule.switch for rule in RULES} | {NOTE}
    assert keys <= declared_keys
    assert len(keys) > 3


def test_a_record_is_read() -> None:
    python = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py") if path.name != "session_settings.py")
    java = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.java"))
    text = (PACKAGE / "spark/session_settings.py").read_text("utf-8")
    names = re.findall(r"^([A-Z_]+) = SessionSetting\(", text, re.MULTILINE)
    assert len(names) == len(SESSION_SETTINGS)
    for name, setting in zip(names, SESSION_SETTINGS, strict=True):
        is_read_in_java = f'"{setting.key}"' in java or (ANOTHER_CONSTANT in java and setting.key.endswith("override"))
        assert is_read_in_java or f"{name}." in python, setting.key
