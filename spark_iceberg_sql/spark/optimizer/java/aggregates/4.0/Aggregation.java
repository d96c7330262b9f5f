package sparkicebergsql;

import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Option;
import scala.collection.immutable.Seq;

/** The operators of an aggregation whose constructors differ between versions of Spark. */
public final class Aggregation {
  private Aggregation() {}

  public static Aggregate of(List<Expression> grouping, List<NamedExpression> aggregates, LogicalPlan child) {
    return new Aggregate(ScalaTypes.seq(grouping), ScalaTypes.seq(aggregates), child, Option.empty());
  }

  /** Rows of Spark's internal values. */
  public static LocalRelation rows(Seq<Attribute> columns, List<InternalRow> rows) {
    return new LocalRelation(columns, ScalaTypes.seq(rows), false, Option.empty());
  }
}
