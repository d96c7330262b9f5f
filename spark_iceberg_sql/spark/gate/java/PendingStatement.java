package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;

/** A statement that Python is to check: a text, or a plan without one, written as a statement. */
public class PendingStatement {
  private final SparkSession session;
  private final String mode, text;
  private final boolean mayBeDdl;
  private ParserInterface parser;
  private Object parameters;
  private LogicalPlan plan, query;

  private PendingStatement(SparkSession session, String mode, String text, boolean mayBeDdl) {
    this.session = session;
    this.mode = mode;
    this.text = text;
    this.mayBeDdl = mayBeDdl;
  }

  /** A text on its way to the parser; parameters: its values as {@link Parameters} takes them. */
  public static PendingStatement text(
    SparkSession session, String mode, String text, boolean mayBeDdl, ParserInterface parser, Object parameters) {
    PendingStatement statement = new PendingStatement(session, mode, text, mayBeDdl);
    statement.parser = parser;
    statement.parameters = parameters;
    return statement;
  }

  /** A plan; query: where its rows come from, or null. */
  public static PendingStatement plan(
    SparkSession session, String mode, LogicalPlan plan, String text, LogicalPlan query) {
    PendingStatement statement = new PendingStatement(session, mode, text, true);
    statement.plan = plan;
    statement.query = query;
    return statement;
  }

  public SparkSession session() { return session; }

  public String mode() { return mode; }

  public String text() { return text; }

  /** Whether it may be partition DDL, rather than only ClickHouse syntax to translate. */
  public boolean mayBeDdl() { return mayBeDdl; }

  /** Whether the text is written from a plan. */
  public boolean isPlan() { return plan != null; }

  /** The text with its parameters bound: see {@link Parameters}. */
  public String bound(String statement) throws Exception { return Parameters.bound(statement, parameters); }

  /**
   * The formats of the tables that a text creates or whose partitioning it changes, as the session's parser reads it;
   * null for one without a format.
   */
  public List<String> providers(String statement) throws ParseException {
    List<String> providers = new ArrayList<>();
    addProviders(Parameters.parsed(parser, statement, parameters), providers);
    return providers;
  }

  private static void addProviders(LogicalPlan plan, List<String> providers) {
    if (CommandText.isFor(plan)) providers.add(CommandText.provider(plan));
    for (LogicalPlan child : ScalaTypes.list(plan.children())) addProviders(child, providers);
  }

  /** The rows of a query within the statement, analysed and not run; bound: its parameters are replaced already. */
  public Object rows(String statement, boolean bound) throws ParseException {
    if (plan != null) return Dataset.ofRows(session, query);
    return Dataset.ofRows(session, Parameters.parsed(parser, statement, bound ? null : parameters));
  }
}
