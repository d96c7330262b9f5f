package sparkicebergsql;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.spark.SparkSchemaUtil;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** The columns that Iceberg's table for Spark reads, which it has no public way to choose. */
public class TableColumns {
  /** What a table reads: the current schema, or that of a snapshot. */
  public Schema of(org.apache.iceberg.spark.source.SparkTable table) throws ReflectiveOperationException {
    Method method =
      org.apache.iceberg.spark.source.SparkTable.class.getDeclaredMethod("snapshotSchema", new Class<?>[0]);
    method.setAccessible(true);
    return (Schema) method.invoke(table, new Object[0]);
  }

  /** The table over the same snapshot, with other columns. */
  public org.apache.iceberg.spark.source.SparkTable with(
    org.apache.iceberg.spark.source.SparkTable table, Schema schema) throws ReflectiveOperationException {
    return new SparkTable(table.table(), table.snapshotId(), table.branch(), schema);
  }

  /** Before Spark 4.1 the table has no schema, but gives one to its scans. Named like its base: some look at that. */
  public static class SparkTable extends org.apache.iceberg.spark.source.SparkTable {
    private final Schema columns;

    SparkTable(Table table, Long snapshot, String branch, Schema columns) throws ReflectiveOperationException {
      super(table, snapshot, false);
      this.columns = columns;
      if (branch == null) return;
      Field field = org.apache.iceberg.spark.source.SparkTable.class.getDeclaredField("branch");
      field.setAccessible(true);
      field.set(this, branch);
    }

    @Override
    @SuppressWarnings("deprecation") // older lines have nothing else
    public StructType schema() {
      return SparkSchemaUtil.convert(columns);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
      Map<String, String> all = new HashMap<>(options.asCaseSensitiveMap());
      if (snapshotId() != null) all.put("snapshot-id", snapshotId().toString());
      try {
        Class<?> builder = Class.forName("org.apache.iceberg.spark.source.SparkScanBuilder");
        for (Constructor<?> constructor : builder.getDeclaredConstructors()) {
          if (constructor.getParameterCount() != 5) continue;
          constructor.setAccessible(true);
          return (ScanBuilder) constructor.newInstance(
            new Object[] {SparkSession.active(), table(), branch(), columns, new CaseInsensitiveStringMap(all)});
        }
        throw new IllegalStateException("SparkScanBuilder has no constructor with a schema");
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof RuntimeException) throw (RuntimeException) e.getCause();
        throw new IllegalStateException(e.getCause());
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
