package sparkicebergsql;

import org.apache.spark.sql.catalyst.AliasIdentifier;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import scala.collection.immutable.Seq;
import scala.collection.mutable.ListBuffer;

/**
 * The name of a table function in a plan. Spark's own alias hides the hidden columns of anything
 * but a leaf; this one hands them on, so that `icebergLocal(...) AS t` still has `t._size`.
 * Spark takes it out of the plan like any alias before it optimizes.
 *
 * <p>Over a relation as it is, without virtual columns, it keeps back Iceberg's own `_file`, which is
 * another value than the table functions' column of that name; a column of the table's is no hidden one.
 */
public class VirtualColumns extends SubqueryAlias {
  private final boolean ours;

  public VirtualColumns(AliasIdentifier identifier, LogicalPlan child, boolean ours) {
    super(identifier, child);
    this.ours = ours;
  }

  public Seq metadataOutput() {
    return ours ? child().metadataOutput() : without(child().metadataOutput());
  }

  public Seq output() {
    return ours ? super.output() : without(super.output());
  }

  public SubqueryAlias withNewChildInternal(LogicalPlan newChild) {
    return new VirtualColumns(identifier(), newChild, ours);
  }

  private static Seq without(Seq columns) {
    ListBuffer kept = new ListBuffer();
    for (int i = 0; i < columns.size(); i++) {
      Attribute column = (Attribute) columns.apply(i);
      if (!(column.metadata().contains("__metadata_col") && column.name().equalsIgnoreCase("_file")))
        kept.$plus$eq(column);
    }
    return kept.toList();
  }
}
