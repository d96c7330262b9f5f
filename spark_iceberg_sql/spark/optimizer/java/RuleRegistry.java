package sparkicebergsql;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Table;
import org.apache.iceberg.hadoop.HadoopInputFile;
import org.apache.spark.sql.ExperimentalMethods;
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
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.errors.QueryCompilationErrors;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.unsafe.Platform;
import scala.Function1;
import scala.Tuple3;
import scala.collection.immutable.Seq;

/** The rules of this JVM: injects them into sessions, once each, and lists them in the table iceberg_rules(). */
public class RuleRegistry {
  static final String LISTING = "iceberg_rules";
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private Callable<Map<String, String>> probes;
  /** By issue, whether this JVM's Iceberg has it. */
  private FutureTask<Map<String, String>> probed;
  /** A session and its newSession() share their extensions. */
  private final Map<SparkSessionExtensions, Installed> sessions = new WeakHashMap<>();
  // The same objects for each registration; otherwise Spark warns that a function was replaced.
  private final Listing listing = new Listing(this);
  private final FunctionIdentifier listingId = new FunctionIdentifier(LISTING);
  private final ExpressionInfo listingInfo = new ExpressionInfo(getClass().getName(), null, LISTING,
    "_FUNC_() - Lists the optimizer rules of spark-iceberg-sql: phase, switch, whether on, how many plans it changed.",
    "", "", "", "table_funcs", "0.1.0", "", "built-in");

  static class Entry {
    String name, phase, switchKey, does, issues, fault;
    boolean beforePushDown, checked, told;
    SwitchedRule rule;
  }

  /** Whether the rules are enabled for the sessions that share an extensions object. */
  static class Installed {
    volatile boolean on = true;
  }

  /**
   * Spark calls this for each optimization; injected rules cannot be removed, so it returns none if they are disabled.
   */
  static class Before extends ScalaTypes.Mapping<SparkSession, Rule<LogicalPlan>> {
    final Entry entry;
    final Installed installed;
    Before(Entry entry, Installed installed) {
      this.entry = entry;
      this.installed = installed;
    }
    @Override
    protected Object of(Object session) {
      return inForce(entry, installed) ? entry.rule : new Nothing();
    }
  }

  /**
   * Injected as a rule that does nothing, in order to be called at each optimization of each session: rules after the
   * push-down belong to one session, and newSession() starts without them. Spark reads them after this call.
   */
  static class After extends ScalaTypes.Mapping<SparkSession, Rule<LogicalPlan>> {
    final List<Entry> entries;
    final Installed installed;
    After(List<Entry> entries, Installed installed) {
      this.entries = entries;
      this.installed = installed;
    }
    @Override
    protected Object of(Object session) {
      ExperimentalMethods methods = ((org.apache.spark.sql.classic.SparkSession) session).experimental();
      synchronized (methods) {
        List<Rule<LogicalPlan>> wanted = new ArrayList<>();
        Seq<Rule<LogicalPlan>> present = methods.extraOptimizations();
        for (Rule<LogicalPlan> rule : ScalaTypes.list(present))
          if (!(rule instanceof SwitchedRule)) wanted.add(rule);
        for (Entry entry : entries)
          if (inForce(entry, installed)) wanted.add(entry.rule);
        Seq<Rule<LogicalPlan>> rules = ScalaTypes.seq(wanted);
        if (!rules.equals(present)) methods.extraOptimizations_$eq(rules);
      }
      return new Nothing();
    }
  }

  static boolean inForce(Entry entry, Installed installed) { return installed.on && entry.fault == null; }

  static class Nothing extends ScalaTypes.PlanRule<LogicalPlan> {
    @Override
    protected TreeNode<?> of(TreeNode<?> plan) {
      return plan;
    }
  }

  /**
   * Adds a rule; rule is null if it could not be compiled, and fault is then the reason. issues: those that it corrects,
   * separated by commas.
   */
  public void add(String name, String phase, boolean beforePushDown, String switchKey, String does, String issues,
    Object rule, String fault) {
    Entry e = new Entry();
    e.name = name;
    e.phase = phase;
    e.beforePushDown = beforePushDown;
    e.switchKey = switchKey;
    e.does = does;
    e.issues = issues;
    e.fault = fault;
    e.rule = (SwitchedRule) rule;
    if (e.rule != null) e.rule.setSwitchKey(switchKey);
    entries.put(name, e);
  }

  /** Sets what receives warnings about the tables of queries. */
  public void setReporter(Function1<String, Object> function) { SwitchedRule.setReporter(function); }

  /** The columns with wrong bounds in a table's current snapshot; see FileBounds.described. */
  public List<Map<String, Object>> wrongBounds(Table table) {
    return FileBounds.of(table, null, null, CaseInsensitiveStringMap.empty()).described(table);
  }

  /** The columns with wrong bounds in the files that a relation may read; none if it is no Iceberg table. */
  public List<Map<String, Object>> wrongBounds(LogicalPlan relation) {
    PartitionLayout layout = PartitionLayout.of(relation);
    return layout == null ? new ArrayList<>() : layout.wrongBounds();
  }

  /** The units of the timestamps in a Parquet file: MILLIS, MICROS, NANOS. */
  public List<String> timeUnits(String location, Configuration configuration) throws IOException {
    return ParquetTimes.units(HadoopInputFile.fromLocation(location, configuration));
  }

