package sparkicebergsql;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.BaseMetadataTable;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.hadoop.HadoopFileIO;
import org.apache.iceberg.spark.Spark3Util;
import org.apache.iceberg.spark.source.SparkTable;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.analysis.ResolvedTable;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.AlterTableCommand;
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTable;
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTableWithFilters;
import org.apache.spark.sql.catalyst.plans.logical.DropTable;
import org.apache.spark.sql.catalyst.plans.logical.LeafCommand;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReplaceTable;
import org.apache.spark.sql.catalyst.plans.logical.ReplaceTableAsSelect;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.TruncateTable;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.datasources.v2.WriteToDataSourceV2;
import org.apache.spark.sql.execution.streaming.sources.MicroBatchWrite;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.Seq;

/**
 * Refuses a write to a Hadoop table whose metadata has another location: a copied folder, whose metadata refers to the
 * original's files. As an optimizer rule it covers every kind of write: SQL, scripts, EXECUTE IMMEDIATE, DataFrame
 * writers, streams.
 *
 * <p>Locations are compared as in same_location.py; two that are not known to be equal count as different.
 */
public class Copies extends SwitchedRule {
  private static final String WRITE = "org.apache.iceberg.spark.source.SparkWrite";
  private static final Pattern S3 = Pattern.compile("(?is)s3[an]?://(.*)");
  private static final Pattern AZURE = Pattern.compile("(?is)(?:abfs|wasb)s?://([^@/]+@)([^./]+)\\.[^/]*/?(.*)");

  /** Procedures that only read their table. */
  private static final Set<String> READERS = Set.of("ancestors_of", "create_changelog_view");

  @Override
  protected LogicalPlan rewrite(LogicalPlan plan) {
    if (ProcedureCall.is(plan)) refuseCall(ProcedureCall.of(plan));
    else refuseWritten(writtenTable(plan), plan instanceof DropTable && !((DropTable) plan).purge());
    for (LogicalPlan child : ScalaTypes.list(plan.children())) rewrite(child); // of several INSERTs
    return plan;
  }

  private static void refuseCall(ProcedureCall call) {
    if (call == null || READERS.contains(call.name())) return;
    String table = text(call.argument("table")), file = text(call.argument("metadata_file"));
    if (table != null) refuseWritten(loaded(table, call.catalog()), false);
    if (file != null) refuseFile(file);
  }

  private static String text(Expression argument) {
    Object value = argument != null && argument.foldable() ? argument.eval(null) : null;
    return value instanceof UTF8String ? value.toString() : null;
  }

  /** The table that a name refers to in a catalog's procedure; null if there is none. */
  private static Object loaded(String name, CatalogPlugin catalog) {
    try {
      Spark3Util.CatalogAndIdentifier target = Spark3Util.catalogAndIdentifier(SparkSession.active(), name, catalog);
      return loaded(target.catalog(), target.identifier());
    } catch (Exception none) {
      return null;
    }
  }

  /** A metadata file to register must be at the location in its metadata; otherwise it belongs to another table. */
  private static void refuseFile(String file) {
    TableMetadata metadata;
    try {
      Configuration conf = SparkSession.active().sessionState().newHadoopConf();
      metadata = TableMetadataParser.read(new HadoopFileIO(conf), file);
    } catch (Exception unread) {
      return; // Iceberg reports the error
    }
    refuse("the table of " + file, metadata, file, false);
  }

  /** The relation or table that a plan writes; null if none. */
  private static Object writtenTable(LogicalPlan plan) {
    Object target = target(plan);
    while (target instanceof SubqueryAlias) target = ((SubqueryAlias) target).child();
    if (target instanceof DataSourceV2ScanRelation) return ((DataSourceV2ScanRelation) target).relation();
    if (target instanceof ResolvedTable) return ((ResolvedTable) target).table();
    if (target == null && plan instanceof LeafCommand) return loaded((LeafCommand) plan);
    if (!(target instanceof ResolvedIdentifier)) return target;
    return loaded(((ResolvedIdentifier) target).catalog(), ((ResolvedIdentifier) target).identifier());
  }

  /** Iceberg's own commands, such as ADD PARTITION FIELD, have no table, only its name; null for any other. */
  private static Object loaded(LeafCommand command) {
    List<String> nameParts = new ArrayList<>();
    try {
      Object parts = command.getClass().getMethod("table", new Class<?>[0]).invoke(command, new Object[0]);
      if (!(parts instanceof Seq)) return null;
      for (Object part : ScalaTypes.list((Seq<?>) parts)) nameParts.add(String.valueOf(part));
    } catch (ReflectiveOperationException other) {
      return null;
    }
    try {
      Spark3Util.CatalogAndIdentifier target = Spark3Util.catalogAndIdentifier(SparkSession.active(), nameParts);
      return loaded(target.catalog(), target.identifier());
    } catch (RuntimeException unnamed) {
      return null;
    }
  }

  /** The table of that name; null if there is none. */
  private static Object loaded(CatalogPlugin catalog, Identifier name) {
    if (!(catalog instanceof TableCatalog)) return null;
    try {
      return ((TableCatalog) catalog).loadTable(name);
    } catch (Exception none) {
      return null; // Spark reports the error
    }
  }

