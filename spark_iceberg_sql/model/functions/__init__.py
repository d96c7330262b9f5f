"""Records of the table functions."""
