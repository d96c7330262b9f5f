package sparkicebergsql;

import org.apache.spark.sql.catalyst.AliasIdentifier;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import scala.collection.immutable.Seq;

/**
 * The name of a table function in a plan. Spark's own alias hides the hidden columns of anything
 * but a leaf; this one hands them on, so that `icebergLocal(...) AS t` still has `t._size`.
 * Spark takes it out of the plan like any alias before it optimizes.
 */
public class VirtualColumns extends SubqueryAlias {
  private static final long serialVersionUID = 1L;

  public VirtualColumns(AliasIdentifier identifier, LogicalPlan child) { super(identifier, child); }

  @Override
  public Seq<Attribute> metadataOutput() {
    return child().metadataOutput();
  }

  @Override
  public SubqueryAlias withNewChildInternal(LogicalPlan newChild) {
    return new VirtualColumns(identifier(), newChild);
  }
}
