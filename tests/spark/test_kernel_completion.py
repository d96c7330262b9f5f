"""Completion and the catalog's views in an ordinary kernel, by the messages that JupyterLab sends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")  # jupyter_client's own

SET_UP = """\
import spark_iceberg_sql as sis
spark = sis.session("warehouse", config={
    "spark.master": "local[2]", "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2",
    "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"})
spark.sql("CREATE TABLE local.d.visits (id BIGINT, ts TIMESTAMP, page STRING) USING iceberg PARTITIONED BY (days(ts))")
spark.sql("CREATE TABLE local.d.`odd name` (`a b` BIGINT) USING iceberg PARTITIONED BY (`a b`)")
"""
CELL = "%%iceberg_sql\n"
ALTER = CELL + "ALTER TABLE local.d.visits"


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The client of a kernel with a session."""
    folder: Path = tmp_path_factory.mktemp("kernel")
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(folder))
    client.execute_interactive(SET_UP, timeout=300, output_hook=lambda message: None)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.mark.parametrize(
    ("code", "some", "excluded"),
    [
        (CELL + "SELECT * FROM local.d.|", {"visits"}, {"id"}),
        (CELL + "SELECT pa| FROM local.d.visits", {"page"}, {"id"}),
        (CELL + "SELECT iceberg_da|", {"iceberg_day", "iceberg_days"}, {"iceberg_bucket"}),
        (ALTER + " ADD PARTITION FIELD |", {"bucket", "days", "ts"}, {"local"}),
        (ALTER + " DROP PARTITION FIELD |", {"ts_day"}, {"ts"}),
        (CELL + "SELECT * FROM local.d.od|", {"`odd name`"}, {"odd name"}),
        (CELL + "SELECT a| FROM local.d.`odd name`", {"`a b`"}, {"a b"}),
        (CELL + "ALTER TABLE local.d.`odd name` DROP PARTITION FIELD |", {"`a b`"}, {"a b"}),
        ("%iceberg_sql tables local.|", {"d"}, set()),
        ("%iceberg_sql describe local.d.|", {"visits"}, set()),
        ('sis.sql(spark, "SELECT * FROM local.d.|")', {"visits"}, set()),
        ('spark.sql("""\nSELECT pa|\nFROM local.d.visits""")', {"page"}, {"ts"}),
        ('spark.table("local.d.|")', {"visits"}, set()),
        ("spark.conf.ge|", {"get"}, {"visits"}),  # Python's are left alone
    ],
)
def test_a_completion_request(kernel: Any, code: str, some: set[str], excluded: set[str]) -> None:
    position = code.index("|")
    content = kernel.complete(code.replace("|", "", 1), position, reply=True, timeout=60)["content"]
    matches = {match.rpartition(".")[2] for match in content["matches"]}
    assert some <= matches, content
    assert not excluded & matches
    assert content["cursor_end"] == position


def test_the_views_of_the_catalog_as_text_and_html(kernel: Any) -> None:
    outputs: list[Any] = []

    def receive(message: Any) -> None:
        outputs.append(message["content"].get("data", {}))

    for code in ("%iceberg_sql tables local.d", "%iceberg_sql describe local.d.visits"):
        kernel.execute_interactive(code, timeout=60, output_hook=receive)
    mime_bundles = [data for data in outputs if "text/html" in data]
    assert len(mime_bundles) == 2
    assert all("local.d.visits" in data["text/plain"] and "<table>" in data["text/html"] for data in mime_bundles)
