package sparkicebergsql;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.sql.ExperimentalMethods;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.catalyst.types.DataTypeUtils;
import org.apache.spark.sql.errors.QueryCompilationErrors;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/** The rules of this JVM: puts them into sessions, once each, and lists them as the table iceberg_rules(). */
public class RuleRegistry {
  static final String LISTING = "iceberg_rules";
  private final Map entries = new LinkedHashMap();
  /** SparkSessionExtensions to Installed: a session and its newSession() share their extensions. */
  private final Map sessions = new WeakHashMap();
  // The same objects at each registration, or Spark warns that a function was replaced.
  private final Listing listing = new Listing(this);
  private final FunctionIdentifier listingId = new FunctionIdentifier(LISTING);
  private final ExpressionInfo listingInfo = new ExpressionInfo(getClass().getName(), null, LISTING,
    "_FUNC_() - Lists the optimizer rules of spark-iceberg-sql: phase, switch, whether on, how many plans it changed.",
    "", "", "", "table_funcs", "0.1.0", "", "built-in");

  static class Entry {
    String name, phase, switchKey, does, fault;
    boolean beforePushDown, checked, told;
    SwitchedRule rule;
  }

  /** Whether the rules are in force for the sessions that share an extensions object. */
  static class Installed {
    volatile boolean on = true;
  }

  /** What Spark calls for each optimisation; injected rules cannot be taken out again, so it answers with nothing. */
  static class Before extends AbstractFunction1 {
    final Entry entry;
    final Installed installed;
    Before(Entry entry, Installed installed) { this.entry = entry; this.installed = installed; }
    public Object apply(Object session) { return inForce(entry, installed) ? (Rule) entry.rule : new Nothing(); }
  }

  /**
   * Injected as a rule that does nothing, for the sake of being called at each optimisation of each session: rules
   * after the push-down belong to one session, and newSession() starts without them. Spark reads them after this.
   */
  static class After extends AbstractFunction1 {
    final List entries;
    final Installed installed;
    After(List entries, Installed installed) { this.entries = entries; this.installed = installed; }
    public Object apply(Object session) {
      ExperimentalMethods methods = ((org.apache.spark.sql.classic.SparkSession) session).experimental();
      synchronized (methods) {
        List wanted = new ArrayList();
        Seq present = methods.extraOptimizations();
        for (int i = 0; i < present.size(); i++)
          if (!(present.apply(i) instanceof SwitchedRule)) wanted.add(present.apply(i));
        for (int i = 0; i < entries.size(); i++)
          if (inForce((Entry) entries.get(i), installed)) wanted.add(((Entry) entries.get(i)).rule);
        Seq rules = Calls.seq(wanted);
        if (!rules.equals(present)) methods.extraOptimizations_$eq(rules);
      }
      return new Nothing();
    }
  }

  static boolean inForce(Entry entry, Installed installed) { return installed.on && entry.fault == null; }

  static class Nothing extends Rule {
    public TreeNode apply(TreeNode plan) { return plan; }
  }

  /** Adds a rule; rule is null where it could not be compiled, and fault then says why. */
  public void add(String name, String phase, boolean beforePushDown, String switchKey, String does, Object rule,
      String fault) {
    Entry e = new Entry();
    e.name = name;
    e.phase = phase;
    e.beforePushDown = beforePushDown;
    e.switchKey = switchKey;
    e.does = does;
    e.fault = fault;
    e.rule = (SwitchedRule) rule;
    if (e.rule != null) e.rule.setSwitchKey(switchKey);
    entries.put(name, e);
  }

  /** What is wrong with a rule, or null. */
  public String fault(String name) { return ((Entry) entries.get(name)).fault; }

  /** The rules whose fault has not been told yet; told from now on. */
  public synchronized List news() {
    List names = new ArrayList();
    for (Iterator i = entries.values().iterator(); i.hasNext();) {
      Entry e = (Entry) i.next();
      if (e.fault == null || e.told) continue;
      e.told = true;
      names.add(e.name);
    }
    return names;
  }

