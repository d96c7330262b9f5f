"""Sends statements through dbt: each by a macro. (dbt imports each module named dbt_*, so this one is not.)

The job: `profile`, the output of profiles.yml, and `folder`, for the project.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import answers

task = answers.job()

from dbt.cli.main import dbtRunner  # noqa: E402

_MACRO = """{% macro ask(text) %}
  {% set table = run_query(text) %}
  {% if table is not none %}{{ log('@@' ~ tojson(table.rows | map('list') | list), info=True) }}{% endif %}
{% endmacro %}
"""
project = Path(task["folder"])
(project / "macros").mkdir(parents=True)
(project / "dbt_project.yml").write_text("name: m\nprofile: m\n", "utf-8")
(project / "macros" / "ask.sql").write_text(_MACRO, "utf-8")
profiles = {"m": {"target": "t", "outputs": {"t": task["profile"]}}}
(project / "profiles.yml").write_text(json.dumps(profiles), "utf-8")  # JSON is YAML
os.chdir(project)
os.environ["DBT_SEND_ANONYMOUS_USAGE_STATS"] = "false"
messages: list[str] = []


def keep(event: Any) -> None:
    """What dbt prints: the rest tells of each of its steps."""
    if event.info.level != "debug":
        messages.append(event.info.msg)


runner = dbtRunner(callbacks=[keep])


def rows(text: str) -> list[list[Any]]:
    """The rows of a statement. Raises RuntimeError with what dbt says."""
    messages.clear()
    arguments = ["run-operation", "ask", "--args", json.dumps({"text": text})]
    result = runner.invoke([*arguments, "--profiles-dir", ".", "--no-use-colors"])
    if not result.success:
        raise RuntimeError("\n".join(messages))
    payloads = [message.partition("@@")[2] for message in messages if "@@" in message]
    table: list[list[Any]] = json.loads(payloads[0]) if payloads else []
    return table


answers.run(task["statements"], rows)
