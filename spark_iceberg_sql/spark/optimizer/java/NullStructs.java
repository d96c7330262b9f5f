package sparkicebergsql;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.parquet.ParquetValueReaders;
import org.apache.iceberg.types.Types;

/**
 * Structs that are null, in Parquet files of a table that is partitioned by a field of the struct itself.
 *
 * <p>The reader takes the field from the partition value, so that before Iceberg 1.12 it no longer sees that the struct
 * is null: it returns a struct of nulls. No condition tells them apart, so this is a warning alone.
 */
public final class NullStructs {
  /** Whether this Iceberg has the fault: the reader that does not looks at another column of the struct. */
  public static final boolean ARE_LOST = areLost();
  private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();

  private NullStructs() {}

  private static boolean areLost() {
    for (Method method : ParquetValueReaders.class.getDeclaredMethods())
      if (method.getName().equals("structReader")) return false;
    return true;
  }

  /** Warns, once in the life of the JVM, of each struct of a table that is null in some file, or may be. */
  public static void report(Table table, FileBounds bounds) {
    if (!ARE_LOST) return;
    for (PartitionSpec spec : table.specs().values())
      for (PartitionField field : spec.fields()) {
        String column = table.schema().findColumnName(field.sourceId());
        if (column == null || !field.transform().isIdentity() || column.lastIndexOf('.') < 0) continue;
        String struct = column.substring(0, column.lastIndexOf('.'));
        Types.NestedField parent = table.schema().findField(struct);
        boolean isNull = parent != null && parent.isOptional()
          && bounds.mayHaveNullPartitions(List.of(table.schema().findField(field.sourceId())));
        if (isNull && REPORTED.add(table.uuid() + " " + field.sourceId()))
          SwitchedRule.warn(text(Outgoing.visible(table.name()), Outgoing.visible(struct), Outgoing.visible(column)));
      }
  }

  private static String text(String name, String struct, String column) {
    return "`" + name + "` is partitioned by `" + column + "`: this Iceberg reads a `" + struct
      + "` that is null from its Parquet files as a struct of nulls, so that " + struct
      + " IS NULL does not find its row (apache/iceberg#17320)"
      + "\nhelp: read the table with Iceberg 1.12 or later; until then, do not rewrite its data files: they would "
      + "no longer have the null";
  }
}
