package sparkicebergsql;

import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.parquet.ParquetMetricsRowGroupFilter;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.iceberg.shaded.org.apache.parquet.schema.MessageType;
import org.apache.iceberg.shaded.org.apache.parquet.schema.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;

/** Columns with a default, which files have that were written before the column was added. */
public final class UnwrittenColumns {
  /** Whether the filter of Iceberg's Parquet reader takes a column that a file does not have for null. */
  public static final boolean ARE_NULL = areNull();

  private UnwrittenColumns() {}

  private static boolean areNull() {
    Types.NestedField field = ColumnDefault.trial();
    if (!ColumnDefault.isStated(field)) return false;
    Schema schema = new Schema(new Types.NestedField[] {field});
    BlockMetaData rows = new BlockMetaData();
    rows.setRowCount(1);
    ParquetMetricsRowGroupFilter filter = new ParquetMetricsRowGroupFilter(schema, Expressions.notNull("x"));
    return !filter.shouldRead(new MessageType("m", new Type[0]), rows);
  }

  /** Adds the faults of the columns with a default: they are those of the schemas alone. */
  public static void add(Table table, List<BoundFault> faults) {
    if (!ARE_NULL) return;
    for (Schema schema : table.schemas().values())
      for (Types.NestedField field : TypeUtil.indexById(schema.asStruct()).values())
        if (ColumnDefault.isStated(field))
          BoundFault.add(faults, new BoundFault(field.fieldId(), BoundFault.Kind.UNWRITTEN, null, false, 0, 0));
  }
}
