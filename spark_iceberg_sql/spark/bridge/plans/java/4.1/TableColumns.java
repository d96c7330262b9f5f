package sparkicebergsql;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import org.apache.iceberg.Schema;
import org.apache.iceberg.spark.source.SparkTable;

/** The columns that Iceberg's table for Spark reads, which it has no public way to choose. */
public class TableColumns {
  /** What a table reads: the current schema, or that of a snapshot. */
  public Schema of(SparkTable table) throws ReflectiveOperationException { return (Schema) field(table, "schema"); }

  /** The table over the same snapshot, with other columns. */
  public SparkTable with(SparkTable table, Schema schema) throws ReflectiveOperationException {
    for (Constructor<?> constructor : SparkTable.class.getDeclaredConstructors()) {
      if (constructor.getParameterCount() != 5) continue;
      constructor.setAccessible(true);
      return (SparkTable) constructor.newInstance(new Object[] {
        table.table(), schema, field(table, "snapshot"), field(table, "branch"), field(table, "timeTravel")});
    }
    throw new NoSuchMethodException("SparkTable with a schema");
  }

  private static Object field(SparkTable table, String name) throws ReflectiveOperationException {
    Field field = SparkTable.class.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(table);
  }
}
