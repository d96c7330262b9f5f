package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.iceberg.BaseMetadataTable;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.mapping.NameMappingParser;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.parquet.ParquetSchemaUtil;
import org.apache.iceberg.parquet.ParquetValueReader;
import org.apache.iceberg.shaded.org.apache.parquet.schema.MessageType;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;

/**
 * A column whose type in a table's schema is another one than in a data file: Iceberg then reads values of one Java
 * class, and Spark fails where it takes them for another, with an error that names neither.
 */
public class FileTypes {
  private static final int FILES = 100; // more footers take too long for an error message
  private static final String MAPPING = "schema.name-mapping.default";

  /**
   * The column's name, its type in the schema, that in the file, and the file, for the first Parquet file that has such
   * a column; null if none of the first files has. snapshotId: null for the current snapshot.
   */
  public List<String> firstDifference(Table table, Long snapshotId) throws Exception {
    Table dataTable = table instanceof BaseMetadataTable ? ((BaseMetadataTable) table).table() : table;
    TableScan scan = dataTable.newScan();
    if (snapshotId != null) scan = (TableScan) scan.useSnapshot(snapshotId.longValue());
    CloseableIterator<FileScanTask> tasks = scan.planFiles().iterator();
    try {
      for (int i = 0; i < FILES && tasks.hasNext(); i++) {
        FileScanTask task = (FileScanTask) tasks.next();
        if (task.file().format() != FileFormat.PARQUET) continue;
        List<String> difference = difference(dataTable, FileAddress.of(task.file()));
        if (difference != null) return difference;
      }
      return null;
    } finally {
      tasks.close();
    }
  }

  private static List<String> difference(Table table, String location) throws Exception {
    MessageType columns = columns(table, location);
    if (columns == null) return null;
    for (Object element : TypeUtil.indexById(ParquetSchemaUtil.convert(columns).asStruct()).entrySet()) {
      Map.Entry<?, ?> entry = (Map.Entry<?, ?>) element;
      Type written = ((NestedField) entry.getValue()).type();
      NestedField field = table.schema().findField(((Integer) entry.getKey()).intValue());
      if (field == null || isReadAs(written, field.type())) continue;
      List<String> difference = new ArrayList<>();
      difference.add(table.schema().findColumnName(field.fieldId()));
      difference.add(text(field.type()));
      difference.add(text(written));
      difference.add(location);
      return difference;
    }
    return null;
  }

  /** The columns of a Parquet file, with field ids as Iceberg's reader gives them; null if it has no row group. */
  private static MessageType columns(Table table, String location) throws Exception {
    Footer<MessageType, ParquetValueReader<?>> footer = new Footer<>();
    String mapping = (String) table.properties().get(MAPPING);
    Parquet.ReadBuilder builder =
      Parquet.read(table.io().newInputFile(location)).project(new Schema(new ArrayList<NestedField>()));
    if (mapping != null) builder.withNameMapping(NameMappingParser.fromJson(mapping));
    CloseableIterable<?> rows = builder.createReaderFunc(footer).build();
    try {
      rows.iterator().close();
    } catch (RuntimeException withoutReader) {
      if (footer.columns == null) throw withoutReader;
    } finally {
      rows.close();
    }
    return (MessageType) footer.columns;
  }

  /** Receives the columns of a file in place of creating a reader of its rows. */
  static class Footer<S, R> implements Function<S, R> {
    S columns;

    @Override
    public R apply(S schema) {
      columns = schema;
      return null;
    }
  }

  /** Whether values of a file's type can be read as another one. */
  private static boolean isReadAs(Type written, Type type) {
    if (!written.isPrimitiveType() || !type.isPrimitiveType()) return written.typeId() == type.typeId();
    if (written.equals(type) || TypeUtil.isPromotionAllowed(written, type.asPrimitiveType())) return true;
    return representation(written) == representation(type);
  }

  /** One class for all types that Parquet writes as bytes. */
  private static Class<?> representation(Type type) {
    switch (type.typeId()) {
      case STRING:
      case UUID:
      case FIXED:
      case BINARY:
        return byte[].class;
      default:
        return type.typeId().javaClass();
    }
  }

  private static String text(Type type) {
    return type.isPrimitiveType() ? type.toString() : type.typeId().toString().toLowerCase();
  }
}
