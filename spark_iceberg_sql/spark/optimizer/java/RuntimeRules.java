package sparkicebergsql;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.adaptive.AdaptiveRulesHolder;

/**
 * The rules with which adaptive execution optimizes the rest of a query after some of its stages have run.
 *
 * <p>Spark reads those of its extensions when it creates a session, and keeps them in a final field.
 */
public final class RuntimeRules {
  private static final String FIELD = "runtimeOptimizerRules";

  private RuntimeRules() {}

  /** Adds a rule to a session that exists, unless it has this very object. */
  public static void add(SparkSession session, Rule<LogicalPlan> rule) throws ReflectiveOperationException {
    AdaptiveRulesHolder holder = session.sessionState().adaptiveRulesHolder();
    synchronized (holder) {
      List<Rule<LogicalPlan>> rules = new ArrayList<>(ScalaTypes.list(holder.runtimeOptimizerRules()));
      for (Object present : rules)
        if (present == rule) return;
      rules.add(rule);
      Field field = AdaptiveRulesHolder.class.getDeclaredField(FIELD);
      field.setAccessible(true);
      field.set(holder, ScalaTypes.seq(rules));
    }
  }
}
