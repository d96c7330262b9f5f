package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.ApplyFunctionExpression;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.KnownNullable;
import org.apache.spark.sql.catalyst.expressions.V2ExpressionUtils;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import scala.Option;

/**
 * Calls of Iceberg's transform functions in a plan. A call within a KnownNullable is withheld from the scan: neither
 * Spark (see Invocation) nor Iceberg's rule ReplaceStaticInvoke, which makes an ApplyFunctionExpression of those in
 * comparisons, looks inside. The functions iceberg_* return withheld calls, and only Guard unwraps them.
 */
public final class Calls {
  private static final String FUNCTIONS = "org.apache.iceberg.spark.functions.";

  private static final TreeNodeTag<Expression> ORIGINAL = new TreeNodeTag<Expression>("spark_iceberg_sql.call");

  private Calls() {}

  /** Keeps a call with the expression that evaluates it after push-down. */
  public static void setOriginal(Expression e, Expression call) { e.setTagValue(ORIGINAL, call); }

  /** An expression of a plan after push-down as it was before: its calls are withheld ones again. */
  public static Expression beforePushDown(Expression e) {
    Option<Expression> original = e.getTagValue(ORIGINAL);
    if (original.isDefined()) return withheld((Expression) original.get());
    if (function(e) != null) return withheld(e);
    return (Expression) e.mapChildren(new ScalaTypes.Mapping<Expression, Expression>() {
      @Override
      protected Object of(Object child) {
        return beforePushDown((Expression) child);
      }
    });
  }

  /** The class of Iceberg's function that an expression calls, or null. */
  public static Class<?> function(Object e) {
    Class<?> c = null;
    if (e instanceof StaticInvoke) c = ((StaticInvoke) e).staticObject();
    else if (e instanceof ApplyFunctionExpression) c = ((ApplyFunctionExpression) e).function().getClass();
    return c != null && c.getName().startsWith(FUNCTIONS) ? c : null;
  }

  /** The expression as a call, withheld or not; null for any other expression. */
  public static Expression call(Object e) {
    Object inner = e instanceof KnownNullable ? ((KnownNullable) e).child() : e;
    return function(inner) == null ? null : (Expression) inner;
  }

  /** Whether an expression is a call that can be pushed into a scan. */
  public static boolean pushable(Object e) {
    if (e instanceof StaticInvoke && !Invocation.isPushed((StaticInvoke) e)) return false;
    return function(e) != null;
  }

  /** A call, withheld or not, in the form that is pushed down. */
  public static Expression offered(Object e) {
    Expression call = call(e);
    return call instanceof StaticInvoke ? Invocation.pushed((StaticInvoke) call) : call;
  }

  /** The same call, still with generated code, withheld from Spark's and Iceberg's push-down. */
  public static Expression withheld(Expression call) { return new KnownNullable(generated(call)); }

  /** The original of a call that Iceberg's rule has replaced. */
  private static StaticInvoke generated(Object call) {
    if (call instanceof StaticInvoke) return (StaticInvoke) call;
    ApplyFunctionExpression a = (ApplyFunctionExpression) call;
    return (StaticInvoke) V2ExpressionUtils.resolveScalarFunction(a.function(), a.children());
  }

  /** Whether two expressions are the same call in different forms. */
  public static boolean same(Object a, Object b) {
    Expression x = call(a), y = call(b);
    return x != null && y != null && plain(x).semanticEquals(plain(y));
  }

  /** A call without its function: the form for comparing calls and, after push-down, for evaluation. */
  public static StaticInvoke plain(Object call) { return Invocation.plain(generated(call)); }

  /** Whether a plan is the stand-in for a table over which Iceberg optimises a procedure's `where`, to translate it. */
  public static boolean isTranslated(Object plan) {
    return plan != null && plan.getClass().getName().endsWith("$DummyRelation");
  }

  /** Whether a plan calls any of Iceberg's functions, except in subqueries, which are optimized as separate plans. */
  public static boolean in(LogicalPlan plan) {
    for (Expression e : ScalaTypes.list(plan.expressions()))
      if (in(e)) return true;
    for (LogicalPlan child : ScalaTypes.list(plan.children()))
      if (in(child)) return true;
    return false;
  }

  public static boolean in(Expression e) {
    if (function(e) != null) return true;
    for (Expression child : ScalaTypes.list(e.children()))
      if (in(child)) return true;
    return false;
  }
}
