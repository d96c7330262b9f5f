"""The search of the documentation: what newcomers ask leads to the right page, among the first three.

The site's search script, the theme's, is run in node as the search box runs it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from doc_pages import ROOT, build_site

pytestmark = pytest.mark.tier("rest")  # mkdocs, node

HOME = "HOME"
# A question, and the pages that answer it, one of which is enough.
QUESTIONS = {
    "how to install": "setup",
    "install without pypi": "setup",
    "getting started": "tutorial",
    "quickstart": "tutorial",
    "what is a partition spec": "tutorial glossary",
    "hidden partitioning": "tutorial glossary",
    "what is a manifest": "glossary",
    "conjunct": "glossary",
    "managed platform": "guide/platforms",
    "Amazon EMR": "guide/platforms/emr",
    "AWS Glue job": "guide/platforms/glue",
    "install on Kubernetes": "guide/platforms/kubernetes",
    "fanout": "glossary troubleshooting",
    "schema evolution": "tutorial guide/checked-ddl",
    "partition evolution": "tutorial guide/checked-ddl",
    "change partition of a table": "guide/checked-ddl tutorial",
    "add partition field": "guide/checked-ddl tutorial",
    "drop partition field": "guide/checked-ddl",
    "alter table": "guide/checked-ddl",
    "choose partition": "guide/advise",
    "which columns to partition by": "guide/advise",
    "best partitioning for queries": "guide/advise",
    "how many buckets": "guide/advise guide/preview",
    "too many partitions": "guide/preview",
    "number of files": "guide/preview",
    "small files": "guide/health",
    "compaction": "guide/health glossary",
    "rewrite data files": "guide/health",
    "delete files": "guide/health glossary",
    "slow query": "guide/explain",
    "why does my query read all files": "guide/explain",
    "query plan": "guide/explain",
    "partition pruning": "guide/pruning",
    "filter by year": "guide/pruning",
    "full table scan": "guide/require-filter",
    "time travel": "guide/by-path",
    "read table from s3": "guide/by-path",
    "metadata tables": "reference/table-functions guide/by-path",
    "migrate hive table": "guide/from-hive",
    "hive to iceberg": "guide/from-hive",
    "autocomplete jupyter": "guide/editor",
    "jupyter": "guide/notebooks guide/editor",
    "vs code": "guide/editor",
    "pre-commit": "guide/ci",
    "github actions": "guide/ci",
    "dbt": "guide/dbt",
    "airflow": "guide/dbt",
    "ignore a rule": "guide/check",
    "lint sql": "guide/check",
    "rollback": "guide/checked-ddl",
    "expire snapshots": "guide/checked-ddl",
    "docker": "setup",
    "INTERNAL_ERROR": "guide/correct-results",
    "custom rules": "guide/own-rules",
    "databricks": "guide/check guide/connect guide/translate guide/other-engines",
    "spark connect": "guide/connect",
    "storage partitioned join": "guide/spj glossary",
    "bucket function": "guide/functions reference/functions",
    "out of memory": "troubleshooting",
    "trino": "guide/translate",
    "java version": "setup troubleshooting",
    "spark 3.5": "setup",
    "configuration": "reference/settings",
    "python api": "reference/python",
    "partition by month": "tutorial guide/pruning guide/advise guide/functions reference/functions",
    "explain": "guide/explain",
    "merge small files": "guide/health",
    "column statistics": "glossary guide/explain guide/reading-less",
    "lower bound upper bound": "glossary guide/explain",
    "csv": "tutorial guide/preview",
    "load csv": "tutorial",
    "lakehouse catalog": "glossary setup guide/by-path",
    "read parquet": "guide/by-path",
    "credentials": "guide/by-path security",
    "minio": "guide/by-path",
    "polars": "guide/notebooks",
    "export results": "guide/notebooks",
    "progress bar": "guide/notebooks",
    "disable check": "guide/check guide/checked-ddl",
    "suppress warning": "guide/check",
    "baseline": "guide/ci",
    "gitlab": "guide/ci",
    "neovim": "guide/editor",
    "flink": "guide/translate guide/other-engines",
    "clickhouse": "guide/other-engines guide/translate",
    "limit query cost": "guide/require-filter",
    "null pointer": "troubleshooting",
    "java heap space": "troubleshooting",
    "module not found": "troubleshooting setup",
    "exit code": "guide/check reference/commands",
    "repartition table": "guide/checked-ddl guide/advise guide/health tutorial",
    "shuffle join": "guide/spj",
    "timezone": "guide/functions reference/rules/SIS505 guide/from-hive",
    "window week quarter": "guide/pruning reference/rules/SIS101",
    "how do I partition a table": "tutorial guide/advise guide/checked-ddl",
    "what is pruning": "guide/pruning glossary",
    "why is my query slow": "guide/explain",
    "bucket(id, 16)": "reference/rules/SIS104 guide/check HOME guide/functions",
    "rename partition field": "guide/checked-ddl reference/rules/SIS404 reference/rules/SIS305",
    "sort order": "guide/advise glossary guide/health",
    "z-order": "guide/advise",
    "deletion vectors": "glossary guide/health",
    "merge into": "guide/checked-ddl guide/pruning guide/explain guide/by-path",
    "streaming": "guide/preview",
    "aws glue": "guide/platforms/glue",
    "dataframe write partitionBy": "guide/check guide/checked-ddl",
    "pyiceberg": "guide/check guide/translate",
    "duckdb": "guide/other-engines",
    "clickhouse compatibility": "guide/clickhouse-scenarios guide/other-engines",
    "clickhouse tests": "guide/clickhouse-scenarios",
    "remove the extension": "setup guide/checked-ddl",
    "uninstall": "setup",
    "airgapped offline install": "setup troubleshooting",
    "json output": "guide/explain guide/check reference/commands",
    "sarif": "guide/ci guide/check",
    "max partitions": "guide/preview",
    "read fewer files": "guide/reading-less guide/pruning guide/explain",
    "undo alter": "guide/checked-ddl",
    "year(ts) = 2024": "guide/pruning",
    "SIS404": "reference/rules/SIS404",
    "multiple fields for name": "troubleshooting reference/rules/SIS404",
    "scala": "guide/jar setup",
    "add column": "guide/checked-ddl reference/rules/SIS408 reference/rules/SIS210",
    "yarn cluster spark-submit": "setup guide/platforms",
    "flyway": "guide/migrations",
    "database migrations": "guide/migrations guide/ci",
    "wrong rows": "guide/correct-results",
    "format version 4": "guide/newest-iceberg",
    "iceberg bug wrong result": "guide/correct-results reference/iceberg-issues",
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The pages that the search shows for each question, best first, in one run of the site's script."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    folder = tmp_path_factory.mktemp("search")
    site = build_site(folder / "site")
    questions = folder / "questions.json"
    questions.write_text(json.dumps(list(QUESTIONS)), "utf-8")
    command = [node, str(Path(__file__).parent / "docs_search.mjs"), str(site), str(questions)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    addresses = ([page.rstrip("/") or HOME for page in pages] for pages in json.loads(done.stdout))
    return dict(zip(QUESTIONS, addresses, strict=True))


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_leads_to_its_page(question: str, answers: dict[str, list[str]]) -> None:
    first = answers[question][:3]
    assert set(first) & set(QUESTIONS[question].split()), answers[question][:10]


def test_every_page_of_the_guide_is_an_answer() -> None:
    """So that no page is left without a question that leads to it."""
    pages = {f"guide/{path.stem}" for path in (ROOT / "docs" / "guide").glob("*.md")}
    assert pages - set(" ".join(QUESTIONS.values()).split()) == set(), "help: add a question for it to QUESTIONS"
