package sparkicebergsql;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.errors.QueryCompilationErrors;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.Tuple3;
import scala.collection.immutable.Seq;

/** The rules of this JVM: has them injected into sessions, once each, and lists them in the table iceberg_rules(). */
public class RuleRegistry {
  static final String LISTING = "iceberg_rules";
  private static final Logger LOG = LoggerFactory.getLogger("spark_iceberg_sql");
  private final Map<String, RuleEntry> entries = new LinkedHashMap<>();
  private Callable<Map<String, String>> probes;
  private Consumer<Object> facts;
  /** By issue, whether this JVM's Iceberg has it. */
  private volatile FutureTask<Map<String, String>> probed;
  /** The self-tests; null while none have been needed. */
  private SelfTests tests;
  private volatile boolean arePassed;
  private final CountDownLatch completed = new CountDownLatch(1);
  private volatile Function1<String, Object> whenTested;
  /** A session and its newSession() share their extensions. */
  private final Map<SparkSessionExtensions, InjectedRules.Installed> sessions = new WeakHashMap<>();
  // The same objects for each registration; otherwise Spark warns that a function was replaced.
  private final Listing listing = new Listing(this);
  private final FunctionIdentifier listingId = new FunctionIdentifier(LISTING);
  private final ExpressionInfo listingInfo = new ExpressionInfo(getClass().getName(), null, LISTING,
    "_FUNC_() - Lists the optimizer rules of spark-iceberg-sql: phase, switch, whether on, how many plans it changed.",
    "", "", "", "table_funcs", "0.1.0", "", "built-in");

  public RuleRegistry() {
    for (RuleRow row : RuleRow.ALL) entries.put(row.name, new RuleEntry(row));
  }

  /** What a rule has decided for an optimized plan, see SwitchedRule; null if it is disabled. */
  public String described(String name, LogicalPlan plan) throws IOException, ReflectiveOperationException {
    RuleEntry entry = (RuleEntry) entries.get(name);
    return entry.isSound() ? entry.rule().described(plan) : null;
  }

  /** Sets a rule by the name of its RuleRow; rule is null if it could not be compiled, and fault is then the reason. */
  public void set(String name, Object rule, String fault) {
    ((RuleEntry) entries.get(name)).set((SwitchedRule) rule, fault);
  }

  /** Whether {@link #complete} has been called. */
  public boolean isComplete() { return completed.getCount() == 0; }

  /** Ends what {@link #set} has begun. fault: why the rules that are not set are disabled. */
  public void complete(String fault) {
    if (isComplete()) return;
    List<SwitchedRule> readers = new ArrayList<>();
    for (RuleEntry e : entries.values()) {
      if (e.rule() == null) e.disable(fault == null ? "it was not compiled" : fault);
      else if (e.fault() == null) readers.add(e.rule());
    }
    ReadAhead.setRules(readers);
    completed.countDown();
  }

  /** Sets what receives warnings about the tables of queries. */
  public void setReporter(Function1<String, Object> function) { SwitchedRule.setReporter(function); }

  /** Sets the RelationFacts, which are told how the probes go. */
  public void setFacts(Consumer<Object> relationFacts) { facts = relationFacts; }

  /** Sets the folder in which the checks of manifests are kept: see KeptChecks. */
  public void setChecksFolder(String path) { KeptChecks.setFolder(path); }

  /** The RelationFacts; null if they could not be compiled. */
  public Object facts() {
    awaitTests();
    return facts;
  }

  /** The fault of a rule, or null. */
  public String fault(String name) { return ((RuleEntry) entries.get(name)).fault(); }

  /** Disables a rule in all sessions of this JVM. fault: the reason, which is not reported again. */
  public synchronized void disable(String name, String fault) {
    RuleEntry entry = (RuleEntry) entries.get(name);
    entry.disable(fault);
    entry.setReported();
  }

  /** The rules whose fault has not been reported yet; marks them as reported. */
  public synchronized List<String> newFaults() {
    List<String> names = new ArrayList<>();
    for (RuleEntry e : entries.values())
      if (e.isNewFault()) names.add(e.row.name);
    return names;
  }

