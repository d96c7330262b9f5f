"""All rules, in code order: each is one file, whose docstring is its page.

To add a rule, add its file and its import here.
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.facts.target_context import UnknownFactError
from spark_iceberg_sql.rules.base import API_VERSION, Category, Finding, rule
from spark_iceberg_sql.syntax import nodes

__all__ = [
    "API_VERSION",
    "Category",
    "Context",
    "Edit",
    "Finding",
    "Fix",
    "Severity",
    "UnknownFactError",
    "nodes",
    "rule",
]
