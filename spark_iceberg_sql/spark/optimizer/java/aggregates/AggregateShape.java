package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * An aggregation over projections and filters of one relation, with all expressions in terms of the relation's columns.
 */
public final class AggregateShape {
  public final Aggregate aggregate;
  public final LogicalPlan relation;
  public final List<Expression> grouping = new ArrayList<>();
  public final List<FileAggregate> aggregates = new ArrayList<>();
  /** What the rows satisfy that are aggregated. */
  public final List<Expression> conjuncts = new ArrayList<>();
  private final List<AggregateExpression> functions = new ArrayList<>();

  private AggregateShape(Aggregate aggregate, LogicalPlan relation) {
    this.aggregate = aggregate;
    this.relation = relation;
  }

  /** Null if the files' metadata cannot answer it, as far as its expressions and the table's schema tell. */
  public static AggregateShape of(Aggregate aggregate) {
    LogicalPlan plan = aggregate.child();
    while (plan instanceof Project || plan instanceof Filter) plan = (LogicalPlan) plan.children().apply(0);
    PartitionLayout layout = PartitionLayout.of(plan);
    if (layout == null) return null;
    AggregateShape shape = new AggregateShape(aggregate, plan);
    return shape.hasAggregates() && shape.hasConditions(layout) && shape.isPlausible(layout) ? shape : null;
  }

  private boolean hasAggregates() {
    List<NamedExpression> results = ScalaTypes.list(aggregate.aggregateExpressions());
    for (NamedExpression result : results) collect((Expression) result);
    List<Expression> keys = ScalaTypes.list(aggregate.groupingExpressions());
    for (Expression key : keys) {
      Expression e = inColumns(key, aggregate.child());
      if (!isGroupable(e.dataType())) return false;
      grouping.add(e);
    }
    for (AggregateExpression function : functions) {
      FileAggregate a = FileAggregate.of(function, inColumns(argument(function), aggregate.child()));
      if (a == null) return false;
      aggregates.add(a);
    }
    return !functions.isEmpty() || !grouping.isEmpty();
  }

  private static Expression argument(AggregateExpression function) {
    List<Expression> children = ScalaTypes.list(function.aggregateFunction().children());
    return children.size() == 1 ? (Expression) children.get(0) : null;
  }

  private void collect(Expression e) {
    if (!(e instanceof AggregateExpression)) {
      for (Expression child : ScalaTypes.list(e.children())) collect(child);
      return;
    }
    for (AggregateExpression function : functions)
      if (function.semanticEquals(e)) return;
    functions.add((AggregateExpression) e);
  }

  /** Values that are equal exactly if Spark puts them into one group. */
  private static boolean isGroupable(DataType t) { return t.equals(DataTypes.BooleanType) || Predicates.isExact(t); }

  /** An expression over a plan's output as one over the relation's; null for null. */
  private static Expression inColumns(Expression e, LogicalPlan plan) {
    while (e != null && (plan instanceof Project || plan instanceof Filter)) {
      if (plan instanceof Project) e = Predicates.substituted(e, Predicates.aliases((Project) plan));
      plan = (LogicalPlan) plan.children().apply(0);
    }
    return e;
  }

  private boolean hasConditions(PartitionLayout layout) {
    LogicalPlan plan = aggregate.child();
    while (plan != relation) {
      LogicalPlan child = (LogicalPlan) plan.children().apply(0);
      if (plan instanceof Filter) conjuncts.addAll(Predicates.conjuncts(inColumns(((Filter) plan).condition(), child)));
      if (plan instanceof Project)
        for (Expression e : ScalaTypes.list(plan.expressions()))
          if (!e.deterministic()) return false;
      plan = child;
    }
    for (Expression conjunct : conjuncts) {
      if (!conjunct.deterministic()) return false;
      if (FileCondition.converted(conjunct) == null && !ConstantExpression.isPlausible(conjunct, layout)) return false;
    }
    return true;
  }

