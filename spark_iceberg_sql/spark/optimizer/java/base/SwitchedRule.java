package sparkicebergsql;

import java.io.IOException;
import java.util.HashMap;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.internal.SQLConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.Option;
import scala.runtime.AbstractFunction0;

/**
 * An optimizer rule with a switch in the session's configuration and a count of the plans that it changed.
 *
 * <p>A rule is one stateless class, shared by all sessions and threads of the JVM. Janino compiles it at run
 * time, see docs/java.md.
 */
public abstract class SwitchedRule extends ScalaTypes.PlanRule<LogicalPlan> {
  private static final Logger LOG = LoggerFactory.getLogger("spark_iceberg_sql");
  private static volatile Function1<String, Object> reporter;
  private final LongAdder hits = new LongAdder();
  private String switchKey;

  /** The rewritten plan, or the argument itself if the rule does not apply. */
  protected abstract LogicalPlan rewrite(LogicalPlan plan);

  /**
   * Runs the session's whole optimizer, with all rules, on small plans.
   *
   * @return null if the results are those expected of this version of Spark and Iceberg, otherwise the actual result
   */
  protected abstract String check(SparkSession session);

  /** The statement without which the rule changes no plan of a session, although it is on; null if it may. */
  public String prerequisite(SQLConf conf) { return null; }

  /** Gives a session the settings that the rule needs, except those that have a value; before each plan. */
  public void prepare(SparkSession session) {}

  /** What the rule has decided for an optimized plan, as a list of records in JSON. */
  public String described(LogicalPlan plan) throws IOException, ReflectiveOperationException { return "[]"; }

  @Override
  protected TreeNode<?> of(TreeNode<?> plan) {
    if (!isOn(conf())) return plan;
    LogicalPlan result = rewrite((LogicalPlan) plan);
    if (result != plan) hits.increment();
    return result;
  }

  /** The rewritten plan of a stage that is about to run, or the argument itself; for rules that run while a query does. */
  protected SparkPlan rewriteStage(SparkPlan stage) { return stage; }

  /**
   * Whether it will look at the data files of a table because of a node of a plan, as far as the plan, the schema and the
   * specs tell: no manifest is read for the answer.
   *
   * @param columns takes the ids of the columns whose bounds it will need
   */
  public boolean readsAhead(LogicalPlan node, Table table, Set<Integer> columns) { return false; }

  /** Whether the active session's configuration lets it run. */
  public boolean isOnNow() { return isOn(SQLConf.get()); }

  /** {@link #rewriteStage} if the switch is on. */
  public SparkPlan ofStage(SparkPlan stage) {
    if (!isOn(conf())) return stage;
    SparkPlan result = rewriteStage(stage);
    if (result != stage) hits.increment();
    return result;
  }

  /** Sets what receives warnings about the tables of queries; null for the log. */
  public static void setReporter(Function1<String, Object> function) { reporter = function; }

  /** Warns the user of a query. */
  public static void warn(String text) {
    Function1<String, Object> receiver = reporter;
    try {
      if (receiver != null) receiver.apply(text);
      else LOG.warn(text);
    } catch (Exception e) {
      LOG.warn(text); // a warning that the user has made an error does not fail the query
    }
  }

  /** Replacements that only save reads: where there is none, or an error occurs, the node stays. */
  public abstract static class Attempt implements ScalaTypes.Replacement {
    /** The replacement of a matching node; null if there is none. */
    protected abstract Object replacement(Object node);

    @Override
    public Object of(Object node) {
      try {
        Object replacement = replacement(node);
        return replacement == null ? node : replacement;
      } catch (RuntimeException e) {
        return node; // an error here must not fail the query
      }
    }
  }

  /** An empty table for self-tests. */
  protected static Table empty(SparkSession session, Schema schema, PartitionSpec spec) {
    TableMetadata metadata = TableMetadata.newTableMetadata(schema, spec, "memory:/check", new HashMap<>());
    HadoopFileIO io = new HadoopFileIO(session.sessionState().newHadoopConf());
    return new BaseTable(new StaticTableOperations(metadata, io), "check");
  }

  /** Whether a value of the switch lets the rule run. */
  protected boolean isSwitchedOn(String value) { return "true".equalsIgnoreCase(value.trim()); }

  public void setSwitchKey(String key) { switchKey = key; }

  /** How many plans the rule has changed in this JVM. */
  public long hits() { return hits.sum(); }

  /** Whether this session's configuration lets the rule run. */
  public boolean isOn(SQLConf conf) {
    if (!isSwitchedOn(conf.getConfString(switchKey, "true"))) return false;
    Option<String> excluded = conf.optimizerExcludedRules();
    return excluded.isEmpty() || !(", " + excluded.get() + ",").replace(" ", "").contains("," + ruleName() + ",");
  }

  /** {@link #check} with the switch on, whatever the session's setting; null, or the fault. */
  public String fault(final SparkSession session) {
    SQLConf conf = session.sessionState().conf().clone();
    conf.setConfString(switchKey, "true");
    conf.setConfString("spark.sql.optimizer.excludedRules", "");
    try {
      Object fault = SQLConf.withExistingConf(conf, new AbstractFunction0<Object>() {
        @Override
        public Object apply() {
          return check(session);
        }
      });
      return fault == null ? null : ((String) fault).replaceAll("\\s+", " ").trim();
    } catch (Exception e) {
      return String.valueOf(e);
    } catch (LinkageError e) {
      return String.valueOf(e);
    }
  }
}
