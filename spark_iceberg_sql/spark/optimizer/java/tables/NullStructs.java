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
 * is null: it returns a struct of nulls. Iceberg 1.12 looks at another field of the struct, if there is one that is no
 * partition field. No condition tells them apart, so this is a warning alone.
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

  /** Whether {@link #report} may warn, as far as the schema and the specs of a table tell. */
  public static boolean mayBeIn(Table table) {
    for (PartitionSpec spec : table.specs().values())
      for (PartitionField field : spec.fields())
        if (field.transform().isIdentity() && isInStruct(table.schema().findColumnName(field.sourceId()))) return true;
    return false;
  }

  /** column: null for one that is no more. */
  private static boolean isInStruct(String column) { return column != null && column.lastIndexOf('.') >= 0; }

  /** Warns, once in the life of the JVM, of each struct of a table that is null in some file, or may be. */
  public static void report(Table table, FileBounds bounds) {
    for (PartitionSpec spec : table.specs().values())
      for (PartitionField field : spec.fields()) {
        String column = table.schema().findColumnName(field.sourceId());
        if (!field.transform().isIdentity() || !isInStruct(column)) continue;
        String struct = column.substring(0, column.lastIndexOf('.'));
        Types.NestedField parent = table.schema().findField(struct);
        if (parent == null || !parent.isOptional() || !parent.type().isStructType()) continue;
        boolean isAlone = isOfPartitionFields(parent.type().asStructType(), spec);
        boolean isNull =
          (ARE_LOST || isAlone) && bounds.mayHaveNullPartitions(List.of(table.schema().findField(field.sourceId())));
        if (isNull && REPORTED.add(table.uuid() + " " + field.sourceId()))
          SwitchedRule.warn(
            text(Outgoing.visible(table.name()), Outgoing.visible(struct), Outgoing.visible(column), isAlone));
      }
  }

  private static boolean isOfPartitionFields(Types.StructType struct, PartitionSpec spec) {
    for (Types.NestedField part : struct.fields()) {
      boolean isPartitionField = false;
      for (PartitionField field : spec.fields())
        isPartitionField |= field.sourceId() == part.fieldId() && field.transform().isIdentity();
      if (!isPartitionField) return false;
    }
    return true;
  }

  private static String text(String name, String struct, String column, boolean isAlone) {
    String fact = "`" + name + "` is partitioned by `" + column + "`: " + (isAlone ? "Iceberg" : "this Iceberg")
      + " reads a `" + struct + "` that is null from its Parquet files as a struct of nulls, so that " + struct
      + " IS NULL does not find its row";
    if (isAlone)
      return fact + ", since all fields of `" + struct + "` are partition fields\nhelp: write `" + column
        + " IS NULL`, or write whether `" + struct + "` is null into a column of its own";
    return fact
      + " (apache/iceberg#17320)\nhelp: read the table with Iceberg 1.12 or later; until then, do not rewrite "
      + "its data files: they would no longer have the null";
  }
}
