package sparkicebergsql;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.iceberg.*;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.InclusiveMetricsEvaluator;
import org.apache.iceberg.expressions.Projections;
import org.apache.iceberg.expressions.StrictMetricsEvaluator;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.iceberg.shaded.org.apache.parquet.column.Encoding;
import org.apache.iceberg.shaded.org.apache.parquet.column.statistics.Statistics;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.FileMetaData;
import org.apache.iceberg.shaded.org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.iceberg.shaded.org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.iceberg.shaded.org.apache.parquet.schema.MessageType;
import org.apache.iceberg.shaded.org.apache.parquet.schema.PrimitiveType;
import org.apache.iceberg.spark.SparkV2Filters;
import org.apache.iceberg.transforms.Transforms;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.WriteDelta;
import org.apache.spark.sql.connector.expressions.FieldReference;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.filter.Not;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.DataTypes;

/**
 * Whether the Iceberg of this JVM has the known faults of spark/optimizer/iceberg_issues.py, each tried in memory without a job.
 */
public final class IssueProbes implements Callable<Map<String, String>> {
  private static final String PRESENT = "present", ABSENT = "absent";

  private final Schema schema =
    new Schema(new Types.NestedField[] {Types.NestedField.optional(1, "x", Types.IntegerType.get())});

  /** By the reference of an issue: present, absent, or why that is unknown. */
  @Override
  public Map<String, String> call() {
    String[] references = {"apache/iceberg#15502", "apache/iceberg#18173", "apache/iceberg#17440",
      "apache/iceberg#17346", "apache/iceberg#14216", "apache/iceberg#9767", "apache/iceberg#18111",
      "apache/iceberg#9713", "times before 1970 in .999999", "null and <>", "null and LIKE", "null and IN",
      "apache/iceberg#9130", "apache/iceberg#16690", "DELETE and replaced rows", "apache/iceberg#17320",
      "apache/iceberg#13873", "DELETE and fields of structs", "apache/iceberg#13635", "apache/iceberg#12178",
      "apache/iceberg#11221"};
    Map<String, String> results = new LinkedHashMap<>();
    for (int i = 0; i < references.length; i++) {
      try {
        results.put(references[i], has(i) ? PRESENT : ABSENT);
      } catch (Exception e) {
        results.put(references[i], "unknown: " + e);
      } catch (LinkageError e) {
        results.put(references[i], "unknown: " + e);
      }
    }
    return results;
  }

  private boolean has(int probe) throws IOException, ParseException {
    switch (probe) {
      case 0:
        return comparesTheColumn();
      case 1:
        return storesMillis();
      case 2:
        return losesDeletes();
      case 4:
        return ManifestCheck.SIGNED_UUIDS;
      case 5:
        return apply(Transforms.truncate(1000), Types.IntegerType.get(), Integer.valueOf(Integer.MIN_VALUE)) > 0;
      case 6:
        return apply(Transforms.truncate(2147483647), Types.IntegerType.get(), Integer.valueOf(2147483646)) < 0;
      case 7:
        return apply(Transforms.hour(), Types.TimestampType.withZone(), Long.valueOf(Long.MAX_VALUE)) < 0;
      case 8:
        return apply(Transforms.hour(), Types.TimestampType.withZone(), Long.valueOf(-3599000001L)) < -1;
      case 9:
        return removesNulls();
      case 10:
        return NullResiduals.PREFIX_FAILS;
      case 11:
        return NullResiduals.IN_FAILS;
      case 12:
        return leavesOutNaN();
      case 13:
        return UnwrittenColumns.ARE_NULL;
      case 14:
        return leavesReplacedRows();
      case 15:
        return NullStructs.ARE_LOST;
      case 16:
        return DeleteCache.IS_IN_ORDER_OF_QUERY;
      case 17:
        return NullResiduals.NESTED_FAILS;
      case 18:
        return BloomFilters.ARE_CUT;
      case 19:
        return VectorFaults.ARE_FREED;
      case 20:
        return VectorFaults.ARE_MISPLACED;
      default:
        return losesManifests();
    }
  }

