"""The language server, completion, and the entry point for JupyterLab."""
