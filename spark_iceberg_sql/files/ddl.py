"""The first words of statements that create or alter a table, to find DDL in strings and after a missing `;`."""

from __future__ import annotations

import re

from spark_iceberg_sql.lazy import regex

TABLE_DDL = regex(r"\b(?:alter|replace|create(?:\s+or\s+replace)?(?:\s+external)?)\s+table\b", re.IGNORECASE)
