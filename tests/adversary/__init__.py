"""A random adversary of the optimizer rules and the SQL functions: `python -m tests.adversary --seconds N --seed S`.

It generates tables, predicates and statements from a seed, and compares the rows that a statement returns in
an installed session with those for which the predicate is true, evaluated over a copy of the rows without Iceberg.
"""
