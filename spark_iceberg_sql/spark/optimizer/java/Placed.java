package sparkicebergsql;

import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BoundReference;

/** A column by its place among those of a condition, in whichever query. */
public final class Placed extends BoundReference {
  private static final long serialVersionUID = 1L;

  public Placed(int place, Attribute column) { super(place, column.dataType(), column.nullable()); }
}
