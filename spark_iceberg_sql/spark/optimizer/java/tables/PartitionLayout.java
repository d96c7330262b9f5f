package sparkicebergsql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.iceberg.BaseMetadataTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.spark.PathIdentifier;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.util.QuotingUtils;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** The current and past partitioning of the Iceberg table under a relation. */
public final class PartitionLayout {
  /** From Iceberg 1.12 on; before, the files to rewrite are read as a SparkTable with an option. */
  private static final String REWRITTEN = "org.apache.iceberg.spark.source.SparkRewriteTable";
  private static final List<String> METADATA_ISSUES = List.of("apache/iceberg#17440", "apache/iceberg#17346");
  private static final List<String> LOSING = List.of("AllManifestsTable", "ManifestEntriesTable", "AllEntriesTable");
  private static volatile Future<Map<String, String>> probed;
  private final Table table;
  private final SparkTable sparkTable;
  private final CaseInsensitiveStringMap options;
  private FileBounds bounds;
  private ManifestScope scope;

  private PartitionLayout(SparkTable sparkTable, CaseInsensitiveStringMap options) {
    this.sparkTable = sparkTable;
    this.options = options;
    table = sparkTable.table();
  }

  /** Null if the plan is not a relation of an Iceberg table; a metadata table does not count. */
  public static PartitionLayout of(Object plan) {
    if (!(plan instanceof DataSourceV2Relation)) return null;
    Object t = ((DataSourceV2Relation) plan).table();
    if (t instanceof RowLevelOperationTable) t = ((RowLevelOperationTable) t).table();
    if (!(t instanceof SparkTable) || ((SparkTable) t).table() instanceof BaseMetadataTable) return null;
    return new PartitionLayout((SparkTable) t, ((DataSourceV2Relation) plan).options());
  }

  /**
   * The table under a relation of one of Iceberg's metadata tables whose filters lose rows in this Iceberg; else null.
   *
   * <p>Its columns have a fault, and nothing else is known about it.
   */
  public static PartitionLayout ofMetadata(Object plan) {
    if (!(plan instanceof DataSourceV2Relation) || !(((DataSourceV2Relation) plan).table() instanceof SparkTable))
      return null;
    SparkTable t = (SparkTable) ((DataSourceV2Relation) plan).table();
    if (!(t.table() instanceof BaseMetadataTable) || !LOSING.contains(t.table().getClass().getSimpleName()))
      return null;
    return losesMetadata() ? new PartitionLayout(t, ((DataSourceV2Relation) plan).options()) : null;
  }

  private static boolean losesMetadata() {
    if (probed == null) return true;
    try {
      Map<String, String> results = (Map<String, String>) probed.get();
      for (String issue : METADATA_ISSUES)
        if (!"absent".equals(results.get(issue))) return true;
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    } catch (ExecutionException e) {
      return true;
    }
  }

  /** Sets the results of trying this Iceberg for known faults; see IssueProbes. */
  public static void setProbed(Future<Map<String, String>> results) { probed = results; }

  /** A column, or a field of a struct column. */
  public static boolean isColumn(Expression e) {
    while (e instanceof GetStructField) e = ((GetStructField) e).child();
    return e instanceof AttributeReference;
  }

  /** The id of a column, or of the column that a field of a struct is in. */
  public static ExprId root(Expression column) {
    Expression e = column;
    while (e instanceof GetStructField) e = ((GetStructField) e).child();
    return ((Attribute) e).exprId();
  }

  /**
   * The version of the table that is read; null if that is unknown.
   *
   * <p>A metadata file's name is not enough: a table that is dropped and created again starts from v1 at the same path.
   */
  public String version() {
    if (!(table instanceof HasTableOperations)) return null;
    TableMetadata metadata = ((HasTableOperations) table).operations().current();
    String file = metadata.metadataFileLocation();
    if (file == null || metadata.uuid() == null) return null;
    return metadata.uuid() + " " + file + " " + sparkTable.snapshotId() + " " + sparkTable.branch() + " "
      + options.asCaseSensitiveMap();
  }

  public Table table() { return table; }

  /** Whether this is about a table, which may have been loaded another time. */
  public boolean isOf(Table other) { return table.uuid() != null && table.uuid().equals(other.uuid()); }