  /** The partition value by a transform. */
  @SuppressWarnings("unchecked")
  private static int apply(org.apache.iceberg.transforms.Transform<?, ?> transform, Type type, Object value) {
    org.apache.iceberg.transforms.Transform<Object, Object> of =
      (org.apache.iceberg.transforms.Transform<Object, Object>) transform;
    return ((Integer) of.bind(type).apply(value)).intValue();
  }

  /** Whether bucket(4, x) = 2 becomes x = 2 for a partition field x. */
  private boolean comparesTheColumn() {
    PartitionSpec identity = PartitionSpec.builderFor(schema).identity("x").build();
    Expression call = Expressions.equal(Expressions.bucket("x", 4), Integer.valueOf(2));
    return Projections.inclusive(identity).project(call).op() != Expression.Operation.TRUE;
  }

  /** Whether x <> 1 of Spark is true for all rows of a file with 5 and a null. */
  private boolean removesNulls() {
    org.apache.spark.sql.connector.expressions.Expression[] sides = {
      FieldReference.column("x"), LiteralValue.apply(Integer.valueOf(1), DataTypes.IntegerType)};
    Expression filter = SparkV2Filters.convert(new Not(new Predicate("=", sides)));
    ByteBuffer five = Conversions.toByteBuffer(Types.IntegerType.get(), Integer.valueOf(5));
    Metrics metrics =
      new Metrics(Long.valueOf(2), null, Map.of(1, 2L), Map.of(1, 1L), null, Map.of(1, five), Map.of(1, five));
    DataFiles.Builder file = DataFiles.builder(PartitionSpec.unpartitioned());
    file.withPath(FileBounds.TRIAL + "nulls.parquet").withFileSizeInBytes(1).withMetrics(metrics);
    return new StrictMetricsEvaluator(schema, filter).eval(file.build());
  }

  /** Whether the bound of a file with TIMESTAMP(MILLIS) is its number of milliseconds. */
  private boolean storesMillis() {
    PrimitiveType type = (PrimitiveType) org.apache.iceberg.shaded.org.apache.parquet.schema.Types
                           .optional(PrimitiveType.PrimitiveTypeName.INT64)
                           .as(LogicalTypeAnnotation.timestampType(true, LogicalTypeAnnotation.TimeUnit.MILLIS))
                           .id(1)
                           .named("ts");
    long millis = 1704067200000L;
    byte[] bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(millis).array();
    Statistics<?> statistics =
      Statistics.getBuilderForReading(type).withMin(bytes).withMax(bytes).withNumNulls(0).build();
    BlockMetaData rows = new BlockMetaData();
    rows.setRowCount(1);
    rows.addColumn(ColumnChunkMetaData.get(ColumnPath.get(new String[] {"ts"}), type, CompressionCodecName.UNCOMPRESSED,
      null, Set.of(Encoding.PLAIN), statistics, 4, 0, 1, 8, 8));
    MessageType message = new MessageType("m", new org.apache.iceberg.shaded.org.apache.parquet.schema.Type[] {type});
    ParquetMetadata footer = new ParquetMetadata(new FileMetaData(message, new HashMap<>(), ""), List.of(rows));
    Metrics metrics = ParquetUtil.footerMetrics(footer, Stream.empty(), MetricsConfig.getDefault());
    Object bound =
      Conversions.fromByteBuffer(Types.TimestampType.withZone(), (ByteBuffer) metrics.lowerBounds().get(1));
    return Long.valueOf(millis).equals(bound);
  }

  /** Whether a file with 1.0 and NaN is skipped for a filter that Spark takes for true of NaN. */
  private boolean leavesOutNaN() {
    Types.NestedField v = Types.NestedField.optional(1, "v", Types.DoubleType.get());
    ByteBuffer bound = Conversions.toByteBuffer(Types.DoubleType.get(), Double.valueOf(1));
    Metrics metrics = new Metrics(
      Long.valueOf(2), null, Map.of(1, 2L), Map.of(1, 0L), Map.of(1, 1L), Map.of(1, bound), Map.of(1, bound));
    DataFiles.Builder file = DataFiles.builder(PartitionSpec.unpartitioned());
    file.withPath(FileBounds.TRIAL + "nan").withFormat(FileFormat.PARQUET).withFileSizeInBytes(1).withMetrics(metrics);
    Expression above = Expressions.greaterThan("v", Double.valueOf(2));
    return !new InclusiveMetricsEvaluator(new Schema(new Types.NestedField[] {v}), above).eval(file.build());
  }

