package sparkicebergsql;

import java.lang.reflect.Field;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;

/**
 * A session's parser with the gate in front of it. A subclass with this Spark's other methods, which all delegate to
 * the wrapped parser, is generated at run time.
 *
 * <p>Iceberg's parser does not implement all of them: parseRoutineParam, without which Spark has no SQL functions, only
 * throws. Such a call is handed to the parser that Iceberg's wraps: in the end, Spark's own. So are values of parameters
 * that it leaves out: see {@link Parameters}.
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

  /** The parser that another one wraps, to call in its place if it does not implement a method: its error says so. */
  protected static ParserInterface implementing(ParserInterface parser, UnsupportedOperationException error) {
    // Spark's own refusals have classes of their own.
    if (error.getClass() != UnsupportedOperationException.class) throw error;
    ParserInterface inner = innerOf(parser);
    if (inner == null) throw error;
    return inner;
  }

  /** The parser that another one wraps; null for Spark's own. */
  public static ParserInterface innerOf(ParserInterface parser) {
    for (Class<?> type = parser.getClass(); type != null; type = type.getSuperclass())
      for (Field field : type.getDeclaredFields())
        if (ParserInterface.class.isAssignableFrom(field.getType())) {
          try {
            field.setAccessible(true);
            if (field.get(parser) != null) return (ParserInterface) field.get(parser);
          } catch (IllegalAccessException hidden) {
            continue;
          }
        }
    return null;
  }

  /** Marks a plan that was parsed from text: it has been checked. */
  protected LogicalPlan marked(LogicalPlan plan) { return gate.marked(plan); }
}
