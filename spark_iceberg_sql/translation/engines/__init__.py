"""One module per engine: `write` makes its statements, `read` makes Spark's of them."""
