package sparkicebergsql;

import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;

/** The gate, as its parser and its rule call it. */
public interface Admission {
  /** The text to parse in place of a statement of a session; parameters: its values, as {@link Parameters} takes them. */
  String admitted(SparkSession session, ParserInterface parser, String text, Object parameters) throws Exception;

  /** The same plan, marked so that it is not checked again. */
  LogicalPlan marked(LogicalPlan plan);

  /** Checks a command that was not parsed from a text; throws to refuse it. */
  void check(SparkSession session, LogicalPlan plan) throws Exception;
}
