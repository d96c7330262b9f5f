package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.functions.SparkFunctions;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.KnownNullable;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.expressions.V2ExpressionUtils;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OverwriteByExpression;
import org.apache.spark.sql.catalyst.plans.logical.RowLevelWrite;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Offers a comparison with a call of Iceberg's functions to the scan only where the scan answers it correctly, and
 * withholds all other calls, those of catalog.system.* included. It must run after Iceberg's ReplaceStaticInvoke, which
 * makes calls pushable, and before push-down.
 */
public class Guard extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    return Calls.in(plan) ? (LogicalPlan) plan.transform(ScalaTypes.rewrite(new Nodes())) : plan;
  }

  /** The operators whose conditions are pushed down, or may be moved to such an operator. */
  static class Nodes implements ScalaTypes.Replacement {
    @Override
    public boolean isFor(Object node) {
      return node instanceof Filter || node instanceof Join || node instanceof RowLevelWrite
        || node instanceof OverwriteByExpression;
    }

    @Override
    public Object of(Object node) {
      Object relation = node instanceof Filter  ? ((Filter) node).child()
        : node instanceof RowLevelWrite         ? ((RowLevelWrite) node).originalTable()
        : node instanceof OverwriteByExpression ? ((OverwriteByExpression) node).table()
                                                : null;
      if (Calls.isTranslated(relation)) return ((LogicalPlan) node).mapExpressions(new Translated());
      PartitionLayout layout = PartitionLayout.of(relation);
      return ((LogicalPlan) node)
        .mapExpressions(new Conditions(layout, layout == null ? null : ((LogicalPlan) relation).outputSet()));
    }
  }

  /** A procedure's argument `where`, which Iceberg uses only to choose files: the rows do not depend on it. */
  static class Translated extends ScalaTypes.Mapping<Expression, Expression> {
    @Override
    protected Object of(Object e) {
      return ((Expression) e).transform(ScalaTypes.rewrite(new Offer()));
    }
  }

  /** Withheld calls, and bare ones that cannot be pushed. */
  static class Offer implements ScalaTypes.Replacement {
    @Override
    public boolean isFor(Object e) {
      // Before Spark 4.0 only Iceberg's own rule makes a bare call pushable, and a session may not have it.
      return Calls.function(e) != null && !Calls.pushable(e) || e instanceof KnownNullable && Calls.call(e) != null;
    }

    @Override
    public Object of(Object e) {
      return Calls.offered(e);
    }
  }

  /** The expression with every call withheld. */
  static class Withhold extends ScalaTypes.Mapping<Expression, Expression> {
    @Override
    protected Object of(Object o) {
      Expression e = (Expression) o;
      if (e instanceof KnownNullable && Calls.call(e) != null) return e;
      return Calls.pushable(e) ? Calls.withheld(e) : e.mapChildren(this);
    }
  }

  /** Conditions that keep only the rows for which they are true: null is treated as false. */
  static class Conditions extends ScalaTypes.Mapping<Expression, Expression> {
    final PartitionLayout layout;
    final AttributeSet columns;
    Conditions(PartitionLayout layout, AttributeSet columns) {
      this.layout = layout;
      this.columns = columns;
    }

    @Override
    protected Object of(Object e) {
      return condition((Expression) e, new ArrayList<>());
    }

    /** notNullCalls: calls that are known not to be null. */
    Expression condition(Expression e, List<Expression> notNullCalls) {
      if (!Calls.in(e)) return e;
      if (e instanceof And) {
        List<Expression> all = new ArrayList<>(notNullCalls);
        notNulls(e, all);
        And a = (And) e;
        Expression left = condition(a.left(), all), right = condition(a.right(), all);
        return left == a.left() && right == a.right() ? e : new And(left, right);
      }
      if (e instanceof Or) {
        Or a = (Or) e;
        Expression left = condition(a.left(), notNullCalls), right = condition(a.right(), notNullCalls);
        return left == a.left() && right == a.right() ? e : new Or(left, right);
      }
      boolean not = e instanceof Not;
      Expression compared = not ? ((Not) e).child() : e;
      Object operand = operand(compared);
      Expression call = operand == null ? null : Calls.call(operand);
      boolean equality = compared instanceof EqualTo || compared instanceof In || compared instanceof InSet;
      if (call == null || not && !equality || !isCorrect(call, compared)) return (Expression) new Withhold().of(e);
      if (Calls.pushable(operand) && !not) return e;
      Expression offered = Calls.pushable(operand) ? e : (Expression) e.transform(ScalaTypes.rewrite(new Offer()));
      if (not)
        for (Expression other : notNullCalls)
          if (Calls.same(call, other)) return offered;
      return not ? new And(new IsNotNull(Calls.offered(call)), offered) : offered;
    }

    // Iceberg reports that it covers a predicate such as bucket(4, x) = 2 completely, so Spark drops its own filter, and
    // it skips files by it: PartitionLayout.isCorrectFor has the cases in which that is wrong. For a negation it also
    // returns rows where x is null, so `bucket(4, x) IS NOT NULL` is pushed together with it.
    boolean isCorrect(Expression call, Expression compared) {
      if (layout == null || !call.references().subsetOf(columns) || !layout.isCorrectFor(call)) return false;
      // Iceberg counts some times before 1970 to the unit before, so that its transforms do not keep their order.
      boolean counts =
        Transform.of(call).unit != null && !PartitionLayout.source(call).dataType().equals(DataTypes.DateType);
      return !counts || !isNegative(compared)
        || layout.isFieldOfAllSpecs(PartitionLayout.source(call), PartitionLayout.transform(call));
    }

    /** Whether a comparison has a constant below 0. */
    private static boolean isNegative(Expression compared) {
      if (compared instanceof InSet)
        for (Object value : ScalaTypes.list(((InSet) compared).hset()))
          if (value instanceof Number && ((Number) value).longValue() < 0) return true;
      for (Expression child : ScalaTypes.list(compared.children())) {
        Object value = child instanceof Literal ? ((Literal) child).value() : null;
        if (value instanceof Number && ((Number) value).longValue() < 0) return true;
      }
      return false;
    }

    /** The side of a comparison with constants that is a call, withheld or not; null if none is. */
    static Object operand(Expression e) {
      if (e instanceof InSet) return ((InSet) e).hset().contains(null) ? null : e.children().apply(0);
      if (e instanceof IsNull || e instanceof IsNotNull) return e.children().apply(0);
      if (e instanceof In) {
        for (Expression x : ScalaTypes.list(((In) e).list()))
          if (!literal(x)) return null;
        return ((In) e).value();
      }
      if (!(e instanceof BinaryComparison)) return null;
      BinaryComparison c = (BinaryComparison) e;
      return literal(c.right()) ? c.left() : literal(c.left()) ? c.right() : null;
    }

    static boolean literal(Object e) { return e instanceof Literal && ((Literal) e).value() != null; }

    /** Adds the calls that the conjuncts require to be not null. */
    static void notNulls(Expression e, List<Expression> out) {
      if (e instanceof And) {
        notNulls(((And) e).left(), out);
        notNulls(((And) e).right(), out);
      } else if (e instanceof IsNotNull && Calls.call(((IsNotNull) e).child()) != null) {
        out.add(((IsNotNull) e).child());
      }
    }
  }

  /** Tests bucket(4, x) = 2, and its negation, on empty tables partitioned by x and by bucket(4, x). */
  @Override
  protected String check(SparkSession session) {
    Schema schema = new Schema(new Types.NestedField[] {Types.NestedField.optional(1, "x", Types.IntegerType.get())});
    PartitionSpec identity = PartitionSpec.builderFor(schema).identity("x").build();
    PartitionSpec bucket = PartitionSpec.builderFor(schema).bucket("x", 4).build();
    for (int i = 0; i < 2; i++) {
      boolean withheld = i == 0;
      LogicalPlan plan = optimized(session, schema, identity, withheld, false);
      if (!(plan instanceof Filter)) return "it lets a filter into a table partitioned by the column itself: " + plan;
      plan = optimized(session, schema, bucket, withheld, false);
      if (plan instanceof Filter) return "it keeps a filter from a table partitioned by the function: " + plan;
      plan = optimized(session, schema, bucket, withheld, true);
      if (plan instanceof Filter || !scan(plan).contains(Transform.hash().name + "[4](x) IS NOT NULL"))
        return "a negated filter is not pushed together with IS NOT NULL: " + plan + scan(plan);
    }
    return null;
  }

  private static LogicalPlan optimized(
    SparkSession session, Schema schema, PartitionSpec spec, boolean withheld, boolean negated) {
    LogicalPlan relation = Relations.of(empty(session, schema, spec));
    List<Expression> arguments =
      List.of(new Literal(Integer.valueOf(4), DataTypes.IntegerType), (Expression) relation.output().apply(0));
    StructType types = new StructType().add("n", DataTypes.IntegerType).add("x", DataTypes.IntegerType);
    ScalarFunction<?> bound = (ScalarFunction<?>) SparkFunctions.load(Transform.hash().function).bind(types);
    Expression call = V2ExpressionUtils.resolveScalarFunction(bound, ScalaTypes.seq(arguments));
    if (withheld) call = Calls.withheld(call);
    Expression condition = new EqualTo(call, new Literal(Integer.valueOf(2), DataTypes.IntegerType));
    LogicalPlan plan = new Filter(negated ? (Expression) new Not(condition) : condition, relation);
    return (LogicalPlan) session.sessionState().optimizer().execute(plan);
  }

  private static String scan(LogicalPlan plan) {
    if (plan instanceof DataSourceV2ScanRelation) return ((DataSourceV2ScanRelation) plan).scan().description();
    return plan.children().size() == 1 ? scan((LogicalPlan) plan.children().apply(0)) : "";
  }
}
