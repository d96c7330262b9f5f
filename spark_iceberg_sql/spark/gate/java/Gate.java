package sparkicebergsql;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.catalog.SessionCatalog;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.internal.SessionState;
import org.apache.spark.sql.internal.VariableSubstitution;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.Option;

/**
 * The gate of this JVM: what its sessions parse or run is passed to Python first if it may be partition DDL, whatever
 * the client and the API.
 *
 * <p>A session has the mode that was set for it, or else the strictest mode among the sessions that share its
 * extensions: newSession() and cloneSession() share them.
 */
public class Gate implements Admission {
  private static final Logger LOG = LoggerFactory.getLogger("spark_iceberg_sql.gate");

  private DdlPrefilter prefilter;
  private PythonCheck python;
  private Class<?> parsers;
  private final Map<SparkSessionExtensions, Family> families = new WeakHashMap<>();
  private final ThreadLocal<ModeOverride> override = new ThreadLocal<>();

  /** Another mode on one thread. text: if not null, only this text has it. */
  private static final class ModeOverride {
    final String mode, text;

    ModeOverride(String mode, String text) {
      this.mode = mode;
      this.text = text;
    }
  }

  /** Sessions that share their extensions: modes by session id. */
  static class Family {
    final String application;
    final Map<String, String> modes = new HashMap<>();
    Family(String application) { this.application = application; }
  }

  /** For future sessions. */
  static class Parsers extends ScalaTypes.Pairing<org.apache.spark.sql.SparkSession, ParserInterface, ParserInterface> {
    final Gate gate;
    Parsers(Gate gate) { this.gate = gate; }
    @Override
    protected Object of(Object session, Object parser) {
      return gate.wrap((ParserInterface) parser, (SparkSession) session);
    }
  }

  /** For plans that were not parsed from text. */
  static class Rules extends ScalaTypes.Mapping<org.apache.spark.sql.SparkSession, Rule<LogicalPlan>> {
    final Gate gate;
    Rules(Gate gate) { this.gate = gate; }
    @Override
    protected Object of(Object session) {
      return new GateRule(gate, (SparkSession) session);
    }
  }

  /** parsers: the class of parsers for this Spark; functions: names of table functions; pythonCheck: checks a statement. */
  public void prepare(Class<?> parsers, List<String> functions, Function1<Object, Object> pythonCheck) {
    this.parsers = parsers;
    this.prefilter = new DdlPrefilter(functions);
    this.python = new PythonCheck(pythonCheck);
  }

  /** The check by Python. */
  public PythonCheck python() { return python; }

  // ------------------------------------------------------------------------------ sessions and their modes

  /** Puts the gate into a session and those derived from it; calling it again sets the mode. */
  public synchronized void install(SparkSession session, String mode) throws ReflectiveOperationException {
    ensure(session);
    family(session).modes.put(session.sessionUUID(), mode);
  }

  /** Puts the gate into a session without setting a mode: it checks only if a mode is set in its family. */
  public synchronized void ensure(SparkSession session) throws ReflectiveOperationException {
    if (family(session) == null) {
      families.put(session.extensions(), new Family(session.sparkContext().applicationId()));
      session.extensions().injectParser(new Parsers(this));
      session.extensions().injectOptimizerRule(new Rules(this));
    }
    SessionState state = session.sessionState();
    if (state.sqlParser() instanceof GateParser) return;
    ParserInterface parser = wrap(state.sqlParser(), session);
    replaceParser(SessionState.class, "sqlParser", state, parser);
    // It reads the definitions of SQL functions, with a parser that Iceberg's does not implement in full.
    replaceParser(SessionCatalog.class, "parser", state.catalog(), parser);
  }

