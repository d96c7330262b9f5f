"""Whether Spark's grammar has a statement, without Spark: its own automaton, by version, over the tokens of `lexer`.

A file such as `4.1.json` has the rule in which a statement begins, the tokens of texts, and for each rule of Spark's
grammar the states of its automaton, of which it begins in the first. A state is a list: 1 if the rule may end there,
else 0, and its arcs: `[target, tokens]` or `[target, rule, least]`, each with one more number if it belongs to an
operator: its precedence. `python -m tests.spark_grammars` writes the files from the parsers of Apache Spark, whose
license (Apache 2.0) is this package's.
"""
