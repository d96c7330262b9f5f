package sparkicebergsql;

import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;

/**
 * A session's parser with the gate in front of it. A subclass with this Spark's other methods, which all delegate to
 * the wrapped parser, is generated at run time.
 *
 * <p>A dynamic proxy would not do: its undeclared exceptions arrive as UndeclaredThrowableException.
 */
public abstract class GateParser implements ParserInterface {
  private Admission gate;
  private SparkSession session;
  protected ParserInterface wrapped;

  /** This object, wrapping a parser. */
  public GateParser wrap(ParserInterface parser, Admission gate, SparkSession session) {
    this.gate = gate;
    this.session = session;
    wrapped = parser;
    return this;
  }

  /** The wrapped parser. */
  public ParserInterface wrapped() { return wrapped; }

  /** The text to parse in place of a statement. */
  protected String admitted(String text, Object parameters) throws Exception {
    return gate.admitted(session, wrapped, text, parameters);
  }

  /** Marks a plan that was parsed from text: it has been checked. */
  protected LogicalPlan marked(LogicalPlan plan) { return gate.marked(plan); }
}
