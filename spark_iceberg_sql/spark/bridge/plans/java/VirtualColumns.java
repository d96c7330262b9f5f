package sparkicebergsql;

import org.apache.spark.sql.catalyst.AliasIdentifier;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import scala.collection.immutable.Seq;

/**
 * The name of a table function in a plan. Spark's own alias drops the hidden columns of every plan except a leaf; this
 * one keeps them, so that `icebergLocal(...) AS t` still has `t._size`. Spark removes it from the plan before
 * optimization, like any alias.
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
