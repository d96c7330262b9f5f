package sparkicebergsql;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import org.apache.spark.sql.catalyst.parser.ParameterContext;
import org.apache.spark.sql.catalyst.parser.ParameterHandler;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.parser.PositionMapper;
import org.apache.spark.sql.catalyst.parser.Substitution;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreePattern$;

/** The values of a statement's parameters, which the parser inserts: a ParameterContext, or null. */
public final class Parameters {
  private Parameters() {}

  public static LogicalPlan parsed(ParserInterface parser, String text, Object parameters) throws ParseException {
    if (parameters == null) return parser.parsePlan(text);
    LogicalPlan plan = parser.parsePlanWithParameters(text, (ParameterContext) parameters);
    // Iceberg 1.11 parses the text alone, and leaves the values out: the parser that it wraps inserts them.
    ParserInterface inner = plan.containsPattern(TreePattern$.MODULE$.PARAMETER()) ? GateParser.innerOf(parser) : null;
    return inner == null ? plan : inner.parsePlanWithParameters(text, (ParameterContext) parameters);
  }

  /** The JSON of a BoundText: what Spark parses; null if there are no parameters. */
  public static String bound(String text, Object parameters) throws Exception {
    if (parameters == null) return null;
    PositionMapper mapper =
      (PositionMapper) ParameterHandler.substituteParameters(text, (ParameterContext) parameters)._2();
    BoundText result = new BoundText();
    result.text = mapper.substitutedText();
    result.replacements = new ArrayList<>();
    for (Substitution substitution : ScalaTypes.list(mapper.substitutions())) {
      ReplacedMarker marker = new ReplacedMarker();
      marker.start = Long.valueOf(substitution.start());
      marker.end = Long.valueOf(substitution.end());
      marker.text = substitution.replacement();
      result.replacements.add(marker);
    }
    return new ObjectMapper().writeValueAsString(result);
  }
}
