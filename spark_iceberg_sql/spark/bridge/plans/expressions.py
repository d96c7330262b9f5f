"""Expressions of Spark: their parts and their text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_iceberg_sql.spark.bridge.jvm import gateway, shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, from_seq, java_class, scala_object
from spark_iceberg_sql.syntax.identifiers import quoted


def node_class(node: Java) -> str:
    """The simple name of a plan's or an expression's class."""
    return str(node.getClass().getSimpleName()).removesuffix("$")


def pretty(expression: Java) -> str:
    """An expression as Spark names a result column: `lower(name)`."""
    package = scala_object("org.apache.spark.sql.catalyst.util.package")
    return shims.pretty_sql(package, expression)


def sql(expression: Java) -> str:
    """An expression as SQL over bare column names."""
    text = pretty(expression).replace(" (implied)'", "'").replace(" (implied)", "")
    return text[1:-1] if text.startswith("(") and _balanced(text[1:-1]) else text


def query_text(expression: Java) -> str:
    """An expression as SQL that a query may have, over bare column names."""
    parts = re.split(r"('(?:[^'\\\\]|\\\\.)*')", str(expression.sql()))
    names = {str(a.sql()): quoted(str(a.name())) for a in attributes(expression)}
    for qualified in sorted(names, key=len, reverse=True):
        parts[::2] = (part.replace(qualified, names[qualified]) for part in parts[::2])
    text = "".join(parts)
    return text[1:-1] if text.startswith("(") and _balanced(text[1:-1]) else text


def _balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def conjunction(parts: list[Java]) -> Java:
    """The conjunction of predicates."""
    result, *remaining = parts
    for part in remaining:
        result = java_class(f"{gateway.EXPRESSIONS}.And")(result, part)
    return result


def disjuncts(condition: Java) -> list[Java]:
    """The sides of an OR."""
    operation = scala_object("org.apache.spark.sql.catalyst.planning.PhysicalOperation")
    return from_seq(operation.splitDisjunctivePredicates(condition))


def references(expression: Java) -> list[Java]:
    """The columns in an expression, without duplicates."""
    return from_seq(expression.references().toSeq())


def paths(expression: Java) -> list[str]:
    """The columns in an expression, without duplicates; fields of structs with their path, `s.a`."""
    return list(dict.fromkeys(_paths(expression)))


def _paths(expression: Java) -> Iterator[str]:
    if node_class(expression) == "AttributeReference":
        yield str(expression.name())
        return
    child_paths = [path for child in from_seq(expression.children()) for path in _paths(child)]
    is_field = node_class(expression) == "GetStructField" and _is_path(expression.child())
    yield from (f"{path}.{expression.extractFieldName()}" if is_field else path for path in child_paths)


def _is_path(expression: Java) -> bool:
    if node_class(expression) == "GetStructField":
        return _is_path(expression.child())
    return node_class(expression) == "AttributeReference"


def iceberg_calls(expression: Java) -> list[Java]:
    """The calls of Iceberg's functions on a column that Spark evaluates itself, as they were not pushed
    down.
    """
    children = from_seq(expression.children())
    calls = [call for child in children for call in iceberg_calls(child)]
    # Spark resolves Iceberg's functions to static calls of their classes.
    if node_class(expression) == "StaticInvoke" and children:
        value = children[-1].child() if node_class(children[-1]) == "Cast" else children[-1]
        owner = str(expression.staticObject().getName())
        if _is_path(value) and owner.startswith("org.apache.iceberg."):
            return [expression, *calls]
    return calls


def not_null(conjunct: Java, relation: Java) -> list[Java]:
    """The `IS NOT NULL` that Spark derives from a conjunct above a relation."""
    # spark.sql.constraintPropagation.enabled: without it, Spark derives no IS NOT NULL.
    if not relation.conf().constraintPropagationEnabled():
        return []
    expressions = scala_object("org.apache.spark.sql.catalyst.expressions.ExpressionSet")
    expression_set = expressions.apply(gateway.to_seq([conjunct]))
    return from_seq(relation.constructIsNotNullConstraints(expression_set, relation.output()).toSeq())


def literals(expression: Java) -> list[Java]:
    """The leaves of an expression that are not columns."""
    leaves = from_seq(expression.collectLeaves())
    return [leaf for leaf in leaves if node_class(leaf) != "AttributeReference"]


def attributes(expression: Java) -> list[Java]:
    """The columns in an expression, with duplicates."""
    leaves = from_seq(expression.collectLeaves())
    return [leaf for leaf in leaves if node_class(leaf) == "AttributeReference"]


def split(condition: Java) -> list[Java]:
    """The conjuncts of a condition."""
    operation = scala_object("org.apache.spark.sql.catalyst.planning.PhysicalOperation")
    return from_seq(operation.splitConjunctivePredicates(condition))
