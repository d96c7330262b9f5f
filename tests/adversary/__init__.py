"""A random adversary of the optimizer rules and the SQL functions: `python -m tests.adversary --seconds N --seed S`.

It makes tables, predicates and statements from a seed, and compares the rows that a statement gives on
an installed session with those that the predicate's values say, over a copy of the rows without Iceberg.
"""
