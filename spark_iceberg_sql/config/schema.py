"""The JSON schema of the settings, generated from their records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark_iceberg_sql.config.settings import SETTINGS, Setting


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
        "properties": {key: _property(setting) for key, setting in SETTINGS.items()},
    }


def _property(setting: Setting[Any]) -> dict[str, Any]:
    default_entry = {} if setting.default is None else {"default": _plain(setting.default)}
    return {"description": setting.purpose, **setting.value_type.schema, **default_entry}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value
