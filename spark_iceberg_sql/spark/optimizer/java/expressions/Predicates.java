package sparkicebergsql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;

/** Taking Spark's predicates apart, evaluating them, and building those that rules imply. */
public final class Predicates {
  /** The maximum number of values that are compared one by one. */
  private static final int COMPARED = 200;

  private Predicates() {}

  /** The conjuncts of a condition; none of null. */
  public static List<Expression> conjuncts(Expression condition) {
    List<Expression> result = new ArrayList<>();
    if (condition instanceof And) {
      result.addAll(conjuncts(((And) condition).left()));
      result.addAll(conjuncts(((And) condition).right()));
    } else if (condition != null) {
      result.add(condition);
    }
    return result;
  }

  /** The conjunction of predicates; null if there are none. */
  public static Expression conjunction(List<Expression> predicates) {
    Expression result = null;
    for (Expression e : predicates) result = result == null ? e : new And(result, e);
    return result;
  }

  /** Whether an expression can be evaluated without running a query or a user's code. */
  public static boolean isEvaluable(Expression e) {
    if (e instanceof AttributeReference) return true;
    boolean isForeign = e instanceof UserDefinedExpression && Calls.function(e) == null;
    if (!e.deterministic() || isForeign || e instanceof SubqueryExpression || e instanceof Unevaluable) return false;
    for (Expression child : ScalaTypes.list(e.children()))
      if (!isEvaluable(child)) return false;
    return true;
  }

  /** Types whose equal values are identical, and whose order is that of their Java objects. */
  public static boolean isExact(DataType type) {
    return type.equals(DataTypes.ByteType) || type.equals(DataTypes.ShortType) || type.equals(DataTypes.IntegerType)
      || type.equals(DataTypes.LongType) || type.equals(DataTypes.DateType) || type.equals(DataTypes.TimestampType)
      || type.equals(DataTypes.TimestampNTZType) || type.equals(DataTypes.StringType) || type instanceof DecimalType;
  }

  /** The definitions of a projection's new columns. */
  public static Map<ExprId, Expression> aliases(Project project) {
    Map<ExprId, Expression> result = new HashMap<>();
    for (NamedExpression e : ScalaTypes.list(project.projectList()))
      if (e instanceof Alias) result.put(e.exprId(), ((Alias) e).child());
    return result;
  }

  /** The columns of an input of a UNION by the ids of the UNION's own. */
  public static Map<ExprId, Expression> columns(LogicalPlan union, LogicalPlan input) {
    Map<ExprId, Expression> result = new HashMap<>();
    for (int i = 0; i < union.output().size(); i++)
      result.put(((Attribute) union.output().apply(i)).exprId(), (Expression) input.output().apply(i));
    return result;
  }

  /** An expression with definitions in place of columns. */
  public static Expression substituted(Expression e, final Map<ExprId, Expression> definitions) {
    if (definitions.isEmpty()) return e;
    return (Expression) e.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object node) {
        return node instanceof AttributeReference && definitions.containsKey(((AttributeReference) node).exprId());
      }

      @Override
      public Object of(Object node) {
        return definitions.get(((AttributeReference) node).exprId());
      }
    }));
  }

  // Iceberg 1.11 fails on IN and NOT IN for a file whose partition value is null, unless another conjunct, IS NOT NULL,
  // has skipped it before. So where nulls are kept, there is one comparison for each value.

  /** Whether an expression has one of some values, which may be null; null if there are too many for that. */
  public static Expression any(Expression e, Set<Object> values) {
    List<Expression> literals = literals(e, values);
    if (values.isEmpty()) return Literal.FalseLiteral();
    if (literals.isEmpty()) return new IsNull(e);
    if (!values.contains(null)) return new And(new IsNotNull(e), new In(e, ScalaTypes.seq(literals)));
    Expression equal = equalToAny(e, literals);
    return equal == null ? null : new Or(new IsNull(e), equal);
  }

  /** Whether an expression has none of some values, which may be null; null if there are too many for that. */
  public static Expression none(Expression e, Set<Object> values) {
    List<Expression> literals = literals(e, values);
    if (values.contains(null)) {
      Expression isNotNull = new IsNotNull(e);
      return literals.isEmpty() ? isNotNull : new And(isNotNull, new Not(new In(e, ScalaTypes.seq(literals))));
    }
    Expression equal = equalToAny(e, literals);
    return equal == null ? null : new Or(new IsNull(e), new Not(equal));
  }

  /** A comparison of a column with each value of an IN; null if there are too many, or not all are constants and not null. */
  public static Expression equalToAny(Expression column, Expression in) {
    List<Expression> literals = new ArrayList<>();
    if (in instanceof In) {
      for (Expression e : ScalaTypes.list(((In) in).list())) {
        if (!(e instanceof Literal) || ((Literal) e).value() == null) return null;
        literals.add(e);
      }
    } else {
      for (Object value : ScalaTypes.list(((InSet) in).hset())) {
        if (value == null) return null;
        literals.add(new Literal(value, column.dataType()));
      }
    }
    return equalToAny(column, literals);
  }

  private static Expression equalToAny(Expression e, List<Expression> literals) {
    if (literals.size() > COMPARED) return null;
    Expression result = null;
    for (Expression literal : literals) {
      Expression equal = new EqualTo(e, literal);
      result = result == null ? equal : new Or(result, equal);
    }
    return result;
  }

  private static List<Expression> literals(Expression e, Set<Object> values) {
    List<Expression> literals = new ArrayList<>();
    for (Object value : values)
      if (value != null) literals.add(new ImpliedLiteral(value, e.dataType()));
    return literals;
  }

  /** Times whose hours since 1970 exceed an int, so that Iceberg's partition values wrap around. */
  public static Expression beyondHours(Expression column) {
    long limit = Transform.HOURS;
    DataType t = column.dataType();
    return new Or(new And(new GreaterThanOrEqual(column, ImpliedLiteral.of(limit, t)),
                    new LessThanOrEqual(column, ImpliedLiteral.of(Long.MAX_VALUE, t))),
      new And(new GreaterThanOrEqual(column, ImpliedLiteral.of(Long.MIN_VALUE, t)),
        new LessThan(column, ImpliedLiteral.of(-limit, t))));
  }

  /** Whether a constant in it is left as it was written, since its evaluation fails: Spark may translate it for ever. */
  public static boolean hasFailingConstant(Expression e) {
    if (e instanceof Literal) return false;
    if (e.foldable()) return true;
    for (Expression child : ScalaTypes.list(e.children()))
      if (hasFailingConstant(child)) return true;
    return false;
  }
}
