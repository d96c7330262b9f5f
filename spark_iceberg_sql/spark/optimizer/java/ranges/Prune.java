package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.Analyzer;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReplaceData;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Adds to the filter above an Iceberg relation, or to the condition of a copy-on-write command, the range on the column
 * that predicates such as <code>year(ts) = 2024</code> imply, so that the scan prunes; the predicates stay. It adds
 * nothing that the columns' own comparisons imply, so it is idempotent. EXPLAIN marks its literals with `implied`.
 */
public class Prune extends SwitchedRule {
  /** In microseconds. */
  private static final long MILLISECOND = 1000;
  /** Dashboards repeat the same conditions. */
  private final ConclusionCache conclusions = new ConclusionCache("prune");

  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    return (LogicalPlan) plan.transform(ScalaTypes.rewrite(new Nodes()));
  }

  /** Filters, and the conditions by which copy-on-write commands choose their files. */
  class Nodes implements ScalaTypes.Replacement {
    @Override
    public boolean isFor(Object node) {
      return node instanceof Filter || node instanceof ReplaceData;
    }

    @Override
    public Object of(Object node) {
      if (node instanceof Filter) {
        Filter filter = (Filter) node;
        Expression both = Calls.isTranslated(filter.child()) ? translatable(filter.condition())
                                                             : withImpliedRanges(filter.condition(), filter.child());
        return both == filter.condition() ? filter : new Filter(both, filter.child());
      }
      final Expression condition = ((ReplaceData) node).condition();
      final Expression both = withImpliedRanges(condition, (LogicalPlan) ((ReplaceData) node).originalTable());
      if (both == condition) return node;
      return ((ReplaceData) node).mapExpressions(new ScalaTypes.Mapping<Expression, Expression>() {
        @Override
        protected Object of(Object e) {
          return e == condition ? both : e;
        }
      });
    }
  }

  /** The condition with the ranges that it implies; unchanged if there are none. */
  Expression withImpliedRanges(Expression condition, LogicalPlan relation) {
    try {
      PartitionLayout layout = isCandidate(condition) ? PartitionLayout.of(relation) : null;
      if (layout == null || !condition.deterministic() || !Positions.isFree(relation)) return condition;
      Expression result = condition;
      for (Expression e : added(condition, layout)) {
        // The condition of a MERGE refers to the source, too.
        if (e.references().subsetOf(relation.outputSet())) result = new And(ImpliedLiteral.noted(result, e), e);
      }
      return result;
    } catch (RuntimeException e) {
      return condition; // an error here must not fail the query
    }
  }

  /**
   * A procedure's `where`, with a range in place of the conjuncts on a column that Iceberg cannot translate and that
   * imply one: it only chooses files that may contain such rows, so a wider condition is correct.
   */
  private static Expression translatable(Expression condition) {
    List<Expression> kept = new ArrayList<>(), ranges = new ArrayList<>();
    try {
      ranges = ranges(condition, null);
    } catch (RuntimeException e) {
      // Iceberg reports what it cannot translate.
    }
    boolean changed = false;
    for (Expression conjunct : Predicates.conjuncts(condition)) {
      boolean isTranslatable = !isCandidate(conjunct) || Calls.call(compared(conjunct)) != null, implied = false;
      for (Expression r : ranges) implied |= conjunct.references().subsetOf(r.references());
      changed |= !isTranslatable && implied;
      if (isTranslatable || !implied) kept.add(conjunct);
    }
    if (!changed) return condition;
    kept.addAll(ranges);
    return Predicates.conjunction(kept);
  }

  private static Object compared(Expression e) {
    if (e instanceof Not) return compared((Expression) ((Not) e).child());
    if (!(e instanceof BinaryComparison)) return e.children().isEmpty() ? null : e.children().apply(0);
    BinaryComparison c = (BinaryComparison) e;
    return c.left() instanceof Literal ? c.right() : c.left();
  }

  /** Whether any part of a condition compares something that is neither a column nor a constant. */
  private static boolean isCandidate(Expression e) {
    boolean connects = e instanceof And || e instanceof Or || e instanceof Not;
    for (Expression c : ScalaTypes.list(e.children())) {
      if (connects ? isCandidate(c) : !(c instanceof Literal) && !PartitionLayout.isColumn(c)) return true;
    }
    return false;
  }

  /** The implied ranges that a condition on an Iceberg relation does not contain, as one condition; null if none. */
  public Expression implied(Expression condition, LogicalPlan relation) {
    return Predicates.conjunction(impliedBy(condition, PartitionLayout.of(relation)));
  }

  private List<Expression> added(final Expression condition, final PartitionLayout layout) {
    return conclusions.of(
      layout.version(), List.of(condition), condition.references().toSeq(), List.of(), new ConclusionCache.Rule() {
        @Override
        public List<Expression> conclusions() {
          return impliedBy(condition, layout);
        }
      });
  }

  private static List<Expression> impliedBy(Expression condition, PartitionLayout layout) {
    List<Expression> result = ranges(condition, layout), conjuncts = Predicates.conjuncts(condition);
    if (layout == null) return result;
    for (Expression c : conjuncts) {
      for (Expression implied : ImpliedTransforms.of(c, conjuncts, layout))
        if (!CounterexampleSearch.finds(c, implied, PartitionLayout.source(Calls.call(compared(c)))))
          result.add(implied);
    }
    return result;
  }

  /** The conditions to add for time and integer columns. */
  static List<Expression> ranges(Expression condition, PartitionLayout layout) {
    List<Expression> result = new ArrayList<>();
    Map<Expression, ImpliedRanges.ColumnRanges> implied = new ImpliedRanges(layout, false).of(condition);
    if (implied.isEmpty()) return result;
    Map<Expression, ImpliedRanges.ColumnRanges> literalRanges = new ImpliedRanges(layout, true).of(condition);
    for (Expression key : implied.keySet()) {
      ImpliedRanges.ColumnRanges ranges = (ImpliedRanges.ColumnRanges) implied.get(key);
      ImpliedRanges.ColumnRanges literal = (ImpliedRanges.ColumnRanges) literalRanges.get(key);
      Intervals all = readable(ranges, layout).coarse(),
                literalValues = literal == null ? Intervals.ALL : literal.values;
      // A filter that no value satisfies is left to the query.
      if (all.size() == 0 || all.isAll() || all.contains(literalValues)) continue;
      Expression range = all.condition(ranges.column, literalValues);
      if (range == null) continue;
      if (layout != null && counts(ranges.column, layout)) range = new Or(range, Predicates.beyondHours(ranges.column));
      if (!CounterexampleSearch.finds(condition, range, ranges.column)) result.add(range);
    }
    return result;
  }

  /** The implied values, and those by which files with wrong bounds are read as well: all, if none are known. */
  private static Intervals readable(ImpliedRanges.ColumnRanges implied, PartitionLayout layout) {
    Intervals values = implied.values;
    if (layout == null) return values;
    for (BoundFault fault : layout.faults(implied.column)) {
      if (fault.kind == BoundFault.Kind.WRAPPED_HOURS) continue; // their times are added to each range
      if (!fault.isNumber) return Intervals.ALL;
      if (fault.kind == BoundFault.Kind.CUT) values = values.earlier(MILLISECOND);
      else
        values = values.union(
          Intervals.of(fault.minimum, fault.maximum == Long.MAX_VALUE ? Long.MAX_VALUE : fault.maximum + 1));
    }
    return values;
  }

  private static boolean counts(Expression column, PartitionLayout layout) {
    Transform wrapping = layout.wrapping(column);
    return wrapping != null && !wrapping.truncates;
  }

  /** Tests one predicate of each kind on an empty table: the scan must receive February 2024, or its start. */
  @Override
  protected String check(SparkSession session) {
    String start = "ts >= 1706745600000000", end = "ts < 1709251200000000";
    String[][] predicates = {{"year(ts) = 2024 AND month(ts) = 2", start, end},
      {"date_trunc('month', ts) = timestamp '2024-02-01'", start, end},
      {"date_format(ts, 'yyyy-MM') = '2024-02'", start, end}, {"cast(ts AS string) LIKE '2024-02%'", start, end},
      {"year(ts) * 100 + month(ts) = 202402", start, end}, {"trunc(ts, 'month') = date '2024-02-01'", start, end},
      {"unix_timestamp(ts) >= 1706745600", start}, {"ts + interval 7 days >= timestamp '2024-02-08'", start}};
    SQLConf.get().setConfString("spark.sql.session.timeZone", "UTC");
    Types.NestedField ts = Types.NestedField.optional(1, "ts", Types.TimestampType.withZone());
    Table table = empty(session, new Schema(new Types.NestedField[] {ts}), PartitionSpec.unpartitioned());
    Analyzer analyzer = session.sessionState().analyzer();
    try {
      for (String[] p : predicates) {
        LogicalPlan plan = Relations.of(table);
        plan = new Filter(session.sessionState().sqlParser().parseExpression(p[0]), plan);
        plan = (LogicalPlan) session.sessionState().optimizer().execute((LogicalPlan) analyzer.execute(plan));
        if (!(plan instanceof Filter)) return "it does not keep " + p[0] + ": " + plan;
        LogicalPlan scan = (LogicalPlan) plan.children().apply(0);
        String pushed = ((DataSourceV2ScanRelation) scan).scan().description();
        for (int i = 1; i < p.length; i++)
          if (!pushed.contains(p[i])) return p[0] + " does not imply " + p[i] + ": " + pushed;
      }
    } catch (ParseException e) {
      return e.toString();
    }
    return null;
  }
}
