package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.parser.ParameterContext;
import org.apache.spark.sql.catalyst.parser.ParameterHandler;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.parser.PositionMapper;
import org.apache.spark.sql.catalyst.parser.Substitution;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The values of a statement's parameters, which the parser inserts: a ParameterContext, or null. */
public final class Parameters {
  private Parameters() {}

  public static LogicalPlan parsed(ParserInterface parser, String text, Object parameters) throws ParseException {
    if (parameters == null) return parser.parsePlan(text);
    return parser.parsePlanWithParameters(text, (ParameterContext) parameters);
  }

  /** The text that Spark parses, then what it puts where: start, end and words of each; offsets are UTF-16's. */
  public static List<Object> bound(String text, Object parameters) {
    List<Object> found = new ArrayList<>();
    if (parameters == null) return found;
    PositionMapper made =
      (PositionMapper) ParameterHandler.substituteParameters(text, (ParameterContext) parameters)._2();
    found.add(made.substitutedText());
    for (Substitution one : ScalaTypes.list(made.substitutions())) {
      found.add(one.start());
      found.add(one.end());
      found.add(one.replacement());
    }
    return found;
  }
}
