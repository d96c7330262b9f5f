"""Errors of Spark in a cell: as findings, with the place and the statement to write instead."""
