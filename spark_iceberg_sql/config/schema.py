"""The JSON schema of the settings, generated from the table of keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark_iceberg_sql.config import keys
from spark_iceberg_sql.config.settings import Settings


def schema(address: str) -> dict[str, Any]:
    """The schema of `.iceberg-sql.toml` and of the table in pyproject.toml.

    address: its URL.
    """
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": address,
        "title": "iceberg-sql",
        "description": "Settings of iceberg-sql check",
        "type": "object",
        "additionalProperties": False,
        "properties": {key: _property(key, reader) for key, reader in keys.KEYS.items()},
    }


def _property(key: str, reader: keys.Reader) -> dict[str, Any]:
    default = getattr(Settings(), key.replace("-", "_"))
    default_entry = {} if default is None else {"default": _plain(default)}
    return {"description": keys.PURPOSE[key], **keys.SCHEMAS[reader], **default_entry}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value
