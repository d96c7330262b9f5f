package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.python.PythonUtils;
import org.apache.spark.sql.catalyst.AliasIdentifier;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;

/**
 * The name of a table function over a relation without virtual columns. It hides Iceberg's own `_file`, whose value
 * differs from that of the table functions' column `_file`; a stored column of that name is not hidden.
 */
public class WithoutFile extends SubqueryAlias {
  private static final long serialVersionUID = 1L;

  public WithoutFile(AliasIdentifier identifier, LogicalPlan child) { super(identifier, child); }

  @Override
  public Seq<Attribute> metadataOutput() {
    return without(child().metadataOutput());
  }

  @Override
  public Seq<Attribute> output() {
    return without(super.output());
  }

  @Override
  public SubqueryAlias withNewChildInternal(LogicalPlan newChild) {
    return new WithoutFile(identifier(), newChild);
  }

  private static Seq<Attribute> without(Seq<Attribute> columns) {
    List<Attribute> kept = new ArrayList<>();
    Iterator<Attribute> all = columns.iterator();
    while (all.hasNext()) {
      Attribute column = (Attribute) all.next();
      if (!(column.metadata().contains("__metadata_col") && column.name().equalsIgnoreCase("_file"))) kept.add(column);
    }
    return PythonUtils.toSeq(kept);
  }
}