  /** The fault of a rule, or null. */
  public String fault(String name) { return ((Entry) entries.get(name)).fault; }

  /** Disables a rule in all sessions of this JVM. fault: the reason, which is not reported again. */
  public synchronized void disable(String name, String fault) {
    Entry entry = (Entry) entries.get(name);
    entry.fault = fault;
    entry.told = true;
  }

  /** The rules whose fault has not been reported yet; marks them as reported. */
  public synchronized List<String> news() {
    List<String> names = new ArrayList<>();
    for (Entry e : entries.values()) {
      if (e.fault == null || e.told) continue;
      e.told = true;
      names.add(e.name);
    }
    return names;
  }

  /**
   * Injects the rules into a session, or enables them again; the first session of the JVM also tests them.
   *
   * <p>Cheap if they are already injected. Sessions from its newSession() have them as well.
   */
  public synchronized void install(SparkSession session) {
    Installed installed = (Installed) sessions.get(extensions(session));
    if (installed != null) {
      installed.on = true;
      return;
    }
    installed = new Installed();
    sessions.put(extensions(session), installed);
    List<Entry> after = new ArrayList<>();
    for (Entry e : entries.values()) {
      if (e.rule == null) continue;
      if (e.beforePushDown) extensions(session).injectOptimizerRule(new Before(e, installed));
      else after.add(e);
    }
    extensions(session).injectOptimizerRule(new After(after, installed));
    for (Entry e : entries.values()) {
      if (e.fault == null && !e.checked) e.fault = e.rule.fault(session);
      e.checked = true;
    }
    if (probed == null) probe();
    TableFunctionRegistry.builtin().registerFunction(listingId, listingInfo, listing);
    session.sessionState().tableFunctionRegistry().registerFunction(listingId, listingInfo, listing);
  }

  /** Adds the table function that lists the rules to sessions that are still to be made. */
  public void injectListing(SparkSessionExtensions extensions) {
    extensions.injectTableFunction(
      new Tuple3<FunctionIdentifier, ExpressionInfo, Function1<Seq<Expression>, LogicalPlan>>(
        listingId, listingInfo, listing));
  }

  /** Disables the rules in this session and in those that share its extensions. */
  public synchronized void uninstall(SparkSession session) {
    Installed installed = (Installed) sessions.get(extensions(session));
    if (installed != null) installed.on = false;
  }

  /** Injects the rules into a session that has never had them. */
  public synchronized void ensure(SparkSession session) {
    if (!sessions.containsKey(extensions(session))) install(session);
  }

  /** {@link #ensure} for the functions iceberg_*, which call it with the session that uses one. */
  public Function1<SparkSession, Object> ensuring() { return new Ensuring(this); }

  static class Ensuring extends ScalaTypes.Mapping<SparkSession, Object> {
    final RuleRegistry table;
    Ensuring(RuleRegistry table) { this.table = table; }
    @Override
    protected Object of(Object session) {
      table.ensure((SparkSession) session);
      return null;
    }
  }

  private synchronized boolean inForce(Entry entry, SparkSession session) {
    Installed installed = (Installed) sessions.get(extensions(session));
    return installed != null && inForce(entry, installed);
  }

  static SparkSessionExtensions extensions(SparkSession session) {
    return ((org.apache.spark.sql.classic.SparkSession) session).extensions();
  }

  List<Row> rows() {
    SparkSession session = SparkSession.active();
    SQLConf conf = SQLConf.get();
    List<Row> rows = new ArrayList<>();
    for (Entry e : entries.values()) {
      boolean on = inForce(e, session) && e.rule.isOn(conf);
      rows.add(RowFactory.create(new Object[] {e.name, e.phase, e.switchKey, Boolean.valueOf(on),
        Long.valueOf(e.rule == null ? 0L : e.rule.hits()), e.does, e.fault, issues(e)}));
    }
    return rows;
  }

  /** The issues that a rule corrects, each with whether this Iceberg has it, if that was probed. */
  private String issues(Entry e) {
    StringBuilder text = new StringBuilder();
    for (String issue : e.issues.split(", ")) {
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
    Thread thread = new Thread(probed, "spark_iceberg_sql probes");
    thread.setDaemon(true);
    thread.start();
    PartitionLayout.setProbed(probed);
  }

  /** Sets the probes of this JVM's Iceberg; see IssueProbes. */
  public void setProbes(Callable<Map<String, String>> callable) { probes = callable; }

  /** By the reference of an issue: present, absent, or why that is unknown. */
  public Map<String, String> issues() {
    try {
      return probed == null ? Map.of() : (Map<String, String>) probed.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Map.of();
    } catch (ExecutionException e) {
      return Map.of();
    }
  }

  static class Listing extends ScalaTypes.Mapping<Seq<Expression>, LogicalPlan> {
    final RuleRegistry table;
    Listing(RuleRegistry table) { this.table = table; }
    @Override
    protected Object of(Object arguments) {
      int given = ((Seq<?>) arguments).size();
      if (given > 0) {
        // AnalysisException is a checked exception, and Function1 declares none.
        Platform.throwException(QueryCompilationErrors.wrongNumArgsError(LISTING, ScalaTypes.seq(List.of(0)), given,
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
      return LocalRelation.fromExternalRows(ScalaTypes.columns(columns), ScalaTypes.seq(table.rows()));
    }
  }
}
