package sparkicebergsql;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.sql.SparkSessionExtensions;
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

  private DdlPrefilter words;
  private PythonCheck python;
  private Class<?> parsers;
  private final Map<SparkSessionExtensions, Family> families = new WeakHashMap<>();
  private final ThreadLocal<String[]> own = new ThreadLocal<>();
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
      return gate.before((ParserInterface) parser, (SparkSession) session);
    }
  }

  static class Rules extends ScalaTypes.Mapping<org.apache.spark.sql.SparkSession, Rule<LogicalPlan>> {
    final Gate gate;
    Rules(Gate gate) { this.gate = gate; }
    @Override
    protected Object of(Object session) {
      return new GateRule(gate, (SparkSession) session);
    }
  }

  /** parsers: the class of parsers for this Spark; functions: names of table functions; judge: asks Python. */
  public void prepare(Class<?> parsers, List<String> functions, Function1<Object, Object> judge) {
    this.parsers = parsers;
    this.words = new DdlPrefilter(functions);
    this.python = new PythonCheck(judge);
  }

  /** What asks Python. */
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
    Field field = SessionState.class.getDeclaredField("sqlParser");
    field.setAccessible(true);
    field.set(state, before(state.sqlParser(), session));
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
  public synchronized boolean isShut(String application) {
    for (Object found : families.values()) {
      Family family = (Family) found;
      if (!family.application.equals(application)) continue;
      if (family.modes.containsValue("error") || family.modes.containsValue("warn")) return true;
    }
    return false;
  }

  private Family family(SparkSession session) { return (Family) families.get(session.extensions()); }

  private ParserInterface before(ParserInterface parser, SparkSession session) {
    try {
      return ((GateParser) parsers.getDeclaredConstructor().newInstance()).before(parser, this, session);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** A mode for this thread until {@link #done}; text: if not null, only this text has it. */
  public void during(String mode, String text) { own.set(new String[] {mode, text}); }

  public void done() { own.remove(); }

  private String modeHere(SparkSession session, String text) {
    String[] mine = (String[]) own.get();
    return mine != null && (mine[1] == null || mine[1].equals(text)) ? mine[0] : mode(session);
  }

  /** Whether a text is to be checked by Python, in this session. */
  public boolean concerns(SparkSession session, String text) {
    if (modeHere(session, text).equals("off")) return false;
    return words.mayNeedTranslation(text) || DdlPrefilter.mayBeDdl(substituted(session, text));
  }

  // ------------------------------------------------------------------------------ text

  @Override
  public String admitted(SparkSession session, ParserInterface parser, String text, Object parameters)
    throws Exception {
    if (text == null || python.isRunning()) return text;
    boolean translated = words.mayNeedTranslation(text);
    if (!translated && text.indexOf("${") < 0 && !DdlPrefilter.mayBeDdl(text)) return text;
    String mode = modeHere(session, text);
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
    Option<SparkSession> before = SparkSession.getActiveSession();
    SparkSession.setActiveSession(session);
    try {
      return new VariableSubstitution().substitute(text);
    } catch (RuntimeException itself) { // a variable that refers to itself: Spark reports it
      return text;
    } finally {
      PythonCheck.activate(before);
    }
  }

  // ------------------------------------------------------------------------------ plans

  @Override
  public void judge(SparkSession session, LogicalPlan plan) throws Exception {
    if (!CommandText.isFor(plan) || CheckedMark.isOn(plan)) return;
    String[] mine = (String[]) own.get();
    String mode = mine != null ? mine[0] : mode(session);
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
