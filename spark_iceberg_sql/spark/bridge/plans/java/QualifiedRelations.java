package sparkicebergsql;

import org.apache.spark.sql.catalyst.analysis.CTESubstitution$;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Function1;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractPartialFunction;

/** Relations of a parsed query that are named by one word, under a full name: no temporary view has such a name. */
public final class QualifiedRelations {
  /** The query with these relations; a common table expression of that name keeps it. */
  public LogicalPlan qualified(LogicalPlan parsed, String name, Seq<String> fullName) {
    LogicalPlan plan = (LogicalPlan) CTESubstitution$.MODULE$.apply(parsed);
    return (LogicalPlan) plan.transformDownWithSubqueries(new Qualification<LogicalPlan>(name, fullName));
  }

  /** Of plans: Janino accepts the type only as a parameter. */
  private static final class Qualification<N> extends AbstractPartialFunction<N, N> {
    private static final long serialVersionUID = 1L;
    private final String name;
    private final Seq<String> fullName;

    Qualification(String name, Seq<String> fullName) {
      this.name = name;
      this.fullName = fullName;
    }

    @Override
    public boolean isDefinedAt(N plan) {
      if (!(plan instanceof UnresolvedRelation)) return false;
      Seq<String> parts = ((UnresolvedRelation) plan).multipartIdentifier();
      return parts.size() == 1 && name.equalsIgnoreCase((String) parts.head());
    }

    @Override
    @SuppressWarnings("unchecked")
    public <A extends N, B> B applyOrElse(A plan, Function1<A, B> otherwise) {
      if (!isDefinedAt(plan)) return (B) otherwise.apply(plan);
      UnresolvedRelation relation = (UnresolvedRelation) plan;
      return (B) new UnresolvedRelation(fullName, relation.options(), relation.isStreaming());
    }
  }
}