  private static void replaceParser(Class<?> type, String name, Object owner, ParserInterface parser)
    throws ReflectiveOperationException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    field.set(owner, parser);
  }

  /** The session's mode: error, warn, or off. */
  public synchronized String mode(SparkSession session) {
    Family family = family(session);
    if (family == null) return "off";
    String mode = (String) family.modes.get(session.sessionUUID());
    if (mode != null) return mode;
    if (family.modes.containsValue("error")) return "error";
    return family.modes.containsValue("warn") ? "warn" : "off";
  }

  /** Whether any session of an application is checked. */
  public synchronized boolean isEnforced(String application) {
    for (Object value : families.values()) {
      Family family = (Family) value;
      if (!family.application.equals(application)) continue;
      if (family.modes.containsValue("error") || family.modes.containsValue("warn")) return true;
    }
    return false;
  }

  private Family family(SparkSession session) { return (Family) families.get(session.extensions()); }

  private ParserInterface wrap(ParserInterface parser, SparkSession session) {
    try {
      return ((GateParser) parsers.getDeclaredConstructor().newInstance()).wrap(parser, this, session);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** A mode for this thread until {@link #endOverride}; text: if not null, only this text has it. */
  public void overrideMode(String mode, String text) { override.set(new ModeOverride(mode, text)); }

  public void endOverride() { override.remove(); }

  private String effectiveMode(SparkSession session, String text) {
    ModeOverride current = (ModeOverride) override.get();
    boolean applies = current != null && (current.text == null || current.text.equals(text));
    return applies ? current.mode : mode(session);
  }

  /** Whether a text is to be checked by Python, in this session. */
  public boolean concerns(SparkSession session, String text) {
    if (effectiveMode(session, text).equals("off")) return false;
    return prefilter.mayNeedTranslation(text) || DdlPrefilter.mayBeDdl(substituted(session, text));
  }

  // ------------------------------------------------------------------------------ text

  @Override
  public String admitted(SparkSession session, ParserInterface parser, String text, Object parameters)
    throws Exception {
    HiveThread.loadJars(session);
    if (text == null || python.isRunning()) return text;
    boolean translated = prefilter.mayNeedTranslation(text);
    if (!translated && text.indexOf("${") < 0 && !DdlPrefilter.mayBeDdl(text)) return text;
    String mode = effectiveMode(session, text);
    if (mode.equals("off")) return text;
    boolean ddl = DdlPrefilter.mayBeDdl(substituted(session, text));
    if (!ddl && !translated) return text;
    return python.ask(PendingStatement.text(session, mode, text, ddl, parser, parameters));
  }

  @Override
  public LogicalPlan marked(LogicalPlan plan) {
    if (plan instanceof Command) mark(plan);
    return plan;
  }

  private static void mark(LogicalPlan plan) {
    if (CommandText.isFor(plan)) CheckedMark.put(plan);
    for (LogicalPlan child : ScalaTypes.list(plan.children())) mark(child); // of a SQL script
  }

  private static String substituted(SparkSession session, String text) {
    if (text.indexOf("${") < 0) return text;
    Option<SparkSession> active = SparkSession.getActiveSession();
    SparkSession.setActiveSession(session);
    try {
      return new VariableSubstitution().substitute(text);
    } catch (RuntimeException selfReference) { // a variable that refers to itself: Spark reports it
      return text;
    } finally {
      PythonCheck.activate(active);
    }
  }

  // ------------------------------------------------------------------------------ plans

  @Override
  public void check(SparkSession session, LogicalPlan plan) throws Exception {
    if (!CommandText.isFor(plan) || CheckedMark.isOn(plan)) return;
    ModeOverride current = (ModeOverride) override.get();
    String mode = current != null ? current.mode : mode(session);
    if (!mode.equals("off")) {
      String text = null;
      try {
        text = CommandText.of(plan);
      } catch (RuntimeException unread) {
        LOG.debug("a command that cannot be written as a statement", unread);
      }
      if (text == null) {
        python.unanswered(
          PendingStatement.plan(session, mode, plan, "", null), "cannot read the command " + plan.nodeName());
      } else {
        python.ask(PendingStatement.plan(session, mode, plan, text, CommandText.query(plan)));
      }
    }
    CheckedMark.put(plan);
  }
}
