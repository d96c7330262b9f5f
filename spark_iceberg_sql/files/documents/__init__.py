"""SQL in documents: the blocks of Markdown, MDX and reStructuredText that are marked as SQL."""
