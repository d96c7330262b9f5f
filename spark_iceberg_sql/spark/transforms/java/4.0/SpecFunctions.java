package sparkicebergsql;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.api.python.PythonUtils;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.Analyzer;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.internal.SessionState;
import org.apache.spark.unsafe.Platform;

/**
 * The functions of the catalog `iceberg_functions`, which Iceberg's expressions spec reserves: a call becomes one of
 * the session's function with the same value. Spark would look for a catalog or a schema of that name.
 */
public class SpecFunctions extends ScalaTypes.Mapping<SparkSession, Rule<LogicalPlan>> {
  private static final String CATALOG = "iceberg_functions";
  /** Name in the catalog, in lower case, to the session's function. */
  private static final Map<String, String> FUNCTIONS = new LinkedHashMap<>();

  static {
    for (SpecFunctionRow row : SpecFunctionRow.ALL) FUNCTIONS.put(row.name, row.function);
  }

  private final Set<SparkSessionExtensions> injected = Collections.newSetFromMap(new WeakHashMap<>());

  @Override
  protected Object of(Object session) {
    return new CallRule((org.apache.spark.sql.classic.SparkSession) session);
  }

  /** Adds the catalog to the sessions that will have these extensions. */
  public synchronized void addTo(SparkSessionExtensions extensions) {
    if (injected.add(extensions)) extensions.injectHintResolutionRule(this);
  }

  /** Adds the catalog to a session and those derived from it later; calling it again changes nothing. */
  public synchronized void add(org.apache.spark.sql.classic.SparkSession session) throws ReflectiveOperationException {
    addTo(session.extensions());
    // An analyzer keeps the rules that there were when it was created.
    Analyzer analyzer = session.sessionState().analyzer();
    List<Rule<LogicalPlan>> rules = new ArrayList<>(ScalaTypes.list(analyzer.hintResolutionRules()));
    for (Rule<LogicalPlan> rule : rules) {
      if (rule instanceof CallRule) return;
    }
    rules.add(new CallRule(session));
    Field field = analyzer.getClass().getDeclaredField("hintResolutionRules");
    field.setAccessible(true);
    field.set(analyzer, ScalaTypes.seq(rules));
  }

  /** Runs before Spark looks up functions: of the rules that can be injected, only those for hints do. */
  static class CallRule extends ScalaTypes.PlanRule<LogicalPlan> {
    private final org.apache.spark.sql.classic.SparkSession session;
    private final Calls calls = new Calls(this);

    CallRule(org.apache.spark.sql.classic.SparkSession session) { this.session = session; }

    @Override
    protected TreeNode<?> of(TreeNode<?> plan) {
      return ((LogicalPlan) plan).transformAllExpressionsWithSubqueries(ScalaTypes.rewrite(calls));
    }

    /** False after uninstall, and where the session itself has a catalog of that name. */
    boolean applies() {
      SessionState state = session.sessionState();
      return state.functionRegistry().functionExists(
               new FunctionIdentifier(((SpecFunctionRow) SpecFunctionRow.ALL.get(0)).function))
        && !state.catalogManager().isCatalogRegistered(CATALOG);
    }
  }

  /** The calls of such functions. */
  static class Calls implements ScalaTypes.Replacement {
    private final CallRule rule;

    Calls(CallRule rule) { this.rule = rule; }

    @Override
    public boolean isFor(Object node) {
      if (!(node instanceof UnresolvedFunction)) return false;
      List<String> parts = ScalaTypes.list(((UnresolvedFunction) node).nameParts());
      return parts.size() == 2 && CATALOG.equalsIgnoreCase((String) parts.get(0)) && rule.applies();
    }

    @Override
    public Object of(Object node) {
      UnresolvedFunction call = (UnresolvedFunction) node;
      String name = (String) call.nameParts().apply(1);
      String function = (String) FUNCTIONS.get(name.toLowerCase(Locale.ROOT));
      if (function == null) throw refused(call, name);
      // Its constructor has more parameters in later versions of Spark.
      Constructor<?> constructor = UnresolvedFunction.class.getConstructors()[0];
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < call.productArity(); i++) values.add(call.productElement(i));
      values.set(0, ScalaTypes.seq(List.of(function)));
      try {
        return constructor.newInstance(values.toArray());
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Throws Spark's error for a function that there is not, with those that there are. */
    private static RuntimeException refused(UnresolvedFunction call, String name) {
      List<String> names = new ArrayList<>();
      for (String function : FUNCTIONS.keySet()) names.add("`" + CATALOG + "." + function + "`");
      Map<String, String> parameters =
        Map.of("routineName", "`" + CATALOG + "." + name + "`", "searchPath", "[" + String.join(", ", names) + "]");
      Platform.throwException(
        new AnalysisException("UNRESOLVED_ROUTINE", PythonUtils.toScalaMap(parameters), call.origin()));
      return null;
    }
  }
}