  /**
   * Puts the rules into a session, or switches them on again; the first session of the JVM also checks them.
   *
   * <p>Cheap when they are in already. Sessions that newSession() makes of it have them as well.
   */
  public synchronized void install(SparkSession session) {
    Installed installed = (Installed) sessions.get(extensions(session));
    if (installed != null) {
      installed.on = true;
      return;
    }
    installed = new Installed();
    sessions.put(extensions(session), installed);
    List after = new ArrayList();
    for (Iterator i = entries.values().iterator(); i.hasNext();) {
      Entry e = (Entry) i.next();
      if (e.rule == null) continue;
      if (e.beforePushDown) extensions(session).injectOptimizerRule(new Before(e, installed));
      else after.add(e);
    }
    extensions(session).injectOptimizerRule(new After(after, installed));
    for (Iterator i = entries.values().iterator(); i.hasNext();) {
      Entry e = (Entry) i.next();
      if (e.fault == null && !e.checked) e.fault = e.rule.fault(session);
      e.checked = true;
    }
    TableFunctionRegistry.builtin().registerFunction(listingId, listingInfo, listing);
    session.sessionState().tableFunctionRegistry().registerFunction(listingId, listingInfo, listing);
  }

  /** Takes the rules out of force in this session and those that share its extensions. */
  public synchronized void uninstall(SparkSession session) {
    Installed installed = (Installed) sessions.get(extensions(session));
    if (installed != null) installed.on = false;
  }

  /** Puts the rules into a session that has never had them. */
  public synchronized void ensure(SparkSession session) {
    if (!sessions.containsKey(extensions(session))) install(session);
  }

  private synchronized boolean inForce(Entry entry, SparkSession session) {
    Installed installed = (Installed) sessions.get(extensions(session));
    return installed != null && inForce(entry, installed);
  }

  static SparkSessionExtensions extensions(SparkSession session) {
    return ((org.apache.spark.sql.classic.SparkSession) session).extensions();
  }

  List rows() {
    SparkSession session = SparkSession.active();
    SQLConf conf = SQLConf.get();
    List rows = new ArrayList();
    for (Iterator i = entries.values().iterator(); i.hasNext();) {
      Entry e = (Entry) i.next();
      boolean on = inForce(e, session) && e.rule.isOn(conf);
      rows.add(RowFactory.create(new Object[] {e.name, e.phase, e.switchKey,
        Boolean.valueOf(on), Long.valueOf(e.rule == null ? 0L : e.rule.hits()), e.does, e.fault}));
    }
    return rows;
  }

  static class Listing extends AbstractFunction1 {
    final RuleRegistry table;
    Listing(RuleRegistry table) { this.table = table; }
    public Object apply(Object arguments) {
      int given = ((Seq) arguments).size();
      if (given > 0) {
        List valid = new ArrayList();
        valid.add(Integer.valueOf(0));
        // An AnalysisException is checked, and Function1 declares none.
        Platform.throwException(QueryCompilationErrors.wrongNumArgsError(LISTING, Calls.seq(valid), given,
          QueryCompilationErrors.wrongNumArgsError$default$4(), QueryCompilationErrors.wrongNumArgsError$default$5(),
          QueryCompilationErrors.wrongNumArgsError$default$6()));
      }
      StructType columns = new StructType().add("name", DataTypes.StringType, false)
        .add("phase", DataTypes.StringType, false).add("switch", DataTypes.StringType, false)
        .add("enabled", DataTypes.BooleanType, false).add("hits", DataTypes.LongType, false)
        .add("description", DataTypes.StringType, false).add("fault", DataTypes.StringType, true);
      return LocalRelation.fromExternalRows((Seq) DataTypeUtils.toAttributes(columns), Calls.seq(table.rows()));
    }
  }
}
