package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.python.PythonUtils;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.catalyst.types.DataTypeUtils;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.PartialFunction;
import scala.collection.Iterable;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.AbstractFunction2;
import scala.runtime.AbstractPartialFunction;

/**
 * The Scala types that Spark requires, in a form that classes compiled by Janino can extend.
 *
 * <p>Janino generates no bridge methods: a class that extends <code>Function1&lt;Expression, Expression&gt;</code> with
 * an <code>apply(Expression)</code> lacks the <code>apply(Object)</code> that is called. So the classes here keep the
 * type parameters, and those that extend them have methods without any.
 */
public final class ScalaTypes {
  private ScalaTypes() {}

  public static <X> Seq<X> seq(List<? extends X> list) { return PythonUtils.toSeq(new ArrayList<X>(list)); }

  public static <X> List<X> list(Iterable<X> items) {
    List<X> list = new ArrayList<>();
    Iterator<X> next = items.iterator();
    while (next.hasNext()) list.add(next.next());
    return list;
  }

  /** New columns for the fields of a struct. */
  public static Seq<Attribute> columns(StructType type) { return seq(list(DataTypeUtils.toAttributes(type))); }

  /** A function of one argument. */
  public abstract static class Mapping<A, B> extends AbstractFunction1<A, B> {
    /** The value, a B, for an A. */
    protected abstract Object of(Object argument);

    @Override
    @SuppressWarnings("unchecked")
    public B apply(A argument) {
      return (B) of(argument);
    }
  }

  /** A function of two arguments. */
  public abstract static class Pairing<A, B, C> extends AbstractFunction2<A, B, C> {
    /** The value, a C, for an A and a B. */
    protected abstract Object of(Object first, Object second);

    @Override
    @SuppressWarnings("unchecked")
    public C apply(A first, B second) {
      return (C) of(first, second);
    }
  }

  /** The replacements that `transform` of a plan or an expression applies to some nodes. */
  public interface Replacement {
    boolean isFor(Object node);

    /** The replacement of a matching node. */
    Object of(Object node);
  }

  /**
   * In the form that `transform` accepts. Do not extend: Janino compiles only direct subclasses of
   * AbstractPartialFunction.
   */
  public static <N> PartialFunction<N, N> rewrite(Replacement replacement) { return new Rewrite<N>(replacement); }

  /** Replacement as a partial function. */
  private static final class Rewrite<N> extends AbstractPartialFunction<N, N> {
    private final Replacement replacement;

    Rewrite(Replacement replacement) { this.replacement = replacement; }

    @Override
    public boolean isDefinedAt(N node) {
      return replacement.isFor(node);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <A extends N, B> B applyOrElse(A node, Function1<A, B> otherwise) {
      return replacement.isFor(node) ? (B) replacement.of(node) : (B) otherwise.apply(node);
    }
  }

  /** A rule of the optimizer. */
  public abstract static class PlanRule<P extends TreeNode<?>> extends Rule<P> {
    /** The replacement of a plan, or the argument itself. */
    protected abstract TreeNode<?> of(TreeNode<?> plan);

    @Override
    @SuppressWarnings("unchecked")
    public P apply(P plan) {
      return (P) of(plan);
    }
  }
}
