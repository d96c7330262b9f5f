package sparkicebergsql;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveRulesHolder;
import org.apache.spark.sql.internal.SessionState;

/**
 * The rules with which adaptive execution optimizes the rest of a query after some of its stages have run, and those
 * that prepare a query for the optimizer.
 *
 * <p>Spark reads those of its extensions when it creates a session, and keeps them in a final field.
 */
public final class RuntimeRules {
  private static final String OF_PLANS = "runtimeOptimizerRules", OF_STAGES = "queryStageOptimizerRules",
                              BEFORE_OPTIMIZER = "planNormalizationRules";

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

  /** The same for a rule that receives each query before it is optimized, and thus before its subqueries are. */
  public static void addBeforeOptimizer(SparkSession session, Rule<LogicalPlan> rule)
    throws ReflectiveOperationException {
    SessionState state = session.sessionState();
    add(state, BEFORE_OPTIMIZER, ScalaTypes.list(state.planNormalizationRules()), rule);
  }

  private static void add(Object holder, String name, List<?> present, Object rule)
    throws ReflectiveOperationException {
    synchronized (holder) {
      for (Object other : present)
        if (other == rule) return;
      List<Object> rules = new ArrayList<>(present);
      rules.add(rule);
      Field field = holder.getClass().getDeclaredField(name);
      field.setAccessible(true);
      field.set(holder, ScalaTypes.seq(rules));
    }
  }
}
