package sparkicebergsql;

import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.KnownNullable;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreePattern;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * Withholds expressions with a null constant that Spark cannot translate for a scan, and those that Iceberg takes wrongly.
 *
 * <p>Spark takes <code>v = 3000000000</code> of an INT column for <code>v IS NULL AND null</code>. In a filter that is
 * false, and replaced by it; below IS TRUE, &lt;=&gt; or coalesce, in an aggregate, and in ORDER BY ... LIMIT, the null
 * stays. The translation asserts that the parts of AND, OR and NOT are predicates, which a constant null is not, and
 * the text of a BINARY constant that it is not null, as in <code>b IN (NULL, X'80')</code>: the query fails with an
 * AssertionError. Columns beside such a constant come into a KnownNullable, which has no translation and costs nothing
 * at run time, so that Spark evaluates the expression. NOT IN with a null, which is never true, becomes false: an overwrite
 * by it would remove all other rows.
 */
public class NullConstants extends SwitchedRule {
  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    boolean hasNulls = plan.containsPattern(TreePattern.NULL_LITERAL()) || plan.containsPattern(TreePattern.INSET());
    if (!hasNulls || !TranslatedExpressions.areIn(plan)) return plan;
    return TranslatedExpressions.mapped(plan, new Conditions(), new Comparisons());
  }

  /** Conditions that keep only the rows for which they are true: null is as good as false. */
  static class Conditions extends ScalaTypes.Mapping<Expression, Expression> {
    @Override
    protected Object of(Object o) {
      Expression e = (Expression) o;
      if (isNull(e, DataTypes.BooleanType)) return new Literal(Boolean.FALSE, DataTypes.BooleanType);
      Expression moved = e instanceof Not ? moved(((Not) e).child()) : null;
      if (moved != null) return of(moved);
      return e instanceof And || e instanceof Or ? e.mapChildren(this) : new Comparisons().of(e);
    }

    /**
     * NOT of an expression with a null constant, as Spark writes it later; null if there is none, or no other form. For
     * no value NOT IN is true if there is a null among the constants; Iceberg leaves the null out.
     */
    private static Expression moved(Expression e) {
      if (hasNull(e)) return new Literal(Boolean.FALSE, DataTypes.BooleanType);
      if (!fails(e) && !mayHaveNull(e)) return null;
      if (e instanceof Not) return ((Not) e).child();
      if (e instanceof And) return new Or(negated(((And) e).left()), negated(((And) e).right()));
      return e instanceof Or ? new And(negated(((Or) e).left()), negated(((Or) e).right())) : null;
    }

    /** Whether a part of a condition is an IN with a null. */
    private static boolean mayHaveNull(Expression e) {
      if (!(e instanceof And) && !(e instanceof Or) && !(e instanceof Not)) return hasNull(e);
      for (Expression child : ScalaTypes.list(e.children()))
        if (mayHaveNull(child)) return true;
      return false;
    }

    private static boolean hasNull(Expression e) {
      if (e instanceof InSet) return ((InSet) e).hset().contains(null);
      for (Expression value : e instanceof In ? ScalaTypes.list(((In) e).list()) : List.<Expression>of())
        if (value instanceof Literal && ((Literal) value).value() == null) return true;
      return false;
    }

    private static Expression negated(Expression e) {
      if (e instanceof IsNull) return new IsNotNull(((IsNull) e).child());
      if (e instanceof IsNotNull) return new IsNull(((IsNotNull) e).child());
      return isNull(e, DataTypes.BooleanType) ? e : new Not(e);
    }
  }

  /** Expressions of which the value counts. */
  static class Comparisons extends ScalaTypes.Mapping<Expression, Expression> {
    @Override
    protected Object of(Object o) {
      Expression e = (Expression) o;
      return fails(e) ? e.mapChildren(new Withheld()) : e.mapChildren(this);
    }
  }

  /** Hides all columns. */
  static class Withheld extends ScalaTypes.Mapping<Expression, Expression> {
    @Override
    protected Object of(Object o) {
      Expression e = (Expression) o;
      if (e instanceof KnownNullable) return e;
      return PartitionLayout.isColumn(e) ? new KnownNullable(e) : e.mapChildren(this);
    }
  }

  /** Whether the translation of an expression fails. */
  private static boolean fails(Expression e) {
    boolean isOfPredicates = e instanceof And || e instanceof Or || e instanceof Not;
    if (e instanceof InSet)
      return ((InSet) e).hset().contains(null) && ((InSet) e).child().dataType().equals(DataTypes.BinaryType);
    if (!isOfPredicates && !(e instanceof In)) return false;
    for (Expression child : ScalaTypes.list(e.children()))
      if (isOfPredicates ? isNull(child, DataTypes.BooleanType) : isNull(child, DataTypes.BinaryType)) return true;
    return false;
  }

  private static boolean isNull(Expression e, DataType type) {
    return e instanceof Literal && ((Literal) e).value() == null && e.dataType().equals(type);
  }

  /** Optimizes a filter that fails without the rule, and one that is to be pushed down. */
  @Override
  protected String check(SparkSession session) {
    try {
      TrialTable.scan(session, "SELECT x FROM t WHERE (x = 3000000000) IS TRUE", TrialTable.of(new int[][] {{5, 20}}));
      String other = TrialTable.scan(
        session, "SELECT x FROM t WHERE x = 3000000000 OR x < 10", TrialTable.of(new int[][] {{5, 20}}));
      return other.contains("x < 10") ? null : "it withholds another filter: " + other;
    } catch (ParseException e) {
      return e.toString();
    } catch (AssertionError e) {
      return "Spark fails to translate a filter with a null: " + e;
    }
  }
}
