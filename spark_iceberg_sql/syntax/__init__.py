"""From text to statements: tokens, their grammar, and one record per kind of statement."""
