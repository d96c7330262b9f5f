package sparkicebergsql;

import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;

/**
 * A session's parser with the gate before it. A class with this Spark's other methods, which all pass on to the parser
 * behind, is made of it at run time.
 *
 * <p>A dynamic proxy would not do: what it throws and does not declare arrives as UndeclaredThrowableException.
 */
public abstract class GateParser implements ParserInterface {
  private Admission gate;
  private SparkSession session;
  protected ParserInterface behind;

  /** This, before a parser. */
  public GateParser before(ParserInterface parser, Admission gate, SparkSession session) {
    this.gate = gate;
    this.session = session;
    behind = parser;
    return this;
  }

  /** The parser that was there before. */
  public ParserInterface behind() { return behind; }

  /** The text to parse for one that was given. */
  protected String admitted(String text, Object parameters) throws Exception {
    return gate.admitted(session, behind, text, parameters);
  }

  /** What was parsed from text has been checked. */
  protected LogicalPlan marked(LogicalPlan plan) { return gate.marked(plan); }
}