  private boolean isPlausible(PartitionLayout layout) {
    for (Expression key : grouping)
      if (!ConstantExpression.isPlausible(key, layout)) return false;
    for (FileAggregate a : aggregates)
      if (!a.isPlausible(layout)) return false;
    return true;
  }

  /** All conditions; null if there are none. */
  public Expression condition() { return Predicates.conjunction(conjuncts); }

  /** The expressions that are computed from the columns of the rows. */
  public List<Expression> expressions() {
    List<Expression> result = new ArrayList<>(conjuncts);
    result.addAll(grouping);
    for (FileAggregate a : aggregates)
      if (a.argument != null) result.add(a.argument);
    return result;
  }

  /** The results over a row of the group's values and the aggregates' values; null if they cannot be evaluated. */
  public List<Expression> results() {
    final List<Expression> keys = ScalaTypes.list(aggregate.groupingExpressions());
    List<Expression> results = new ArrayList<>();
    List<NamedExpression> columns = ScalaTypes.list(aggregate.aggregateExpressions());
    for (NamedExpression column : columns) {
      Expression e = column instanceof Alias ? ((Alias) column).child() : (Expression) column;
      e = (Expression) e.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
        @Override
        public boolean isFor(Object node) {
          return index((Expression) node, keys) >= 0;
        }

        @Override
        public Object of(Object node) {
          return new BoundReference(index((Expression) node, keys), ((Expression) node).dataType(), true);
        }
      }));
      if (!e.references().isEmpty() || !Predicates.isEvaluable(e)) return null;
      results.add(e);
    }
    return results;
  }

  private int index(Expression e, List<Expression> keys) {
    for (int i = 0; i < keys.size(); i++)
      if (((Expression) keys.get(i)).semanticEquals(e)) return i;
    for (int i = 0; i < functions.size(); i++)
      if (((AggregateExpression) functions.get(i)).semanticEquals(e)) return keys.size() + i;
    return -1;
  }

  /** The aggregate functions, each once, as the aggregation has them. */
  public List<AggregateExpression> functions() { return functions; }

  /** The results of the aggregation without groups over columns with the functions' values for parts of the rows. */
  public List<NamedExpression> merged(final List<Attribute> parts) {
    final List<Expression> keys = new ArrayList<>();
    List<NamedExpression> results = new ArrayList<>();
    List<NamedExpression> columns = ScalaTypes.list(aggregate.aggregateExpressions());
    for (NamedExpression column : columns)
      results.add((NamedExpression) ((Expression) column).transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
        @Override
        public boolean isFor(Object node) {
          return index((Expression) node, keys) >= 0;
        }

        @Override
        public Object of(Object node) {
          int i = index((Expression) node, keys);
          return ((FileAggregate) aggregates.get(i)).merged((Attribute) parts.get(i));
        }
      })));
    return results;
  }

  /** The aggregation's child over another relation, with one more condition. */
  public LogicalPlan confined(LogicalPlan pinned, Expression predicate) {
    return confined(aggregate.child(), pinned, predicate);
  }

  private LogicalPlan confined(LogicalPlan plan, LogicalPlan pinned, Expression predicate) {
    if (plan == relation) return new Filter(predicate, pinned);
    LogicalPlan child = (LogicalPlan) plan.children().apply(0);
    if (plan instanceof Filter && child == relation)
      return new Filter(new And(((Filter) plan).condition(), predicate), pinned);
    return (LogicalPlan) plan.withNewChildren(ScalaTypes.seq(List.of(confined(child, pinned, predicate))));
  }

  /** The values of the results, for a row of the group's values and the aggregates' values. */
  public static Object[] evaluated(List<Expression> results, Object[] values) {
    InternalRow row = new GenericInternalRow(values);
    Object[] result = new Object[results.size()];
    for (int i = 0; i < result.length; i++) result[i] = ((Expression) results.get(i)).eval(row);
    return result;
  }
}
