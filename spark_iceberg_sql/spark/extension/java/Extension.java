package sparkicebergsql;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.SparkSessionExtensionsProvider;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.runtime.BoxedUnit;

/**
 * Adds the jar's content to every session of a Spark application: Spark finds this class through META-INF/services.
 * The functions and rules are the ones that a Python session compiles; with the jar, such a session uses these.
 */
public class Extension
  extends ScalaTypes.Mapping<SparkSessionExtensions, BoxedUnit> implements SparkSessionExtensionsProvider {
  private static final Logger LOG = LoggerFactory.getLogger("spark_iceberg_sql");
  private static final ReleaseRow RELEASE = (ReleaseRow) ReleaseRow.ALL.get(0);
  private static final RuleRegistry RULES = new RuleRegistry();
  private static final TransformFunctions FUNCTIONS = new TransformFunctions();

  static {
    FUNCTIONS.withRules(RULES.ensuring());
    RULES.setProbes(new IssueProbes());
    RULES.setFacts(new RelationFacts());
    for (RuleRow row : RuleRow.ALL) {
      Object rule = null;
      String fault = null;
      try {
        rule = Class.forName(row.javaClass).getDeclaredConstructor().newInstance();
      } catch (ReflectiveOperationException e) {
        fault = String.valueOf(e);
      } catch (LinkageError e) {
        fault = String.valueOf(e);
      }
      RULES.set(row.name, rule, fault);
    }
    RULES.complete(null);
  }

  /** The rules of this JVM; null if they were compiled from other sources. sources: a checksum. */
  public RuleRegistry rules(String sources) { return sources.equals(RELEASE.rulesDigest) ? RULES : null; }

  /** The functions of this JVM; null if they were compiled from other sources. */
  public TransformFunctions functions(String sources) {
    return sources.equals(RELEASE.functionsDigest) ? FUNCTIONS : null;
  }

  @Override
  protected Object of(Object argument) {
    SparkSessionExtensions extensions = (SparkSessionExtensions) argument;
    String fault = unfit();
    if (fault == null) add(extensions);
    else LOG.warn("the jar of spark-iceberg-sql adds nothing: " + fault);
    return BoxedUnit.UNIT;
  }

  private static String unfit() {
    String version = org.apache.spark.package$.MODULE$.SPARK_VERSION(),
           compiler = scala.util.Properties$.MODULE$.versionNumberString();
    if (!version.startsWith(RELEASE.spark + ".") || !compiler.startsWith(RELEASE.scala))
      return "it is for Spark " + RELEASE.spark + " with Scala " + RELEASE.scala + ", not for Spark " + version
        + " with Scala " + compiler;
    try {
      Class.forName("org.apache.iceberg.spark.functions.SparkFunctions");
      String iceberg = org.apache.iceberg.IcebergBuild.version();
      return iceberg.startsWith(RELEASE.iceberg + ".") ? null
                                                       : "it is for Iceberg " + RELEASE.iceberg + ", not for Iceberg "
          + iceberg + ": build it with SPARK_ICEBERG_SQL_JAR=<its runtime> iceberg-sql jar";
    } catch (ClassNotFoundException missing) {
      return "Iceberg's runtime is not on the class path";
    }
  }

  private static void add(SparkSessionExtensions extensions) {
    for (FunctionRow row : FunctionRow.ALL) {
      ExpressionInfo info = new ExpressionInfo("spark_iceberg_sql", null, row.name, row.usage, row.arguments,
        row.examples, "", "misc_funcs", "0.1.0", "", "built-in");
      extensions.injectFunction(new Tuple3<FunctionIdentifier, ExpressionInfo, Function1<Seq<Expression>, Expression>>(
        new FunctionIdentifier(row.name), info, FUNCTIONS.byName(row.name)));
    }
    FUNCTIONS.specFunctions().addTo(extensions);
    RULES.injectListing(extensions);
    extensions.injectResolutionRule(new FirstUse());
  }

  /** The rules are self-tested on a session, so they are added when a session analyses its first statement. */
  static class FirstUse extends ScalaTypes.Mapping<SparkSession, Rule<LogicalPlan>> {
    @Override
    protected Object of(Object session) {
      return new FirstAnalysis((SparkSession) session);
    }
  }

  /** A rule that changes no plan, and adds the rules once. */
  static class FirstAnalysis extends ScalaTypes.PlanRule<LogicalPlan> {
    private final SparkSession session;
    private volatile boolean isDone;

    FirstAnalysis(SparkSession session) { this.session = session; }

    @Override
    protected TreeNode<?> of(TreeNode<?> plan) {
      if (isDone) return plan;
      isDone = true; // the rules' self-tests analyse plans, too
      RULES.ensure(session);
      for (String name : RULES.newFaults())
        LOG.warn("the optimizer rule `" + name + "` is disabled: " + RULES.fault(name));
      return plan;
    }
  }
}
