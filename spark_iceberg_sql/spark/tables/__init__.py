"""Tables by path: the table functions, from arguments to relations."""
