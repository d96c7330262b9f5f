"""The rules' pages, which are their docstrings, as Markdown: one page, its URL, and a table of all rules."""

from __future__ import annotations

from spark_iceberg_sql.rules import registry
from spark_iceberg_sql.rules.base import Rule

# Where the documentation is published: `site_url` of mkdocs.yml.
SITE = "https://spark-iceberg-sql.readthedocs.io/en/latest/"
SETTINGS_SCHEMA = f"{SITE}reference/settings.schema.json"

_BUILT_IN = frozenset(rule.code for rule in registry.OURS)


def url_of(code: str) -> str | None:
    """The URL of a rule's page; None for a rule from another package."""
    return f"{SITE}reference/rules/{code}/" if code in _BUILT_IN else None


def page(rule: Rule) -> str:
    """A rule's page under its code, name and severity."""
    spec = f"\n\nSpec: {rule.spec}." if rule.spec else ""
    return f"# {rule.code} {rule.name} ({rule.severity})\n\n{rule.page}{spec}"


def catalogue() -> str:
    """All rules as a Markdown table."""
    rows = (f"| {r.code} | {r.name} | {r.severity} | {r.summary} |\n" for r in registry.ALL)
    return "| code | name | severity | summary |\n|---|---|---|---|\n" + "".join(rows)
