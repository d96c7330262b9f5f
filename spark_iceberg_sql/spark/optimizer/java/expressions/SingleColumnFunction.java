package sparkicebergsql;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** An expression as a function of its only column. Not thread-safe. */
public final class SingleColumnFunction {
  private final Expression bound;
  private final boolean narrow;
  private final Object[] values = new Object[1];
  private final InternalRow row = new GenericInternalRow(values);

  public SingleColumnFunction(Expression e, final Expression column) {
    DataType t = column.dataType();
    final Expression input = new BoundReference(0, t, true);
    narrow = t.equals(DataTypes.DateType) || t.equals(DataTypes.IntegerType);
    bound = (Expression) e.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object x) {
        return column.semanticEquals((Expression) x);
      }

      @Override
      public Object of(Object x) {
        return input;
      }
    }));
  }

  /** Its value if the column, in Spark's internal form of dates, timestamps and integers, is x. */
  public Object at(long x) { return of(narrow ? (Object) Integer.valueOf((int) x) : (Object) Long.valueOf(x)); }

  /** Its value if the column is x, in Spark's internal form, which includes null. */
  public Object of(Object x) {
    values[0] = x;
    return bound.eval(row);
  }
}
