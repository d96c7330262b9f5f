"""A notebook: cells in a kernel of its own process, into whose Python `%pip` installs the package while its session
runs. The job: `kernel`, the Python of the kernel; `file`, what is installed; `settings`, of the session.
"""

from __future__ import annotations

import json
from typing import Any

import answers

task = answers.job()

from jupyter_client.kernelspec import KernelSpec  # noqa: E402
from jupyter_client.manager import KernelManager  # noqa: E402

_SECONDS = 300
_SESSION = """
import json
from pyspark.sql import SparkSession
builder = SparkSession.builder
for key, value in json.loads({settings!r}).items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
spark.sql("SELECT 1").collect()
def answer(text):
    print("@@" + json.dumps([[str(value) for value in row] for row in spark.sql(text).collect()]))
"""
_INSTALL = "import spark_iceberg_sql as sis\nsis.install(spark)"

manager = KernelManager(kernel_name="python3")
# The kernel of another Python than this one, as a platform has it.
manager._kernel_spec = KernelSpec(
    argv=[task["kernel"], "-m", "ipykernel_launcher", "-f", "{connection_file}"], language="python"
)
manager.start_kernel()
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=_SECONDS)


def cell(text: str) -> str:
    """What a cell prints. Raises RuntimeError with its error."""
    printed: list[str] = []

    def on_message(message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])

    content = client.execute_interactive(text, timeout=_SECONDS, output_hook=on_message)["content"]
    if content["status"] != "ok":
        raise RuntimeError(f"{content['ename']}: {content['evalue']}")
    return "".join(printed)


def rows(text: str) -> list[list[Any]]:
    """The rows of a statement in a cell of its own."""
    table: list[list[Any]] = json.loads(cell(f"answer({text!r})").rpartition("@@")[2])
    return table


try:
    cell(_SESSION.format(settings=json.dumps(task["settings"])))
    missing = cell("import importlib.util\nprint(importlib.util.find_spec('spark_iceberg_sql'))")
    assert missing.strip() == "None", "the package is there before it is installed"
    said = cell(f"%pip install {task['file']}")
    assert "Successfully installed" in said, said
    cell(_INSTALL)
    answers.run(task["statements"], rows)
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