  /** A table's name as the user writes it: one that is being created does not have the catalog's name in its own. */
  public static String name(DataSourceV2Relation relation) {
    boolean isNamed = relation.catalog().isDefined() && relation.identifier().isDefined()
      && !(relation.identifier().get() instanceof PathIdentifier);
    if (isNamed) return ((CatalogPlugin) relation.catalog().get()).name() + "." + relation.identifier().get();
    PartitionLayout layout = of(relation);
    return layout == null ? relation.table().name() : layout.table.name();
  }

  /** The one snapshot that is read; null if there is none, or if it cannot be known. */
  public Snapshot snapshot() {
    Long chosen = FileBounds.snapshotId(options), id = chosen == null ? sparkTable.snapshotId() : chosen;
    if (chosen == null && FileBounds.chooseSnapshots(options) || FileBounds.isStaged(table)) return null;
    if (id != null) return table.snapshot(id.longValue());
    return sparkTable.branch() == null ? table.currentSnapshot() : table.snapshot(sparkTable.branch());
  }

  /** The one field, of one type, that a column's name has ever meant; null if there are several, or none. */
  public Types.NestedField field(Expression column) {
    if (isOfOldSchema(column)) return null;
    // An option may choose a snapshot with columns that the table has no more.
    if (snapshot() == null && table.schema().findField(path(column)) == null) return null;
    List<Types.NestedField> fields = fields(column);
    Types.NestedField first = fields.isEmpty() ? null : (Types.NestedField) fields.get(0);
    for (Types.NestedField field : fields)
      if (field.fieldId() != first.fieldId() || !field.type().equals(first.type())) return null;
    return first;
  }

  /**
   * Whether the table's schema has another column of a column's name, or none, since it was renamed or dropped after
   * the snapshot that is read: Iceberg looks for the partition fields of a filter by the names in the table's schema.
   */
  private boolean isOfOldSchema(Expression column) {
    Snapshot snapshot = snapshot();
    Schema schema =
      snapshot == null || snapshot.schemaId() == null ? null : (Schema) table.schemas().get(snapshot.schemaId());
    if (schema == null || schema.schemaId() == table.schema().schemaId()) return false;
    String path = path(column);
    Types.NestedField old = schema.findField(path), current = table.schema().findField(path);
    return old != null && (current == null || current.fieldId() != old.fieldId());
  }

  /** What is wrong with the figures by which Iceberg skips files for a column, in the files that may be read. */
  public List<BoundFault> faults(Expression column) {
    if (table instanceof BaseMetadataTable || isOfOldSchema(column)) return List.of(BoundFault.unknown());
    return bounds().of(fields(column));
  }

  /** Whether a column is the source of a partition field that may be null in files without counts of nulls. */
  public boolean mayHaveUncountedNulls(Expression column) {
    return isSource(column) && bounds().mayHaveUncountedNulls(fields(column));
  }

  /** Whether a column is the source of a partition field that may be null in some file. */
  public boolean mayHaveNullPartitions(Expression column) {
    return isSource(column) && bounds().mayHaveNullPartitions(fields(column));
  }

  /** Whether files may be read without the structs that are null, for IS NULL of a field of a struct. */
  public boolean mayLoseNulls(Expression field) {
    return field instanceof GetStructField && bounds().mayLoseNulls(fields(field));
  }

  /** Whether ORC files may be read without values that satisfy a comparison: see OrcConstants. */
  public boolean mayMisorderConstants(Expression column) {
    boolean isOfType = column.dataType() instanceof StringType || column.dataType() instanceof DateType;
    return isOfType && !(table instanceof BaseMetadataTable) && bounds().mayMisorderConstants(fields(column));
  }

  /** Whether Parquet files may be read without values that are equal to a constant: see BloomFilters. */
  public boolean mayMissEqualValues(Expression column) {
    if (table instanceof BaseMetadataTable || isMetadata(column) || !BloomFilters.mayBeCut(table)) return false;
    // What a partition value decides is not asked of the files.
    for (PartitionSpec spec : table.specs().values())
      if (!isField(fields(column), spec)) return true;
    return false;
  }

  private boolean isSource(Expression column) { return !transformsOf(column).isEmpty(); }

  /** Whether a column is none of the table's: one of Iceberg's metadata columns, such as _pos. */
  public boolean isMetadata(Expression column) { return fields(column).isEmpty(); }

  /** Whether a file whose bounds tell a column's greatest number may have NaN, too. */
  public boolean mayHaveNaN(Expression column) { return bounds().mayHaveNaN(fields(column)); }

