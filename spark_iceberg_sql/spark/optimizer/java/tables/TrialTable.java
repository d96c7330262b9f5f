package sparkicebergsql;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;

/** A table in memory, with files that are never read, for the self-tests of rules that use the metadata of files. */
public final class TrialTable {
  /** The rows of each file. */
  private static final long ROWS = 100;

  private TrialTable() {}

  /** Its INT columns are x and y. bounds: the lower and upper bound of x in each file, then of y if it has others. */
  public static Table of(int[][] bounds) { return table(false, bounds); }

  /** Partitioned by x, whose bounds are equal. */
  public static Table partitioned(int[][] bounds) { return table(true, bounds); }

  /** One file, in a table whose DELETE statements have merge-on-read and snapshot isolation. */
  public static Table deletedByPosition() {
    Table table = of(new int[][] {{1, 9}});
    table.updateProperties()
      .set("format-version", "2")
      .set("write.delete.mode", "merge-on-read")
      .set("write.delete.isolation-level", "snapshot")
      .commit();
    return table;
  }

  /** Deletes a row of the file of that table and adds one, as an UPDATE does. */
  public static void replaceRows(Table table) {
    DataFiles.Builder file = DataFiles.builder(table.spec()).withPath(FileBounds.TRIAL + "new");
    file.withFormat(FileFormat.PARQUET).withFileSizeInBytes(1).withRecordCount(1);
    table.newRowDelta().addRows(file.build()).addDeletes(deletes(table)).commit();
  }

  /** The entry of a file with the position of a row. */
  public static DeleteFile deletes(Table table) {
    FileMetadata.Builder file = FileMetadata.deleteFileBuilder(table.spec()).ofPositionDeletes();
    file.withPath(FileBounds.TRIAL + UUID.randomUUID()).withFormat(FileFormat.PARQUET);
    file.withFileSizeInBytes(1).withRecordCount(1);
    return file.build();
  }

  private static Table table(boolean isPartitioned, int[][] bounds) {
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize("check", new HashMap<String, String>());
    catalog.createNamespace(Namespace.of(new String[] {"check"}));
    Schema schema = new Schema(new Types.NestedField[] {Types.NestedField.optional(1, "x", Types.IntegerType.get()),
      Types.NestedField.optional(2, "y", Types.IntegerType.get())});
    PartitionSpec spec =
      isPartitioned ? PartitionSpec.builderFor(schema).identity("x").build() : PartitionSpec.unpartitioned();
    Table table = catalog.createTable(TableIdentifier.of(new String[] {"check", "t"}), schema, spec);
    AppendFiles append = table.newAppend();
    for (int i = 0; i < bounds.length; i++) {
      int[] b = bounds[i];
      Metrics metrics = new Metrics(Long.valueOf(ROWS), null, Map.of(1, ROWS, 2, ROWS), Map.of(1, 0L, 2, 0L), null,
        bounds(b[0], b[b.length - 2]), bounds(b[1], b[b.length - 1]));
      DataFiles.Builder file = DataFiles.builder(spec)
                                 .withPath(FileBounds.TRIAL + i)
                                 .withFormat(FileFormat.PARQUET)
                                 .withFileSizeInBytes(1)
                                 .withMetrics(metrics);
      append.appendFile((isPartitioned ? file.withPartitionPath("x=" + b[0]) : file).build());
    }
    append.commit();
    return table;
  }

  private static Map<Integer, ByteBuffer> bounds(int x, int y) { return Map.of(1, bound(x), 2, bound(y)); }

  private static ByteBuffer bound(int value) {
    return Conversions.toByteBuffer(Types.IntegerType.get(), Integer.valueOf(value));
  }

  /** The optimized plan of a query, whose only table is this one. */
  public static LogicalPlan optimized(SparkSession session, String query, Table table) throws ParseException {
    final LogicalPlan relation = Relations.of(table);
    LogicalPlan plan = session.sessionState().sqlParser().parsePlan(query);
    plan = (LogicalPlan) plan.transform(ScalaTypes.rewrite(new ScalaTypes.Replacement() {
      @Override
      public boolean isFor(Object node) {
        return node instanceof UnresolvedRelation;
      }

      @Override
      public Object of(Object node) {
        return relation;
      }
    }));
    LogicalPlan analyzed = (LogicalPlan) session.sessionState().analyzer().execute(plan);
    return (LogicalPlan) session.sessionState().optimizer().execute(analyzed);
  }

  /** What the scan of such a query is pushed, without the random number of the snapshot. */
  public static String scan(SparkSession session, String query, Table table) throws ParseException {
    DataSourceV2ScanRelation scanned = scanned(optimized(session, query, table));
    return scanned == null ? "no scan" : scanned.scan().description().replaceAll("\\d{9,}", "");
  }

  /** The first scan of a plan; null if it has none. */
  public static DataSourceV2ScanRelation scanned(LogicalPlan plan) {
    if (plan instanceof DataSourceV2ScanRelation) return (DataSourceV2ScanRelation) plan;
    return plan.children().isEmpty() ? null : scanned((LogicalPlan) plan.children().apply(0));
  }
}