  /** Whether a DELETE of snapshot isolation commits after another writer has deleted and added rows. */
  private static boolean leavesReplacedRows() throws ParseException {
    Table table = TrialTable.deletedByPosition();
    LogicalPlan plan = TrialTable.optimized(SparkSession.active(), "DELETE FROM t WHERE y > 5", table);
    Write write = (Write) ((WriteDelta) plan).write().get();
    TrialTable.replaceRows(table);
    try {
      write.toBatch().commit(new WriterCommitMessage[0]);
      return true;
    } catch (ValidationException conflict) {
      return false;
    }
  }

  private static Table table(String name, Schema schema, String version) {
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize("probe", new HashMap<String, String>());
    catalog.createNamespace(Namespace.of(new String[] {"probe"}));
    return catalog.createTable(TableIdentifier.of(new String[] {"probe", name}), schema, PartitionSpec.unpartitioned(),
      Map.of("format-version", version));
  }

  private static DataFile file(PartitionSpec spec, String path) {
    DataFiles.Builder file = DataFiles.builder(spec);
    file.withPath(FileBounds.TRIAL + path).withFormat(FileFormat.PARQUET).withFileSizeInBytes(1).withRecordCount(1);
    return file.build();
  }

  /** Position deletes as format version 2 has them, which each Iceberg knows. */
  private static DeleteFile deletes(PartitionSpec spec) {
    FileMetadata.Builder file = FileMetadata.deleteFileBuilder(spec).ofPositionDeletes();
    file.withPath(FileBounds.TRIAL + "deletes").withFormat(FileFormat.PARQUET);
    return file.withFileSizeInBytes(1).withRecordCount(1).build();
  }

  private static int count(Table table, MetadataTableType type, Expression filter) throws IOException {
    Table metadata = MetadataTableUtils.createMetadataTableInstance(table, type);
    TableScan scan = (TableScan) metadata.newScan().filter(filter);
    CloseableIterable<FileScanTask> tasks = scan.planFiles();
    int rows = 0;
    try {
      for (FileScanTask task : tasks) {
        CloseableIterable<StructLike> read = task.asDataTask().rows();
        for (StructLike row : read) rows += row == null ? 0 : 1;
        read.close();
      }
    } finally {
      tasks.close();
    }
    return rows;
  }

  /** Whether entries with content != 2 lacks the position deletes. */
  private boolean losesDeletes() throws IOException {
    Table table = table("entries", schema, "2");
    table.newAppend().appendFile(file(table.spec(), "data")).commit();
    table.newRowDelta().addDeletes(deletes(table.spec())).commit();
    Expression filter = Expressions.notEqual("data_file.content", Integer.valueOf(2));
    return count(table, MetadataTableType.ENTRIES, filter)
      < count(table, MetadataTableType.ENTRIES, Expressions.alwaysTrue());
  }

  /** Whether all_manifests without one snapshot's lacks those of the others. */
  private boolean losesManifests() throws IOException {
    Table table = table("manifests", schema, "2");
    table.newAppend().appendFile(file(table.spec(), "a")).commit();
    long first = table.currentSnapshot().snapshotId();
    table.newAppend().appendFile(file(table.spec(), "b")).commit();
    Expression other = Expressions.not(
      Expressions.and(Expressions.equal("reference_snapshot_id", Long.valueOf(first)), Expressions.equal("path", "-")));
    return count(table, MetadataTableType.ALL_MANIFESTS, other)
      < count(table, MetadataTableType.ALL_MANIFESTS, Expressions.alwaysTrue());
  }
}
