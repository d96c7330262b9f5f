package sparkicebergsql;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.runtime.AbstractPartialFunction;

/** An expression as a function of the one column in it. */
public final class OneColumn {
  private final Expression bound;
  private final boolean narrow;

  public OneColumn(Expression e, final Expression column) {
    DataType t = column.dataType();
    final Expression input = new BoundReference(0, t, false);
    narrow = t.equals(DataTypes.DateType) || t.equals(DataTypes.IntegerType);
    bound = (Expression) e.transform(new AbstractPartialFunction() {
      public boolean isDefinedAt(Object x) { return column.semanticEquals((Expression) x); }
      public Object applyOrElse(Object x, scala.Function1 other) { return isDefinedAt(x) ? input : other.apply(x); }
    });
  }

  /** Its value where the column, as Spark holds dates, timestamps and whole numbers, is x. */
  public Object at(long x) {
    Object value = narrow ? (Object) Integer.valueOf((int) x) : (Object) Long.valueOf(x);
    return bound.eval((InternalRow) new GenericInternalRow(new Object[] {value}));
  }
}
