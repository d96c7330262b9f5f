package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.ExperimentalMethods;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.immutable.Seq;

/** How the rules come into a session, by the phase that each runs in, and the two marks around them. */
public final class InjectedRules {
  private static final EndOfReading END_OF_READING = new EndOfReading();
  private static final Marking QUERY_MARKS = new Marking(true), PLAN_MARKS = new Marking(false);

  private InjectedRules() {}

  /** Injects rules into a session that exists, and by its extensions into those that are made from it. */
  static void inject(
    SparkSession session, SparkSessionExtensions extensions, Iterable<RuleEntry> entries, Installed installed) {
    // Before the rules, which ask for the marks.
    extensions.injectOptimizerRule(new NewSessions<LogicalPlan>(PLAN_MARKS));
    extensions.injectPlanNormalizationRule(new NewSessions<LogicalPlan>(QUERY_MARKS));
    Marking.addTo(session);
    DeleteCache.avoid(session);
    VectorFaults.avoid(session);
    List<RuleEntry> afterPushDown = new ArrayList<>();
    List<RuleOfSession> ofSessions = new ArrayList<>();
    for (RuleEntry e : entries) {
      switch (e.row.injection) {
        case "BEFORE_PUSH_DOWN":
          extensions.injectOptimizerRule(new RuleBeforePushDown(e, installed));
          break;
        case "JUST_BEFORE_PUSH_DOWN":
          extensions.injectPreCBORule(new RuleBeforePushDown(e, installed));
          break;
        case "BEFORE_OPTIMIZER":
          ofSessions.add(new RuleBeforeOptimizer(e, installed));
          break;
        case "AT_RUN_TIME":
          ofSessions.add(new RuleAtRunTime(e, installed));
          break;
        default:
          afterPushDown.add(e);
      }
    }
    for (RuleOfSession rule : ofSessions) {
      rule.addTo(extensions);
      rule.addTo(session);
    }
    extensions.injectPreCBORule(new NewSessions<LogicalPlan>(END_OF_READING));
    extensions.injectOptimizerRule(new RulesAfterPushDown(afterPushDown, ofSessions, installed));
  }

  /** Whether the rules are enabled for the sessions that share an extensions object. */
  static class Installed {
    volatile boolean isEnabled = true;
  }

  /**
   * Spark calls this for each optimization; injected rules cannot be removed, so it returns none if they are disabled.
   */
  static class RuleBeforePushDown extends ScalaTypes.Mapping<SparkSession, Rule<LogicalPlan>> {
    final RuleEntry entry;
    final Installed installed;
    RuleBeforePushDown(RuleEntry entry, Installed installed) {
      this.entry = entry;
      this.installed = installed;
    }
    @Override
    protected Object of(Object session) {
      return inForce(entry, installed) ? entry.rule() : new NoRule();
    }
  }

  /**
   * Injected as a rule that does nothing, in order to be called at each optimization of each session: rules after the
   * push-down belong to one session, and newSession() starts without them. Spark reads them after this call.
   */
  static class RulesAfterPushDown extends ScalaTypes.Mapping<SparkSession, Rule<LogicalPlan>> {
    final List<RuleEntry> entries;
    final List<RuleOfSession> ofSessions;
    final Installed installed;
    RulesAfterPushDown(List<RuleEntry> entries, List<RuleOfSession> ofSessions, Installed installed) {
      this.entries = entries;
      this.ofSessions = ofSessions;
      this.installed = installed;
    }
    @Override
    protected Object of(Object session) {
      Marking.addTo((SparkSession) session);
      DeleteCache.avoid((SparkSession) session);
      VectorFaults.avoid((SparkSession) session);
      for (RuleOfSession rule : ofSessions) rule.addTo((SparkSession) session);
      ExperimentalMethods methods = ((org.apache.spark.sql.classic.SparkSession) session).experimental();
      synchronized (methods) {
        List<Rule<LogicalPlan>> rulesToRun = new ArrayList<>();
        Seq<Rule<LogicalPlan>> present = methods.extraOptimizations();
        for (Rule<LogicalPlan> rule : ScalaTypes.list(present))
          if (!(rule instanceof SwitchedRule)) rulesToRun.add(rule);
        for (RuleEntry entry : entries) {
          if (!inForce(entry, installed)) continue;
          entry.rule().prepare((SparkSession) session);
          rulesToRun.add(entry.rule());
        }
        Seq<Rule<LogicalPlan>> rules = ScalaTypes.seq(rulesToRun);
        if (!rules.equals(present)) methods.extraOptimizations_$eq(rules);
      }
      return new NoRule();
    }
  }

