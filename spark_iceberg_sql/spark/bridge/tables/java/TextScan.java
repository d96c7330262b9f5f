package sparkicebergsql;

import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.CombinedScanTask;
import org.apache.iceberg.MetadataColumns;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.expressions.Binder;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.spark.SparkV2Filters;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A scan of a TextTable. Predicates prune files; Spark evaluates each of them on the rows as well. */
public class TextScan implements ScanBuilder, SupportsPushDownV2Filters, SupportsPushDownRequiredColumns, Scan, Batch {
  private final Table table;
  private final Schema schema;
  private final Long snapshot;
  private final String splitSize;
  private final List<Predicate> pushed = new ArrayList<>();
  private Expression filter = Expressions.alwaysTrue();
  private StructType columns;
  private TableScan scan;

  /** schema: of the table. columns: Spark's. snapshot, splitSize: null for the current and the table's. */
  public TextScan(Table table, Schema schema, StructType columns, Long snapshot, String splitSize) {
    this.table = table;
    this.schema = schema;
    this.columns = columns;
    this.snapshot = snapshot;
    this.splitSize = splitSize;
  }

  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    for (Predicate predicate : predicates) {
      Expression converted = prunes(predicate) ? SparkV2Filters.convert(predicate) : null;
      if (converted == null) continue;
      try {
        Binder.bind(schema.asStruct(), converted, true);
      } catch (ValidationException e) {
        continue;
      }
      filter = Expressions.and(filter, converted);
      pushed.add(predicate);
    }
    return predicates;
  }

  @Override
  public Predicate[] pushedPredicates() {
    return (Predicate[]) pushed.toArray(new Predicate[0]);
  }

  /** Whether all columns of a predicate have the same values and order in Iceberg. */
  private boolean prunes(Predicate predicate) {
    for (NamedReference column : predicate.references()) {
      String name = column.fieldNames()[0];
      Types.NestedField field = schema.asStruct().field(name);
      if (column.fieldNames().length > 1 || name.indexOf('.') >= 0 || field == null) return false;
      switch (field.type().typeId()) {
        case BOOLEAN:
        case INTEGER:
        case LONG:
        case FLOAT:
        case DOUBLE:
        case DATE:
        case TIMESTAMP:
        case STRING:
        case DECIMAL:
        case BINARY:
          break;
        default:
          return false;
      }
    }
    return true;
  }

  @Override
  public void pruneColumns(StructType required) {
    StructType kept = new StructType();
    for (StructField field : columns.fields())
      if (has(required, field.name())) kept = kept.add(field);
    for (StructField field : required.fields())
      if (!has(kept, field.name())) kept = kept.add(field); // hidden ones
    columns = kept;
  }

  private static boolean has(StructType columns, String name) {
    for (String fieldName : columns.fieldNames())
      if (fieldName.equals(name)) return true;
    return false;
  }

  /** Iceberg's metadata column of a name. */
  private static Types.NestedField hidden(String name) {
    if (name.equals("_file")) return MetadataColumns.FILE_PATH;
    return name.equals("_pos") ? MetadataColumns.ROW_POSITION : MetadataColumns.SPEC_ID;
  }

  @Override
  public Scan build() {
    List<Types.NestedField> read = new ArrayList<>();
    for (String name : columns.fieldNames()) {
      Types.NestedField field = schema.asStruct().field(name);
      read.add(field != null ? field : hidden(name));
    }
    if (read.isEmpty()) read.add(MetadataColumns.ROW_POSITION); // to count rows
    scan = (TableScan) table.newScan().ignoreResiduals();
    scan = (TableScan) scan.project(new Schema(read));
    scan = (TableScan) scan.filter(filter);
    if (snapshot != null) scan = (TableScan) scan.useSnapshot(snapshot.longValue());
    if (splitSize != null) scan = (TableScan) scan.option("read.split.target-size", splitSize);
    return this;
  }

  @Override
  public StructType readSchema() {
    return columns;
  }

  @Override
  public String description() {
    return table.name() + " [filters=" + filter + "]";
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    List<InputPartition> partitions = new ArrayList<>();
    try {
      CloseableIterable<CombinedScanTask> tasks = scan.planTasks();
      try {
        for (Object task : tasks) partitions.add(new TextRows.Partition((CombinedScanTask) task));
      } finally {
        tasks.close();
      }
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return (InputPartition[]) partitions.toArray(new InputPartition[0]);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    try {
      Constructor<?> constructor = Class.forName("org.apache.iceberg.data.GenericReader").getDeclaredConstructors()[0];
      constructor.setAccessible(true);
      return new TextRows(constructor.newInstance(new Object[] {scan, Boolean.FALSE}), scan.schema(), columns.size());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