  /** WriteToDataSourceV2 is deprecated, but still used for a stream's batches. */
  @SuppressWarnings("deprecation")
  private static Object target(LogicalPlan plan) {
    if (plan instanceof ReplaceTableAsSelect) return ((ReplaceTableAsSelect) plan).name();
    if (plan instanceof ReplaceTable) return ((ReplaceTable) plan).name();
    if (plan instanceof TruncateTable) return ((TruncateTable) plan).table();
    if (plan instanceof DropTable) return ((DropTable) plan).child();
    if (plan instanceof AlterTableCommand) return ((AlterTableCommand) plan).table();
    if (plan instanceof V2WriteCommand) return ((V2WriteCommand) plan).table();
    if (plan instanceof DeleteFromTable) return ((DeleteFromTable) plan).table();
    if (plan instanceof DeleteFromTableWithFilters) return ((DeleteFromTableWithFilters) plan).table();
    if (!(plan instanceof WriteToDataSourceV2)) return null;
    WriteToDataSourceV2 batch = (WriteToDataSourceV2) plan; // of a stream
    return batch.relation().isEmpty() ? streamed(batch.batchWrite()) : batch.relation().get();
  }

  /** The table of a stream that was started with a path or a name, known only to Iceberg's writer; null otherwise. */
  private static Object streamed(BatchWrite batch) {
    if (!(batch instanceof MicroBatchWrite)) return null;
    Object writer = ((MicroBatchWrite) batch).writeSupport();
    if (!writer.getClass().getName().startsWith(WRITE)) return null;
    try {
      Class<?> type = writer.getClass().getSuperclass();
      Field write = type.getDeclaredField("this$0"), table = type.getEnclosingClass().getDeclaredField("table");
      write.setAccessible(true);
      table.setAccessible(true);
      return table.get(write.get(writer));
    } catch (ReflectiveOperationException other) {
      throw new IllegalStateException("it is unknown which table the stream writes (" + other
        + "); `SET spark.iceberg_sql.copies = false` lets it write without the check for copies");
    }
  }

  /**
   * @param written the result of {@link #written}
   * @param drop whether the table is dropped without its files: a Hadoop catalog deletes its folder all the same
   */
  private static void refuseWritten(Object table, boolean drop) {
    if (table instanceof DataSourceV2Relation) table = ((DataSourceV2Relation) table).table();
    if (table instanceof RowLevelOperationTable) table = ((RowLevelOperationTable) table).table();
    if (table instanceof SparkTable) table = ((SparkTable) table).table();
    if (table instanceof Table) refuse((Table) table, drop);
  }

  private static void refuse(Table table, boolean drop) {
    if (table instanceof BaseMetadataTable) table = ((BaseMetadataTable) table).table(); // rows land with its own
    if (!(table instanceof HasTableOperations)) return;
    TableOperations operations = ((HasTableOperations) table).operations();
    if (!operations.getClass().getSimpleName().equals("HadoopTableOperations")) return;
    TableMetadata metadata;
    try {
      metadata = operations.refresh(); // the table that was in the folder before may be cached
    } catch (RuntimeException broken) {
      return; // Iceberg reports the error
    }
    String file = metadata == null ? null : metadata.metadataFileLocation();
    if (file != null) refuse("`" + table.name() + "`", metadata, file, drop);
  }

  private static void refuse(String table, TableMetadata metadata, String file, boolean drop) {
    String folder = file.substring(0, file.lastIndexOf('/')), declared = metadata.location();
    String metadataPath = metadata.property("write.metadata.path", null);
    if (isSame(folder, withoutFinalSlashes(declared) + "/metadata")) return;
    if (metadataPath != null && isSame(folder, withoutFinalSlashes(metadataPath))) return;
    String current = folder.replaceFirst("/metadata$", "");
    if (drop && !isInside(declared, current)) return;
    String visibleCurrent = Outgoing.visible(current), visibleDeclared = Outgoing.visible(declared);
    throw new UnsupportedOperationException(Outgoing.visible(table) + " is a copy, or was moved: its metadata is at `"
      + visibleCurrent + "`, but states the table's location as `" + visibleDeclared
      + "`; writes and deletes would change the files there\n"
      + "help: write to the table at `" + visibleDeclared
      + "` itself; for an independent copy, create one in its catalog with "
      + "CALL <catalog>.system.rewrite_table_path(table => '<table>', source_prefix => " + Outgoing.literal(declared)
      + ", target_prefix => " + Outgoing.literal(current)
      + ") and copy the files that it lists; if the table was moved, move it back");
  }

  public static boolean isSame(String location, String other) {
    return location.equals(other) || normalized(location).equals(normalized(other));
  }

  private static boolean isInside(String address, String folder) {
    return normalized(address).startsWith(normalized(folder) + "/");
  }

  private static String withoutFinalSlashes(String folder) { return folder.replaceFirst("/+$", ""); }

  /** Normalized: s3 for s3a and s3n, abfss for its variants, local files as the file system resolves them. */
  private static String normalized(String address) {
    Matcher s3 = S3.matcher(address);
    if (s3.matches()) return "s3://" + withoutFinalSlashes(s3.group(1));
    Matcher azure = AZURE.matcher(address);
    if (azure.matches())
      return "abfss://" + azure.group(1) + azure.group(2).toLowerCase(Locale.ROOT) + "/"
        + withoutFinalSlashes(azure.group(3));
    try {
      Path path = new Path(address);
      FileSystem system = path.getFileSystem(SparkSession.active().sparkContext().hadoopConfiguration());
      URI uri = system.makeQualified(path).toUri();
      return "file".equals(uri.getScheme()) ? new File(uri.getPath()).getCanonicalPath() : uri.toString();
    } catch (IOException unknown) {
      return address;
    }
  }

  @Override
  protected String check(SparkSession session) {
    boolean isRight = isSame("s3a://b/t/metadata", "s3://b/t/metadata") && !isSame("s3://b/t", "s3://b/u");
    return isRight ? null : "it does not know one place from another";
  }
}
