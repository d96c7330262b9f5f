"""How a statement that makes or changes a table begins: by it DDL is found in strings and behind a missing `;`."""

from __future__ import annotations

import re

TABLE_DDL = re.compile(
    r"\b(?:alter|replace|create(?:\s+or\s+replace)?(?:\s+external)?)\s+table\b", re.IGNORECASE
)
