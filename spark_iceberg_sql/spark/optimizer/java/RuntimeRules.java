package sparkicebergsql;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveRulesHolder;

/**
 * The rules with which adaptive execution optimizes the rest of a query after some of its stages have run.
 *
 * <p>Spark reads those of its extensions when it creates a session, and keeps them in a final field.
 */
public final class RuntimeRules {
  private static final String OF_PLANS = "runtimeOptimizerRules", OF_STAGES = "queryStageOptimizerRules";

  private RuntimeRules() {}

  /** Adds a rule for what is left to run, to a session that exists, unless it has this very object. */
  public static void add(SparkSession session, Rule<LogicalPlan> rule) throws ReflectiveOperationException {
    AdaptiveRulesHolder holder = session.sessionState().adaptiveRulesHolder();
    add(holder, OF_PLANS, ScalaTypes.list(holder.runtimeOptimizerRules()), rule);
  }

  /** The same for a rule that rewrites a stage just before it runs. */
  public static void addForStages(SparkSession session, Rule<SparkPlan> rule) throws ReflectiveOperationException {
    AdaptiveRulesHolder holder = session.sessionState().adaptiveRulesHolder();
    add(holder, OF_STAGES, ScalaTypes.list(holder.queryStageOptimizerRules()), rule);
  }

  private static void add(AdaptiveRulesHolder holder, String name, List<?> present, Object rule)
    throws ReflectiveOperationException {
    synchronized (holder) {
      for (Object other : present)
        if (other == rule) return;
      List<Object> rules = new ArrayList<>(present);
      rules.add(rule);
      Field field = AdaptiveRulesHolder.class.getDeclaredField(name);
      field.setAccessible(true);
      field.set(holder, ScalaTypes.seq(rules));
    }
  }
}
