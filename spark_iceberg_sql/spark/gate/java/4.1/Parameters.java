package sparkicebergsql;

import org.apache.spark.sql.catalyst.parser.ParameterContext;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The values of a statement's parameters, which the parser inserts: a ParameterContext, or null. */
public final class Parameters {
  private Parameters() {}

  public static LogicalPlan parsed(ParserInterface parser, String text, Object parameters) throws ParseException {
    if (parameters == null) return parser.parsePlan(text);
    return parser.parsePlanWithParameters(text, (ParameterContext) parameters);
  }
}