  /** Before a read: refuses one that would lose rows without an error (see TruncatedFile), and keeps deleted rows out. */
  public void prepareRead() {
    if (table instanceof BaseMetadataTable || snapshot() == null) return;
    FileBounds.requireWhole(table, sparkTable.snapshotId(), sparkTable.branch(), options);
    if (NullStructs.mayBeIn(table)) NullStructs.report(table, bounds());
    DeleteCache.avoidFor(table, snapshot());
  }

  /** Whether a vectorized read may return wrong times. */
  public boolean needsRowReader() {
    if (bounds != null) return bounds.needsRowReader();
    ManifestScope times =
      scope == null ? new ManifestScope(table, SQLConf.get().caseSensitiveAnalysis(), true) : scope.ofTimes();
    return FileBounds.of(table, sparkTable.snapshotId(), sparkTable.branch(), options, times).needsRowReader();
  }

  /** The same of a relation by which Iceberg reads files to rewrite them; false for any other. */
  public static boolean needsRowReader(DataSourceV2Relation relation) {
    Object rewritten = relation.table();
    if (!rewritten.getClass().getName().equals(REWRITTEN)) return false;
    try {
      Table table = (Table) rewritten.getClass().getMethod("table", new Class<?>[0]).invoke(rewritten, new Object[0]);
      return FileBounds.of(table, null, null, relation.options()).needsRowReader();
    } catch (ReflectiveOperationException e) {
      return true; // slower, and right
    }
  }

  /** Why a write cannot replace the rows for which a condition on a column is true. */
  public String unreliable(Expression column, List<BoundFault> faults) {
    BoundFault fault = (BoundFault) faults.get(0);
    return "rows cannot be replaced by a condition on `" + Outgoing.visible(path(column))
      + "`: Iceberg would choose whole files by their bounds"
      + (fault.file == null
          ? " and partition values, which cannot be relied on; run DELETE with the condition, then INSERT"
          : "; " + FileBounds.text(table, path(column), fault));
  }

  /** Why a write cannot replace the rows that compare with a constant at the end of a column's type. */
  public String overflowing(Expression column) {
    return "rows cannot be replaced by a condition on `" + Outgoing.visible(path(column))
      + "` with a value at the end of its type: Iceberg would choose whole files by " + wrapping(column).name
      + ", which overflows for it; run DELETE with the condition, then INSERT";
  }

  /** Why a write cannot replace the rows whose text has a prefix, or has it not, where a partition value is null. */
  public String withoutPrefix(Expression column) {
    return "rows cannot be replaced by a condition on `" + Outgoing.visible(path(column))
      + "` with LIKE and this prefix: Iceberg fails on the null of the partition; run DELETE with the condition, "
      + "then INSERT";
  }

  /** The columns with wrong bounds; see FileBounds.described. */
  public List<WrongBoundsRow> wrongBounds() { return bounds().described(table); }

  /** Limits what is asked of the table to a read of the rows of some manifests. */
  public void limitTo(ManifestScope rows) { scope = rows; }

  private FileBounds bounds() {
    if (bounds == null) bounds = FileBounds.of(table, sparkTable.snapshotId(), sparkTable.branch(), options, scope);
    return bounds;
  }

  /** Tells the user, once, that a column has a fault. */
  public void report(Expression column, List<BoundFault> faults) {
    for (BoundFault fault : faults) FileBounds.report(table, path(column), fault);
  }

  /**
   * A call of an Iceberg function, written like a transform in a spec: day, bucket[4]; null for any other expression.
   */
  public static String transform(Object e) {
    Expression call = Calls.call(e);
    if (call == null) return null;
    Transform t = Transform.of(call);
    if (t == null || !t.hasParameter) return t == null ? null : t.name;
    Object first = call.children().apply(0);
    if (!(first instanceof Literal) || !(((Literal) first).value() instanceof Integer)) return null;
    return t.name + "[" + ((Literal) first).value() + "]";
  }

  /** The column in a call, possibly a field of a struct; null if the argument is anything else. */
  public static Expression source(Expression call) {
    Expression e = (Expression) call.children().apply(call.children().size() - 1), column = e;
    while (e instanceof GetStructField) e = ((GetStructField) e).child();
    return e instanceof AttributeReference ? column : null;
  }

