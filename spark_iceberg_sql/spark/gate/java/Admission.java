package sparkicebergsql;

import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;

/** What the gate's parser and its rule ask of it. */
public interface Admission {
  /** The text to parse for one that was given to a session; parameters: its values as {@link Parameters} takes them. */
  String admitted(SparkSession session, ParserInterface parser, String text, Object parameters) throws Exception;

  /** The same plan; what a text was parsed to is not checked again. */
  LogicalPlan marked(LogicalPlan plan);

  /** Refuses a command that no text was parsed for. */
  void judge(SparkSession session, LogicalPlan plan) throws Exception;
}
