"""Problems of a table's files and specs, and the statements that fix them."""
