package sparkicebergsql;

import org.apache.spark.sql.catalyst.AliasIdentifier;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import scala.collection.immutable.Seq;
import scala.collection.mutable.ListBuffer;

/**
 * The name of a table function over a relation as it is, without virtual columns. It keeps back Iceberg's
 * own `_file`, which is another value than the table functions' column of that name; a column of that name
 * which the table itself has is no hidden one.
 */
public class WithoutFile extends SubqueryAlias {

  public WithoutFile(AliasIdentifier identifier, LogicalPlan child) {
    super(identifier, child);
  }

  public Seq metadataOutput() {
    return without(child().metadataOutput());
  }

  public Seq output() {
    return without(super.output());
  }

  public SubqueryAlias withNewChildInternal(LogicalPlan newChild) {
    return new WithoutFile(identifier(), newChild);
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
