"""What an editor shows: the language server, and completion."""