  /** Whether a session has had the rules, or one that shares its extensions. */
  public synchronized boolean has(SparkSession session) { return sessions.containsKey(extensions(session)); }

  /** Whether the rules are tested in this JVM, or will be before they are used. */
  public synchronized boolean areTested() { return tests != null; }

  /** Leaves out the self-tests, which are known to pass. */
  public synchronized void skipTests() { arePassed = true; }

  /** Begins the self-tests before a plan waits for them; they wait for {@link #complete}. */
  public synchronized void beginTests() {
    if (tests != null) tests.begin();
  }

  /** Sets what is called when the self-tests have ended, before a plan that waits for them goes on. */
  public void setWhenTested(Function1<String, Object> function) { whenTested = function; }

  /**
   * Injects the rules into a session, or enables them again; the first session of the JVM also tests them.
   *
   * <p>Cheap if they are already injected. Sessions from its newSession() have them as well.
   */
  public void install(SparkSession session) {
    start(session);
    awaitTests();
  }

  /** Waits until the rules are compiled and tested. */
  public void awaitTests() {
    for (RuleEntry e : entries.values()) e.awaitTest();
  }

  /** {@link #install} without the self-tests, for which the first plan waits. */
  public synchronized void start(SparkSession session) {
    InjectedRules.Installed installed = (InjectedRules.Installed) sessions.get(extensions(session));
    if (installed != null) {
      installed.isEnabled = true;
      return;
    }
    installed = new InjectedRules.Installed();
    sessions.put(extensions(session), installed);
    InjectedRules.inject(session, extensions(session), entries.values(), installed);
    if (tests == null) test(session);
    TableFunctionRegistry.builtin().registerFunction(listingId, listingInfo, listing);
    session.sessionState().tableFunctionRegistry().registerFunction(listingId, listingInfo, listing);
  }

  /** Tests the rules in a session of their own: a plan may wait for them within a lock of its session's catalog. */
  private void test(SparkSession session) {
    tests = new SelfTests(new Tests(this, session.newSession()));
    for (RuleEntry e : entries.values()) e.setTests(tests);
  }

