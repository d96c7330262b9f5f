"""The arguments of a call in a statement: names, literals, arrays, and the values of constant expressions."""

from __future__ import annotations

from spark_iceberg_sql.spark.bridge.jvm import gateway, shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, Refusal, java_class, scala_object
from spark_iceberg_sql.spark.bridge.plans import relations

_CATALYST = "org.apache.spark.sql.catalyst"


def named_argument(expression: Java) -> tuple[str | None, Java]:
    """An argument of a call as (name or None, expression)."""
    if expression.getClass().getSimpleName() == "NamedArgumentExpression":
        return str(expression.key()), expression.value()
    return None, expression


def is_literal(expression: Java) -> bool:
    """True if an argument is a literal in the statement's text."""
    return bool(expression.getClass().getSimpleName() == "Literal")


def constant(function: str, argument: str, expression: Java) -> str | int | bool | None:
    """The value of a constant expression: literal, constant expression, parameter, variable, subquery.

    Raises Refusal if it depends on rows or is not deterministic.
    """
    # Session variables arrive as an Alias of a VariableReference.
    if expression.getClass().getSimpleName() == "Alias":
        expression = expression.child()
    if expression.foldable():
        value = expression.eval(None)
    else:
        if not expression.deterministic() or expression.references().size() or "outer(" in expression.sql():
            raise Refusal(
                "NON_FOLDABLE_ARGUMENT", funcName=f"`{function}`", paramName=f"`{argument}`", paramType='"STRING"'
            )
        value = _evaluate_in_session(expression)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    # A string is a UTF8String in the JVM.
    return str(value.toString()) if hasattr(value, "toString") else str(value)


def _evaluate_in_session(expression: Java) -> Java:
    """The value of nvl(), intervals, variables and scalar subqueries, evaluated with the session's own
    optimizer.

    The plan is executed directly, not as a separate query, which Spark would display with all its values.
    """
    none, nil = gateway.to_option(), scala_object("scala.collection.immutable.Nil")
    expressions = f"{_CATALYST}.expressions"
    column = java_class(f"{expressions}.Alias")(
        expression, "value", java_class(f"{expressions}.NamedExpression").newExprId(), nil, none, nil
    )
    plan = java_class(f"{_CATALYST}.plans.logical.Project")(
        gateway.to_seq([column]), java_class(f"{_CATALYST}.plans.logical.OneRowRelation")()
    )
    return relations.data_frame(plan).queryExecution().executedPlan().executeCollectPublic()[0].get(0)


def timestamp_micros(expression: Java) -> int:
    """Microseconds since 1970 UTC of anything that TIMESTAMP AS OF accepts, by Spark's own rules."""
    expressions = f"{_CATALYST}.expressions"
    if scala_object(f"{expressions}.SubqueryExpression").hasSubquery(expression):
        value = _evaluate_in_session(expression)
        expression = scala_object(f"{expressions}.Literal").apply(value)
    conf = gateway.active_session().sessionState().conf()
    spec = scala_object(f"{_CATALYST}.analysis.TimeTravelSpec").create(
        gateway.to_option(expression), gateway.to_option(), shims.time_travel_settings(conf)
    )
    return int(spec.get().timestamp())
