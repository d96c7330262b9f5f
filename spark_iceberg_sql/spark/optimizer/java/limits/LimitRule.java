package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreePattern;

/** A rule that reads the rows of a limit from fewer files, by a condition that these files' rows satisfy. */
public abstract class LimitRule extends SwitchedRule {
  private final int minimum;
  /** Of the last limits. */
  private final ConclusionCache conclusions;

  /** minimum: with no more files than these, planning again costs more than it saves. */
  protected LimitRule(String name, int minimum) {
    this.minimum = minimum;
    conclusions = new ConclusionCache(name);
  }

  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    if (!plan.containsPattern(TreePattern.LIMIT())) return plan;
    return (LogicalPlan) plan.transform(ScalaTypes.rewrite(new Limits(this)));
  }

  /** The limits of the plan. */
  static class Limits extends Attempt {
    private final LimitRule rule;

    Limits(LimitRule rule) { this.rule = rule; }

    @Override
    public boolean isFor(Object node) {
      return node instanceof LocalLimit;
    }

    @Override
    protected Object replacement(Object node) {
      return rule.narrowed(LimitedRelation.of((LocalLimit) node));
    }
  }

  /** Null if no file can be left out. */
  private LogicalPlan narrowed(final LimitedRelation limited) {
    if (limited == null || limited.count <= 0 || !isFor(limited)) return null;
    final SnapshotFiles files = SnapshotFiles.of(limited.relation);
    if (files == null || !files.hasMoreThan(minimum, limited.count)) return null;
    List<Expression> from = new ArrayList<>();
    if (limited.sort != null) from.add(limited.order());
    if (limited.filter != null) from.add(limited.condition());
    List<Expression> conditions = conclusions.of(files.layout.version(), from, limited.relation.output(),
      List.of(Integer.valueOf(limited.count)), new ConclusionCache.Rule() {
        @Override
        public List<Expression> conclusions() {
          return conditions(limited, files);
        }
      });
    if (conditions.isEmpty() || MisreadComparisons.areIn((Expression) conditions.get(0), files.layout)) return null;
    return limited.with((Expression) conditions.get(0), ReadNotes.noted(files.pinned, reason(limited, files)));
  }

  /** Whether it is about such a limit. */
  protected abstract boolean isFor(LimitedRelation limited);

  /** The condition; none if no file can be left out. */
  protected abstract List<Expression> conditions(LimitedRelation limited, SnapshotFiles files);

  /** Why fewer files are read, for ReadNotes. */
  protected abstract String reason(LimitedRelation limited, SnapshotFiles files);
}
