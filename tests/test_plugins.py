"""A team's package brings its own rules: as documented, and when it is faulty."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from samples import sampled

RULE = '''"""A partition field without a transform.

Our tables are partitioned by time or by bucket.

```sql bad
CREATE TABLE t (id BIGINT) USING iceberg PARTITIONED BY (id);
```
"""

from collections.abc import Iterator

from spark_iceberg_sql.rules import Context, Finding, Severity, nodes, rule


@rule(Severity.WARNING, on=(nodes.Create, nodes.AddField))
def no_identity(context: Context) -> Iterator[Finding]:
    for facts in context.new_terms:
        if facts.transform is not None and facts.transform.is_identity:
            yield Finding(facts.term.span, f"`{facts.source_text}` is no bucket and no time", "write a transform")
'''
SQL = "CREATE TABLE t (id BIGINT, d DATE) USING iceberg PARTITIONED BY (id, days(d));\n"


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    search_path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "spark_iceberg_sql", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": search_path},
    )


def install(folder: Path, module: str, text: str, value: str = "") -> Path:
    """The package as pip installs it: its module and its entry points."""
    (folder / f"{module}.py").write_text(text)
    metadata_folder = folder / "acme_rules-1.0.dist-info"
    metadata_folder.mkdir()
    (metadata_folder / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    (metadata_folder / "entry_points.txt").write_text(f"[spark_iceberg_sql.rules]\nacme = {value or module}\n")
    (folder / "a.sql").write_text(SQL)
    return folder


@pytest.mark.tier("quick")
def test_a_rule_of_another_package_is_a_rule(tmp_path: Path) -> None:
    folder = install(tmp_path, "acme101_no_identity", RULE)
    done = command(folder, "check", "a.sql", "--output-format", "concise")
    assert done.stderr == ""
    assert done.stdout.startswith("a.sql:1:66: warning[ACME101] `id` is no bucket and no time\n")
    assert done.returncode == 1
    assert command(folder, "explain", "ACME101").stdout.startswith("# ACME101 no-identity")
    assert "ACME101  warning  no-identity" in command(folder, "rules").stdout
    assert command(folder, "check", "a.sql", "--ignore", "ACME101").returncode == 0
    assert command(folder, "check", "a.sql", "--select", "ACME").returncode == 1
    assert command(folder, "check", "a.sql", "--select", "SIS").returncode == 0
    (folder / "a.sql").write_text(f"-- iceberg-sql: ignore[ACME101] a small table\n{SQL}")
    assert command(folder, "check", "a.sql").returncode == 0


@pytest.mark.tier("quick")
@pytest.mark.parametrize(
    ("module", "text", "value", "says"),
    sampled(
        [
            ("acme101_x", "import nothing_of_the_kind", "", "cannot be loaded: ModuleNotFoundError"),
            ("acme101_x", RULE.replace('"""', "'''", 1).replace('"""', "'''", 1), "acme101_x:gone", "cannot be loaded"),
            ("sis101_x", RULE, "", "the code SIS101 is already in use"),
            ("acme101_x", "x = 1", "", "no rules found"),
            ("acme101_x", RULE[RULE.index("from coll") :], "", "the rule ACME101 has no page"),
            ("no_code", RULE, "", "is named after its code and name"),
            (
                "acme101_x",
                RULE.replace("WARNING,", "WARNING, api=2,"),
                "",
                "cannot be loaded: written for version 2 of the rules' API; this is version 1",
            ),
        ],
        7,
    ),
)
def test_rules_that_cannot_be_had_are_loud(tmp_path: Path, module: str, text: str, value: str, says: str) -> None:
    folder = install(tmp_path, module, text, value)
    done = command(folder, *(("rules",) if module == "no_code" else ("check", "a.sql")))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the rules `")
    assert "of acme-rules" in done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.tier("quick")
def test_a_rule_of_another_package_that_fails_is_an_internal_error(tmp_path: Path) -> None:
    folder = install(tmp_path, "acme101_x", RULE.replace("facts.source_text", "facts.no_such_fact"))
    done = command(folder, "check", "a.sql")
    assert done.returncode == 2
    assert "SIS000" in done.stdout
    assert "ACME101" in done.stdout
