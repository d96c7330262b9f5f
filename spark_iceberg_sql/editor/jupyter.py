"""The language server as jupyter-lsp starts it, for SQL files and `%%sql` cells in JupyterLab."""

from __future__ import annotations

import sys
from typing import Any

from spark_iceberg_sql.report.rule_pages import SITE

# `-m` would import modules from the working directory, which may be a stranger's clone.
_START = "import sys; sys.path[:] = filter(None, sys.path); from spark_iceberg_sql.cli import entry; entry()"


def spec(_: object) -> dict[str, Any]:
    """The entry point of jupyter-lsp (`jupyter_lsp_spec_v1`): what it runs, and for which texts.

    Not for Python: JupyterLab asks one server per language, and a program needs the one that knows Python.
    """
    return {
        "iceberg-sql": {
            "version": 2,
            "argv": [sys.executable, "-c", _START, "server"],
            "languages": ["sql"],
            "requires_documents_on_disk": False,  # no `.virtual_documents` for what the editor sends
            "mime_types": ["application/sql", "text/sql", "text/x-sql"],
            "display_name": "iceberg-sql",
            "urls": {"home": f"{SITE}guide/editor/"},
            "install": {"pip": "pip install 'spark-iceberg-sql[lsp]'"},
        }
    }