  /** Spark creates it once for each session, so it is asked at each use whether the rule is enabled. */
  abstract static class RuleOfSession extends ScalaTypes.PlanRule<LogicalPlan> {
    final RuleEntry entry;
    final Installed installed;
    RuleOfSession(RuleEntry entry, Installed installed) {
      this.entry = entry;
      this.installed = installed;
    }
    @Override
    protected TreeNode<?> of(TreeNode<?> plan) {
      return inForce(entry, installed) ? (TreeNode<?>) entry.rule().apply((LogicalPlan) plan) : plan;
    }
    abstract void addTo(SparkSession session);
    abstract void addTo(SparkSessionExtensions extensions);
  }

  /** Receives each query before the optimizer. */
  static class RuleBeforeOptimizer extends RuleOfSession {
    RuleBeforeOptimizer(RuleEntry entry, Installed installed) { super(entry, installed); }
    @Override
    void addTo(SparkSession session) {
      try {
        RuntimeRules.addBeforeOptimizer(session, this);
      } catch (ReflectiveOperationException e) {
        entry.disable("this Spark keeps the rules before the optimizer elsewhere: " + e);
      }
    }
    @Override
    void addTo(SparkSessionExtensions extensions) {
      extensions.injectPlanNormalizationRule(new NewSessions<LogicalPlan>(this));
    }
  }

  /** Receives what is left to run of a query, and its stages. */
  static class RuleAtRunTime extends RuleOfSession {
    final StageRule stages;
    RuleAtRunTime(RuleEntry entry, Installed installed) {
      super(entry, installed);
      stages = new StageRule(entry, installed);
    }
    @Override
    void addTo(SparkSession session) {
      try {
        RuntimeRules.add(session, this);
        RuntimeRules.addForStages(session, stages);
      } catch (ReflectiveOperationException e) {
        entry.disable("this Spark keeps the rules of adaptive execution elsewhere: " + e);
      }
    }
    @Override
    void addTo(SparkSessionExtensions extensions) {
      extensions.injectRuntimeOptimizerRule(new NewSessions<LogicalPlan>(this));
      extensions.injectQueryStageOptimizerRule(new NewSessions<SparkPlan>(stages));
    }
  }

  /** The same rule, for a stage that is about to run. */
  static class StageRule extends ScalaTypes.PlanRule<SparkPlan> {
    final RuleEntry entry;
    final Installed installed;
    StageRule(RuleEntry entry, Installed installed) {
      this.entry = entry;
      this.installed = installed;
    }
    @Override
    protected TreeNode<?> of(TreeNode<?> stage) {
      return inForce(entry, installed) ? entry.rule().ofStage((SparkPlan) stage) : stage;
    }
  }

  /** For sessions that are still to be created. */
  static class NewSessions<P extends TreeNode<?>> extends ScalaTypes.Mapping<SparkSession, Rule<P>> {
    final Object rule;
    NewSessions(Object rule) { this.rule = rule; }
    @Override
    protected Object of(Object session) {
      return rule;
    }
  }

  /** Marks the relations that no rule may narrow: those of subqueries before the optimizer, and all within it. */
  static class Marking extends ScalaTypes.PlanRule<LogicalPlan> {
    final boolean isOfQuery;
    Marking(boolean isOfQuery) { this.isOfQuery = isOfQuery; }
    @Override
    protected TreeNode<?> of(TreeNode<?> plan) {
      if (isOfQuery) Positions.markSubqueries((LogicalPlan) plan);
      else Positions.mark((LogicalPlan) plan);
      if (!isOfQuery) ReadAhead.begin((LogicalPlan) plan);
      return plan;
    }
    static void addTo(SparkSession session) {
      try {
        RuntimeRules.addBeforeOptimizer(session, QUERY_MARKS);
      } catch (ReflectiveOperationException e) {
        // A Spark that keeps them elsewhere: sessions that are still to be created have the rule.
      }
    }
  }

  /** Comes after the last rule that reads manifests. */
  static class EndOfReading extends ScalaTypes.PlanRule<LogicalPlan> {
    @Override
    protected TreeNode<?> of(TreeNode<?> plan) {
      ReadAhead.end();
      return plan;
    }
  }

  static boolean inForce(RuleEntry entry, Installed installed) { return installed.isEnabled && entry.isSound(); }

  /** Changes nothing. */
  static class NoRule extends ScalaTypes.PlanRule<LogicalPlan> {
    @Override
    protected TreeNode<?> of(TreeNode<?> plan) {
      return plan;
    }
  }
}
