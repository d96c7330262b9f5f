"""Tables whose files were never written."""
