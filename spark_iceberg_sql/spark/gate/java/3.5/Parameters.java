package sparkicebergsql;

import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The values of a statement's parameters: Spark inserts them after parsing, so a text has none. */
public final class Parameters {
  private Parameters() {}

  public static LogicalPlan parsed(ParserInterface parser, String text, Object parameters) throws ParseException {
    return parser.parsePlan(text);
  }

  public static String bound(String text, Object parameters) { return null; }
}
