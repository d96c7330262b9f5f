"""The files of a new rule, to be filled in.

    python -m tests.new_rule SIS599 identity-on-json "A table partitioned by JSON text."

makes `rules/sis599_identity_on_json.py`, its line in `rules/registry.py` and `tests/rules/SIS599.sql`, and says what
is next.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

RULE = '''"""{summary}

## Why
What goes wrong, on the runtime, and when it shows.

## Instead
The clause to write.

## Examples
```sql bad
CREATE TABLE t (id BIGINT, doubtful BIGINT) USING iceberg PARTITIONED BY (doubtful);
```
```sql good
CREATE TABLE t (id BIGINT, doubtful BIGINT) USING iceberg PARTITIONED BY (id);
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes


@rule(
    Severity.WARNING,
    on=(nodes.Create, nodes.AddField, nodes.ReplaceField),
    category=Category.{category},
)
def {function}(context: Context) -> Findings:
    """Every term over a column named `doubtful`."""
    for facts in context.new_terms:
        if facts.source_text == "doubtful":
            yield Finding(facts.term.span, "`doubtful` is doubtful", "write `id`")
'''

CASES = """-- case: what it is about
CREATE TABLE t (id BIGINT, doubtful BIGINT) USING iceberg PARTITIONED BY (doubtful);  -- warning: {code}

-- case: what it is not about
CREATE TABLE t (id BIGINT, doubtful BIGINT) USING iceberg PARTITIONED BY (id);
"""

# The category of a rule, by the first digit of its code.
CATEGORIES = ("CHECK", "TEXT", "COLUMNS", "FIELDS", "TABLE", "ADVICE", "QUERY")

NEXT = """{rule}
{cases}

Next:
  make format check                                          style and types
  pytest tests/test_rules.py                                 the page, the cases, the fixes
  make goldens                                               then read the message for each case
  python tests/spark/oracle.py tests/rules/{code}.sql        what Spark and Iceberg say of the cases
"""


def make(root: Path, code: str, name: str, summary: str) -> str:
    """Write the files. Raises SystemExit for a code or name that is taken, or is none."""
    if not re.fullmatch(r"SIS[0-6]\d\d", code) or not re.fullmatch(r"[a-z]+(-[a-z]+)*", name):
        sys.exit("a code and a name are like SIS599 and identity-on-json")
    rules = root / "spark_iceberg_sql" / "rules"
    if existing := next(rules.glob(f"{code.lower()}_*.py"), None):
        sys.exit(f"{code} is taken: {existing.name}")
    function = name.replace("-", "_")
    module = f"{code.lower()}_{function}"
    rule, cases = rules / f"{module}.py", root / "tests" / "rules" / f"{code}.sql"
    rule.write_text(
        RULE.format(summary=summary, function=function, category=CATEGORIES[int(code[3])]), encoding="utf-8"
    )
    cases.write_text(CASES.format(code=code), encoding="utf-8")
    registry = rules / "registry.py"
    text = registry.read_text("utf-8")
    listed = re.findall(r'^    "(sis\w+)",$', text, re.MULTILINE)
    old, new = ("".join(f'    "{m}",\n' for m in sorted(ms)) for ms in (listed, [*listed, module]))
    registry.write_text(text.replace(old, new), encoding="utf-8")
    return NEXT.format(rule=rule.relative_to(root), cases=cases.relative_to(root), code=code)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.new_rule", description=__doc__.split("\n")[0])
    parser.add_argument("code", help="SIS599")
    parser.add_argument("name", help="identity-on-json")
    parser.add_argument("summary", help="the first line of its page")
    arguments = parser.parse_args()
    print(make(ROOT, arguments.code, arguments.name, arguments.summary), end="")


if __name__ == "__main__":
    main()
