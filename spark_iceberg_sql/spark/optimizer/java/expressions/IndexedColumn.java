package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BoundReference;

/** A column identified by its index among a condition's columns, independent of the query. */
public final class IndexedColumn extends BoundReference {
  private static final long serialVersionUID = 1L;

  public IndexedColumn(int index, Attribute column) { super(index, column.dataType(), column.nullable()); }
}