  /** Tests the rules in a session; where it is stopped meanwhile, the next session is tested. */
  static class Tests implements Runnable {
    final RuleRegistry registry;
    final SparkSession session;
    Tests(RuleRegistry registry, SparkSession session) {
      this.registry = registry;
      this.session = session;
    }
    @Override
    public void run() {
      try {
        registry.completed.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e); // nobody interrupts this thread
      }
      SparkSession.setActiveSession(session); // rules ask for it, too
      if (registry.probed == null) registry.probe();
      if (!registry.arePassed) {
        for (RuleEntry e : registry.entries.values()) e.test(session);
        registry.arePassed = !session.sparkContext().isStopped();
      }
      if (registry.arePassed) registry.reportTests();
      else registry.forgetTests();
    }
  }

  private synchronized void forgetTests() { tests = null; }

  private void reportTests() {
    if (whenTested == null) return;
    try {
      whenTested.apply("");
    } catch (Exception e) {
      LOG.warn("the end of the rules' self-tests could not be reported: " + e);
    }
  }

  private static void daemon(Runnable task, String name) {
    Thread thread = new Thread(task, "spark_iceberg_sql " + name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Adds the table function that lists the rules to sessions that are still to be made. */
  public void injectListing(SparkSessionExtensions extensions) {
    extensions.injectTableFunction(
      new Tuple3<FunctionIdentifier, ExpressionInfo, Function1<Seq<Expression>, LogicalPlan>>(
        listingId, listingInfo, listing));
  }

  /** Disables the rules in this session and in those that share its extensions. */
  public synchronized void uninstall(SparkSession session) {
    InjectedRules.Installed installed = (InjectedRules.Installed) sessions.get(extensions(session));
    if (installed != null) installed.isEnabled = false;
  }

  /** Injects the rules into a session that has never had them. */
  public void ensure(SparkSession session) {
    if (!has(session)) install(session);
  }

  /** {@link #ensure} for the functions iceberg_*, which call it with the session that uses one. */
  public Function1<SparkSession, Object> ensuring() { return new Ensuring(this); }

  /** Calls ensure. */
  static class Ensuring extends ScalaTypes.Mapping<SparkSession, Object> {
    final RuleRegistry registry;
    Ensuring(RuleRegistry registry) { this.registry = registry; }
    @Override
    protected Object of(Object session) {
      registry.ensure((SparkSession) session);
      return null;
    }
  }

  private synchronized boolean inForce(RuleEntry entry, SparkSession session) {
    InjectedRules.Installed installed = (InjectedRules.Installed) sessions.get(extensions(session));
    return installed != null && InjectedRules.inForce(entry, installed);
  }

  static SparkSessionExtensions extensions(SparkSession session) {
    return ((org.apache.spark.sql.classic.SparkSession) session).extensions();
  }

  List<Row> rows() {
    SparkSession session = SparkSession.active();
    SQLConf conf = SQLConf.get();
    List<Row> rows = new ArrayList<>();
    for (RuleEntry e : entries.values()) {
      boolean isOn = inForce(e, session) && e.rule().isOn(conf);
      String needed = isOn ? e.rule().prerequisite(conf) : null;
      String description = e.row.description + (needed == null ? "" : "; in this session only after " + needed);
      rows.add(RowFactory.create(new Object[] {e.row.name, e.row.phase, e.row.switchKey, Boolean.valueOf(isOn),
        Long.valueOf(e.rule() == null ? 0L : e.rule().hits()), description, e.fault(), issues(e)}));
    }
    return rows;
  }

  /** The issues that a rule corrects, each with whether this Iceberg has it, if that was probed. */
  private String issues(RuleEntry e) {
    StringBuilder text = new StringBuilder();
    for (String issue : e.row.issues.split(", ")) {
      if (issue.isEmpty()) continue;
      String result = (String) issues().get(issue);
      text.append(text.length() == 0 ? "" : ", ").append(issue).append(result == null ? "" : ": " + result);
    }
    return text.toString();
  }

  /** Tries this Iceberg while the session starts. */
  private void probe() {
    if (probes == null) return;
    probed = new FutureTask<Map<String, String>>(probes);
    daemon(probed, "probes");
    if (facts != null) facts.accept(probed);
  }

  /** Sets the probes of this JVM's Iceberg; see IssueProbes. */
  public void setProbes(Callable<Map<String, String>> callable) { probes = callable; }

  /** By the reference of an issue: present, absent, or why that is unknown. */
  public Map<String, String> issues() {
    awaitTests();
    try {
      return probed == null ? Map.of() : (Map<String, String>) probed.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Map.of();
    } catch (ExecutionException e) {
      return Map.of();
    }
  }

  /** The table function iceberg_rules(). */
  static class Listing extends ScalaTypes.Mapping<Seq<Expression>, LogicalPlan> {
    final RuleRegistry registry;
    Listing(RuleRegistry registry) { this.registry = registry; }
    @Override
    protected Object of(Object arguments) {
      int count = ((Seq<?>) arguments).size();
      if (count > 0) {
        // AnalysisException is a checked exception, and Function1 declares none.
        Platform.throwException(QueryCompilationErrors.wrongNumArgsError(LISTING, ScalaTypes.seq(List.of(0)), count,
          QueryCompilationErrors.wrongNumArgsError$default$4(), QueryCompilationErrors.wrongNumArgsError$default$5(),
          QueryCompilationErrors.wrongNumArgsError$default$6()));
      }
      StructType columns = new StructType()
                             .add("name", DataTypes.StringType, false)
                             .add("phase", DataTypes.StringType, false)
                             .add("switch", DataTypes.StringType, false)
                             .add("enabled", DataTypes.BooleanType, false)
                             .add("hits", DataTypes.LongType, false)
                             .add("description", DataTypes.StringType, false)
                             .add("fault", DataTypes.StringType, true)
                             .add("iceberg_issues", DataTypes.StringType, false);
      return LocalRelation.fromExternalRows(ScalaTypes.columns(columns), ScalaTypes.seq(registry.rows()));
    }
  }
}