  /**
   * Whether a comparison of a call with a constant can be pushed to Iceberg with correct results.
   *
   * <p>Iceberg compares the constant with the values of a partition field and, if the transform is order-preserving,
   * with the transformed bounds of each file. The first is wrong if any spec has the column itself as a field, or if
   * Spark's value differs from Iceberg's: a uuid is text in Spark. The second is wrong if the transform wraps around:
   * the least int or long, truncated, becomes the greatest; hours of the year 250000 are negative. Then it is correct
   * only in files that are partitioned by the same transform, since all their rows have one value.
   */
  public boolean isCorrectFor(Expression call) {
    Expression column = source(call);
    String transform = transform(call);
    List<Types.NestedField> fields = new ArrayList<>();
    if (column != null && transform != null) fields.addAll(fields(column));
    if (fields.isEmpty() || isOfOldSchema(column) || isField(fields) || !areRightForCalls(fields)) return false;
    for (Types.NestedField field : fields) {
      Type.TypeID type = field.type().typeId();
      if (type == Type.TypeID.UUID || type == Type.TypeID.FIXED) return false;
    }
    return !Transform.ofSpec(transform).wraps(column.dataType()) || isFieldOfAllSpecs(column, transform);
  }

  /** Where partition values overflow, they are those of the function. */
  private boolean areRightForCalls(List<Types.NestedField> fields) {
    for (BoundFault fault : bounds().of(fields))
      if (!fault.isOfPartitions()) return false;
    return true;
  }

  /** Whether a column itself is a partition field of any spec. */
  public boolean isField(Expression column) { return isField(fields(column)); }

  private boolean isField(List<Types.NestedField> fields) {
    for (PartitionSpec spec : table.specs().values())
      if (isField(fields, spec)) return true;
    return false;
  }

  private static boolean isField(List<Types.NestedField> fields, PartitionSpec spec) {
    for (PartitionField f : spec.fields())
      if (f.transform().isIdentity() && isOf(f, fields)) return true;
    return false;
  }

  private static boolean isOf(PartitionField f, List<Types.NestedField> fields) {
    for (Types.NestedField field : fields)
      if (f.sourceId() == field.fieldId()) return true;
    return false;
  }

  /** Whether every spec partitions by a transform of a column, so that its call prunes without an added range. */
  public boolean isFieldOfAllSpecs(Expression column, String transform) {
    List<Types.NestedField> fields = fields(column);
    if (!fields.isEmpty() && field(column) == null) return false;
    for (PartitionSpec spec : table.specs().values())
      if (!transforms(fields, spec).contains(transform)) return false;
    return true;
  }

  /** The transforms of a column in any spec. */
  public List<String> transformsOf(Expression column) {
    List<String> result = new ArrayList<>();
    List<Types.NestedField> fields = fields(column);
    for (PartitionSpec spec : table.specs().values()) result.addAll(transforms(fields, spec));
    return result;
  }

  /** The first transform of a column, in any spec, whose values wrap around; null if there is none. */
  public Transform wrapping(Expression column) {
    for (String transform : transformsOf(column)) {
      Transform t = Transform.ofSpec(transform);
      if (t != null && t.wraps(column.dataType())) return t;
    }
    return null;
  }

  /** The fields that a column's name refers to in any schema: a query of an old snapshot uses the old name. */
  private List<Types.NestedField> fields(Expression column) {
    List<Types.NestedField> result = new ArrayList<>();
    String path = path(column);
    add(result, table.schema().findField(path));
    for (Schema schema : table.schemas().values()) add(result, schema.findField(path));
    return result;
  }

  private static void add(List<Types.NestedField> fields, Types.NestedField field) {
    if (field != null && !fields.contains(field)) fields.add(field);
  }

  private static List<String> transforms(List<Types.NestedField> fields, PartitionSpec spec) {
    List<String> result = new ArrayList<>();
    for (PartitionField f : spec.fields())
      if (isOf(f, fields)) result.add(f.transform().toString());
    return result;
  }

  /** The name of a column, or of a field of a struct column with the names of what it is in. */
  public static String path(Expression column) {
    return column instanceof Attribute ? name(column) : path(((GetStructField) column).child()) + "." + name(column);
  }

  /** The same as SQL has it. */
  public static String quoted(Expression column) {
    String name = QuotingUtils.quoteIfNeeded(name(column));
    return column instanceof Attribute ? name : quoted(((GetStructField) column).child()) + "." + name;
  }

  private static String name(Expression column) {
    return column instanceof Attribute ? ((Attribute) column).name() : ((GetStructField) column).extractFieldName();
  }
}
